#pragma once
// A creature in a file, so that its parts can be drawn again or replaced later. docs/drawn-parts.md shows one.

#include "rigspace/apps/sketch/individual.h"

#include <string>

namespace rigspace {

/// {"rigspace": "creature", "version": 1, "parts of": "dragon", "camera": {..}, "parts": [{"kind", "probability", "on":
/// {"part", "bone"}, "values": {control: value that differs from rest; degrees for angles}, "strokes": [..]}, ..]}.
std::string to_creature_json(const Creature& creature);

/// The camera of such a file, which a Creature is made with, before its parts are read.
Camera creature_camera(const std::string& text, const std::string& name);
/// Puts the parts of the file into a creature. `name` is for messages. Throws Error, with the creature unchanged, for
/// what is no creature, another version, kinds, bones and controls that the database does not have.
void read_creature(std::string text, const std::string& name, Creature& creature);

}  // namespace rigspace
