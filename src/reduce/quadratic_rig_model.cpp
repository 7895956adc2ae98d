#include "rigspace/reduce/quadratic_rig_model.h"

#include <algorithm>
#include <limits>

namespace rigspace {
namespace {

/// The union of the sparsity patterns of several Jacobians, without values.
BlockJacobian all_places(std::span<const BlockJacobian* const> each) {
  BlockJacobian all{.columns = each.front()->columns, .start = {0}};
  std::vector<bool> has(static_cast<std::size_t>(all.columns));
  for (int i = 0; i < each.front()->points(); ++i) {
    std::fill(has.begin(), has.end(), false);
    for (const BlockJacobian* J : each)
      for (int e = J->start[i]; e < J->start[i + 1]; ++e) has[J->column[e]] = true;
    for (int c = 0; c < all.columns; ++c)
      if (has[c]) all.column.push_back(c);
    all.start.push_back(static_cast<int>(all.column.size()));
  }
  return all;
}

/// The values of J on the sparsity pattern of `all`, 0 where J has no entry.
Eigen::Matrix3Xd spread_over(const BlockJacobian& all, const BlockJacobian& J) {
  Eigen::Matrix3Xd value = Eigen::Matrix3Xd::Zero(3, std::ssize(all.column));
  for (int i = 0; i < J.points(); ++i) {
    int at = all.start[i];
    for (int e = J.start[i]; e < J.start[i + 1]; ++e) {
      while (all.column[at] != J.column[e]) ++at;
      value.col(at) = J.value.col(e);
    }
  }
  return value;
}

}  // namespace

QuadraticRigModel::QuadraticRigModel(std::shared_ptr<const Rig> box, std::span<const int> free,
                                     std::span<const JacobianSample> samples)
    : box_(std::move(box)), free_(free.begin(), free.end()) {
  for (int c = 0; c < static_cast<int>(box_->controls().size()); ++c)
    if (!std::binary_search(free_.begin(), free_.end(), c)) others_.push_back(c);
  for (const JacobianSample& at : samples) {
    if (at.p != at.p_key) continue;
    std::vector<const JacobianSample*> moved(free_.size(), nullptr);
    std::vector<const BlockJacobian*> all{&at.J};
    for (const JacobianSample& each : samples)
      for (std::size_t c = 0; c < free_.size() && each.p_key == at.p; ++c)
        if (each.p[free_[c]] != at.p[free_[c]]) moved[c] = &each, all.push_back(&each.J);
    if (all.size() == 1) continue;  // second differences were not sampled at this pose
    Expansion expansion{.p = at.p, .s = at.s, .J = all_places(all)};
    expansion.J.value = spread_over(expansion.J, at.J);
    for (std::size_t c = 0; c < free_.size(); ++c) {
      Eigen::Matrix3Xd& bend = expansion.bends.emplace_back(Eigen::Matrix3Xd::Zero(3, expansion.J.value.cols()));
      if (moved[c] != nullptr)
        bend = (spread_over(expansion.J, moved[c]->J) - expansion.J.value) / (moved[c]->p[free_[c]] - at.p[free_[c]]);
    }
    expansions_.push_back(std::move(expansion));
  }
}

std::vector<Vec> QuadraticRigModel::poses() const {
  std::vector<Vec> poses;
  for (const Expansion& expansion : expansions_) poses.push_back(expansion.p);
  return poses;
}

/// The expansion nearest to p in the free controls, of those whose other controls equal p's; null if there is none.
const QuadraticRigModel::Expansion* QuadraticRigModel::expansion_near(In p) const {
  const Expansion* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const Expansion& expansion : expansions_) {
    if (std::any_of(others_.begin(), others_.end(), [&](int c) { return expansion.p[c] != p[c]; })) continue;
    double apart = 0;
    for (const int c : free_) {
      const double d = (p[c] - expansion.p[c]) / controls()[c].typical;
      apart += d * d;
    }
    if (apart < least) least = apart, nearest = &expansion;
  }
  return nearest;
}

Vec QuadraticRigModel::deviation(const Expansion& expansion, In p) const {
  Vec d(std::ssize(free_));
  for (std::size_t c = 0; c < free_.size(); ++c) d[static_cast<Eigen::Index>(c)] = p[free_[c]] - expansion.p[free_[c]];
  return d;
}

void QuadraticRigModel::evaluate(Workspace&, In p, Vec& s) const {
  const Expansion* expansion = expansion_near(p);
  if (expansion == nullptr) {
    const std::lock_guard lock(evaluating_);
    return box_->evaluate(*box_->make_workspace(), p, s);
  }
  const Vec d = deviation(*expansion, p);
  Eigen::Matrix3Xd half = expansion->J.value;
  for (std::size_t c = 0; c < free_.size(); ++c)
    if (const double part = d[static_cast<Eigen::Index>(c)]; part != 0) half += 0.5 * part * expansion->bends[c];
  s = expansion->s;
  for (int i = 0; i < expansion->J.points(); ++i)
    for (int e = expansion->J.start[i]; e < expansion->J.start[i + 1]; ++e)
      point(s, i) += d[expansion->J.column[e]] * half.col(e);
}

void QuadraticRigModel::jacobian(Workspace&, In p, std::span<const int> free, BlockJacobian& J) const {
  const Expansion* expansion = expansion_near(p);
  if (expansion == nullptr || !std::ranges::equal(free, free_)) {
    const std::lock_guard lock(evaluating_);
    return box_->jacobian(*box_->make_workspace(), p, free, J);
  }
  const Vec d = deviation(*expansion, p);
  J = expansion->J;
  for (std::size_t c = 0; c < free_.size(); ++c)
    if (const double part = d[static_cast<Eigen::Index>(c)]; part != 0) J.value += part * expansion->bends[c];
}

}  // namespace rigspace
