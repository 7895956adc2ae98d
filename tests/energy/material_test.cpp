#include "rigspace/energy/material.h"

#include "energy/bodies.h"
#include "rigspace/base/error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace {
namespace {

using namespace testing;

class EveryMaterial : public ::testing::TestWithParam<MaterialKind> {
 protected:
  Material material(double poisson = 0.3) const { return {.kind = GetParam(), .young = 2.5, .poisson = poisson}; }
  /// Deformations from slight to strong, turned; inverted ones too where the material allows.
  std::vector<Mat3> deformations() const {
    std::vector<Mat3> all;
    for (unsigned seed = 1; seed <= 40; ++seed) {
      Mat3 F = turn(seed) * (Mat3::Identity() + noise3(seed + 100, 0.04 * seed));
      if (forbids_inversion(GetParam()) && F.determinant() < 0.05) continue;
      all.push_back(F);
    }
    return all;
  }
};

INSTANTIATE_TEST_SUITE_P(Materials, EveryMaterial, ::testing::ValuesIn(kAllMaterialKinds), [](const auto& test) {
  std::string text(name(test.param));
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
});

// Linear elasticity: dP = mu (dF + dF^T) + lambda tr(dF) I.
Mat9 linear_elasticity(const Lame& l) {
  Mat9 H = Mat9::Zero();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      H(i + 3 * j, i + 3 * j) += l.mu;
      H(i + 3 * j, j + 3 * i) += l.mu;
      H(i + 3 * i, j + 3 * j) += l.lambda;
    }
  return H;
}

TEST_P(EveryMaterial, AgreesWithLinearElasticityAtSmallStrain) {
  for (const double poisson : {0.0, 0.3, 0.45}) {
    const Mat9 expected = linear_elasticity(lame(2.5, poisson));
    const Mat9 H = stress_derivative(material(poisson), Mat3::Identity(), HessianMode::exact);
    EXPECT_LT((H - expected).norm(), 1e-12 * expected.norm()) << poisson;
    // And in the stress of a small strain: the next term is of the order of the strain.
    const Mat3 small = noise3(3, 1e-7);
    const Eigen::Matrix<double, 9, 1> linear = expected * Eigen::Map<const Eigen::Matrix<double, 9, 1>>(small.data());
    const Mat3 P = stress(material(poisson), Mat3::Identity() + small);
    EXPECT_LT((P - Eigen::Map<const Mat3>(linear.data())).norm(), 1e-6 * linear.norm()) << poisson;
  }
}

TEST_P(EveryMaterial, RestIsAnEquilibriumWithoutEnergy) {
  for (unsigned seed = 1; seed < 6; ++seed) {
    EXPECT_LT(std::abs(energy_density(material(), turn(seed))), 1e-15);
    EXPECT_LT(stress(material(), turn(seed)).norm(), 5e-15);
  }
}

TEST_P(EveryMaterial, IsInvariantUnderRotation) {
  unsigned seed = 50;
  for (const Mat3& F : deformations()) {
    const Mat3 R = turn(++seed), Q = turn(seed + 1000);
    const double psi = energy_density(material(), F);
    EXPECT_NEAR(energy_density(material(), R * F), psi, 1e-12 * psi);
    EXPECT_NEAR(energy_density(material(), F * Q), psi, 1e-12 * psi) << "isotropic";
    const Mat3 P = stress(material(), F);
    EXPECT_LT((stress(material(), R * F) - R * P).norm(), 1e-11 * P.norm());
  }
}

TEST_P(EveryMaterial, StressIsTheDerivativeOfTheDensity) {
  const double h = 1e-4;
  for (const Mat3& F : deformations()) {
    const Mat3 P = stress(material(), F);
    ASSERT_GT(P.norm(), 0);
    for (int k = 0; k < 9; ++k) {
      const auto psi = [&](double offset) {
        Mat3 G = F;
        G.data()[k] += offset;
        return energy_density(material(), G);
      };
      const double difference = (8 * (psi(h) - psi(-h)) - (psi(2 * h) - psi(-2 * h))) / (12 * h);
      EXPECT_NEAR(P.data()[k], difference, 1e-8 * P.norm() + 1e-10) << F;
    }
  }
}

TEST_P(EveryMaterial, StressDerivativeIsTheDerivativeOfTheStress) {
  const double h = 1e-4;
  for (const Mat3& F : deformations()) {
    const Vec3 s = signed_svd(F).s;
    if (GetParam() == MaterialKind::corotational && s(1) + s(2) < 0.05) continue;  // next to its kink
    const Mat9 H = stress_derivative(material(), F, HessianMode::exact);
    for (int k = 0; k < 9; ++k) {
      const auto P = [&](double offset) {
        Mat3 G = F;
        G.data()[k] += offset;
        return stress(material(), G);
      };
      const Mat3 difference = (8 * (P(h) - P(-h)) - (P(2 * h) - P(-2 * h))) / (12 * h);
      EXPECT_LT((Eigen::Map<const Mat3>(H.col(k).data()) - difference).norm(), 1e-7 * H.norm()) << F;
    }
  }
}

TEST_P(EveryMaterial, ProjectionIsThatOfTheEigensolver) {
  int indefinite = 0;
  for (const Mat3& F : deformations()) {
    const Mat9 exact = stress_derivative(material(), F, HessianMode::exact);
    Mat9 expected = exact;
    project_positive_definite(expected.data(), 9);
    indefinite += (expected - exact).norm() > 1e-6 * exact.norm();
    const Mat9 projected = stress_derivative(material(), F, HessianMode::projected);
    EXPECT_LT((projected - expected).norm(), 1e-12 * exact.norm()) << F;
  }
  EXPECT_GT(indefinite, 5) << "too few cases to tell";
}

TEST_P(EveryMaterial, KeepsItsEnergyAtTinyStrainsExact) {
  // psi is 1e-12 of the modulus at strains of 1e-6; evaluated from |F|^2 - 3 and J - 1 alone it would carry an error
  // of 1e-4 of itself.
  const double strain = 1e-6;
  const Mat3 R = turn(4);
  const Mat3 S = Mat3::Identity() + strain * Mat3(Vec3(1, -0.5, 0.25).asDiagonal());
  const Lame l = lame(2.5, 0.3);
  const double expected = l.mu * strain * strain * (1 + 0.25 + 0.0625) + 0.5 * l.lambda * std::pow(0.75 * strain, 2);
  EXPECT_NEAR(energy_density(material(), R * S), expected, 1e-5 * expected);
}

TEST_P(EveryMaterial, SaysWhatInversionMeansToIt) {
  const Mat3 mirrored = Vec3(1, 1, -1).asDiagonal();
  const double psi = energy_density(material(), mirrored);
  if (forbids_inversion(GetParam()))
    EXPECT_EQ(psi, std::numeric_limits<double>::infinity());
  else
    EXPECT_TRUE(std::isfinite(psi));
  if (recovers_from_inversion(GetParam())) {
    // Along the stretch that is inverted, the energy falls all the way to 1. (Below -1 another stretch would be the
    // smallest, and carry the sign.)
    double before = std::numeric_limits<double>::infinity();
    for (double s = -0.95; s < 1; s += 0.05) {
      const double now = energy_density(material(0.4), Vec3(1, 1, s).asDiagonal().toDenseMatrix());
      EXPECT_LT(now, before) << s;
      before = now;
    }
  }
}

TEST(SignedSvd, DecomposesAnyMatrixIntoRotationsAndSignedStretches) {
  std::vector<Mat3> matrices = {Mat3::Zero(),
                                Mat3::Identity(),
                                -Mat3::Identity(),
                                Mat3::Ones(),
                                Vec3(0, 0, 2).asDiagonal(),
                                Vec3(1, 1, -1).asDiagonal(),
                                Vec3(1e-9, 1, 1e9).asDiagonal()};
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Mat3 A = noise3(seed, 1);
    matrices.push_back(A);
    matrices.push_back(A.col(0) * A.col(1).transpose());                               // rank one
    matrices.push_back(A * Mat3(Vec3(1, 1, 0).asDiagonal()) * noise3(seed + 500, 1));  // rank two
    matrices.push_back(turn(seed) * (Mat3::Identity() + noise3(seed + 900, 1e-9)));    // nearly equal stretches
  }
  for (const Mat3& F : matrices) {
    const SignedSvd svd = signed_svd(F);
    const double size = F.norm() + 1e-300;
    EXPECT_LT((svd.U * svd.s.asDiagonal() * svd.V.transpose() - F).norm(), 1e-14 * size + 1e-300) << F;
    for (const Mat3& R : {svd.U, svd.V}) {
      EXPECT_LT((R.transpose() * R - Mat3::Identity()).norm(), 1e-14) << F;
      EXPECT_GT(R.determinant(), 0.5) << F;
    }
    EXPECT_GE(svd.s(0), svd.s(1) - 1e-14 * size);
    EXPECT_GE(svd.s(1), std::abs(svd.s(2)) - 1e-14 * size);
  }
}

TEST(Material, NamesRoundTripAndUnknownOnesAreListed) {
  for (const MaterialKind kind : kAllMaterialKinds) EXPECT_EQ(material_kind(name(kind)), kind);
  try {
    material_kind("jelly");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("corotational"), std::string::npos) << error.what();
  }
  EXPECT_THROW((Material{.young = -1}.validate()), Error);
  EXPECT_THROW((Material{.poisson = 0.5}.validate()), Error);
}

}  // namespace
}  // namespace rigspace
