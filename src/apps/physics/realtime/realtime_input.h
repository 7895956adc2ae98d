#pragma once
// Private to physics: a character's file as a subject without an output, for real time.

#include "job/subject.h"

#include <filesystem>
#include <memory>
#include <utility>

namespace rigspace {

/// As open_subject, without an output. The second is true where the rig's own controls are simulated.
std::pair<std::unique_ptr<Subject>, bool> open_realtime_input(const std::filesystem::path& path);

}  // namespace rigspace
