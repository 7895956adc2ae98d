#pragma once
// How messages name the parts of a plan, and how errors get the part's origin.

#include "rigspace/base/error.h"
#include "rigspace/rig/rig_plan.h"

#include <array>
#include <string>
#include <string_view>

namespace rigspace {

/// A part of the plan, as messages name it: ik "leg_l".
struct Who {
  std::string_view what;
  const std::string& name;
  const std::string& origin;
};

inline std::string quoted(const std::string& name) { return "\"" + name + "\""; }

inline Who who(const plan::Node& part) { return {"node", part.name, part.origin}; }
inline Who who(const plan::Point& part) { return {"point", part.name, part.origin}; }
inline Who who(const plan::Driver& part) { return {"driver", part.name, part.origin}; }
inline Who who(const plan::Constraint& part) { return {"constraint on", part.name, part.origin}; }
inline Who who(const plan::Ik& part) { return {"ik", part.name, part.origin}; }
inline Who who(const plan::FootRoll& part) { return {"foot roll", part.name, part.origin}; }
inline Who who(const plan::SplineChain& part) { return {"spline chain", part.name, part.origin}; }
inline Who who(const plan::PoseWeights& part) { return {"pose weights", part.name, part.origin}; }
inline Who who(const plan::HelperJoint& part) { return {"helper joint", part.name, part.origin}; }
inline Who who(const plan::Deformer& part) { return {"deformer", part.name, part.origin}; }

/// Calls body(). An Error that names no file gets the name of the part and the place where it was read.
template <class Body>
auto with_origin(const Who& who, Body&& body) {
  try {
    return body();
  } catch (const Error& error) {
    if (!error.info().file.empty()) throw;
    ErrorInfo info = error.info();
    const std::string part = std::string(who.what) + " " + quoted(who.name);
    if (info.element.find(who.name) == std::string::npos) info.element = part + ": " + info.element;
    info.file = who.origin;
    info.code = ErrorCode::bad_input;
    throw Error(info);
  }
}

/// The channels of a node, in the order of its controls.
inline constexpr std::array<const char*, 13> kNodeChannels{"tx", "ty", "tz", "qx", "qy", "qz", "qw",
                                                           "rx", "ry", "rz", "sx", "sy", "sz"};

}  // namespace rigspace
