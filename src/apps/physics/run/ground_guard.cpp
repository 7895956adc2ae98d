#include "ground_guard.h"

#include "rigspace/base/affine.h"
#include "rigspace/parts/footing.h"
#include "rigspace/parts/part_finder.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kMostSlip = 0.016;    // of the largest extent
constexpr double kGround = 0.03;       // of the height: points so low are on the ground
constexpr double kBetween = 1.0 / 30;  // s between measurements
constexpr double kHangs = 0.5;         // of the way from its first joint to its last, downward: a chain hangs
constexpr double kItsOwn = 0.5;        // of the skin weights of a point

/// Points in the lowest part of the character, and its largest extent.
struct LowestSkin {
  std::vector<int> points;
  double size = 0;
};
LowestSkin lowest_skin(const Vec& s) {
  const Eigen::Map<const Eigen::Matrix3Xd> x(s.data(), 3, s.size() / 3);
  const Vec3 low = x.rowwise().minCoeff(), extent = x.rowwise().maxCoeff() - low;
  LowestSkin lowest{.size = extent.maxCoeff()};
  for (int i = 0; i < x.cols(); ++i)
    if (x(1, i) < low.y() + kGround * extent.y()) lowest.points.push_back(i);
  return lowest;
}

/// Whether the lowest skin is that of a chain that hangs down: a rope, or the tail of a ghost, whose tip is near the
/// floor. Nothing stands on it.
bool hangs_to_the_ground(const Character& character, const Part& part, const Vec& p, const std::vector<int>& lowest) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr || part.bones.size() < 2 || preset_named(part.preset).flesh) return false;
  Vec u;
  rig->evaluate_slots(*rig->make_workspace(), p, u);
  const auto place = [&](int bone) {
    return Vec3(
        translation(transform_at(u, rig->graph().slots()[character.bones[static_cast<std::size_t>(bone)].slot])));
  };
  const Vec3 way = place(part.bones.back()) - place(part.bones.front());
  if (-way.y() < kHangs * way.norm()) return false;
  const Vec shares = share_of_skin(character, part.bones);
  return std::all_of(lowest.begin(), lowest.end(), [&](int point) { return shares[point] >= kItsOwn; });
}

}  // namespace

double share_on_ground(const Character& character, const KeyedMotion& key, const Part& part,
                       const Deviations& deviations) {
  const Eigen::Index count = deviations.values.cols();
  if (count < 2 || !part.points.empty() || key.black_box() || key.play().off_ground) return 1;
  const auto whole = character.rig->make_workspace();
  Vec p, s, moved;
  key.controls(deviations.times[0], p);
  character.rig->evaluate(*whole, p, s);
  const LowestSkin lowest = lowest_skin(s);
  if (lowest.points.empty() || !(lowest.size > 0)) return 1;
  const auto rig = character.rig->restricted(lowest.points);
  const auto workspace = rig->make_workspace();
  const double h = deviations.times[1] - deviations.times[0];
  const Eigen::Index stride = std::max<Eigen::Index>(1, std::lround(kBetween / h));
  double slip = 0;
  for (Eigen::Index k = 0; k < count; k += stride) {
    key.controls(deviations.times[static_cast<std::size_t>(k)], p);
    rig->evaluate(*workspace, p, s);
    for (std::size_t c = 0; c < deviations.controls.size(); ++c)
      p[deviations.controls[c]] += deviations.values(static_cast<Eigen::Index>(c), k);
    rig->evaluate(*workspace, p, moved);
    const Vec d = moved - s;
    slip = std::max(slip, Eigen::Map<const Eigen::Matrix3Xd>(d.data(), 3, d.size() / 3).colwise().norm().maxCoeff());
  }
  if (slip <= kMostSlip * lowest.size || !footing_of(character, key).stands) return 1;
  key.controls(deviations.times[0], p);
  if (hangs_to_the_ground(character, part, p, lowest.points)) return 1;
  return kMostSlip * lowest.size / slip;
}

}  // namespace rigspace
