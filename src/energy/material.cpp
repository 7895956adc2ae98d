#include "rigspace/energy/material.h"

#include "isotropic.h"
#include "rigspace/base/error.h"

#include <string>

namespace rigspace {
namespace {

Matrix3<double> plain(const Mat3& F) {
  Matrix3<double> A;
  std::copy_n(F.data(), 9, A.m);
  return A;
}

}  // namespace

std::string_view name(MaterialKind kind) {
  switch (kind) {
    case MaterialKind::neo_hookean: return "neo-hookean";
    case MaterialKind::st_venant_kirchhoff: return "st-venant-kirchhoff";
    case MaterialKind::modified_st_venant_kirchhoff: return "modified-st-venant-kirchhoff";
    case MaterialKind::corotational: return "corotational";
    case MaterialKind::stiffening: return "stiffening";
    case MaterialKind::stable_neo_hookean: break;
  }
  return "stable-neo-hookean";
}

MaterialKind material_kind(std::string_view wanted) {
  std::string known;
  for (const MaterialKind kind : kAllMaterialKinds) {
    if (name(kind) == wanted) return kind;
    known += (known.empty() ? "" : ", ") + std::string(name(kind));
  }
  throw Error({.code = ErrorCode::usage,
               .element = "material \"" + std::string(wanted) + "\"",
               .value = std::string(wanted),
               .problem = "is unknown",
               .remedy = "choose one of " + known});
}

bool recovers_from_inversion(MaterialKind kind) { return contains_stable_neo_hookean(kind); }

bool forbids_inversion(MaterialKind kind) { return kind == MaterialKind::neo_hookean; }

Lame lame(double young, double poisson) {
  return {.mu = young / (2 * (1 + poisson)), .lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
}

void Material::validate() const {
  if (!(young > 0) || !std::isfinite(young))
    throw Error({.code = ErrorCode::usage,
                 .element = "Young's modulus",
                 .value = std::to_string(young),
                 .problem = "is " + std::to_string(young) + " Pa",
                 .remedy = "expected a positive number; flesh is 1e4 to 1e5"});
  if (!(poisson >= 0 && poisson < 0.5))
    throw Error({.code = ErrorCode::usage,
                 .element = "Poisson's ratio",
                 .value = std::to_string(poisson),
                 .problem = "is " + std::to_string(poisson),
                 .remedy = "expected a number from 0 to below 0.5"});
}

Coefficients coefficients(const Material& material) {
  const Lame l = lame(material.young, material.poisson);
  if (!contains_stable_neo_hookean(material.kind)) return {l.mu, l.lambda, 1};
  const double mu = 4.0 / 3 * l.mu, lambda = l.lambda + 5.0 / 6 * l.mu;
  return {mu, lambda, 1 + 0.75 * mu / lambda, Growth<double>::kModulus * l.mu};
}

double energy_density(const Material& material, const Mat3& F) {
  return dispatch(material.kind, [&]<MaterialKind kind>() { return density<kind>(coefficients(material), plain(F)); });
}

Mat3 stress(const Material& material, const Mat3& F) {
  const Matrix3<double> P =
      dispatch(material.kind, [&]<MaterialKind kind>() { return first_piola<kind>(coefficients(material), plain(F)); });
  return Eigen::Map<const Mat3>(P.m);
}

Mat9 stress_derivative(const Material& material, const Mat3& F, HessianMode mode) {
  const Svd3<double> svd = decompose(plain(F));
  PrincipalSystem<double> system = dispatch(
      material.kind, [&]<MaterialKind kind>() { return principal_system<kind>(coefficients(material), svd.s); });
  if (mode == HessianMode::projected) clamp(system);

  const Eigen::Map<const Mat3> U(svd.U.m), V(svd.V.m);
  const auto mode_vector = [&](int i, int j) -> Eigen::Matrix<double, 9, 1> {
    const Mat3 outer = U.col(i) * V.col(j).transpose();
    return Eigen::Map<const Eigen::Matrix<double, 9, 1>>(outer.data());
  };
  constexpr int kIndex[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  Mat9 H = Mat9::Zero();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) H += system.A[kIndex[i][j]] * mode_vector(i, i) * mode_vector(j, j).transpose();
  for (int k = 0; k < 3; ++k) {
    const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    const Eigen::Matrix<double, 9, 1> twist = mode_vector(i, j) - mode_vector(j, i);
    const Eigen::Matrix<double, 9, 1> flip = mode_vector(i, j) + mode_vector(j, i);
    H += 0.5 * system.twist[k] * twist * twist.transpose() + 0.5 * system.flip[k] * flip * flip.transpose();
  }
  return H;
}

SignedSvd signed_svd(const Mat3& F) {
  const Svd3<double> svd = decompose(plain(F));
  return {Eigen::Map<const Mat3>(svd.U.m), Eigen::Map<const Mat3>(svd.V.m), {svd.s[0], svd.s[1], svd.s[2]}};
}

}  // namespace rigspace
