#include "film.h"

#include "rigspace/base/parallel.h"

#include <cmath>

namespace rigspace {
namespace {

// Interleaved sampling (Keller and Heidrich 2001): the 16 pixels of every 4 x 4 block share one long even sequence,
// each taking its own run of it; averaged over any such block the light is as smooth as with 16 times the rays.
constexpr unsigned kRun[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};

int samples_of(Quality quality) {
  switch (quality) {
    case Quality::draft: return 4;
    case Quality::normal: return 9;
    case Quality::high: return 25;
  }
  return 9;
}

// Places of samples around a pixel's centre, distributed like a tent filter 1.5 pixels wide.
float tent(float u) {
  const float t = u < 0.5f ? std::sqrt(2 * u) - 1 : 1 - std::sqrt(2 - 2 * u);
  return 0.75f * t;
}

// Modulo 1.
Eigen::Vector2f shifted(const Eigen::Vector2f& uv, const Eigen::Vector2f& by) {
  Eigen::Vector2f sum = uv + by;
  for (int k = 0; k < 2; ++k)
    if (sum[k] >= 1) sum[k] -= 1;
  return sum;
}

// An integer that differs between 4 x 4 blocks without pattern.
unsigned block_hash(int x, int y) {
  unsigned h = static_cast<unsigned>(x / 4) * 0x9E3779B1u ^ static_cast<unsigned>(y / 4) * 0x85EBCA77u;
  h = (h ^ h >> 15) * 0x2C1B3C6Du;
  return (h ^ h >> 12) * 0x297A2D39u >> 8;
}

class Exposure {
 public:
  Exposure(const FrameScene& scene, Film& film)
      : scene_(scene), film_(film), samples_(samples_of(scene.options.quality)) {
    floor_samples_ = (samples_ + 1) / 2;
    for (int k = 0; k < samples_; ++k) {
      const Eigen::Vector2f uv = even_point(static_cast<unsigned>(k));
      offsets_.emplace_back(0.5f + tent(uv.x()), 0.5f + tent(uv.y()));
    }
  }

  void run() const {
    parallel_ranges(film_.rows, 1, [&](int begin, int end) {
      for (int row = begin; row < end; ++row)
        for (int x = 0; x < film_.width; x += kLanes) expose_span(x, film_.first_row + row);
    });
  }

 private:
  static unsigned run_of(int x, int y) { return kRun[y & 3][x & 3]; }

  void expose_span(int x0, int y) const {
    const int lanes = std::min(kLanes, film_.width - x0);
    const bool surface_here = scene_.may_show(x0, y);
    for (int k = 0; k < samples_; ++k) {
      Packet view;
      Vec3f directions[kLanes];
      for (int lane = 0; lane < lanes; ++lane) {
        directions[lane] =
            scene_.ray(static_cast<float>(x0 + lane) + offsets_[k].x(), static_cast<float>(y) + offsets_[k].y());
        film_.at(x0 + lane, y).samples += 1;
        if (surface_here) view.set(lane, scene_.eye, directions[lane], INFINITY);
      }
      if (surface_here) {
        scene_.rays->intersect(view, true);
        expose_surface(view, x0, y, k);
      }
      if (scene_.options.ground && k < floor_samples_) expose_floor(view, directions, lanes, x0, y, k);
    }
  }

  void expose_surface(const Packet& view, int x0, int y, int k) const {
    Packet to_key, to_sky;
    Vec3f sky_directions[kLanes], sky_light[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!view.hit(lane)) continue;
      const SurfaceSample at = scene_.surface_at(view, lane);
      FilmPixel& pixel = film_.at(x0 + lane, y);
      const RTCRay8& ray = view.embree.ray;
      add_surface(at, Vec3f(ray.dir_x[lane], ray.dir_y[lane], ray.dir_z[lane]), ray.tfar[lane], pixel);

      const unsigned index = run_of(x0 + lane, y) * samples_ + k;
      if (at.normal.dot(scene_.studio.key_direction()) > 0) {
        pixel.facing += 1;
        to_key.set(lane, at.lifted, scene_.studio.key_sample(even_point(index)), INFINITY);
      }
      Vec3f direction = Studio::sky_sample(at.normal, even_point(index + 7919));
      // What would dive below the triangle is mirrored up.
      const float below = direction.dot(at.face_normal);
      if (below < 0) direction -= 2 * below * at.face_normal;
      sky_directions[lane] = direction;
      const float floor = scene_.floor_distance(at.lifted, direction);
      sky_light[lane] = scene_.studio.sky(direction, floor < 0 ? 1e6f : floor / scene_.size);
      to_sky.set(lane, at.lifted, direction, floor < 0 ? 2 * scene_.size : std::min(floor, 2 * scene_.size));
    }
    const unsigned shadowed = scene_.rays->occluded(to_key, true), hidden = scene_.rays->occluded(to_sky, false);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!view.hit(lane)) continue;
      FilmPixel& pixel = film_.at(x0 + lane, y);
      if (to_key.valid[lane] && !(shadowed >> lane & 1)) pixel.lit += 1;
      if (!(hidden >> lane & 1)) pixel.open += 1;
      pixel.sky += sky_light[lane];
    }
  }

  void add_surface(const SurfaceSample& at, const Vec3f& direction, float distance, FilmPixel& pixel) const {
    const Studio& studio = scene_.studio;
    pixel.seen += 1;
    pixel.albedo += at.albedo;
    pixel.normal += at.normal;
    pixel.distance += distance;
    const float n_l = std::max(0.0f, at.normal.dot(studio.key_direction()));
    pixel.key +=
        studio.key_light().cwiseProduct(n_l * at.albedo + Vec3f::Constant(studio.gloss(at.normal, -direction)));
    const float n_v = std::max(0.0f, -at.normal.dot(direction));
    const Vec3f mirrored = direction + 2 * n_v * at.normal;
    const float fresnel = 0.025f + 0.22f * std::pow(1 - n_v, 4.0f);  // rough: weaker at grazing than Schlick's
    pixel.shine += fresnel * studio.sky(mirrored, 1e6f);
  }

  void expose_floor(const Packet& view, const Vec3f* directions, int lanes, int x0, int y, int k) const {
    Packet to_key, to_sky;
    for (int lane = 0; lane < lanes; ++lane) {
      const float distance = view.hit(lane) ? -1 : scene_.floor_distance(scene_.eye, directions[lane]);
      if (distance <= 0) continue;
      const Vec3f place = scene_.eye + distance * directions[lane];
      const float weight = scene_.floor_weight(place);
      if (weight <= 0) continue;
      FilmPixel& pixel = film_.at(x0 + lane, y);
      pixel.floor += 1;
      pixel.floor_weight += weight;
      const unsigned index = run_of(x0 + lane, y) * floor_samples_ + k;
      to_key.set(lane, place, scene_.studio.key_sample(even_point(index)), INFINITY);
      // The floor is so even that one set of sky directions for all blocks would show as overlapping ghosts.
      const Eigen::Vector2f shift = even_point(block_hash(x0 + lane, y));
      to_sky.set(lane, place, Studio::sky_sample(Vec3f::UnitY(), shifted(even_point(index + 7919), shift)), INFINITY);
    }
    const unsigned shadowed = scene_.rays->occluded(to_key, true), hidden = scene_.rays->occluded(to_sky, false);
    for (int lane = 0; lane < lanes; ++lane) {
      if (!to_key.valid[lane]) continue;
      FilmPixel& pixel = film_.at(x0 + lane, y);
      if (!(shadowed >> lane & 1)) pixel.floor_lit += 1;
      if (!(hidden >> lane & 1)) pixel.floor_open += 1;
    }
  }

  const FrameScene& scene_;
  Film& film_;
  int samples_, floor_samples_;
  std::vector<Eigen::Vector2f> offsets_;
};

}  // namespace

void expose(const FrameScene& scene, Film& film) {
  film.pixels.assign(static_cast<std::size_t>(film.rows) * film.width, FilmPixel{});
  Exposure(scene, film).run();
}

}  // namespace rigspace
