#pragma once
// What researchers ask of a run with --paper: a table of its steps, and the arrays that it was made of.

#include "rigspace/apps/physics/paper.h"

#include <filesystem>

namespace rigspace {

struct ResearchFiles {
  std::filesystem::path report;  ///< .csv; empty: none
  std::filesystem::path dump;    ///< .npz; empty: none

  bool any() const { return !report.empty() || !dump.empty(); }
};

/// Throws Error if a name has another ending.
void require_endings(const ResearchFiles& files);

void write_research(const ResearchFiles& files, const PaperRun& run);

}  // namespace rigspace
