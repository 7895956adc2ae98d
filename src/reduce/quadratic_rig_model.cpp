#include "rigspace/reduce/quadratic_rig_model.h"

#include <algorithm>
#include <limits>

namespace rigspace {
namespace {

/// Places that any of several Jacobians has.
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

/// Entries of J at the places of `all`.
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
                                     std::span<const JacobianSample> lessons)
    : box_(std::move(box)), free_(free.begin(), free.end()) {
  for (int c = 0; c < static_cast<int>(box_->controls().size()); ++c)
    if (!std::binary_search(free_.begin(), free_.end(), c)) others_.push_back(c);
  for (const JacobianSample& at : lessons) {
    if (at.p != at.p_key) continue;
    std::vector<const JacobianSample*> moved(free_.size(), nullptr);
    std::vector<const BlockJacobian*> all{&at.J};
    for (const JacobianSample& each : lessons)
      for (std::size_t c = 0; c < free_.size() && each.p_key == at.p; ++c)
        if (each.p[free_[c]] != at.p[free_[c]]) moved[c] = &each, all.push_back(&each.J);
    if (all.size() == 1) continue;  // bending was not asked for here
    Lesson lesson{.p = at.p, .s = at.s, .J = all_places(all)};
    lesson.J.value = spread_over(lesson.J, at.J);
    for (std::size_t c = 0; c < free_.size(); ++c) {
      Eigen::Matrix3Xd& bend = lesson.bends.emplace_back(Eigen::Matrix3Xd::Zero(3, lesson.J.value.cols()));
      if (moved[c] != nullptr)
        bend = (spread_over(lesson.J, moved[c]->J) - lesson.J.value) / (moved[c]->p[free_[c]] - at.p[free_[c]]);
    }
    lessons_.push_back(std::move(lesson));
  }
}

std::vector<Vec> QuadraticRigModel::poses() const {
  std::vector<Vec> poses;
  for (const Lesson& lesson : lessons_) poses.push_back(lesson.p);
  return poses;
}

/// Of those with the same other controls the nearest.
const QuadraticRigModel::Lesson* QuadraticRigModel::lesson_of(In p) const {
  const Lesson* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const Lesson& lesson : lessons_) {
    if (std::any_of(others_.begin(), others_.end(), [&](int c) { return lesson.p[c] != p[c]; })) continue;
    double apart = 0;
    for (const int c : free_) {
      const double d = (p[c] - lesson.p[c]) / controls()[c].typical;
      apart += d * d;
    }
    if (apart < least) least = apart, nearest = &lesson;
  }
  return nearest;
}

Vec QuadraticRigModel::deviation(const Lesson& lesson, In p) const {
  Vec d(std::ssize(free_));
  for (std::size_t c = 0; c < free_.size(); ++c) d[static_cast<Eigen::Index>(c)] = p[free_[c]] - lesson.p[free_[c]];
  return d;
}

void QuadraticRigModel::evaluate(Workspace&, In p, Vec& s) const {
  const Lesson* lesson = lesson_of(p);
  if (lesson == nullptr) {
    const std::lock_guard lock(asking_);
    return box_->evaluate(*box_->make_workspace(), p, s);
  }
  const Vec d = deviation(*lesson, p);
  Eigen::Matrix3Xd half = lesson->J.value;
  for (std::size_t c = 0; c < free_.size(); ++c)
    if (const double part = d[static_cast<Eigen::Index>(c)]; part != 0) half += 0.5 * part * lesson->bends[c];
  s = lesson->s;
  for (int i = 0; i < lesson->J.points(); ++i)
    for (int e = lesson->J.start[i]; e < lesson->J.start[i + 1]; ++e)
      point(s, i) += d[lesson->J.column[e]] * half.col(e);
}

void QuadraticRigModel::jacobian(Workspace&, In p, std::span<const int> free, BlockJacobian& J) const {
  const Lesson* lesson = lesson_of(p);
  if (lesson == nullptr || !std::ranges::equal(free, free_)) {
    const std::lock_guard lock(asking_);
    return box_->jacobian(*box_->make_workspace(), p, free, J);
  }
  const Vec d = deviation(*lesson, p);
  J = lesson->J;
  for (std::size_t c = 0; c < free_.size(); ++c)
    if (const double part = d[static_cast<Eigen::Index>(c)]; part != 0) J.value += part * lesson->bends[c];
}

}  // namespace rigspace
