#pragma once
// A ball of jelly in real time, moved by hand.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/realtime_rig.h"
#include "support/ball.h"

#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <vector>

namespace rigspace::testing {

inline const Softened& ball() {
  static const Softened soft = [] {
    const Character hard = make_ball();
    return soften(hard, parts_from_pattern(hard, "body=jelly"), {.max_per_part = 4});
  }();
  return soft;
}

inline std::vector<Part> ball_parts() {
  std::vector<Part> parts = ball().parts;
  parts[0].settings = {.rate = 2, .settle = 1, .lag = 0};
  return parts;
}

inline std::shared_ptr<const RealtimeModel> ball_model() {
  static const auto model =
      std::make_shared<const RealtimeModel>(ball().character, ball_parts(), RealtimeOptions{.use_cache = false});
  return model;
}

inline std::span<const double> span_of(const Vec& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

inline Vec deviation_of(const RealtimeRig& rig) {
  return Eigen::Map<const Vec>(rig.deviation().data(), std::ssize(rig.deviation()));
}

/// A ball whose root is moved by hand.
struct Hand {
  explicit Hand(std::shared_ptr<const RealtimeModel> model = ball_model())
      : rig(model), p(model->character().rig->rest()), ty(model->character().rig->find("root.ty")) {}
  void to(double height, double dt) {
    p[ty] = height;
    rig.set_keyed(span_of(p));
    rig.step(dt);
  }
  double largest() const { return deviation_of(rig).cwiseAbs().maxCoeff(); }

  RealtimeRig rig;
  Vec p;
  int ty;
};

inline constexpr double kFrame = 1.0 / 60, kGrid = 1.0 / 120;

inline constexpr double kSwing = 1.2;  // Hz: a hundred grid steps

inline double swing(double t) { return 0.08 * std::sin(2 * std::numbers::pi * kSwing * t); }

}  // namespace rigspace::testing
