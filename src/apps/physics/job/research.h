#pragma once
// Files for research with --paper: a table of the steps (--report), and the arrays of body and motion (--dump).

#include "rigspace/apps/physics/paper.h"

#include <filesystem>

namespace rigspace {

struct ResearchFiles {
  std::filesystem::path report;  ///< .csv; empty: none
  std::filesystem::path dump;    ///< .npz; empty: none

  bool any() const { return !report.empty() || !dump.empty(); }
};

/// Throws Error unless the names end in .csv and .npz.
void require_endings(const ResearchFiles& files);

void write_research(const ResearchFiles& files, const PaperRun& run);

}  // namespace rigspace
