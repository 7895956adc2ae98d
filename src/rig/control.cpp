#include "rigspace/rig/control.h"

namespace rigspace {

std::string_view name(Unit unit) {
  switch (unit) {
    case Unit::scalar: return "scalar";
    case Unit::length: return "length";
    case Unit::angle: return "angle";
    case Unit::scale: return "scale";
    case Unit::quaternion: return "quaternion";
  }
  return "scalar";
}

int find_control(std::span<const Control> controls, std::string_view name) {
  for (std::size_t i = 0; i < controls.size(); ++i)
    if (controls[i].name == name) return static_cast<int>(i);
  return -1;
}

bool matches_pattern(std::string_view text, std::string_view pattern) {
  // Greedy, going back to the last star only: linear for all but adversarial patterns, and never recursive.
  std::size_t t = 0, p = 0, star = std::string_view::npos, after_star = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++t, ++p;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after_star = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++after_star;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool matches(const Control& control, std::string_view pattern) {
  return matches_pattern(control.name, pattern) || matches_pattern(control.node, pattern);
}

}  // namespace rigspace
