// A head on its neck, without shapes: what force templates make faces on.

#include "assembly.h"
#include "flesh.h"
#include "members.h"
#include "puppet.h"
#include "rigspace/geometry/polygonise.h"
#include "rigspace/geometry/signed_distance.h"
#include "shapes.h"

#include <array>
#include <cmath>

namespace rigspace {
namespace torso_head {
namespace {

const Vec3 kNeck(0, 0.02, -0.02), kSkull(0, 0.115, -0.005), kTop(0, 0.29, 0.0), kJaw(0, 0.140, 0.010),
    kChin(0, 0.095, 0.085);

double jaw(const Vec3& p) {
  const Vec3 left = shapes::to_left(p);
  double d = ellipsoid(p, {0, 0.125, 0.040}, {0.056, 0.055, 0.058});
  d = smooth_union(d, sphere(p, {0, 0.088, 0.082}, 0.022), 0.03);  // chin
  d = smooth_union(d, tapered_capsule(left, {0, 0.1245, 0.0985}, {0.018, 0.1255, 0.092}, 0.0068, 0.0045), 0.008);
  return d;  // with the lower lip
}

double skull(const Vec3& p) {
  const Vec3 left = shapes::to_left(p);
  double d = ellipsoid(p, {0, 0.205, 0.0}, {0.077, 0.098, 0.096});
  d = smooth_union(d, ellipsoid(left, {0.036, 0.168, 0.060}, {0.030, 0.030, 0.032}), 0.035);           // cheeks
  d = smooth_union(d, ellipsoid(p, {0, 0.150, 0.062}, {0.040, 0.026, 0.036}), 0.03);                   // above the lip
  d = smooth_union(d, tapered_capsule(p, {0, 0.205, 0.088}, {0, 0.166, 0.114}, 0.009, 0.014), 0.018);  // nose
  d = smooth_union(d, sphere(left, {0.0125, 0.163, 0.104}, 0.0095), 0.010);                            // its wings
  d = smooth_union(d, tapered_capsule(left, {0.010, 0.219, 0.092}, {0.050, 0.220, 0.074}, 0.010, 0.008), 0.020);
  d = smooth_difference(d, sphere(left, {0.032, 0.199, 0.100}, 0.018), 0.016);  // below the brows, the sockets
  d = smooth_union(d, sphere(left, {0.032, 0.199, 0.074}, 0.0155), 0.004);      // the eyes' lids
  d = smooth_union(d, tapered_capsule(left, {0, 0.1355, 0.1005}, {0.019, 0.1345, 0.0925}, 0.0062, 0.0042), 0.008);
  return smooth_union(d, ellipsoid(left, {0.080, 0.180, -0.010}, {0.010, 0.030, 0.020}), 0.008);  // ears
}

double neck(const Vec3& p) { return tapered_capsule(p, {0, 0.045, -0.025}, {0, 0.15, -0.020}, 0.056, 0.050); }

double solid(const Vec3& p) { return smooth_union(smooth_union(skull(p), jaw(p), 0.012), neck(p), 0.035); }

puppet::Skeleton make_skeleton() {
  puppet::Skeleton skeleton;
  skeleton.add("neck", "", kNeck, kSkull, Vec3::UnitX());
  skeleton.add("head", "neck", kSkull, kTop, Vec3::UnitX());
  skeleton.add("jaw", "head", kJaw, kChin, Vec3::UnitX());
  return skeleton;
}

Eigen::Vector4f skin_color(const Vec3& p) {
  const Vec3 left = shapes::to_left(p);
  const Eigen::Vector3f skin(0.66f, 0.45f, 0.34f), red(0.60f, 0.26f, 0.22f);
  const double lips = smooth_step(0.010, 0.004, std::abs(p.y() - 0.130)) * smooth_step(0.030, 0.020, left.x()) *
                      smooth_step(0.080, 0.092, p.z());
  const Eigen::Vector3f color = shapes::mix(skin, red, lips);
  return {color.x(), color.y(), color.z(), 1};
}

puppet::Pose nod(const puppet::Skeleton& skeleton, double time) {
  const double phase = puppet::kTurn * time / 2;
  puppet::Pose pose(skeleton);
  pose.turn[1] = puppet::about_x(8 * std::sin(phase)) * puppet::about_y(10 * std::sin(0.5 * phase));
  pose.turn[2] = puppet::about_x(6 - 6 * std::cos(2 * phase));
  return pose;
}

}  // namespace
}  // namespace torso_head

RiggedCharacter make_head(Version version) {
  using namespace torso_head;
  const puppet::Skeleton skeleton = make_skeleton();
  Assembly assembly("head", {"skin"});
  assembly.add_joints(skeleton);
  const flesh::ChainWeights upright{{0, 1}, {kNeck, kSkull, kTop}, 0.03}, chin{{2}, {kJaw, kChin}, 0.02};
  const std::array parts{flesh::Part{[](const Vec3& p) { return std::min(skull(p), neck(p)); }, 0.006, upright, {}},
                         flesh::Part{jaw, 0.006, chin, [](const Vec3& p) { return smooth_step(0.0, 0.04, p.z()); }}};
  const TriMesh surface = polygonise(solid, {.low = {-0.11, -0.02, -0.13}, .high = {0.11, 0.32, 0.15}, .cell = 0.0048});
  assembly.add(flesh::make_body(surface, {.name = "skin",
                                          .solid = solid,
                                          .color = skin_color,
                                          .parts = parts,
                                          .joints = skeleton.size(),
                                          .smoothing = 3}));
  assembly.character.clips = puppet::bake(skeleton, {{"Nod", 4.0, 30, nod}});
  return std::move(assembly).finish(version);
}

}  // namespace rigspace
