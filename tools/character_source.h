#pragma once
// Where a command's character comes from: a file, which may be Blender's, or a rig in another process.

#include "command.h"

#include <string>
#include <vector>

namespace rigspace::tools {

struct CharacterSource {
  std::string file;
  std::string object;   ///< of a .blend: the mesh; empty: the largest that is rigged
  std::string command;  ///< of --rig-process; instead of a file
  int processes = 0;    ///< see ProcessRigOptions
  double timeout = 60;  ///< seconds of silence

  /// FILE, --rig-process and what belongs to it.
  void add_to(CLI::App&);
  /// The same without FILE.
  void add_process_to(CLI::App&);

  /// Whether the file is a .blend.
  bool is_blend() const;
  /// What messages call it.
  const std::string& name() const { return command.empty() ? file : command; }

  /// Throws Error unless there is one of file and command; starts the command where there is one. What was repaired is
  /// said on standard error, unless the answer is JSON.
  Character load(const Context&) const;

  /// At the end of a command: each time that the process had to be started again, in the same way.
  void print_incidents(const Context&, const Character&) const;
};

}  // namespace rigspace::tools
