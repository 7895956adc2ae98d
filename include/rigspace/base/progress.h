#pragma once
// One callback carries progress out of, and cancellation into, every long operation. The library never prints.

#include <functional>
#include <string>
#include <string_view>

namespace rigspace {

struct Progress {
  std::string_view stage;  ///< what is being done, as a person would say it: "rendering"
  double fraction = 0;     ///< 0..1 of this stage
  double whole = -1;       ///< 0..1 of the run that the stage is a part of; below 0 where it is not known
};

/// Returns false to cancel. Called from the thread that started the operation.
using ProgressCallback = std::function<bool(const Progress&)>;

/// Reports, and throws Cancelled if the callback returns false. An empty callback is fine.
void report(const ProgressCallback& callback, std::string_view stage, double fraction);

/// What an operation reports that is the part `from` .. `to` of a longer one; `stage` in place of its own unless empty.
/// The callback is copied.
ProgressCallback part_of_progress(ProgressCallback callback, double from, double to, std::string stage = {});

/// True if the callback returns false; for solvers, where cancellation is a result and not an exception.
bool wants_cancel(const ProgressCallback& callback, std::string_view stage, double fraction);

}  // namespace rigspace
