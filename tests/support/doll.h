#pragma once
// A character of balls on joints, for tests of what is found on it by names and places.

#include "rigspace/anim/character.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace rigspace::testing {

/// A character of balls on joints: each joint holds an octahedron, smoothly shared with its parent unless it is rigid.
class Doll {
 public:
  /// Position in the scene; radius of its ball, 0 for none. Returns the joint.
  int add(const std::string& name, int parent, Vec3 at, double radius = 0.08) {
    names_.push_back(name), parents_.push_back(parent), at_.push_back(at), radius_.push_back(radius);
    return static_cast<int>(names_.size()) - 1;
  }
  /// Both sides at once, at +-x: returns the left one; the right one is the next.
  int add_pair(const std::string& name, int parent, Vec3 at, double radius = 0.08) {
    const bool pair = parent >= 0 && std::abs(at_[static_cast<std::size_t>(parent)].x()) > 1e-6;
    add(name + ".L", parent, at, radius);
    return add(name + ".R", pair ? parent + 1 : parent, Vec3(-at.x(), at.y(), at.z()), radius) - 1;
  }
  void rename(int joint, const std::string& name) { names_[static_cast<std::size_t>(joint)] = name; }
  /// A clip turns this joint, by 0.3 rad.
  void key(int joint) { keyed_.push_back(joint); }
  bool rigid = false;
  std::string clip = "Walk";
  Vec3 shift = Vec3::Zero();  ///< of all joints

  Character make(const std::string& name = "doll") const {
    Character character{.name = name};
    ControlGraph graph;
    SkinDescription skin;
    std::vector<int> slots;
    for (std::size_t j = 0; j < names_.size(); ++j) {
      const Vec3 origin = parents_[j] < 0 ? Vec3(-shift) : at_[static_cast<std::size_t>(parents_[j])];
      slots.push_back(
          add_node(graph, {.name = names_[j],
                           .parent_slot = parents_[j] < 0 ? -1 : slots[static_cast<std::size_t>(parents_[j])],
                           .translation = at_[j] - origin}));
      character.bones.push_back({.name = names_[j], .parent = parents_[j], .slot = slots.back()});
      Affine inverse = identity_affine();
      translation(inverse) = -at_[j] - shift;
      skin.joint_slots.push_back(slots.back()), skin.inverse_bind.push_back(inverse);
    }
    std::vector<double> points;
    Piece piece{.name = "skin"};
    for (std::size_t j = 0; j < names_.size(); ++j) {
      if (radius_[j] == 0) continue;
      const int first = static_cast<int>(points.size() / 3);
      for (int k = 0; k < 6; ++k) {
        Vec3 x = at_[j] + shift;
        x[k / 2] += (k % 2 == 0 ? 1 : -1) * radius_[j];
        points.insert(points.end(), {x.x(), x.y(), x.z()});
        const bool shared = !rigid && parents_[j] >= 0 && k < 3;
        skin.influences.push_back({{static_cast<int>(j), shared ? 0.7 : 1.0}});
        if (shared) skin.influences.back().push_back({parents_[j], 0.3});
      }
      for (const int x : {0, 1})
        for (const int y : {2, 3})
          for (const int z : {4, 5}) piece.triangles.push_back({first + x, first + y, first + z});
    }
    piece.point_count = static_cast<int>(points.size() / 3);
    character.pieces.push_back(std::move(piece));
    Animation turns{.name = clip, .duration = 1};
    for (const int joint : keyed_)
      turns.rotations.push_back(
          {.node = names_[static_cast<std::size_t>(joint)],
           .times = {0, 0.5, 1},
           .values = {Vec4(0, 0, 0, 1), Vec4(std::sin(0.15), 0, 0, std::cos(0.15)), Vec4(0, 0, 0, 1)}});
    if (!keyed_.empty()) character.clips.push_back(std::move(turns));
    std::vector<std::shared_ptr<const Deformer>> deformers{make_linear_blend_skin(skin)};
    character.rig = std::make_shared<BuiltInRig>(
        std::make_shared<ControlGraph>(std::move(graph)),
        Eigen::Map<const Vec>(points.data(), static_cast<Eigen::Index>(points.size())), std::move(deformers));
    return character;
  }

  /// Hips, spine, neck and head along z, four legs that a clip turns: the joints after that are free.
  static Doll quadruped() {
    Doll doll;
    const int hips = doll.add("Hips", -1, {0, 1, -0.5}, 0.2);
    const int spine = doll.add("Spine", hips, {0, 1, 0.3}, 0.2);
    const int neck = doll.add("Neck", spine, {0, 1.2, 0.6});
    doll.head = doll.add("Head", neck, {0, 1.4, 0.9}, 0.15);
    for (const double z : {-0.5, 0.3}) {
      const int upper =
          doll.add_pair("Upper" + std::string(z < 0 ? "Back" : "Front") + "Leg", z < 0 ? hips : spine, {0.2, 0.6, z});
      const int lower = doll.add_pair("Lower" + std::string(z < 0 ? "Back" : "Front") + "Leg", upper, {0.2, 0.08, z});
      for (const int joint : {upper, upper + 1, lower, lower + 1}) doll.key(joint);
    }
    return doll;
  }
  int hips = 0, head = 0;

 private:
  std::vector<std::string> names_;
  std::vector<int> parents_, keyed_;
  std::vector<Vec3> at_;
  std::vector<double> radius_;
};

}  // namespace rigspace::testing
