#pragma once
// What the programs of figures share: a folder for the pictures, and one sentence where something goes wrong.

#include "rigspace/base/error.h"

#include <cstdio>
#include <exception>
#include <filesystem>

/// `draw(folder)` is true if the numbers prove the figure. The folder is the program's only argument.
template <class Draw>
int run_figure(int count, char** arguments, const Draw& draw) {
  const std::filesystem::path folder = count > 1 ? arguments[1] : "docs/figures";
  try {
    if (!std::filesystem::is_directory(folder))  // said at once, not after minutes of work
      throw rigspace::Error({.code = rigspace::ErrorCode::usage,
                             .file = folder,
                             .problem = "is no folder",
                             .remedy = "make it, or name another for the pictures"});
    return draw(folder) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
