#pragma once
// How far motions are apart, against how far the flesh swings: over the points that the free controls move, and over
// the whole time that both motions have.

#include "rsp_scenes.h"

#include <nlohmann/json.hpp>

#include <span>

namespace rigspace::bench {

/// What the fast method may err by on motion that it was not trained on, in percent of the swing.
inline constexpr double kRmsGoal = 2, kLargestGoal = 5;

/// Scene units, over points and moments.
struct Apart {
  double rms = 0, largest = 0;
};

/// Poses are all controls, a step apart; what one list has beyond the other does not count.
Apart apart(const RspSetup& setup, std::span<const Vec> poses, std::span<const Vec> others);

/// The model that does nothing: free controls stay in the balance that the run starts from and are carried by the
/// animation. Its distance to a motion is that motion's swing.
std::vector<Vec> unmoved(const RspSetup& setup);

double height_of(const RspSetup& setup);

/// Errors of a motion as shares of the swing of the true one, and of the character's height; percent.
struct MotionError {
  double rms_of_swing = 0, largest_of_swing = 0, rms_of_height = 0, largest_of_height = 0;
};
/// `error` against the truth, whose distance to the unmoved model is `swing`.
MotionError motion_error(const Apart& error, const Apart& swing, double height);
void add(const MotionError& error, nlohmann::ordered_json& metrics);

/// Median and quartiles of what steps took, s.
struct Spread {
  double lower = 0, median = 0, upper = 0;
  int n = 0;
};
Spread spread_of(std::vector<double> values);
nlohmann::ordered_json spread_json(const Spread& spread, double unit);

}  // namespace rigspace::bench
