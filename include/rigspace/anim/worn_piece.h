#pragma once
// A piece that a character wears (a sweater, a cape), as every engine can play it: held by the character's own joints,
// with morph targets for all that a simulation does beyond that.
//
// At each time of a clip a point of the piece is at x. With A the blend of its joints, X its place at rest, the morph
// targets have to give
//   u = A^-1 x - X,
// which turns with the body and is therefore small and alike from pose to pose (Thesis 6.8). The targets are the
// principal components of u over all clips, as many as the tolerance needs; their weights are keyed at those times.

#include "rigspace/anim/character.h"
#include "rigspace/rig/deformer.h"

#include <span>
#include <string>
#include <vector>

namespace rigspace {

struct WornPiece {
  Piece look;  ///< name, triangles that count its points from 0, uv, colours; material into the character's
  Vec rest;    ///< its points, in scene units, where the character rests
  std::vector<std::vector<Influence>> influences;  ///< per point; joints are Character::bones, weights sum to 1
};

/// Where its points are during one clip.
struct PlayedPoints {
  std::string clip;
  std::vector<double> times;  ///< s, ascending
  std::vector<Vec> points;    ///< scene units, at each of those times
};

struct WornOptions {
  double tolerance = 0.002;  ///< largest distance of a point at the given times, as a share of the piece's size
  int most_shapes = 64;      ///< morph targets; more make many engines slow
  int max_influences = 4;    ///< joints of a point; the least go

  void validate() const;
};

struct Worn {
  Character character;  ///< with the piece as its last one; old controls and points keep their indices
  double error = 0;     ///< the largest distance of a point at the given times, scene units
  double size = 0;      ///< of the piece at rest: its longest side, scene units
  int shapes = 0;       ///< morph targets `<piece>:fold_01` ..
};

/// Throws Error for a rig that is not built in, a clip that the character lacks, a name that is taken, sizes that
/// differ and points that are not finite.
Worn with_worn_piece(const Character& character, const WornPiece& piece, std::span<const PlayedPoints> motions,
                     const WornOptions& options = {});

}  // namespace rigspace
