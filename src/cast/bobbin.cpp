// Bobbin, a plump little dragon: 1.2 m of flesh over a glTF skeleton, with eyes that blink.

#include "bobbin_clips.h"
#include "bobbin_shape.h"
#include "flesh.h"
#include "members.h"
#include "puppet.h"
#include "rigspace/geometry/polygonise.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace rigspace {
namespace bobbin {
namespace {

using flesh::Flesh;
using puppet::Skeleton;

constexpr std::array kTrunkNames{"pelvis", "spine_01", "spine_02", "chest", "neck", "head"};
constexpr std::array kArmNames{"clavicle", "upper_arm", "lower_arm", "hand"};
constexpr std::array kLegNames{"thigh", "shin", "foot", "toe"};

std::string numbered(std::string_view stem, int k) { return std::string(stem) + "_0" + std::to_string(k + 1); }

Skeleton make_skeleton() {
  Skeleton skeleton;
  skeleton.add("root", "", Vec3::Zero(), Vec3::UnitY(), Vec3::UnitX());
  std::string parent = "root";
  for (std::size_t k = 0; k < kTrunkNames.size(); ++k) {
    skeleton.add(kTrunkNames[k], parent, kTrunk[k], kTrunk[k + 1], Vec3::UnitX());
    parent = kTrunkNames[k];
  }
  // A chain of bones; the hinge of bone k is at right angles to it and to `forward`.
  const auto add_chain = [&](const std::vector<std::string>& names, std::string above, std::span<const Vec3> at,
                             bool right, const Vec3& forward) {
    for (std::size_t k = 0; k < names.size(); ++k) {
      const Vec3 from = right ? mirrored(at[k]) : at[k], to = right ? mirrored(at[k + 1]) : at[k + 1];
      skeleton.add(names[k], above, from, to, (to - from).cross(forward));
      above = names[k];
    }
  };
  for (const std::string end : {"_l", "_r"}) {
    const bool right = end == "_r";
    const auto named = [&](const auto& stems) {
      std::vector<std::string> names;
      for (const char* stem : stems) names.push_back(stem + end);
      return names;
    };
    add_chain(named(kArmNames), "chest", kArm, right, Vec3::UnitZ());
    add_chain(named(kLegNames), "pelvis", kLeg, right, Vec3(0, 0.3, 1));
    add_chain({"ear" + end + "_01", "ear" + end + "_02", "ear" + end + "_03"}, "head", kEar, right, Vec3::UnitZ());
  }
  std::vector<std::string> tail;
  for (int k = 0; k < 5; ++k) tail.push_back(numbered("tail", k));
  add_chain(tail, "pelvis", kTail, false, Vec3::UnitY());
  return skeleton;
}

// Columns of the joints of a chain in the weights, root to tip.
struct Chain {
  std::vector<int> joints;
  std::vector<Vec3> points;
  double width;  // of the change from bone to bone, metres
};

void add_chain_weights(const Chain& chain, const Vec3& p, double share, Mat& weights, Eigen::Index v) {
  const std::vector<double> along = flesh::chain_weights(p, chain.points, chain.width);
  for (std::size_t k = 0; k < along.size(); ++k) weights(v, chain.joints[k]) += share * along[k];
}

// Legs by height and length instead: the heel lies behind the ankle, and must not follow the shin.
void add_leg_weights(std::span<const int> joints, const Vec3& p, double share, Mat& weights, Eigen::Index v) {
  const double below_knee = smooth_step(kLeg[1].y() + 0.05, kLeg[1].y() - 0.05, p.y());
  const double below_ankle = smooth_step(0.125, 0.07, p.y());
  const double before_ball = smooth_step(kLeg[3].z() - 0.035, kLeg[3].z() + 0.01, p.z());
  weights(v, joints[0]) += share * (1 - below_knee);
  weights(v, joints[1]) += share * below_knee * (1 - below_ankle);
  weights(v, joints[2]) += share * below_knee * below_ankle * (1 - before_ball);
  weights(v, joints[3]) += share * below_knee * below_ankle * before_ball;
}

// Every part of the body claims the skin by its nearness, exp(-d/softness), so the left leg never pulls at the right
// one however close they are in space; within a part the bones share along the chain.
class Weigher {
 public:
  explicit Weigher(const Skeleton& skeleton) {
    const auto joints = [&](auto... names) { return std::vector<int>{skeleton.find(names)...}; };
    const auto points = [](std::span<const Vec3> at, bool right) {
      std::vector<Vec3> result(at.begin(), at.end());
      for (Vec3& p : result) p = right ? mirrored(p) : p;
      return result;
    };
    trunk_ = {joints("pelvis", "spine_01", "spine_02", "chest", "neck", "head"), points(kTrunk, false), 0.07};
    head_ = skeleton.find("head");
    tail_ = {joints("tail_01", "tail_02", "tail_03", "tail_04", "tail_05"), points(kTail, false), 0.05};
    arm_[0] = {joints("clavicle_l", "upper_arm_l", "lower_arm_l", "hand_l"), points(kArm, false), 0.035};
    arm_[1] = {joints("clavicle_r", "upper_arm_r", "lower_arm_r", "hand_r"), points(kArm, true), 0.035};
    ear_[0] = {joints("ear_l_01", "ear_l_02", "ear_l_03"), points(kEar, false), 0.05};
    ear_[1] = {joints("ear_r_01", "ear_r_02", "ear_r_03"), points(kEar, true), 0.05};
    leg_[0] = joints("thigh_l", "shin_l", "foot_l", "toe_l");
    leg_[1] = joints("thigh_r", "shin_r", "foot_r", "toe_r");
  }

  void weigh(const Vec3& p, Mat& weights, Eigen::Index v) const {
    // Metres. Arms and tail hold less of the flanks that they lie against.
    constexpr std::array<double, 9> kSoftness{0.022, 0.022, 0.013, 0.013, 0.022, 0.022, 0.018, 0.018, 0.018};
    const Parts d = parts(p);
    const std::array<double, 9> distance{d.trunk, d.head, d.arm_l, d.arm_r, d.leg_l, d.leg_r, d.tail, d.ear_l, d.ear_r};
    const double nearest = *std::min_element(distance.begin(), distance.end());
    std::array<double, 9> share;
    double sum = 0;
    for (std::size_t k = 0; k < share.size(); ++k) {
      share[k] = std::exp((nearest - distance[k]) / kSoftness[k]);
      if (k == 4 || k == 5) share[k] *= smooth_step(0, 0.06, k == 4 ? p.x() : -p.x());  // between the legs, the trunk's
      sum += share[k];
    }
    for (double& s : share) s /= sum;

    weights.row(v).setZero();
    add_chain_weights(trunk_, p, share[0], weights, v);
    weights(v, head_) += share[1];
    for (int side = 0; side < 2; ++side) {
      add_chain_weights(arm_[side], p, share[2 + side], weights, v);
      add_leg_weights(leg_[side], p, share[4 + side], weights, v);
      add_chain_weights(ear_[side], p, share[7 + side], weights, v);
    }
    add_chain_weights(tail_, p, share[6], weights, v);
  }

 private:
  Chain trunk_, tail_, arm_[2], ear_[2];
  std::vector<int> leg_[2];
  int head_ = 0;
};

Flesh make_body(const Skeleton& skeleton) {
  const TriMesh surface = polygonise(body, {.low = {-0.66, -0.1, -0.8}, .high = {0.66, 1.3, 0.44}, .cell = 0.0245});
  Flesh flesh{.name = "body", .material = 0};
  flesh.triangles = surface.triangles;
  const int count = surface.point_count();
  const Weigher weigher(skeleton);
  Mat weights(count, skeleton.size());
  for (int v = 0; v < count; ++v) {
    const Vec3 p = point(surface.points, v);
    flesh.points.push_back(p);
    flesh.normals.push_back(gradient(body, p, 1e-4).normalized());
    flesh.colors.push_back(skin_color(p));
    weigher.weigh(p, weights, v);
  }
  flesh::smooth_weights(flesh.triangles, 5, weights);
  flesh.influences = flesh::strongest(weights, 4, 0.02);
  return flesh;
}

Mat3 facing(const Vec3& normal) {
  Mat3 axes;
  axes.col(2) = normal;
  axes.col(0) = Vec3::UnitY().cross(normal).normalized();
  axes.col(1) = normal.cross(axes.col(0));
  return axes;
}

constexpr double kEyeX = 0.108, kEyeY = 0.962;
const Vec3 kEyeHalf(0.044, 0.056, 0.034);

// Dark glossy buttons with a catch light each; the light stays on the same side in both, as a lamp's would.
Flesh make_eyes(int head) {
  Flesh eyes{.name = "eyes", .material = 1};
  const Eigen::Vector4f dark(0.012f, 0.010f, 0.016f, 1), light(1, 1, 1, 1);
  for (const double side : {1.0, -1.0}) {
    const SkinPoint skin = front_skin(side * kEyeX, kEyeY);
    const Mat3 axes = facing(skin.normal);
    const Vec3 center = skin.position - 0.008 * skin.normal;
    flesh::add_ellipsoid({.center = center, .axes = axes, .half = kEyeHalf, .rings = 12, .segments = 24}, {head, dark},
                         eyes);
    const auto catch_light = [&](double right, double up, double size) {
      const Vec3 unit = Vec3(right, up, std::sqrt(1 - right * right - up * up));
      const Vec3 at = center + axes * unit.cwiseProduct(kEyeHalf);
      const Vec3 normal = (axes * unit.cwiseQuotient(kEyeHalf)).normalized();
      flesh::add_ellipsoid(
          {.center = at, .axes = facing(normal), .half = {size, size, 0.3 * size}, .rings = 5, .segments = 12},
          {head, light}, eyes);
    };
    catch_light(-0.28, 0.42, 0.0135);
    catch_light(0.3, -0.4, 0.006);
  }
  return eyes;
}

// The lids' work, done by the eyes: they flatten to a smiling line.
MorphTarget make_blink(const Flesh& eyes, int slot) {
  MorphTarget target{.weight_slot = slot, .points = {}, .offsets = {}};
  for (int v = 0; v < eyes.size(); ++v) {
    const Vec3& p = eyes.points[v];
    const double across = (std::abs(p.x()) - kEyeX) / kEyeHalf.x();
    const double line = kEyeY - 0.012 + 0.010 * across * across;
    const bool light = eyes.colors[v].x() > 0.5f;
    // Catch lights sink behind the line.
    target.points.push_back(v);
    target.offsets.push_back({0, (line - p.y()) * 0.9, light ? -0.03 : 0.0});
  }
  return target;
}

// Smile, nostrils and toenails.
Flesh make_details(const Skeleton& skeleton) {
  Flesh details{.name = "details", .material = 2};
  const int head = skeleton.find("head");
  const Eigen::Vector4f brown(0.06f, 0.018f, 0.016f, 1), horn(0.93f, 0.80f, 0.58f, 1);
  flesh::TubeShape smile;
  for (int k = 0; k <= 24; ++k) {
    const double s = k / 12.0 - 1;
    smile.line.push_back(front_skin(0.088 * s, 0.838 + 0.026 * s * s).position);
    smile.radii.push_back(0.0065 * std::sqrt(1.05 - s * s));
  }
  flesh::add_tube(smile, {head, brown}, details);
  for (const double side : {1.0, -1.0}) {
    const SkinPoint nostril = front_skin(side * 0.034, 0.902);
    flesh::add_ellipsoid({.center = nostril.position,
                          .axes = facing(nostril.normal),
                          .half = {0.0085, 0.011, 0.004},
                          .rings = 5,
                          .segments = 12},
                         {head, brown}, details);
    for (const double toe : {-0.06, 0.0, 0.06}) {
      const SkinPoint skin = front_skin(side * (0.152 + toe), 0.05);
      flesh::add_ellipsoid({.center = skin.position - 0.003 * skin.normal,
                            .axes = facing(skin.normal),
                            .half = {0.022, 0.019, 0.010},
                            .rings = 6,
                            .segments = 12},
                           {skeleton.find(side > 0 ? "toe_l" : "toe_r"), horn}, details);
    }
  }
  return details;
}

// Adds the joints as nodes and bones; fills in the skin's side of them.
void add_joints(const Skeleton& skeleton, ControlGraph& graph, SkinDescription& skin, std::vector<Bone>& bones) {
  for (int j = 0; j < skeleton.size(); ++j) {
    const puppet::Joint& joint = skeleton[j];
    const int slot = add_node(graph, {.name = joint.name,
                                      .parent_slot = joint.parent < 0 ? -1 : bones[joint.parent].slot,
                                      .translation = skeleton.local_translation(j),
                                      .rotation = skeleton.local_rotation(j),
                                      .typical_length = 0.1});
    bones.push_back({joint.name, joint.parent, slot});
    skin.joint_slots.push_back(slot);
    Affine inverse;
    linear(inverse) = joint.axes.conjugate().toRotationMatrix();
    translation(inverse) = -(linear(inverse) * joint.position);
    skin.inverse_bind.push_back(inverse);
  }
}

Piece make_piece(const Flesh& flesh, int first_point) {
  Piece piece;
  piece.name = flesh.name;
  piece.first_point = first_point;
  piece.point_count = flesh.size();
  piece.material = flesh.material;
  piece.triangles = flesh.triangles;
  for (auto& triangle : piece.triangles) {
    for (int& v : triangle) v += first_point;
  }
  piece.colors = flesh.colors;
  for (const Vec3& normal : flesh.normals) piece.rest_normals.push_back(normal.cast<float>());
  return piece;
}

}  // namespace
}  // namespace bobbin

Character make_bobbin() {
  using namespace bobbin;
  const puppet::Skeleton skeleton = make_skeleton();
  Character character;
  character.name = "bobbin";
  for (const char* name : {"skin", "eyes", "details"}) character.materials.push_back({.name = name});

  auto graph = std::make_shared<ControlGraph>();
  SkinDescription skin;
  add_joints(skeleton, *graph, skin, character.bones);
  const int blink = add_scalar(*graph, {.name = "eyes:blink", .node = "eyes", .min = 0, .max = 1});

  std::vector<double> points;
  std::vector<std::shared_ptr<const Deformer>> deformers;
  for (const Flesh& flesh : {make_body(skeleton), make_eyes(skeleton.find("head")), make_details(skeleton)}) {
    const int first = static_cast<int>(points.size() / 3);
    character.pieces.push_back(make_piece(flesh, first));
    for (const Vec3& x : flesh.points) points.insert(points.end(), x.begin(), x.end());
    skin.influences.insert(skin.influences.end(), flesh.influences.begin(), flesh.influences.end());
    if (flesh.name == "eyes") {
      const std::array targets{make_blink(flesh, blink)};
      deformers.push_back(make_blend_shapes(first, flesh.size(), targets));
    }
  }
  deformers.push_back(make_linear_blend_skin(skin));
  const Eigen::Map<const Vec> points_rest(points.data(), static_cast<Eigen::Index>(points.size()));
  character.rig = std::make_shared<BuiltInRig>(std::move(graph), points_rest, std::move(deformers));
  character.clips = clips(skeleton);
  return character;
}

}  // namespace rigspace
