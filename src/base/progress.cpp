#include "rigspace/base/progress.h"

#include "rigspace/base/error.h"

namespace rigspace {

bool wants_cancel(const ProgressCallback& callback, std::string_view stage, double fraction) {
  return callback && !callback({stage, fraction});
}

void report(const ProgressCallback& callback, std::string_view stage, double fraction) {
  if (wants_cancel(callback, stage, fraction)) throw Cancelled();
}

ProgressCallback part_of_progress(ProgressCallback callback, double from, double to, std::string stage) {
  if (!callback) return {};
  return [callback = std::move(callback), from, to, stage = std::move(stage)](const Progress& p) {
    return callback({stage.empty() ? p.stage : std::string_view(stage), from + (to - from) * p.fraction, p.whole});
  };
}

}  // namespace rigspace
