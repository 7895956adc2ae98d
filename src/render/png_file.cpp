// libpng's simplified interface, in memory.
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/render/picture.h"

#include <png.h>

#include <string>

namespace rigspace {
namespace {

/// Frees libpng's own memory however we leave.
struct PngImage : png_image {
  PngImage() : png_image{} { version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(this); }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
};

}  // namespace

std::vector<std::byte> encode_png(const Picture& picture) {
  PngImage image;
  image.width = static_cast<png_uint_32>(picture.width());
  image.height = static_cast<png_uint_32>(picture.height());
  image.format = PNG_FORMAT_RGB;
  // The size is known only after compression; this bound spares a second run.
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<std::byte> bytes(size);
  if (!png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.bytes().data(), 0, nullptr))
    throw Error(
        {.code = ErrorCode::internal, .element = "PNG", .problem = std::string("cannot be encoded: ") + image.message});
  bytes.resize(size);
  return bytes;
}

Picture decode_png(std::span<const std::byte> bytes) {
  PngImage image;
  const auto fail = [&] {
    throw Error(
        {.element = "PNG", .problem = std::string("cannot be decoded: ") + image.message, .remedy = "check the file"});
  };
  if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) fail();
  if (image.width > static_cast<unsigned>(kMaxPictureSide) || image.height > static_cast<unsigned>(kMaxPictureSide))
    throw Error({.element = "PNG", .problem = "is too large", .remedy = "scale it down"});
  Picture picture(static_cast<int>(image.width), static_cast<int>(image.height));
  image.format = PNG_FORMAT_RGB;
  const png_color white{255, 255, 255};
  if (!png_image_finish_read(&image, &white, picture.bytes().data(), 0, nullptr)) fail();
  return picture;
}

void write_png(const std::filesystem::path& path, const Picture& picture) { write_file(path, encode_png(picture)); }

}  // namespace rigspace
