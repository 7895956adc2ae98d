#pragma once
// rigspace licences: what the program is made of, and under which terms.

#include "command.h"

namespace rigspace::tools {

void add_licences(CLI::App&, Context&);

}  // namespace rigspace::tools
