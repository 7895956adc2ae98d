#include "rigspace/energy/gravity.h"

#include <utility>

namespace rigspace {

Load::Load(Vec forces) : forces_(std::move(forces)), reference_(Vec::Zero(forces_.size())) {}

void Load::set_forces(In forces) {
  assert(forces.size() == forces_.size());
  forces_ = forces;
}

void Load::set_reference(In x) {
  assert(x.size() == forces_.size());
  reference_ = x;
}

double Load::value(const State&, In x) const {
  return -parallel_sum(static_cast<int>(x.size()), 1024, [&](int begin, int end) {
    const int n = end - begin;
    return forces_.segment(begin, n).dot(x.segment(begin, n) - reference_.segment(begin, n));
  });
}

void Load::add_gradient(const State&, In, double weight, Vec& g) const { g -= weight * forces_; }

Vec gravity_forces(In masses, const Vec3& g) {
  Vec forces(3 * masses.size());
  for (int i = 0; i < masses.size(); ++i) point(forces, i) = masses(i) * g;
  return forces;
}

Load gravity(In masses, const Vec3& g) { return Load(gravity_forces(masses, g)); }

}  // namespace rigspace
