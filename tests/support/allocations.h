#pragma once
// Counts the allocations of a piece of code. Under glibc a test program's own malloc serves everything, operator new
// and Eigen included. Sanitizers bring their own: there nothing can be counted.

#include <atomic>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define RIGSPACE_COUNTS_ALLOCATIONS 1
#else
#define RIGSPACE_COUNTS_ALLOCATIONS 0
#endif

namespace rigspace::testing {

extern std::atomic<bool> counting;    ///< on all threads
extern std::atomic<int> allocations;  ///< while counting; who counts sets it to 0 first

}  // namespace rigspace::testing
