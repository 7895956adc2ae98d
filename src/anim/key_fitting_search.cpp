// The fewest keys. Two successive keys may have a convex set of slopes, so what can be reached at a frame with so many
// keys is a range of slopes for each key before it: dynamic programming over frames, whose states are such ranges.
#include "key_fitting_parts.h"

#include <algorithm>
#include <cmath>

namespace rigspace::detail {
namespace {

constexpr int kMoreSegments = 2;  // than the fewest at a frame: worth it for a better slope
constexpr int kPatience = 6;      // candidates in a row that cannot be the next key, before no later one is tried

struct SearchOptions {
  int most_states = 12;                                ///< a frame and seam
  int places_per_key = 6;                              ///< at least, for a key to be at
  int most_samples = std::numeric_limits<int>::max();  ///< of a segment that have to be within the tolerance
  bool second_look = true;                             ///< at all frames around the keys that were found
  int sweeps = 12;                                     ///< over the slopes, at the end
};

constexpr SearchOptions kThorough;
constexpr SearchOptions kUsual = {.most_states = 4, .most_samples = 16};
constexpr SearchOptions kDraft = {
    .most_states = 3, .places_per_key = 4, .most_samples = 12, .second_look = false, .sweeps = 4};

/// A way to arrive at a frame: with how many segments, from where, and with which slopes.
struct State {
  int segments = 0;
  int seam = 0;  ///< which of the slopes that the ends of a cyclic curve may share
  int from = -1, from_state = -1;
  int slopes = 0;    ///< where those of the components begin, in the frame's list
  double width = 0;  ///< sum over components, each as a change of value within a frame against the tolerance, at most 1
  bool safe = false;  ///< with the monotone slopes, which can always go on
};

struct Arrivals {
  std::vector<State> states;
  std::vector<Range> slopes;
  std::array<int, 2> fewest = {std::numeric_limits<int>::max() / 2, std::numeric_limits<int>::max() / 2};  // by seam
  std::array<bool, 2> safe{};

  std::span<const Range> of(const State& state, int components) const {
    return std::span(slopes).subspan(state.slopes, components);
  }
  void clear() { *this = {}; }
};

/// The slopes that a segment may have, and the least box around them.
struct Step {
  SlopeSet set;
  Range from, to;

  /// Slopes at the end for some at the start.
  Range arrive(const Range& start) const {
    if (start.contains(from)) return to;
    const double touch = 1e-8 * std::max(std::abs(from.low), std::abs(from.high));
    if (start.high < from.low - touch || start.low > from.high + touch) return {1, 0};  // empty, at little cost
    return set.slice(1, start);
  }
};

enum class Candidate : char { no, one, with_reason };  // to be a key; the reason is a corner, or an end of a stretch

class Search {
 public:
  Search(std::span<const FrameCurve> curves, std::span<const double> tolerances, const SearchOptions& options)
      : curves_(curves), tolerances_(tolerances), options_(options), n_(curves[0].frames()), arrivals_(n_) {
    for (std::size_t c = 0; c < curves.size(); ++c)
      scale_.push_back((curves[c].times[1] - curves[c].times[0]) / tolerances[c]);
    must_.assign(n_, 0);
    must_.front() = must_.back() = 1;
    for (const FrameCurve& curve : curves)
      for (int i = 1; i + 1 < n_; ++i)
        if (curve.stretch[i - 1] != curve.stretch[i]) must_[i] = 1;
    steps_.resize(components());
    reached_.resize(components());
  }

  /// By frame, how far apart keys may be tried there: so that `places` fit between two keys if each were as far as it
  /// can be from the one before, whatever the slopes there. A power of two.
  std::vector<int> spacings(int places) {
    std::vector<int> result(n_, 1);
    for (int i = 0; i + 1 < n_;) {
      const int next = farthest(i);
      int spacing = 1;
      while (2 * spacing * places <= next - i) spacing *= 2;
      std::fill(result.begin() + i, result.begin() + next, spacing);
      i = next;
    }
    return result;
  }

  /// The fewest keys at frames so far apart, and at corners; none if those are too few.
  FittedKeys look(const std::vector<int>& spacings) {
    choose_corners();
    for (int i = 0; i < n_; ++i)
      if (i % spacings[i] == 0) choose(i);
    nearest_.assign(n_, 1);
    return run();
  }

  /// The same with a choice of all frames around keys that were found, as far as the next that were tried.
  FittedKeys look_closer(const std::vector<int>& keys, const std::vector<int>& spacings) {
    choose_corners();
    nearest_.assign(n_, 1);
    for (const int key : keys) {
      for (int i = std::max(0, key - spacings[key]); i <= std::min(n_ - 1, key + spacings[key]); ++i) {
        choose(i);
        nearest_[i] = 2 * spacings[key];
      }
    }
    return run();
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

 private:
  int components() const { return static_cast<int>(curves_.size()); }

  void choose(int frame) { candidates_[frame] = std::max(candidates_[frame], Candidate::one); }
  void choose_corners() {
    candidates_.assign(n_, Candidate::no);
    for (int i = 0; i < n_; ++i)
      for (const FrameCurve& curve : curves_)
        if (must_[i] || curve.corner[i]) candidates_[i] = Candidate::with_reason;
  }

  /// The fewest keys at the candidates; none if those are too few.
  FittedKeys run() {
    for (Arrivals& arrivals : arrivals_) arrivals.clear();
    start();
    for (int i = 0; i + 1 < n_; ++i) {
      prune(i);
      if (!arrivals_[i].states.empty()) leave(i);
    }
    const int end = best_end();
    return end >= 0 ? trace(end) : FittedKeys{};
  }

  /// The last frame that can be the next key after frame i, whatever the slopes; if those before it can.
  int farthest(int i) {
    int limit = i + 1;
    while (!must_[limit]) ++limit;
    int good = i + 1, bad = limit + 1;
    for (int step = 2; bad > limit && good < limit; step *= 2) {
      const int j = std::min(limit, i + step);
      (allowed(i, j) ? good : bad) = j;
    }
    while (bad - good > 1) {
      const int j = (good + bad) / 2;
      (j <= limit && allowed(i, j) ? good : bad) = j;
    }
    return good;
  }

  std::span<const Range> slopes(int frame, int state) const {
    return arrivals_[frame].of(arrivals_[frame].states[state], components());
  }

  void start() {
    const bool cyclic = std::any_of(curves_.begin(), curves_.end(), [](const FrameCurve& c) { return c.cyclic; });
    for (int seam = 0; seam < (cyclic ? 2 : 1); ++seam) {
      for (int c = 0; c < components(); ++c)
        reached_[c] = curves_[c].cyclic ? Range{curves_[c].seam[seam], curves_[c].seam[seam]} : Range{};
      add(0, {.seam = seam, .safe = true});
    }
  }

  /// A state with the slopes `reached_`.
  void add(int frame, State state) {
    Arrivals& arrivals = arrivals_[frame];
    state.slopes = static_cast<int>(arrivals.slopes.size());
    for (int c = 0; c < components(); ++c)
      state.width += std::min(1.0, (reached_[c].high - reached_[c].low) * scale_[c]);
    arrivals.slopes.insert(arrivals.slopes.end(), reached_.begin(), reached_.end());
    arrivals.fewest[state.seam] = std::min(arrivals.fewest[state.seam], state.segments);
    arrivals.safe[state.seam] = arrivals.safe[state.seam] || state.safe;
    arrivals.states.push_back(state);
  }

  bool covers(const Arrivals& arrivals, const State& a, const State& b) const {
    if (a.seam != b.seam || a.segments > b.segments) return false;
    for (int c = 0; c < components(); ++c)
      if (!arrivals.slopes[a.slopes + c].contains(arrivals.slopes[b.slopes + c])) return false;
    return true;
  }

  /// The widest ways to arrive, and among them one that can always go on: with the monotone slopes.
  void prune(int frame) {
    Arrivals& arrivals = arrivals_[frame];
    std::stable_sort(arrivals.states.begin(), arrivals.states.end(), [&](const State& a, const State& b) {
      return a.segments != b.segments ? a.segments < b.segments : a.width > b.width;
    });
    std::vector<State> kept;
    std::array<int, 2> counts{};
    std::array<bool, 2> safe{};
    for (const State& state : arrivals.states) {
      const bool first_safe = !safe[state.seam] && state.safe;
      const bool many =
          counts[state.seam] >= options_.most_states || state.segments > arrivals.fewest[state.seam] + kMoreSegments;
      if (many && !first_safe) continue;
      safe[state.seam] = safe[state.seam] || first_safe;
      if (std::any_of(kept.begin(), kept.end(), [&](const State& k) { return covers(arrivals, k, state); })) continue;
      ++counts[state.seam];
      kept.push_back(state);
    }
    arrivals.states = std::move(kept);
  }

  /// Whether `reached_` holds the monotone slopes.
  bool goes_on(int frame) const {
    for (int c = 0; c < components(); ++c) {
      const double m = curves_[c].monotone[frame], rounding = 1e-9 * (std::abs(m) + 1 / scale_[c]);
      if (m < reached_[c].low - rounding || m > reached_[c].high + rounding) return false;
    }
    return true;
  }

  /// Sets `steps_`, as far as there are some for every component.
  bool allowed(int i, int j) {
    for (int c = 0; c < components(); ++c) {
      Step& step = steps_[c];
      step.set = allowed_slopes(curves_[c], i, j, {tolerances_[c], options_.most_samples});
      if (step.set.empty()) return false;
      step.from = step.to = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
      for (const SlopeSet::Point& m : step.set.corners()) {
        step.from = {std::min(step.from.low, m[0]), std::max(step.from.high, m[0])};
        step.to = {std::min(step.to.low, m[1]), std::max(step.to.high, m[1])};
      }
    }
    return true;
  }

  /// Where a key at frame i can go next.
  void leave(int i) {
    int failures = 0;
    for (int j = i + 1; j < n_ && failures < kPatience; ++j) {
      if (candidates_[j] == Candidate::no || (j < i + nearest_[i] && candidates_[j] == Candidate::one)) continue;
      failures = allowed(i, j) ? 0 : failures + 1;
      if (failures == 0)
        for (std::size_t k = 0; k < arrivals_[i].states.size(); ++k) arrive(i, static_cast<int>(k), j);
      if (must_[j]) break;
    }
  }

  void arrive(int i, int k, int j) {
    const State& state = arrivals_[i].states[k];
    const std::span<const Range> before = slopes(i, k);
    const Arrivals& there = arrivals_[j];
    const bool late = state.segments + 1 > there.fewest[state.seam] + kMoreSegments;
    if (late && there.safe[state.seam]) return;
    for (int c = 0; c < components(); ++c) {
      reached_[c] = steps_[c].arrive(curves_[c].corner[i] ? Range{} : before[c]);
      if (reached_[c].empty()) return;
    }
    const bool safe = goes_on(j);
    if (late && !safe) return;
    add(j, {.segments = state.segments + 1, .seam = state.seam, .from = i, .from_state = k, .safe = safe});
  }

  /// The last key's state with the fewest segments that meets the seam, or -1.
  int best_end() const {
    int best = -1;
    const std::vector<State>& states = arrivals_[n_ - 1].states;
    for (int k = 0; k < static_cast<int>(states.size()); ++k) {
      bool closes = true;
      for (int c = 0; c < components(); ++c) {
        const double m = seam(c, states[k]);
        closes = closes && (!curves_[c].cyclic || slopes(n_ - 1, k)[c].contains({m, m}));
      }
      if (!closes || (best >= 0 && states[k].segments > states[best].segments)) continue;
      if (best < 0 || states[k].segments < states[best].segments || states[k].width > states[best].width) best = k;
    }
    return best;
  }

  double seam(int c, const State& state) const { return curves_[c].seam[state.seam]; }

  FittedKeys trace(int end) {
    const State& last = arrivals_[n_ - 1].states[end];
    const int keys = last.segments + 1;
    FittedKeys result{.frames = std::vector<int>(keys),
                      .in_slopes = Mat::Zero(components(), keys),
                      .out_slopes = Mat::Zero(components(), keys)};
    result.frames[keys - 1] = n_ - 1;
    for (int c = 0; c < components(); ++c)
      result.in_slopes(c, keys - 1) = result.out_slopes(c, keys - 1) =
          curves_[c].cyclic ? seam(c, last) : slopes(n_ - 1, end)[c].middle();
    State state = last;
    for (int key = keys - 1; key > 0; --key) {
      const int i = state.from, j = result.frames[key];
      const std::span<const Range> before = slopes(i, state.from_state);
      allowed(i, j);
      result.frames[key - 1] = i;
      for (int c = 0; c < components(); ++c) {
        const double m = result.in_slopes(c, key);
        const Range here = steps_[c].set.slice(0, {m, m});
        const bool free = curves_[c].corner[i] || i == 0;
        const Range both = common(here, before[c]);
        result.out_slopes(c, key - 1) = curves_[c].corner[i] ? here.middle() : settle(both, here, before[c]);
        if (i == 0 && curves_[c].cyclic) result.out_slopes(c, 0) = seam(c, last);  // to the bit, whatever rounding did
        result.in_slopes(c, key - 1) = free && i > 0 ? before[c].middle() : result.out_slopes(c, key - 1);
      }
      state = arrivals_[i].states[state.from_state];
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
  SearchOptions options_;
  int n_;
  std::vector<double> scale_;
  std::vector<char> must_;             // by frame: a key has to be there
  std::vector<Candidate> candidates_;  // by frame: a key may be there
  std::vector<int> nearest_;           // by frame: how far the next candidate must be, but where a key has a reason
  std::vector<Arrivals> arrivals_;
  std::vector<Step> steps_;     // by component: of the segment looked at
  std::vector<Range> reached_;  // by component: its end
};

// Where keys are far apart, a few frames more or less matter little: first at every 2nd, 4th .. frame, then with a
// choice of all frames around the keys that were found.
FittedKeys search_keys(std::span<const FrameCurve> curves, std::span<const double> tolerances,
                       const SearchOptions& options) {
  Search search(curves, tolerances, options);
  std::vector<int> spacings = search.spacings(options.places_per_key);
  const auto finest = [&] { return std::ranges::all_of(spacings, [](int spacing) { return spacing == 1; }); };
  FittedKeys keys = search.look(spacings);
  while (keys.frames.empty() && !finest()) {
    for (int& spacing : spacings) spacing = std::max(1, spacing / 2);
    keys = search.look(spacings);
  }
  if (keys.frames.empty()) return search.every_frame();
  if (!options.second_look || finest()) return keys;
  FittedKeys closer = search.look_closer(keys.frames, spacings);
  return !closer.frames.empty() && closer.frames.size() <= keys.frames.size() ? closer : keys;
}

}  // namespace

FittedKeys fit_frames(std::span<const FrameCurve> curves, std::span<const double> tolerances, Effort effort) {
  const SearchOptions& options = effort == Effort::draft ? kDraft : effort == Effort::usual ? kUsual : kThorough;
  FittedKeys keys = search_keys(curves, tolerances, options);
  settle_slopes(curves, tolerances, keys, {.sweeps = options.sweeps, .most_samples = options.most_samples});
  return keys;
}

}  // namespace rigspace::detail
