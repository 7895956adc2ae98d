#pragma once
// Elastic bodies in lattices of hexahedral cells: the nonlinear solid, and two quadratic forms of it that turn with a
// pose (PBR 3.3).

#include "rigspace/energy/material.h"
#include "rigspace/geometry/lattice_samples.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

using Mat8 = Eigen::Matrix<double, 8, 8>;
using Mat24 = Eigen::Matrix<double, 24, 24>;

/// A lattice with its integration points. The samples of cell k are first[k] .. first[k + 1].
struct LatticeElements {
  struct Sample {
    double volume;  ///< m^3
    Vec8 phi;
    Mat83 gradient;  ///< dphi/dX, 1/m
  };
  HexLattice lattice;  ///< metres, at rest
  std::vector<Sample> samples;
  std::vector<int> first;
  std::vector<int> corners;  ///< eight a cell, for sinks

  LatticeElements() = default;
  LatticeElements(HexLattice lattice, std::span<const LatticeSample> samples);

  int cell_count() const { return lattice.cell_count(); }
  int vertex_count() const { return lattice.vertex_count(); }
  std::span<const int> corners_of(int cell) const { return {corners.data() + 8 * static_cast<std::size_t>(cell), 8}; }
  std::span<const Sample> samples_of(int cell) const {
    return {samples.data() + first[cell], static_cast<std::size_t>(first[cell + 1] - first[cell])};
  }
  Vec3 place(int cell, const Sample& sample) const;  ///< at rest
  double volume() const;

  /// K_e of linear elasticity, by cell; rows of a corner are 3c .. 3c+2. A shift and a small turn cost nothing.
  std::vector<Mat24> stiffness(const Material& material) const;
  /// The consistent masses, density * integral of phi_i phi_j, by cell.
  std::vector<Mat8> mass(double density) const;
  /// integral of grad phi_i . grad phi_j, by cell: of a penalty on gradients.
  std::vector<Mat8> laplacian() const;
};

/// E = sum over samples of  volume psi(F),  F = sum_c x_c grad phi_c^T. Refers to the elements.
class LatticeSolid final : public Energy {
 public:
  LatticeSolid(const LatticeElements& elements, const Material& material);

  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;

 private:
  const LatticeElements* elements_;
  Material material_;
};

/// Linear elasticity in a frame for each cell:  E = sum over cells of  1/2 d^T K_e d,  d = R_e^T x - X. Its forces sum
/// to zero in every cell, whatever the frames. Refers to the elements.
class WarpedLattice final : public Energy {
 public:
  WarpedLattice(const LatticeElements& elements, const Material& material);

  /// One a cell; all the identity before the first call.
  void set_frames(std::span<const Mat3> frames) { frames_.assign(frames.begin(), frames.end()); }
  std::span<const Mat3> frames() const { return frames_; }
  const std::vector<Mat24>& stiffness() const { return stiffness_; }
  /// R_e^T x - X of a cell.
  Eigen::Matrix<double, 24, 1> displacement(int cell, In x) const;
  /// R_e K_e R_e^T.
  Mat24 turned_stiffness(int cell) const;

  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;

 private:
  const LatticeElements* elements_;
  std::vector<Mat24> stiffness_;
  std::vector<Mat3> frames_;
  Vec rest_;
};

/// Flesh near a bone that follows it, as if the bone were thick (PBR 3.2; without it bodies spin about their bones):
///   E = k/2 sum over bones of  integral w_b |x(X) - C_b X|^2,  w_b = (1 - d^2 / r^2)^2 at distance d < r of the bone.
/// Refers to the elements.
class LatticeTwist final : public Energy {
 public:
  struct Bone {
    Vec3 from, to;  ///< at rest
    double radius;  ///< r, metres
    int transform;  ///< into what set_transforms gets
  };
  LatticeTwist(const LatticeElements& elements, std::span<const Bone> bones, double stiffness);

  /// C_b, from rest to the pose.
  void set_transforms(std::span<const Affine> transforms) { transforms_.assign(transforms.begin(), transforms.end()); }
  /// Adds `weight` times dE/dx's derivative by the transforms: g_C[b] += weight d(v . dE/dx)/dC_b.
  void add_transform_gradient(In v, double weight, std::vector<Affine>& g_C) const;
  /// Adds `weight` times the change of dE/dx where the transforms change by dC.
  void add_transform_change(std::span<const Affine> dC, double weight, Vec& g) const;

  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;

 private:
  struct Tie {
    int cell, transform;
    Mat8 M;                              ///< k integral w phi phi^T
    Eigen::Matrix<double, 8, 4> moment;  ///< k integral w phi (X, 1)^T
  };
  Eigen::Matrix<double, 8, 3> away(const Tie& tie, In x) const;
  const LatticeElements* elements_;
  std::vector<Tie> ties_;
  std::vector<Affine> transforms_;
};

}  // namespace rigspace
