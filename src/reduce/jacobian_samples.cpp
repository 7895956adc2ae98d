#include "rigspace/reduce/jacobian_samples.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kWay = 0.5;              // step of the differences, as a share of a control's typical change
constexpr std::size_t kMostPoses = 2000;  // evaluations for second differences, over all poses
constexpr double kLeast = 1e-6;           // new entries below this share of the largest one of J are left out

/// Second differences of a rig at one pose.
class Bending {
 public:
  Bending(const Rig& rig, std::span<const int> free, const JacobianSample& at)
      : rig_(rig), free_(free), at_(at), workspace_(rig.make_workspace()) {
    const auto n = std::ssize(free);
    ways_.resize(2, n);
    for (Eigen::Index c = 0; c < n; ++c) {
      const Control& control = rig.controls()[free[c]];
      const double way = kWay * control.typical, p = at.p[free[c]];
      ways_(0, c) = p + way <= control.max ? way : 0;
      ways_(1, c) = p - way >= control.min ? -way : 0;
    }
    singles_[0] = evaluate_singles(0), singles_[1] = evaluate_singles(1);
    J0_ = at.J.dense();
  }

  /// T_c of each control: 3 points x free.
  std::vector<Mat> all() {
    const auto n = std::ssize(free_);
    std::vector<Mat> T(static_cast<std::size_t>(n), Mat::Zero(at_.s.size(), n));
    for (Eigen::Index c = 0; c < n; ++c) {
      add_own(c, T[static_cast<std::size_t>(c)].col(c));
      for (const int side : {0, 1}) add_pairs(c, side);
      for (Eigen::Index i = 0; i < c; ++i) {
        const Vec mean = pairs_[static_cast<std::size_t>(i)] / std::max(1, counts_[static_cast<std::size_t>(i)]);
        T[static_cast<std::size_t>(c)].col(i) = mean, T[static_cast<std::size_t>(i)].col(c) = mean;
      }
      pairs_.clear(), counts_.clear();
    }
    return T;
  }

  /// The change of control c at which J + a T_c is sampled: upwards if the limits allow it, otherwise downwards; 0 if
  /// neither.
  double way(Eigen::Index c) const { return ways_(0, c) != 0 ? ways_(0, c) : ways_(1, c); }

 private:
  Mat evaluate_singles(int side) {
    Mat P = at_.p.replicate(1, std::ssize(free_)), S;
    for (Eigen::Index c = 0; c < P.cols(); ++c) P(free_[c], c) += ways_(side, c);
    rig_.evaluate_batch(*workspace_, P, S);
    return S;
  }

  /// T_cc = 2 [s(p + a) - s(p) - a J_c] / a^2. With both signs of a the term with J_c cancels in the mean.
  void add_own(Eigen::Index c, Eigen::Ref<Vec> T) {
    int count = 0;
    for (const int side : {0, 1})
      if (const double a = ways_(side, c); a != 0)
        T += 2 / (a * a) * (singles_[side].col(c) - at_.s - a * J0_.col(c)), ++count;
    T /= std::max(1, count);
  }

  /// Adds the second differences of control c with each earlier control to pairs_.
  void add_pairs(Eigen::Index c, int side) {
    pairs_.resize(static_cast<std::size_t>(c), Vec::Zero(at_.s.size())), counts_.resize(static_cast<std::size_t>(c), 0);
    std::vector<Eigen::Index> others;
    for (Eigen::Index i = 0; i < c; ++i)
      if (ways_(side, c) != 0 && ways_(side, i) != 0) others.push_back(i);
    if (others.empty()) return;
    Mat P = at_.p.replicate(1, std::ssize(others)), S;
    for (std::size_t k = 0; k < others.size(); ++k) {
      P(free_[c], static_cast<Eigen::Index>(k)) += ways_(side, c);
      P(free_[others[k]], static_cast<Eigen::Index>(k)) += ways_(side, others[k]);
    }
    rig_.evaluate_batch(*workspace_, P, S);
    for (std::size_t k = 0; k < others.size(); ++k) {
      const Eigen::Index i = others[k];
      pairs_[static_cast<std::size_t>(i)] +=
          (S.col(static_cast<Eigen::Index>(k)) - singles_[side].col(i) - singles_[side].col(c) + at_.s) /
          (ways_(side, i) * ways_(side, c));
      ++counts_[static_cast<std::size_t>(i)];
    }
  }

  const Rig& rig_;
  std::span<const int> free_;
  const JacobianSample& at_;
  std::unique_ptr<Workspace> workspace_;
  Mat ways_;                 // steps up (row 0) and down (row 1) of each control; 0: outside the limits
  Mat singles_[2], J0_;      // points with one control moved up, and down; J at the pose
  std::vector<Vec> pairs_;   // sums of second differences of one control with each earlier one
  std::vector<int> counts_;  // terms of each of these sums
};

/// J + a T, with the entries of J and those of a T above `least`.
BlockJacobian sum_of(const BlockJacobian& J, double a, const Mat& T, double least) {
  BlockJacobian sum{.columns = J.columns, .start = {0}};
  std::vector<Vec3> values;
  for (int i = 0; i < J.points(); ++i) {
    int e = J.start[i];
    for (int c = 0; c < J.columns; ++c) {
      const bool has = e < J.start[i + 1] && J.column[e] == c;
      Vec3 value = a * T.block<3, 1>(3 * static_cast<Eigen::Index>(i), c);
      if (!has && value.norm() <= least) continue;
      if (has) value += J.value.col(e++);
      sum.column.push_back(c), values.push_back(value);
    }
    sum.start.push_back(static_cast<int>(sum.column.size()));
  }
  sum.value.resize(3, std::ssize(values));
  for (std::size_t k = 0; k < values.size(); ++k) sum.value.col(static_cast<Eigen::Index>(k)) = values[k];
  return sum;
}

}  // namespace

JacobianSample sample_jacobian(const Rig& rig, std::span<const int> free, const Vec& p_key, const Vec& p) {
  const auto workspace = rig.make_workspace();
  JacobianSample sample{.p_key = p_key, .p = p};
  rig.evaluate(*workspace, p_key, sample.s_key);
  rig.evaluate(*workspace, p, sample.s);
  rig.jacobian(*workspace, p, free, sample.J);
  return sample;
}

std::vector<JacobianSample> sample_jacobians(const Rig& rig, std::span<const int> free, std::span<const Vec> poses,
                                             const ProgressCallback& progress) {
  std::vector<JacobianSample> known;
  for (const Vec& pose : poses) {
    report(progress, "learning", 0.2 * static_cast<double>(known.size()) / static_cast<double>(poses.size()));
    known.push_back(sample_jacobian(rig, free, pose, pose));
  }
  const std::size_t n = free.size(), most = std::max<std::size_t>(1, kMostPoses / (n * n + n + 1));
  const std::size_t count = std::min(most, poses.size());
  for (std::size_t k = 0; k < count; ++k) {
    report(progress, "learning", 0.2 + 0.8 * static_cast<double>(k) / static_cast<double>(count));
    const JacobianSample at = known[k * poses.size() / count];
    Bending bending(rig, free, at);
    const std::vector<Mat> T = bending.all();
    const double least = at.J.value.cols() > 0 ? kLeast * at.J.value.colwise().norm().maxCoeff() : 0;
    for (std::size_t c = 0; c < n; ++c) {
      const double a = bending.way(static_cast<Eigen::Index>(c));
      if (a == 0) continue;
      JacobianSample each{.p_key = at.p_key, .p = at.p, .s_key = at.s_key, .s = at.s};
      each.p[free[c]] += a;
      each.J = sum_of(at.J, a, T[c], least);
      known.push_back(std::move(each));
    }
  }
  return known;
}

void write(const BlockJacobian& J, ByteWriter& out) {
  out.number(J.columns);
  out.integers(J.start), out.integers(J.column);
  out.values(J.value.reshaped());
}

BlockJacobian read_jacobian(ByteReader& in) {
  BlockJacobian J;
  J.columns = in.integer();
  J.start = in.integers(), J.column = in.integers();
  const Vec values = in.values();
  J.value = Eigen::Map<const Eigen::Matrix3Xd>(values.data(), 3, values.size() / 3);
  return J;
}

void write(std::span<const JacobianSample> samples, ByteWriter& out) {
  out.number(static_cast<double>(samples.size()));
  for (const JacobianSample& each : samples) {
    for (const Vec* values : {&each.p_key, &each.p, &each.s_key, &each.s}) out.values(*values);
    write(each.J, out);
  }
}

std::vector<JacobianSample> read_jacobian_samples(ByteReader& in) {
  std::vector<JacobianSample> samples(static_cast<std::size_t>(in.integer()));
  for (JacobianSample& each : samples) {
    for (Vec* values : {&each.p_key, &each.p, &each.s_key, &each.s}) *values = in.values();
    each.J = read_jacobian(in);
  }
  return samples;
}

}  // namespace rigspace
