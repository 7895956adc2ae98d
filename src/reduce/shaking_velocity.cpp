#include "shaking_velocity.h"

#include "rigspace/geometry/tri_mesh.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace rigspace {
namespace {

// Points that typical changes of the controls move less than this share of the most moved point do not count for
// size().
constexpr double kMoved = 0.1;

}  // namespace

Impulse impulse_of(int number) {
  constexpr int kKinds = 8;
  const int kind = number % kKinds;
  const double sign = number / kKinds % 2 == 0 ? 1 : -1;
  const auto along = [&](int axis) { return Impulse{.t = sign * Vec3::Unit(axis)}; };
  const auto about = [&](int axis) {
    Impulse turn;
    turn.A((axis + 2) % 3, (axis + 1) % 3) = sign, turn.A((axis + 1) % 3, (axis + 2) % 3) = -sign;
    return turn;
  };
  switch (kind) {
    case 0: return along(1);
    case 1: return about(2);
    case 2: return along(0);
    case 4: return along(2);
    case 5: return about(0);
    case 6: return about(1);
    default: break;
  }
  std::mt19937_64 engine(static_cast<std::uint64_t>(number));
  Impulse field;
  for (double& entry : field.A.reshaped()) entry = static_cast<double>(engine() >> 11) * 0x1p-52 - 1;
  return field;
}

double largest_distance(In x) {
  double most = 0;
  for (Eigen::Index i = 0; i + 2 < x.size(); i += 3) most = std::max(most, x.segment<3>(i).norm());
  return most;
}

RigVelocities::RigVelocities(const RigBody& body, const std::vector<int>& free, In p, In masses) : body_(&body) {
  const auto workspace = body.rig->make_workspace();
  body.rig->evaluate(*workspace, p, s_);
  body.rig->jacobian(*workspace, p, free, J_);
  masses_ = Vec::Zero(body.rig->point_count());
  for (int i = 0; i < body.node_count(); ++i)
    body.ties.for_each(i, [&](int point, double weight) { masses_[point] += weight * masses[i]; });
  masses_ = masses_.cwiseMax(0);
  diagonal_ = Vec::Zero(static_cast<Eigen::Index>(free.size()));
  reach_.assign(free.size(), 0);
  Vec motion = Vec::Zero(J_.points());
  for (int i = 0; i < J_.points(); ++i)
    for (int e = J_.start[i]; e < J_.start[i + 1]; ++e) {
      const int k = J_.column[e];
      const double length = J_.value.col(e).norm();
      diagonal_[k] += masses_[i] * length * length;
      reach_[k] = std::max(reach_[k], length);
      motion[i] += length * body.rig->controls()[free[k]].typical;
    }
  Box box;
  const double most = motion.size() > 0 ? motion.maxCoeff() : 0;
  for (int i = 0; i < J_.points(); ++i)
    if (motion[i] > 0 && motion[i] >= kMoved * most) box.include(point(s_, i));
  if (!(most > 0)) return;
  centre_ = box.center();
  size_ = box.diagonal();
}

// Conjugate gradients on J^T M J dp = J^T M v, with the masses of the nodes lumped to the points of the rig. J^T M J is
// never formed.
Vec RigVelocities::to(const Impulse& impulse) const {
  Vec momentum(s_.size()), field, r, z, step, pulled;
  for (int i = 0; i < J_.points(); ++i)
    point(momentum, i) = masses_[i] * (impulse.t + impulse.A * (point(s_, i) - centre_) / (0.5 * size_));
  J_.pull(momentum, r);
  const Vec precondition = (diagonal_.array() > 0).select(diagonal_.cwiseMax(1e-300).cwiseInverse(), 0.0);
  Vec dp = Vec::Zero(r.size());
  z = precondition.cwiseProduct(r);
  step = z;
  double rz = r.dot(z);
  const double enough = 1e-6 * rz;
  for (int iteration = 0; iteration < 100 && rz > enough && rz > 0; ++iteration) {
    J_.push(step, field);
    for (int i = 0; i < J_.points(); ++i) point(field, i) *= masses_[i];
    J_.pull(field, pulled);
    const double curvature = step.dot(pulled);
    if (!(curvature > 0)) break;
    dp += rz / curvature * step;
    r -= rz / curvature * pulled;
    z = precondition.cwiseProduct(r);
    const double next = r.dot(z);
    step = z + next / rz * step;
    rz = next;
  }
  J_.push(dp, field);
  Vec u;
  body_->ties.apply(field, u);
  return u;
}

}  // namespace rigspace
