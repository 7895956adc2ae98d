#include "rigspace/render/picture.h"

#include "rigspace/base/error.h"

#include <cmath>
#include <string>

namespace rigspace {
namespace {

const std::array<float, 256>& decoding_table() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> values{};
    for (int i = 0; i < 256; ++i) values[i] = srgb_to_linear(static_cast<float>(i) / 255);
    return values;
  }();
  return table;
}

}  // namespace

Picture::Picture(int width, int height, Color8 fill) : width_(width), height_(height) {
  const std::string size = std::to_string(width) + " x " + std::to_string(height);
  if (width < 1 || height < 1)
    throw Error({.element = "picture",
                 .value = size,
                 .problem = "has no pixels (" + size + ")",
                 .remedy = "sides count from 1"});
  if (width > kMaxPictureSide || height > kMaxPictureSide || std::int64_t{width} * height > kMaxPicturePixels)
    throw Error({.element = "picture",
                 .value = size,
                 .problem = "of " + size + " pixels is too large",
                 .remedy = "stay within " + std::to_string(kMaxPictureSide) + " a side and " +
                           std::to_string(kMaxPicturePixels) + " in all"});
  bytes_.resize(3 * static_cast<std::size_t>(width) * height);
  for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = fill[i % 3];
}

Color8 Picture::operator()(int x, int y) const {
  const std::uint8_t* pixel = &bytes_[3 * (static_cast<std::size_t>(y) * width_ + x)];
  return {pixel[0], pixel[1], pixel[2]};
}

void Picture::set(int x, int y, Color8 color) {
  std::copy(color.begin(), color.end(), bytes_.begin() + 3 * (static_cast<std::ptrdiff_t>(y) * width_ + x));
}

void Picture::blend(int x, int y, Color8 color, float alpha) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_ || alpha <= 0) return;
  alpha = std::min(alpha, 1.0f);
  const Color8 below = (*this)(x, y);
  Color8 mixed;
  for (int c = 0; c < 3; ++c)
    mixed[c] = encode_srgb((1 - alpha) * decode_srgb(below[c]) + alpha * decode_srgb(color[c]));
  set(x, y, mixed);
}

void paste(Picture& onto, const Picture& source, int x, int y) {
  const int x0 = std::max(0, x), x1 = std::min(onto.width(), x + source.width());
  if (x1 <= x0) return;
  for (int row = std::max(0, y); row < std::min(onto.height(), y + source.height()); ++row) {
    const auto from = source.bytes().subspan(3 * (static_cast<std::size_t>(row - y) * source.width() + (x0 - x)),
                                             3 * static_cast<std::size_t>(x1 - x0));
    std::copy(from.begin(), from.end(),
              onto.bytes().begin() + 3 * (static_cast<std::ptrdiff_t>(row) * onto.width() + x0));
  }
}

float srgb_to_linear(float encoded) {
  return encoded <= 0.04045f ? encoded / 12.92f : std::pow((encoded + 0.055f) / 1.055f, 2.4f);
}

float linear_to_srgb(float light) {
  light = std::clamp(light, 0.0f, 1.0f);
  return light <= 0.0031308f ? 12.92f * light : 1.055f * std::pow(light, 1 / 2.4f) - 0.055f;
}

std::uint8_t encode_srgb(float light) { return static_cast<std::uint8_t>(std::lround(255 * linear_to_srgb(light))); }

float decode_srgb(std::uint8_t encoded) { return decoding_table()[encoded]; }

}  // namespace rigspace
