// Models as files: the same motion to the bit, no skin, and bytes of any other kind refused in one sentence.

#include "rigspace/apps/physics/realtime_file.h"

#include "rigspace/anim/keyed_motion.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/realtime_c.h"
#include "rigspace/apps/physics/realtime_load.h"
#include "rigspace/base/content_hash.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/gltf.h"
#include "support/caped_box.h"
#include "support/realtime_ball.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

namespace rigspace::realtime_file_test {
namespace {

using testing::ball_model;
using testing::span_of;

constexpr std::size_t kFormat = 8, kSize = 12, kChecksum = 20, kPayload = 52;  // where they begin in a file

/// Chains as rods, the belly as flesh, with all of its elements beside the few.
std::shared_ptr<const RealtimeModel> bobbin() {
  const Character hard = make_character("bobbin");
  const Softened soft = soften(hard, find_parts(hard), {.use_cache = true});
  return std::make_shared<const RealtimeModel>(soft.character, soft.parts,
                                               RealtimeOptions{.widen = true, .springs = true});
}

/// A cape, which meets the body behind it.
std::shared_ptr<const RealtimeModel> caped() {
  const std::string path = ::testing::TempDir() + "realtime_file_cape.glb";
  const std::vector<std::byte> bytes = to_glb(testing::CapedBox().make());
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  return load_realtime_model(path, {.parts = {"Hero_Cape=cape"}});
}

/// Plays the first clip of a character on both, with a teleport and late frames, and compares all bits of all frames.
void expect_same_motion(const std::shared_ptr<const RealtimeModel>& made,
                        const std::shared_ptr<const RealtimeModel>& read) {
  ASSERT_EQ(read->controls().size(), made->controls().size());
  for (std::size_t c = 0; c < made->controls().size(); ++c) {
    EXPECT_EQ(read->controls()[c].name, made->controls()[c].name);
    EXPECT_EQ(read->controls()[c].rest, made->controls()[c].rest);
  }
  ASSERT_TRUE(std::ranges::equal(read->free(), made->free()));
  EXPECT_EQ(read->latency(), made->latency());
  EXPECT_EQ(read->element_count(), made->element_count());
  KeyedMotion motion(made->character(), &made->character().clips.front());
  motion.set_cyclic(true);
  RealtimeRig a(made), b(read);
  Vec p;
  double time = 0, farthest = 0;
  for (int k = 0; k < 240; ++k) {
    const double dt = k % 11 == 0 ? 1.0 / 24 : 1.0 / 60;
    motion.controls(time += (k > 120 ? 2 : 1) * dt, p);  // twice as fast later on: held, and widened
    for (RealtimeRig* rig : {&a, &b}) {
      if (k == 0) rig->reset(span_of(p));
      if (k == 80) rig->teleport();
      if (k == 170) rig->set_level(RealtimeLevel::light);
      if (k == 205 && made->options().springs) rig->set_level(RealtimeLevel::springs);
      rig->set_keyed(span_of(p));
      rig->step(dt);
    }
    ASSERT_EQ(std::memcmp(a.deviation().data(), b.deviation().data(), a.deviation().size_bytes()), 0) << "frame " << k;
    for (const double d : a.deviation()) farthest = std::max(farthest, std::abs(d));
  }
  EXPECT_GT(farthest, 0.01);
  EXPECT_EQ(a.iterations(), b.iterations());
}

TEST(RealtimeFile, RodsAndFleshMoveAsInTheModelThatWasWritten) {
  const auto made = bobbin();
  expect_same_motion(made, read_realtime_model(write_realtime_model(*made)));
}

TEST(RealtimeFile, ASheetMovesAsInTheModelThatWasWritten) {
  const auto made = caped();
  expect_same_motion(made, read_realtime_model(write_realtime_model(*made)));
}

TEST(RealtimeFile, IsTheSameFileWhenItIsReadAndWritten) {
  const std::vector<std::byte> bytes = write_realtime_model(*ball_model());
  EXPECT_EQ(write_realtime_model(*read_realtime_model(bytes)), bytes);
}

TEST(RealtimeFile, HasNeitherSkinNorClips) {
  const auto read = read_realtime_model(write_realtime_model(*ball_model()));
  EXPECT_EQ(read->character().rig->point_count(), 0);
  EXPECT_TRUE(read->character().pieces.empty() && read->character().clips.empty());
  EXPECT_THROW(read->adjusted({}), Error);
}

/// The sentence with which bytes are refused; empty if they are not.
std::string refusal(std::span<const std::byte> bytes) {
  try {
    read_realtime_model(bytes, "hero.rigmodel");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(RealtimeFile, RefusesOldForeignAndDamagedFilesInOneSentence) {
  const std::vector<std::byte> whole = write_realtime_model(*ball_model());
  EXPECT_EQ(refusal(whole), "");
  EXPECT_EQ(refusal({}),
            "hero.rigmodel: is no trained model; make one of a character: rigspace train hero.glb -o "
            "hero.rigmodel");
  EXPECT_EQ(refusal(to_glb(testing::make_ball())), refusal({}));
  std::vector<std::byte> other = whole;
  other[kFormat] = std::byte{0};
  EXPECT_EQ(refusal(other),
            "hero.rigmodel: is of format 0, and this program reads format 1; train it again: rigspace "
            "train hero.glb -o hero.rigmodel");
  other[kFormat] = std::byte{7};
  EXPECT_EQ(refusal(other),
            "hero.rigmodel: is of format 7, and this program reads format 1; update this program, or "
            "train it again with this version");
  EXPECT_NE(refusal(std::span(whole).first(kPayload + 100)).find("is cut short: 100 of"), std::string::npos);
  std::vector<std::byte> damaged = whole;
  damaged[whole.size() / 2] ^= std::byte{4};
  EXPECT_EQ(refusal(damaged),
            "hero.rigmodel: is damaged: its contents do not match its checksum; copy it again, or "
            "train it again");
}

int fuzz_count(int otherwise) {
  const char* asked = std::getenv("RIGSPACE_FUZZ");
  return asked != nullptr ? std::max(otherwise, std::atoi(asked)) : otherwise;
}

TEST(RealtimeFile, RefusesEveryTruncationAndEveryFlippedBit) {
  const std::vector<std::byte> whole = write_realtime_model(*ball_model());
  std::mt19937 random(5);
  std::uniform_int_distribution<std::size_t> place(0, whole.size() - 1);
  for (std::size_t size = 0; size < kPayload + 20; ++size) EXPECT_NE(refusal(std::span(whole).first(size)), "") << size;
  for (int k = 0; k < fuzz_count(300); ++k) {
    const std::size_t size = place(random);
    ASSERT_NE(refusal(std::span(whole).first(size)), "") << size;
    std::vector<std::byte> flipped = whole;
    const std::size_t at = k < static_cast<int>(kPayload) ? static_cast<std::size_t>(k) : place(random);
    flipped[at] ^= std::byte{1} << (random() % 8);
    ASSERT_NE(refusal(flipped), "") << "byte " << at;
  }
}

// Bytes that somebody made up, with a checksum that fits: refused, or a model that steps within memory and stays
// finite.
TEST(RealtimeFile, SurvivesBytesWithAMatchingChecksum) {
  const std::vector<std::byte> whole = write_realtime_model(*ball_model());
  std::mt19937 random(6);
  int refused = 0, stepped = 0;
  for (int k = 0; k < fuzz_count(150); ++k) {
    std::vector<std::byte> bytes = whole;
    // The head of the contents, which has most of the sizes, as often as all of the rest.
    const std::size_t range =
        k % 2 == 0 ? std::min<std::size_t>(6000, whole.size() - kPayload) : whole.size() - kPayload;
    bytes[kPayload + random() % range] = std::byte(random());
    const std::string checksum = content_hash(std::span(bytes).subspan(kPayload));
    std::memcpy(bytes.data() + kChecksum, checksum.data(), checksum.size());
    try {
      RealtimeRig rig(read_realtime_model(bytes));
      Vec p = rig.model().character().rig->rest();
      for (int frame = 1; frame <= 4; ++frame) {
        p[0] = 0.02 * frame;
        rig.set_keyed(span_of(p));
        rig.step(1.0 / 60);
      }
      for (const double each : rig.simulated()) ASSERT_TRUE(std::isfinite(each));
      ++stepped;
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(stepped, 0);
}

TEST(RealtimeFile, IsReadThroughTheCInterface) {
  const std::vector<std::byte> bytes = write_realtime_model(*ball_model());
  rigspace_realtime_model* model = rigspace_realtime_load_memory(bytes.data(), bytes.size(), "ball.rigmodel");
  ASSERT_NE(model, nullptr) << rigspace_realtime_error();
  EXPECT_EQ(rigspace_realtime_control_count(model), static_cast<int>(ball_model()->controls().size()));
  const std::string path = ::testing::TempDir() + "ball.rigmodel";
  ASSERT_EQ(rigspace_realtime_save(model, path.c_str()), 0) << rigspace_realtime_error();
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> written{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(written.size() == bytes.size() && std::memcmp(written.data(), bytes.data(), bytes.size()) == 0);
  rigspace_realtime_release_model(model);
  EXPECT_EQ(rigspace_realtime_load_memory(bytes.data(), 30, "ball.rigmodel"), nullptr);
  EXPECT_STREQ(rigspace_realtime_error(), "ball.rigmodel: is cut short; copy it again");
  EXPECT_EQ(rigspace_realtime_error_code(), 3);
  EXPECT_EQ(rigspace_realtime_load_memory(nullptr, 0, nullptr), nullptr);
}

}  // namespace
}  // namespace rigspace::realtime_file_test
