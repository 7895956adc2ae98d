#include "rigspace/rig/stand_in.h"

#include "rigspace/base/error.h"
#include "rigspace/rig/differences.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr double kVaries = 1e-9;  // of a control's typical change: less is the same value

}  // namespace

void StandInOptions::validate() const {
  if (!(tolerance > 0))
    throw Error({.element = "stand-in",
                 .value = std::to_string(tolerance),
                 .problem = "needs a tolerance above 0",
                 .remedy = "give the largest error that is allowed, in scene units"});
  if (!(safety >= 1))
    throw Error({.element = "stand-in",
                 .value = std::to_string(safety),
                 .problem = "has a safety factor below 1",
                 .remedy = "expected 1 or more"});
}

/// What one thread evaluates with.
struct StandInRig::Scratch final : Workspace {
  std::unique_ptr<Workspace> slow, fast;
  Vec p;                // of the fast rig
  Vec b;                // its points
  std::vector<Mat3> B;  // empty: 1
};

/// The learned map alone, so that differences never cross to the slow rig.
class StandInRig::Learned final : public Rig {
 public:
  explicit Learned(const StandInRig& whole) : whole_(whole) {}
  std::span<const Control> controls() const override { return whole_.controls(); }
  int point_count() const override { return whole_.point_count(); }
  std::unique_ptr<Workspace> make_workspace() const override { return whole_.make_workspace(); }
  void evaluate(Workspace& workspace, In p, Vec& s) const override { whole_.predict(workspace, p, s); }

 private:
  const StandInRig& whole_;
};

StandInRig::StandInRig(std::shared_ptr<const Rig> slow, std::shared_ptr<const Rig> fast, std::span<const Vec> poses,
                       const StandInOptions& options)
    : slow_(std::move(slow)), fast_(std::move(fast)), options_(options) {
  options_.validate();
  const auto refuse = [](std::string problem, std::string remedy) {
    throw Error({.element = "stand-in", .problem = std::move(problem), .remedy = std::move(remedy)});
  };
  if (poses.size() < 3) refuse("has " + std::to_string(poses.size()) + " poses to learn from", "give three or more");
  if (fast_ && fast_->point_count() != slow_->point_count())
    refuse("has a fast rig of " + std::to_string(fast_->point_count()) + " points for a slow one of " +
               std::to_string(slow_->point_count()),
           "give two rigs of one mesh");
  const auto controls = slow_->controls();
  const auto count = static_cast<Eigen::Index>(poses.size());
  Mat P(std::ssize(controls), count);
  for (Eigen::Index k = 0; k < count; ++k) {
    if (poses[static_cast<std::size_t>(k)].size() != P.rows())
      refuse("has a pose of " + std::to_string(poses[static_cast<std::size_t>(k)].size()) + " values",
             "expected one per control, " + std::to_string(P.rows()));
    P.col(k) = poses[static_cast<std::size_t>(k)];
  }
  for (int c = 0; c < std::ssize(controls); ++c)
    if (P.row(c).maxCoeff() - P.row(c).minCoeff() > kVaries * controls[c].typical) varied_.push_back(c);
  if (varied_.empty()) refuse("has poses that are all the same", "vary the controls");
  low_ = P.rowwise().minCoeff(), high_ = P.rowwise().maxCoeff();
  scale_.resize(std::ssize(varied_));
  for (std::size_t k = 0; k < varied_.size(); ++k) scale_[static_cast<Eigen::Index>(k)] = controls[varied_[k]].typical;
  if (fast_)
    for (const Control& control : fast_->controls()) own_.push_back(slow_->find(control.name));

  const auto workspace = make_workspace();
  auto& scratch = static_cast<Scratch&>(*workspace);
  slow_->evaluate_batch(*scratch.slow, P, offsets_);
  Mat places(scale_.size(), count);
  double stretch = 1;
  for (Eigen::Index k = 0; k < count; ++k) {
    places.col(k) = place(P.col(k));
    base(scratch, P.col(k));
    offsets_.col(k) -= scratch.b;
    for (std::size_t i = 0; i < scratch.B.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(3 * i);
      const double flat = std::abs(scratch.B[i].determinant());
      const Vec3 d = offsets_.col(k).segment<3>(at);
      offsets_.col(k).segment<3>(at) =
          flat > 1e-9 * std::pow(scratch.B[i].norm(), 3) ? Vec3(scratch.B[i].inverse() * d) : Vec3(Vec3::Zero());
      stretch = std::max(stretch, scratch.B[i].colwise().norm().maxCoeff());
    }
  }
  mean_ = offsets_.rowwise().mean();
  offsets_.colwise() -= mean_;
  kriging_ = Kriging(std::move(places), offsets_.transpose() * offsets_);
  per_doubt_ = options_.safety * stretch * kriging_.worst_left_out() / std::sqrt(std::max(1, point_count()));
}

Traits StandInRig::traits() const {
  Traits traits = slow_->traits();
  traits.exact_jacobian = false;
  traits.concurrent = traits.concurrent && (!fast_ || fast_->traits().concurrent);
  return traits;
}

std::unique_ptr<Workspace> StandInRig::make_workspace() const {
  auto scratch = std::make_unique<Scratch>();
  scratch->slow = slow_->make_workspace();
  if (fast_) scratch->fast = fast_->make_workspace(), scratch->p = fast_->rest();
  return scratch;
}

Vec StandInRig::place(In p) const {
  Vec z(scale_.size());
  for (std::size_t k = 0; k < varied_.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    z[at] = p[varied_[k]] / scale_[at];
  }
  return z;
}

bool StandInRig::within(In p) const {
  const auto controls = slow_->controls();
  for (int c = 0; c < std::ssize(controls); ++c) {
    const double hair = kVaries * controls[c].typical;
    if (p[c] < low_[c] - hair || p[c] > high_[c] + hair) return false;
  }
  return true;
}

/// The fast rig's points, and their derivatives by their places at rest.
void StandInRig::base(Scratch& scratch, In p) const {
  scratch.B.clear();
  if (!fast_) {
    scratch.b = Vec::Zero(3 * point_count());
    return;
  }
  for (std::size_t c = 0; c < own_.size(); ++c)
    if (own_[c] >= 0) scratch.p[static_cast<Eigen::Index>(c)] = p[own_[c]];
  fast_->evaluate(*scratch.fast, scratch.p, scratch.b);
  if (!fast_->rest_jacobian(*scratch.fast, scratch.p, scratch.B)) scratch.B.clear();
}

double StandInRig::bound(In p) const {
  if (!within(p)) return std::numeric_limits<double>::infinity();
  double doubt = 0;
  kriging_.weights(place(p), &doubt);
  return per_doubt_ * doubt;
}

void StandInRig::predict(Workspace& workspace, In p, Vec& s) const {
  auto& scratch = static_cast<Scratch&>(workspace);
  base(scratch, p);
  const Vec d = mean_ + offsets_ * kriging_.weights(place(p));
  s = scratch.b;
  if (scratch.B.empty()) s += d;
  for (std::size_t i = 0; i < scratch.B.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(3 * i);
    s.segment<3>(at) += scratch.B[i] * d.segment<3>(at);
  }
}

void StandInRig::evaluate(Workspace& workspace, In p, Vec& s) const {
  if (trusted(p)) {
    ++fast_poses_;
    predict(workspace, p, s);
  } else {
    ++slow_poses_;
    slow_->evaluate(*static_cast<Scratch&>(workspace).slow, p, s);
  }
}

void StandInRig::evaluate_batch(Workspace& workspace, const Mat& P, Mat& S) const {
  S.resize(3 * point_count(), P.cols());
  std::vector<Eigen::Index> slow;
  Vec s;
  for (Eigen::Index k = 0; k < P.cols(); ++k) {
    if (!trusted(P.col(k))) {
      slow.push_back(k);
      continue;
    }
    ++fast_poses_;
    predict(workspace, P.col(k), s);
    S.col(k) = s;
  }
  if (slow.empty()) return;
  slow_poses_ += std::ssize(slow);
  Mat answers;
  slow_->evaluate_batch(*static_cast<Scratch&>(workspace).slow, P(Eigen::all, slow), answers);
  for (std::size_t k = 0; k < slow.size(); ++k) S.col(slow[k]) = answers.col(static_cast<Eigen::Index>(k));
}

void StandInRig::jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const {
  if (trusted(p))
    difference_jacobian(Learned(*this), workspace, p, free, J);
  else
    slow_->jacobian(*static_cast<Scratch&>(workspace).slow, p, free, J);
}

}  // namespace rigspace
