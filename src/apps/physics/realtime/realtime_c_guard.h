#pragma once
// Private to physics: what the files of the C interface share.

#include "rigspace/apps/physics/realtime_c.h"
#include "rigspace/apps/physics/realtime_rig.h"
#include "rigspace/base/error.h"

#include <memory>
#include <string_view>

struct rigspace_realtime_model {
  std::shared_ptr<const rigspace::RealtimeModel> model;
};

namespace rigspace::realtime_c {

/// Sets the last error of this thread; returns its code.
int fail(ErrorCode code, std::string_view text);

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

}  // namespace rigspace::realtime_c
