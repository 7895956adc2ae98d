#pragma once

#include <time.h>

namespace rigspace::bench {

/// Seconds of the processor that the calling thread has taken: others on the machine do not count.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace rigspace::bench
