#pragma once
// Projects between runs of the studio, one file for each input, so that a restart loses nothing.

#include "project.h"

#include <filesystem>
#include <optional>

namespace rigspace::studio {

/// $RIGSPACE_STATE, else $XDG_STATE_HOME/rigspace, else ~/.local/state/rigspace; empty where there is none.
std::filesystem::path state_folder();

/// These throw nothing: a project that cannot be read or written is not kept.
std::optional<Project> kept_project(const std::filesystem::path& state, const std::string& file);
void keep_project(const std::filesystem::path& state, const Project& project);

/// The token of the last server on this port if it is younger than twelve hours, so that pages that are open find their
/// server again after a restart; otherwise a new one, which is kept, readable by its owner alone.
std::string token_for(const std::filesystem::path& state, int port);

}  // namespace rigspace::studio
