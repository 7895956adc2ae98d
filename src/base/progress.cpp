#include "rigspace/base/progress.h"

#include "rigspace/base/error.h"

namespace rigspace {

bool wants_cancel(const ProgressCallback& callback, std::string_view stage, double fraction) {
  return callback && !callback({stage, fraction});
}

void report(const ProgressCallback& callback, std::string_view stage, double fraction) {
  if (wants_cancel(callback, stage, fraction)) throw Cancelled();
}

}  // namespace rigspace
