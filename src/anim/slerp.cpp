#include "rigspace/anim/animation.h"

#include <cmath>

namespace rigspace {

Vec4 slerp(const Vec4& a, const Vec4& b, double u) {
  const Vec4 from = a.normalized();
  Vec4 to = b.normalized();
  if (from.dot(to) < 0) to = -to;
  // atan2 of chord and sum keeps all digits for small angles, where acos of the dot product loses half of them.
  const double angle = 2 * std::atan2((to - from).norm(), (to + from).norm());
  if (angle < 1e-9) return ((1 - u) * from + u * to).normalized();
  return ((std::sin((1 - u) * angle) * from + std::sin(u * angle) * to) / std::sin(angle)).normalized();
}

}  // namespace rigspace
