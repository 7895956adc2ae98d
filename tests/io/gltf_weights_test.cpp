#include "rigspace/io/gltf_weights.h"

#include "rigspace/anim/skin_part.h"
#include "rigspace/base/error.h"
#include "support/assets.h"

#include <gtest/gtest.h>

namespace rigspace::gltf_weights_test {
namespace {

std::vector<std::vector<Influence>> of_points(const Character& character, const SkinPart& part,
                                              std::span<const std::vector<Influence>> influences) {
  std::vector<std::vector<Influence>> all(character.rig->point_count());
  for (std::size_t k = 0; k < part.points.size(); ++k)
    for (const Influence& each : influences[k]) all[part.points[k]].push_back({part.bones[each.joint], each.weight});
  return all;
}

/// New weights, in memory and by way of a file, and how far from the artist's each method's skin is.
void expect_better_than_nearest(const char* file, double heat_at_most) {
  RIGSPACE_ASSET_OR_SKIP(path, file);
  SCOPED_TRACE(file);
  const GltfFile document(path);
  const Character& artist = document.character();
  const std::vector<SkinPart> parts = skin_parts(artist);
  ASSERT_EQ(parts.size(), 1u);
  const SkinPart& part = parts[0];
  const auto share = [&](SkinWeightMethod method) {
    const auto weights = make_skin_weights(part.mesh, part.joints, {.method = method}).influences;
    const Character changed = with_skin_weights(artist, part, weights);
    if (method == SkinWeightMethod::heat) {
      const Character written = load_gltf(glb_with_skin_weights(document, of_points(artist, part, weights)), "w.glb");
      // Weights go through float32: a millionth of a character that is up to 200 units long.
      EXPECT_LT(skin_difference(changed, written, part.points, 2).worst, 1e-3);
      EXPECT_EQ(written.clips.size(), artist.clips.size());
    }
    return skin_difference(artist, changed, part.points, 6).share();
  };
  const double nearest = share(SkinWeightMethod::nearest), heat = share(SkinWeightMethod::heat);
  EXPECT_LT(heat, 0.85 * nearest);
  EXPECT_LT(share(SkinWeightMethod::voxels), 0.95 * nearest);
  EXPECT_LT(heat, heat_at_most);
}

// Measured: 21, 4, 9 and 5 % of the swing.
TEST(GltfWeights, HeatComesNearerToTheArtistOnAFox) { expect_better_than_nearest("khr_Fox/Fox.glb", 0.24); }
TEST(GltfWeights, HeatComesNearerToTheArtistOnAMan) { expect_better_than_nearest("khr_CesiumMan/CesiumMan.glb", 0.05); }
TEST(GltfWeights, HeatComesNearerToTheArtistOnADog) {
  expect_better_than_nearest("quaternius_ShibaInu/ShibaInu.glb", 0.11);
}
TEST(GltfWeights, HeatComesNearerToTheArtistOnASauropod) {
  expect_better_than_nearest("quaternius_Apatosaurus/Apatosaurus.glb", 0.06);
}

TEST(GltfWeights, AreNotWrittenForJointsThatTheSkinLacks) {
  RIGSPACE_ASSET_OR_SKIP(path, "khr_RiggedSimple/RiggedSimple.glb");
  const GltfFile document(path);
  std::vector<std::vector<Influence>> lists(document.character().rig->point_count(), {{99, 1.0}});
  EXPECT_THROW(glb_with_skin_weights(document, lists), Error);
  lists.pop_back();
  EXPECT_THROW(glb_with_skin_weights(document, lists), Error);
}

TEST(RiggedCharacter, MovesItsMeshByItsJoints) {
  RIGSPACE_ASSET_OR_SKIP(path, "khr_RiggedSimple/RiggedSimple.glb");
  const Character shape = load_gltf(path);
  const TriMesh mesh = rest_surface(shape);
  const std::vector<JointPlace> places = joint_places(shape);
  const SkinWeights weights = make_skin_weights(mesh, bones_of(places, mesh), {});
  const Character rigged = load_gltf(to_glb(rigged_character(shape, places, weights.influences)), "r.glb");
  Vec p = rigged.rig->rest(), s;
  rigged.rig->evaluate(*rigged.rig->make_workspace(), p, s);
  EXPECT_LT((s - mesh.points).cwiseAbs().maxCoeff(), 1e-5);
  p[rigged.rig->find(places.back().name + ".rx")] = 1;
  Vec turned;
  rigged.rig->evaluate(*rigged.rig->make_workspace(), p, turned);
  EXPECT_GT((turned - s).cwiseAbs().maxCoeff(), 0.5);
}

}  // namespace
}  // namespace rigspace::gltf_weights_test
