#include "rigspace/apps/inverse/inverse_model.h"

#include "inverse_parts.h"
#include "rigspace/anim/bake.h"
#include "rigspace/anim/key_rate.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace rigspace {

void InverseTraining::validate() const {
  require_option(samples >= 2, "number of samples", samples, "expected at least 2");
  require_option(spread >= 0, "number of spread samples", spread, "expected at least 0");
  require_option(rate >= 0 && rate <= 1000, "rate", rate,
                 "expected frames a second, at most 1000; 0: that of the keys");
}

void RefineOptions::validate() const {
  require_option(max_iterations >= 0, "number of iterations", max_iterations, "expected at least 0");
  require_option(tolerance > 0, "tolerance", tolerance, "expected a share of the size above 0");
  require_option(prior > 0 && std::isfinite(prior), "prior", prior, "expected a weight above 0");
  require_option(smoothness >= 0 && std::isfinite(smoothness), "smoothness", smoothness, "expected at least 0");
}

namespace {

std::vector<const Animation*> chosen_clips(const Character& character, const InverseTraining& training) {
  std::vector<const Animation*> clips;
  for (const std::string& pattern : training.clips)
    if (std::ranges::none_of(character.clips,
                             [&](const Animation& each) { return matches_pattern(each.name, pattern); }))
      throw Error({.code = ErrorCode::usage,
                   .file = character.name,
                   .element = "clip \"" + pattern + "\"",
                   .value = pattern,
                   .problem = "is not one of this character's",
                   .remedy = "`rigspace info` lists their names"});
  for (const Animation& clip : character.clips)
    if (training.clips.empty() ||
        std::ranges::any_of(training.clips, [&](const std::string& each) { return matches_pattern(clip.name, each); }))
      clips.push_back(&clip);
  if (clips.empty())
    throw Error({.file = character.name,
                 .element = "character",
                 .problem = "has no clips to learn from",
                 .remedy = "train on a rig that an animator has animated"});
  return clips;
}

/// All controls at each frame of the clips, behind the rest pose; `starts`: the first frame of each clip.
Mat example_poses(const Character& character, const InverseTraining& training, std::vector<int>& starts) {
  std::vector<Vec> poses{character.rig->rest()};
  for (const Animation* clip : chosen_clips(character, training)) {
    starts.push_back(static_cast<int>(poses.size()));
    const Sampler sampler(*clip, character.rig->controls());
    const double rate = training.rate > 0 ? training.rate : key_rate(*clip);
    for (const double time : frame_times(clip->duration, rate)) {
      Vec p = poses.front();
      sampler.sample(time, p);
      if (p.allFinite()) poses.push_back(std::move(p));
    }
  }
  Mat P(poses.front().size(), static_cast<Eigen::Index>(poses.size()));
  for (std::size_t k = 0; k < poses.size(); ++k) P.col(static_cast<Eigen::Index>(k)) = poses[k];
  return P;
}

/// A node that the clips move along one axis can be moved along all three.
void complete_translations(const Character& character, std::vector<int>& used) {
  const std::span<const Control> controls = character.rig->controls();
  std::set<int> all(used.begin(), used.end());
  for (const int c : used)
    for (const char* axis : {".tx", ".ty", ".tz"})
      if (controls[c].unit == Unit::length && controls[c].name == controls[c].node + ".t" + controls[c].name.back())
        if (const int other = find_control(controls, controls[c].node + axis); other >= 0) all.insert(other);
  used.assign(all.begin(), all.end());
}

/// The place and turn of the skeleton's first bone, by which clips that stay in one place can still be moved.
bool add_top_bone(const Character& character, std::vector<int>& used) {
  if (character.bones.empty()) return false;
  std::set<int> all(used.begin(), used.end());
  for (const char* axis : {".tx", ".ty", ".tz", ".rx", ".ry", ".rz"})
    if (const int c = character.rig->find(character.bones.front().name + axis); c >= 0) all.insert(c);
  const bool more = all.size() > used.size();
  used.assign(all.begin(), all.end());
  return more;
}

/// C^-1. A share of the mean variance is added to all directions, so that motions which the examples do not have are
/// held back alike: with less of it, on clips that were not trained on, controls went farther from the animator's.
/// `least`: of that share, for each coordinate.
Mat inverse_covariance(const Mat& Y, const Vec& least) {
  const Mat centred = Y.colwise() - Y.rowwise().mean();
  Mat C = centred * centred.transpose() / static_cast<double>(std::max<Eigen::Index>(1, Y.cols()));
  const double mean = C.trace() / static_cast<double>(C.rows());
  C.diagonal().array() += least.array().max(mean);
  return solve_ldlt(C, Mat::Identity(C.rows(), C.rows()));
}

}  // namespace

InverseModel::Parts::Parts(const Character& whose, std::vector<std::string> joint_names, std::vector<int> point_list,
                           std::vector<int> controls, FrameOrigin frame_origin, bool with_heading)
    : character(whose),
      joints(std::move(joint_names)),
      points(std::move(point_list)),
      features(points.empty() ? FeatureRig(whose, std::span<const std::string>(joints))
                              : FeatureRig(whose, std::span<const int>(points))),
      coordinates(whose.rig->controls(), std::move(controls)),
      root(whose, features, coordinates),
      origin(frame_origin),
      heading(with_heading && root.turns()) {
  features.evaluate(whose.rig->rest(), x_rest);
  size = std::max(1e-12, bounding_box(x_rest).diagonal());
}

InverseModel::InverseModel(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
InverseModel::InverseModel(InverseModel&&) noexcept = default;
InverseModel::~InverseModel() = default;

const FeatureRig& InverseModel::features() const { return parts_->features; }
const PoseCoordinates& InverseModel::coordinates() const { return parts_->coordinates; }
const RootMotion& InverseModel::root() const { return parts_->root; }
const KernelRegression& InverseModel::regression() const { return parts_->regression; }
double InverseModel::size() const { return parts_->size; }
int InverseModel::example_count() const { return parts_->example_count; }

double InverseModel::leave_one_out() const {
  const Mat residuals = parts_->regression.leave_one_out();
  return std::sqrt(residuals.squaredNorm() / static_cast<double>(residuals.size()));
}

InverseModel::InverseModel(const Character& character, const InverseTraining& training,
                           const ProgressCallback& progress) {
  training.validate();
  report(progress, "reading examples", 0);
  std::vector<int> starts;
  const Mat P = character.clips.empty() && training.all_rotations
                    ? joint_swings(character, joints_matching(character, training.joints))
                    : example_poses(character, training, starts);
  std::vector<int> used = PoseCoordinates::used(character.rig->controls(), P, training.all_rotations ? 1e-3 : 1e-6);
  if (used.empty())
    throw Error({.file = character.name,
                 .element = "clips",
                 .problem = "move no control",
                 .remedy = "train on clips in which something moves"});
  std::vector<int> points = training.points;
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  const auto make_parts = [&] {
    return std::make_unique<Parts>(
        character, points.empty() ? joints_matching(character, training.joints) : std::vector<std::string>{}, points,
        used, training.origin, training.heading);
  };
  complete_translations(character, used);
  if (training.all_rotations) add_rotations(character, joints_matching(character, training.joints), used);
  parts_ = make_parts();
  if ((!parts_->root.moves() || (training.all_rotations && !parts_->root.turns())) && add_top_bone(character, used))
    parts_ = make_parts();
  Parts& parts = *parts_;
  const Eigen::Index frames = P.cols();
  Mat F(3 * parts.features.count(), frames), Y(parts.coordinates.size(), frames);
  const Placement home = placement_of(parts.x_rest);
  Vec near = Vec::Zero(Y.rows()), x;
  for (Eigen::Index k = 0; k < frames; ++k) {
    if (k % 64 == 0) report(progress, "reading examples", static_cast<double>(k) / static_cast<double>(frames));
    if (std::ranges::count(starts, static_cast<int>(k)) > 0) near.setZero();
    near = parts.coordinates.coordinates(P.col(k), near);
    parts.features.evaluate(P.col(k), x);
    const Placement from = placement_of(x);
    F.col(k) = seen(x, from);
    Y.col(k) = parts.root.moved(near, from, home);
  }
  report(progress, "choosing samples", 0);
  const KernelSettings first{.kernel = training.kernel, .length = mean_distance(F), .smoothing = 1e-6};
  const std::vector<int> chosen = choose_samples(F, Y, first, {.count = training.samples, .spread = training.spread});
  Mat F_chosen(F.rows(), static_cast<Eigen::Index>(chosen.size())), Y_chosen(Y.rows(), F_chosen.cols());
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    F_chosen.col(static_cast<Eigen::Index>(k)) = F.col(chosen[k]);
    Y_chosen.col(static_cast<Eigen::Index>(k)) = Y.col(chosen[k]);
  }
  report(progress, "fitting", 0);
  parts.regression = KernelRegression(F_chosen, Y_chosen, choose_kernel_settings(F_chosen, Y_chosen, training.kernel));
  Vec least = Vec::Constant(Y.rows(), 1e-12);
  if (training.all_rotations)  // rotations that the clips never use must not be held at rest
    for (int k = 0; k < parts.coordinates.size(); ++k)
      if (character.rig->controls()[used[static_cast<std::size_t>(k)]].unit == Unit::angle) least[k] = 1;
  parts.precision = inverse_covariance(Y, least);
  Vec variances = parts.regression.leave_one_out_variance();
  std::ranges::sort(variances);
  parts.example_variance = variances[(variances.size() - 1) * 99 / 100];
  parts.example_count = static_cast<int>(frames);
  report(progress, "fitting", 1);
}

Placement InverseModel::placement_of(In x) const {
  const Parts& parts = *parts_;
  Placement placement;
  if (!parts.root.moves()) return placement;  // then targets are where the rig can go, in the scene itself
  const auto origin_of = [&](In at) -> Vec3 {
    return parts.origin == FrameOrigin::root ? Vec3(point(at, 0))
                                             : Vec3(at.reshaped(3, at.size() / 3).rowwise().mean());
  };
  placement.origin = origin_of(x);
  if (!parts.heading) return placement;
  // The turn about +Y that brings the rest pose nearest to x (a least-squares fit in closed form).
  const Vec3 home = origin_of(parts.x_rest);
  double along = 0, across = 0;
  for (int k = 0; k < parts.features.count(); ++k) {
    const Vec3 a = point(x, k) - placement.origin, b = point(parts.x_rest, k) - home;
    along += a.x() * b.x() + a.z() * b.z(), across += a.x() * b.z() - a.z() * b.x();
  }
  placement.heading = std::atan2(across, along);
  return placement;
}

Vec InverseModel::seen(In x, const Placement& from) const {
  const Mat3 back = heading_rotation(-from.heading) / parts_->size;
  Vec f(x.size());
  for (int k = 0; k < parts_->features.count(); ++k) point(f, k) = back * (point(x, k) - from.origin);
  return f;
}

InversePose InverseModel::predict(In x) const { return solve(x, {.max_iterations = 0}); }

InversePose InverseModel::solve(In x, const RefineOptions& options, const InversePose* before) const {
  options.validate();
  const Parts& parts = *parts_;
  if (x.size() != 3 * parts.features.count() || !x.allFinite())
    throw Error({.element = "target",
                 .value = std::to_string(x.size() / 3),
                 .problem = x.size() == 3 * parts.features.count() ? "has numbers that are not finite"
                                                                   : "does not have as many places as the model",
                 .remedy = "expected " + std::to_string(parts.features.count()) + " places"});
  const Placement from = placement_of(x), home = placement_of(parts.x_rest);
  const Vec f = seen(x, from);
  InversePose result;
  const double variance = parts.regression.variance(f);
  result.uncertainty = std::sqrt(variance / std::max(1e-300, parts.example_variance));
  result.guessed = variance > kGuess * parts.example_variance;
  const auto within = [&](const Vec& y) -> Vec {
    return options.keep_limits ? Vec(y.cwiseMax(parts.coordinates.lower()).cwiseMin(parts.coordinates.upper())) : y;
  };
  const Vec predicted = within(parts.regression.predict(f));
  // The target as it is seen from the character, back in the scene at the place where the rest pose is.
  Vec target(x.size());
  for (int k = 0; k < parts.features.count(); ++k) point(target, k) = parts.size * point(f, k) + home.origin;
  const double scale = 1 / (parts.features.count() * parts.size * parts.size);
  const double weight = options.prior / static_cast<double>(predicted.size());
  const double smooth = before != nullptr ? options.smoothness / static_cast<double>(predicted.size()) : 0;
  Vec centre = predicted;
  if (smooth > 0) centre = (weight * predicted + smooth * before->y) / (weight + smooth);
  const Mat prior = (weight + smooth) * parts.precision;
  Vec y = predicted, at;
  const auto misses = [&](const Vec& here) {
    parts.features.evaluate(parts.coordinates.pose(here), at);
    return (at - target).squaredNorm() * scale;
  };
  const auto cost = [&](const Vec& here, double missed) {
    return missed + (here - centre).dot(prior * (here - centre));
  };
  double missed = misses(y);
  // Far from all examples the frame before, or the rest pose, is a better start.
  if (options.max_iterations > 0 && result.guessed) {
    const Vec rest = Vec::Zero(y.size());
    for (const Vec* start : {before != nullptr ? &before->y : &rest, &rest})
      if (start->size() == y.size() && misses(*start) < missed) missed = misses(y = *start);
    missed = misses(y);
  }
  result.converged = options.max_iterations == 0;
  for (; result.iterations < options.max_iterations && !result.converged; ++result.iterations) {
    const Vec residual = at - target;
    const Mat J = parts.features.jacobian(parts.coordinates.pose(y), parts.coordinates.chosen()) *
                  parts.coordinates.typical().asDiagonal();
    const Mat H = scale * J.transpose() * J + prior;
    const Vec g = scale * J.transpose() * residual + prior * (y - centre);
    const Vec step = -solve_ldlt(H, g);
    const double now = cost(y, missed);
    double share = 1, found = missed;
    Vec next = y;
    for (int halving = 0; halving < 6; ++halving, share *= 0.5) {
      next = within(y + share * step);
      found = misses(next);
      if (cost(next, found) < now) break;
    }
    if (!(cost(next, found) < now)) {
      missed = misses(y);
      result.converged = true;
      break;
    }
    result.converged = (J * (next - y)).norm() * std::sqrt(scale) < options.tolerance;
    y = next, missed = found;
  }
  result.y = y;
  result.joint_error = std::sqrt(missed);
  result.p = parts.coordinates.with_orientations(parts.coordinates.pose(parts.root.moved(y, home, from)));
  return result;
}

}  // namespace rigspace
