#pragma once
// Control values as what a page draws: local transforms of nodes and weights of morphs.

#include "rigspace/anim/character.h"

#include <array>
#include <string>
#include <vector>

namespace rigspace::studio {

/// The nodes of a character and where their controls are. A node's rotation is q exp(r): q keyed, r on top.
class PoseMap {
 public:
  explicit PoseMap(std::span<const Control> controls);

  const std::vector<std::string>& nodes() const { return names_; }    ///< in the order of the numbers
  const std::vector<std::string>& morphs() const { return morphs_; }  ///< likewise, "node:morph"
  std::size_t size() const { return 10 * names_.size() + morphs_.size(); }

  /// Appends, for each node, translation (3), rotation x y z w (4), scale (3); then the weights.
  void append(In p, std::vector<float>& numbers) const;
  /// The node's rx ry rz, or -1.
  int turn_of(std::string_view node) const;

 private:
  struct Node {
    std::array<int, 3> translation, turn, scale;  // -1: none
    std::array<int, 4> rotation;
  };
  std::vector<std::string> names_, morphs_;
  std::vector<Node> places_;
  std::vector<int> morph_places_;
};

}  // namespace rigspace::studio
