#include "rigspace/render/picture.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <random>

namespace rigspace {
namespace {

Picture noise(int width, int height) {
  Picture picture(width, height);
  std::mt19937 random(7);
  for (auto& byte : picture.bytes()) byte = static_cast<std::uint8_t>(random());
  return picture;
}

TEST(Png, KeepsEveryByte) {
  const Picture picture = noise(37, 23);
  EXPECT_EQ(decode_png(encode_png(picture)), picture);
}

TEST(Png, IsWrittenToFilesWhole) {
  const auto path =
      std::filesystem::temp_directory_path() / ("rigspace_picture_test_" + std::to_string(::getpid()) + ".png");
  const Picture picture = noise(8, 5);
  write_png(path, picture);
  EXPECT_EQ(decode_png(read_file(path)), picture);
  std::filesystem::remove(path);
  EXPECT_THROW(write_png(path / "no such folder" / "x.png", picture), Error);
}

TEST(Png, RefusesBrokenFiles) {
  std::vector<std::byte> bytes = encode_png(noise(16, 16));
  bytes.resize(bytes.size() / 2);
  EXPECT_THROW(decode_png(bytes), Error);
  EXPECT_THROW(decode_png({}), Error);
}

TEST(Picture, RefusesImpossibleSizes) {
  EXPECT_THROW(Picture(0, 10), Error);
  EXPECT_THROW(Picture(10, -1), Error);
  EXPECT_THROW(Picture(kMaxPictureSide + 1, 1), Error);
  EXPECT_THROW(Picture(kMaxPictureSide, kMaxPictureSide), Error);
}

TEST(Srgb, DecodesWhatItEncodes) {
  for (int i = 0; i < 256; ++i) EXPECT_EQ(encode_srgb(decode_srgb(static_cast<std::uint8_t>(i))), i);
  EXPECT_NEAR(decode_srgb(188), 0.5, 0.005);  // the well-known middle: half the light is 188 of 255
}

TEST(Paste, CutsOffWhatFallsOutside) {
  Picture page(4, 4, {0, 0, 0});
  paste(page, Picture(3, 3, {9, 9, 9}), 2, -1);
  int painted = 0;
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) painted += page(x, y)[0] == 9;
  EXPECT_EQ(painted, 4);
  EXPECT_EQ(page(3, 1)[0], 9);
  EXPECT_EQ(page(3, 2)[0], 0);
}

TEST(Text, StaysWithinItsWidthAndHeight) {
  const TextStyle style{.height = 20, .color = {0, 0, 0}};
  const std::string text = "Walk 0.25 s";
  Picture page(300, 60);
  draw_text(page, 20, 40, text, style);
  const double width = text_width(text, style), stroke = style.weight * style.height;
  int dark = 0;
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 300; ++x) {
      if (page(x, y)[0] > 250) continue;
      ++dark;
      EXPECT_GE(x, 20 - stroke - 1);
      EXPECT_LE(x, 20 + width + stroke + 1);
      EXPECT_GE(y, 20 - stroke - 1);
      EXPECT_LE(y, 40 + stroke + 1);
    }
  EXPECT_GT(dark, 300);
}

TEST(Text, DrawsEveryPrintableLetterAndNoTwoAlike) {
  std::vector<Picture> letters;
  for (char c = '!'; c <= '~'; ++c) {
    letters.emplace_back(40, 60);
    draw_text(letters.back(), 8, 40, std::string(1, c), {.height = 24});
    EXPECT_NE(letters.back(), Picture(40, 60)) << c;
    for (std::size_t k = 0; k + 1 < letters.size(); ++k)
      EXPECT_NE(letters[k], letters.back()) << c << " and " << static_cast<char>('!' + k);
  }
}

}  // namespace
}  // namespace rigspace
