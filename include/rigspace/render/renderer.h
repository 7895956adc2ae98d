#pragma once
// Pictures of a character by ray casting: no GPU, no display, the same bits on any number of threads.

#include "rigspace/anim/character.h"
#include "rigspace/base/types.h"
#include "rigspace/geometry/camera.h"
#include "rigspace/render/picture.h"

#include <memory>
#include <optional>
#include <vector>

namespace rigspace {

enum class Quality {
  draft,   ///< 4 samples a pixel
  normal,  ///< 9
  high,    ///< 25
};

struct RenderOptions {
  int width = 640, height = 640;  ///< pixels
  Quality quality = Quality::normal;
  bool colors = true;                   ///< the file's materials, textures and vertex colours; otherwise clay
  bool ground = true;                   ///< a floor that shows nothing but shadows
  std::optional<double> ground_height;  ///< y of the floor, scene units; unset: the lowest point of the pose
  bool wireframe = false;
  bool skeleton = false;                ///< drawn over the surface, where the snapshot has joints
  double key_azimuth = -36 * kDegree;   ///< radians from the camera's own direction, positive to its right
  double key_elevation = 48 * kDegree;  ///< radians above the horizon
  double key_radius = 7 * kDegree;      ///< radians; half the angle that the light fills: softness of shadows
  double exposure = 0;                  ///< stops: +1 doubles the light

  /// Throws Error naming the field.
  void validate() const;
};

/// A character at one moment, in scene space.
struct Snapshot {
  Vec points;                ///< of the rig, flattened
  std::vector<Vec3> joints;  ///< one per Character::bones, or empty where the rig has none
};

/// The snapshot at control values p.
Snapshot take_snapshot(const Character& character, In p);

/// Holds what all pictures of one character share: decoded textures, the smoothing of its normals. Normals are smooth
/// across points that coincide at rest and have the same file normal (without file normals: where faces meet at less
/// than 50 degrees); all other edges stay creases.
class Renderer {
 public:
  /// Keeps a reference to the character. Throws Error if it has no triangles or if an index is out of range.
  explicit Renderer(const Character& character);
  ~Renderer();
  Renderer(Renderer&&) noexcept;
  Renderer& operator=(Renderer&&) noexcept;

  const Character& character() const;

  /// May be called from several threads at once. Throws Error if colours are drawn and a texture cannot be decoded.
  Picture render(const Snapshot& snapshot, const Camera& camera, const RenderOptions& options = {}) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

/// One picture, framed by itself.
Picture render(const Character& character, In p, const RenderOptions& options = {}, const FramingOptions& framing = {});

}  // namespace rigspace
