#include "body_cubature_parts.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/body/linear_rig.h"
#include "rigspace/geometry/region_frames.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace {

int sketch_rows(const CubatureOptions& options, int controls) {
  return options.sketch_rows > 0 ? options.sketch_rows : std::clamp(24 * controls, 1600, 4800);
}

EigenvalueRange generalised_eigenvalues(const Mat& B, const Mat& A) {
  constexpr double kVanishes = 1e-8;  // of the largest eigenvalue of A with unit diagonal: smaller ones count as 0
  Vec scale = A.diagonal();
  for (double& each : scale) each = each > 0 ? 1 / std::sqrt(each) : 0;
  const SymmetricEigen whole = symmetric_eigen(scale.asDiagonal() * A * scale.asDiagonal());
  const Vec& values = whole.values;
  Eigen::Index first = 0;
  while (first < values.size() && values[first] <= kVanishes * values[values.size() - 1]) ++first;
  const Eigen::Index kept = values.size() - first;
  EigenvalueRange range;
  if (kept == 0) return range;
  const Mat whiten =
      scale.asDiagonal() * whole.vectors.rightCols(kept) * values.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal();
  const SymmetricEigen both = symmetric_eigen(whiten.transpose() * B * whiten);
  range.values = both.values;
  range.vectors = whiten * both.vectors;
  return range;
}

namespace {

/// J += F response, where F turns each node's row from the rest pose to the pose of J. The sum has the entries of both.
void add_rows(BlockJacobian& J, const BlockJacobian& response, std::span<const int> nodes, const RegionFrames& frames) {
  BlockJacobian sum{.columns = J.columns};
  sum.start.push_back(0);
  std::vector<Vec3> values;
  std::map<int, Vec3> row;
  for (int k = 0; k < J.points(); ++k) {
    const int i = nodes.empty() ? k : nodes[k];
    row.clear();
    for (int e = J.start[k]; e < J.start[k + 1]; ++e) row[J.column[e]] = J.value.col(e);
    for (int e = response.start[i]; e < response.start[i + 1]; ++e)
      row.try_emplace(response.column[e], Vec3::Zero()).first->second += frames.of(i) * response.value.col(e);
    for (const auto& [column, value] : row) sum.column.push_back(column), values.push_back(value);
    sum.start.push_back(static_cast<int>(values.size()));
  }
  sum.value.resize(3, std::ssize(values));
  for (std::size_t e = 0; e < values.size(); ++e) sum.value.col(static_cast<Eigen::Index>(e)) = values[e];
  J = std::move(sum);
}

}  // namespace

TrainingPose CubatureTraining::pose(const CarriedRows& some, const ExamplePose& example,
                                    std::span<const int> nodes) const {
  TrainingPose result;
  BlockJacobian of_points;
  some.rig->jacobian(*some.rig->make_workspace(), example.p, free, of_points);
  some.ties.jacobian(of_points, result.J);
  result.x = example.x;
  for (int i = 0; i < body.node_count(); ++i)
    if (body.is_held(i)) point(result.x, i) = point(example.x_key, i);
  if (options.loaded != nullptr) {
    carry_inside(body, interior, result.x);
    result.x_rest = body.mesh.points;
  } else if (options.rest_follows) {
    result.x -= example.x_key;
    carry_inside(body, interior, result.x);
    result.x += example.x_key;
    result.x_rest = example.x_key;
  } else {
    carry_inside(body, interior, result.x);
    result.x_rest = body.mesh.points;
    carry_inside(body, interior, result.x_rest);
  }
  if (options.response == nullptr) return result;
  const BlockJacobian& response = *options.response;
  RegionFrames frames(body.mesh.points, LinearRigFrames().regions);
  frames.turn(options.loaded != nullptr ? example.x : example.x_key);
  const Vec& from = options.loaded != nullptr ? options.loaded->p : example.p_key;
  Vec beside = Vec::Zero(result.x.size());
  if (options.loaded != nullptr) options.loaded->at(example.p, beside);
  for (int i = 0; i < response.points(); ++i) {
    for (int e = response.start[i]; e < response.start[i + 1]; ++e) {
      const int control = free[response.column[e]];
      point(beside, i) += response.value.col(e) * (example.p[control] - from[control]);
    }
    point(result.x, i) += frames.of(i) * point(beside, i);
  }
  add_rows(result.J, response, nodes, frames);
  return result;
}

TrainingPose CubatureTraining::rest(std::span<const ExamplePose> examples) const {
  ExamplePose at_rest;
  if (options.loaded != nullptr) {
    at_rest.p = at_rest.p_key = options.loaded->p;
    Vec s;
    body.rig->evaluate(*body.rig->make_workspace(), at_rest.p, s);
    body.ties.apply(s, at_rest.x);
    at_rest.x_key = at_rest.x;
  } else if (options.rest_follows && !examples.empty()) {
    at_rest.p = at_rest.p_key = examples.front().p_key;
    at_rest.x = at_rest.x_key = examples.front().x_key;
  } else {
    at_rest.p = at_rest.p_key = body.rig->rest();
    at_rest.x = at_rest.x_key = body.mesh.points;
  }
  return pose(at_rest);
}

std::vector<int> touched_nodes(const TetMesh& mesh, std::span<const WeightedElement> elements) {
  std::vector<int> nodes;
  for (const WeightedElement& each : elements)
    nodes.insert(nodes.end(), mesh.tets[each.element].begin(), mesh.tets[each.element].end());
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

EigenvalueRange pull_eigenvalues(ColumnSelector& selector, const EigenvalueGoal& goal,
                                 const ColumnSelectionOptions& options) {
  constexpr int kRounds = 16, kVectors = 24;
  constexpr double kTightening = 0.98;
  ColumnSelectionOptions now = options;
  EigenvalueRange range;
  for (int round = 0;; ++round) {
    range = generalised_eigenvalues(goal.sum(selector.selection().columns), goal.M);
    std::vector<std::pair<double, int>> outside;
    for (int k = 0; k < static_cast<int>(range.values.size()); ++k)
      if (range.values[k] < goal.lowest || range.values[k] > goal.highest)
        outside.emplace_back(-std::abs(range.values[k] - 1), k);
    if (outside.empty() || round == kRounds) return range;
    std::sort(outside.begin(), outside.end());
    outside.resize(std::min<std::size_t>(outside.size(), kVectors));
    Mat V(goal.M.rows(), static_cast<Eigen::Index>(outside.size()));
    for (Eigen::Index k = 0; k < V.cols(); ++k) V.col(k) = range.vectors.col(outside[k].second);
    // The new rows raise the error above this tolerance, so that the selector changes weights and adds elements. An
    // eigenvector that is still outside in the next round adds its row again, which doubles its weight.
    now.tolerance = std::max(kTightening * selector.selection().error, 1e-12);
    selector.add_rows(goal.weight * goal.rows(V), Vec::Constant(V.cols(), goal.weight));
    selector.reach(now);
  }
}

}  // namespace rigspace
