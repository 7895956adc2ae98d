#pragma once
// Private to render: decoded images with their smaller versions.

#include "rigspace/anim/character.h"

#include <cstdint>
#include <vector>

namespace rigspace {

class Texture {
 public:
  /// Decodes PNG or JPEG. Throws Error naming the image if it is broken or larger than pictures may be.
  explicit Texture(const Image& image);

  /// Linear light at texture coordinates (u right, v down, (0, 0) the top left corner; repeating), bilinear. `blur` is
  /// the width of what is averaged, as a fraction of the image: picks the level.
  Eigen::Vector3f sample(const Eigen::Vector2f& uv, float blur) const;

 private:
  struct Level {
    int width, height;
    std::vector<std::uint8_t> rgb;  // sRGB
  };
  std::vector<Level> levels_;  // each half the size of the one before
};

}  // namespace rigspace
