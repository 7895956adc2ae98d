#include "rigspace/optimize/sparse_system.h"

#include <gtest/gtest.h>

#if defined(__unix__)
#include <csignal>

#include <atomic>
#include <thread>
#endif

namespace rigspace::ordering_test {
namespace {

#if defined(__unix__)

volatile std::sig_atomic_t ended = 0;

/// A grid of points with springs between neighbours, ordered and factored from nothing.
void order_grid(int side) {
  SparseSystem system(3 * side * side, 3);
  const Mat spring = Mat::Identity(6, 6) + Mat::Ones(6, 6);
  system.clear();
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      const int here = i * side + j;
      for (const int next : {i + 1 < side ? here + side : -1, j + 1 < side ? here + 1 : -1})
        if (next >= 0) system.add(std::vector<int>{here, next}, spring.data());
    }
  system.finish();
  ASSERT_TRUE(system.factor(0));
}

// METIS takes SIGTERM to itself while it runs, and jumps from the thread that gets the signal to a place that only its
// own thread has.
TEST(Ordering, LeavesSignalsToTheProgram) {
  struct sigaction action = {}, before = {};
  action.sa_handler = [](int) { ended = ended + 1; };
  sigaction(SIGTERM, &action, &before);
  ended = 0;
  std::atomic<bool> done = false;
  std::thread worker([&] {
    for (int k = 0; k < 5; ++k) order_grid(60);
    done = true;
  });
  int sent = 0;
  while (!done) {
    std::raise(SIGTERM);
    ++sent;
    std::this_thread::yield();
  }
  worker.join();
  std::raise(SIGTERM);
  EXPECT_EQ(ended, sent + 1);
  sigaction(SIGTERM, &before, nullptr);
}

#endif

}  // namespace
}  // namespace rigspace::ordering_test
