#pragma once
// A program of subcommands: what `rigspace` and `rigspace-bench` share.

#include "command.h"

#include <span>

namespace rigspace::tools {

/// Parses the arguments, runs the subcommand, and turns whatever it throws into one sentence (or JSON) and an exit
/// code.
int run_program(int argc, char** argv, std::span<const AddCommand> commands);

}  // namespace rigspace::tools
