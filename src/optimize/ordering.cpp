#include "ordering.h"

#include <metis.h>

#if defined(__ELF__)
#include <csignal>
#endif
#include <mutex>
#include <numeric>

#if defined(__ELF__)
/// In place of METIS's functions of these names, which take SIGTERM from the program while METIS runs: a program that
/// is told to end meanwhile jumped, from whichever thread got the signal, to a place that only METIS's thread has. Its
/// own errors, which it raises as SIGABRT in its own thread, are caught as before. Weak: a METIS that is linked
/// statically keeps its own.
extern "C" {
extern __thread int gk_cur_jbufs;  // of METIS: the place that it jumps to
void gk_sigthrow(int signal);

static thread_local void (*abort_before)(int) = SIG_DFL;

__attribute__((weak, visibility("default"))) int gk_sigtrap() {
  ++gk_cur_jbufs;
  abort_before = std::signal(SIGABRT, gk_sigthrow);
  return 1;
}

__attribute__((weak, visibility("default"))) int gk_siguntrap() {
  std::signal(SIGABRT, abort_before);
  --gk_cur_jbufs;
  return 1;
}
}
#endif

namespace rigspace {

std::vector<int> fill_reducing_order(const SparseAssembly& H) {
  const int block = H.block(), nodes = H.size() / block;
  const auto start = H.block_start(), rows = H.block_rows();
  std::vector<idx_t> adjacency_start(static_cast<std::size_t>(nodes) + 1, 0);
  const auto for_each_edge = [&](auto&& visit) {
    for (int j = 0; j < nodes; ++j)
      for (int t = start[j]; t < start[j + 1]; ++t)
        if (rows[t] != j) visit(rows[t], j);
  };
  for_each_edge([&](int i, int j) { ++adjacency_start[i + 1], ++adjacency_start[j + 1]; });
  std::partial_sum(adjacency_start.begin(), adjacency_start.end(), adjacency_start.begin());
  std::vector<idx_t> adjacency(static_cast<std::size_t>(adjacency_start.back()));
  std::vector<idx_t> next(adjacency_start.begin(), adjacency_start.end() - 1);
  for_each_edge([&](int i, int j) {
    adjacency[next[i]++] = j;
    adjacency[next[j]++] = i;
  });

  std::vector<idx_t> order(static_cast<std::size_t>(nodes)), inverse(order.size());
  std::iota(order.begin(), order.end(), 0);
  constexpr int kTooSmallToMatter = 16;
  if (nodes > kTooSmallToMatter && !adjacency.empty()) {
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_SEED] = 1;  // the same order, hence the same bits, in every run
    idx_t count = nodes;
    static std::mutex one_at_a_time;  // its random numbers have one state for all threads
    const std::lock_guard lock(one_at_a_time);
    const int status =
        METIS_NodeND(&count, adjacency_start.data(), adjacency.data(), nullptr, options, order.data(), inverse.data());
    if (status != METIS_OK) std::iota(order.begin(), order.end(), 0);
  }
  std::vector<int> result(static_cast<std::size_t>(H.size()));
  for (int i = 0; i < H.size(); ++i) result[i] = block * static_cast<int>(order[i / block]) + i % block;
  return result;
}

}  // namespace rigspace
