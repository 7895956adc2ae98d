#include "rigspace/body/control_mapping.h"

#include "rigspace/base/error.h"
#include "rigspace/optimize/dense_system.h"

#include <algorithm>

namespace rigspace {
namespace {

void require_indices(const std::vector<int>& list, int end, bool ascending, const char* what) {
  for (std::size_t k = 0; k < list.size(); ++k)
    if (list[k] < 0 || list[k] >= end || (ascending && k > 0 && list[k] <= list[k - 1]))
      throw Error({.code = ErrorCode::usage,
                   .element = std::string(what) + " " + std::to_string(list[k]),
                   .value = std::to_string(list[k]),
                   .problem = "is out of range, or out of order",
                   .remedy = "there are " + std::to_string(end) + ", counted from 0" +
                             (ascending ? "; give them ascending" : "")});
}

}  // namespace

ControlMapping::ControlMapping(std::shared_ptr<const Rig> rig, std::vector<int> free, const std::vector<int>& points)
    : whole_(std::move(rig)), free_(std::move(free)) {
  require_indices(free_, static_cast<int>(whole_->controls().size()), true, "free control");
  require_indices(points, whole_->point_count(), false, "point");
  std::vector<int> needed = points;
  std::sort(needed.begin(), needed.end());
  if (std::adjacent_find(needed.begin(), needed.end()) != needed.end())
    throw Error(
        {.code = ErrorCode::usage, .element = "points", .problem = "are given twice", .remedy = "give each once"});
  rig_ = whole_->restricted(needed);
  workspace_ = rig_->make_workspace();
  for (const int each : points) {
    place_.push_back(static_cast<int>(std::lower_bound(needed.begin(), needed.end(), each) - needed.begin()));
    role_.push_back(-2 - place_.back());
  }
  p_key_ = rig_->rest();
}

Vec ControlMapping::coordinates(In p) const {
  Vec q(size_q());
  for (std::size_t k = 0; k < free_.size(); ++k) q[static_cast<Eigen::Index>(k)] = p[free_[k]];
  return q;
}

void ControlMapping::controls_at(In q, Vec& p) const {
  p = p_key_;
  for (std::size_t k = 0; k < free_.size(); ++k) p[free_[k]] = q[static_cast<Eigen::Index>(k)];
}

std::unique_ptr<System> ControlMapping::make_system(const State&) const {
  return std::make_unique<DenseSystem>(size_q());
}

void ControlMapping::evaluate(State&, In q, Vec& x) const {
  controls_at(q, p_);
  rig_->evaluate(*workspace_, p_, s_);
  x.resize(size_x());
  for (int k = 0; k < point_count(); ++k) point(x, k) = point(s_, place_[k]);
}

void ControlMapping::linearize(State&, In q) const {
  controls_at(q, p_);
  rig_->jacobian(*workspace_, p_, free_, J_);
  ++version_;
  if (J_.start != pattern_start_ || J_.column != pattern_column_) {
    ++pattern_;
    pattern_start_ = J_.start, pattern_column_ = J_.column;
  }
  projection_.set_rows(J_, pattern_, version_);
}

void ControlMapping::push(const State&, In dq, Vec& dx) const {
  dx.setZero(size_x());
  for (int k = 0; k < point_count(); ++k)
    for (int e = J_.start[place_[k]]; e < J_.start[place_[k] + 1]; ++e)
      point(dx, k) += dq[J_.column[e]] * J_.value.col(e);
}

void ControlMapping::pull(const State&, In g, Vec& g_q) const {
  g_q.setZero(size_q());
  for (int k = 0; k < point_count(); ++k)
    for (int e = J_.start[place_[k]]; e < J_.start[place_[k] + 1]; ++e)
      g_q[J_.column[e]] += point(g, k).dot(J_.value.col(e));
}

BlockSink& ControlMapping::sink(State&, System& system) const {
  projection_.begin(dynamic_cast<DenseSystem&>(system).matrix(), role_);
  return projection_;
}

}  // namespace rigspace
