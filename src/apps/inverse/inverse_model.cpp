#include "rigspace/apps/inverse/inverse_model.h"

#include "control_swings.h"
#include "inverse_parts.h"
#include "refiner.h"
#include "rigspace/anim/bake.h"
#include "rigspace/anim/key_rate.h"
#include "rigspace/anim/point_joints.h"
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
  require_option(local == 0 || local >= 4, "samples of a local correction", local, "expected 0 or at least 4");
  require_option(relations >= 0 && related >= 0, "weight of relations", relations, "expected at least 0");
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

/// Examples of the clips, and swings of controls or joints where they are wished or needed: all controls, a column
/// each.
Mat training_poses(const Character& character, const InverseTraining& training, std::span<const std::string> joints,
                   std::span<const int> points, std::vector<int>& starts) {
  const bool clips = !character.clips.empty(), measured = point_joints(character) != nullptr;
  std::vector<int> offered;
  if (!training.controls.empty() || (measured && (training.all_rotations || !clips)))
    offered = offered_controls(
        character, points.empty() ? FeatureRig(character, joints) : FeatureRig(character, points), training.controls);
  if (offered.empty() && !clips && training.all_rotations)
    return joint_swings(character, joints_matching(character, training.joints));
  Mat P = clips || offered.empty() ? example_poses(character, training, starts) : Mat(character.rig->rest());
  const Mat swings = control_swings(character, offered);
  const Eigen::Index before = P.cols();
  P.conservativeResize(Eigen::NoChange, before + swings.cols());
  P.rightCols(swings.cols()) = swings;
  for (Eigen::Index k = 0; k < swings.cols(); ++k) starts.push_back(static_cast<int>(before + k));
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
  coordinates.keep_turns(whose.rig->controls(), turned_nodes(whose));
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
const LearnedJacobian* InverseModel::learned_jacobian() const { return parts_->learned.get(); }
const LocalRegression* InverseModel::local() const { return parts_->local.get(); }
const Mat& InverseModel::metric() const { return parts_->precision; }
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
  const bool measured = point_joints(character) != nullptr;
  std::vector<int> points = training.points;
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  const std::vector<std::string> joints =
      points.empty() ? joints_matching(character, training.joints) : std::vector<std::string>{};
  const Mat P = training_poses(character, training, joints, points, starts);
  std::vector<int> used = PoseCoordinates::used(character.rig->controls(), P, training.all_rotations ? 1e-3 : 1e-6);
  if (used.empty())
    throw Error({.file = character.name,
                 .element = "clips",
                 .problem = "move no control",
                 .remedy = "train on clips in which something moves"});
  const auto make_parts = [&] {
    return std::make_unique<Parts>(character, joints, points, used, training.origin, training.heading);
  };
  complete_translations(character, used);
  if (training.all_rotations && !measured) add_rotations(character, joints_matching(character, training.joints), used);
  parts_ = make_parts();
  if (!measured && (!parts_->root.moves() || (training.all_rotations && !parts_->root.turns())) &&
      add_top_bone(character, used))
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
  if (training.relations > 0) {
    parts.relations = Relations::chosen(F, training.related, training.relations);
    Mat all(F.rows() + parts.relations.rows(), frames);
    for (Eigen::Index k = 0; k < frames; ++k) all.col(k) = parts.relations.with_places(F.col(k));
    F = std::move(all);
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
  if (training.local > 0) {
    report(progress, "fitting local corrections", 0);
    parts.local = std::make_unique<LocalRegression>(
        parts.regression, F, Y, LocalRegression::Options{.cell = training.local, .around = training.local / 2});
  }
  if (training.learn_jacobian) {
    report(progress, "learning the Jacobian", 0);
    parts.learned = std::make_unique<LearnedJacobian>(parts.regression, [&](int k) -> Mat {
      const Vec p = parts.coordinates.pose(Y_chosen.col(k));
      return parts.features.jacobian(p, parts.coordinates.chosen()) * parts.coordinates.typical().asDiagonal();
    });
  }
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
  return parts_->relations.with_places(f);
}

void InverseModel::check_target(In x) const {
  const int count = parts_->features.count();
  if (x.size() != 3 * count || !x.allFinite())
    throw Error({.element = "target",
                 .value = std::to_string(x.size() / 3),
                 .problem = x.size() == 3 * count ? "has numbers that are not finite"
                                                  : "does not have as many places as the model",
                 .remedy = "expected " + std::to_string(count) + " places"});
}

InverseModel::Seen InverseModel::seen_from_itself(In x) const {
  check_target(x);
  const Placement home = placement_of(parts_->x_rest);
  Seen result{.f = seen(x, placement_of(x)), .target = Vec(x.size())};
  for (int k = 0; k < parts_->features.count(); ++k)
    point(result.target, k) = parts_->size * point(result.f, k) + home.origin;
  return result;
}

Vec InverseModel::controls_of(In y, In x) const {
  return parts_->coordinates.with_orientations(
      parts_->coordinates.pose(parts_->root.moved(y, placement_of(parts_->x_rest), placement_of(x))));
}

Vec InverseModel::coordinates_of(In p) const {
  const Parts& parts = *parts_;
  Vec x;
  parts.features.evaluate(p, x);
  const Vec y = parts.coordinates.coordinates(p, Vec::Zero(parts.coordinates.size()));
  return parts.root.moved(y, placement_of(x), placement_of(parts.x_rest));
}

InversePose InverseModel::predict(In x) const { return solve(x, {.max_iterations = 0}); }

InversePose InverseModel::solve(In x, const RefineOptions& options, const InversePose* before) const {
  const Mat X = x;
  return solve_frames(X, options, before, {}).front();
}

std::vector<InversePose> InverseModel::solve_motion(const Mat& X, const RefineOptions& options,
                                                    const ProgressCallback& progress) const {
  return solve_frames(X, options, nullptr, progress);
}

std::vector<InversePose> InverseModel::solve_frames(const Mat& X, const RefineOptions& options,
                                                    const InversePose* before, const ProgressCallback& progress) const {
  constexpr Eigen::Index kBatch = 64;  // of frames that are predicted at once
  options.validate();
  const Parts& parts = *parts_;
  require_option(options.offset.size() == 0 || options.offset.size() == parts.coordinates.size(), "size of the offset",
                 static_cast<double>(options.offset.size()), "expected as many numbers as the model has coordinates");
  const Placement home = placement_of(parts.x_rest);
  Refiner refiner(parts, options);
  std::vector<InversePose> frames;
  frames.reserve(static_cast<std::size_t>(X.cols()));
  for (Eigen::Index first = 0; first < X.cols(); first += kBatch) {
    const Eigen::Index count = std::min(kBatch, X.cols() - first);
    std::vector<Placement> from;
    Mat F(X.rows() + parts.relations.rows(), count);
    for (Eigen::Index k = 0; k < count; ++k) {
      check_target(X.col(first + k));
      from.push_back(placement_of(X.col(first + k)));
      F.col(k) = seen(X.col(first + k), from.back());
    }
    KernelRegression::Predictions predictions = parts.regression.predict_all(F);
    if (parts.local) parts.local->correct(F, predictions);
    for (Eigen::Index k = 0; k < count; ++k) {
      report(progress, "mapping", static_cast<double>(first + k) / static_cast<double>(X.cols()));
      InversePose pose;
      pose.uncertainty = std::sqrt(predictions.variances[k] / std::max(1e-300, parts.example_variance));
      pose.guessed = predictions.variances[k] > kGuess * parts.example_variance;
      pose.predicted = predictions.Y.col(k);
      if (options.offset.size() > 0) pose.predicted += options.offset;
      if (options.keep_limits)
        pose.predicted = pose.predicted.cwiseMax(parts.coordinates.lower()).cwiseMin(parts.coordinates.upper());
      // The target as it is seen from the character, back in the scene at the place where the rest pose is.
      Vec target(X.rows());
      for (int j = 0; j < parts.features.count(); ++j) point(target, j) = parts.size * point(F.col(k), j) + home.origin;
      refiner.run(F.col(k), target, frames.empty() ? before : &frames.back(), pose);
      pose.p = parts.coordinates.with_orientations(
          parts.coordinates.pose(parts.root.moved(pose.y, home, from[static_cast<std::size_t>(k)])));
      frames.push_back(std::move(pose));
    }
  }
  return frames;
}

}  // namespace rigspace
