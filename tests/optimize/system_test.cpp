#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/optimize/bordered_system.h"
#include "rigspace/optimize/dense_system.h"
#include "rigspace/optimize/energy.h"
#include "rigspace/optimize/sparse_system.h"

#include "optimize/energies.h"

#include <gtest/gtest.h>

#include <array>

namespace rigspace {
namespace {

using testing::random_matrix;
using testing::random_vector;

// A stream of random positive definite blocks over points, plus a diagonal; dense sum beside.
struct Stream {
  std::vector<std::vector<int>> points;
  std::vector<Mat> blocks;
  Mat dense;

  Stream(int point_count, int elements, unsigned seed) : dense(Mat::Zero(3 * point_count, 3 * point_count)) {
    std::mt19937 random(seed);
    for (int e = 0; e < elements; ++e) {
      const int k = 1 + static_cast<int>(random() % 4), near = static_cast<int>(random() % point_count);
      std::vector<int> ids;
      for (int a = 0; a < k; ++a) ids.push_back(static_cast<int>((near + random() % 6) % point_count));
      const Mat R = random_matrix(3 * k, 3 * k, seed + 17 * e);
      push(ids, R * R.transpose());
    }
    for (int i = 0; i < point_count; ++i) push({i}, Mat::Identity(3, 3));
  }
  void push(std::vector<int> ids, const Mat& block) {
    for (std::size_t b = 0; b < ids.size(); ++b)
      for (std::size_t a = 0; a < ids.size(); ++a)
        dense.block<3, 3>(3 * ids[a], 3 * ids[b]) += block.block<3, 3>(3 * a, 3 * b);
    points.push_back(std::move(ids));
    blocks.push_back(block);
  }
  void send(System& system) const {
    system.clear();
    for (std::size_t e = 0; e < blocks.size(); ++e) system.add(points[e], blocks[e].data());
    system.finish();
  }
};

Mat dense_of(const System& system) {
  Mat H(system.size(), system.size());
  Vec column;
  for (int i = 0; i < system.size(); ++i) {
    system.multiply(Vec::Unit(system.size(), i), column);
    H.col(i) = column;
  }
  return H;
}

double relative(const Mat& a, const Mat& b) { return (a - b).norm() / b.norm(); }

TEST(SolverDescription, NamesTheSolver) {
  EXPECT_NE(solver_description().find("METIS"), std::string::npos) << solver_description();
  RecordProperty("solver", solver_description());
}

TEST(Systems, SumTheirBlocksAndSolve) {
  const int points = 20, size = 3 * points;
  const Stream stream(points, 40, 1);
  std::vector<std::unique_ptr<System>> systems;
  systems.push_back(std::make_unique<SparseSystem>(size, 3));
  systems.push_back(std::make_unique<SparseSystem>(size, 1));
  systems.push_back(std::make_unique<DenseSystem>(size));
  systems.push_back(std::make_unique<BorderedSystem>(size - 7, 7, 1));
  systems.push_back(std::make_unique<BorderedSystem>(size - 9, 9, 3));
  systems.push_back(std::make_unique<BorderedSystem>(size, 0, 3));
  systems.push_back(std::make_unique<BorderedSystem>(0, size, 3));
  const Vec b = random_vector(size, 2);
  const Vec expected = solve_llt(stream.dense, b);
  for (const auto& system : systems) {
    for (int pass = 0; pass < 3; ++pass) {
      stream.send(*system);
      EXPECT_LT(relative(dense_of(*system), stream.dense), 1e-14);
      ASSERT_TRUE(system->factor(0));
      Vec u;
      system->solve(b, u);
      // The condition number is about 1e3.
      EXPECT_LT((u - expected).norm(), 1e-12 * expected.norm());
    }
    Vec diagonal;
    system->diagonal(diagonal);
    EXPECT_LT((diagonal - stream.dense.diagonal()).norm(), 1e-13 * diagonal.norm());
  }
}

TEST(Systems, ShiftByTheScaledDiagonalAndReportIndefiniteness) {
  const int size = 12;
  Mat A = random_matrix(size, size, 3);
  A = (A + A.transpose()).eval();
  ASSERT_LT(symmetric_eigenvalues(A)(0), 0);
  std::vector<int> all(size);
  std::iota(all.begin(), all.end(), 0);
  Vec D;
  positive_scaling(A.diagonal().eval(), D);
  EXPECT_GT(D.minCoeff(), 0);
  SparseSystem sparse(size);
  DenseSystem dense(size);
  BorderedSystem bordered(size - 3, 3);
  for (System* system : std::initializer_list<System*>{&sparse, &dense}) {
    system->clear();
    system->add_coordinates(all, A.data());
    system->finish();
    EXPECT_FALSE(system->factor(0));
    const double shift = 1e5;
    ASSERT_TRUE(system->factor(shift));
    const Vec b = random_vector(size, 4);
    Vec u;
    system->solve(b, u);
    const Vec back = A * u + shift * D.cwiseProduct(u);
    EXPECT_LT((back - b).norm(), 1e-10 * b.norm());
  }
  bordered.clear();
  bordered.add_coordinates(all, A.data());
  bordered.finish();
  EXPECT_FALSE(bordered.factor(0));
}

TEST(Systems, RefuseToFactorWhatIsNotANumber) {
  const double bad = std::nan("");
  const int zero = 0;
  SparseSystem sparse(6);
  DenseSystem dense(6);
  BorderedSystem bordered(3, 3);
  for (System* system : std::initializer_list<System*>{&sparse, &dense, &bordered}) {
    system->clear();
    system->add_coordinates({&zero, 1}, &bad);
    system->finish();
    EXPECT_FALSE(system->factor(0));
  }
}

TEST(Systems, HoldFixedCoordinates) {
  const int points = 10, size = 30;
  const Stream stream(points, 20, 5);
  std::vector<char> fixed(size, 0);
  for (const int i : {0, 4, 13, 27, 29}) fixed[i] = 1;
  Mat A = stream.dense;
  Vec b = random_vector(size, 6);
  for (int i = 0; i < size; ++i)
    if (fixed[i]) A.row(i).setZero(), A.col(i).setZero(), A(i, i) = 1;
  Vec held = b;
  for (int i = 0; i < size; ++i)
    if (fixed[i]) held(i) = 0;
  const Vec expected = solve_llt(A, held);
  SparseSystem sparse(size);
  DenseSystem dense(size);
  BorderedSystem bordered(size - 6, 6);
  for (System* system : std::initializer_list<System*>{&sparse, &dense, &bordered}) {
    stream.send(*system);
    system->set_fixed(fixed);
    ASSERT_TRUE(system->factor(0));
    Vec u;
    system->solve(b, u);
    EXPECT_LT((u - expected).norm(), 1e-12 * expected.norm());
    for (int i = 0; i < size; ++i) EXPECT_TRUE(!fixed[i] || u(i) == 0) << i;
    system->set_fixed({});
    ASSERT_TRUE(system->factor(0));
    system->solve(b, u);
    EXPECT_LT((stream.dense * u - b).norm(), 1e-11 * b.norm());
  }
}

TEST(SparseSystem, KeepsItsAnalysisWhileThePatternHolds) {
  const Stream stream(15, 30, 7);
  SparseSystem system(45);
  for (int pass = 0; pass < 4; ++pass) {
    stream.send(system);
    ASSERT_TRUE(system.factor(0));
  }
  EXPECT_EQ(system.analyses(), 1);
}

TEST(SparseSystem, SurvivesAStreamThatChanges) {
  // Contacts come and go between other elements: the sum is right each time, and only new pairs cost an analysis.
  SparseSystem system(60);
  const Mat contact = Mat::Ones(6, 6);
  for (const int scene : {0, 1, 0, 2, 1, 0}) {
    Stream stream(20, 24, 8);  // its elements span six points at most
    if (scene >= 1) stream.push({0, 9}, contact);
    if (scene == 2) stream.push({1, 11}, contact);
    if (scene == 2)
      std::swap(stream.points.front(), stream.points.back()), std::swap(stream.blocks.front(), stream.blocks.back());
    stream.send(system);
    EXPECT_LT(relative(dense_of(system), stream.dense), 1e-14);
    EXPECT_TRUE(system.factor(0));
  }
  EXPECT_EQ(system.analyses(), 3);
}

TEST(SparseSystem, KeepsThePairsOfContactsThatComeBack) {
  SparseSystem system(180);
  const Mat contact = Mat::Ones(6, 6);
  for (const int scene : {0, 1, 2, 1, 2, 0, 1}) {
    Stream stream(60, 90, 8);
    if (scene == 1) stream.push({0, 40}, contact);
    if (scene == 2) stream.push({1, 51}, contact);
    stream.send(system);
    EXPECT_LT(relative(dense_of(system), stream.dense), 1e-14);
    EXPECT_TRUE(system.factor(0));
  }
  EXPECT_EQ(system.analyses(), 3) << "of the stream alone, with the first contact, and with the second";
}

TEST(SparseSystem, MixesPointsAndCoordinates) {
  SparseSystem system(9);
  Mat expected = Mat::Zero(9, 9);
  const Mat block = Mat::Identity(6, 6) * 3 + Mat::Ones(6, 6);
  const std::vector<int> points{2, 0}, coordinates{8, 3, 3};
  Mat scalar(3, 3);
  scalar << 5, 1, 2, 1, 6, 3, 2, 3, 7;
  for (int pass = 0; pass < 2; ++pass) {
    system.clear();
    system.add(points, block.data());
    system.add_coordinates(coordinates, scalar.data());
    system.finish();
  }
  const int ids[] = {6, 7, 8, 0, 1, 2};
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b) expected(ids[a], ids[b]) += block(a, b);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) expected(coordinates[a], coordinates[b]) += scalar(a, b);
  EXPECT_EQ(dense_of(system), expected);
}

TEST(SparseSystem, RefusesSizesThatBlocksDoNotDivide) { EXPECT_THROW(SparseSystem(10, 3), Error); }

// Springs along the edges of cubes of n^3 points that do not touch each other: separators of several sizes, subtrees
// of very different work, and more than one root.
void send_cubes(System& system, std::span<const int> sizes) {
  system.clear();
  int start = 0;
  for (const int n : sizes) {
    const auto id = [&](int i, int j, int k) { return start + (i * n + j) * n + k; };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) {
          const Mat own = Mat::Identity(3, 3) * (0.1 + 0.01 * ((i + 2 * j + 3 * k) % 7));
          const int here = id(i, j, k);
          system.add({&here, 1}, own.data());
          for (const auto& [a, b, c] : {std::array{1, 0, 0}, std::array{0, 1, 0}, std::array{0, 0, 1}}) {
            if (i + a == n || j + b == n || k + c == n) continue;
            const Mat R = random_matrix(3, 3, static_cast<unsigned>(100 * here + a + 2 * b));
            const Mat K = R * R.transpose();
            Mat edge(6, 6);
            edge << K, -K, -K, K;
            const std::array ends = {here, id(i + a, j + b, k + c)};
            system.add(ends, edge.data());
          }
        }
    start += n * n * n;
  }
  system.finish();
}

TEST(SparseSystem, SolvesSeveralBodiesWithTheSameBitsOnAnyNumberOfThreads) {
  const std::array sizes = {9, 1, 5, 2};
  const int size = 3 * (729 + 1 + 125 + 8);
  const Vec b = random_vector(size, 3);
  const Mat B = random_matrix(size, 29, 4);
  Vec reference;
  Mat half_reference;
  for (const int threads : {1, 2, 8}) {
    const ThreadCountScope scope(threads);
    SparseSystem system(size, 3);
    send_cubes(system, sizes);
    ASSERT_TRUE(system.factor(0));
    Vec u, back;
    system.solve(b, u);
    system.multiply(u, back);
    EXPECT_LT(relative(back, b), 1e-12);  // condition about 1e3
    Mat half = B;
    system.half_solve(half);
    if (threads == 1) {
      reference = u, half_reference = half;
      // Y^T Y = B^T A^-1 B
      Mat solved(size, B.cols());
      for (int j = 0; j < B.cols(); ++j) system.solve(B.col(j), u), solved.col(j) = u;
      EXPECT_LT(relative(half.transpose() * half, B.transpose() * solved), 1e-12);
    }
    EXPECT_TRUE(u.size() == reference.size() && half == half_reference);
    system.solve(b, u);
    EXPECT_TRUE(u == reference) << threads << " threads";
  }
}

TEST(BorderedSystem, EqualsTheDenseSolve) {
  const int points = 60, border = 25, interior = 3 * points, size = interior + border;
  const Stream stream(points, 150, 9);
  Mat K = Mat::Zero(size, size);
  K.topLeftCorner(interior, interior) = stream.dense;
  const Mat B = random_matrix(interior, border, 10);
  K.topRightCorner(interior, border) = B;
  K.bottomLeftCorner(border, interior) = B.transpose();
  K.bottomRightCorner(border, border) = 200 * Mat::Identity(border, border);
  ASSERT_TRUE(cholesky(K));
  BorderedSystem system(interior, border);
  system.clear();
  for (std::size_t e = 0; e < stream.blocks.size(); ++e) system.add(stream.points[e], stream.blocks[e].data());
  system.border() = B;
  system.corner() = K.bottomRightCorner(border, border);
  system.finish();
  for (const double shift : {0.0, 0.5}) {
    Vec DA, DC;  // each block is scaled by itself
    positive_scaling(K.diagonal().head(interior).eval(), DA);
    positive_scaling(K.diagonal().tail(border).eval(), DC);
    Mat shifted = K;
    shifted.diagonal().head(interior) += shift * DA;
    shifted.diagonal().tail(border) += shift * DC;
    ASSERT_TRUE(system.factor(shift));
    const Vec r = random_vector(size, 11);
    Vec u;
    system.solve(-r, u);
    EXPECT_LT((u - solve_llt(shifted, -r)).norm(), 1e-10 * u.norm());
    if (shift > 0) continue;
    // The printed equations, signs as in the errata.
    const Mat Knn_inv = inverse(stream.dense);
    const Vec rn = r.head(interior), rp = r.tail(border);
    const Mat S = K.bottomRightCorner(border, border) - B.transpose() * Knn_inv * B;
    const Vec dp = solve_llt(S, -(rp - B.transpose() * Knn_inv * rn));
    EXPECT_LT((u.tail(border) - dp).norm(), 1e-10 * dp.norm());
    EXPECT_LT((u.head(interior) - Knn_inv * (-rn - B * dp)).norm(), 1e-10 * u.norm());
  }
}

TEST(DenseSystem, FactorsAcrossTiles) {
  const int size = 201;  // three tiles and a bit
  const Mat R = random_matrix(size, size, 12), A = R * R.transpose() + Mat::Identity(size, size);
  DenseSystem system(size);
  system.matrix() = A;
  ASSERT_TRUE(system.factor(0));
  const Vec b = random_vector(size, 13);
  Vec u;
  system.solve(b, u);
  EXPECT_LT((A * u - b).norm(), 1e-10 * b.norm());
  system.matrix()(150, 150) = -1;
  EXPECT_FALSE(system.factor(0));
}

TEST(Projection, ClampsOrFlipsNegativeEigenvaluesAlone) {
  for (const int n : {2, 3, 6, 9, 12, 15, 40}) {
    const Mat V = Mat(random_matrix(n, n, 14 + n).householderQr().householderQ());
    Vec lambda = random_vector(n, 15 + n, 3), clamped = lambda.cwiseMax(0.0), flipped = lambda.cwiseAbs();
    lambda(0) = -2, clamped(0) = 0, flipped(0) = 2;
    const Mat A = V * lambda.asDiagonal() * V.transpose();
    Mat clamp = (A + A.transpose()) / 2, flip = clamp;
    project_positive_definite(clamp.data(), n);
    project_positive_definite(flip.data(), n, NegativeEigenvalues::flip);
    EXPECT_LT((clamp - V * clamped.asDiagonal() * V.transpose()).norm(), 1e-12);
    EXPECT_LT((flip - V * flipped.asDiagonal() * V.transpose()).norm(), 1e-12);
    Mat definite = V * flipped.cwiseMax(0.1).asDiagonal() * V.transpose(), same = definite;
    project_positive_definite(same.data(), n);
    EXPECT_EQ(same, definite);
  }
}

}  // namespace
}  // namespace rigspace
