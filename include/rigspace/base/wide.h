#pragma once
// Kernels for AVX2 in a build for lesser processors, chosen when the program runs.

namespace rigspace {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__AVX2__)

/// Whether kernels run as AVX2 code; false where the processor lacks it. The two round differently (fused products):
/// docs/realtime.md, "one file for the game". To be changed between steps only, and to true only where it was.
inline bool wide_kernels = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");

namespace detail {
/// All that the body calls is inlined, and so compiled for AVX2 here; vectors of four doubles are one register then.
template <class Body>
__attribute__((target("avx2,fma"), flatten, noinline)) void run_wide(const Body& body) {
  body();
}
}  // namespace detail

/// Runs a body that is a loop of arithmetic. Its functions must be inline, and throw nothing.
template <class Body>
inline void widest(const Body& body) {
  if (wide_kernels)
    detail::run_wide(body);
  else
    body();
}

#else  // the build has it throughout, or the processor is another

template <class Body>
inline void widest(const Body& body) {
  body();
}

#endif

}  // namespace rigspace
