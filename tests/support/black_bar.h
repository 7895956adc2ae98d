#pragma once
// The cast's bar, small, and the same as a black box.

#include "rigspace/cast/cast.h"
#include "rigspace/rig/black_box.h"

#include <memory>
#include <numeric>
#include <set>
#include <string>

namespace rigspace {

/// The bar of its proxy alone.
inline Character small_bar() {
  Character bar = make_character("bar");
  const std::shared_ptr<const Rig> whole = bar.rig;
  Piece piece = *proxy_of(bar);
  std::vector<int> points(static_cast<std::size_t>(piece.point_count));
  std::iota(points.begin(), points.end(), piece.first_point);
  bar.rig = whole->restricted(points);
  for (Triangle& triangle : piece.triangles)
    for (int& corner : triangle) corner -= piece.first_point;
  piece.first_point = 0, piece.drawn = true;
  bar.pieces = {piece};
  bar.bones.clear();
  return bar;
}

/// Distinct poses that a rig evaluated: the cost with a cache.
using AskedPoses = std::set<std::string>;

/// The same points by the same controls, no derivatives.
inline Character as_black_box(Character character, const std::shared_ptr<AskedPoses>& asked = nullptr) {
  BlackBoxDescription box{.name = character.name};
  box.controls.assign(character.rig->controls().begin(), character.rig->controls().end());
  box.point_count = character.rig->point_count();
  box.noise = 0;
  box.evaluate = [rig = character.rig, asked](In p, Vec& s) {
    if (asked) asked->emplace(reinterpret_cast<const char*>(p.data()), sizeof(double) * p.size());
    rig->evaluate(*rig->make_workspace(), p, s);
  };
  character.rig = std::make_shared<BlackBoxRig>(box);
  return character;
}

}  // namespace rigspace
