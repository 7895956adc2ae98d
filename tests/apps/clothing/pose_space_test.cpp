// The database of what a garment did, by pose, on shapes and displacements that are made here, so that what it should
// find is known.

#include "rigspace/apps/clothing/cloth_basis.h"
#include "rigspace/apps/clothing/pose_space_database.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>

namespace rigspace::pose_space_test {
namespace {

constexpr int kPoints = 40;

/// The skinned shape at two controls.
Vec posed(double bend, double twist) {
  Vec s(3 * kPoints);
  for (int i = 0; i < kPoints; ++i) {
    const double h = i / double(kPoints), a = 2.4 * i + twist * h;
    point(s, i) = Vec3(std::cos(a), 3 * h, std::sin(a) + bend * h * h);
  }
  return s;
}

struct Poses {
  Mat controls;  // bend and twist
  Mat shapes;
};

Poses some_poses(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Poses poses{Mat(2, count), Mat(3 * kPoints, count)};
  for (int k = 0; k < count; ++k) {
    poses.controls.col(k) << uniform(random), uniform(random);
    poses.shapes.col(k) = posed(poses.controls(0, k), poses.controls(1, k));
  }
  return poses;
}

Vec random_vector(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  return Vec::NullaryExpr(3 * kPoints, [&] { return normal(random); });
}

/// Folds: four shapes, by amounts that depend on the pose.
Vec folds(In controls) {
  return 0.5 * random_vector(1) + controls[0] * random_vector(2) + controls[1] * random_vector(3) +
         controls[0] * controls[1] * random_vector(4);
}

PoseSpaceDatabase database_of(const Poses& poses, const DatabaseOptions& options = {}) {
  const PoseParameters parameters(poses.shapes);
  Mat places(parameters.dimensions(), poses.shapes.cols());
  for (Eigen::Index k = 0; k < places.cols(); ++k) places.col(k) = parameters.position(poses.shapes.col(k));
  return PoseSpaceDatabase(
      parameters, places, [&](int k, Vec& u) { u = folds(poses.controls.col(k)); }, "sweater", options);
}

std::filesystem::path scratch(const char* name) { return std::filesystem::path(::testing::TempDir()) / name; }

TEST(PoseClusters, FindsGroupsThatStandApart) {
  Mat places(2, 30);
  for (int k = 0; k < 30; ++k) places.col(k) << 10 * (k % 3) + 0.01 * k, 7 * (k % 3 == 1) + 0.02 * k;
  const std::vector<int> cluster = pose_clusters(places, 3);
  for (int k = 3; k < 30; ++k) EXPECT_EQ(cluster[k], cluster[k % 3]);
  EXPECT_NE(cluster[0], cluster[1]);
  EXPECT_NE(cluster[1], cluster[2]);
  EXPECT_EQ(pose_clusters(Mat::Zero(2, 5), 3), std::vector<int>(5, 0));  // one place: one cluster
}

// Near a site its vectors give back what was seen there, its mean too, which components about it do not span.
TEST(PoseSpaceDatabase, SpansWhatAGarmentDoesNearEachSite) {
  const PoseSpaceDatabase database = database_of(some_poses(120, 3), {.sites = 6});
  ASSERT_EQ(database.site_count(), 6);
  const Poses unseen = some_poses(20, 4);
  for (int k = 0; k < 20; ++k) {
    const auto near = database.sites_near(database.parameters().position(unseen.shapes.col(k)), 1e9);
    ASSERT_EQ(near.size(), 6u);
    const Mat A = database.vectors(near[0].site).cast<double>();
    EXPECT_LT((A.transpose() * A - Mat::Identity(A.cols(), A.cols())).norm(), 1e-5);
    const Vec u = folds(unseen.controls.col(k));
    EXPECT_LT((u - A * (A.transpose() * u)).norm(), 1e-4 * u.norm());
  }
}

TEST(PoseSpaceDatabase, LeavesOutWhatIsBelowTheThreshold) {
  const Poses poses = some_poses(120, 3);
  const int all = database_of(poses, {.sites = 4, .threshold = 0}).vector_count();
  EXPECT_LT(database_of(poses, {.sites = 4, .threshold = 0.5}).vector_count(), all);
  EXPECT_EQ(database_of(poses, {.sites = 4, .threshold = 0, .most_vectors = 2}).vector_count(), 8);
}

TEST(PoseSpaceDatabase, IsTheSameFromItsFile) {
  const PoseSpaceDatabase made = database_of(some_poses(60, 5), {.sites = 3});
  const auto path = scratch("sweater.cloth");
  made.save(path);
  const PoseSpaceDatabase read = PoseSpaceDatabase::load(path, "sweater");
  ASSERT_EQ(read.site_count(), made.site_count());
  EXPECT_EQ(read.radius(), made.radius());
  for (int site = 0; site < made.site_count(); ++site) {
    EXPECT_EQ(read.place(site), made.place(site));
    EXPECT_EQ(Eigen::MatrixXf(read.vectors(site)), Eigen::MatrixXf(made.vectors(site)));
  }
  const Vec s = posed(0.2, 0.7);
  EXPECT_EQ(read.parameters().position(s), made.parameters().position(s));
}

TEST(PoseSpaceDatabase, RefusesFilesThatAreNotItsOwn) {
  const auto path = scratch("broken.cloth");
  database_of(some_poses(60, 5), {.sites = 3}).save(path);
  const std::vector<std::byte> whole = read_file(path);
  const auto refused = [&](std::vector<std::byte> bytes, const char* words, std::string_view garment = "sweater") {
    write_file(path, bytes);
    try {
      PoseSpaceDatabase::load(path, garment);
      FAIL() << words;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("broken.cloth"), std::string::npos);
    }
  };
  refused(whole, "another garment", "trousers");
  auto bytes = whole;
  bytes[bytes.size() / 2] ^= std::byte{1};
  refused(bytes, "damaged");
  bytes = whole, bytes.resize(whole.size() - 100);
  refused(bytes, "cut short");
  bytes = whole, bytes[16] = std::byte{9};
  refused(bytes, "version 9");
  bytes = whole, bytes[0] = std::byte{'x'};
  refused(bytes, "no database");
  refused({}, "no database");
}

std::vector<Mat3> turns() {
  std::vector<Mat3> B;
  for (int i = 0; i < kPoints; ++i) B.push_back(Eigen::AngleAxisd(0.1 * i, Vec3::UnitX()).toRotationMatrix());
  return B;
}

Mat chosen(const PoseSpaceDatabase& database, const ClothBasis& basis) {
  Mat A(3 * kPoints, std::ssize(basis.vectors));
  for (std::size_t k = 0; k < basis.vectors.size(); ++k)
    A.col(static_cast<Eigen::Index>(k)) = database.vector(basis.vectors[k]).cast<double>();
  return A;
}

TEST(ClothBasis, HoldsWhatTheGradientAsksFor) {
  const PoseSpaceDatabase database = database_of(some_poses(120, 3), {.sites = 6});
  const Vec z = database.parameters().position(posed(0.4, 0.1)), wanted = folds(Eigen::Vector2d(0.4, 0.1));
  const std::vector<Mat3> B = turns();
  Vec pulled(3 * kPoints);  // B^T g of |B (wanted - x)|^2 / 2 at x = 0
  for (int i = 0; i < kPoints; ++i) point(pulled, i) = -B[i].transpose() * B[i] * point(wanted, i);
  const ClothBasisPool pool(database, z, B, {.size = 6});
  EXPECT_FALSE(pool.far());
  const Mat A = chosen(database, pool.choose(pulled.cast<float>()));
  ASSERT_EQ(A.cols(), 6);
  const ThinSvd svd = thin_svd(A);
  const Mat U = svd.U.leftCols((svd.sigma.array() > 1e-4 * svd.sigma[0]).count());
  EXPECT_LT((wanted - U * (U.transpose() * wanted)).norm(), 1e-4 * wanted.norm());
}

TEST(ClothBasis, PrefersVectorsAlongTheGradientAndNearThePose) {
  const PoseSpaceDatabase database = database_of(some_poses(120, 3), {.sites = 6, .threshold = 0});
  const std::vector<Mat3> B(kPoints, Mat3::Identity());
  const Eigen::VectorXf g = database.vectors(2).col(1);
  const ClothBasisPool pool(database, database.place(2), B, {.size = 1});
  const Mat one = chosen(database, pool.choose(g));
  ASSERT_EQ(one.cols(), 1);
  EXPECT_GT(std::abs(one.col(0).dot(g.cast<double>())), 1 - 1e-5);
}

TEST(ClothBasis, FarFromTheDataHasNoVectors) {
  const PoseSpaceDatabase database = database_of(some_poses(60, 3), {.sites = 3});
  const std::vector<Mat3> B(kPoints, Mat3::Identity());
  const ClothBasisPool pool(database, Vec::Constant(database.parameters().dimensions(), 1e3), B);
  EXPECT_TRUE(pool.far());
  EXPECT_GT(pool.nearest(), 100);
  EXPECT_TRUE(pool.choose(random_vector(7).cast<float>()).vectors.empty());
}

// Figure 6.5: the same vectors in every pose and for every gradient.
TEST(ClothBasis, AFixedOneDoesNotAdapt) {
  const PoseSpaceDatabase database = database_of(some_poses(60, 3), {.sites = 3});
  const std::vector<Mat3> B(kPoints, Mat3::Identity());
  const ClothBasisOptions fixed{.size = 5, .adaptive = false};
  const auto at = [&](In place, unsigned seed) {
    std::vector<int> vectors =
        ClothBasisPool(database, place, B, fixed).choose(random_vector(seed).cast<float>()).vectors;
    std::sort(vectors.begin(), vectors.end());
    return vectors;
  };
  EXPECT_EQ(at(database.place(0), 1), at(Vec::Constant(database.parameters().dimensions(), 1e3), 2));
}

}  // namespace
}  // namespace rigspace::pose_space_test
