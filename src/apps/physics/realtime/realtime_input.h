#pragma once
// Private to physics: a character's file as a subject without an output, for real time.

#include "job/subject.h"
#include "rigspace/apps/physics/realtime_rig.h"

#include <filesystem>
#include <functional>
#include <memory>

namespace rigspace {

/// Which file is loaded, and the settings given for it.
struct RealtimePlan {
  SimulationRequest request;
  std::function<void(std::vector<Part>&)> change = {};  ///< what else is done to the parts; may be empty
  /// Whether a file may end without parts: a result, whose soft clips are there already, and a rig of which no control
  /// sounds like a part. A note says so.
  bool may_rest = false;
};

/// A file with its parts planned as `rigspace simulate` plans them.
struct RealtimeInput {
  std::unique_ptr<Subject> subject;
  bool on_controls = false;  ///< the rig's own controls are simulated
  Recipe recipe;             ///< options and parts
};

/// As open_subject and plan_simulation, without an output and clips.
RealtimeInput open_realtime_input(const std::filesystem::path& path, const RealtimePlan& plan,
                                  std::vector<std::string>& notes);

/// Makes the parts of the input (Subject::prepare) and their model; null where there is no part. Unit from the recipe.
/// `tune_on`: name of a clip, or empty.
std::shared_ptr<const RealtimeModel> make_realtime_model(RealtimeInput& input, RealtimeOptions options,
                                                         const std::string& tune_on, std::vector<std::string>& notes,
                                                         const ProgressCallback& progress);

}  // namespace rigspace
