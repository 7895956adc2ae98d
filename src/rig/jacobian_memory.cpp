#include "rigspace/rig/jacobian_memory.h"
#include "affine_weights.h"
#include "rigspace/base/decompositions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr int kPoints = 48;      // of a shape
constexpr int kNearest = 6;      // shapes that a new one is made of
constexpr double kSame = 1e-12;  // of the size: the same shape

using Points = Eigen::Map<const Eigen::Matrix3Xd>;

Vec about_middle(const Vec& points) {
  const Points all(points.data(), 3, points.size() / 3);
  const Eigen::Matrix3Xd moved = all.colwise() - all.rowwise().mean();
  return moved.reshaped();
}

/// sum w_k J_k over places that any of them has.
void blend(const std::vector<const BlockJacobian*>& all, const Vec& weights, BlockJacobian& J) {
  const int points = all.front()->points();
  J.columns = all.front()->columns;
  J.start.assign(1, 0);
  J.column.clear();
  for (int i = 0; i < points; ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(J.column.size());
    for (const BlockJacobian* each : all)
      J.column.insert(J.column.end(), each->column.begin() + each->start[i], each->column.begin() + each->start[i + 1]);
    std::sort(J.column.begin() + begin, J.column.end());
    J.column.erase(std::unique(J.column.begin() + begin, J.column.end()), J.column.end());
    J.start.push_back(static_cast<int>(J.column.size()));
  }
  J.value.setZero(3, std::ssize(J.column));
  for (std::size_t k = 0; k < all.size(); ++k)
    for (int i = 0; i < points; ++i)
      for (int e = all[k]->start[i], at = J.start[i]; e < all[k]->start[i + 1]; ++e) {
        while (J.column[at] != all[k]->column[e]) ++at;
        J.value.col(at) += weights[static_cast<Eigen::Index>(k)] * all[k]->value.col(e);
      }
}

}  // namespace

JacobianMemory::JacobianMemory(In rest) {
  const auto count = static_cast<int>(rest.size() / 3);
  for (int k = 0; k < std::min(count, kPoints); ++k)
    points_.push_back(static_cast<int>(static_cast<long>(k) * count / std::min(count, kPoints)));
  rest_.resize(3 * std::ssize(points_));
  for (std::size_t k = 0; k < points_.size(); ++k) point(rest_, static_cast<int>(k)) = point(rest, points_[k]);
  if (!points_.empty()) rest_ = about_middle(rest_);
  size_ = std::max(rest_.norm(), 1e-300);
}

/// Without position and turn: the rotation that brings it nearest to the rest shape (Kabsch).
Vec JacobianMemory::shape_of(In y) const {
  Vec shape(rest_.size());
  for (std::size_t k = 0; k < points_.size(); ++k) point(shape, static_cast<int>(k)) = point(y, points_[k]);
  shape = about_middle(shape);
  const Points is(shape.data(), 3, shape.size() / 3), was(rest_.data(), 3, rest_.size() / 3);
  const Eigen::Matrix3Xd turned = nearest_rotation(was * is.transpose()) * is;
  return turned.reshaped() / size_;
}

void JacobianMemory::add(In y, const BlockJacobian& J) {
  if (points_.empty()) return;
  Vec shape = shape_of(y);
  const auto same = [&](const Known& each) { return (each.shape - shape).norm() < kSame; };
  std::erase_if(known_, same);
  known_.push_back({std::move(shape), J});
  if (count() <= kMost) return;
  // Drops the one nearest to another, which adds least; the newest stays.
  std::size_t least = 0;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a + 1 < known_.size(); ++a)
    for (std::size_t b = 0; b < known_.size(); ++b)
      if (const double apart = (known_[a].shape - known_[b].shape).squaredNorm(); a != b && apart < nearest)
        nearest = apart, least = a;
  known_.erase(known_.begin() + static_cast<std::ptrdiff_t>(least));
}

bool JacobianMemory::predict(In y, BlockJacobian& J) const {
  if (known_.empty()) return false;
  const Vec shape = shape_of(y);
  std::vector<std::pair<double, int>> order;
  for (int k = 0; k < count(); ++k) order.emplace_back((known_[k].shape - shape).squaredNorm(), k);
  std::sort(order.begin(), order.end());
  if (order.front().first < kSame * kSame) order.resize(1);
  order.resize(std::min<std::size_t>(order.size(), kNearest));
  Mat differences(shape.size(), std::ssize(order));
  std::vector<const BlockJacobian*> all;
  for (const auto& [apart, k] : order) {
    differences.col(std::ssize(all)) = shape - known_[k].shape;
    all.push_back(&known_[k].J);
  }
  blend(all, affine_weights(differences), J);
  return true;
}

Vec JacobianMemory::saved_state() const {
  std::vector<double> numbers{static_cast<double>(count())};
  const auto add = [&](const auto& list) {
    numbers.push_back(static_cast<double>(std::size(list)));
    numbers.insert(numbers.end(), std::begin(list), std::end(list));
  };
  for (const Known& each : known_) {
    add(each.shape);
    numbers.push_back(each.J.columns);
    add(each.J.start), add(each.J.column);
    add(each.J.value.reshaped());
  }
  return Eigen::Map<const Vec>(numbers.data(), std::ssize(numbers));
}

void JacobianMemory::restore(In state) {
  Eigen::Index at = 0;
  const auto next = [&] { return state[at++]; };
  const auto list = [&] {
    const auto size = static_cast<Eigen::Index>(next());
    const Vec values = state.segment(at, size);
    at += size;
    return values;
  };
  known_.assign(static_cast<std::size_t>(next()), {});
  for (Known& each : known_) {
    each.shape = list();
    each.J.columns = static_cast<int>(next());
    const Vec start = list(), column = list(), value = list();
    each.J.start.assign(start.begin(), start.end());
    each.J.column.assign(column.begin(), column.end());
    each.J.value = Eigen::Map<const Eigen::Matrix3Xd>(value.data(), 3, value.size() / 3);
  }
}

}  // namespace rigspace
