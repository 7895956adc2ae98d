#pragma once
// `--set` and `--hit`: settings of parts as numbers, as keys over time, and as times of hits.

#include "rigspace/apps/physics/recipe.h"

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// Frame rate and range of the clips that keys and hits are given for, to convert and check their times.
struct ClipTimes {
  double frame_rate = 0;                                  ///< 1/s, for times in frames (12f); 0: the clips differ
  double first = 0;                                       ///< s: the earliest time allowed for a hit
  double last = std::numeric_limits<double>::infinity();  ///< s: the latest

  /// Adds a clip, simulated from `start` to `end`, s.
  void include(double clip_frame_rate, double start, double end);

 private:
  bool any_ = false;
};

/// `--set PATTERN.CONTROL=VALUE`, for all parts whose name matches the pattern. In place of a number VALUE may be keys
/// over time, `0:1,24f:0.3,2.0:1`, at seconds or frames; interpolated smoothly, or by the method in a last word
/// (`,linear`). Throws Error that suggests the nearest name.
std::vector<RecipeValue> parse_sets(const std::vector<std::string>& sets, std::span<const Part> parts,
                                    const std::string& file, const ClipTimes& times);

/// `--hit PATTERN=TIME,..`: times of hits for all parts whose name matches the pattern. The times of several `--hit`
/// for one part are joined; `none` removes those that the part had.
std::vector<RecipeValue> parse_hits(const std::vector<std::string>& hits, std::span<const Part> parts,
                                    const std::string& file, const ClipTimes& times);

/// "0.6"; for keys "1 at 0 s, 0.3 at 1 s"; for hits "at 1 s".
std::string value_in_words(const RecipeValue& value);
std::string keys_in_words(const Curve& keys);
std::string moments_in_words(const std::vector<double>& moments);

}  // namespace rigspace
