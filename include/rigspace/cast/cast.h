#pragma once
// Characters that come with the library, made in code: no files, no downloads, the same bits every time.

#include "rigspace/anim/character.h"
#include "rigspace/io/rig_file.h"

#include <span>
#include <string_view>

namespace rigspace {

struct CastMember {
  std::string_view name;         ///< what make_character takes
  std::string_view description;  ///< one line, for lists
  /// Edge of the lattice cubes, metres, for which stuff() gives the member's proxy as many interior nodes as the papers
  /// have; 0: there is no proxy.
  double proxy_cell;
};

std::span<const CastMember> cast();

/// Both versions of a member have one rest space, and clips with the same values on the controls that both have.
/// But for the hound: as `rig` its clips are keyed on controls that joints alone lack, as `skeleton` on its joints.
enum class Version {
  rig,       ///< as an artist would rig it: deformers, IK, drivers
  skeleton,  ///< what glTF can hold: joints and morph targets alone, chains of joints in place of deformers
};

/// A character in metres, Y up, facing +Z, feet on y = 0; its rig is a BuiltInRig. Members that stand for scenes of the
/// papers carry, as `rig`, a piece "proxy" that is not drawn: one closed surface with as many points as theirs had,
/// moved by the same deformers. Throws Error, naming the cast, if there is none of this name.
Character make_character(std::string_view name, Version version = Version::rig);

/// The same, version `rig`, with the plan of its rig: what a rig file is written from.
RiggedCharacter make_rigged_character(std::string_view name);

/// The piece "proxy", or nullptr.
const Piece* proxy_of(const Character& character);

}  // namespace rigspace
