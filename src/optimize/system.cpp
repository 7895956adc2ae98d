#include "rigspace/optimize/system.h"

#include "sparse_factor.h"

#include <dlfcn.h>

#include <mutex>

namespace rigspace {

void positive_scaling(In diagonal, Vec& D) {
  constexpr double kSmallest = 1e-6;  // of the largest: an untouched coordinate still gets a pivot
  const double largest = diagonal.size() > 0 ? diagonal.cwiseAbs().maxCoeff() : 0;
  const double least = largest > 0 ? kSmallest * largest : 1;
  D = diagonal.cwiseAbs().cwiseMax(least);
}

// Which BLAS answers is decided by the machine (Debian's alternatives), not by us: so ask at run time. CHOLMOD itself
// starts four OpenMP threads for its copying, whatever the machine has, and their spinning costs more than it brings;
// no active level of parallel regions is the one setting that its fixed number of threads obeys. It belongs to the
// calling thread.
void use_one_thread() {
  using SetNumber = void (*)(int);
  static std::once_flag once;
  std::call_once(once, [] {
    if (const auto set = reinterpret_cast<SetNumber>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) set(1);
  });
  static const auto set_levels = reinterpret_cast<SetNumber>(dlsym(RTLD_DEFAULT, "omp_set_max_active_levels"));
  if (set_levels) set_levels(0);
}

std::string blas_description() {
  using Text = char* (*)();
  const auto config = reinterpret_cast<Text>(dlsym(RTLD_DEFAULT, "openblas_get_config"));
  if (!config) {
    if (dlsym(RTLD_DEFAULT, "MKL_Get_Version")) return "MKL";
    if (dlsym(RTLD_DEFAULT, "bli_info_get_version_str")) return "BLIS";
    return "reference BLAS (about five times slower: install libopenblas0-pthread)";
  }
  const std::string text = config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  const std::size_t first = text.find(' ');
  std::string result = text.substr(0, text.find(' ', first == std::string::npos ? first : first + 1));
  if (const auto core = reinterpret_cast<Text>(dlsym(RTLD_DEFAULT, "openblas_get_corename")))
    result += std::string(" (") + core() + ")";
  return result + ", 1 thread";
}

std::string solver_description() { return sparse_factor_description(); }

}  // namespace rigspace
