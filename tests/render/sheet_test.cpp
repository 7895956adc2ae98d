#include "rigspace/render/sheet.h"

#include "rigspace/base/error.h"
#include "rigspace/render/video.h"
#include "shapes.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

const RenderOptions kTiny{.width = 40, .height = 30, .quality = Quality::draft};

class Sheet : public ::testing::Test {
 protected:
  Character sphere = testing::make_sphere({0, 1, 0}, 1, 12);
  Renderer renderer{sphere};
  Motion motion{.title = "slide", .times = {0, 0.5, 1, 1.5, 2, 2.5, 3}, .at = [this](double time) {
                  return take_snapshot(sphere, Vec::Constant(1, time));
                }};
};

TEST_F(Sheet, HasTheSizeOfItsCells) {
  const Picture page = contact_sheet(renderer, motion, {.cell = kTiny, .columns = 3, .labels = false, .gap = 5});
  EXPECT_EQ(page.width(), 3 * 40 + 4 * 5);
  EXPECT_EQ(page.height(), 3 * 30 + 4 * 5);
  const Picture titled = contact_sheet(renderer, motion, {.cell = kTiny, .columns = 3, .gap = 5});
  EXPECT_EQ(titled.width(), page.width());
  EXPECT_GT(titled.height(), page.height());
}

TEST_F(Sheet, ShowsEachMomentInItsCell) {
  const SheetOptions options{.cell = kTiny, .columns = 4, .labels = false, .gap = 0};
  const Picture page = contact_sheet(renderer, motion, options);
  const MotionView view = frame_motion(motion, 40.0 / 30, options.framing);
  RenderOptions look = kTiny;
  look.ground_height = view.ground_height;
  for (const int k : {0, 5}) {
    const Picture alone = renderer.render(motion.at(motion.times[k]), view.camera, look);
    Picture expected = page;
    paste(expected, alone, k % 4 * 40, k / 4 * 30);
    EXPECT_EQ(expected, page) << "moment " << k;
  }
}

TEST_F(Sheet, ReportsProgressAndCanBeCancelled) {
  std::vector<double> fractions;
  const auto listen = [&](const Progress& progress) {
    fractions.push_back(progress.fraction);
    return true;
  };
  turntable_sheet(renderer, motion.at(0), 4, {.cell = kTiny}, listen);
  EXPECT_EQ(fractions, (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_THROW(contact_sheet(renderer, motion, {.cell = kTiny},
                             [](const Progress& progress) { return progress.fraction < 0.3; }),
               Cancelled);
}

TEST_F(Sheet, RefusesWhatCannotBe) {
  EXPECT_THROW(contact_sheet(renderer, {.title = "nothing"}, {.cell = kTiny}), Error);
  EXPECT_THROW(turntable_sheet(renderer, motion.at(0), 0, {.cell = kTiny}), Error);
  EXPECT_THROW(contact_sheet(renderer, motion, {.cell = kTiny, .columns = -1}), Error);
  EXPECT_THROW(contact_sheet(renderer, motion, {.cell = {.width = 5000, .height = 5000}}),
               Error);  // the page, not a cell
}

TEST(ClipMotion, SpansTheClip) {
  const Character sphere = testing::make_sphere({0, 1, 0}, 1, 12);
  const Animation clip{.name = "slide",
                       .duration = 2,
                       .tracks = {{.control = "slide.tx", .curve = {.times = {0, 2}, .values = {0, 4}}}}};
  const Motion motion = clip_motion(sphere, &clip, 5);
  EXPECT_EQ(motion.title, "slide");
  EXPECT_EQ(motion.times, (std::vector<double>{0, 0.5, 1, 1.5, 2}));
  EXPECT_NEAR(motion.at(1).points[0] - motion.at(0).points[0], 2, 1e-12);
  EXPECT_EQ(clip_motion_at_rate(sphere, &clip, 24).times.size(), 48u);  // 0 .. 47/24
  EXPECT_EQ(clip_motion(sphere, nullptr, 5).times.size(), 1u);
}

class Video : public Sheet {
 protected:
  fs::path folder = fs::temp_directory_path() / ("rigspace_video_test_" + std::to_string(::getpid()));
  void SetUp() override { fs::create_directory(folder); }
  void TearDown() override { fs::remove_all(folder); }
  int files() const {
    return static_cast<int>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
  VideoOptions options{.picture = kTiny};
};

TEST_F(Video, SaysWhatIsMissingWithoutFfmpeg) {
  options.ffmpeg = (folder / "no such program").string();
  try {
    write_video(folder / "x.gif", renderer, motion, options);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::external_process);
    EXPECT_NE(std::string(error.what()).find("install"), std::string::npos);
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(Video, ReportsAnEncoderThatGivesUp) {
  options.ffmpeg = "false";  // starts, reads nothing, fails
  try {
    write_video(folder / "x.mp4", renderer, motion, options);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::external_process);
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(Video, LeavesNothingWhenCancelled) {
  if (std::system("ffmpeg -version >/dev/null 2>&1") != 0) GTEST_SKIP() << "ffmpeg is absent";
  EXPECT_THROW(write_video(folder / "x.gif", renderer, motion, options,
                           [](const Progress& progress) { return progress.fraction < 0.5; }),
               Cancelled);
  EXPECT_EQ(files(), 0);
}

TEST_F(Video, WritesGifAndMp4) {
  if (std::system("ffmpeg -version >/dev/null 2>&1") != 0) GTEST_SKIP() << "ffmpeg is absent";
  write_video(folder / "x.gif", renderer, motion, options);
  write_turntable_video(folder / "x.mp4", renderer, motion.at(0), 0.25, options);
  EXPECT_EQ(files(), 2);
  const auto head = [&](const char* name) {
    std::string bytes(12, '\0');
    std::ifstream(folder / name, std::ios::binary).read(bytes.data(), 12);
    return bytes;
  };
  EXPECT_EQ(head("x.gif").substr(0, 6), "GIF89a");
  EXPECT_EQ(head("x.mp4").substr(4, 4), "ftyp");
  EXPECT_THROW(write_video(folder / "x.avi", renderer, motion, options), Error);
}

}  // namespace
}  // namespace rigspace
