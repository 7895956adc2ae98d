#include "rigspace/energy/lattice_solid.h"

#include <Eigen/LU>

#include <cassert>

namespace rigspace {
namespace {

using Vec24 = Eigen::Matrix<double, 24, 1>;
using Mat9_24 = Eigen::Matrix<double, 9, 24>;

/// The corners of a cell as columns.
Eigen::Matrix<double, 3, 8> corners_at(std::span<const int> corners, In x) {
  Eigen::Matrix<double, 3, 8> X;
  for (int c = 0; c < 8; ++c) X.col(c) = x.segment<3>(3 * corners[c]);
  return X;
}

/// dF/dx: column 3c + a of the stacked columns of F.
Mat9_24 deformation_gradient_of(const Mat83& gradient) {
  Mat9_24 B = Mat9_24::Zero();
  for (int c = 0; c < 8; ++c)
    for (int j = 0; j < 3; ++j)
      for (int a = 0; a < 3; ++a) B(3 * j + a, 3 * c + a) = gradient(c, j);
  return B;
}

}  // namespace

LatticeElements::LatticeElements(HexLattice given, std::span<const LatticeSample> given_samples)
    : lattice(std::move(given)) {
  first.assign(1, 0);
  std::size_t next = 0;
  for (int cell = 0; cell < lattice.cell_count(); ++cell) {
    for (; next < given_samples.size() && given_samples[next].cell == cell; ++next) {
      const LatticeSample& sample = given_samples[next];
      const Mat3 J = lattice.jacobian(cell, sample.u);
      samples.push_back({sample.volume, trilinear(sample.u), trilinear_gradient(sample.u) * J.inverse()});
    }
    first.push_back(static_cast<int>(samples.size()));
    corners.insert(corners.end(), lattice.cells[cell].begin(), lattice.cells[cell].end());
  }
  assert(next == given_samples.size());
}

Vec3 LatticeElements::place(int cell, const Sample& sample) const {
  Vec3 x = Vec3::Zero();
  for (int c = 0; c < 8; ++c) x += sample.phi[c] * lattice.vertices[lattice.cells[cell][c]];
  return x;
}

double LatticeElements::volume() const {
  double sum = 0;
  for (const Sample& sample : samples) sum += sample.volume;
  return sum;
}

std::vector<Mat24> LatticeElements::stiffness(const Material& material) const {
  const Mat9 C = stress_derivative(material, Mat3::Identity(), HessianMode::exact);  // that of linear elasticity
  std::vector<Mat24> K(lattice.cells.size(), Mat24::Zero());
  for (int cell = 0; cell < cell_count(); ++cell) {
    for (const Sample& sample : samples_of(cell)) {
      const Mat9_24 B = deformation_gradient_of(sample.gradient);
      K[cell].noalias() += sample.volume * B.transpose() * (C * B);
    }
    K[cell] = (0.5 * (K[cell] + K[cell].transpose())).eval();
  }
  return K;
}

std::vector<Mat8> LatticeElements::mass(double density) const {
  std::vector<Mat8> M(lattice.cells.size(), Mat8::Zero());
  for (int cell = 0; cell < cell_count(); ++cell)
    for (const Sample& sample : samples_of(cell))
      M[cell] += density * sample.volume * sample.phi * sample.phi.transpose();
  return M;
}

std::vector<Mat8> LatticeElements::laplacian() const {
  std::vector<Mat8> L(lattice.cells.size(), Mat8::Zero());
  for (int cell = 0; cell < cell_count(); ++cell)
    for (const Sample& sample : samples_of(cell))
      L[cell] += sample.volume * sample.gradient * sample.gradient.transpose();
  return L;
}

LatticeSolid::LatticeSolid(const LatticeElements& elements, const Material& material)
    : elements_(&elements), material_(material) {
  material.validate();
}

double LatticeSolid::value(const State&, In x) const {
  return parallel_sum(elements_->cell_count(), 16, [&](int begin, int end) {
    double E = 0;
    for (int cell = begin; cell < end; ++cell) {
      const auto X = corners_at(elements_->corners_of(cell), x);
      for (const auto& sample : elements_->samples_of(cell))
        E += sample.volume * energy_density(material_, X * sample.gradient);
    }
    return E;
  });
}

void LatticeSolid::add_gradient(const State&, In x, double weight, Vec& g) const {
  for (int cell = 0; cell < elements_->cell_count(); ++cell) {
    const auto corners = elements_->corners_of(cell);
    const auto X = corners_at(corners, x);
    Eigen::Matrix<double, 3, 8> G = Eigen::Matrix<double, 3, 8>::Zero();
    for (const auto& sample : elements_->samples_of(cell))
      G += sample.volume * stress(material_, X * sample.gradient) * sample.gradient.transpose();
    for (int c = 0; c < 8; ++c) g.segment<3>(3 * corners[c]) += weight * G.col(c);
  }
}

void LatticeSolid::add_hessian(const State&, In x, double weight, HessianMode mode, BlockSink& sink) const {
  add_blocks(sink, 8, elements_->corners, [&](int cell, double* block) {
    Eigen::Map<Mat24> H(block);
    const auto X = corners_at(elements_->corners_of(cell), x);
    for (const auto& sample : elements_->samples_of(cell)) {
      const Mat9_24 B = deformation_gradient_of(sample.gradient);
      const Mat9 dP = stress_derivative(material_, X * sample.gradient, mode);
      H.noalias() += weight * sample.volume * B.transpose() * (dP * B);
    }
    H = (0.5 * (H + H.transpose())).eval();
  });
}

WarpedLattice::WarpedLattice(const LatticeElements& elements, const Material& material)
    : elements_(&elements),
      stiffness_(elements.stiffness(material)),
      frames_(elements.lattice.cells.size(), Mat3::Identity()),
      rest_(elements.lattice.points()) {
  material.validate();
}

Vec24 WarpedLattice::displacement(int cell, In x) const {
  Vec24 d;
  const auto corners = elements_->corners_of(cell);
  for (int c = 0; c < 8; ++c)
    d.segment<3>(3 * c) = frames_[cell].transpose() * x.segment<3>(3 * corners[c]) - rest_.segment<3>(3 * corners[c]);
  return d;
}

Mat24 WarpedLattice::turned_stiffness(int cell) const {
  const Mat3& R = frames_[cell];
  const Mat24& K = stiffness_[cell];
  Mat24 turned;
  for (int i = 0; i < 24; i += 3)
    for (int j = 0; j <= i; j += 3) {
      turned.block<3, 3>(i, j).noalias() = R * K.block<3, 3>(i, j) * R.transpose();
      if (j < i) turned.block<3, 3>(j, i) = turned.block<3, 3>(i, j).transpose();
    }
  return turned;
}

double WarpedLattice::value(const State&, In x) const {
  double E = 0;
  for (int cell = 0; cell < elements_->cell_count(); ++cell) {
    const Vec24 d = displacement(cell, x);
    E += 0.5 * d.dot(stiffness_[cell] * d);
  }
  return E;
}

void WarpedLattice::add_gradient(const State&, In x, double weight, Vec& g) const {
  for (int cell = 0; cell < elements_->cell_count(); ++cell) {
    const Vec24 f = stiffness_[cell] * displacement(cell, x);
    const auto corners = elements_->corners_of(cell);
    for (int c = 0; c < 8; ++c) g.segment<3>(3 * corners[c]) += weight * (frames_[cell] * f.segment<3>(3 * c));
  }
}

void WarpedLattice::add_hessian(const State&, In, double weight, HessianMode, BlockSink& sink) const {
  add_blocks(sink, 8, elements_->corners,
             [&](int cell, double* block) { Eigen::Map<Mat24>(block).noalias() = weight * turned_stiffness(cell); });
}

}  // namespace rigspace
