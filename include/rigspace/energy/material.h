#pragma once
// Isotropic elastic materials: energy density psi(F), stress P = dpsi/dF and its derivative, in closed form.

#include "rigspace/base/types.h"
#include "rigspace/optimize/energy.h"

#include <string_view>

namespace rigspace {

/// With Lame's mu and lambda, J = det F, C = F^T F, E = (C - I) / 2 and signed principal stretches s (the smallest in
/// magnitude carries the sign of J). All have psi(I) = 0, P(I) = 0, and at small strain the same second derivative,
/// that of linear elasticity.
enum class MaterialKind {
  /// m/2 (|F|^2 - 3) - m/2 log((|F|^2 + 1)/4) + l/2 (J - a)^2 - l/2 (1 - a)^2 with m = 4/3 mu, l = lambda + 5/6 mu,
  /// a = 1 + 3m/(4l) (Smith et al. 2018). Finite everywhere; recovers from inversion: the log term leaves no minimum
  /// at F = 0.
  stable_neo_hookean,
  /// mu/2 (|F|^2 - 3) - mu log J + lambda/2 (log J)^2. +infinity where J <= 0, so it must not start inverted.
  neo_hookean,
  /// mu |E|^2 + lambda/2 (tr E)^2. Gives way under strong compression, and a mirrored element is at rest.
  st_venant_kirchhoff,
  /// Thesis (3.5) with its volume term squared and signed (as printed the rest state is no equilibrium): mu_T/2 |E|^2 +
  /// lambda/2 (1 - J)^2 with mu_T = E/(1 + nu), twice Lame's. Resists inversion; recovery from it is not guaranteed.
  modified_st_venant_kirchhoff,
  /// mu |F - R|^2 + lambda/2 (tr(R^T F) - 3)^2, R the rotation nearest to F (a rotation also where J < 0). Finite
  /// everywhere. Mostly leaves inversion for Poisson's ratios up to 0.4; near 0.5 bodies come to rest with inverted
  /// elements, so recovery is not guaranteed. Not smooth where two stretches sum to zero, which takes an inverted
  /// element.
  corotational,
  /// Stable neo-Hookean, and beside it 12 mu x^3 / (x + 2)^2 with x = |F|^2 + J^2 - 4 J, which is 2 |strain|^2 near
  /// rest and is least, 0, at the rotations (and at F = 0, where the other part is no minimum). Soft near rest, then
  /// stiffer and stiffer, so that fast motion stays bounded (Thesis 7.2.1): pulled, at Poisson's ratio 0.4, its stress
  /// is that of stable neo-Hookean up to 1 % at 10 % strain, 3.3 times it at 50 %, 10 times at 100 %; its tangent at
  /// 40 % is 4 times that at rest. Finite everywhere; recovers from inversion: with two stretches at 1,
  /// x = 2 (s - 1)^2.
  stiffening,
};

constexpr MaterialKind kAllMaterialKinds[] = {
    MaterialKind::stable_neo_hookean,           MaterialKind::neo_hookean,  MaterialKind::st_venant_kirchhoff,
    MaterialKind::modified_st_venant_kirchhoff, MaterialKind::corotational, MaterialKind::stiffening};

/// "stable-neo-hookean", as options spell it.
std::string_view name(MaterialKind);
/// The kind of that name; throws Error with the list of names.
MaterialKind material_kind(std::string_view name);

/// No element comes to rest inverted by itself, and a body whose points were pushed through each other by half a cell,
/// or which was turned inside out, returns to its rest shape when minimised. That is not every state: points thrown
/// about at random can end in a knot, a true minimum (of 40 such cubes 38 came back at Poisson's ratio 0.3, 6 at 0.45).
bool recovers_from_inversion(MaterialKind);
/// Infinite for inverted elements: steps are limited so that none inverts.
bool forbids_inversion(MaterialKind);

struct Lame {
  double mu = 0;      ///< shear modulus, Pa
  double lambda = 0;  ///< Pa
};

/// From Young's modulus in Pa and Poisson's ratio in (-1, 0.5).
Lame lame(double young, double poisson);

struct Material {
  MaterialKind kind = MaterialKind::stable_neo_hookean;
  double young = 5e4;    ///< Young's modulus, Pa; flesh is 1e4 to 1e5
  double poisson = 0.4;  ///< Poisson's ratio; linear tetrahedra lock toward 0.5

  /// Throws Error unless young > 0 is finite and poisson is in [0, 0.5).
  void validate() const;
};

using Mat9 = Eigen::Matrix<double, 9, 9>;

/// Energy per rest volume, J/m^3.
double energy_density(const Material&, const Mat3& F);
/// P = dpsi/dF, first Piola-Kirchhoff stress, Pa.
Mat3 stress(const Material&, const Mat3& F);
/// dP/dF over the columns of F stacked, Pa; projected: with its negative eigenvalues set to zero, from the closed-form
/// eigensystem of isotropic energies (Smith et al. 2019): three twists, three flips, and a 3x3 problem of scalings.
Mat9 stress_derivative(const Material&, const Mat3& F, HessianMode);

/// F = U diag(s) V^T with rotations U and V, s0 >= s1 >= |s2|; s2 < 0 where det F < 0.
struct SignedSvd {
  Mat3 U, V;
  Vec3 s;
};
SignedSvd signed_svd(const Mat3& F);

}  // namespace rigspace
