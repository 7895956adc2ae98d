#pragma once
// Finding controls by name, many at a time.

#include "rigspace/rig/control.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace rigspace::detail {

/// Refers to the controls' names: must not outlive them.
class ControlIndex {
 public:
  explicit ControlIndex(std::span<const Control> controls) {
    index_.reserve(controls.size());
    for (std::size_t i = 0; i < controls.size(); ++i) index_.emplace(controls[i].name, static_cast<int>(i));
  }

  /// The first control with this name, or -1.
  int find(std::string_view name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? -1 : found->second;
  }

  /// The controls `<node>.qx qy qz qw`, if all are there.
  std::optional<std::array<int, 4>> find_quaternion(const std::string& node) const {
    const std::array<int, 4> q{find(node + ".qx"), find(node + ".qy"), find(node + ".qz"), find(node + ".qw")};
    for (const int control : q) {
      if (control < 0) return std::nullopt;
    }
    return q;
  }

 private:
  std::unordered_map<std::string_view, int> index_;
};

}  // namespace rigspace::detail
