#include "pose_picture.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace::tools {
namespace {

constexpr int kRings = 8, kSides = 14;

/// A ball of unit radius: two poles and rings between them.
std::vector<Vec3> ball_points() {
  std::vector<Vec3> points{Vec3::UnitY(), -Vec3::UnitY()};
  for (int r = 1; r < kRings; ++r)
    for (int k = 0; k < kSides; ++k) {
      const double down = std::numbers::pi * r / kRings, around = 2 * std::numbers::pi * k / kSides;
      points.emplace_back(std::sin(down) * std::sin(around), std::cos(down), std::sin(down) * std::cos(around));
    }
  return points;
}

void add_ball_triangles(int first, std::vector<std::array<int, 3>>& triangles) {
  const auto at = [&](int ring, int k) { return first + 2 + (ring - 1) * kSides + k % kSides; };
  for (int k = 0; k < kSides; ++k) {
    triangles.push_back({first, at(1, k), at(1, k + 1)});
    triangles.push_back({first + 1, at(kRings - 1, k + 1), at(kRings - 1, k)});
    for (int r = 1; r + 1 < kRings; ++r) {
      triangles.push_back({at(r, k), at(r + 1, k), at(r + 1, k + 1)});
      triangles.push_back({at(r, k), at(r + 1, k + 1), at(r, k + 1)});
    }
  }
}

/// A character's rig with the points of balls behind its own.
class MarkedRig final : public Rig {
 public:
  MarkedRig(std::shared_ptr<const Rig> rig, Vec balls) : rig_(std::move(rig)), balls_(std::move(balls)) {}

  std::span<const Control> controls() const override { return rig_->controls(); }
  int point_count() const override { return rig_->point_count() + static_cast<int>(balls_.size() / 3); }
  std::unique_ptr<Workspace> make_workspace() const override { return rig_->make_workspace(); }
  void evaluate(Workspace& workspace, In p, Vec& s) const override {
    Vec own;
    rig_->evaluate(workspace, p, own);
    s.resize(own.size() + balls_.size());
    s << own, balls_;
  }

 private:
  std::shared_ptr<const Rig> rig_;
  Vec balls_;
};

Vec balls_at(const std::vector<Vec3>& targets, double radius) {
  const std::vector<Vec3> unit = ball_points();
  Vec points(3 * static_cast<Eigen::Index>(unit.size() * targets.size()));
  Eigen::Index at = 0;
  for (const Vec3& target : targets)
    for (const Vec3& each : unit) points.segment<3>(at) = target + radius * each, at += 3;
  return points;
}

Character with_balls(const Character& character, const std::vector<Vec3>& targets, double radius) {
  Character marked = character;
  if (targets.empty()) return marked;
  const int first = character.rig->point_count(), each = static_cast<int>(ball_points().size());
  marked.rig = std::make_shared<MarkedRig>(character.rig, balls_at(targets, radius));
  marked.materials.push_back({.name = "targets", .base_color = {0.75F, 0.02F, 0.02F, 1}});
  Piece piece{.name = "targets",
              .first_point = first,
              .point_count = each * static_cast<int>(targets.size()),
              .material = static_cast<int>(marked.materials.size()) - 1};
  for (std::size_t k = 0; k < targets.size(); ++k)
    add_ball_triangles(first + each * static_cast<int>(k), piece.triangles);
  marked.pieces.push_back(std::move(piece));
  return marked;
}

}  // namespace

Picture draw_poses(const Character& character, const std::vector<PosedMoment>& moments, const PosePicture& options) {
  const Character marked = with_balls(character, moments.front().targets, options.ball);
  const auto snapshot = [&](const PosedMoment& moment) {
    Snapshot taken = take_snapshot(character, moment.p);
    const Vec balls = balls_at(moment.targets, options.ball);
    taken.points.conservativeResize(taken.points.size() + balls.size());
    taken.points.tail(balls.size()) = balls;
    return taken;
  };
  Motion motion{.title = options.title};
  for (const PosedMoment& moment : moments) motion.times.push_back(moment.time);
  motion.at = [&](double time) {
    for (const PosedMoment& moment : moments)
      if (moment.time == time) return snapshot(moment);
    return snapshot(moments.back());
  };
  const Renderer renderer(marked);
  const RenderOptions cell{.width = options.size, .height = options.size};
  const FramingOptions framing{.azimuth = options.azimuth * kDegree, .elevation = options.elevation * kDegree};
  if (moments.size() == 1) {
    const Snapshot only = snapshot(moments.front());
    return renderer.render(only, frame(only.points, 1, framing), cell);
  }
  return contact_sheet(renderer, motion, {.cell = cell, .framing = framing}, terminal_progress());
}

}  // namespace rigspace::tools
