#include "rigspace/jobs/output_lock.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

class Lock : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("rigspace_lock_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path output() const { return folder_ / "hero.soft.glb"; }
  fs::path folder_;
};

TEST_F(Lock, IsHeldByOneRunAndNamesItsProcess) {
  const OutputLock held(output());
  try {
    const OutputLock second(output());
    FAIL() << "both hold it";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), output().string() + ": is being made by another run, process " +
                                std::to_string(::getpid()) + "; wait for it, or choose another -o");
  }
  EXPECT_NO_THROW(OutputLock(folder_ / "other.glb"));
}

TEST_F(Lock, IsGoneWithTheRun) {
  std::optional<OutputLock> held(std::in_place, output());
  held.reset();
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_NO_THROW(OutputLock{output()});
}

TEST_F(Lock, OfAKilledRunIsTakenOver) {
  const pid_t child = ::fork();
  if (child == 0) {
    new OutputLock(output());  // dies with it
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(fs::exists(output().string() + ".lock"));
  const OutputLock taken(output());
  EXPECT_EQ(read_text(output().string() + ".lock"), std::to_string(::getpid()) + "\n");
}

}  // namespace
}  // namespace rigspace
