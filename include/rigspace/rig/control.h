#pragma once
// What an animator turns.

#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace rigspace {

enum class Unit {
  scalar,      ///< a plain number: morph weights, switches
  length,      ///< units of the scene
  angle,       ///< radians inside, degrees at the surface
  scale,       ///< a factor, resting at 1
  quaternion,  ///< a component of a keyed orientation; set by clips, never simulated, hidden from lists
};

std::string_view name(Unit);

/// Names follow one scheme everywhere: `<node>.tx|ty|tz|rx|ry|rz|sx|sy|sz`, `<mesh node>:<morph>`, or the rig file's
/// own.
struct Control {
  std::string name;
  std::string node;  ///< the node it belongs to; patterns match the control or its node
  Unit unit = Unit::scalar;
  double rest = 0;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string group = {};  ///< for lists and pickers; where a rig has groups, a control without one is internal
  double typical = 1;      ///< an ordinary change, in the unit: scales difference steps and solver variables; positive
};

/// Index of the control with this name, or -1.
int find_control(std::span<const Control> controls, std::string_view name);

/// True if `pattern`, with * and ? as wildcards, matches the control's name or its node's.
bool matches(const Control& control, std::string_view pattern);

/// The same for any text; case matters.
bool matches_pattern(std::string_view text, std::string_view pattern);

}  // namespace rigspace
