#pragma once
// The handshake: one line of JSON in which a process describes its rig.

#include "rigspace/anim/character.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

constexpr int kProcessProtocol = 1;
constexpr std::size_t kLongestHandshake = std::size_t{1} << 26;  ///< bytes

struct ProcessHandshake {
  std::string name;
  std::vector<Control> controls;
  int point_count = 0;
  double noise = -1;         ///< negative: not given
  bool jacobian = false;     ///< answers exact Jacobians
  bool some_points = false;  ///< answers for some of its points
  std::vector<Piece> pieces;
  std::vector<SurfaceMaterial> materials;
  std::vector<Bone> joints;                        ///< four points each, behind those of the pieces
  std::vector<Animation> clips;                    ///< on its controls
  std::vector<std::string> warnings;               ///< for people, one sentence each
  std::shared_ptr<const CharacterExtension> skin;  ///< see anim/bound_skin.h; null if not given
  std::string plain;  ///< JSON: what a plain rig is made of (blend_translation.h); empty if not given
};

/// Throws Error (external_process, or bad_input where the process itself reports the error) whose file is `source`.
ProcessHandshake parse_handshake(std::string_view line, const std::string& source);

/// The warnings of a process that is no rig but did something: {"rigspace": 1, "warnings": [..]}, or "error", as above.
std::vector<std::string> parse_notes(std::string_view line, const std::string& source);

/// Text that another program wrote, for a message: its first line, printable, at most 60 bytes, in quotes.
std::string quoted_line(std::string_view text);

}  // namespace rigspace
