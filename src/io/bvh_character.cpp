// A BVH motion as a character: nodes, a body of sticks, one clip.
#include "bvh_names.h"
#include "curve_format.h"
#include "rigspace/anim/bake.h"
#include "rigspace/geometry/scene_unit.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

std::vector<Vec3> rest_places(const BvhMotion& motion) {
  std::vector<Vec3> places;
  for (const BvhJoint& joint : motion.joints)
    places.push_back(joint.offset + (joint.parent < 0 ? Vec3(Vec3::Zero()) : places[joint.parent]));
  return places;
}

Eigen::AlignedBox3d box_of(const std::vector<Vec3>& places) {
  Eigen::AlignedBox3d box;
  for (const Vec3& place : places) box.extend(place);
  return box;
}

/// Octahedra with flat faces, each on one joint.
class Sticks {
 public:
  /// From a joint at `from` to `to`, thickest at a fifth of the way.
  void add(int joint, const Vec3& from, const Vec3& to, double thickness) {
    const Vec3 along = (to - from).normalized();
    const Vec3 aside = along.unitOrthogonal(), across = along.cross(aside);
    const Vec3 middle = from + 0.2 * (to - from);
    const Vec3 ring[4] = {middle + thickness * aside, middle + thickness * across, middle - thickness * aside,
                          middle - thickness * across};
    for (int k = 0; k < 4; ++k) {
      face(joint, to, ring[k], ring[(k + 1) % 4]);
      face(joint, from, ring[(k + 1) % 4], ring[k]);
    }
  }

  std::vector<double> points;
  std::vector<std::vector<Influence>> influences;
  Piece piece{.name = "sticks"};

 private:
  void face(int joint, const Vec3& a, const Vec3& b, const Vec3& c) {
    const int first = static_cast<int>(influences.size());
    const Eigen::Vector3f normal = (b - a).cross(c - a).normalized().cast<float>();
    for (const Vec3& corner : {a, b, c}) {
      points.insert(points.end(), corner.begin(), corner.end());
      influences.push_back({{joint, 1.0}});
      piece.rest_normals.push_back(normal);
    }
    piece.triangles.push_back({first, first + 1, first + 2});
    piece.point_count = first + 3;
  }
};

Sticks make_sticks(const BvhMotion& motion, const std::vector<Vec3>& places, double size) {
  Sticks sticks;
  for (std::size_t j = 0; j < places.size(); ++j) {
    const int parent = motion.joints[j].parent;
    if (parent < 0) continue;
    const double length = (places[j] - places[parent]).norm();
    if (length > 1e-4 * size) sticks.add(parent, places[parent], places[j], std::min(0.12 * length, 0.02 * size));
  }
  if (sticks.influences.empty())  // a motion of one point: something to look at
    sticks.add(0, places[0], places[0] + 0.1 * size * Vec3::UnitY(), 0.02 * size);
  return sticks;
}

/// The rotations and positions of one joint over the frames.
void add_tracks(const BvhMotion& motion, const BvhJoint& joint, Eigen::Index row, Animation& clip) {
  const Eigen::Index frames = motion.frames.cols();
  std::vector<double> times;
  for (Eigen::Index k = 0; k < frames; ++k) times.push_back(static_cast<double>(k) / motion.rate);
  RotationTrack rotation{.node = joint.name, .times = times};
  std::array<Track, 3> position;
  for (int axis = 0; axis < 3; ++axis)
    position[axis] = {.control = joint.name + ".t" + "xyz"[axis], .curve = {.times = times}};
  bool turns = false, moves = false;
  for (Eigen::Index k = 0; k < frames; ++k) {
    Quat q = Quat::Identity();
    Vec3 t = joint.offset;
    for (std::size_t c = 0; c < joint.channels.size(); ++c) {
      const double value = motion.frames(row + static_cast<Eigen::Index>(c), k);
      const int axis = axis_of(joint.channels[c]);
      if (is_position(joint.channels[c]))
        t[axis] = value;
      else
        q = q * Eigen::AngleAxisd(value / kDegrees, Vec3::Unit(axis)), turns = true;
    }
    moves = moves || t != joint.offset;
    rotation.values.push_back(q.normalized().coeffs());
    for (int axis = 0; axis < 3; ++axis) position[axis].curve.values.push_back(t[axis]);
  }
  make_signs_continuous(rotation.values);
  if (turns) clip.rotations.push_back(std::move(rotation));
  if (moves)
    for (Track& track : position) clip.tracks.push_back(std::move(track));
}

Animation make_clip(const BvhMotion& motion) {
  Animation clip{.name = motion.name.empty() ? "motion" : motion.name,
                 .duration = static_cast<double>(motion.frames.cols() - 1) / motion.rate};
  Eigen::Index row = 0;
  for (const BvhJoint& joint : motion.joints) {
    add_tracks(motion, joint, row, clip);
    row += static_cast<Eigen::Index>(joint.channels.size());
  }
  return clip;
}

}  // namespace

Character to_character(const BvhMotion& motion) {
  Character character{.name = motion.name, .warnings = motion.warnings};
  const std::vector<Vec3> places = rest_places(motion);
  const Eigen::AlignedBox3d box = box_of(places);
  const double diagonal = box.isEmpty() ? 0 : box.diagonal().norm();
  const double size = diagonal > 0 && std::isfinite(diagonal) ? diagonal : 1;
  const Vec flat = places.empty() ? Vec() : Vec(Eigen::Map<const Vec>(places[0].data(), std::ssize(places) * 3));
  if (const SceneUnit unit = guess_metres_per_unit(flat); unit.guessed)
    character.warnings.push_back("BVH names no unit: lengths are kept, and the figure measures " +
                                 number_text(unit.size, 3) + " units; physics takes that as 1.7 m");

  auto graph = std::make_shared<ControlGraph>();
  SkinDescription skin;
  for (std::size_t j = 0; j < motion.joints.size(); ++j) {
    const BvhJoint& joint = motion.joints[j];
    const int slot = add_node(*graph, {.name = joint.name,
                                       .parent_slot = joint.parent < 0 ? -1 : skin.joint_slots[joint.parent],
                                       .translation = joint.offset,
                                       .typical_length = 0.1 * size});
    skin.joint_slots.push_back(slot);
    Affine inverse_bind = identity_affine();
    translation(inverse_bind) = -places[j];
    skin.inverse_bind.push_back(inverse_bind);
    character.bones.push_back({.name = joint.name, .parent = joint.parent, .slot = slot});
  }
  Sticks sticks = make_sticks(motion, places, size);
  skin.influences = std::move(sticks.influences);
  sticks.piece.material = 0;
  character.materials.push_back({.name = "sticks", .base_color = {0.62f, 0.42f, 0.24f, 1}});
  character.pieces.push_back(std::move(sticks.piece));
  std::vector<std::shared_ptr<const Deformer>> deformers = {make_linear_blend_skin(skin)};
  const Vec points = Eigen::Map<const Vec>(sticks.points.data(), static_cast<Eigen::Index>(sticks.points.size()));
  character.rig = std::make_shared<BuiltInRig>(graph, points, std::move(deformers));
  if (motion.frames.cols() > 0) character.clips.push_back(make_clip(motion));
  return character;
}

}  // namespace rigspace
