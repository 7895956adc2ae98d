#pragma once
// What every engine can play of any rig: joints, linear skins and morph targets.

#include "rigspace/anim/character.h"

namespace rigspace {

struct PlainOptions {
  double tolerance = 5e-4;  ///< largest distance of a point in any clip, as a share of the character's size
  double rate = 30;         ///< keys per second
  int most_shapes = 48;     ///< morph targets of one piece

  void validate() const;
};

struct Plain {
  Character character;
  double error = 0;  ///< the largest distance of a point at the keys of all clips, as a share of the size
  int shapes = 0;    ///< morph targets that were made
};

/// True if the rig is built of nodes, linear skins and blend shapes alone: nothing has to be played out.
bool is_plain(const Character& character);

/// The character's bones as plain nodes with keyed transforms (constraints, IK and drivers played out), its linear
/// skins as they are, and all that its other deformers do as morph targets under the skin: the principal components of
/// what is left, over all clips, as many as the tolerance needs. Pieces that joints and shapes move already keep their
/// shapes and the controls of these. Of a rig that is not built in everything becomes shapes.
Plain plain_character(const Character& character, const PlainOptions& options = {});

}  // namespace rigspace
