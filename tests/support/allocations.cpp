#include "support/allocations.h"

#include <cstddef>
#include <cstdlib>

namespace rigspace::testing {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0};

}  // namespace rigspace::testing

namespace {
[[maybe_unused]] void count() {
  using namespace rigspace::testing;
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}
}  // namespace

#if RIGSPACE_COUNTS_ALLOCATIONS
// glibc's own allocator under its other names: operator new and Eigen both end here.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* malloc(std::size_t size) {
  count();
  return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) {
  count();
  return __libc_calloc(number, size);
}
void* realloc(void* memory, std::size_t size) {
  count();
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  count();
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : 12;
}
}
#endif
