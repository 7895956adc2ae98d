#include "sumo_rig.h"

#include "biped_rig.h"
#include "sumo_shape.h"

#include <cmath>
#include <numbers>
#include <string>
#include <utility>

namespace rigspace::sumo {
namespace {

// A region of soft flesh: its handles, how far each reaches, and where the region ends.
struct Region {
  std::string name;
  std::vector<Vec3> handles;
  double reach;                                 // metres
  std::function<double(const Vec3&)> softness;  // 0 to 1
};

constexpr double kRigTurn = 2 * std::numbers::pi;

// Rings of handles on the skin around `axis` as seen from `center`: `count[k]` of them `degrees[k]` off the axis.
struct Rings {
  Vec3 center, axis;
  std::vector<double> degrees;
  std::vector<int> counts;
};

std::vector<Vec3> on_skin(const Rings& rings) {
  const Mat3 axes = shapes::facing(rings.axis.normalized());
  std::vector<Vec3> handles;
  for (std::size_t ring = 0; ring < rings.degrees.size(); ++ring) {
    for (int k = 0; k < rings.counts[ring]; ++k) {
      const double off = rings.degrees[ring] * kRigTurn / 360;
      const double around = kRigTurn * (k + 0.5 * static_cast<double>(ring % 2)) / rings.counts[ring];
      const Vec3 direction =
          axes * Vec3(std::sin(off) * std::cos(around), std::sin(off) * std::sin(around), std::cos(off));
      handles.push_back(shapes::first_hit(body, rings.center + 0.9 * direction, -direction).position);
    }
  }
  return handles;
}

std::vector<Region> regions() {
  std::vector<Region> result;
  const Vec3 belly(0, 0.80, 0.115);
  result.push_back(
      {"belly", on_skin({belly, Vec3(0, -0.08, 1), {0, 26, 50, 72}, {1, 6, 9, 10}}), 0.20, [belly](const Vec3& p) {
         const double level = (p - belly).cwiseQuotient(Vec3(0.44, 0.36, 0.42)).norm();
         return smooth_step(1.12, 0.92, level) * smooth_step(-0.14, 0.04, p.z());
       }});
  Region chest{"chest", {}, 0.11, [](const Vec3& p) {
                 const double d = (shapes::to_left(p) - Vec3(0.15, 1.05, 0.20)).norm();
                 return smooth_step(0.22, 0.08, d) * smooth_step(0.02, 0.12, p.z());
               }};
  Region cheeks{"cheek", {}, 0.06, [](const Vec3& p) {
                  const double d = (shapes::to_left(p) - Vec3(0.125, 1.33, 0.13)).norm();
                  return smooth_step(0.125, 0.04, d);
                }};
  for (const double side : {1.0, -1.0}) {
    const auto own = [side](double x, double y, double z) { return Vec3(side * x, y, z); };
    for (const Vec3& handle : on_skin({own(0.145, 1.05, 0.12), own(0.12, 0.3, 1), {0, 30}, {1, 5}}))
      chest.handles.push_back(handle);
    for (const Vec3& handle : on_skin({own(0.10, 1.335, 0.08), own(0.55, -0.1, 1), {0, 38}, {1, 3}}))
      cheeks.handles.push_back(handle);
  }
  result.push_back(std::move(chest));
  result.push_back(std::move(cheeks));
  // From the nape over the crown to the tip of the knot, and two rows beside it.
  Region knot{"hair", {}, 0.075, [](const Vec3& p) {
                return smooth_step(0.03, 0.004, hair(p)) * smooth_step(1.44, 1.58, p.y());
              }};
  for (const Vec3& middle : {Vec3(0, 1.55, -0.13), Vec3(0, 1.60, -0.08), Vec3(0, 1.645, -0.02), Vec3(0, 1.655, 0.06)}) {
    for (const double aside : {-0.05, 0.0, 0.05}) knot.handles.push_back(middle + Vec3(aside, 0, 0));
  }
  result.push_back(std::move(knot));
  return result;
}

// Handles share a region: each by (1 - (d / reach)^2)^2, together never more than its softness.
plan::Mask handle_mask(const flesh::Flesh& skin, const Region& region, std::size_t handle) {
  return mask_of(skin, [&](const Vec3& p) {
    const double softness = region.softness(p);
    if (softness <= 0) return 0.0;
    double own = 0, sum = 0;
    for (std::size_t k = 0; k < region.handles.size(); ++k) {
      const double d = (p - region.handles[k]).norm() / region.reach;
      const double pull = d < 1 ? (1 - d * d) * (1 - d * d) : 0;
      sum += pull;
      if (k == handle) own = pull;
    }
    return softness * own / std::max(1.0, sum);
  });
}

}  // namespace

void add_rig(std::span<const flesh::Flesh> skins, RigPlan& plan) {
  const std::vector<Region> soft = regions();
  for (const Region& region : soft) {
    for (std::size_t k = 0; k < region.handles.size(); ++k) {
      plan.points.push_back({.name = biped::numbered(region.name, static_cast<int>(k)),
                             .parent = {},
                             .position = region.handles[k],
                             .typical_length = 0.25 * region.reach});
    }
    plan.rules.push_back({.pattern = region.name + "_*", .group = region.name});
  }
  for (const flesh::Flesh& skin : skins) {
    plan::Clusters clusters;
    for (const Region& region : soft) {
      for (std::size_t k = 0; k < region.handles.size(); ++k) {
        plan::Mask mask = handle_mask(skin, region, k);
        if (mask.is_everywhere()) continue;  // it reaches none of this skin
        clusters.clusters.push_back({biped::numbered(region.name, static_cast<int>(k)), std::move(mask)});
      }
    }
    plan.deformers.push_back({.name = "softness_" + skin.name, .pieces = {skin.name}, .kind = std::move(clusters)});
  }
  biped::add_ik(kPlan, plan);
}

}  // namespace rigspace::sumo
