#include "rigspace/rig/jacobian_model.h"
#include "affine_weights.h"
#include "rigspace/base/decompositions.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

Vec weights_of(const Mat& keys, In key) { return affine_weights(keys.colwise() - Vec(key)); }

}  // namespace

JacobianModel::JacobianModel(std::span<const Sample> samples, In typical) {
  find_places(samples);
  learn_poses(samples);
  learn_bending(samples);
  learn_path(samples, typical);
}

void JacobianModel::find_places(std::span<const Sample> samples) {
  start_.assign(1, 0);
  for (int i = 0; i < samples.front().J.points(); ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(column_.size());
    for (const Sample& each : samples)
      column_.insert(column_.end(), each.J.column.begin() + each.J.start[i],
                     each.J.column.begin() + each.J.start[i + 1]);
    std::sort(column_.begin() + begin, column_.end());
    column_.erase(std::unique(column_.begin() + begin, column_.end()), column_.end());
    start_.push_back(static_cast<int>(column_.size()));
  }
}

void JacobianModel::learn_poses(std::span<const Sample> samples) {
  const auto count =
      std::count_if(samples.begin(), samples.end(), [](const Sample& each) { return each.of == kKeyed; });
  keys_.resize(samples.front().key.size(), count), J_.resize(3 * std::ssize(column_), count);
  Eigen::Index k = 0;
  for (const Sample& each : samples)
    if (each.of == kKeyed) keys_.col(k) = each.key, J_.col(k++) = flat(each.J);
}

void JacobianModel::learn_bending(std::span<const Sample> samples) {
  std::vector<const Sample*> all;
  for (const Sample& each : samples)
    if (each.of >= 0) all.push_back(&each);
  std::vector<Vec> bent;
  for (int of = 0; of < static_cast<int>(keys_.cols()); ++of) {
    std::vector<const Sample*> own;
    for (const Sample* each : all)
      if (each->of == of) own.push_back(each);
    if (std::ssize(own) < samples.front().deviation.size()) continue;
    bent.push_back(samples[static_cast<std::size_t>(of)].key);
    T_.push_back(bending_of(own, samples));
  }
  bend_keys_.resize(keys_.rows(), std::ssize(bent));
  for (std::size_t k = 0; k < bent.size(); ++k) bend_keys_.col(static_cast<Eigen::Index>(k)) = bent[k];
  if (T_.empty()) T_.push_back(bending_of(all, samples));
}

/// Each column of J is divided by its r.m.s. length, so that all controls count alike in the kriging of R, however far
/// they move nodes.
void JacobianModel::learn_path(std::span<const Sample> samples, In typical) {
  Vec squares = Vec::Zero(typical.size());
  for (std::size_t e = 0; e < column_.size(); ++e)
    squares[column_[e]] += J_.block<3, 1>(3 * static_cast<Eigen::Index>(e), 0).squaredNorm();
  lengths_ = typical.cwiseProduct((squares / std::max(1.0, static_cast<double>(start_.size() - 1))).cwiseSqrt());
  std::vector<const Sample*> path;
  for (const Sample& each : samples)
    if (each.of == kOnPath) path.push_back(&each);
  if (path.empty()) return;
  Mat places(keys_.rows() + typical.size(), std::ssize(path)), beside(J_.rows(), std::ssize(path));
  Eigen::Matrix3Xd predicted;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    predict(path[k]->key, path[k]->deviation, predicted);
    places.col(column) = place_of(path[k]->key, path[k]->deviation);
    beside.col(column) = flat(path[k]->J) - predicted.reshaped();
  }
  beside_ = beside;
  for (std::size_t e = 0; e < column_.size(); ++e)
    beside.middleRows<3>(3 * static_cast<Eigen::Index>(e)) /= std::sqrt(squares[column_[e]]) + 1e-300;
  path_ = Kriging(places, beside.transpose() * beside);
  places_ = std::move(places);
}

/// Keyed shape and deviation, both as lengths that nodes go.
Vec JacobianModel::place_of(In key, In deviation) const {
  Vec z(key.size() + deviation.size());
  z << key / std::sqrt(std::max(1.0, static_cast<double>(key.size()) / 3)), deviation.cwiseProduct(lengths_);
  return z;
}

/// The T that minimises |T D - changes|^2 plus a small multiple of |T|^2, which keeps T small in directions of D that
/// no sample has.
Mat JacobianModel::bending_of(std::span<const Sample* const> some, std::span<const Sample> all) const {
  const Eigen::Index controls = all.front().deviation.size(), count = std::ssize(some);
  Mat changes(3 * std::ssize(column_), count), deviations(controls, count);
  for (Eigen::Index m = 0; m < count; ++m) {
    const Sample& each = *some[static_cast<std::size_t>(m)];
    changes.col(m) = flat(each.J) - flat(all[each.of].J), deviations.col(m) = each.deviation;
  }
  Mat G = deviations * deviations.transpose();
  G.diagonal().array() += kSoft * G.trace() / std::max<double>(1, static_cast<double>(controls)) + 1e-300;
  return solve_ldlt(G, deviations * changes.transpose()).transpose();
}

Vec JacobianModel::flat(const BlockJacobian& J) const {
  Vec values = Vec::Zero(3 * std::ssize(column_));
  for (int i = 0; i < J.points(); ++i)
    for (int e = J.start[i], at = start_[i]; e < J.start[i + 1]; ++e) {
      while (column_[at] != J.column[e]) ++at;
      values.segment<3>(3 * static_cast<Eigen::Index>(at)) = J.value.col(e);
    }
  return values;
}

void JacobianModel::predict(In key, In deviation, Eigen::Matrix3Xd& value) const {
  value.resize(3, std::ssize(column_));
  Eigen::Map<Vec> flat(value.data(), value.size());
  flat.noalias() = J_ * weights_of(keys_, key);
  const Vec v = bend_keys_.cols() > 0 ? weights_of(bend_keys_, key) : Vec(Vec::Ones(1));
  for (std::size_t k = 0; k < T_.size(); ++k) flat.noalias() += T_[k] * (v[static_cast<Eigen::Index>(k)] * deviation);
  if (path_.count() > 0) flat.noalias() += beside_ * path_.weights(place_of(key, deviation));
}

/// Positions of nodes are more exact than derivatives: their length scale is fitted separately.
void JacobianModel::set_nodes(Mat beside) {
  node_path_ = Kriging(places_, beside.transpose() * beside);
  nodes_ = std::move(beside);
}

Vec JacobianModel::nodes(In key, In deviation) const {
  if (nodes_.cols() == 0) return Vec::Zero(3 * (std::ssize(start_) - 1));
  return nodes_ * node_path_.weights(place_of(key, deviation));
}

}  // namespace rigspace
