#pragma once
// Private to render: everything one picture needs, in single precision around the character.

#include "rigspace/render/renderer.h"
#include "studio.h"
#include "surface.h"
#include "texture.h"
#include "tracing.h"

#include <optional>
#include <vector>

namespace rigspace {

/// A visible place of the character, turned towards the viewer.
struct SurfaceSample {
  Vec3f position;
  Vec3f face_normal;
  Vec3f normal;  ///< smooth
  Vec3f lifted;  ///< where light rays start: on the smooth surface that the triangles stand for
  Vec3f albedo;  ///< linear
};

class FrameScene {
 public:
  FrameScene(const Character& character, const Surface& surface, const std::vector<std::optional<Texture>>& textures,
             const Snapshot& snapshot, const Camera& camera, const RenderOptions& options);

  /// The ray through a place of the picture, in pixels.
  Vec3f ray(float x, float y) const { return (ray_corner_ + x * ray_x_ + y * ray_y_).normalized(); }
  /// False if no triangle can show in this 8 x 8 block of pixels, or next to it.
  bool may_show(int x, int y) const { return shows_[static_cast<std::size_t>(y / 8) * blocks_x_ + x / 8]; }
  SurfaceSample surface_at(const Packet& rays, int lane) const;
  /// Distance to the floor along a ray, or a negative number.
  float floor_distance(const Vec3f& origin, const Vec3f& direction) const;
  /// 1 under the character, falling to 0 far from it: shadows end there.
  float floor_weight(const Vec3f& place) const;

  RenderOptions options;
  Studio studio;
  Vec3f eye;
  float size = 1;         ///< half the diagonal of the character's box
  float pixel_angle = 0;  ///< width of a pixel at distance 1
  std::optional<RayScene> rays;

 private:
  void mark_blocks(const Snapshot& snapshot, const Camera& camera);
  float wire_at(int triangle, const Vec3f& barycentric, float pixel) const;
  Vec3f albedo_at(int triangle, const Vec3f& barycentric, float pixel) const;

  const Character& character_;
  const Surface& surface_;
  const std::vector<std::optional<Texture>>& textures_;
  std::vector<Vec3f> points_, normals_;
  Vec3f ray_corner_, ray_x_, ray_y_;
  float floor_ = 0;
  std::vector<char> shows_;
  int blocks_x_ = 0;
};

}  // namespace rigspace
