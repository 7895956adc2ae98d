#include "graph_fit.h"

#include "rigspace/base/error.h"

#include <Eigen/SparseCholesky>

#include <algorithm>
#include <array>

namespace rigspace {

GraphFit::GraphFit(const DeformationGraph& graph) : graph_(graph) {
  slot_.assign(static_cast<std::size_t>(graph.count()) * graph.count(), -1);
  g_ = Vec::Zero(7 * graph.count());
}

GraphFit::Block& GraphFit::block(int i, int j) {
  int& slot = slot_[static_cast<std::size_t>(i) * graph_.count() + j];
  if (slot < 0) {
    slot = static_cast<int>(blocks_.size());
    blocks_.push_back(Block::Zero());
    pair_.emplace_back(i, j);
  }
  return blocks_[slot];
}

void GraphFit::clear() {
  for (Block& each : blocks_) each.setZero();
  g_.setZero();
}

void GraphFit::add(std::span<const std::pair<int, Row>> row, const Vec3& r, const Mat3& M) {
  for (const auto& [i, Ji] : row) {
    const Eigen::Matrix<double, 7, 3> JtM = Ji.transpose() * M;
    g_.segment<7>(7 * i) += JtM * r;
    for (const auto& [j, Jj] : row)
      if (i >= j) block(i, j) += JtM * Jj;
  }
}

void GraphFit::add_smoothness(double weight, double evenness, double scale) {
  const double share = weight / static_cast<double>(std::max<std::size_t>(1, 2 * graph_.edges().size()));
  const Mat3 I = Mat3::Identity();
  for (const auto& edge : graph_.edges())
    for (const auto& [i, j] : {edge, std::pair{edge.second, edge.first}}) {
      const Vec3 e = graph_.rest(j) - graph_.rest(i), turned = graph_.stretch(i) * e;
      const Vec3 r = turned - (graph_.place(j) - graph_.place(i));
      std::array<std::pair<int, Row>, 2> row;
      row[0].first = i, row[1].first = j;
      row[0].second << I, -cross_matrix(turned), turned;
      row[1].second << -I, Mat3::Zero(), Vec3::Zero();
      add(row, r, share / (scale * scale * e.squaredNorm()) * I);
      row[0].second.setZero(), row[1].second.setZero();
      row[0].second(0, 6) = 1, row[1].second(0, 6) = -1;
      add(row, Vec3(std::log(graph_.scale(i) / graph_.scale(j)), 0, 0), share * evenness * I);
    }
}

void GraphFit::add_point(std::span<const Corner> corners, const Vec3& target, const Mat3& M) {
  std::array<std::pair<int, Row>, 24> row;
  std::size_t count = 0;
  Vec3 r = -target;
  for (const Corner& corner : corners)
    for (const auto& [k, w] : corner.weights) {
      const double share = corner.share * w;
      const Vec3 turned = graph_.stretch(k) * (corner.x - graph_.rest(k));
      r += share * (turned + graph_.place(k));
      std::size_t at = 0;
      while (at < count && row[at].first != k) ++at;
      if (at == count) row[count].first = k, row[count++].second.setZero();
      row[at].second.leftCols<3>() += share * Mat3::Identity();
      row[at].second.middleCols<3>(3) -= share * cross_matrix(turned);
      row[at].second.col(6) += share * turned;
    }
  add({row.data(), count}, r, M);
}

Vec GraphFit::solve() {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(49 * blocks_.size());
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    for (int a = 0; a < 7; ++a)
      for (int b = 0; b < 7; ++b)
        if (pair_[k].first != pair_[k].second || a >= b)
          entries.emplace_back(7 * pair_[k].first + a, 7 * pair_[k].second + b, blocks_[k](a, b));
  const auto size = static_cast<Eigen::Index>(g_.size());
  // What no term determines stays where it is.
  for (Eigen::Index i = 0; i < size; ++i) entries.emplace_back(i, i, 1e-9);
  Eigen::SparseMatrix<double> H(size, size);
  H.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(H);
  if (factor.info() != Eigen::Success)
    throw Error({.code = ErrorCode::internal, .element = "the registration", .problem = "met a singular system"});
  Vec change = -factor.solve(g_);
  for (int k = 0; k < graph_.count(); ++k) {
    const double turn = change.segment<3>(7 * k + 3).norm(), scale = std::abs(change[7 * k + 6]);
    if (turn > 0.5) change.segment<3>(7 * k + 3) *= 0.5 / turn;
    if (scale > 0.2) change[7 * k + 6] *= 0.2 / scale;
  }
  return change;
}

}  // namespace rigspace
