#pragma once
// `--set` and `--hit`: what an animator asks of parts, as numbers, keys over time and moments.

#include "rigspace/apps/physics/recipe.h"

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// What times of keys and hits mean: those of all clips that they are for.
struct ClipTimes {
  double frame_rate = 0;                                  ///< 1/s, for times as 12f; 0: the clips differ
  double first = 0;                                       ///< s: no hit is earlier
  double last = std::numeric_limits<double>::infinity();  ///< s: no hit is later

  /// One more clip, of which this stretch is simulated, s.
  void include(double clip_frame_rate, double start, double end);

 private:
  bool any_ = false;
};

/// `--set PATTERN.CONTROL=VALUE`, for all parts that the pattern meets. In place of a number keys over time,
/// `0:1,24f:0.3,2.0:1`: seconds or frames, eased, or with a word behind them, `,linear`. Throws Error naming what comes
/// close.
std::vector<RecipeValue> parse_sets(const std::vector<std::string>& sets, std::span<const Part> parts,
                                    const std::string& file, const ClipTimes& times);

/// `--hit PATTERN=TIME,..`: moments of all parts that the pattern meets, together where several name one part; `none`
/// takes those away that it had.
std::vector<RecipeValue> parse_hits(const std::vector<std::string>& hits, std::span<const Part> parts,
                                    const std::string& file, const ClipTimes& times);

/// `0.6`; of keys `1 at 0 s, 0.3 at 1 s`; of hits `at 1 s`.
std::string value_in_words(const RecipeValue& value);
std::string keys_in_words(const Curve& keys);
std::string moments_in_words(const std::vector<double>& moments);

}  // namespace rigspace
