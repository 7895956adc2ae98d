#pragma once
// Parallel loops whose results do not depend on the number of threads: work is cut into chunks of fixed size, and
// reductions add the chunks in order. The same bits for 1, 2 and 8 threads.

#include <type_traits>

namespace rigspace {

/// How many threads the loops below may use; all cores by default; 1 within a SerialScope. Not for use inside a loop.
int thread_count();
void set_thread_count(int threads);

/// Sets the thread count and puts the former one back.
class ThreadCountScope {
 public:
  explicit ThreadCountScope(int threads) : before_(thread_count()) { set_thread_count(threads); }
  ~ThreadCountScope() { set_thread_count(before_); }
  ThreadCountScope(const ThreadCountScope&) = delete;
  ThreadCountScope& operator=(const ThreadCountScope&) = delete;

 private:
  int before_;
};

namespace detail {
using RangeBody = void (*)(void* context, int begin, int end);
void parallel_ranges(int count, int chunk, RangeBody body, void* context);
double parallel_sum(int count, int chunk, double (*body)(void*, int, int), void* context);
}  // namespace detail

/// Calls body(begin, end) for consecutive ranges of at most `chunk` that together cover [0, count), in any order and
/// on any thread. Bodies must not write to shared places. Never allocates when one thread is used.
template <class Body>
void parallel_ranges(int count, int chunk, Body&& body) {
  detail::parallel_ranges(
      count, chunk,
      [](void* context, int begin, int end) { (*static_cast<std::remove_reference_t<Body>*>(context))(begin, end); },
      &body);
}

/// The sum of body(begin, end) over the same ranges, added in the order of the ranges.
template <class Body>
double parallel_sum(int count, int chunk, Body&& body) {
  return detail::parallel_sum(
      count, chunk,
      [](void* context, int begin, int end) -> double {
        return (*static_cast<std::remove_reference_t<Body>*>(context))(begin, end);
      },
      &body);
}

}  // namespace rigspace
