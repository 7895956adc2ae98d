#pragma once
// A character's file with a pose or a motion added to it as a clip.

#include "rigspace/jobs/character_source.h"

#include <span>
#include <string>

namespace rigspace {

/// `output`: .glb or .gltf. A document is kept and the clips added; other rigs are played out as joints and shapes,
/// where a clip of no duration is held for a frame of 1 / fps.
void write_posed_model(const std::string& output, const CharacterSource& source, const Character& character,
                       std::span<const Animation> clips, double fps);
inline void write_posed_model(const std::string& output, const CharacterSource& source, const Character& character,
                              const Animation& clip, double fps) {
  write_posed_model(output, source, character, std::span(&clip, 1), fps);
}

}  // namespace rigspace
