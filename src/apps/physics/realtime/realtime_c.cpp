#include "rigspace/apps/physics/realtime_c.h"

#include "rigspace/apps/physics/realtime_load.h"
#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <type_traits>

using namespace rigspace;

struct rigspace_realtime_model {
  std::shared_ptr<const RealtimeModel> model;
};
struct rigspace_realtime_rig {
  RealtimeRig rig;
};

namespace {

using SortedJson = nlohmann::json;

thread_local std::string last_error;
thread_local int last_code = 0;

int fail(ErrorCode code, std::string_view text) {
  last_error = text;
  return last_code = static_cast<int>(code);
}

/// Runs a body that may throw. Returns 0, or the exit code of the exception.
template <class Body>
int guarded(const void* handle, Body&& body) noexcept {
  try {
    if (handle == nullptr) return fail(ErrorCode::usage, "a handle is NULL; make it first");
    body();
    return 0;
  } catch (const Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::exception& error) {
    return fail(ErrorCode::internal, error.what());
  } catch (...) {
    return fail(ErrorCode::internal, "something that is no error was thrown");
  }
}

void require_count(int count, std::size_t expected) {
  if (count >= 0 && static_cast<std::size_t>(count) == expected) return;
  throw Error({.code = ErrorCode::usage,
               .element = "count",
               .value = std::to_string(count),
               .problem = "is " + std::to_string(count),
               .remedy = "expected " + std::to_string(expected)});
}

RealtimeLevel level_of(int level) {
  if (level >= 0 && level <= 2) return static_cast<RealtimeLevel>(level);
  throw Error({.code = ErrorCode::usage,
               .element = "level of detail",
               .value = std::to_string(level),
               .problem = "is " + std::to_string(level),
               .remedy = "expected 0, 1 or 2"});
}

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

bool in_range(int k, std::size_t count) { return k >= 0 && static_cast<std::size_t>(k) < count; }

}  // namespace

extern "C" {

const char* rigspace_realtime_error(void) { return last_error.c_str(); }
int rigspace_realtime_error_code(void) { return last_code; }

rigspace_realtime_model* rigspace_realtime_load(const char* path, const char* settings) {
  rigspace_realtime_model* made = nullptr;
  guarded(path, [&] { made = new rigspace_realtime_model{load_realtime_model(path, request_of(settings))}; });
  return made;
}

void rigspace_realtime_release_model(rigspace_realtime_model* model) { delete model; }

int rigspace_realtime_control_count(const rigspace_realtime_model* model) {
  return model ? static_cast<int>(model->model->controls().size()) : 0;
}
const char* rigspace_realtime_control_name(const rigspace_realtime_model* model, int control) {
  return model && in_range(control, model->model->controls().size())
             ? model->model->controls()[static_cast<std::size_t>(control)].name.c_str()
             : "";
}
double rigspace_realtime_control_rest(const rigspace_realtime_model* model, int control) {
  return model && in_range(control, model->model->controls().size())
             ? model->model->controls()[static_cast<std::size_t>(control)].rest
             : 0;
}
int rigspace_realtime_free_count(const rigspace_realtime_model* model) {
  return model ? static_cast<int>(model->model->free().size()) : 0;
}
int rigspace_realtime_free_control(const rigspace_realtime_model* model, int k) {
  return model && in_range(k, model->model->free().size()) ? model->model->free()[static_cast<std::size_t>(k)] : -1;
}
double rigspace_realtime_latency(const rigspace_realtime_model* model) { return model ? model->model->latency() : 0; }

rigspace_realtime_rig* rigspace_realtime_create(const rigspace_realtime_model* model) {
  return rigspace_realtime_create_at(model, 0);
}

rigspace_realtime_rig* rigspace_realtime_create_at(const rigspace_realtime_model* model, int level) {
  rigspace_realtime_rig* made = nullptr;
  guarded(model, [&] { made = new rigspace_realtime_rig{RealtimeRig(model->model, level_of(level))}; });
  return made;
}

int rigspace_realtime_set_level(rigspace_realtime_rig* rig, int level) {
  return guarded(rig, [&] { rig->rig.set_level(level_of(level)); });
}
int rigspace_realtime_set_budget(rigspace_realtime_rig* rig, double seconds) {
  return guarded(rig, [&] { rig->rig.set_budget(seconds); });
}

void rigspace_realtime_destroy(rigspace_realtime_rig* rig) { delete rig; }

int rigspace_realtime_reset(rigspace_realtime_rig* rig, const double* pose, int count) {
  return guarded(rig && pose ? rig : nullptr, [&] { rig->rig.reset({pose, static_cast<std::size_t>(count)}); });
}
int rigspace_realtime_set_keyed(rigspace_realtime_rig* rig, const double* pose, int count) {
  return guarded(rig && pose ? rig : nullptr, [&] { rig->rig.set_keyed({pose, static_cast<std::size_t>(count)}); });
}
int rigspace_realtime_teleport(rigspace_realtime_rig* rig) {
  return guarded(rig, [&] { rig->rig.teleport(); });
}
int rigspace_realtime_step(rigspace_realtime_rig* rig, double seconds) {
  return guarded(rig, [&] { rig->rig.step(seconds); });
}
int rigspace_realtime_read(const rigspace_realtime_rig* rig, double* values, int count) {
  return guarded(rig && values ? rig : nullptr, [&] {
    const std::span<const double> simulated = rig->rig.simulated();
    require_count(count, simulated.size());
    std::copy(simulated.begin(), simulated.end(), values);
  });
}
int rigspace_realtime_apply(rigspace_realtime_rig* rig, double* pose, int count) {
  return guarded(rig && pose ? rig : nullptr, [&] {
    require_count(count, rig->rig.model().controls().size());
    rig->rig.apply({pose, static_cast<std::size_t>(count)});
  });
}
int rigspace_realtime_widened(const rigspace_realtime_rig* rig) { return rig && rig->rig.widened() ? 1 : 0; }

int rigspace_realtime_outside_training(const rigspace_realtime_rig* rig) {
  return rig && rig->rig.outside_training() ? 1 : 0;
}

long long rigspace_realtime_steps(const rigspace_realtime_rig* rig) { return rig ? rig->rig.steps() : 0; }
long long rigspace_realtime_unconverged(const rigspace_realtime_rig* rig) { return rig ? rig->rig.unconverged() : 0; }
long long rigspace_realtime_iterations(const rigspace_realtime_rig* rig) { return rig ? rig->rig.iterations() : 0; }
long long rigspace_realtime_jacobians(const rigspace_realtime_rig* rig) { return rig ? rig->rig.jacobians() : 0; }
long long rigspace_realtime_bytes(const rigspace_realtime_rig* rig) {
  return rig ? static_cast<long long>(rig->rig.bytes()) : 0;
}

}  // extern "C"
