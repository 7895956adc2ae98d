#include "rigspace/apps/physics/part_stiffness.h"

#include "rigspace/base/error.h"

#include <charconv>
#include <cmath>

namespace rigspace {

void set_stiffness(const Character& character, std::span<Part> parts, std::string_view text) {
  const auto equals = text.rfind('=');
  const std::string_view pattern = text.substr(0, equals);
  const std::string_view number = equals == std::string_view::npos ? "" : text.substr(equals + 1);
  const auto refuse = [&](std::string_view value, const char* problem, const char* remedy) {
    throw Error({.code = ErrorCode::usage,
                 .file = character.name,
                 .element = "stiffness \"" + std::string(text) + "\"",
                 .value = std::string(value),
                 .problem = problem,
                 .remedy = remedy});
  };
  double scale = 0;
  const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), scale);
  if (problem != std::errc() || end != number.data() + number.size() || !(scale > 0) || !std::isfinite(scale))
    refuse(number, "has no positive number", "write 'CONTROL=4'; 1 is as stiff as the whole");
  bool met = false;
  for (Part& part : parts)
    for (std::size_t k = 0; k < part.controls.size(); ++k) {
      const Control& control = character.rig->controls()[part.controls[k]];
      if (!matches(control, pattern) && !matches_pattern(control.group, pattern)) continue;
      part.stiffness.resize(part.controls.size(), 1);
      part.stiffness[k] = scale, met = true;
    }
  if (!met)
    refuse(pattern, "matches no control of a part",
           "parts that move controls of a rig have them: `rigspace info --controls` lists all");
}

}  // namespace rigspace
