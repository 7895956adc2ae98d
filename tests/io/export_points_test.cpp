#include "rigspace/io/export_points.h"

#include "gltf_maker.h"
#include "rigspace/base/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace rigspace::export_points_test {
namespace {

using testing::SmallCharacter;

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(ExportPoints, ObjListsPointsTextureAndTriangles) {
  Character character = load_gltf(SmallCharacter().glb(), "f.glb");
  character.pieces[0].name = "my piece";
  Vec points(12);
  points << 0.1, 1, 2, 3, 4, 5, 6, 7, 8, 1e-20, -1, 1.0 / 3;
  EXPECT_EQ(to_obj(character, points),
            "v 0.1 1 2\nv 3 4 5\nv 6 7 8\nv 1e-20 -1 0.3333333333333333\ng my_piece\n"
            "vt 0 1\nvt 1 1\nvt 0 0\nvt 1 0\nf 1/1 2/2 3/3\nf 3/3 2/2 4/4\n");
}

TEST(ExportPoints, PlyHoldsDoublesAndFaces) {
  const Character character = load_gltf(SmallCharacter().glb(), "f.glb");
  const Vec points = Vec::LinSpaced(12, 0, 1);
  const auto bytes = to_ply(character, points);
  const std::string text = text_of(bytes);
  EXPECT_TRUE(text.starts_with("ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty double x\n"));
  const std::size_t data = text.find("end_header\n") + 11;
  ASSERT_EQ(bytes.size(), data + 12 * 8 + 2 * 13);
  EXPECT_EQ(std::memcmp(bytes.data() + data, points.data(), 96), 0);
  EXPECT_EQ(bytes[data + 96], std::byte{3});
  std::int32_t last;
  std::memcpy(&last, bytes.data() + bytes.size() - 4, 4);
  EXPECT_EQ(last, 3);
}

TEST(ExportPoints, NpyIsWhatNumPyReads) {
  const Vec points = Vec::LinSpaced(6, -1, 1);
  const auto bytes = to_npy(points);
  const std::string text = text_of(bytes);
  EXPECT_EQ(text.substr(0, 8), std::string("\x93NUMPY\x01\0", 8));
  const std::size_t header = std::to_integer<std::size_t>(bytes[8]) + 256 * std::to_integer<std::size_t>(bytes[9]);
  EXPECT_EQ((10 + header) % 64, 0u);
  EXPECT_TRUE(text.substr(10).starts_with("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"));
  EXPECT_EQ(text[9 + header], '\n');
  ASSERT_EQ(bytes.size(), 10 + header + 48);
  EXPECT_EQ(std::memcmp(bytes.data() + 10 + header, points.data(), 48), 0);
}

TEST(ExportPoints, TheExtensionChooses) {
  const Character character = load_gltf(SmallCharacter().glb(), "f.glb");
  const Vec points = testing::rest_points(character);
  const auto path = std::filesystem::temp_directory_path() / ("rigspace_points_" + std::to_string(::getpid()) + ".npy");
  write_points(path, character, points);
  EXPECT_EQ(read_file(path), to_npy(points));
  std::filesystem::remove(path);
  EXPECT_THROW(write_points("x.stl", character, points), Error);
  EXPECT_THROW(to_obj(character, Vec::Zero(3)), Error);
}

}  // namespace
}  // namespace rigspace::export_points_test
