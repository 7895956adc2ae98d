#include "rigspace/cast/sized.h"

#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/geometry/closest_point.h"

#include <gtest/gtest.h>

#include <utility>

namespace rigspace {
namespace {

Vec points_at(const Character& character, In p) {
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), p, s);
  return s;
}

/// A pose of the walk with the belly pulled out of shape.
Vec pulled(const Character& character) {
  Vec p = pose_at(character, character.clip("Walk"), 0.3);
  p[character.rig->find("belly_223.tz")] += 0.05;
  p[character.rig->find("belly_333.ty")] -= 0.04;
  return p;
}

/// Where a pose takes the place of the surface that is nearest to x at rest.
class Places {
 public:
  Places(const Character& character, In p) : rest_(rest_surface(character)), posed_(points_at(character, p)) {}
  Vec3 posed(const Vec3& x) const {
    const SurfacePoint at = rest_.closest(x);
    Vec3 place = Vec3::Zero();
    for (int c = 0; c < 3; ++c) place += at.barycentric[c] * point(posed_, rest_.mesh().triangles[at.triangle][c]);
    return place;
  }

 private:
  TriangleTree rest_;
  Vec posed_;
};

const Character& small() {
  static const Character made = make_sized_peanut(8000);
  return made;
}
const Character& large() {  // divided once
  static const Character made = make_sized_peanut(30000);
  return made;
}

TEST(SizedPeanut, HasAboutAsManyVerticesAsAskedFor) {
  for (const auto& [character, vertices] : {std::pair{&small(), 8000}, std::pair{&large(), 30000}}) {
    ASSERT_EQ(character->pieces.size(), 1u);
    EXPECT_NEAR(character->pieces[0].point_count, vertices, 0.01 * vertices);
    EXPECT_EQ(character->rig->point_count(), character->pieces[0].point_count);
    // Euler: one closed surface without handles, divided or not.
    EXPECT_EQ(static_cast<int>(character->pieces[0].triangles.size()), 2 * character->rig->point_count() - 4);
  }
  EXPECT_THROW(make_sized_peanut(10), Error);
}

TEST(SizedPeanut, HasTheControlsAndClipsOfPeanut) {
  const Character peanut = make_character("peanut");
  const Character& sized = small();
  ASSERT_EQ(sized.rig->controls().size(), peanut.rig->controls().size());
  for (std::size_t c = 0; c < peanut.rig->controls().size(); ++c) {
    EXPECT_EQ(sized.rig->controls()[c].name, peanut.rig->controls()[c].name);
    EXPECT_EQ(sized.rig->controls()[c].rest, peanut.rig->controls()[c].rest);
  }
  ASSERT_EQ(sized.clips.size(), peanut.clips.size());
  EXPECT_EQ(sized.clips[0].name, peanut.clips[0].name);
}

TEST(SizedPeanut, MovesItsBellyAlikeAtAllSizes) {
  const Vec p = pulled(small());
  const Places a(small(), p), b(large(), p);
  const Vec rest = points_at(small(), small().rig->rest()), posed = points_at(small(), p);
  int compared = 0;
  double sum = 0;
  for (int i = 0; i < small().rig->point_count(); i += 7) {
    const Vec3 x = point(rest, i);
    if (std::abs(x.x()) > 0.2 || x.y() < 0.25 || x.y() > 0.65 || x.z() < 0.1) continue;  // the front of the belly
    const double apart = (a.posed(x) - b.posed(x)).norm();
    // Facets of the coarse one are a third of a millimetre off the solid (edge^2 / 8 radius); skin weights are smoothed
    // on other meshes.
    EXPECT_LT(apart, 4e-3);
    sum += apart, ++compared;
    EXPECT_GT((point(posed, i) - x).norm(), 0.01) << "the pose moves the belly";
  }
  ASSERT_GT(compared, 50);
  EXPECT_LT(sum / compared, 1e-3);
}

}  // namespace
}  // namespace rigspace
