#pragma once
// Private to render: what the samples of a pixel add up to, and how that becomes a picture.

#include "frame_scene.h"
#include "rigspace/render/picture.h"

#include <vector>

namespace rigspace {

/// Sums over the samples of one pixel. Colour and light are kept apart, so that light, which is noisy and smooth, can
/// be averaged over neighbours while edges and textures stay sharp.
struct FilmPixel {
  // Samples that see the character, and sums over them.
  float seen = 0;
  Vec3f albedo = Vec3f::Zero(), normal = Vec3f::Zero();
  float distance = 0;
  Vec3f key = Vec3f::Zero();    ///< light of the unshadowed key, reflected
  Vec3f shine = Vec3f::Zero();  ///< reflection of the open sky
  Vec3f sky = Vec3f::Zero();    ///< light of the visible sky on a white surface
  float open = 0;               ///< share of the sky that is not hidden
  float facing = 0, lit = 0;    ///< samples that face the key, and of these the unshadowed
  // Samples that see the floor where shadows may fall.
  float floor = 0, floor_weight = 0, floor_open = 0, floor_lit = 0;
  float samples = 0;
};

/// Some rows of the picture.
struct Film {
  int first_row = 0, rows = 0, width = 0;
  std::vector<FilmPixel> pixels;

  FilmPixel& at(int x, int y) { return pixels[static_cast<std::size_t>(y - first_row) * width + x]; }
  const FilmPixel& at(int x, int y) const { return pixels[static_cast<std::size_t>(y - first_row) * width + x]; }
};

/// Neighbours over which light is averaged, to each side: on the character, on the floor.
inline constexpr int kSurfaceReach = 2;
inline constexpr int kFilmReach = 8;

/// Casts all rays of these rows.
void expose(const FrameScene& scene, Film& film);

/// Averages light and writes rows [begin, end), whose neighbours within kFilmReach the film holds (or are outside the
/// picture).
void develop(const FrameScene& scene, const Film& film, int begin, int end, Picture& picture);

}  // namespace rigspace
