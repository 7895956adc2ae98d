// Modes in a rig that is written down: sliders, and drivers that add to the channels.

#include "rigspace/anim/mode_rig.h"
#include "rigspace/base/error.h"

#include <array>
#include <charconv>
#include <numbers>

namespace rigspace {
namespace {

constexpr int kMostModes = 60;  // a driver reads at most 64 names

/// The shortest text that reads back as the same number.
std::string shortest(double number) {
  std::array<char, 32> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

/// A name as an expression spells it, whatever characters it has.
std::string in_quotes(const std::string& name) {
  std::string result = "'";
  for (const char c : name) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

}  // namespace

RigPlan slider_parts(const ControlModes& modes, std::span<const Control> controls, const SliderOptions& options) {
  if (modes.count() > kMostModes)
    throw Error({.element = "modes",
                 .value = std::to_string(modes.count()),
                 .problem = "are " + std::to_string(modes.count()),
                 .remedy = "at most " + std::to_string(kMostModes) + " can be sliders"});
  RigPlan parts;
  parts.controls = mode_controls(modes, options);
  for (const Control& slider : parts.controls)
    if (find_control(controls, slider.name) >= 0)
      throw Error({.element = "mode \"" + slider.name + "\"",
                   .value = slider.name,
                   .problem = "has the name of a control of the rig",
                   .remedy = "give the modes another name"});
  for (std::size_t i = 0; i < modes.controls.size(); ++i) {
    const Control& control = controls[modes.controls[i]];
    // Expressions work in surface units.
    const double unit = control.unit == Unit::angle ? 180 / std::numbers::pi : 1;
    std::string text;
    for (int k = 0; k < modes.count(); ++k) {
      const auto row = static_cast<Eigen::Index>(i);
      const double factor = unit * modes.scale[row] * modes.U(row, k);
      if (factor == 0) continue;
      text += (text.empty() ? "" : " + ") + shortest(factor) + " * " + in_quotes(parts.controls[k].name);
    }
    if (!text.empty())
      parts.drivers.push_back({.name = control.name, .mode = plan::Driver::Mode::add, .expression = text});
  }
  return parts;
}

void append_parts(RigPlan& plan, const RigPlan& parts) {
  plan.controls.insert(plan.controls.end(), parts.controls.begin(), parts.controls.end());
  plan.drivers.insert(plan.drivers.end(), parts.drivers.begin(), parts.drivers.end());
}

}  // namespace rigspace
