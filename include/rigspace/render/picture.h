#pragma once
// Pixels in memory, PNG files, and text on pictures.

#include "rigspace/base/types.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace rigspace {

using Color8 = std::array<std::uint8_t, 3>;  ///< red, green, blue; sRGB

/// The largest picture that anything here makes or reads, in pixels a side and in all.
inline constexpr int kMaxPictureSide = 16384;
inline constexpr std::int64_t kMaxPicturePixels = std::int64_t{1} << 25;

/// sRGB pixels, 8 bits a channel, row by row from the top left.
class Picture {
 public:
  Picture() = default;
  /// Throws Error if a side is not positive or the picture larger than the limits above.
  Picture(int width, int height, Color8 fill = {255, 255, 255});

  int width() const { return width_; }
  int height() const { return height_; }

  Color8 operator()(int x, int y) const;
  void set(int x, int y, Color8 color);
  /// Mixes `color` over the pixel in linear light, with opacity `alpha` in 0..1. Outside the picture: nothing.
  void blend(int x, int y, Color8 color, float alpha);

  /// Three bytes a pixel.
  std::span<const std::uint8_t> bytes() const { return bytes_; }
  std::span<std::uint8_t> bytes() { return bytes_; }

  bool operator==(const Picture&) const = default;

 private:
  int width_ = 0, height_ = 0;
  std::vector<std::uint8_t> bytes_;
};

/// Copies `source` with its top left corner at (x, y); what falls outside is cut off.
void paste(Picture& onto, const Picture& source, int x, int y);

/// The transfer curve of IEC 61966-2-1, both ways; light in 0..1, clamped on encoding.
float srgb_to_linear(float encoded);
float linear_to_srgb(float light);
std::uint8_t encode_srgb(float light);
float decode_srgb(std::uint8_t encoded);

/// A PNG file in memory, and back (any PNG; alpha is dropped). Throws Error on a broken file.
std::vector<std::byte> encode_png(const Picture& picture);
Picture decode_png(std::span<const std::byte> bytes);

/// Written whole or not at all.
void write_png(const std::filesystem::path& path, const Picture& picture);

/// How text is drawn. Letters are smooth strokes, not pixels, so any height is crisp.
struct TextStyle {
  double height = 14;    ///< of a capital letter, pixels
  double weight = 0.13;  ///< stroke width, as a fraction of the height
  Color8 color{60, 62, 66};
};

/// Pixels from the start of the first letter to the end of the last.
double text_width(std::string_view text, const TextStyle& style = {});

/// Draws one line with its baseline's left end at (x, y). Bytes outside printable ASCII show as a small box.
void draw_text(Picture& onto, double x, double y, std::string_view text, const TextStyle& style = {});

}  // namespace rigspace
