#include "body_cubature_parts.h"
#include "rigspace/base/parallel.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr int kPoses = 4;                   // at most, in which inertia is matched: rest, and examples evenly spread
constexpr double kAccelerationShare = 0.5;  // weight of the rows of one acceleration; those of J^T M J of a pose have 1
constexpr double kTotalShare = 0.5;         // weight of the row of the total mass
constexpr double kFarOff = 4;          // further nodes get mass where the error exceeds so many times the tolerance
constexpr double kEigenvalues = 0.05;  // largest deviation from 1 of an eigenvalue of inertia

/// The training problem of the masses: inertia J^T M J, and J^T M a for six accelerations a: along the three axes, and
/// about them through the centre of mass.
class MassTraining {
 public:
  MassTraining(const CubatureTraining& training, std::vector<const TrainingPose*> poses)
      : poses_(std::move(poses)),
        controls_(static_cast<int>(training.free.size())),
        masses_(lumped_masses(training.body.mesh, 1.0)) {
    const BlockJacobian& J = poses_.front()->J;
    for (int i = 0; i < J.points(); ++i) {
      const bool moved = std::any_of(poses_.begin(), poses_.end(),
                                     [&](const TrainingPose* pose) { return pose->J.start[i] < pose->J.start[i + 1]; });
      if (moved) nodes_.push_back(i);
    }
    Vec all(static_cast<Eigen::Index>(nodes_.size()));
    for (Eigen::Index k = 0; k < all.size(); ++k) all[k] = masses_[nodes_[k]];
    scale_ = Vec::Zero(controls_);
    for (const TrainingPose* pose : poses_) {
      inertia_.push_back(inertia(*pose, all));
      scale_ = scale_.cwiseMax(inertia_.back().diagonal());
    }
    for (double& each : scale_) each = each > 0 ? 1 / std::sqrt(each) : 0;
    total_ = all;
  }

  const std::vector<int>& nodes() const { return nodes_; }
  int poses() const { return static_cast<int>(poses_.size()); }
  const Mat& inertia(int pose) const { return inertia_[pose]; }
  Mat inertia(int pose, std::span<const WeightedElement> chosen) const {
    Vec masses = Vec::Zero(static_cast<Eigen::Index>(nodes_.size()));
    for (const auto& [k, mass] : chosen) masses[k] = mass;
    return inertia(*poses_[pose], masses);
  }

  ColumnSelector selector(int most_rows) const;
  Mat quadratic_rows(int pose, const Mat& V) const;

 private:
  Mat inertia(const TrainingPose& pose, In masses) const;
  void add_inertia(const RowSketch& sketch, long first, int pose, Mat& A) const;
  void add_accelerations(const RowSketch& sketch, long first, int pose, Mat& A) const;

  std::vector<const TrainingPose*> poses_;
  int controls_;
  Vec masses_;                // of all nodes
  std::vector<int> nodes_;    // candidates: those that a free control moves
  Vec total_;                 // masses of the candidates
  Vec scale_;                 // largest (J^T M J)_ii over the poses, ^(-1/2); 0 for controls that move no mass
  std::vector<Mat> inertia_;  // J^T M J of each pose with the masses of all nodes
};

Mat MassTraining::inertia(const TrainingPose& pose, In masses) const {
  Mat M = Mat::Zero(controls_, controls_);
  const BlockJacobian& J = pose.J;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const double mass = masses[static_cast<Eigen::Index>(k)];
    if (mass == 0) continue;
    for (int b = J.start[nodes_[k]]; b < J.start[nodes_[k] + 1]; ++b)
      for (int a = J.start[nodes_[k]]; a <= b; ++a)
        M(J.column[a], J.column[b]) += mass * J.value.col(a).dot(J.value.col(b));
  }
  return M.selfadjointView<Eigen::Upper>();
}

void MassTraining::add_inertia(const RowSketch& sketch, long first, int pose, Mat& A) const {
  const BlockJacobian& J = poses_[pose]->J;
  const double norm = (scale_.asDiagonal() * inertia_[pose] * scale_.asDiagonal()).norm();
  parallel_ranges(static_cast<int>(nodes_.size()), 32, [&](int begin, int end) {
    for (int k = begin; k < end; ++k)
      for (int b = J.start[nodes_[k]]; b < J.start[nodes_[k] + 1]; ++b)
        for (int a = J.start[nodes_[k]]; a <= b; ++a) {
          const int i = J.column[a], j = J.column[b];
          const auto [row, sign] = sketch(first + static_cast<long>(j) * (j + 1) / 2 + i);
          A(row, k) += sign * (i == j ? 1.0 : std::sqrt(2.0)) * scale_[i] * scale_[j] / norm *
                       J.value.col(a).dot(J.value.col(b));
        }
  });
}

void MassTraining::add_accelerations(const RowSketch& sketch, long first, int pose, Mat& A) const {
  const TrainingPose& at = *poses_[pose];
  Vec3 centre = Vec3::Zero();
  for (std::size_t k = 0; k < nodes_.size(); ++k)
    centre +=
        total_[static_cast<Eigen::Index>(k)] / total_.sum() * at.x.segment<3>(3 * static_cast<Eigen::Index>(nodes_[k]));
  double largest[2] = {0, 0};
  for (int turn = 0; turn < 6; ++turn) {
    const Vec3 axis = Vec3::Unit(turn % 3);
    const auto acceleration = [&](int node) -> Vec3 {
      return turn < 3 ? axis : axis.cross(at.x.segment<3>(3 * static_cast<Eigen::Index>(node)) - centre);
    };
    Vec whole = Vec::Zero(controls_);
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      for (int e = at.J.start[nodes_[k]]; e < at.J.start[nodes_[k] + 1]; ++e)
        whole[at.J.column[e]] += total_[static_cast<Eigen::Index>(k)] * scale_[at.J.column[e]] *
                                 at.J.value.col(e).dot(acceleration(nodes_[k]));
    largest[turn / 3] = std::max(largest[turn / 3], whole.norm());
    if (whole.norm() <= 1e-3 * largest[turn / 3]) continue;
    const double weight = kAccelerationShare / whole.norm();
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      for (int e = at.J.start[nodes_[k]]; e < at.J.start[nodes_[k] + 1]; ++e) {
        const int c = at.J.column[e];
        const auto [row, sign] = sketch(first + static_cast<long>(turn) * controls_ + c);
        A(row, static_cast<Eigen::Index>(k)) +=
            sign * weight * scale_[c] * at.J.value.col(e).dot(acceleration(nodes_[k]));
      }
  }
}

// All rows are linear in the masses, so the right-hand side is the sum over all nodes.
ColumnSelector MassTraining::selector(int most_rows) const {
  const long p = controls_, pairs = p * (p + 1) / 2, each = pairs + 6 * p;
  const RowSketch sketch(poses() * each + 1, most_rows);
  Mat A = Mat::Zero(sketch.rows(), static_cast<Eigen::Index>(nodes_.size()));
  for (int pose = 0; pose < poses(); ++pose) {
    add_inertia(sketch, pose * each, pose, A);
    add_accelerations(sketch, pose * each + pairs, pose, A);
  }
  const auto [row, sign] = sketch(poses() * each);
  A.row(row).array() += sign * kTotalShare / total_.sum();
  Vec b = A * total_;
  return ColumnSelector(std::move(A), std::move(b));
}

Mat MassTraining::quadratic_rows(int pose, const Mat& V) const {
  Mat rows(V.cols(), static_cast<Eigen::Index>(nodes_.size()));
  for (Eigen::Index v = 0; v < V.cols(); ++v) {
    Vec dx;
    poses_[pose]->J.push(V.col(v), dx);
    for (Eigen::Index k = 0; k < rows.cols(); ++k)
      rows(v, k) = dx.segment<3>(3 * static_cast<Eigen::Index>(nodes_[k])).squaredNorm();
  }
  return rows;
}

/// Adds masses until the inertia eigenvalues of all poses are within kEigenvalues of 1. Three passes, since the rows
/// for one pose change the eigenvalues of the others. Returns the largest deviation from 1 in the last pass.
double pull_all(const MassTraining& masses, double weight, const ColumnSelectionOptions& how,
                ColumnSelector& selector) {
  double off = 0;
  for (int pass = 0; pass < 3; ++pass) {
    off = 0;
    for (int pose = 0; pose < masses.poses(); ++pose) {
      const EigenvalueGoal goal{1 - kEigenvalues,
                                1 + kEigenvalues,
                                masses.inertia(pose),
                                weight,
                                [&](const Mat& V) { return masses.quadratic_rows(pose, V); },
                                [&](std::span<const WeightedElement> chosen) { return masses.inertia(pose, chosen); }};
      const EigenvalueRange range = pull_eigenvalues(selector, goal, how);
      off = std::max({off, 1 - range.lowest(), range.highest() - 1});
    }
  }
  return off;
}

}  // namespace

void choose_masses(const CubatureTraining& training, const TrainingPose& rest, std::span<const ExamplePose> examples,
                   BodyCubature& cubature) {
  std::vector<TrainingPose> others;
  const std::size_t some = std::min<std::size_t>(kPoses - 1, examples.size());
  for (std::size_t k = 0; k < some; ++k)
    others.push_back(training.pose(examples[(2 * k + 1) * examples.size() / (2 * some)]));
  std::vector<const TrainingPose*> poses{&rest};
  for (const TrainingPose& pose : others) poses.push_back(&pose);
  const MassTraining masses(training, poses);
  cubature.nodes = touched_nodes(training.body.mesh, cubature.elements);
  std::vector<char> touched(masses.nodes().size());
  for (std::size_t k = 0; k < touched.size(); ++k)
    touched[k] = std::binary_search(cubature.nodes.begin(), cubature.nodes.end(), masses.nodes()[k]);
  ColumnSelector selector = masses.selector(sketch_rows(training.options, static_cast<int>(training.free.size())));
  selector.allow(touched);
  // Mass first goes to the corners of the chosen elements, which are evaluated in any case. Every other node needs more
  // points of the rig, and is allowed only where the corners alone are too far off.
  const ColumnSelectionOptions how{.tolerance = training.options.mass_tolerance};
  const double weight = kEigenvalueShare * selector.target_norm();
  const bool matched = selector.reach(how).error <= kFarOff * how.tolerance;
  const bool near = pull_all(masses, weight, how, selector) <= kFarOff * kEigenvalues / 2;
  if (!(matched && near) && training.options.more_nodes) {
    selector.allow(std::vector<char>(touched.size(), 1));
    selector.reach(how);
    pull_all(masses, weight, how, selector);
  }
  const std::vector<WeightedElement>& chosen = selector.selection().columns;
  for (int pose = 0; pose < masses.poses(); ++pose) {
    const EigenvalueRange range = generalised_eigenvalues(masses.inertia(pose, chosen), masses.inertia(pose));
    cubature.lowest_mass = std::min(cubature.lowest_mass, range.lowest());
    cubature.highest_mass = std::max(cubature.highest_mass, range.highest());
  }
  for (const auto& [k, mass] : chosen) {
    cubature.masses.push_back({masses.nodes()[k], mass});
    cubature.nodes.push_back(masses.nodes()[k]);
  }
  std::sort(cubature.nodes.begin(), cubature.nodes.end());
  cubature.nodes.erase(std::unique(cubature.nodes.begin(), cubature.nodes.end()), cubature.nodes.end());
}

}  // namespace rigspace
