// Built-in characters take soft joints, in memory and in their files.

#include "rigspace/anim/soft_joints.h"

#include "io/soft_maker.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/gltf.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

TEST(SoftJointsOfTheCast, AreMutedWithoutTrace) {
  for (const CastMember& member : cast()) {
    GltfFile file(to_glb(make_character(member.name, Version::skeleton)), std::string(member.name));
    const Character& original = file.character();
    const SoftJoints soft = testing::some_soft_joints(original, 3, 4);
    const Vec height = rest_surface(original).points.reshaped(3, original.rig->point_count()).row(1).transpose();
    const double size = height.maxCoeff() - height.minCoeff();
    EXPECT_LT(muted_change(original, with_soft_joints(original, soft, 8), original.clips), 1e-12 * size);
    EXPECT_EQ(muted_change(original, with_soft_morphs(original, soft), original.clips), 0);
    file.add_soft_joints(soft, 8);
    const Character written = load_gltf(file.to_glb(), "soft.glb");
    EXPECT_LT(muted_change(original, written, original.clips), 1e-6 * size);  // weights and matrices in float32
  }
}

}  // namespace
}  // namespace rigspace
