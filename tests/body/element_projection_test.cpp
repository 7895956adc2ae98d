#include "rigspace/body/element_projection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace rigspace {
namespace {

/// Symmetric blocks over one to four of 30 nodes, several over the same ones; each node feels some of the controls.
struct ProjectedBlocks {
  struct Block {
    std::vector<int> points;
    Mat H;
  };

  ProjectedBlocks(int controls, int felt) : J{.columns = controls, .start = {0}, .column = {}, .value = {}} {
    for (int i = 0; i < 30; ++i) {
      if (i % 7 == 3) {
        roles.push_back(i);  // held
        continue;
      }
      roles.push_back(-2 - J.points());
      std::vector<int> columns(controls);
      for (int c = 0; c < controls; ++c) columns[c] = c;
      std::shuffle(columns.begin(), columns.end(), chance);
      std::sort(columns.begin(), columns.begin() + felt);
      J.column.insert(J.column.end(), columns.begin(), columns.begin() + felt);
      J.start.push_back(static_cast<int>(J.column.size()));
    }
    J.value.resize(3, static_cast<Eigen::Index>(J.column.size()));
    fill(J.value);
    for (int k = 0; k < 90; ++k) {
      Block block;
      const int first = std::uniform_int_distribution(0, 25)(chance);
      for (int a = 0; a <= k % 4; ++a) block.points.push_back(first + a);
      const auto size = 3 * std::ssize(block.points);
      block.H.resize(size, size);
      fill(block.H);
      block.H = Mat(block.H + block.H.transpose());
      blocks.push_back(block);
    }
  }

  template <class M>
  void fill(M& matrix) {
    for (auto& x : matrix.reshaped()) x = std::uniform_real_distribution(-1.0, 1.0)(chance);
  }

  Mat expected() const {
    Mat K = Mat::Zero(J.columns, J.columns);
    const Mat dense = J.dense();
    for (const auto& [points, H] : blocks) {
      Mat own = Mat::Zero(H.rows(), J.columns);
      for (std::size_t a = 0; a < points.size(); ++a)
        if (const int role = roles[points[a]]; role < -1)
          own.middleRows<3>(3 * a) = dense.middleRows<3>(3 * (-2 - role));
      K += own.transpose() * H * own;
    }
    return K;
  }

  Mat projected(ElementProjection& projection) const {
    Mat K = Mat::Zero(J.columns, J.columns);
    projection.begin(K, roles);
    for (const Block& block : blocks) projection.add(block.points, block.H.data());
    projection.finish();
    EXPECT_EQ(Mat(K.triangularView<Eigen::StrictlyUpper>()).norm(), 0);
    return K.selfadjointView<Eigen::Lower>();
  }

  std::mt19937 chance{5};
  BlockJacobian J;
  std::vector<int> roles;
  std::vector<Block> blocks;
};

TEST(ElementProjection, IsTheSumOfAllProjectedBlocksForFewControlsAndForMany) {
  for (const auto& [controls, felt] : {std::pair{6, 6}, std::pair{13, 9}, std::pair{29, 25}, std::pair{300, 5}}) {
    SCOPED_TRACE(controls);
    ProjectedBlocks scene(controls, felt);
    ElementProjection projection;
    projection.set_rows(scene.J, 1, 1);
    for (int round = 0; round < 3; ++round) {  // other values; then other values of J, and blocks in another order
      const Mat expected = scene.expected();
      ASSERT_GT(expected.norm(), 1);
      EXPECT_LT((scene.projected(projection) - expected).norm(), 1e-13 * expected.norm());
      for (auto& block : scene.blocks) block.H *= 1.5;
      if (round == 0) continue;
      scene.fill(scene.J.value);
      std::reverse(scene.blocks.begin(), scene.blocks.end());
      projection.set_rows(scene.J, 1, 2);
    }
  }
}

}  // namespace
}  // namespace rigspace
