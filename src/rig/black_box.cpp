#include "rigspace/rig/black_box.h"

#include "rig_arguments.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/differences.h"

namespace rigspace {

void BlackBoxDescription::validate() const {
  const auto fail = [&](std::string element, std::string problem, std::string remedy) {
    throw Error(
        {.file = name, .element = std::move(element), .problem = std::move(problem), .remedy = std::move(remedy)});
  };
  if (!evaluate) fail("evaluate", "is empty", "give a callable");
  if (point_count < 0) fail("point_count", "is " + std::to_string(point_count), "give the number of points");
  for (const Control& control : controls) {
    const std::string element = "control \"" + control.name + "\"";
    if (!(control.typical > 0))
      fail(element, "has a typical change of " + std::to_string(control.typical), "give a positive one");
    if (!(control.min <= control.rest && control.rest <= control.max))
      fail(element, "rests at " + std::to_string(control.rest) + ", outside its limits",
           "widen the limits or move the rest value");
  }
}

BlackBoxRig::BlackBoxRig(BlackBoxDescription description) : description_(std::move(description)) {
  description_.validate();
  if (description_.noise < 0) {
    description_.noise = 0;
    const auto workspace = make_workspace();
    description_.noise = estimate_noise(*this, *workspace, rest());
  }
}

void BlackBoxRig::evaluate(Workspace&, In p, Vec& s) const {
  require_pose(p, controls().size());
  const Eigen::Index expected = 3 * static_cast<Eigen::Index>(description_.point_count);
  s.resize(expected);
  ++evaluations_;
  description_.evaluate(p, s);
  if (s.size() != expected)
    throw Error({.code = ErrorCode::external_process,
                 .file = description_.name,
                 .value = std::to_string(s.size()),
                 .problem = "answered " + std::to_string(s.size()) + " coordinates",
                 .remedy = "it promised " + std::to_string(expected)});
  if (!s.allFinite()) {
    Eigen::Index bad = 0;
    while (std::isfinite(s[bad])) ++bad;
    throw Error({.code = ErrorCode::external_process,
                 .file = description_.name,
                 .element = "point " + std::to_string(bad / 3),
                 .problem = "is not finite",
                 .remedy = "check the rig at these control values"});
  }
}

}  // namespace rigspace
