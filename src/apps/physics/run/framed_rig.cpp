#include "framed_rig.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rigspace {

struct FramedRig::Memory : Workspace {
  std::unique_ptr<Workspace> rig;
  Vec s, g;
  BlockJacobian J;
};

namespace {

// Steps of the grids, in 1 / size. Not a power of two: nodes of a lattice lie at places that are, and would be rounded
// up or down by their last bit.
constexpr double kGrid = 0x1p24 * 0.7548776662466927;

Vec3 rounded(const Vec3& x, double grid) {
  return {std::round(grid * x.x()) / grid + 0.0, std::round(grid * x.y()) / grid + 0.0,
          std::round(grid * x.z()) / grid + 0.0};
}

/// Points in the order in which nodes use them; then those that no node uses.
std::vector<int> order_of(const PointTies& ties, int count) {
  std::vector<int> order;
  std::vector<char> seen(static_cast<std::size_t>(count), 0);
  const auto add = [&](int point) {
    if (!seen[point]) order.push_back(point), seen[point] = 1;
  };
  for (const int point : ties.point) add(point);
  for (int point = 0; point < count; ++point) add(point);
  return order;
}

}  // namespace

FramedRig::FramedRig(std::shared_ptr<const Rig> rig, OwnFrame frame, std::vector<int> order, std::span<const int> free)
    : rig_(std::move(rig)),
      controls_(rig_->controls().begin(), rig_->controls().end()),
      frame_(std::move(frame)),
      order_(std::move(order)),
      grid_(Vec::Zero(std::ssize(rig_->controls()))) {
  for (Control& control : controls_) control.typical = static_cast<float>(control.typical);
  BlockJacobian J;
  rig_->jacobian(*rig_->make_workspace(), rig_->rest(), free, J);
  for (std::size_t e = 0; e < J.column.size(); ++e) {
    double& most = grid_[free[J.column[e]]];
    most = std::max(most, J.value.col(static_cast<Eigen::Index>(e)).norm() / frame_.size);
  }
  for (double& most : grid_) most = most > 0 ? kGrid / std::exp2(std::ceil(std::log2(most))) : 0;
}

std::unique_ptr<Workspace> FramedRig::make_workspace() const {
  auto memory = std::make_unique<Memory>();
  memory->rig = rig_->make_workspace();
  return memory;
}

void FramedRig::evaluate(Workspace& workspace, In p, Vec& s) const {
  auto& memory = static_cast<Memory&>(workspace);
  rig_->evaluate(*memory.rig, p, memory.s);
  s.resize(3 * static_cast<Eigen::Index>(point_count()));
  for (int i = 0; i < point_count(); ++i) point(s, i) = rounded(frame_.inward(Vec3(point(memory.s, order_[i]))), kGrid);
}

void FramedRig::jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const {
  auto& memory = static_cast<Memory&>(workspace);
  rig_->jacobian(*memory.rig, p, free, memory.J);
  const BlockJacobian& all = memory.J;
  J.columns = all.columns;
  J.start.assign(1, 0);
  J.column.clear();
  J.value.resize(3, static_cast<Eigen::Index>(all.column.size()));
  for (const int i : order_) {
    for (int e = all.start[i]; e < all.start[i + 1]; ++e) {
      const double grid = grid_[free[all.column[e]]];
      const Vec3 value = frame_.turn * all.value.col(e) / frame_.size;
      J.value.col(static_cast<Eigen::Index>(J.column.size())) = grid > 0 ? rounded(value, grid) : value;
      J.column.push_back(all.column[e]);
    }
    J.start.push_back(static_cast<int>(J.column.size()));
  }
  J.value.conservativeResize(Eigen::NoChange, static_cast<Eigen::Index>(J.column.size()));
}

void FramedRig::pull(Workspace& workspace, In p, In g, Vec& g_p) const {
  auto& memory = static_cast<Memory&>(workspace);
  memory.g.setZero(3 * static_cast<Eigen::Index>(rig_->point_count()));
  for (int i = 0; i < point_count(); ++i)
    point(memory.g, order_[i]) = frame_.turn.transpose() * point(g, i) / frame_.size;
  rig_->pull(*memory.rig, p, memory.g, g_p);
}

std::unique_ptr<Rig> FramedRig::restricted(std::span<const int> points) const {
  std::vector<int> chosen;  // of rig_, ascending
  for (const int i : points) chosen.push_back(order_[i]);
  std::sort(chosen.begin(), chosen.end());
  std::unique_ptr<FramedRig> few(new FramedRig());
  few->rig_ = rig_->restricted(chosen);
  few->frame_ = frame_, few->grid_ = grid_, few->controls_ = controls_;
  for (const int i : points)
    few->order_.push_back(static_cast<int>(std::lower_bound(chosen.begin(), chosen.end(), order_[i]) - chosen.begin()));
  return few;
}

SteppedBody framed_body(const SteppedBody& body, OwnFrame& frame) {
  if (!body.rig->traits().exact_jacobian) {
    frame = {};
    return body;
  }
  SteppedBody own = body;
  const std::vector<int> order = order_of(body.ties, body.rig->point_count());
  std::vector<int> number(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) number[order[k]] = static_cast<int>(k);
  own.rig = std::make_shared<FramedRig>(body.rig, frame, order, body.free);
  for (int& point : own.ties.point) point = number[point];
  return own;
}

}  // namespace rigspace
