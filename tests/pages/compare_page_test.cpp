#include "rigspace/pages/compare_page.h"

#include "pages.h"
#include "rigspace/cast/cast.h"

#include <utility>

namespace rigspace {
namespace {

/// The ball of the cast with two clips that hold it up, one higher than the other by `apart` metres at the end.
Character ball(double apart) {
  Character character = make_character("sphere");
  character.clips.clear();
  for (const double height : {0.0, apart}) {
    Animation clip{.name = height > 0 ? "fast" : "full", .duration = 1};
    clip.tracks.push_back({.control = "sphere.ty", .curve = {.times = {0, 1}, .values = {0, height}}});
    character.clips.push_back(std::move(clip));
  }
  return character;
}

double size_of(const Character& character) {
  const TriMesh surface = rest_surface(character);
  Box box;
  for (const Triangle& triangle : surface.triangles)
    for (const int i : triangle) box.include(point(surface.points, i));
  return box.size().maxCoeff();
}

TEST(MotionDistance, IsThatOfTheClipsForEveryPoint) {
  const Character character = ball(0.1);
  const MotionDistance distance = motion_distance(character, character.clips[0], character.clips[1], 10);
  ASSERT_EQ(distance.largest.size(), 11u);
  EXPECT_EQ(distance.apart, distance.drawn);
  for (int k = 0; k <= 10; ++k) {
    EXPECT_NEAR(distance.largest[k], 0.1 * k / 10 / size_of(character), 1e-12);
    EXPECT_NEAR(distance.mean[k], distance.largest[k], 1e-12);
  }
  EXPECT_NEAR(distance.most(), 0.1 / size_of(character), 1e-12);
  EXPECT_NEAR(distance.average(), 0.05 / size_of(character), 1e-12);
}

TEST(MotionDistance, IsNothingBetweenAClipAndItself) {
  const Character character = ball(0.1);
  const MotionDistance distance = motion_distance(character, character.clips[0], character.clips[0]);
  EXPECT_EQ(distance.apart, 0);
  EXPECT_EQ(distance.most(), 0);
}

TEST(ComparePage, NamesBothMotionsAndTheirDistance) {
  RIGSPACE_PAGE_OR_SKIP(page, compare_page(ball(0.1), {.title = "t",
                                                       .first = "full",
                                                       .second = "fast",
                                                       .first_label = "full",
                                                       .second_label = "fast, 200 elements"}));
  const std::string options = between(page, "id=\"options\">", "</script>");
  EXPECT_NE(options.find("\"labels\":{\"before\":\"full\",\"after\":\"fast, 200 elements\"}"), std::string::npos);
  EXPECT_NE(options.find("\"base\":\"full\",\"soft\":\"fast\""), std::string::npos);
  EXPECT_NE(options.find("vertices are ever apart"), std::string::npos);
}

TEST(ComparePage, SaysWhichClipIsMissing) {
  try {
    compare_page(ball(0.1), {.title = "t", .first = "full", .second = "quick"});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("clip \"quick\""), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace rigspace
