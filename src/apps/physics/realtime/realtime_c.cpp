#include "rigspace/apps/physics/realtime_c.h"

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/realtime_rig.h"
#include "rigspace/base/error.h"
#include "rigspace/io/formats.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
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

int fail(ErrorCode code, std::string_view text) {
  last_error = text;
  return static_cast<int>(code);
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

SortedJson parse(const char* settings) {
  if (settings == nullptr || *settings == '\0') return SortedJson::object();
  const SortedJson json = SortedJson::parse(settings, nullptr, false);
  if (!json.is_object())
    throw Error({.code = ErrorCode::usage,
                 .element = "settings",
                 .problem = "are no JSON object",
                 .remedy = "expected {\"parts\": [..], \"looks\": {..}}"});
  return json;
}

/// The parts of the patterns in the settings, or those that are found by name; `controls`: parts on the rig's own
/// controls.
std::vector<Part> parts_of(const Character& character, const SortedJson& settings, bool controls) {
  std::vector<Part> parts;
  if (!settings.contains("parts")) return controls ? find_control_parts(character) : find_parts(character);
  for (const SortedJson& pattern : settings.at("parts")) {
    const std::string text = pattern.get<std::string>();
    if (controls) {
      parts.push_back(control_part_from_pattern(character, text));
      continue;
    }
    for (Part& part : parts_from_pattern(character, text)) parts.push_back(std::move(part));
  }
  return parts;
}

void set_settings(std::vector<Part>& parts, const SortedJson& settings) {
  if (!settings.contains("looks")) return;
  for (const auto& [name, fields] : settings.at("looks").items()) {
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const Part& each) { return each.name == name; });
    if (part == parts.end()) {
      std::string known;
      for (const Part& each : parts) known += (known.empty() ? "" : ", ") + each.name;
      throw Error({.code = ErrorCode::usage,
                   .element = "look of \"" + name + "\"",
                   .value = name,
                   .problem = "belongs to no part",
                   .remedy = "parts are " + known});
    }
    for (const auto& [field, value] : fields.items()) part->settings.set(field, value.get<double>());
  }
}

RealtimeOptions options_of(const SortedJson& settings, const Character& character) {
  RealtimeOptions options;
  const auto take = [&](const char* name, auto& value) {
    if (!settings.contains(name)) return;
    const SortedJson& given = settings.at(name);
    constexpr bool kSwitch = std::is_same_v<std::decay_t<decltype(value)>, bool>;
    if (kSwitch ? !given.is_boolean() : !given.is_number())
      throw Error({.code = ErrorCode::usage,
                   .element = std::string("setting \"") + name + "\"",
                   .value = given.dump(),
                   .problem = "is " + given.dump(),
                   .remedy = kSwitch ? "expected true or false" : "expected a number"});
    given.get_to(value);
  };
  take("step", options.step), take("window", options.window), take("max_substeps", options.max_substeps);
  take("teleport_speed", options.teleport_speed), take("metres_per_unit", options.metres_per_unit);
  take("widen", options.widen);
  if (settings.contains("tune_on")) {
    const std::string name = settings.at("tune_on").get<std::string>();
    options.tune_on = character.clip(name);
    if (options.tune_on == nullptr)
      throw Error({.code = ErrorCode::usage,
                   .file = character.name,
                   .element = "clip \"" + name + "\"",
                   .value = name,
                   .problem = "is not there",
                   .remedy = "name one of its clips"});
  }
  return options;
}

std::shared_ptr<const RealtimeModel> load(const std::filesystem::path& path, const SortedJson& settings) {
  const bool controls = path.string().ends_with(".rig.json");
  Character character = with_all_bones(load_character(path));
  std::vector<Part> parts = parts_of(character, settings, controls);
  set_settings(parts, settings);
  if (controls) {
    for (Part& part : parts) part = with_solid(character, std::move(part), {.use_cache = true});
  } else {
    Softened soft = soften(character, std::move(parts), {.use_cache = true});
    character = std::move(soft.character), parts = std::move(soft.parts);
  }
  const RealtimeOptions options = options_of(settings, character);
  return std::make_shared<const RealtimeModel>(character, std::move(parts), options);
}

bool in_range(int k, std::size_t count) { return k >= 0 && static_cast<std::size_t>(k) < count; }

}  // namespace

extern "C" {

const char* rigspace_realtime_error(void) { return last_error.c_str(); }

rigspace_realtime_model* rigspace_realtime_load(const char* path, const char* settings) {
  rigspace_realtime_model* made = nullptr;
  guarded(path, [&] { made = new rigspace_realtime_model{load(path, parse(settings))}; });
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
  rigspace_realtime_rig* made = nullptr;
  guarded(model, [&] { made = new rigspace_realtime_rig{RealtimeRig(model->model)}; });
  return made;
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
int rigspace_realtime_apply(const rigspace_realtime_rig* rig, double* pose, int count) {
  return guarded(rig && pose ? rig : nullptr, [&] {
    require_count(count, rig->rig.model().controls().size());
    rig->rig.apply({pose, static_cast<std::size_t>(count)});
  });
}
int rigspace_realtime_widened(const rigspace_realtime_rig* rig) { return rig && rig->rig.widened() ? 1 : 0; }

int rigspace_realtime_outside_training(const rigspace_realtime_rig* rig) {
  return rig && rig->rig.outside_training() ? 1 : 0;
}

}  // extern "C"
