#pragma once
// Points of a character's drawn surface, chosen by where they are at rest.

#include "rigspace/anim/character.h"

namespace rigspace {

/// All points of the rig at p, scene space, flattened.
inline Vec points_at(const Character& character, In p) {
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), p, s);
  return s;
}

/// The drawn point for which `score` of its rest position is largest; the first of equals.
template <class Score>
int best_drawn_point(const Character& character, const Score& score) {
  const Vec s = points_at(character, character.rig->rest());
  int best = character.pieces.front().first_point;
  for (const Piece& piece : character.pieces)
    for (int i = piece.first_point; piece.drawn && i < piece.first_point + piece.point_count; ++i)
      if (score(Vec3(point(s, i))) > score(Vec3(point(s, best)))) best = i;
  return best;
}

/// The drawn point farthest in a direction.
inline int farthest_drawn_point(const Character& character, const Vec3& direction) {
  return best_drawn_point(character, [&](const Vec3& x) { return x.dot(direction); });
}

/// The drawn point nearest to a place in scene space.
inline int nearest_drawn_point(const Character& character, const Vec3& place) {
  return best_drawn_point(character, [&](const Vec3& x) { return -(x - place).norm(); });
}

}  // namespace rigspace
