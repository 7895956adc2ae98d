#include "rigspace/apps/physics/clip_fix.h"

#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/jobs/clip_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace rigspace {
namespace {

[[noreturn]] void refuse(const FixPlace& place, const Track& track, std::string value, std::string problem,
                         std::string remedy) {
  throw Error({.file = place.file,
               .element = "fix of clip \"" + place.clip + "\": control \"" + track.control + "\"",
               .value = std::move(value),
               .problem = std::move(problem),
               .remedy = std::move(remedy)});
}

}  // namespace

const Curve* ClipFix::curve_of(std::string_view control) const {
  const auto found = std::find_if(tracks.begin(), tracks.end(), [&](const Track& t) { return t.control == control; });
  return found != tracks.end() ? &found->curve : nullptr;
}

void ClipFix::set(std::string_view control, Curve curve) {
  const auto found = std::find_if(tracks.begin(), tracks.end(), [&](const Track& t) { return t.control == control; });
  if (curve.times.empty()) {
    if (found != tracks.end()) tracks.erase(found);
  } else if (found != tracks.end()) {
    found->curve = std::move(curve);
  } else {
    tracks.push_back({std::string(control), std::move(curve)});
  }
}

std::vector<ClipFix> fixes_of(const FixFile& file, std::span<const std::string> clips,
                              std::span<const std::string> others) {
  std::vector<std::string> names(clips.begin(), clips.end());
  names.insert(names.end(), others.begin(), others.end());
  std::vector<std::optional<ClipFix>> fixes(names.size());
  for (const FixFile::Clip& each : file.clips)
    for (const int k : clips_meant(names, each.clip, file.name, "character")) {
      if (fixes[static_cast<std::size_t>(k)])
        throw Error({.file = file.name,
                     .element = "clip \"" + each.clip + "\"",
                     .value = each.clip,
                     .problem = "has corrections twice",
                     .remedy = "put all of a clip into one entry"});
      fixes[static_cast<std::size_t>(k)] = each.fix;
    }
  std::vector<ClipFix> result;
  for (std::size_t k = 0; k < clips.size(); ++k) result.push_back(fixes[k].value_or(ClipFix{}));
  return result;
}

void check_fix(const ClipFix& fix, std::span<const Control> controls, const FixPlace& place) {
  for (const Track& track : fix.tracks) {
    const int control = find_control(controls, track.control);
    if (control < 0) {
      std::vector<std::string> names;
      for (const Control& each : controls)
        if (each.unit != Unit::quaternion) names.push_back(each.name);
      refuse(place, track, track.control, "does not exist",
             suggestion(track.control, names, "`rigspace info --controls` lists them; soft joints are in the result"));
    }
    if (controls[control].unit == Unit::quaternion)
      refuse(place, track, track.control, "is a component of an orientation",
             "corrections turn a node by its " + controls[control].node + ".rx, .ry and .rz, degrees");
    const double slack = place.frame_rate > 0 ? 1.5 / place.frame_rate : 0;
    for (const double time : {track.curve.times.front(), track.curve.times.back()})
      if (time < -1e-6 || time > place.duration + slack)
        refuse(place, track, std::to_string(time), fmt::format("has a key at {:.6g} s", time),
               fmt::format("the clip is from 0 to {:.6g} s", place.duration));
  }
}

}  // namespace rigspace
