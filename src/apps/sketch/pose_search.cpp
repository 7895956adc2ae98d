#include "pose_search.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace rigspace {
namespace {

constexpr int kRanked = 16;       // assignments that are looked at
constexpr int kSolvedInFull = 3;  // of these, at most, beside the first
constexpr int kMostStarts = 6, kWholeStart = 3;
constexpr double kBent = 25 * kDegree, kBentMore = 50 * kDegree;
constexpr double kGood = 0.0015,
                 kGoodShare = 0.45;  // residual of a pose that explains its strokes: share of the size, of the jitter
constexpr double kPromising = 1.5;   // energy of a rough solve over good_misfit(): it is solved in full at once
constexpr double kSlide = 0.15;
constexpr double kUndrawn = 100;  // times the pose prior, for controls that move lines which were not drawn
constexpr double kPooled = 2.5;   // times the pose prior, for strokes that are matched by nearest points

/// Priors in multiples of their weights; places slide along the strokes or not.
struct Stage {
  double pose, slide, stop;
  int iterations;
};

}  // namespace

std::vector<SeenCurve> curves_seen(const SketchAbstraction& abstraction, const std::vector<CharacterCurve>& curves,
                                   In x, const Camera& camera, double per_size) {
  const ViewPlane view(camera);
  std::vector<SeenCurve> seen;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    SeenCurve curve{.name = abstraction.curves[c].name, .closed = curves[c].closed};
    Vec3 before = Vec3::Zero();
    for (const Anchor& anchor : curves[c].places) {
      const Vec3 at = anchored(x, anchor);
      if (!curve.points.empty()) curve.longest += per_size * (at - before).norm();
      curve.points.push_back(view.project(at));
      before = at;
    }
    seen.push_back(std::move(curve));
  }
  return seen;
}

std::vector<SeenCurve> PoseSearch::seen_curves(In p) {
  return curves_seen(abstraction, tied.curves, tied.points_at(p), camera, view_size / size);
}

std::vector<StrokePair> PoseSearch::pairs_of(const std::vector<StrokeChoice>& choices) const {
  std::vector<StrokePair> pairs;
  double whole = 0;
  if (abstraction.pooled) {
    StrokePair all{.correspondence = abstraction.correspondence};
    for (std::size_t c = 0; c < tied.curves.size(); ++c) all.curves.push_back(static_cast<int>(c));
    for (std::size_t s = 0; s < strokes.size(); ++s) all.strokes.push_back(static_cast<int>(s));
    return {all};
  }
  for (std::size_t s = 0; s < strokes.size(); ++s) {
    if (choices[s].curve < 0) continue;
    StrokePair pair{.curves = {choices[s].curve},
                    .strokes = {static_cast<int>(s)},
                    .correspondence = abstraction.correspondence,
                    .reversed = choices[s].reversed,
                    .weight = strokes[s].length()};
    whole += pair.weight;
    pairs.push_back(std::move(pair));
  }
  for (StrokePair& pair : pairs) pair.weight /= whole;
  return pairs;
}

/// The pose prior of each free control: what moves lines that were not drawn is held more firmly, so that a drawn arm
/// moves the arm, and the body only where the arm alone does not reach.
Vec PoseSearch::pose_weights(const std::vector<char>& drawn) const {
  Vec weights = tied.controls.unit.cwiseAbs2().cwiseInverse();
  if (tied.solver->last_jacobian().points() == 0) tied.solver->jacobian_at(tied.solver->coordinates(p_start));
  const BlockJacobian& J = tied.solver->last_jacobian();
  std::vector<char> held(static_cast<std::size_t>(weights.size()), 0);
  for (std::size_t c = 0; c < tied.curves.size(); ++c)
    for (const Anchor& anchor : tied.curves[c].places)
      for (int a = 0; a < 4 && !drawn[c]; ++a)
        if (anchor.weights[a] != 0)
          for (int e = J.start[anchor.points[a]]; e < J.start[anchor.points[a] + 1]; ++e)
            held[static_cast<std::size_t>(J.column[e])] = 1;
  for (std::size_t k = 0; k < held.size(); ++k)
    if (held[k]) weights[static_cast<Eigen::Index>(k)] *= kUndrawn;
  return weights;
}

// From far away: shares of lengths and strong priors first, so that what moves much of the curves (root, spine) moves
// before what moves little of them; then places slide along the strokes.
PoseAttempt PoseSearch::attempt(const std::vector<StrokeChoice>& choices, In p_from, Effort effort) {
  PoseAttempt result{.choices = choices, .pairs = pairs_of(choices), .p = p_from};
  std::vector<DrawnCurve> drawn;
  for (const Stroke& stroke : strokes) drawn.push_back({stroke.points, stroke.closed});
  std::vector<char> used(tied.curves.size(), 0);
  for (const StrokePair& pair : result.pairs)
    for (const int c : pair.curves) used[static_cast<std::size_t>(c)] = 1;
  const SketchControls& controls = tied.controls;
  MatchSolver& solver = *tied.solver;
  if (tied.box) tied.start_at(p_start);
  const Mat& surface = tied.surface_prior(used, camera, size, options);
  MatchPrior prior{.q_start = solver.coordinates(p_start), .lower = controls.lower, .upper = controls.upper};
  // Nearest points are ambiguous: there the pose is held more firmly.
  const double steadiness = (abstraction.pooled ? kPooled : 1) * std::clamp(std::pow(jitter / 0.01, 2), 0.02, 4.0);
  // Nearest points are ambiguous far from the solution: strokes that are the outlines drawn anew follow their curves in
  // order there.
  std::vector<StrokePair> ordered;
  if (abstraction.pooled && !abstraction.follows_view)
    ordered = outline_pairs(seen_curves(p_start), strokes, view_size);
  std::vector<Stage> stages;
  if (effort == Effort::part) stages = {{3, 0, 2e-2, 4}};
  if (effort == Effort::full || effort == Effort::quick)
    stages = {{1000, 0, 3e-2, 3}, {30, 0, 2e-2, 4}, {3, 0, 2e-2, 4}};
  if (tied.box) stages = {{30, 0, 1e-2, 6}};
  if (effort != Effort::quick) stages.push_back({0, kSlide, 2e-3, options.max_iterations});
  Vec q = solver.coordinates(p_from);
  const int count = static_cast<int>(tied.points.size());
  for (const Stage& stage : stages) {
    const bool in_order = stage.slide == 0 && !ordered.empty();
    const StrokeMatch match(count, camera, tied.curves, drawn, in_order ? ordered : result.pairs,
                            {.unit = view_size, .slide = stage.slide});
    prior.A = surface;
    prior.A.diagonal() += options.pose * std::max(stage.pose, steadiness) * pose_weights(used);
    const MatchSummary summary =
        solver.solve(match, prior, {.step = stage.stop * size, .iterations = stage.iterations}, q, progress);
    iterations += summary.iterations;
    result.converged = summary.converged;
  }
  result.p = solver.controls_at(q);
  measure(result);
  prior.A = surface;
  prior.A.diagonal() += options.pose * steadiness * pose_weights(used);
  const Vec moved = q - prior.q_start;
  result.energy = result.misfit + moved.dot(prior.A * moved);
  return result;
}

void PoseSearch::measure(PoseAttempt& attempt) {
  if (attempt.choices.empty()) attempt.choices.resize(strokes.size());
  attempt.pairs = pairs_of(attempt.choices);
  std::vector<DrawnCurve> drawn;
  for (const Stroke& stroke : strokes) drawn.push_back({stroke.points, stroke.closed});
  const StrokeMatch match(static_cast<int>(tied.points.size()), camera, tied.curves, drawn, attempt.pairs,
                          {.unit = view_size, .slide = kSlide});
  const Vec& x = tied.points_at(attempt.p);
  attempt.misfit = 0;
  attempt.residuals.clear();
  for (std::size_t k = 0; k < attempt.pairs.size(); ++k) {
    attempt.residuals.push_back(match.residual(x, static_cast<int>(k), true) / view_size);
    attempt.misfit += attempt.pairs[k].weight * std::pow(attempt.residuals.back(), 2);
  }
}

// What a hand's jitter explains: of its two coordinates one lies across the line.
double PoseSearch::good_misfit() const { return std::pow(kGood + kGoodShare * jitter, 2); }

/// Of each curve the controls, among all, that move it and no other.
std::vector<std::vector<int>> PoseSearch::own_controls() const {
  const BlockJacobian& J = tied.solver->last_jacobian();
  std::vector<int> owner(tied.controls.free.size(), -1);  // -2: several
  for (std::size_t c = 0; c < tied.curves.size(); ++c)
    for (const Anchor& anchor : tied.curves[c].places)
      for (int a = 0; a < 4; ++a)
        if (anchor.weights[a] != 0)
          for (int e = J.start[anchor.points[a]]; e < J.start[anchor.points[a] + 1]; ++e) {
            int& of = owner[static_cast<std::size_t>(J.column[e])];
            of = of == -1 || of == static_cast<int>(c) ? static_cast<int>(c) : -2;
          }
  std::vector<std::vector<int>> own(tied.curves.size());
  for (std::size_t k = 0; k < owner.size(); ++k)
    if (owner[k] >= 0) own[static_cast<std::size_t>(owner[k])].push_back(tied.controls.free[k]);
  return own;
}

/// Controls, among the free ones, that move no curve but those whose strokes were missed.
std::vector<char> PoseSearch::controls_of_missed(const PoseAttempt& attempt) const {
  std::vector<char> missed(tied.curves.size(), 0);
  for (std::size_t k = 0; k < attempt.pairs.size(); ++k)
    if (std::pow(attempt.residuals[k], 2) > good_misfit())
      for (const int c : attempt.pairs[k].curves) missed[static_cast<std::size_t>(c)] = 1;
  const BlockJacobian& J = tied.solver->last_jacobian();
  std::vector<char> moved(tied.controls.free.size(), 1);
  for (std::size_t c = 0; c < tied.curves.size(); ++c)
    if (!missed[c])
      for (const Anchor& anchor : tied.curves[c].places)
        for (int a = 0; a < 4; ++a)
          if (anchor.weights[a] != 0)
            for (int e = J.start[anchor.points[a]]; e < J.start[anchor.points[a] + 1]; ++e)
              moved[static_cast<std::size_t>(J.column[e])] = 0;
  return moved;
}

Vec PoseSearch::bent(In p, int start, const std::vector<char>& moved, double most) const {
  const SketchControls& controls = tied.controls;
  Vec pose = p;
  std::mt19937 random(static_cast<std::uint32_t>(start));
  for (std::size_t k = 0; k < controls.free.size(); ++k) {
    const auto c = static_cast<Eigen::Index>(k);
    const double by = most * (2 * (random() / 4294967295.0) - 1);
    if (!moved[k] || std::isinf(controls.lower[c]) || tied.rig->controls()[controls.free[k]].unit != Unit::angle)
      continue;
    pose[controls.free[k]] = std::clamp(pose[controls.free[k]] + by, controls.lower[c], controls.upper[c]);
  }
  return pose;
}

/// Where one attempt's strokes are nearer than the other's, the controls that move those curves alone.
bool PoseSearch::take_better_limbs(const PoseAttempt& from, PoseAttempt& to) const {
  const std::vector<std::vector<int>> own = own_controls();
  bool any = false;
  for (std::size_t k = 0; k < to.pairs.size(); ++k) {
    if (from.residuals[k] > 0.9 * to.residuals[k] || to.pairs[k].curves.size() != 1) continue;
    for (const int c : own[static_cast<std::size_t>(to.pairs[k].curves[0])]) to.p[c] = from.p[c], any = true;
  }
  return any;
}

// A bone that lies in the plane of the picture does not get shorter to first order, whichever way it turns. So where
// the strokes are missed by more than the hand's jitter explains, solves start from poses that are bent: what was
// missed alone, now and then all. Limbs that come out better are kept, whatever became of the others.
void PoseSearch::start_elsewhere(PoseAttempt& best, In p_from) {
  for (int start = 1; start <= kMostStarts && best.misfit > good_misfit(); ++start) {
    const bool all = start == kWholeStart;
    const std::vector<char> moved = all ? std::vector<char>(tied.controls.free.size(), 1) : controls_of_missed(best);
    const Vec from = all ? bent(p_from, start, moved, kBent) : bent(best.p, start, moved, kBentMore);
    PoseAttempt other = attempt(best.choices, from, all ? Effort::full : Effort::part);
    if (other.energy < best.energy) {
      std::swap(best, other);
      continue;
    }
    PoseAttempt mixed = best;
    if (!take_better_limbs(other, mixed)) continue;
    mixed = attempt(best.choices, mixed.p, Effort::near);
    if (mixed.energy < best.energy) best = std::move(mixed);
  }
}

// Where the likeliest assignment misses the strokes, the others are solved for roughly, one after the other until one
// promises to explain them; then the best of these in full.
std::vector<PoseAttempt> PoseSearch::other_choices(const std::vector<RankedChoices>& ranked, In p_from) {
  std::vector<std::pair<double, std::size_t>> rough;
  for (std::size_t k = 1; k < ranked.size(); ++k) {
    rough.emplace_back(attempt(ranked[k].choices, p_from, Effort::quick).energy, k);
    if (rough.back().first < kPromising * good_misfit()) break;
  }
  std::sort(rough.begin(), rough.end());
  std::vector<PoseAttempt> found;
  for (std::size_t k = 0; k < rough.size() && k < kSolvedInFull; ++k) {
    found.push_back(attempt(ranked[rough[k].second].choices, p_from, Effort::full));
    if (found.back().misfit <= good_misfit()) break;
  }
  return found;
}

PoseAttempt PoseSearch::best(In p_from, bool near) {
  std::vector<RankedChoices> ranked{{std::vector<StrokeChoice>(strokes.size()), 0}};
  const bool alone = abstraction.pooled || !options.try_others || near || tied.box;
  if (!abstraction.pooled) ranked = rank_assignments(seen_curves(p_start), strokes, view_size, alone ? 1 : kRanked);
  std::vector<PoseAttempt> found{attempt(ranked.front().choices, p_from, near ? Effort::near : Effort::full)};
  if (!alone && found.front().misfit > good_misfit()) {
    for (PoseAttempt& other : other_choices(ranked, p_from)) found.push_back(std::move(other));
    std::stable_sort(found.begin(), found.end(),
                     [](const PoseAttempt& a, const PoseAttempt& b) { return a.energy < b.energy; });
    for (std::size_t k = 0; k < found.size() && found.front().misfit > good_misfit(); ++k) {
      if (found[k].energy > 2 * found.front().energy) continue;
      start_elsewhere(found[k], p_from);
      if (found[k].energy < found.front().energy) std::swap(found.front(), found[k]);
    }
  }
  found.front().iterations = iterations;
  return std::move(found.front());
}

}  // namespace rigspace
