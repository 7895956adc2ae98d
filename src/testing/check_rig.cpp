#include "rigspace/testing/check_rig.h"

#include "rigspace/rig/differences.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

namespace rigspace::testing {
namespace {

bool same_bits(const Vec& a, const Vec& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

/// Central differences of fourth order, so that the comparison tests the Jacobian and not the differences.
Mat fine_differences(const Rig& rig, Workspace& workspace, In p, std::span<const int> free) {
  Mat D(3 * rig.point_count(), static_cast<Eigen::Index>(free.size()));
  Vec near_low, near_high, far_low, far_high;
  for (std::size_t k = 0; k < free.size(); ++k) {
    const double h = std::max(1e-4, 4 * std::cbrt(rig.traits().noise)) * rig.controls()[free[k]].typical;
    const auto at = [&](double shift, Vec& s) {
      Vec moved = p;
      moved[free[k]] += shift;
      rig.evaluate(workspace, moved, s);
    };
    at(-h, near_low), at(h, near_high), at(-2 * h, far_low), at(2 * h, far_high);
    D.col(static_cast<Eigen::Index>(k)) = (8 * (near_high - near_low) - (far_high - far_low)) / (12 * h);
  }
  return D;
}

struct Checker {
  const Rig& rig;
  const CheckRigOptions& options;
  LawReport report;
  std::unique_ptr<Workspace> workspace = rig.make_workspace();
  std::vector<int> all;
  bool moved = false;

  void check_pose(const Vec& p, const std::string& where) {
    Vec s, again;
    rig.evaluate(*workspace, p, s);
    report.require(s.size() == 3 * rig.point_count(),
                   "evaluate gives " + std::to_string(s.size()) + " coordinates " + where);
    report.require(s.allFinite(), "evaluate is not finite " + where);
    if (!report.ok()) return;
    const auto fresh = rig.make_workspace();
    rig.evaluate(*fresh, p, again);
    report.require(same_bits(s, again), "evaluate depends on the workspace's history " + where);

    const Mat D = fine_differences(rig, *workspace, p, all);
    const double scale = std::max(D.cwiseAbs().maxCoeff(), 1e-300);
    moved = moved || D.cwiseAbs().maxCoeff() > 0;
    BlockJacobian J;
    rig.jacobian(*workspace, p, all, J);
    report.require(J.points() == rig.point_count() && J.columns == static_cast<int>(all.size()),
                   "jacobian has the wrong size " + where);
    if (!report.ok()) return;
    const Mat difference = J.dense() - D;
    Eigen::Index row = 0, column = 0;
    const double error = difference.cwiseAbs().maxCoeff(&row, &column) / scale;
    report.require(error <= options.tolerance, "jacobian differs from differences by " + short_number(error) +
                                                   " of its largest entry at point " + std::to_string(row / 3) +
                                                   ", control \"" + rig.controls()[all[column]].name + "\" " + where);
    check_pull(p, J, where);
    check_subset(p, J, where);
    check_restricted(p, s, J, where);
  }

  void check_pull(const Vec& p, const BlockJacobian& J, const std::string& where) {
    std::mt19937 random(options.seed + 17);
    std::normal_distribution<double> normal;
    const Vec g = Vec::NullaryExpr(3 * rig.point_count(), [&] { return normal(random); });
    Vec pulled, expected;
    rig.pull(*workspace, p, g, pulled);
    J.pull(g, expected);
    report.require(pulled.size() == expected.size(), "pull has the wrong size " + where);
    if (!report.ok()) return;
    const double error = (pulled - expected).norm() / std::max(expected.norm(), 1e-300);
    report.require(error <= std::max(1e-10, options.tolerance * 1e-3) || expected.norm() == 0,
                   "pull differs from the transposed Jacobian by " + short_number(error) + " " + where);
  }

  void check_subset(const Vec& p, const BlockJacobian& J, const std::string& where) {
    std::vector<int> some;
    for (std::size_t k = 0; k < all.size(); k += 3) some.push_back(all[k]);
    BlockJacobian part;
    rig.jacobian(*workspace, p, some, part);
    const Mat whole = J.dense(), dense = part.dense();
    const double scale = std::max(whole.cwiseAbs().maxCoeff(), 1e-300);
    for (std::size_t k = 0; k < some.size(); ++k)
      report.require((dense.col(static_cast<Eigen::Index>(k)) - whole.col(3 * static_cast<Eigen::Index>(k)))
                             .cwiseAbs()
                             .maxCoeff() <= 1e-12 * scale,
                     "the Jacobian of some controls is not a part of that of all " + where);
  }

  void check_restricted(const Vec& p, const Vec& s, const BlockJacobian& J, const std::string& where) {
    std::vector<int> points;
    for (int i = 0; i < rig.point_count(); i += 1 + rig.point_count() / 7) points.push_back(i);
    const auto some = rig.restricted(points);
    const auto own = some->make_workspace();
    Vec part;
    some->evaluate(*own, p, part);
    BlockJacobian part_jacobian;
    some->jacobian(*own, p, all, part_jacobian);
    const Mat whole = J.dense(), dense = part_jacobian.dense();
    const double scale = std::max(whole.cwiseAbs().maxCoeff(), 1e-300);
    for (std::size_t k = 0; k < points.size(); ++k) {
      const auto at = static_cast<Eigen::Index>(3 * k);
      report.require(
          (part.segment<3>(at) - s.segment<3>(3 * points[k])).norm() <= 1e-12 * (1 + s.cwiseAbs().maxCoeff()),
          "restricted evaluates point " + std::to_string(points[k]) + " elsewhere " + where);
      report.require(
          (dense.middleRows<3>(at) - whole.middleRows<3>(3 * points[k])).cwiseAbs().maxCoeff() <= 1e-10 * scale,
          "restricted has another Jacobian at point " + std::to_string(points[k]) + " " + where);
    }
  }
};

}  // namespace

Vec random_pose(const Rig& rig, double spread, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Vec p = rig.rest();
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    const Control& control = rig.controls()[static_cast<std::size_t>(i)];
    const double reach = control.unit == Unit::scale ? 0.3 : control.typical;
    p[i] = std::clamp(p[i] + spread * reach * uniform(random), control.min, control.max);
  }
  return p;
}

/// A little inside the limits: differences reach to both sides, and rigs may clamp there.
static Vec inside_limits(const Rig& rig, Vec p) {
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    const Control& control = rig.controls()[static_cast<std::size_t>(i)];
    const double step = std::min(1e-3 * control.typical, 0.25 * (control.max - control.min));
    if (step > 0) p[i] = std::clamp(p[i], control.min + step, control.max - step);
  }
  return p;
}

LawReport check_rig(const Rig& rig, const CheckRigOptions& options) {
  Checker checker{rig, options, {}};
  checker.all.resize(rig.controls().size());
  std::iota(checker.all.begin(), checker.all.end(), 0);
  checker.check_pose(inside_limits(rig, rig.rest()), "at rest");
  for (int k = 0; k < options.poses && checker.report.ok(); ++k)
    checker.check_pose(
        inside_limits(rig, random_pose(rig, options.spread, options.seed + static_cast<std::uint32_t>(k))),
        "at random pose " + std::to_string(k));
  checker.report.require(checker.moved || !options.require_motion, "no control moves any point");

  Mat P(rig.rest().size(), 3), S;
  for (int k = 0; k < 3; ++k)
    P.col(k) = random_pose(rig, options.spread, options.seed + 100 + static_cast<std::uint32_t>(k));
  rig.evaluate_batch(*checker.workspace, P, S);
  Vec s;
  for (int k = 0; k < 3; ++k) {
    rig.evaluate(*checker.workspace, P.col(k), s);
    checker.report.require(S.cols() == 3 && S.rows() == s.size() && same_bits(S.col(k), s),
                           "a batch differs from single evaluations");
  }
  return checker.report;
}

}  // namespace rigspace::testing
