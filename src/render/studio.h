#pragma once
// Private to render: the photographer's studio. One soft key light, a sky with two broad soft boxes, a bright floor;
// all of it turns with the camera, so that a character is lit alike from every side.

#include "rigspace/geometry/camera.h"
#include "rigspace/render/renderer.h"
#include "surface.h"

namespace rigspace {

/// A point of the plane-filling R2 sequence (Roberts 2018): any run of consecutive indices is spread evenly over the
/// unit square.
Eigen::Vector2f even_point(unsigned index);

/// Radiances are in units where a white wall that faces the key light, and nothing else, shows `key_light`.
class Studio {
 public:
  Studio(const Camera& camera, const RenderOptions& options);

  const Vec3f& key_direction() const { return key_direction_; }
  const Vec3f& key_light() const { return key_light_; }

  /// A direction towards the key light's disk, for a point of the unit square.
  Vec3f key_sample(const Eigen::Vector2f& uv) const;
  /// Directions above the surface with density cos / pi.
  static Vec3f sky_sample(const Vec3f& normal, const Eigen::Vector2f& uv);
  /// Light arriving from a direction, not counting the key. Below the horizon: the floor, at `floor_distance` along
  /// the ray in units of the character's size; the floor next to a character lies in its shade.
  Vec3f sky(const Vec3f& direction, float floor_distance) const;

  /// Light from the key towards the viewer, per its irradiance / pi, by a rough dielectric's gloss alone.
  float gloss(const Vec3f& normal, const Vec3f& to_eye) const;

  /// What of the light on the open floor comes from the key; the rest is sky. Sets the depth and tint of shadows.
  Vec3f key_share() const { return key_share_; }

  /// Linear colour of the backdrop at a place of the picture, both coordinates in 0..1 from the top left.
  Vec3f backdrop(float x, float y) const;

 private:
  Vec3f key_direction_, key_u_, key_v_, key_light_, key_share_;
  Vec3f fill_direction_, rim_direction_;
  float key_tan_;
};

/// Light to display, per channel: straight in the dark and the middle, a shoulder instead of clipping.
Vec3f tone(const Vec3f& light);

/// Occlusion with the light that bounces between the walls of a cavity put back, by the cavity's own colour (fit of
/// Jimenez et al. 2016, Practical Realtime Strategies for Accurate Indirect Occlusion).
Vec3f interreflect(float open, const Vec3f& albedo);

}  // namespace rigspace
