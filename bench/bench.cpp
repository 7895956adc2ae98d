#include "bench.h"

#include "rigspace/base/parallel.h"
#include "rigspace/base/types.h"
#include "rigspace/optimize/system.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>

namespace rigspace::bench {
namespace {

constexpr Suite kSuites[] = {
    {"rigs", "evaluation, Jacobians and display skinning of built-in rigs", bench_rigs},
    {"step", "one Newton iteration of rig-space physics at the size of the papers' belly", bench_step},
    {"rsp", "table 1 of Rig-Space Physics: every scene, rigs built in and black, Newton and BFGS", bench_rsp},
    {"fast", "table 4.1 of the Thesis, the same character at 1 k to 1 M vertices, and affine handles", bench_fast},
    {"realtime", "a frame of a game: cost, memory and distance from simulate, at each level of detail", bench_realtime},
    {"blender", "a Rigify human hosted in Blender: what the fast method and that of 2012 ask of it", bench_blender},
    {"sketch", "table 5.1 of the Thesis: one sketch solve, ours and as printed", bench_sketch},
    {"sketch-accuracy", "200 random poses a character, drawn with an unsteady hand and recovered",
     bench_sketch_accuracy},
    {"inverse", "table 1 of IRM on a hound: script, regression, learned and computed Jacobians, ours; other characters",
     bench_inverse},
    {"cloth", "a sheet on a sphere at 3.7 k and 10 k vertices, against Blender's cloth", bench_cloth},
    {"forces", "flesh shaped by forces: drags and poses a second, how far the linear system is from the solid",
     bench_forces},
    {"weights", "skin weights of real characters by five methods, against the artists' over all clips", bench_weights},
    {"reach", "IK by FABRIK, cyclic descent, damped least squares and the rig's own: iterations, time, distance",
     bench_reach},
    {"mesh", "tetrahedral bodies of all real characters", bench_mesh},
};

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string instruction_set() {
#if defined(__AVX512F__)
  return "avx512";
#elif defined(__AVX2__)
  return "avx2";
#else
  return "sse2";
#endif
}

}  // namespace

std::span<const Suite> suites() { return kSuites; }

Timing measure(double seconds, const std::function<void()>& body) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  body();  // warm-up: the first touch of memory and caches is not measured
  std::vector<double> times;
  const auto start = Clock::now();
  while (times.size() < 5 || since(start) < seconds) {
    const auto begin = Clock::now();
    body();
    times.push_back(since(begin));
  }
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2], static_cast<int>(times.size())};
}

nlohmann::ordered_json timing_json(const Timing& timing) {
  return {{"min", timing.min}, {"median", timing.median}, {"n", timing.n}};
}

nlohmann::ordered_json machine_json() {
  const int size = 512;
  const Mat A = Mat::Random(size, size), B = Mat::Random(size, size);
  Mat C(size, size);
  const Timing product = measure(0.2, [&] { C.noalias() = A * B; });
  std::vector<char> from(1 << 26, 1), to(1 << 26);
  const Timing copy = measure(0.2, [&] { std::memcpy(to.data(), from.data(), from.size()); });
  return {{"cpu", cpu_name()},
          {"isa", instruction_set()},
          {"threads", thread_count()},
          {"blas", "Eigen for dense products"},
          {"solver", solver_description()},
          {"dgemm_gflops", 2e-9 * size * size * size / product.min},
          {"copy_gb_per_s", 1e-9 * static_cast<double>(from.size()) / copy.min}};
}

}  // namespace rigspace::bench
