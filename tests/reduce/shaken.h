#pragma once
// Bodies of the cast to be shaken: what the tests of training share.

#include "rigspace/cast/cast.h"
#include "rigspace/reduce/shaking.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace rigspace::testing {

struct ShakenBody {
  Character character;
  RigBody body;
  std::vector<int> free;

  /// The clip at times a step apart, free controls at rest.
  std::vector<Vec> poses(std::string_view clip, double from, double step, int count) const {
    std::vector<Vec> result;
    for (int k = 0; k < count; ++k) {
      Vec p = pose_at(character, character.clip(clip), from + step * k);
      for (const int c : free) p[c] = body.rig->controls()[c].rest;
      result.push_back(std::move(p));
    }
    return result;
  }
};

/// Where the body's ties carry its nodes in pose p.
inline Vec carried(const RigBody& body, In p) {
  Vec s, x;
  body.rig->evaluate(*body.rig->make_workspace(), p, s);
  body.ties.apply(s, x);
  return x;
}

/// Free are the lengths, or angles, of nodes whose names begin so.
inline ShakenBody shaken_body(std::string_view member, std::string_view nodes, Unit unit) {
  double cell = 0;
  for (const CastMember& each : cast())
    if (each.name == member) cell = each.proxy_cell;
  ShakenBody result{.character = make_character(member)};
  result.body = make_rig_body(result.character, {.cell = cell, .use_cache = true});
  for (int c = 0; c < static_cast<int>(result.body.rig->controls().size()); ++c) {
    const Control& control = result.body.rig->controls()[c];
    if (control.node.starts_with(nodes) && control.unit == unit) result.free.push_back(c);
  }
  return result;
}

/// A bar whose left half bends.
inline ShakenBody shaken_bar() { return shaken_body("bar", "left", Unit::angle); }

}  // namespace rigspace::testing
