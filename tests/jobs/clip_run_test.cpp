#include "rigspace/jobs/clip_run.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/base/parallel.h"
#include "rigspace/jobs/partial_run.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

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

  /// A run that ends early leaves its folder, as one does whose program is killed.
  void run_and_kill(Counting& work, const ClipRunOptions& options) {
    EXPECT_THROW(run_clips(work, options), Counting::Killed);
    EXPECT_TRUE(fs::exists(options.partial));
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
  run_clips(again, options);
  EXPECT_EQ(again.steps, 10 + 6);  // and the third clip goes on from its own checkpoint
}

TEST_F(ClipRun, RefusesAFolderThatNoRunLeft) {
  fs::create_directories(folder_ / "x.partial");
  write_file(folder_ / "x.partial" / "mine.txt", std::string("mine"));
  Counting work;
  EXPECT_THROW(run_clips(work, {.partial = folder_ / "x.partial", .key = "a"}), Error);
  EXPECT_TRUE(fs::exists(folder_ / "x.partial" / "mine.txt"));
}

TEST_F(ClipRun, GoesOnWhereACancelledRunStood) {
  const ClipRunOptions options{.partial = folder_ / "x.partial", .key = "a"};
  Counting cancelled;
  ClipRunOptions stopping = options;
  stopping.progress = [&](const Progress& p) { return !cancelled.made[0].has_value() || p.fraction < 0.5; };
  EXPECT_THROW(run_clips(cancelled, stopping), Cancelled);
  EXPECT_EQ(PartialRun::finished_in(options.partial), 1u);
  Counting again;
  double resumed_at = 0;
  ClipRunOptions resuming = options;
  resuming.begun = [&](double share) { resumed_at = share; };
  run_clips(again, resuming);
  EXPECT_GT(resumed_at, 0);
  EXPECT_LT(again.steps, 30);
  EXPECT_FALSE(fs::exists(options.partial));
}

TEST_F(ClipRun, LeavesNoFolderInWhichNothingIsKept) {
  Counting work;
  EXPECT_THROW(
      run_clips(work,
                {.partial = folder_ / "x.partial", .key = "a", .progress = [](const Progress&) { return false; }}),
      Cancelled);
  EXPECT_EQ(PartialRun::finished_in(folder_ / "x.partial"), 0u);
}

TEST_F(ClipRun, TellsHowMuchOfTheWholeRunIsDone) {
  Counting work;
  double last = 0;
  run_clips(work, {.progress = [&](const Progress& p) {
              EXPECT_GE(p.whole, last - 1e-12);  // it never falls back, as the share of a clip does
              EXPECT_LE(p.whole, 1);
              last = p.whole;
              return true;
            }});
  EXPECT_GT(last, 0.9);
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

/// Twelve clips that may be made at the same time.
class Concurrent final : public ClipWork {
 public:
  std::atomic<int> at_once = 0, most = 0;
  std::vector<int> made = std::vector<int>(12);

  std::size_t count() const override { return made.size(); }
  bool concurrent() const override { return true; }
  std::string name(std::size_t k) const override { return "clip" + std::to_string(k); }
  double duration(std::size_t) const override { return 1; }
  void make(std::size_t k, const ClipCheckpoints&, const ProgressCallback& progress) override {
    const int now = ++at_once;
    most = std::max(most.load(), now);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    report(progress, "making", 0.5);
    made[k] = static_cast<int>(k) + 1;
    --at_once;
  }
  std::string finished(std::size_t k) const override { return std::to_string(made[k]); }
  bool restore(std::size_t, const std::string&) override { return false; }
};

TEST_F(ClipRun, MakesClipsSideBySideAndTellsThemInOrder) {
  const ThreadCountScope threads(3);
  Concurrent work;
  std::vector<std::size_t> told;
  run_clips(work, {.made = [&](std::size_t k) { told.push_back(k); }});
  EXPECT_GT(work.most, 1);
  EXPECT_LE(work.most, 3);
  ASSERT_EQ(told.size(), 12u);
  for (std::size_t k = 0; k < 12; ++k) {
    EXPECT_EQ(told[k], k);
    EXPECT_EQ(work.made[k], static_cast<int>(k) + 1);
  }
}

TEST_F(ClipRun, SideBySideStopsWhenProgressSaysSo) {
  const ThreadCountScope threads(2);
  Concurrent work;
  int told = 0;
  EXPECT_THROW(
      run_clips(work, {.progress = [](const Progress&) { return false; }, .made = [&](std::size_t) { ++told; }}),
      Cancelled);
  EXPECT_LT(told, 12);
}

}  // namespace
}  // namespace rigspace
