#include "rigspace/base/parallel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace rigspace {
namespace {

TEST(Parallel, CoversEveryIndexOnce) {
  for (const int threads : {1, 2, 8}) {
    const ThreadCountScope scope(threads);
    std::vector<int> visits(10'007, 0);
    parallel_ranges(static_cast<int>(visits.size()), 64, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) ++visits[i];
    });
    EXPECT_EQ(visits, std::vector<int>(visits.size(), 1)) << threads << " threads";
  }
}

TEST(Parallel, SumsToTheSameBitsOnAnyNumberOfThreads) {
  const auto sum = [] {
    return parallel_sum(100'003, 1000, [](int begin, int end) {
      double part = 0;
      for (int i = begin; i < end; ++i) part += std::sin(i) * 1e3 / (1 + i);
      return part;
    });
  };
  const ThreadCountScope one(1);
  const double serial = sum();
  ASSERT_NE(serial, 0);
  for (const int threads : {2, 8}) {
    const ThreadCountScope scope(threads);
    const double parallel = sum();
    EXPECT_EQ(std::memcmp(&serial, &parallel, sizeof serial), 0) << threads << " threads";
  }
}

}  // namespace
}  // namespace rigspace
