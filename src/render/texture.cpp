#include "texture.h"

#include "rigspace/base/error.h"
#include "rigspace/render/picture.h"

#include <climits>
#include <cmath>
#include <memory>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_MAX_DIMENSIONS 16384
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
#include <stb_image.h>
#pragma GCC diagnostic pop

namespace rigspace {
namespace {

[[noreturn]] void fail(const Image& image, const std::string& problem) {
  throw Error({.element = "image \"" + image.name + "\"",
               .problem = problem,
               .remedy = "replace it by a sound PNG or JPEG, or render without colours"});
}

struct FreeStb {
  void operator()(stbi_uc* pixels) const { stbi_image_free(pixels); }
};

}  // namespace

Texture::Texture(const Image& image) {
  if (image.encoded.empty()) fail(image, "is empty");
  if (image.encoded.size() > INT_MAX) fail(image, "is too large");
  const auto* bytes = reinterpret_cast<const stbi_uc*>(image.encoded.data());
  const int size = static_cast<int>(image.encoded.size());
  int width = 0, height = 0, channels = 0;
  if (!stbi_info_from_memory(bytes, size, &width, &height, &channels)) fail(image, "is neither PNG nor JPEG");
  if (width < 1 || height < 1 || width > kMaxPictureSide || height > kMaxPictureSide ||
      std::int64_t{width} * height > kMaxPicturePixels)
    fail(image, "has an unusable size of " + std::to_string(width) + " x " + std::to_string(height) + " pixels");
  const std::unique_ptr<stbi_uc, FreeStb> pixels(stbi_load_from_memory(bytes, size, &width, &height, &channels, 3));
  if (!pixels) fail(image, std::string("cannot be decoded (") + stbi_failure_reason() + ")");
  levels_.push_back({width, height, {pixels.get(), pixels.get() + 3 * static_cast<std::size_t>(width) * height}});
  while (levels_.back().width > 1 || levels_.back().height > 1) {
    const Level& fine = levels_.back();
    Level coarse{std::max(1, fine.width / 2), std::max(1, fine.height / 2), {}};
    coarse.rgb.resize(3 * static_cast<std::size_t>(coarse.width) * coarse.height);
    for (int y = 0; y < coarse.height; ++y)
      for (int x = 0; x < coarse.width; ++x)
        for (int c = 0; c < 3; ++c) {
          float light = 0;
          for (int k = 0; k < 4; ++k) {
            const int fx = std::min(2 * x + k % 2, fine.width - 1), fy = std::min(2 * y + k / 2, fine.height - 1);
            light += 0.25f * decode_srgb(fine.rgb[3 * (static_cast<std::size_t>(fy) * fine.width + fx) + c]);
          }
          coarse.rgb[3 * (static_cast<std::size_t>(y) * coarse.width + x) + c] = encode_srgb(light);
        }
    levels_.push_back(std::move(coarse));
  }
}

Eigen::Vector3f Texture::sample(const Eigen::Vector2f& uv, float blur) const {
  const float texels = blur * static_cast<float>(std::max(levels_[0].width, levels_[0].height));
  const int wanted = texels > 1 ? static_cast<int>(std::log2(texels)) : 0;
  const Level& level = levels_[std::min(wanted, static_cast<int>(levels_.size()) - 1)];
  const auto wrap = [](float t) { return std::isfinite(t) ? t - std::floor(t) : 0.0f; };
  const float x = wrap(uv.x()) * static_cast<float>(level.width) - 0.5f;
  const float y = wrap(uv.y()) * static_cast<float>(level.height) - 0.5f;
  const int x0 = static_cast<int>(std::floor(x)), y0 = static_cast<int>(std::floor(y));
  const float fx = x - static_cast<float>(x0), fy = y - static_cast<float>(y0);
  const auto texel = [&](int ix, int iy) {
    ix = (ix + level.width) % level.width, iy = (iy + level.height) % level.height;
    const std::uint8_t* rgb = &level.rgb[3 * (static_cast<std::size_t>(iy) * level.width + ix)];
    return Eigen::Vector3f(decode_srgb(rgb[0]), decode_srgb(rgb[1]), decode_srgb(rgb[2]));
  };
  return (1 - fy) * ((1 - fx) * texel(x0, y0) + fx * texel(x0 + 1, y0)) +
         fy * ((1 - fx) * texel(x0, y0 + 1) + fx * texel(x0 + 1, y0 + 1));
}

}  // namespace rigspace
