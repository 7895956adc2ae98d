#pragma once
// Many characters in one call: each is simulated and measured, and one page shows them all. A file that cannot be
// simulated does not stop the others; a batch that was stopped continues with the characters that are not finished.

#include "rigspace/apps/physics/result_check.h"
#include "rigspace/apps/physics/simulate.h"
#include "rigspace/pages/batch_page.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rigspace {

/// One character of a batch.
struct BatchEntry {
  std::string input;                   ///< its file
  std::string result, page;            ///< what was written; empty if nothing was
  std::string failure;                 ///< one sentence: why there is no result; empty if there is one
  std::vector<BatchPart> parts;        ///< simulated parts, each with the reason why it was chosen
  std::vector<std::string> notes;      ///< of the plan, and faults it recovered from, one sentence each
  std::vector<ClipCheck> clips;        ///< measured on the skin
  std::vector<std::string> loop_rule;  ///< per clip: the rule that decided between loop and one-shot
  double seconds = 0;                  ///< how long the run took
  bool kept = false;                   ///< made by an earlier batch from the same file and options

  bool passes() const;  ///< has a result, and no clip has a problem
};

struct BatchResult {
  std::vector<BatchEntry> entries;     ///< in the order of the inputs
  std::filesystem::path page, record;  ///< batch.soft.html and batch.soft.json
};

/// The characters in some files and folders, sorted within each folder: folders are searched with those below them;
/// results of earlier runs, motion without a skin (.bvh) and hidden folders are left out. Throws Error for a name that
/// is not there, and where nothing is found.
std::vector<std::filesystem::path> batch_inputs(const std::vector<std::string>& files_and_folders);

/// Simulates every input with the same request. `output`: a folder for all results, made if need be; empty: each beside
/// its input, and the page in the folder that all inputs are in. Results whose file, options, folder settings and
/// program are those of an earlier batch are not made again. Throws Error if the page cannot be written, and Cancelled;
/// what was finished stays.
BatchResult simulate_batch(const std::vector<std::filesystem::path>& inputs, const SimulationRequest& request,
                           const std::filesystem::path& output, const JobEvents& events = {});

/// "Fox.glb: 3 of 3 clips pass; tail, belly (4.1 s)", and a line a problem.
std::string entry_in_words(const BatchEntry& entry);

}  // namespace rigspace
