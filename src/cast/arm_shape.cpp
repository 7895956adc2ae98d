#include "arm.h"
#include "rigspace/geometry/signed_distance.h"

#include <cmath>

namespace rigspace::arm {

const Build kSlender{.name = "arm",
                     .upper = 0.30,
                     .fore = 0.26,
                     .hand = 0.17,
                     .shoulder = 0.052,
                     .biceps = 0.047,
                     .elbow = 0.038,
                     .below = 0.041,
                     .wrist = 0.027,
                     .knuckles = 0.040,
                     .thickness = 0.017,
                     .bulge = 0.016};
const Build kStout{.name = "stout_arm",
                   .upper = 0.21,
                   .fore = 0.19,
                   .hand = 0.14,
                   .shoulder = 0.078,
                   .biceps = 0.076,
                   .elbow = 0.062,
                   .below = 0.064,
                   .wrist = 0.046,
                   .knuckles = 0.050,
                   .thickness = 0.030,
                   .bulge = 0.020};

double solid(const Build& b, const Vec3& p) {
  const auto at = [](double x, double y = 0) { return Vec3(x, kHeight + y, 0); };
  const double wrist = b.upper + b.fore;
  double d = tapered_capsule(p, at(0), at(0.45 * b.upper), b.shoulder, b.biceps);
  d = smooth_union(d, tapered_capsule(p, at(0.45 * b.upper), at(b.upper), b.biceps, b.elbow), 0.02);
  d = smooth_union(d, tapered_capsule(p, at(b.upper), at(b.upper + 0.3 * b.fore), b.elbow, b.below), 0.02);
  d = smooth_union(d, tapered_capsule(p, at(b.upper + 0.3 * b.fore), at(wrist), b.below, b.wrist), 0.02);
  const FlatEnd palm{at(wrist + 0.15 * b.hand), b.wrist, b.thickness},
      knuckles{at(wrist + 0.45 * b.hand), b.knuckles, b.thickness},
      tips{at(wrist + b.hand - b.thickness), 0.75 * b.knuckles, 0.8 * b.thickness};
  d = smooth_union(d, flat_cone(p, palm, knuckles, Vec3::UnitY()), 0.03);
  return smooth_union(d, flat_cone(p, knuckles, tips, Vec3::UnitY()), 0.02);
}

// The belly of the muscle rises where the arm is flexed; the skin before the elbow and on the back follows a little.
Vec3 flexed(const Build& b, const Vec3& p) {
  const double along = (p.x() / b.upper - 0.52) / 0.30, above = (p.y() - kHeight) / b.biceps;
  const double belly = std::exp(-along * along) * smooth_step(-0.5, 0.9, above);
  const double aside = p.z() / b.biceps;
  return belly * Vec3(-0.25 * b.bulge * along, b.bulge, 0.35 * b.bulge * aside);
}

}  // namespace rigspace::arm
