#include "rigspace/base/affine.h"
#include "rigspace/energy/lattice_solid.h"
#include "rigspace/geometry/signed_distance.h"

namespace rigspace {
namespace {

double bone_weight(const Vec3& X, const LatticeTwist::Bone& bone) {
  const double t = bone.from == bone.to ? 0 : segment_parameter(X, bone.from, bone.to);
  const double share = (X - bone.from - t * (bone.to - bone.from)).squaredNorm() / (bone.radius * bone.radius);
  return share < 1 ? (1 - share) * (1 - share) : 0;
}

Eigen::Matrix<double, 8, 3> rows_of(std::span<const int> corners, In x) {
  Eigen::Matrix<double, 8, 3> X;
  for (int c = 0; c < 8; ++c) X.row(c) = x.segment<3>(3 * corners[c]).transpose();
  return X;
}

}  // namespace

LatticeTwist::LatticeTwist(const LatticeElements& elements, std::span<const Bone> bones, double stiffness)
    : elements_(&elements) {
  int transforms = 0;
  for (const Bone& bone : bones) {
    transforms = std::max(transforms, bone.transform + 1);
    for (int cell = 0; cell < elements.cell_count(); ++cell) {
      Tie tie{cell, bone.transform, Mat8::Zero(), Eigen::Matrix<double, 8, 4>::Zero()};
      for (const auto& sample : elements.samples_of(cell)) {
        const Vec3 X = elements.place(cell, sample);
        const double k = stiffness * sample.volume * bone_weight(X, bone);
        if (k == 0) continue;
        const Vec4 X1(X.x(), X.y(), X.z(), 1);
        tie.M += k * sample.phi * sample.phi.transpose();
        tie.moment += k * sample.phi * X1.transpose();
      }
      if (tie.M.trace() > 0) ties_.push_back(tie);
    }
  }
  transforms_.assign(transforms, identity_affine());
}

// D = X - C X_rest at the corners, which trilinear functions interpolate: energies of millimetres are not differences
// of those of metres.
Eigen::Matrix<double, 8, 3> LatticeTwist::away(const Tie& tie, In x) const {
  Eigen::Matrix<double, 8, 3> D = rows_of(elements_->corners_of(tie.cell), x);
  const auto corners = elements_->corners_of(tie.cell);
  for (int c = 0; c < 8; ++c)
    D.row(c) -= apply(transforms_[tie.transform], elements_->lattice.vertices[corners[c]]).transpose();
  return D;
}

double LatticeTwist::value(const State&, In x) const {
  double E = 0;
  for (const Tie& tie : ties_) {
    const Eigen::Matrix<double, 8, 3> D = away(tie, x);
    E += 0.5 * (D.transpose() * tie.M * D).trace();
  }
  return E;
}

void LatticeTwist::add_gradient(const State&, In x, double weight, Vec& g) const {
  for (const Tie& tie : ties_) {
    const auto corners = elements_->corners_of(tie.cell);
    const Eigen::Matrix<double, 8, 3> G = tie.M * away(tie, x);
    for (int c = 0; c < 8; ++c) g.segment<3>(3 * corners[c]) += weight * G.row(c).transpose();
  }
}

void LatticeTwist::add_hessian(const State&, In, double weight, HessianMode, BlockSink& sink) const {
  Mat24 H;
  for (const Tie& tie : ties_) {
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j) H.block<3, 3>(3 * i, 3 * j) = weight * tie.M(i, j) * Mat3::Identity();
    sink.add(elements_->corners_of(tie.cell), H.data());
  }
}

void LatticeTwist::add_transform_gradient(In v, double weight, std::vector<Affine>& g_C) const {
  // v . dE/dx contains  - trace(V^T moment C^T)
  for (const Tie& tie : ties_)
    g_C[tie.transform] -= weight * rows_of(elements_->corners_of(tie.cell), v).transpose() * tie.moment;
}

void LatticeTwist::add_transform_change(std::span<const Affine> dC, double weight, Vec& g) const {
  for (const Tie& tie : ties_) {
    const Eigen::Matrix<double, 8, 3> G = tie.moment * dC[tie.transform].transpose();
    const auto corners = elements_->corners_of(tie.cell);
    for (int c = 0; c < 8; ++c) g.segment<3>(3 * corners[c]) -= weight * G.row(c).transpose();
  }
}

}  // namespace rigspace
