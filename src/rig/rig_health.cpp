#include "rigspace/rig/rig_health.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/differences.h"
#include "rigspace/rig/ik.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace rigspace {
namespace {

constexpr int kMostJudged = 2000;  // that a rig is judged by
constexpr double kNoisy = 0.05;    // of a control's effect

/// The rig at a sample of its points, where it has many.
std::unique_ptr<Rig> sampled(const Rig& rig) {
  const int stride = (rig.point_count() + kMostJudged - 1) / kMostJudged;
  if (stride <= 1) return nullptr;
  std::vector<int> points;
  for (int i = 0; i < rig.point_count(); i += stride) points.push_back(i);
  return rig.restricted(points);
}

/// One column per shown control, in typical changes.
Mat effect(const Rig& rig, Workspace& workspace, In p, std::span<const int> shown) {
  BlockJacobian J;
  rig.jacobian(workspace, p, shown, J);
  Mat D = Mat::Zero(3 * J.points(), static_cast<Eigen::Index>(shown.size()));
  for (int i = 0; i < J.points(); ++i)
    for (int e = J.start[i]; e < J.start[i + 1]; ++e)
      D.col(J.column[e]).segment<3>(3 * i) = J.value.col(e) * rig.controls()[shown[J.column[e]]].typical;
  return D;
}

class Examination {
 public:
  Examination(const Rig& rig, const HealthOptions& options)
      : sample_(sampled(rig)),
        rig_(sample_ ? *sample_ : rig),
        options_(options),
        random_(options.seed),
        workspace_(rig_.make_workspace()) {
    if (options.internal)
      for (int i = 0; i < static_cast<int>(rig.controls().size()); ++i) {
        if (rig.controls()[i].unit != Unit::quaternion) shown_.push_back(i);
      }
    else
      shown_ = shown_controls(rig.controls());
    largest_.setZero(static_cast<Eigen::Index>(shown_.size()));
    differ_ = largest_;
    alike_.setOnes(largest_.size(), largest_.size());
  }

  RigHealth examine() {
    health_.noise = rig_.traits().noise;
    look_at(rig_.rest(), "at rest");
    examine_ik();
    for (int k = 0; k < options_.poses; ++k) look_at(random_pose(), "at random pose " + std::to_string(k + 1));
    conclude();
    return std::move(health_);
  }

 private:
  Vec random_pose() {
    std::uniform_real_distribution<double> uniform(-1, 1);
    Vec p = rig_.rest();
    for (const int i : shown_) {
      const Control& control = rig_.controls()[i];
      const auto [low, high] = extremes(control);
      const double turn = options_.spread * uniform(random_);
      p[i] += turn < 0 ? turn * (control.rest - low) : turn * (high - control.rest);
    }
    return p;
  }

  void look_at(const Vec& p, const std::string& where) {
    Vec s;
    Mat D;
    try {
      rig_.evaluate(*workspace_, p, s);
      D = effect(rig_, *workspace_, p, shown_);
    } catch (const Error& error) {
      health_.broken.push_back(where + ": " + error.what());
      return;
    }
    if (!s.allFinite() || !D.allFinite()) {
      health_.broken.push_back(where + (s.allFinite() ? ": a derivative is not finite" : ": a point is not finite"));
      return;
    }
    const Vec norms = D.colwise().norm();
    largest_ = largest_.cwiseMax(norms);
    const Mat G = D.transpose() * D;
    for (Eigen::Index a = 0; a < G.rows(); ++a)
      for (Eigen::Index b = 0; b < a; ++b)
        if (norms[a] > 0 && norms[b] > 0)
          alike_(a, b) = std::min(alike_(a, b), std::abs(G(a, b)) / (norms[a] * norms[b]));
        else if (norms[a] != norms[b])
          alike_(a, b) = 0;
    last_ = D;
    if (rig_.traits().exact_jacobian)
      compare(p);
    else
      compare_steps(p, s, D);
  }

  /// Differences by a step three times as long: where they are others, the rig jumps, or its solver ends too early.
  void compare_steps(const Vec& p, const Vec& s, const Mat& D) {
    const double size = s.size() > 0 ? s.maxCoeff() - s.minCoeff() : 0;
    if (!(size > 0)) return;
    const double longer = 3 * std::max(DifferenceOptions().relative_step, std::cbrt(rig_.traits().noise / size));
    BlockJacobian J;
    difference_jacobian(rig_, *workspace_, p, shown_, J, {.relative_step = longer});
    const Mat E = J.dense();
    for (std::size_t k = 0; k < shown_.size(); ++k) {
      const auto c = static_cast<Eigen::Index>(k);
      const double gap = (E.col(c) * rig_.controls()[shown_[k]].typical - D.col(c)).norm();
      differ_[c] = std::max(differ_[c], gap);
    }
  }

  /// Our derivatives against differences, in typical changes.
  void compare(const Vec& p) {
    BlockJacobian exact, differences;
    rig_.jacobian(*workspace_, p, shown_, exact);
    difference_jacobian(rig_, *workspace_, p, shown_, differences);
    Mat A = exact.dense(), B = differences.dense();
    for (std::size_t k = 0; k < shown_.size(); ++k) {
      const double typical = rig_.controls()[shown_[k]].typical;
      A.col(static_cast<Eigen::Index>(k)) *= typical;
      B.col(static_cast<Eigen::Index>(k)) *= typical;
    }
    const double scale = A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0;
    if (scale > 0) health_.jacobian_error = std::max(health_.jacobian_error, (A - B).cwiseAbs().maxCoeff() / scale);
  }

  void examine_ik() {
    const auto* rig = dynamic_cast<const BuiltInRig*>(&rig_);
    if (rig == nullptr) return;
    Vec u;
    rig->evaluate_slots(*workspace_, rig->rest(), u);
    for (const IkReport& report : ik_reports(rig->graph(), rig->rest(), u))
      if (!report.reached)
        health_.unreached.push_back("IK \"" + report.name + "\" misses its target by " +
                                    std::to_string(report.distance) + " at rest");
  }

  void conclude() {
    const double most = largest_.size() > 0 ? largest_.maxCoeff() : 0;
    for (std::size_t k = 0; k < shown_.size(); ++k)
      if (largest_[static_cast<Eigen::Index>(k)] <= 1e-12 * std::max(most, 1e-300))
        health_.without_effect.push_back(rig_.controls()[shown_[k]].name);
    for (std::size_t k = 0; k < shown_.size(); ++k)
      if (const auto c = static_cast<Eigen::Index>(k); differ_[c] > kNoisy * std::max(largest_[c], 1e-6 * most))
        health_.noisy.push_back(rig_.controls()[shown_[k]].name);
    for (Eigen::Index a = 0; a < alike_.rows(); ++a)
      for (Eigen::Index b = 0; b < a; ++b)
        if (alike_(a, b) > 1 - 1e-9 && largest_[a] > 1e-12 * most && largest_[b] > 1e-12 * most)
          health_.doubles.emplace_back(rig_.controls()[shown_[b]].name, rig_.controls()[shown_[a]].name);
    if (last_.size() == 0) return;
    const Vec scale = last_.colwise().norm().cwiseMax(1e-300).cwiseInverse().transpose();
    const Vec sigma = singular_values(last_ * scale.asDiagonal());
    // Differences are good to about 1e-6.
    const double small = rig_.traits().exact_jacobian ? 1e-9 : 1e-5;
    const auto rank = (sigma.array() > small * sigma.maxCoeff()).count();
    health_.redundant = static_cast<int>(last_.cols() - rank) - static_cast<int>(health_.without_effect.size());
    health_.redundant = std::max(0, health_.redundant);
  }

  std::unique_ptr<Rig> sample_;
  const Rig& rig_;
  const HealthOptions& options_;
  std::mt19937 random_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<int> shown_;
  RigHealth health_;
  Vec largest_;  // norm of each control's effect, over all poses
  Vec differ_;   // by two steps, over all poses
  Mat alike_;    // smallest |cosine| of pairs, over all poses
  Mat last_;
};

}  // namespace

void HealthOptions::validate() const {
  require_option(poses >= 0 && poses <= 1000, "HealthOptions.poses", poses, "expected 0 to 1000");
  require_option(spread > 0 && spread <= 1, "HealthOptions.spread", spread, "expected a share up to 1");
}

std::vector<int> shown_controls(std::span<const Control> controls) {
  const bool grouped = std::any_of(controls.begin(), controls.end(), [](const auto& c) { return !c.group.empty(); });
  std::vector<int> shown;
  for (int i = 0; i < static_cast<int>(controls.size()); ++i)
    if (controls[i].unit != Unit::quaternion && (!grouped || !controls[i].group.empty())) shown.push_back(i);
  return shown;
}

std::pair<double, double> extremes(const Control& control) {
  const double reach = control.unit == Unit::scale ? std::min(0.3, control.typical) : control.typical;
  return {std::isfinite(control.min) ? control.min : control.rest - reach,
          std::isfinite(control.max) ? control.max : control.rest + reach};
}

RigHealth check_health(const Rig& rig, const HealthOptions& options) {
  options.validate();
  return Examination(rig, options).examine();
}

}  // namespace rigspace
