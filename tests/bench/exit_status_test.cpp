#include "bench/bench.h"

#include <gtest/gtest.h>

namespace rigspace::bench {
namespace {

TEST(ExitStatus, IsFourIfAnyBarWasMissed) {
  std::vector<Row> rows{{.scene = "a", .method = "ours"}, {.scene = "b", .method = "ours"}};
  EXPECT_EQ(exit_status(rows), 0);
  rows[1].ok = false;
  EXPECT_EQ(exit_status(rows), 4);
}

}  // namespace
}  // namespace rigspace::bench
