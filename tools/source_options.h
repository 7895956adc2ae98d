#pragma once
// The options of commands that take a character: FILE, --object, --rig-process.

#include "command.h"

#include "rigspace/jobs/character_source.h"

namespace rigspace::tools {

/// FILE, --rig-process and what belongs to it.
void add_source(CLI::App&, CharacterSource&);
/// The same without FILE.
void add_process_source(CLI::App&, CharacterSource&);

/// Loads it; repairs are reported on standard error, unless the answer is JSON.
Character load(const CharacterSource&, const Context&);

/// At the end of a command: each time that the process had to be started again, in the same way.
void print_incidents(const Context&, const Character&);

}  // namespace rigspace::tools
