#pragma once
// The options of commands that make a model for real time: live, train.

#include "command.h"

#include "rigspace/apps/physics/realtime_load.h"

#include <string>
#include <vector>

namespace rigspace::tools {

struct RealtimeArguments {
  RealtimeRequest request;
  std::vector<std::string> sets;  ///< PART.CONTROL=VALUE
};

/// --part, --set, --tune-on, --unit.
void add_realtime_options(CLI::App&, RealtimeArguments&);
/// With the settings. Throws Error for one that is not PART.CONTROL=VALUE.
RealtimeRequest request_of(const RealtimeArguments&);

void add_train(CLI::App&, Context&);

/// PART.CONTROL=VALUE. Names are checked where the model is made. Throws Error.
PartSetting part_setting(const std::string& text);

}  // namespace rigspace::tools
