#include "rigspace/base/cancel_scope.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>

namespace rigspace {
namespace {

TEST(CancelScope, EndsALoopThatHasNoCallback) {
  for (const int threads : {1, 2}) {
    const ThreadCountScope count(threads);
    std::atomic<int> done = 0;
    const CancelScope scope([&] { return done >= 10; });
    EXPECT_THROW(parallel_ranges(100000, 1, [&](int, int) { ++done; }), Cancelled);
    EXPECT_GE(done, 10);
    EXPECT_LT(done, 1000);
    EXPECT_THROW(poll_cancel(), Cancelled);
  }
}

TEST(CancelScope, IsOverWhenItEnds) {
  {
    const CancelScope scope([] { return true; });
  }
  int done = 0;
  poll_cancel();
  const ThreadCountScope count(1);
  parallel_ranges(100, 1, [&](int, int) { ++done; });
  EXPECT_EQ(done, 100);
}

TEST(CancelScope, TheNewestCounts) {
  const CancelScope outer([] { return true; });
  {
    const CancelScope inner([] { return false; });
    EXPECT_NO_THROW(poll_cancel());
  }
  EXPECT_THROW(poll_cancel(), Cancelled);
}

}  // namespace
}  // namespace rigspace
