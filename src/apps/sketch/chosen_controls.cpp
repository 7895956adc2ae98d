#include "rigspace/apps/sketch/chosen_controls.h"

#include "rigspace/base/error.h"

#include <algorithm>

namespace rigspace {

std::vector<int> chosen_controls(const Rig& rig, std::span<const std::string> free, std::span<const std::string> keep) {
  std::vector<int> chosen;
  if (free.empty() && keep.empty()) return chosen;
  const auto meets = [](const Control& control, std::span<const std::string> patterns) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& each) { return matches(control, each); });
  };
  const std::span<const Control> controls = rig.controls();
  for (int c = 0; c < static_cast<int>(controls.size()); ++c) {
    const Control& control = controls[c];
    if (control.unit == Unit::quaternion || meets(control, keep)) continue;
    if (free.empty() ? control.unit == Unit::angle : meets(control, free)) chosen.push_back(c);
  }
  if (chosen.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = free.empty() ? "--keep" : "--free",
                 .problem = "leaves no control",
                 .remedy = "`rigspace info` lists their names"});
  return chosen;
}

}  // namespace rigspace
