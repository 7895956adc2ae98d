// The C interface where characters are loaded and trained; rigspace::realtime is without it.

#include "realtime_c_guard.h"
#include "rigspace/apps/physics/realtime_file.h"
#include "rigspace/apps/physics/realtime_load.h"
#include "rigspace/base/files.h"
#include "rigspace/base/suggestion.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <type_traits>

using namespace rigspace;
using rigspace::realtime_c::guarded;

namespace {

using SortedJson = nlohmann::json;

[[noreturn]] void refuse(const std::string& name, const SortedJson& given, const char* remedy) {
  throw Error({.code = ErrorCode::usage,
               .element = "setting \"" + name + "\"",
               .value = given.dump(),
               .problem = "is " + given.dump(),
               .remedy = remedy});
}

/// Reads each setting once; `finish` refuses those that nobody read.
class Settings {
 public:
  explicit Settings(const char* text) : json_(parse(text)) {}

  template <class Value>
  void take(const char* name, Value& value) {
    const SortedJson* given = find(name);
    if (given == nullptr) return;
    if constexpr (std::is_same_v<Value, bool>) {
      if (!given->is_boolean()) refuse(name, *given, "expected true or false");
    } else if constexpr (std::is_same_v<Value, std::string>) {
      if (!given->is_string()) refuse(name, *given, "expected a word in quotes");
    } else if constexpr (std::is_same_v<Value, int>) {
      if (!given->is_number_integer()) refuse(name, *given, "expected a whole number");
    } else if constexpr (std::is_same_v<Value, double>) {
      if (!given->is_number()) refuse(name, *given, "expected a number");
    } else if (!given->is_array() ||
               !std::all_of(given->begin(), given->end(), [](const SortedJson& each) { return each.is_string(); })) {
      refuse(name, *given, "expected a list of words, [\"tail*=tail\"]");
    }
    given->get_to(value);
  }

  void take_settings(std::vector<PartSetting>& looks) {
    const SortedJson* given = find("looks");
    if (given == nullptr) return;
    constexpr const char* kForm = "expected {\"belly\": {\"rate\": 2}}";
    if (!given->is_object()) refuse("looks", *given, kForm);
    for (const auto& [part, fields] : given->items()) {
      if (!fields.is_object()) refuse("looks", *given, kForm);
      for (const auto& [field, value] : fields.items()) {
        if (!value.is_number()) refuse("looks", *given, kForm);
        looks.push_back({part, field, value.get<double>()});
      }
    }
  }

  void finish() const {
    for (const auto& [name, value] : json_.items()) {
      if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
      std::string all;
      for (const std::string& each : known_) all += (all.empty() ? "settings are " : ", ") + each;
      throw Error({.code = ErrorCode::usage,
                   .element = "setting \"" + name + "\"",
                   .value = name,
                   .problem = "is not known",
                   .remedy = suggestion(name, known_, all)});
    }
  }

 private:
  static SortedJson parse(const char* text) {
    if (text == nullptr || *text == '\0') return SortedJson::object();
    const SortedJson json = SortedJson::parse(text, nullptr, false);
    if (!json.is_object())
      throw Error({.code = ErrorCode::usage,
                   .element = "settings",
                   .problem = "are no JSON object",
                   .remedy = "expected {\"parts\": [..], \"looks\": {..}}"});
    return json;
  }

  const SortedJson* find(const char* name) {
    known_.emplace_back(name);
    return json_.contains(name) ? &json_.at(name) : nullptr;
  }

  SortedJson json_;
  std::vector<std::string> known_;
};

RealtimeRequest request_of(const char* text) {
  Settings settings(text);
  RealtimeRequest request;
  RealtimeOptions& options = request.options;
  settings.take("parts", request.parts), settings.take_settings(request.settings);
  settings.take("chains", request.chains), settings.take("soft", request.soft);
  settings.take("tune_on", request.tune_on), settings.take("tune", options.tune);
  settings.take("step", options.step), settings.take("window", options.window);
  settings.take("max_substeps", options.max_substeps), settings.take("max_iterations", options.max_iterations);
  settings.take("tolerance", options.tolerance), settings.take("teleport_speed", options.teleport_speed);
  settings.take("snap_speed", options.snap_speed), settings.take("springs", options.springs);
  settings.take("metres_per_unit", options.metres_per_unit), settings.take("poisson", options.poisson);
  settings.take("use_cache", options.use_cache), settings.take("widen", options.widen);
  settings.finish();
  return request;
}

}  // namespace

extern "C" {

rigspace_realtime_model* rigspace_realtime_load(const char* path, const char* settings) {
  rigspace_realtime_model* made = nullptr;
  guarded(path, [&] { made = new rigspace_realtime_model{load_realtime_model(path, request_of(settings))}; });
  return made;
}

int rigspace_realtime_save(const rigspace_realtime_model* model, const char* path) {
  return guarded(path != nullptr ? model : nullptr, [&] { write_file(path, write_realtime_model(*model->model)); });
}

}  // extern "C"
