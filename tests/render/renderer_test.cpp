#include "rigspace/render/renderer.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/io/gltf.h"
#include "shapes.h"
#include "support/assets.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace rigspace {
namespace {

using testing::brightness;
using testing::make_sphere;
using testing::make_square;

const RenderOptions kSmall{.width = 96, .height = 96, .quality = Quality::draft};

/// Red where u < 1/2, green elsewhere, in the upper half (v < 1/2); blue below.
Image three_colors() {
  Picture picture(8, 8, {0, 0, 255});
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 8; ++x) picture.set(x, y, x < 4 ? Color8{255, 0, 0} : Color8{0, 255, 0});
  return {.name = "three colours", .encoded = encode_png(picture)};
}

Character textured_square() {
  Character character = make_square();
  character.pieces[0].uv = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};  // glTF: v down, so the upper left corner is (0, 0)
  character.pieces[0].material = 0;
  character.materials.push_back({.name = "paint", .image = 0});
  character.images.push_back(three_colors());
  return character;
}

Picture from_front(const Character& character, RenderOptions options = kSmall,
                   FramingOptions framing = {.azimuth = 0, .elevation = 0}) {
  return render(character, character.rig->rest(), options, framing);
}

int strongest(const Color8& color) {
  return static_cast<int>(std::max_element(color.begin(), color.end()) - color.begin());
}

TEST(Renderer, ShowsASphereAsADiskOfTheRightSize) {
  const Character sphere = make_sphere({0, 0, 0}, 1, 96);
  const Camera camera{.eye = {0, 0, 6}, .target = {0, 0, 0}, .fov = 30 * kDegree};
  const RenderOptions options{.width = 200, .height = 200, .ground = false, .exposure = -10};  // a black silhouette
  const Renderer renderer(sphere);
  const Picture with = renderer.render(take_snapshot(sphere, Vec::Zero(1)), camera, options);
  const Picture without =
      renderer.render(take_snapshot(sphere, Vec::Constant(1, 1e3)), camera, options);  // out of view
  double covered = 0;
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 200; ++x) covered += 1 - decode_srgb(with(x, y)[1]) / decode_srgb(without(x, y)[1]);
  // The cone that touches the sphere has half-angle asin(1/6); the picture's half-height is tan(15 degrees). The
  // sphere's 96 sides lose 0.1 % of the disk, 8-bit black and the samples of the edge pixels less than 0.3 %.
  const double radius = 100 * std::tan(std::asin(1.0 / 6)) / std::tan(15 * kDegree);
  const double disk = std::numbers::pi * radius * radius;
  EXPECT_NEAR(covered, disk, 0.004 * disk);
}

TEST(Renderer, CastsAShadowBelowTheObject) {
  const Character sphere = make_sphere({0, 1, 0}, 1);
  const Camera camera{.eye = {0, 4, 12}, .target = {0, 1, 0}, .fov = 30 * kDegree};
  RenderOptions options{.width = 160, .height = 160};
  const Renderer renderer(sphere);
  const Snapshot snapshot{.points = testing::rest_points(sphere)};
  const Picture with = renderer.render(snapshot, camera, options);
  options.ground = false;
  const Picture without = renderer.render(snapshot, camera, options);
  double darkest = 0;
  int darkest_y = -1, brighter = 0;
  for (int y = 0; y < 160; ++y)
    for (int x = 0; x < 160; ++x) {
      const Vec3 ray = camera.ray(x + 0.5, y + 0.5, 160, 160);
      // Only rays that miss the sphere by a pixel or two: there the floor is all that differs.
      const double miss = (Vec3(0, 1, 0) - camera.eye).cross(ray).norm();
      if (miss < 1.1) continue;
      const double drop = brightness(without(x, y)) - brightness(with(x, y));
      brighter += drop < -1;
      if (drop > darkest) darkest = drop, darkest_y = y;
    }
  EXPECT_EQ(brighter, 0);
  EXPECT_GT(darkest, 40);
  EXPECT_GT(darkest_y, camera.project({0, 1, 0}, 160, 160).y());
}

TEST(Renderer, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Character sphere = make_sphere({0, 1, 0}, 1);
  std::vector<Picture> pictures;
  for (const int threads : {1, 2, 8}) {
    const ThreadCountScope scope(threads);
    pictures.push_back(from_front(sphere, {.width = 120, .height = 90, .wireframe = true}));
  }
  EXPECT_EQ(pictures[0], pictures[1]);
  EXPECT_EQ(pictures[0], pictures[2]);
}

TEST(Renderer, PutsTextureOriginAtTheTopLeft) {
  const Picture picture = from_front(textured_square());
  EXPECT_EQ(strongest(picture(30, 30)), 0);
  EXPECT_EQ(strongest(picture(66, 30)), 1);
  EXPECT_EQ(strongest(picture(30, 66)), 2);
  EXPECT_EQ(strongest(picture(66, 66)), 2);
}

TEST(Renderer, MixesVertexColoursAndBaseColour) {
  Character square = make_square();
  square.pieces[0].colors.assign(4, {1, 1, 0, 1});
  square.pieces[0].material = 0;
  square.materials.push_back({.name = "green", .base_color = {0, 1, 1, 1}});
  const Color8 middle = from_front(square)(48, 48);
  EXPECT_GT(middle[1], 100);
  EXPECT_LT(middle[0], 90);  // gloss only
  EXPECT_LT(middle[2], 90);
}

TEST(Renderer, LightsBackFacesLikeFrontFaces) {
  Character back = make_square();
  for (auto& triangle : back.pieces[0].triangles) std::swap(triangle[1], triangle[2]);
  const Picture front_picture = from_front(make_square()), back_picture = from_front(back);
  EXPECT_NEAR(brightness(front_picture(48, 48)), brightness(back_picture(48, 48)), 2);
}

// A mesh that a file cuts along a seam is as smooth there as anywhere, if its normals agree; where they differ the
// crease stays.
TEST(Renderer, SmoothsSeamsWhoseNormalsAgreeAndKeepsCreases) {
  // A roof of two slopes that meet at 90 degrees on the line x = 0, its points not shared.
  Vec points(24);
  points << -1, 0, -1, -1, 0, 1, 0, 1, 1, 0, 1, -1, /**/ 0, 1, -1, 0, 1, 1, 1, 0, 1, 1, 0, -1;
  const std::vector<std::array<int, 3>> triangles{{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}};
  Character smooth = testing::make_character(points, triangles), sharp = smooth;
  const float s = std::sqrt(0.5f);
  smooth.pieces[0].rest_normals = {{-s, s, 0}, {-s, s, 0}, {0, 1, 0}, {0, 1, 0},
                                   {0, 1, 0},  {0, 1, 0},  {s, s, 0}, {s, s, 0}};
  sharp.pieces[0].rest_normals = {{-s, s, 0}, {-s, s, 0}, {-s, s, 0}, {-s, s, 0},
                                  {s, s, 0},  {s, s, 0},  {s, s, 0},  {s, s, 0}};
  const auto step = [](const Character& roof) {
    RenderOptions options = kSmall;
    options.key_azimuth = -90 * kDegree;  // along X, so that one slope is lit and the other is not
    const Picture picture = from_front(roof, options, {.azimuth = 0, .elevation = 90 * kDegree});
    return std::abs(brightness(picture(45, 48)) - brightness(picture(50, 48)));
  };
  EXPECT_LT(step(smooth), 8);
  EXPECT_GT(step(sharp), 25);
}

TEST(Renderer, IsNotTroubledByDistanceFromTheOrigin) {
  const auto middle = [](const Vec3& centre) { return brightness(from_front(make_sphere(centre, 1))(48, 30)); };
  EXPECT_NEAR(middle({0, 0, 0}), middle({1e6, 0, 1e6}), 3);
}

TEST(Renderer, DrawsWiresDarkerThanFaces) {
  RenderOptions options = kSmall;
  const Picture plain = from_front(make_square(), options);
  options.wireframe = true;
  const Picture wired = from_front(make_square(), options);
  EXPECT_LT(brightness(wired(48, 48)) + 15, brightness(plain(48, 48)));  // the diagonal
  EXPECT_NEAR(brightness(wired(60, 70)), brightness(plain(60, 70)), 4);
}

TEST(Renderer, RefusesCharactersWithoutTriangles) {
  Character empty = testing::make_character(Vec::Zero(3), {});
  try {
    Renderer renderer(empty);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no triangles"), std::string::npos);
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
  }
  EXPECT_THROW(Renderer{Character{}}, Error);
}

TEST(Renderer, RefusesBrokenCharacters) {
  Character square = make_square();
  square.pieces[0].triangles.push_back({0, 1, 4});
  EXPECT_THROW(Renderer{square}, Error);
  square = textured_square();
  square.pieces[0].uv.pop_back();
  EXPECT_THROW(Renderer{square}, Error);
  square = textured_square();
  square.materials[0].image = 1;
  EXPECT_THROW(Renderer{square}, Error);
  square = make_square();
  EXPECT_THROW(Renderer(square).render({.points = Vec::Zero(3)}, {}, kSmall), Error);
  EXPECT_THROW(Renderer(square).render({.points = Vec::Constant(12, std::nan(""))}, {}, kSmall), Error);
}

TEST(Renderer, NamesABrokenTextureAndDoesWithoutItInClay) {
  Character square = textured_square();
  square.images[0].encoded.resize(20);
  RenderOptions clay = kSmall;
  clay.colors = false;
  EXPECT_NO_THROW(from_front(square, clay));
  EXPECT_THROW(from_front(square), Error);
}

TEST(RenderOptions, RefuseHugePictures) {
  EXPECT_NO_THROW((RenderOptions{.width = 4096, .height = 4096}.validate()));
  EXPECT_THROW((RenderOptions{.width = 100000}.validate()), Error);
  EXPECT_THROW((RenderOptions{.height = 0}.validate()), Error);
  EXPECT_THROW((RenderOptions{.width = kMaxPictureSide, .height = kMaxPictureSide}.validate()), Error);
  EXPECT_THROW((RenderOptions{.key_elevation = -1}.validate()), Error);
}

TEST(Renderer, DrawsTheBonesOfARealCharacterOverIt) {
  RIGSPACE_ASSET_OR_SKIP(path, "khr_CesiumMan/CesiumMan.glb");
  const Character man = load_gltf(path);
  const Snapshot snapshot = take_snapshot(man, pose_at(man, &man.clips[0], 0.5));
  ASSERT_EQ(snapshot.joints.size(), man.bones.size());
  const Camera camera = frame(snapshot.points, 1);
  RenderOptions options = kSmall;
  const Renderer renderer(man);
  const Picture plain = renderer.render(snapshot, camera, options);
  options.skeleton = true;
  const Picture boned = renderer.render(snapshot, camera, options);
  for (const Vec3& joint : snapshot.joints) {
    const Vec3 at = camera.project(joint, options.width, options.height);
    if (at.x() < 1 || at.y() < 1 || at.x() >= 95 || at.y() >= 95) continue;
    EXPECT_NE(boned(static_cast<int>(at.x()), static_cast<int>(at.y())),
              plain(static_cast<int>(at.x()), static_cast<int>(at.y())));
  }
}

}  // namespace
}  // namespace rigspace
