#include "rigspace/apps/physics/realtime_c.h"

#include "realtime_c_guard.h"
#include "rigspace/apps/physics/realtime_file.h"

#include <algorithm>
#include <string>

using namespace rigspace;
using rigspace::realtime_c::guarded;

struct rigspace_realtime_rig {
  RealtimeRig rig;
};

namespace {

thread_local std::string last_error;
thread_local int last_code = 0;

}  // namespace

int rigspace::realtime_c::fail(ErrorCode code, std::string_view text) {
  last_error = text;
  return last_code = static_cast<int>(code);
}

namespace {

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

bool in_range(int k, std::size_t count) { return k >= 0 && static_cast<std::size_t>(k) < count; }

}  // namespace

extern "C" {

const char* rigspace_realtime_error(void) { return last_error.c_str(); }
int rigspace_realtime_error_code(void) { return last_code; }

rigspace_realtime_model* rigspace_realtime_load_memory(const void* bytes, size_t size, const char* name) {
  rigspace_realtime_model* made = nullptr;
  guarded(bytes, [&] {
    const std::span contents(static_cast<const std::byte*>(bytes), size);
    made = new rigspace_realtime_model{read_realtime_model(contents, name != nullptr ? name : "model")};
  });
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
