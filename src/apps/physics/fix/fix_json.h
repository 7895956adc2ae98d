#pragma once
// Private to physics: corrections of a clip as JSON, the same in recipes and in files of their own.

#include "rigspace/apps/physics/clip_fix.h"
#include "rigspace/io/json_text.h"

#include <nlohmann/json.hpp>

namespace rigspace {

/// {"influence": 0.8, "mute": true, "curves": {"tail_02.rx": [[time, value, slope before, slope after], ..]}}; what is
/// as usual is left out.
nlohmann::ordered_json json_of(const ClipFix& fix);
/// Reads the same; `also` are further keys that the object may have.
ClipFix read_clip_fix(const Field& place, std::string_view also = {});

}  // namespace rigspace
