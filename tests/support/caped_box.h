#pragma once
// A character with a sheet, made in code: a box of a body on hips and chest, a plate on its arm, a face on its head,
// and a cape that hangs on its chest, as a mesh of its own below the bone or as a shell of the body's skin.

#include "rigspace/anim/character.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace rigspace::testing {

struct CapedBoxOptions {
  std::string cape = "Hero_Cape";  ///< its name; empty: there is none
  bool skinned = false;            ///< the cape is a shell of the body's mesh
  bool draped = false;             ///< the cape follows hips and chest, by height
  bool jointed = false;            ///< draped on two joints of its own below the chest
  double stride = 0.15;            ///< m: how far hips go back and forth in the clip "Walk"
};

constexpr double kBoxBack = -0.15;  ///< z of the body's back, m; its sides are at x = -0.3 and 0.3
constexpr int kCapeAcross = 5, kCapeDown = 9;

class CapedBox {
 public:
  explicit CapedBox(const CapedBoxOptions& options = {}) : options_(options) {
    hips_ = bone("hips", -1, Vec3(0, 0.8, 0));
    chest_ = bone("chest", 0, Vec3(0, 0.4, 0));
    head_ = bone("head", 1, Vec3(0, 0.35, 0));
    arm_ = bone("upper_arm.l", 1, Vec3(0.4, 0.2, 0));
    if (options_.jointed) {
      bone("cape_01", 1, Vec3(0, 0.15, -0.18));
      bone("cape_02", 4, Vec3(0, -0.4, -0.02));
    }
    add_body();
    // A breastplate of a face: half a shell on what the head holds.
    begin("Face");
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 7; ++j)
        add(Vec3(0.18 * std::cos(std::numbers::pi * i / 4), 1.5 + 0.07 * j,
                 0.1 + 0.12 * std::sin(std::numbers::pi * i / 4)),
            {{2, 1.0}});
    grid(0, 5, 7);
    end_skin();
    // A shield: thin and long, on a node below the arm.
    begin("plate_07");
    const int node = add_node(*graph_, {.name = "plate_07", .parent_slot = character_.bones[3].slot});
    box(Vec3(0.42, 0.7, -0.2) - world(3), Vec3(0.44, 1.4, 0.2) - world(3), {});
    end_rigid(node);
    if (!options_.cape.empty() && !options_.skinned) {
      begin(options_.cape);
      if (options_.draped) {
        cape(Vec3::Zero(), {});
        end_skin();
        add_clip();
        return;
      }
      const int below = add_node(*graph_, {.name = options_.cape, .parent_slot = character_.bones[1].slot});
      cape(world(1), {});
      end_rigid(below);
    }
    add_clip();
  }

  Character make() {
    Character made = character_;
    made.rig = std::make_shared<BuiltInRig>(
        graph_, Eigen::Map<const Vec>(points_.data(), static_cast<Eigen::Index>(points_.size())), deformers_);
    return made;
  }
  /// Points of the cape, ascending: across first, from the top.
  const std::vector<int>& cape_points() const { return cape_points_; }

 private:
  using Weights = std::vector<std::pair<int, double>>;  // bones

  int bone(const std::string& name, int parent, const Vec3& at) {
    const int slot = add_node(
        *graph_, {.name = name, .parent_slot = parent < 0 ? -1 : character_.bones[parent].slot, .translation = at});
    character_.bones.push_back({.name = name, .parent = parent, .slot = slot});
    places_.push_back(parent < 0 ? at : Vec3(places_[parent] + at));
    return slot;
  }
  Vec3 world(int b) const { return places_[b]; }

  void begin(const std::string& name) {
    character_.pieces.push_back({.name = name, .first_point = static_cast<int>(points_.size() / 3)});
    influences_.clear();
  }
  int add(const Vec3& x, const Weights& weights) {
    points_.insert(points_.end(), {x.x(), x.y(), x.z()});
    std::vector<Influence> list;
    for (const auto& [b, weight] : weights)
      if (weight > 0) list.push_back({b, weight});
    influences_.push_back(list);
    return static_cast<int>(points_.size() / 3) - 1;
  }
  Piece& piece() { return character_.pieces.back(); }
  /// The last across * down points, across first.
  void grid(int before, int across, int down) {
    const int first = static_cast<int>(points_.size() / 3) - before - across * down;
    for (int j = 0; j + 1 < across; ++j)
      for (int i = 0; i + 1 < down; ++i) {
        const int a = first + j * down + i, b = a + 1, c = a + down, d = c + 1;
        piece().triangles.push_back({a, b, c});
        piece().triangles.push_back({b, d, c});
      }
  }
  /// A closed box of 6 by 12 by 6 cells; weights by height where none are given.
  void box(const Vec3& low, const Vec3& high, const Weights& weights, bool by_height = false) {
    const int n[3] = {6, 12, 6};
    for (int axis = 0; axis < 3; ++axis)
      for (const bool upper : {false, true}) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        const int first = static_cast<int>(points_.size() / 3);
        for (int i = 0; i <= n[u]; ++i)
          for (int j = 0; j <= n[v]; ++j) {
            Vec3 x;
            x[axis] = upper ? high[axis] : low[axis];
            x[u] = low[u] + (high[u] - low[u]) * i / n[u];
            x[v] = low[v] + (high[v] - low[v]) * j / n[v];
            const double up = std::clamp((x.y() - 0.7) / 0.4, 0.0, 1.0);
            add(x, by_height ? Weights{{0, 1 - up}, {1, up}} : weights);
          }
        for (int i = 0; i < n[u]; ++i)
          for (int j = 0; j < n[v]; ++j) {
            const int a = first + i * (n[v] + 1) + j, b = a + n[v] + 1, c = a + 1, d = b + 1;
            if (upper)
              piece().triangles.insert(piece().triangles.end(), {{a, b, c}, {b, d, c}});
            else
              piece().triangles.insert(piece().triangles.end(), {{a, c, b}, {b, c, d}});
          }
      }
  }
  void cape(const Vec3& origin, const Weights& weights) {
    const int first = static_cast<int>(points_.size() / 3);
    for (int i = 0; i < kCapeDown; ++i)
      for (int j = 0; j < kCapeAcross; ++j) {
        const double up = 1 - static_cast<double>(i) / (kCapeDown - 1);
        const int lower = options_.jointed ? 5 : 0, upper = options_.jointed ? 4 : 1;
        const Weights own = options_.draped ? Weights{{lower, 1 - up}, {upper, up}} : weights;
        cape_points_.push_back(
            add(Vec3(-0.25 + 0.125 * j, 1.36 - 0.11 * i, kBoxBack - 0.03 - 0.005 * i) - origin, own));
      }
    for (int i = 0; i + 1 < kCapeDown; ++i)
      for (int j = 0; j + 1 < kCapeAcross; ++j) {
        const int a = first + i * kCapeAcross + j, b = a + 1, c = a + kCapeAcross, d = c + 1;
        piece().triangles.insert(piece().triangles.end(), {{a, b, c}, {b, d, c}});
      }
  }
  void add_body() {
    begin("Body");
    box(Vec3(-0.3, 0.2, kBoxBack), Vec3(0.3, 1.4, -kBoxBack), {}, true);
    box(Vec3(-0.15, 1.42, -0.15), Vec3(0.15, 1.95, 0.15), {{2, 1.0}});
    if (!options_.cape.empty() && options_.skinned) cape(Vec3::Zero(), {{1, 1.0}});
    end_skin();
  }
  void end_skin() {
    SkinDescription skin{
        .first_point = piece().first_point, .joint_slots = {}, .inverse_bind = {}, .influences = influences_};
    for (std::size_t b = 0; b < character_.bones.size(); ++b) {
      skin.joint_slots.push_back(character_.bones[b].slot);
      Affine bind = Affine::Identity();
      bind.col(3) = -places_[b];
      skin.inverse_bind.push_back(bind);
    }
    piece().point_count = static_cast<int>(influences_.size());
    deformers_.push_back(make_linear_blend_skin(skin));
  }
  void end_rigid(int slot) {
    piece().point_count = static_cast<int>(influences_.size());
    deformers_.push_back(make_rigid(piece().first_point, piece().point_count, slot));
  }
  /// Two strides back and forth, with a lean of the chest; its end is its start.
  void add_clip() {
    Animation walk{.name = "Walk", .duration = 2};
    Track z{.control = "hips.tz", .curve = {.interpolation = Interpolation::linear}};
    Track lean{.control = "chest.rx", .curve = {.interpolation = Interpolation::linear}};
    for (int k = 0; k <= 60; ++k) {
      const double phase = 2 * std::numbers::pi * 2 * k / 60;
      for (Track* track : {&z, &lean}) track->curve.times.push_back(k / 30.0);
      z.curve.values.push_back(k == 60 ? 0.0 : options_.stride * std::sin(phase));
      lean.curve.values.push_back(k == 60 ? 0.0 : 0.04 * std::sin(2 * phase));
    }
    walk.tracks = {z, lean};
    character_.clips = {walk};
  }

  CapedBoxOptions options_;
  std::shared_ptr<ControlGraph> graph_ = std::make_shared<ControlGraph>();
  Character character_{.name = "caped box"};
  std::vector<Vec3> places_;
  std::vector<double> points_;
  std::vector<std::vector<Influence>> influences_;
  std::vector<std::shared_ptr<const Deformer>> deformers_;
  std::vector<int> cape_points_;
  int hips_ = 0, chest_ = 0, head_ = 0, arm_ = 0;
};

}  // namespace rigspace::testing
