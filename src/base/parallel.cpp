#include "rigspace/base/parallel.h"

#include "rigspace/base/cancel_scope.h"
#include "rigspace/base/error.h"
#include "rigspace/base/serial.h"

#ifndef RIGSPACE_ONE_THREAD  // of rigspace::realtime, which has no TBB
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#endif

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace rigspace {

#ifdef RIGSPACE_ONE_THREAD

SerialScope::SerialScope() = default;
SerialScope::~SerialScope() = default;
int thread_count() { return 1; }
void set_thread_count(int) {}

namespace {

bool on_this_thread(int) { return true; }
template <class Run>
void on_many_threads(int, const Run&) {}

}  // namespace

#else

namespace {

/// $RIGSPACE_THREADS, for programs that are run side by side; else one a core.
int first_count() {
  const char* asked = std::getenv("RIGSPACE_THREADS");
  int count = 0;
  if (asked != nullptr) {
    const char* last = asked + std::strlen(asked);
    if (const auto [end, error] = std::from_chars(asked, last, count); error != std::errc() || end != last) count = 0;
  }
  return count > 0 && count <= 256 ? count : std::max(1, oneapi::tbb::info::default_concurrency());
}

int& threads() {
  static int value = first_count();
  return value;
}

/// Lets the arena have more threads than the machine has cores, if that many are set.
std::unique_ptr<oneapi::tbb::global_control>& more_threads() {
  static std::unique_ptr<oneapi::tbb::global_control> value;
  return value;
}

std::unique_ptr<oneapi::tbb::task_arena>& arena() {
  static std::unique_ptr<oneapi::tbb::task_arena> value;
  return value;
}

thread_local int serial_scopes = 0;

}  // namespace

SerialScope::SerialScope() { ++serial_scopes; }
SerialScope::~SerialScope() { --serial_scopes; }

int thread_count() { return serial_scopes > 0 ? 1 : threads(); }

void set_thread_count(int count) {
  threads() = std::max(1, count);
  arena().reset();
  more_threads().reset();
  if (threads() > oneapi::tbb::info::default_concurrency())
    more_threads() = std::make_unique<oneapi::tbb::global_control>(oneapi::tbb::global_control::max_allowed_parallelism,
                                                                   static_cast<std::size_t>(threads()));
}

namespace {

bool on_this_thread(int chunks) { return serial_scopes > 0 || chunks == 1 || threads() == 1; }

template <class Run>
void on_many_threads(int chunks, const Run& run) {
  if (!arena()) arena() = std::make_unique<oneapi::tbb::task_arena>(threads());
  // Isolated: a thread that waits for a loop inside another one does not begin a further turn of the outer one, in the
  // midst of what it does.
  arena()->execute([&] {
    oneapi::tbb::this_task_arena::isolate([&] {
      oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<int>(0, chunks, 1), [&](const auto& range) {
        for (int k = range.begin(); k < range.end(); ++k) run(k);
      });
    });
  });
}

}  // namespace

#endif

namespace detail {

void parallel_ranges(int count, int chunk, RangeBody body, void* context) {
  if (count <= 0) return;
  chunk = std::max(1, chunk);
  const int chunks = (count + chunk - 1) / chunk;
  const CancelScope* const scope = CancelScope::current();
  const auto run = [&](int k) {
    if (scope != nullptr && scope->stopped()) throw Cancelled();
    body(context, k * chunk, std::min(count, (k + 1) * chunk));
  };
  if (!on_this_thread(chunks)) return on_many_threads(chunks, run);
  for (int k = 0; k < chunks; ++k) run(k);
}

double parallel_sum(int count, int chunk, double (*body)(void*, int, int), void* context) {
  if (count <= 0) return 0;
  chunk = std::max(1, chunk);
  const int chunks = (count + chunk - 1) / chunk;
  thread_local std::vector<double> parts;
  std::vector<double>& own = parts;  // the caller's buffer, also from inside other threads
  own.assign(static_cast<std::size_t>(chunks), 0.0);
  struct Context {
    double (*body)(void*, int, int);
    void* inner;
    double* parts;
    int chunk;
  } outer{body, context, own.data(), chunk};
  parallel_ranges(
      count, chunk,
      [](void* raw, int begin, int end) {
        const auto& c = *static_cast<Context*>(raw);
        c.parts[begin / c.chunk] = c.body(c.inner, begin, end);
      },
      &outer);
  double sum = 0;
  for (const double part : own) sum += part;
  return sum;
}

}  // namespace detail
}  // namespace rigspace
