#pragma once
// Keys for a motion that was mapped frame by frame: at the times at which the animator of the motion had set keys, or,
// where the motion is sampled, few keys that are fitted.

#include "rigspace/anim/character.h"
#include "rigspace/base/progress.h"

#include <vector>

namespace rigspace {

inline constexpr double kMappedKeyTolerance = 2e-3;  ///< share of the height

struct MappedKeys {
  Animation clip;            ///< cubic keys
  bool from_source = false;  ///< at the source's key times; otherwise fitted
  int kept_times = 0;        ///< of the source
  int added_times = 0;       ///< between them, where a cubic from one to the next was farther off than the tolerance
  double error = 0;  ///< largest distance of the surface from that of the frames, at the frames, share of the height
};

/// Whether somebody set the keys of a motion: there are at most half as many times with keys as frames.
bool has_key_times(const Animation& source, int frames);

/// `frames`: a clip of `own`, a key a frame. `source`: the motion that it was mapped from; null: it has no keys. Law:
/// error <= tolerance (share of the height); all key times of the source within the clip have a key in each track that
/// moves.
MappedKeys with_mapped_keys(const Character& own, const Animation& frames, const Animation* source,
                            double tolerance = kMappedKeyTolerance, const ProgressCallback& progress = {});

}  // namespace rigspace
