#include "licences.h"

#include "rigspace/base/version.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigspace::tools {
namespace {

/// `how`: compiled in (headers, or text that is in its pages), or the shared library that is loaded.
struct Work {
  const char *name, *licence, *how, *use;
};

constexpr Work kWorks[] = {
    {"Eigen", "MPL-2.0", "compiled in", "vectors and matrices"},
    {"nlohmann-json", "MIT", "compiled in", "JSON"},
    {"CLI11", "BSD-3-Clause", "compiled in", "the command line"},
    {"Boost.Beast, Boost.Asio", "BSL-1.0", "compiled in", "the studio's server"},
    {"stb_image", "MIT OR Unlicense", "compiled in", "JPEG"},
    {"xxHash", "BSD-2-Clause", "compiled in", "checksums"},
    {"LBFGSpp", "MIT", "compiled in", "bounded minimisation"},
    {"Spectra", "MPL-2.0", "compiled in", "eigenvalues of sparse matrices"},
    {"three.js", "MIT", "compiled in", "pages"},
    {"oneTBB", "Apache-2.0", "libtbb", "threads"},
    {"METIS", "Apache-2.0", "libmetis", "ordering of sparse matrices"},
    {"Embree", "Apache-2.0", "libembree3", "pictures"},
    {"libpng", "libpng-2.0", "libpng16", "pictures"},
    {"zlib", "Zlib", "libz", "pictures"},
    {"fmt", "MIT", "libfmt", "text"},
    {"libstdc++, libgcc, libquadmath, libgfortran, libgomp", "GPL-3.0-or-later WITH GCC-exception-3.1",
     "libstdc++ libgcc_s libquadmath libgfortran libgomp", "the compiler's own"},
    {"glibc", "LGPL-2.1-or-later", "libc libm ld-linux-x86-64 ld-linux-aarch64", "the system's own"},
#ifdef RIGSPACE_WITH_CHOLMOD
    {"CHOLMOD", "LGPL-2.1-or-later AND GPL-2.0-or-later", "libcholmod", "sparse matrices"},
    {"AMD, COLAMD, CAMD, CCOLAMD, SuiteSparse_config", "BSD-3-Clause",
     "libamd libcolamd libcamd libccolamd libsuitesparseconfig", "loaded by CHOLMOD"},
    {"OpenBLAS, BLAS, LAPACK", "BSD-3-Clause", "libopenblas libblas liblapack", "loaded by CHOLMOD"},
#endif
};

bool is_gpl(const Work& work) {
  const std::string_view licence = work.licence;
  return licence.find("GPL-2.0") != licence.npos && licence.find("LGPL-2.1-or-later AND") != licence.npos;
}

void print(const Context& context) {
  const bool gpl = std::any_of(std::begin(kWorks), std::end(kWorks), is_gpl);
  const char* whole = gpl ? "GPL-2.0-or-later" : "Apache-2.0";
  if (context.json) {
    nlohmann::ordered_json answer = {
        {"rigspace", version()}, {"licence", "Apache-2.0"}, {"as_a_whole", whole}, {"works", nlohmann::json::array()}};
    for (const Work& work : kWorks)
      answer["works"].push_back({{"name", work.name}, {"licence", work.licence}, {"how", work.how}, {"use", work.use}});
    fmt::print("{}\n", answer.dump(2));
    return;
  }
  fmt::print("rigspace {} is under Apache-2.0; this program as a whole under {}.\n\n", version(), whole);
  for (const Work& work : kWorks) fmt::print("{}: {}\n  {}; {}\n", work.name, work.licence, work.use, work.how);
}

}  // namespace

void add_licences(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("licences", "What this program is made of, and under which terms");
  command->callback([&context] { print(context); });
  command->footer("Example\n  rigspace licences --json");
}

}  // namespace rigspace::tools
