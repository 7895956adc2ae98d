#include "film.h"

#include "rigspace/base/parallel.h"

#include <cmath>

namespace rigspace {
namespace {

// Weights of a row of neighbours. Each residue modulo 4 weighs the same, so that every run of the interleaved
// sequence (see expose.cpp) counts alike, and the window stays symmetric.
constexpr float kWindow[2 * kSurfaceReach + 1] = {0.5f, 1, 1, 1, 0.5f};

/// Light on the character around a pixel.
struct SurfaceLight {
  Vec3f sky = Vec3f::Zero();
  float open = 1, lit = 0;
};

/// Calls visit(neighbour, x, y, window weight) for all of the window that the film holds.
template <class Visit>
void around(const Film& film, int x, int y, Visit&& visit) {
  for (int j = -kSurfaceReach; j <= kSurfaceReach; ++j)
    for (int i = -kSurfaceReach; i <= kSurfaceReach; ++i) {
      const int nx = x + i, ny = y + j;
      if (nx < 0 || nx >= film.width || ny < film.first_row || ny >= film.first_row + film.rows) continue;
      visit(film.at(nx, ny), nx, ny, kWindow[i + kSurfaceReach] * kWindow[j + kSurfaceReach]);
    }
}

// A cross-bilateral mean: neighbours count as far as they lie on the same smooth surface, judged by the angle between
// normals and the distance from the tangent plane.
SurfaceLight surface_light(const FrameScene& scene, const Film& film, int x, int y) {
  const auto place = [&](const FilmPixel& pixel, int px, int py) -> Vec3f {
    return pixel.distance / pixel.seen * scene.ray(static_cast<float>(px) + 0.5f, static_cast<float>(py) + 0.5f);
  };
  const FilmPixel& centre = film.at(x, y);
  const Vec3f normal = centre.normal.normalized(), at = place(centre, x, y);
  const float step = centre.distance / centre.seen * scene.pixel_angle;  // width of a pixel there
  SurfaceLight light;
  float total = 0, facing = 0, lit = 0, open = 0;
  around(film, x, y, [&](const FilmPixel& pixel, int px, int py, float weight) {
    if (pixel.seen == 0) return;
    const float agree = std::max(0.0f, pixel.normal.normalized().dot(normal));
    const float off = normal.dot(place(pixel, px, py) - at) / (2 * step);
    const float agree2 = agree * agree, agree8 = agree2 * agree2 * agree2 * agree2;
    weight *= agree8 / (1 + off * off * off * off);
    total += weight * pixel.seen;
    light.sky += weight * pixel.sky;
    open += weight * pixel.open;
    facing += weight * pixel.facing;
    lit += weight * pixel.lit;
  });
  light.sky /= total;
  light.open = open / total;
  light.lit = facing > 0 ? lit / facing : 0;
  return light;
}

Vec3f surface_color(const FrameScene& scene, const Film& film, int x, int y) {
  const FilmPixel& pixel = film.at(x, y);
  const SurfaceLight light = surface_light(scene, film, x, y);
  const Vec3f albedo = pixel.albedo / pixel.seen;
  const float gain = static_cast<float>(std::exp2(scene.options.exposure));
  // Some light reaches even the inside of a closed fold, where rays find no way out: nothing is ever plain black.
  const float open = 0.08f + 0.92f * light.open;
  const Vec3f ambient = gain * light.sky.cwiseProduct(interreflect(open, albedo)).cwiseProduct(albedo);
  const Vec3f shine = gain * light.open * light.open * pixel.shine / pixel.seen;
  return tone(light.lit * pixel.key / pixel.seen + ambient + shine);
}

/// The light on the floor, smoothed: sums over a window of samples, of open and of lit ones.
class FloorLight {
 public:
  struct Sums {
    float samples = 0, open = 0, lit_samples = 0, lit = 0;
  };

  // Two passes, rows then columns: a bell 17 pixels wide for the sky's light, a narrow one for the key's, whose shadows
  // have edges.
  FloorLight(const Film& film, int begin, int end) : first_row_(begin), width_(film.width) {
    for (int k = 0; k <= kFilmReach; ++k) {
      const float wide = static_cast<float>(k) / 4.0f, narrow = static_cast<float>(k) / 2.0f;
      wide_[k] = std::exp(-0.5f * wide * wide);
      narrow_[k] = std::exp(-0.5f * narrow * narrow);
    }
    std::vector<Sums> across(film.pixels.size());
    parallel_ranges(film.rows, 4, [&](int from, int to) {
      for (int row = from; row < to; ++row)
        for (int x = 0; x < film.width; ++x) {
          Sums& sums = across[static_cast<std::size_t>(row) * film.width + x];
          for (int nx = std::max(0, x - kFilmReach); nx <= std::min(film.width - 1, x + kFilmReach); ++nx) {
            const FilmPixel& pixel = film.at(nx, film.first_row + row);
            add(sums, {pixel.floor, pixel.floor_open, pixel.floor, pixel.floor_lit}, std::abs(nx - x));
          }
        }
    });
    sums_.resize(static_cast<std::size_t>(end - begin) * film.width);
    parallel_ranges(end - begin, 4, [&](int from, int to) {
      for (int y = begin + from; y < begin + to; ++y)
        for (int x = 0; x < film.width; ++x) {
          Sums& sums = sums_[static_cast<std::size_t>(y - begin) * film.width + x];
          const int low = std::max(film.first_row, y - kFilmReach),
                    high = std::min(film.first_row + film.rows - 1, y + kFilmReach);
          for (int ny = low; ny <= high; ++ny)
            add(sums, across[static_cast<std::size_t>(ny - film.first_row) * film.width + x], std::abs(ny - y));
        }
    });
  }

  const Sums& at(int x, int y) const { return sums_[static_cast<std::size_t>(y - first_row_) * width_ + x]; }

 private:
  void add(Sums& sums, const Sums& more, int distance) const {
    const float wide = wide_[distance], narrow = narrow_[distance];
    sums.samples += wide * more.samples;
    sums.open += wide * more.open;
    sums.lit_samples += narrow * more.lit_samples;
    sums.lit += narrow * more.lit;
  }

  int first_row_, width_;
  std::array<float, kFilmReach + 1> wide_, narrow_;
  std::vector<Sums> sums_;
};

Vec3f floor_color(const FrameScene& scene, const FilmPixel& pixel, const FloorLight::Sums& sums, int x, int y) {
  const Vec3f backdrop =
      scene.studio.backdrop((static_cast<float>(x) + 0.5f) / static_cast<float>(scene.options.width),
                            (static_cast<float>(y) + 0.5f) / static_cast<float>(scene.options.height));
  if (pixel.floor == 0) return backdrop;
  const Vec3f key = scene.studio.key_share();
  const Vec3f left = sums.lit / sums.lit_samples * key + sums.open / sums.samples * (Vec3f::Ones() - key);
  const float weight = pixel.floor_weight / pixel.floor;
  return backdrop.cwiseProduct(Vec3f::Ones() + weight * (left - Vec3f::Ones()));
}

}  // namespace

void develop(const FrameScene& scene, const Film& film, int begin, int end, Picture& picture) {
  const FloorLight floor(film, begin, end);
  parallel_ranges(end - begin, 4, [&](int from, int to) {
    for (int y = begin + from; y < begin + to; ++y)
      for (int x = 0; x < film.width; ++x) {
        const FilmPixel& pixel = film.at(x, y);
        const float cover = pixel.seen / pixel.samples;
        Vec3f color = Vec3f::Zero();
        if (cover > 0) color += cover * surface_color(scene, film, x, y);
        if (cover < 1) color += (1 - cover) * floor_color(scene, pixel, floor.at(x, y), x, y);
        picture.set(x, y, {encode_srgb(color[0]), encode_srgb(color[1]), encode_srgb(color[2])});
      }
  });
}

}  // namespace rigspace
