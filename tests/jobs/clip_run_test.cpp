#include "rigspace/jobs/clip_run.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/jobs/partial_run.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <optional>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

/// Three clips of one second, each "made" in ten steps; a run may be stopped at a step, as if the program was killed.
class Counting final : public ClipWork {
 public:
  struct Killed {};
  int killed_at = -1;  // of all steps
  int steps = 0;       // that were made in this process
  std::vector<std::optional<int>> made = std::vector<std::optional<int>>(3);
  std::vector<std::optional<int>> resumed = std::vector<std::optional<int>>(3);

  std::size_t count() const override { return made.size(); }
  std::string name(std::size_t k) const override { return "clip" + std::to_string(k); }
  double duration(std::size_t) const override { return 1; }
  void make(std::size_t k, const ClipCheckpoints& checkpoints, const ProgressCallback& progress) override {
    const std::vector<std::byte> kept = checkpoints.resume(0);
    int done = kept.empty() ? 0 : static_cast<int>(kept[0]);
    if (!kept.empty()) resumed[k] = done;
    for (; done < 10; ++done) {
      report(progress, "counting", 0.1 * done);
      if (steps++ == killed_at) throw Killed();
      const std::byte next{static_cast<unsigned char>(done + 1)};
      checkpoints.save(0, 0.1 * (done + 1), {&next, 1});
    }
    made[k] = done;
  }
  std::string finished(std::size_t k) const override { return std::to_string(*made[k]); }
  bool restore(std::size_t k, const std::string& text) override {
    if (text != "10") return false;
    made[k] = 10;
    return true;
  }
};

class ClipRun : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("rigspace_clip_run_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// A program that is killed leaves its folder: it is copied away before the run's own end removes it.
  void run_and_kill(Counting& work, const ClipRunOptions& options) {
    const fs::path kept = folder_ / "kept";
    ClipRunOptions watched = options;
    watched.progress = [&](const Progress&) {
      fs::remove_all(kept);
      fs::copy(options.partial, kept, fs::copy_options::recursive);
      return true;
    };
    EXPECT_THROW(run_clips(work, watched), Counting::Killed);
    EXPECT_FALSE(fs::exists(options.partial));
    fs::rename(kept, options.partial);
  }

  fs::path folder_;
};

TEST_F(ClipRun, MakesAllClipsInOrderAndLeavesNoFolder) {
  Counting work;
  std::vector<std::size_t> order;
  double begun = -1;
  run_clips(work, {.partial = folder_ / "x.partial",
                   .key = "a",
                   .begun = [&](double share) { begun = share; },
                   .made = [&](std::size_t k) { order.push_back(k); }});
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(begun, 0);
  EXPECT_EQ(work.steps, 30);
  EXPECT_FALSE(fs::exists(folder_ / "x.partial"));
}

TEST_F(ClipRun, GoesOnWhereAKilledRunStood) {
  Counting killed;
  killed.killed_at = 14;
  const ClipRunOptions options{.partial = folder_ / "x.partial", .key = "a"};
  run_and_kill(killed, options);
  Counting again;
  double begun = 0;
  ClipRunOptions resumed = options;
  resumed.begun = [&](double share) { begun = share; };
  run_clips(again, resumed);
  EXPECT_NEAR(begun, 14 / 30.0, 0.04);
  EXPECT_EQ(again.made, (std::vector<std::optional<int>>{10, 10, 10}));
  EXPECT_EQ(again.resumed[1], 4);
  EXPECT_EQ(again.steps, 16);
}

TEST_F(ClipRun, StartsAnewUnderAnotherKey) {
  Counting killed;
  killed.killed_at = 14;
  run_and_kill(killed, {.partial = folder_ / "x.partial", .key = "a"});
  Counting again;
  run_clips(again, {.partial = folder_ / "x.partial", .key = "b"});
  EXPECT_EQ(again.steps, 30);
}

TEST_F(ClipRun, MakesADamagedClipAgain) {
  Counting killed;
  killed.killed_at = 24;
  const ClipRunOptions options{.partial = folder_ / "x.partial", .key = "a"};
  run_and_kill(killed, options);
  write_file(options.partial / "clip_0000.json", std::string("nonsense"));
  Counting again;
  run_clips(again, options);  // its checkpoints take the place of the one in the third clip
  EXPECT_EQ(again.steps, 20);
}

TEST_F(ClipRun, RefusesAFolderThatNoRunLeft) {
  fs::create_directories(folder_ / "x.partial");
  write_file(folder_ / "x.partial" / "mine.txt", std::string("mine"));
  Counting work;
  EXPECT_THROW(run_clips(work, {.partial = folder_ / "x.partial", .key = "a"}), Error);
  EXPECT_TRUE(fs::exists(folder_ / "x.partial" / "mine.txt"));
}

TEST_F(ClipRun, KeepsNothingWithoutAFolder) {
  Counting work;
  run_clips(work, {});
  EXPECT_EQ(work.steps, 30);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(ClipRun, StopsWhenProgressSaysSo) {
  Counting work;
  EXPECT_THROW(run_clips(work, {.progress = [](const Progress& p) { return p.fraction < 0.5; }}), Cancelled);
  EXPECT_FALSE(work.made[0].has_value());
}

}  // namespace
}  // namespace rigspace
