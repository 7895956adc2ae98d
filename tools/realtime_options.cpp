#include "realtime_options.h"

#include <cmath>

namespace rigspace::tools {

void add_realtime_options(CLI::App& command, RealtimeArguments& options) {
  command.add_option("--part", options.request.parts, "as of simulate")->type_name("PATTERN=PRESET")->take_all();
  command.add_option("--set", options.sets, "as of simulate, one number each")->type_name("PART.CONTROL=V")->take_all();
  command.add_option("--tune-on", options.request.tune_on, "the clip on which rates are found")->type_name("NAME");
  command.add_option("--unit", options.request.options.metres_per_unit, "metres per unit of the file")
      ->check(above_zero())
      ->type_name("M");
}

PartSetting part_setting(const std::string& text) {
  const auto equals = text.rfind('='), dot = text.rfind('.', equals);
  const double value = equals == std::string::npos ? 0 : number_in(std::string_view(text).substr(equals + 1));
  if (equals == std::string::npos || dot == std::string::npos || dot == 0 || !std::isfinite(value))
    throw Error({.code = ErrorCode::usage,
                 .element = "--set \"" + text + "\"",
                 .value = text,
                 .problem = "is not PART.CONTROL=VALUE",
                 .remedy = "write one number, as tail.amount=0.6"});
  return {.part = text.substr(0, dot), .field = text.substr(dot + 1, equals - dot - 1), .value = value};
}

RealtimeRequest request_of(const RealtimeArguments& options) {
  RealtimeRequest request = options.request;
  for (const std::string& text : options.sets) request.settings.push_back(part_setting(text));
  return request;
}

}  // namespace rigspace::tools
