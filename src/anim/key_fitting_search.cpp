// The fewest keys. Two successive keys may have a convex set of slopes, so what can be reached at a frame with so many
// keys is a range of slopes for each key before it: dynamic programming over frames, whose states are such ranges.
#include "key_fitting_parts.h"

#include <algorithm>
#include <cmath>

namespace rigspace::detail {
namespace {

constexpr int kMostStates = 12;   // a frame and seam
constexpr int kPlacesPerKey = 6;  // at least, for a key to be at
constexpr int kMoreSegments = 2;  // than the fewest at a frame: worth it for a better slope
constexpr int kPatience = 6;      // candidates in a row that cannot be the next key, before no later one is tried

/// A way to arrive at a frame: with how many segments, from where, and with which slopes.
struct State {
  int segments = 0;
  int seam = 0;  ///< which of the slopes that the ends of a cyclic curve may share
  int from = -1, from_state = -1;
  std::vector<Range> slopes;  ///< of each component

  double width(std::span<const double> scale) const {
    double sum = 0;
    for (std::size_t c = 0; c < slopes.size(); ++c) sum += std::min(1.0, (slopes[c].high - slopes[c].low) * scale[c]);
    return sum;
  }
  bool covers(const State& other) const {
    if (seam != other.seam || segments > other.segments) return false;
    for (std::size_t c = 0; c < slopes.size(); ++c)
      if (!slopes[c].contains(other.slopes[c])) return false;
    return true;
  }
};

class Search {
 public:
  Search(std::span<const FrameCurve> curves, std::span<const double> tolerances)
      : curves_(curves), tolerances_(tolerances), n_(curves[0].frames()), arrivals_(n_) {
    for (std::size_t c = 0; c < curves.size(); ++c)
      scale_.push_back((curves[c].times[1] - curves[c].times[0]) / tolerances[c]);
    must_.assign(n_, 0);
    must_.front() = must_.back() = 1;
    for (const FrameCurve& curve : curves)
      for (int i = 1; i + 1 < n_; ++i)
        if (curve.stretch[i - 1] != curve.stretch[i]) must_[i] = 1;
  }

  /// Frames between keys if each were as far as it can from the one before, whatever the slopes there.
  double usual_reach() const {
    std::vector<SlopeSet> sets(components());
    int segments = 0;
    for (int i = 0; i + 1 < n_; ++segments) {
      int limit = i + 1;
      while (!must_[limit]) ++limit;
      int good = i + 1, bad = limit + 1;
      for (int step = 2; bad > limit && good < limit; step *= 2) {
        const int j = std::min(limit, i + step);
        (allowed(i, j, sets) ? good : bad) = j;
      }
      while (bad - good > 1) {
        const int j = (good + bad) / 2;
        (j <= limit && allowed(i, j, sets) ? good : bad) = j;
      }
      i = good;
    }
    return double(n_ - 1) / segments;
  }

  /// Every frame, or every 2nd, 4th .. and those that must be keys.
  std::vector<char> grid(int spacing) const {
    std::vector<char> chosen = must_;
    for (int i = 0; i < n_; i += spacing) chosen[i] = 1;
    for (const FrameCurve& curve : curves_)
      for (int i = 0; i < n_; ++i) chosen[i] = chosen[i] || curve.corner[i];
    return chosen;
  }

  /// The fewest keys at some of the frames.
  FittedKeys run(const std::vector<char>& candidates) {
    candidates_ = candidates;
    for (auto& arrivals : arrivals_) arrivals.clear();
    start();
    for (int i = 0; i + 1 < n_; ++i) {
      prune(i);
      if (!arrivals_[i].empty()) leave(i);
    }
    const State* end = best_end();
    return end ? trace(closed(*end)) : every_frame();
  }

 private:
  int components() const { return static_cast<int>(curves_.size()); }

  void start() {
    const bool cyclic = std::any_of(curves_.begin(), curves_.end(), [](const FrameCurve& c) { return c.cyclic; });
    for (int seam = 0; seam < (cyclic ? 2 : 1); ++seam) {
      State state{.seam = seam};
      for (const FrameCurve& curve : curves_)
        state.slopes.push_back(curve.cyclic ? Range{curve.seam[seam], curve.seam[seam]} : Range{});
      arrivals_[0].push_back(std::move(state));
    }
  }

  /// The widest ways to arrive, and among them one that can always go on: with the monotone slopes.
  void prune(int frame) {
    std::vector<State>& states = arrivals_[frame];
    std::stable_sort(states.begin(), states.end(), [&](const State& a, const State& b) {
      return a.segments != b.segments ? a.segments < b.segments : a.width(scale_) > b.width(scale_);
    });
    std::vector<State> kept;
    std::array<int, 2> counts{}, fewest{};
    std::array<bool, 2> safe{};
    for (State& state : states) {
      if (counts[state.seam] == 0) fewest[state.seam] = state.segments;
      const bool first_safe = !safe[state.seam] && goes_on(state, frame);
      safe[state.seam] = safe[state.seam] || first_safe;
      const bool many = counts[state.seam] >= kMostStates || state.segments > fewest[state.seam] + kMoreSegments;
      if (many && !first_safe) continue;
      if (std::any_of(kept.begin(), kept.end(), [&](const State& k) { return k.covers(state); })) continue;
      ++counts[state.seam];
      kept.push_back(std::move(state));
    }
    states = std::move(kept);
  }

  bool goes_on(const State& state, int frame) const {
    for (int c = 0; c < components(); ++c) {
      const double m = curves_[c].monotone[frame], rounding = 1e-9 * (std::abs(m) + 1 / scale_[c]);
      if (m < state.slopes[c].low - rounding || m > state.slopes[c].high + rounding) return false;
    }
    return true;
  }

  bool allowed(int i, int j, std::vector<SlopeSet>& sets) const {
    for (int c = 0; c < components(); ++c) {
      sets[c] = allowed_slopes(curves_[c], i, j, tolerances_[c]);
      if (sets[c].empty()) return false;
    }
    return true;
  }

  /// Where a key at frame i can go next.
  void leave(int i) {
    std::vector<SlopeSet> sets(components());
    int failures = 0;
    for (int j = i + 1; j < n_ && failures < kPatience; ++j) {
      if (!candidates_[j]) continue;
      failures = allowed(i, j, sets) ? 0 : failures + 1;
      if (failures == 0)
        for (std::size_t k = 0; k < arrivals_[i].size(); ++k) arrive(i, static_cast<int>(k), j, sets);
      if (must_[j]) break;
    }
  }

  void arrive(int i, int k, int j, const std::vector<SlopeSet>& sets) {
    const State& state = arrivals_[i][k];
    State next{.segments = state.segments + 1, .seam = state.seam, .from = i, .from_state = k};
    next.slopes.reserve(components());
    for (int c = 0; c < components(); ++c) {
      next.slopes.push_back(sets[c].slice(1, curves_[c].corner[i] ? Range{} : state.slopes[c]));
      if (next.slopes.back().empty()) return;
    }
    arrivals_[j].push_back(std::move(next));
  }

  /// The last key's state with the fewest segments that meets the seam.
  const State* best_end() const {
    const State* best = nullptr;
    for (const State& state : arrivals_[n_ - 1]) {
      bool closes = true;
      for (int c = 0; c < components(); ++c)
        closes = closes && (!curves_[c].cyclic || state.slopes[c].contains({seam(c, state), seam(c, state)}));
      if (!closes || (best && state.segments > best->segments)) continue;
      if (!best || state.segments < best->segments || state.width(scale_) > best->width(scale_)) best = &state;
    }
    return best;
  }

  State closed(State end) const {
    for (int c = 0; c < components(); ++c)
      if (curves_[c].cyclic) end.slopes[c] = {seam(c, end), seam(c, end)};
    return end;
  }

  /// What rounding cannot spoil.
  FittedKeys every_frame() const {
    FittedKeys result{.frames = {}, .in_slopes = Mat(components(), n_), .out_slopes = {}};
    for (int i = 0; i < n_; ++i) {
      result.frames.push_back(i);
      for (int c = 0; c < components(); ++c) result.in_slopes(c, i) = curves_[c].monotone[i];
    }
    result.out_slopes = result.in_slopes;
    return result;
  }

  double seam(int c, const State& state) const { return curves_[c].seam[state.seam]; }

  FittedKeys trace(const State& end) const {
    const int keys = end.segments + 1;
    FittedKeys result{.frames = std::vector<int>(keys),
                      .in_slopes = Mat::Zero(components(), keys),
                      .out_slopes = Mat::Zero(components(), keys)};
    result.frames[keys - 1] = n_ - 1;
    for (int c = 0; c < components(); ++c)
      result.in_slopes(c, keys - 1) = result.out_slopes(c, keys - 1) = end.slopes[c].middle();
    std::vector<SlopeSet> sets(components());
    State state = end;
    for (int key = keys - 1; key > 0; --key) {
      const int i = state.from, j = result.frames[key];
      const State& before = arrivals_[i][state.from_state];
      allowed(i, j, sets);
      result.frames[key - 1] = i;
      for (int c = 0; c < components(); ++c) {
        const double m = result.in_slopes(c, key);
        const Range here = sets[c].slice(0, {m, m});
        const bool free = curves_[c].corner[i] || i == 0;
        const Range both = common(here, before.slopes[c]);
        result.out_slopes(c, key - 1) = curves_[c].corner[i] ? here.middle() : settle(both, here, before.slopes[c]);
        result.in_slopes(c, key - 1) = free && i > 0 ? before.slopes[c].middle() : result.out_slopes(c, key - 1);
      }
      state = before;
    }
    return result;
  }

  /// The middle of what two ranges share; where rounding has parted them, a point between.
  static double settle(const Range& both, const Range& a, const Range& b) {
    if (!both.empty()) return both.middle();
    return a.high < b.low ? 0.5 * (a.high + b.low) : 0.5 * (a.low + b.high);
  }

  std::span<const FrameCurve> curves_;
  std::span<const double> tolerances_;
  int n_;
  std::vector<double> scale_;
  std::vector<char> must_;        // by frame: a key has to be there
  std::vector<char> candidates_;  // by frame: a key may be there
  std::vector<std::vector<State>> arrivals_;
};

}  // namespace

// Where keys are far apart, a few frames more or less matter little: first at every 2nd, 4th .. frame, then with a
// choice of all frames around the keys that were found.
FittedKeys fit_frames(std::span<const FrameCurve> curves, std::span<const double> tolerances) {
  Search search(curves, tolerances);
  const double reach = search.usual_reach();
  int spacing = 1;
  while (2 * spacing * kPlacesPerKey <= reach) spacing *= 2;
  FittedKeys keys = search.run(search.grid(spacing));
  if (spacing > 1) {
    std::vector<char> near = search.grid(curves[0].frames());
    for (const int frame : keys.frames)
      for (int i = frame - spacing; i <= frame + spacing; ++i)
        if (i >= 0 && i < curves[0].frames()) near[i] = 1;
    const FittedKeys closer = search.run(near);
    if (closer.frames.size() <= keys.frames.size()) keys = closer;
  }
  settle_slopes(curves, tolerances, keys);
  return keys;
}

}  // namespace rigspace::detail
