#include "rigspace/io/point_motion.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>

namespace rigspace::point_motion_test {
namespace {

namespace fs = std::filesystem;

class PointMotionFiles : public ::testing::Test {
 protected:
  PointMotionFiles() : folder_(fs::temp_directory_path() / "point_motion_test") { fs::create_directories(folder_); }
  ~PointMotionFiles() override { fs::remove_all(folder_); }

  static void put(std::string& bytes, std::uint32_t word, bool big) {
    for (int k = 0; k < 4; ++k) bytes += static_cast<char>(word >> (8 * (big ? 3 - k : k)));
  }
  static void put(std::string& bytes, float value, bool big) { put(bytes, std::bit_cast<std::uint32_t>(value), big); }
  fs::path write(const std::string& name, const std::string& bytes) const {
    write_file(folder_ / name, std::string_view(bytes));
    return folder_ / name;
  }
  static std::string refusal(const fs::path& path) {
    try {
      read_point_motion(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  /// Two points, three frames: point i at (i, frame, 0.5).
  static void expect_places(const PointMotion& motion) {
    ASSERT_EQ(motion.count(), 2);
    ASSERT_EQ(motion.times.size(), 3u);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(motion.times[static_cast<std::size_t>(k)], k / 30.0, 1e-6);
      for (int i = 0; i < 2; ++i) EXPECT_EQ(Vec3(motion.X.block<3, 1>(3 * i, k)), Vec3(i, k, 0.5));
    }
  }
  fs::path folder_;
};

TEST_F(PointMotionFiles, AllFormatsGiveTheSamePlaces) {
  std::string mdd, pc2("POINTCACHE2\0", 12);
  put(mdd, 3u, true), put(mdd, 2u, true);
  for (int k = 0; k < 3; ++k) put(mdd, static_cast<float>(k / 30.0), true);
  put(pc2, 1u, false), put(pc2, 2u, false), put(pc2, 1.0f, false), put(pc2, 1.0f, false), put(pc2, 3u, false);
  std::string wide = "time,nose.x,nose.y,nose.z,chin.x,chin.y,chin.z\n", lines = "time,name,x,y,z\r\n";
  for (int k = 0; k < 3; ++k) {
    std::string mesh = "# frame\n", row = std::to_string(k / 30.0);
    for (int i = 0; i < 2; ++i) {
      for (const float each : {static_cast<float>(i), static_cast<float>(k), 0.5f})
        put(mdd, each, true), put(pc2, each, false);
      const std::string at[] = {std::to_string(i), std::to_string(k), "0.5"};
      mesh += "v " + at[0] + " " + at[1] + " " + at[2] + "\nvn 0 0 1\n";
      lines += std::to_string(k / 30.0) + (i == 0 ? ",nose" : ",\"chin\"") + "," + at[0] + "," + at[1] + "," + at[2] +
               "\r\n";
      row += "," + at[0] + "," + at[1] + "," + at[2];
    }
    write("cloth_" + std::to_string(9 + k) + ".obj", mesh + "f 1 2 1\n");
    wide += row + "\n";
  }
  expect_places(read_point_motion(write("a.mdd", mdd)));
  expect_places(read_point_motion(write("a.PC2", pc2)));
  expect_places(read_point_motion(folder_ / "cloth_*.obj"));
  expect_places(read_point_motion(folder_ / "cloth_9.obj"));
  expect_places(read_point_motion(write("wide.csv", wide)));
  const PointMotion landmarks = read_point_motion(write("lines.csv", lines));
  expect_places(landmarks);
  EXPECT_EQ(landmarks.names, (std::vector<std::string>{"nose", "chin"}));

  EXPECT_NE(refusal(write("short.mdd", mdd.substr(0, mdd.size() - 3))).find("cut short"), std::string::npos);
  EXPECT_NE(refusal(write("none.pc2", mdd)).find("is no PC2 file"), std::string::npos);
  write("cloth_12.obj", "v 1 2 3\n");
  EXPECT_NE(refusal(folder_ / "cloth_9.obj").find("has 1 vertices"), std::string::npos);
  EXPECT_NE(refusal(write("gap.csv", lines + "0.2,nose,0,0,0\n")).find("landmark \"chin\" is missing"),
            std::string::npos);
  EXPECT_NE(refusal(write("word.csv", wide + "0.2,a,0,0,0,0,0\n")).find("word.csv:5: column \"nose.x\" has \"a\""),
            std::string::npos);
  std::string broken = mdd;
  broken[20] = '\x7f', broken[21] = '\xc0';
  EXPECT_NE(refusal(write("nan.mdd", broken)).find("point 0 is not finite in frame 0"), std::string::npos);
  EXPECT_NE(refusal(write("time.csv", wide + "0.01,0,0,0,0,0,0\n")).find("not later"), std::string::npos);
}

}  // namespace
}  // namespace rigspace::point_motion_test
