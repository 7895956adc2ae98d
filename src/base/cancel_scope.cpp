#include "rigspace/base/cancel_scope.h"

#include "rigspace/base/error.h"

#include <utility>

namespace rigspace {
namespace {

thread_local const CancelScope* newest = nullptr;

}  // namespace

CancelScope::CancelScope(std::function<bool()> stopped) : stopped_(std::move(stopped)), before_(newest) {
  newest = this;
}
CancelScope::~CancelScope() { newest = before_; }
const CancelScope* CancelScope::current() { return newest; }

void poll_cancel() {
  if (newest != nullptr && newest->stopped()) throw Cancelled();
}

}  // namespace rigspace
