#include "rigspace/base/serial.h"

#include "rigspace/base/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace rigspace {
namespace {

TEST(SerialScope, KeepsLoopsOnTheirThreadInOrder) {
  const ThreadCountScope threads(4);
  const SerialScope serial;
  const auto here = std::this_thread::get_id();
  int last = -1, others = 0;
  parallel_ranges(64, 1, [&](int begin, int) {
    others += std::this_thread::get_id() != here;
    EXPECT_EQ(begin, last + 1);
    last = begin;
  });
  EXPECT_EQ(last, 63);
  EXPECT_EQ(others, 0);
}

TEST(SerialScope, ChangesNoSumAndEndsWithItself) {
  const ThreadCountScope threads(4);
  const auto sum = [] {
    return parallel_sum(1000, 7, [](int begin, int end) {
      double part = 0;
      for (int k = begin; k < end; ++k) part += 1.0 / (1 + k);
      return part;
    });
  };
  const double before = sum();
  double inside = 0;
  {
    const SerialScope outer;
    { const SerialScope inner; }
    inside = sum();
  }
  EXPECT_EQ(inside, before);
  EXPECT_EQ(sum(), before);
}

TEST(SerialScope, IsOfOneThreadAlone) {
  const SerialScope serial;
  std::atomic<bool> done{false};
  std::thread other([&] {
    const ThreadCountScope threads(2);
    std::atomic<int> covered{0};
    parallel_ranges(100, 1, [&](int begin, int end) { covered += end - begin; });
    done = covered == 100;
  });
  other.join();
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace rigspace
