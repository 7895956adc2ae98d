#include "rigspace/cast/cast.h"
#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/rig/built_in_rig.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace rigspace {
namespace {

class Bobbin : public ::testing::Test {
 protected:
  static const Character& bobbin() {
    static const Character value = make_character("bobbin");
    return value;
  }
  static const BuiltInRig& rig() { return dynamic_cast<const BuiltInRig&>(*bobbin().rig); }
  static const Piece& body() { return bobbin().pieces.front(); }
  static const Animation& clip(std::string_view name) { return *bobbin().clip(name); }

  static Vec points_at(std::string_view clip_name, double time) {
    const auto workspace = rig().make_workspace();
    Vec s;
    rig().evaluate(*workspace, pose_at(bobbin(), &clip(clip_name), time), s);
    return s;
  }

  /// Points of the flat of the soles at rest.
  static std::vector<int> soles() {
    std::vector<int> result;
    for (int v = 0; v < body().point_count; ++v) {
      if (rig().points_rest()[3 * v + 1] < 1e-4) result.push_back(v);
    }
    return result;
  }

  /// The longest way, in metres, that a point of a sole moves over the ground from touching it to leaving it.
  static double longest_slide(std::string_view clip_name, double touch) {
    const std::vector<int> points = soles();
    std::vector<Vec3> first(points.size());
    std::vector<char> down(points.size(), 0);
    double longest = 0;
    for (int k = 0; k * kStep <= clip(clip_name).duration; ++k) {
      const Vec s = points_at(clip_name, k * kStep);
      for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3 x = point(s, points[i]);
        const bool touches = x.y() < touch;
        if (touches && !down[i]) first[i] = x;
        if (touches) longest = std::max(longest, std::hypot(x.x() - first[i].x(), x.z() - first[i].z()));
        down[i] = touches;
      }
    }
    return longest;
  }

  static constexpr double kStep = 1.0 / 120;  // the physics grid: between keys as well as on them
};

TEST_F(Bobbin, StandsOnTheGroundAndIsAboutOnePointTwoMetresTall) {
  const Box box = bounding_box(rig().points_rest());
  EXPECT_NEAR(box.low.y(), 0, 1e-3);
  EXPECT_NEAR(box.high.y(), 1.2, 0.03);
  EXPECT_GT(soles().size(), 40u);
}

TEST_F(Bobbin, IsPlump) {
  TriMesh mesh{.points = rig().points_rest().head(3 * body().point_count), .triangles = body().triangles};
  EXPECT_GT(signed_volume(mesh), 0.12);  // cubic metres
  EXPECT_LT(signed_volume(mesh), 0.25);
  EXPECT_EQ(connected_components(mesh).parts.size(), 1u);
  EXPECT_EQ(mesh.point_count() - mesh.triangle_count() / 2, 2);  // Euler: one piece without handles
}

TEST_F(Bobbin, HasTheSameSkinOnBothSides) {
  // To a tenth of a cell of its grid, 24.5 mm; the triangles may differ.
  const Vec& x = rig().points_rest();
  double worst = 0;
  for (int v = 0; v < body().point_count; v += 7) {
    const Vec3 image = Vec3(-1, 1, 1).cwiseProduct(Vec3(point(x, v)));
    double nearest = 1;
    for (int u = 0; u < body().point_count; ++u) nearest = std::min(nearest, (point(x, u) - image).squaredNorm());
    worst = std::max(worst, std::sqrt(nearest));
  }
  EXPECT_LT(worst, 0.0024);
}

TEST_F(Bobbin, LegsDoNotPullAtEachOther) {
  const SkinDescription* skin = skin_description(*rig().deformers().back());
  ASSERT_NE(skin, nullptr);
  // Below the fork, at 0.12 m, not at all; in it, where the skin runs from one to the other, a little.
  int left_leg = 0;
  for (int v = 0; v < body().point_count; ++v) {
    double left = 0, right = 0;
    for (const Influence& influence : skin->influences[v]) {
      const std::string& joint = bobbin().bones[influence.joint].name;
      for (const char* stem : {"shin", "foot", "toe"}) {
        left += joint == stem + std::string("_l") ? influence.weight : 0;
        right += joint == stem + std::string("_r") ? influence.weight : 0;
      }
    }
    left_leg += left > 0.5;
    if (rig().points_rest()[3 * v + 1] < 0.12) {
      EXPECT_EQ(std::min(left, right), 0);
    } else {
      EXPECT_LT(std::min(left, right), 0.1);
    }
  }
  EXPECT_GT(left_leg, 100);
}

TEST_F(Bobbin, LeavesTailAndEarsToPhysics) {
  for (const Animation& clip : bobbin().clips) {
    for (const RotationTrack& track : clip.rotations) {
      EXPECT_FALSE(track.node.starts_with("tail") || track.node.starts_with("ear")) << clip.name << " " << track.node;
    }
    for (const Track& track : clip.tracks) {
      EXPECT_FALSE(track.control.starts_with("tail") || track.control.starts_with("ear")) << clip.name;
    }
  }
}

TEST_F(Bobbin, BonesPointAlongTheirY) {
  const auto workspace = rig().make_workspace();
  Vec u;
  rig().evaluate_slots(*workspace, rig().rest(), u);
  for (const Bone& bone : bobbin().bones) {
    if (bone.name.find("_02") == std::string::npos && !bone.name.starts_with("shin")) continue;
    const Affine parent = transform_at(u, rig().graph().slots()[bobbin().bones[bone.parent].slot]);
    const Affine own = transform_at(u, rig().graph().slots()[bone.slot]);
    const Vec3 along = (translation(own) - translation(parent)).normalized();
    EXPECT_NEAR(linear(parent).col(1).dot(along), 1, 1e-12) << bone.name;
  }
}

TEST_F(Bobbin, PlantedSolesDoNotSlide) {
  // A millimetre. Walking, a point counts as down below 1 mm of height: the sole rolls, so all of it is never down at
  // once; standing, below 3 mm.
  EXPECT_LT(longest_slide("Walk", 0.001), 0.001);
  EXPECT_LT(longest_slide("Idle", 0.003), 0.001);
  EXPECT_LT(longest_slide("Hop", 0.001), 0.001);
}

TEST_F(Bobbin, FeetStayAboveTheGround) {
  for (const Animation& clip : bobbin().clips) {
    double lowest = 0;
    for (int k = 0; k * kStep <= clip.duration; ++k) {
      const Vec s = points_at(clip.name, k * kStep);
      for (int v = 0; v < rig().point_count(); ++v) lowest = std::min(lowest, s[3 * v + 1]);
    }
    EXPECT_GT(lowest, -0.004) << clip.name;  // 0.3 % of the height: soft soles on a hard floor
  }
}

TEST_F(Bobbin, WalksFromOneFootToTheOther) {
  // Over a cycle each foot is up for a good part, and the body over the foot that is down.
  int left_only = 0, right_only = 0;
  double sway = 0;
  const int root = rig().find("root.tz");
  for (int k = 0; k < 30; ++k) {
    const Vec s = points_at("Walk", k / 30.0);
    double lowest[2] = {1, 1};
    for (int v = 0; v < body().point_count; ++v) {
      double& side = lowest[rig().points_rest()[3 * v] > 0];
      side = std::min(side, s[3 * v + 1]);
    }
    double middle = 0;
    for (int v = 0; v < body().point_count; ++v) middle += s[3 * v] / body().point_count;
    const bool left = lowest[1] < 0.004, right = lowest[0] < 0.004;  // metres
    EXPECT_TRUE(left || right) << "no foot down at frame " << k;
    left_only += left && !right;
    right_only += right && !left;
    sway += middle * (left && !right ? 1 : right && !left ? -1 : 0);
  }
  EXPECT_GE(left_only, 8);
  EXPECT_GE(right_only, 8);
  EXPECT_GT(sway / (left_only + right_only), 0.005);
  EXPECT_GT(pose_at(bobbin(), &clip("Walk"), 1)[root], 0.3);
}

TEST_F(Bobbin, ClipsCloseModuloTheRoot) {
  for (const Animation& clip : bobbin().clips) {
    const Vec first = pose_at(bobbin(), &clip, 0), last = pose_at(bobbin(), &clip, clip.duration);
    for (int c = 0; c < first.size(); ++c) {
      if (rig().controls()[c].name == "root.tz") continue;
      EXPECT_EQ(first[c], last[c]) << clip.name << " " << rig().controls()[c].name;
    }
  }
}

TEST_F(Bobbin, HopFallsFreely) {
  // The pelvis's acceleration while both feet are in the air is gravity's.
  const int height = rig().find("pelvis.ty");
  const auto y = [&](int frame) { return pose_at(bobbin(), &clip("Hop"), frame / 30.0)[height]; };
  for (int frame = 19; frame <= 27; ++frame) {  // 0.6 s to 0.9 s, keys on both sides in flight
    EXPECT_NEAR((y(frame + 1) - 2 * y(frame) + y(frame - 1)) * 30 * 30, -9.81, 1e-6);
  }
  double lowest = 1;
  const Vec s = points_at("Hop", 0.75);
  for (int v = 0; v < body().point_count; ++v) lowest = std::min(lowest, s[3 * v + 1]);
  EXPECT_GT(lowest, 0.1);
}

TEST_F(Bobbin, BlinkClosesTheEyes) {
  const auto eyes = bobbin().pieces[1];
  const auto tallness = [&](double blink) {
    Vec p = rig().rest();
    p[rig().find("eyes:blink")] = blink;
    const auto workspace = rig().make_workspace();
    Vec s;
    rig().evaluate(*workspace, p, s);
    return bounding_box(s.segment(3 * eyes.first_point, 3 * eyes.point_count)).size().y();
  };
  EXPECT_LT(tallness(1), 0.25 * tallness(0));
}

}  // namespace
}  // namespace rigspace
