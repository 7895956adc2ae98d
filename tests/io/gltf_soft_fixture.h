#pragma once
// Compares a character with soft joints or morphs as computed with the same as written to glTF and read back.

#include "gltf_maker.h"
#include "rigspace/anim/soft_joints.h"
#include "rigspace/io/gltf.h"
#include "rigspace/testing/check_rig.h"
#include "soft_maker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace rigspace::soft_fixture {

using testing::evaluate;
using testing::GltfMaker;
using testing::rest_points;
using testing::SmallCharacter;
using testing::some_soft_joints;

inline constexpr double kOfSize = 1e-6;  // float32 weights and matrices, relative to the character's size

inline double size_of(const Character& character) {
  const Vec s = rest_points(character);
  const auto points = s.reshaped(3, s.size() / 3);
  return (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm();
}

inline double largest(const Vec& v) { return v.size() > 0 ? v.lpNorm<Eigen::Infinity>() : 0; }

/// The pose of `from`, by name of control, on a character whose controls may stand in another order.
inline Vec pose_on(const Character& to, const Character& from, const Vec& p) {
  Vec result = to.rig->rest();
  for (std::size_t c = 0; c < from.rig->controls().size(); ++c) {
    const int at = to.rig->find(from.rig->controls()[c].name);
    EXPECT_GE(at, 0) << from.rig->controls()[c].name;
    if (at >= 0) result[at] = p[static_cast<Eigen::Index>(c)];
  }
  return result;
}

/// Poses of clips, and random turns on top, with the last `added` controls at random.
inline std::vector<Vec> poses_of(const Character& soft, int added) {
  std::vector<Vec> poses{soft.rig->rest()};
  for (std::uint32_t seed = 1; seed < 4; ++seed) {
    Vec p = soft.clips.empty() ? soft.rig->rest() : pose_at(soft, &soft.clips[seed % soft.clips.size()], 0.3 * seed);
    const Vec random = testing::random_pose(*soft.rig, 0.5, seed);
    p.tail(added) = random.tail(added);
    for (std::size_t c = 0; c < soft.rig->controls().size(); ++c)
      if (soft.rig->controls()[c].unit == Unit::angle)
        p[static_cast<Eigen::Index>(c)] = 0.2 * random[static_cast<Eigen::Index>(c)];
    poses.push_back(p);
  }
  return poses;
}

/// What is written moves as what was computed, and muted as what came.
inline void expect_same(const Character& original, const Character& computed, const Character& written) {
  const int old = static_cast<int>(original.rig->controls().size());
  const int added = static_cast<int>(computed.rig->controls().size()) - old;
  ASSERT_EQ(written.rig->point_count(), original.rig->point_count());
  for (const std::string& warning : written.warnings)  // new weights need no repair, others may as before
    EXPECT_NE(std::find(original.warnings.begin(), original.warnings.end(), warning), original.warnings.end());
  const double size = size_of(original);
  double moved = 0;
  for (const Vec& p : poses_of(computed, added)) {
    const Vec s = evaluate(computed, p);
    const double allowed = kOfSize * std::max(size, 0.1 * largest(s));  // random scales may make it large
    EXPECT_LT(largest(evaluate(written, pose_on(written, computed, p)) - s), allowed);
    Vec muted = p;
    muted.tail(added) = computed.rig->rest().tail(added);
    const Vec s_muted = evaluate(computed, muted), s_original = evaluate(original, p.head(old));
    EXPECT_LT(largest(evaluate(written, pose_on(written, computed, muted)) - s_original),
              allowed + largest(s_muted - s_original));  // the last: influences that found no room
    moved = std::max(moved, largest(s - s_muted));
  }
  EXPECT_GT(moved, 1e-3 * size);
}

/// Joints in a row below an armature in centimetres, without inverse bind matrices; four points a primitive. Two
/// meshes share all their accessors; the first has two primitives.
inline std::string scaled_members(GltfMaker& maker, int joints) {
  maker.floats("VEC3", {0, 0, 0, 100, 0, 0, 0, 100, 0, 100, 100, 0});
  maker.typed<std::uint16_t>("VEC4", 5123, {0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2}, false);
  maker.typed<std::uint8_t>("VEC4", 5121, {100, 80, 50, 25, 200, 55, 0, 0, 255, 0, 0, 0, 90, 60, 55, 50}, true);
  std::string nodes = "{\"name\":\"armature\",\"scale\":[0.01,0.01,0.01],\"children\":[1]}", list;
  for (int j = 0; j < joints; ++j) {
    nodes += ",{\"name\":\"j" + std::to_string(j) + "\",\"translation\":[" + std::to_string(j) + ",5,1]" +
             (j + 1 < joints ? ",\"children\":[" + std::to_string(j + 2) + "]}" : "}");
    list += (j > 0 ? "," : "") + std::to_string(j + 1);
  }
  const std::string primitive = "{\"mode\":0,\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2}}";
  return "\"scene\":0,\"scenes\":[{\"nodes\":[0," + std::to_string(joints + 1) + "," + std::to_string(joints + 2) +
         "]}],\"nodes\":[" + nodes +
         ",{\"name\":\"a\",\"mesh\":0,\"skin\":0},{\"name\":\"b\",\"mesh\":1,\"skin\":1}],\"meshes\":[{\"primitives\":"
         "[" +
         primitive + "," + primitive + "]},{\"primitives\":[" + primitive + "]}],\"skins\":[{\"joints\":[" + list +
         "]},{\"joints\":[" + list + "]}]";
}

/// One mesh on two skeletons.
inline std::string twins(GltfMaker& maker) {
  maker.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
  maker.typed<std::uint8_t>("VEC4", 5121, {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0}, false);
  maker.floats("VEC4", {.5f, .5f, 0, 0, .25f, .75f, 0, 0, 1, 0, 0, 0});
  return "\"nodes\":[{\"name\":\"l0\",\"children\":[1]},{\"name\":\"l1\"},{\"name\":\"r0\",\"translation\":[3,0,0],"
         "\"children\":[3]},{\"name\":\"r1\"},{\"name\":\"left\",\"mesh\":0,\"skin\":0},"
         "{\"name\":\"right\",\"mesh\":0,\"skin\":1}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,"
         "\"JOINTS_0\":1,\"WEIGHTS_0\":2}}]}],\"skins\":[{\"joints\":[0,1]},{\"joints\":[2,3]}]";
}

}  // namespace rigspace::soft_fixture
