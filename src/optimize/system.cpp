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

// Which BLAS answers is decided by the machine (Debian's alternatives), not by us: so ask at run time.
void use_single_threaded_blas() {
  static std::once_flag once;
  std::call_once(once, [] {
    using SetThreads = void (*)(int);
    if (const auto set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) set(1);
  });
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
