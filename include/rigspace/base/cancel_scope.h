#pragma once
// Cancellation of work whose inner loops have no progress callback: preparing a character has many short ones.

#include <functional>

namespace rigspace {

/// While one lives, parallel loops that its thread begins and poll_cancel() on its thread throw Cancelled once
/// `stopped` returns true. It is called often, from any thread of a loop, and must be quick. The newest scope of a
/// thread counts.
class CancelScope {
 public:
  explicit CancelScope(std::function<bool()> stopped);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

  bool stopped() const { return stopped_(); }
  /// Of this thread; null: none.
  static const CancelScope* current();

 private:
  std::function<bool()> stopped_;
  const CancelScope* before_;
};

/// Throws Cancelled if the scope of this thread has stopped; without one it does nothing.
void poll_cancel();

}  // namespace rigspace
