// Laws that every member of the cast keeps.

#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

#include "members.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/rig/built_in_rig.h"

#include <string>

namespace rigspace {
namespace {

/// A member and a version of it.
using Who = std::pair<std::string, Version>;

class EveryMember : public ::testing::TestWithParam<Who> {
 protected:
  static const Character& character() { return testing::member(GetParam().first, GetParam().second); }
  static const BuiltInRig& rig() { return dynamic_cast<const BuiltInRig&>(*character().rig); }
  static TriMesh surface(const Piece& piece) {
    TriMesh mesh{.points = rig().points_rest().segment(3 * piece.first_point, 3 * piece.point_count),
                 .triangles = piece.triangles};
    for (Triangle& t : mesh.triangles) {
      for (int& v : t) v -= piece.first_point;
    }
    return mesh;
  }
};

std::vector<Who> everybody() {
  std::vector<Who> result;
  for (const CastMember& member : cast()) {
    for (const Version version : {Version::rig, Version::skeleton}) result.emplace_back(member.name, version);
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(Cast, EveryMember, ::testing::ValuesIn(everybody()), [](const auto& each) {
  return each.param.first + (each.param.second == Version::rig ? "_rig" : "_skeleton");
});

TEST(Cast, NamesItsMembersWhenAskedForAStranger) {
  try {
    make_character("nobody");
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("nobody"), std::string::npos);
    for (const CastMember& member : cast()) {
      EXPECT_NE(std::string(error.what()).find(member.name), std::string::npos) << error.what();
    }
  }
}

TEST_P(EveryMember, HasClosedOutwardSurfaces) {
  for (const Piece& piece : character().pieces) {
    const TriMesh mesh = surface(piece);
    EXPECT_NO_THROW(mesh.validate(piece.name));
    for (const Component& part : connected_components(mesh).parts) {
      EXPECT_EQ(part.boundary_edges, 0) << piece.name;
      EXPECT_EQ(part.non_manifold_edges, 0) << piece.name;
      EXPECT_GT(part.volume, 0) << piece.name;
    }
    TriMesh oriented = mesh;
    EXPECT_EQ(orient_outward(oriented).flipped, 0) << piece.name;
    for (const Triangle& t : mesh.triangles) {
      const Vec3 a = point(mesh.points, t[0]), b = point(mesh.points, t[1]), c = point(mesh.points, t[2]);
      const double edge = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
      EXPECT_GT((b - a).cross(c - a).norm(), 0.01 * edge * edge) << piece.name;  // height over longest edge: 1 %
    }
  }
}

TEST_P(EveryMember, NormalsAgreeWithTheSurface) {
  for (const Piece& piece : character().pieces) {
    ASSERT_EQ(piece.rest_normals.size(), static_cast<std::size_t>(piece.point_count));
    const Vec normals = vertex_normals(surface(piece));
    for (int v = 0; v < piece.point_count; ++v) {
      // Within 60 degrees, also at the tips of thin tubes.
      EXPECT_GT(piece.rest_normals[v].cast<double>().dot(point(normals, v)), 0.5)
          << piece.name << " at " << point(rig().points_rest(), piece.first_point + v).transpose();
    }
  }
}

TEST_P(EveryMember, SkinsWithAtMostFourInfluencesThatSumToOne) {
  int skinned = 0;
  for (const auto& deformer : rig().deformers()) {
    const SkinDescription* skin = skin_description(*deformer);
    if (!skin) continue;
    for (const auto& list : skin->influences) {
      ASSERT_FALSE(list.empty());
      ASSERT_LE(list.size(), 4u);
      double sum = 0;
      for (const Influence& influence : list) {
        EXPECT_GT(influence.weight, 0);
        sum += influence.weight;
      }
      EXPECT_NEAR(sum, 1, 1e-12);
      ++skinned;
    }
  }
  EXPECT_EQ(skinned, rig().point_count());
}

TEST_P(EveryMember, RestsInItsBindPose) {
  const auto workspace = rig().make_workspace();
  Vec s;
  rig().evaluate(*workspace, rig().rest(), s);
  EXPECT_LT((s - rig().points_rest()).cwiseAbs().maxCoeff(), 1e-12);
}

TEST_P(EveryMember, ClipsDriveExistingControlsAndStayFinite) {
  const auto workspace = rig().make_workspace();
  ASSERT_FALSE(character().clips.empty());
  for (const Animation& clip : character().clips) {
    EXPECT_TRUE(Sampler(clip, rig().controls()).unbound().empty()) << clip.name;
    for (const Track& track : clip.tracks) EXPECT_NO_THROW(track.curve.validate(track.control));
    Vec s;
    for (double time = 0; time <= clip.duration; time += 1.0 / 60) {
      rig().evaluate(*workspace, pose_at(character(), &clip, time), s);
      ASSERT_TRUE(s.allFinite()) << clip.name << " at " << time;
      ASSERT_LT(s.cwiseAbs().maxCoeff(), 5) << clip.name << " at " << time;  // metres
    }
  }
}

TEST_P(EveryMember, IsMadeOfTheSameBitsOnAnyNumberOfThreads) {
  if (GetParam().second == Version::skeleton) return;   // made of the same surfaces by the same code
  if (GetParam().first.starts_with("dragon_")) return;  // so is the whole dragon
  const auto make = [](int threads) {
    const ThreadCountScope scope(threads);
    return make_character(GetParam().first, GetParam().second);
  };
  const Character one = make(1), two = make(2);
  EXPECT_EQ(dynamic_cast<const BuiltInRig&>(*one.rig).points_rest(),
            dynamic_cast<const BuiltInRig&>(*two.rig).points_rest());
  for (std::size_t k = 0; k < one.pieces.size(); ++k) {
    EXPECT_EQ(one.pieces[k].triangles, two.pieces[k].triangles);
    EXPECT_EQ(one.pieces[k].colors, two.pieces[k].colors);
  }
  for (std::size_t k = 0; k < one.clips.size(); ++k) {
    for (std::size_t r = 0; r < one.clips[k].rotations.size(); ++r) {
      EXPECT_EQ(one.clips[k].rotations[r].values, two.clips[k].rotations[r].values);
    }
  }
}

}  // namespace
}  // namespace rigspace
