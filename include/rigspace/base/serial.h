#pragma once
// Loops that stay on the thread that asks for them.

namespace rigspace {

/// While one lives, the parallel loops that its thread begins run on that thread, and no other thread hears of them:
/// for engines that have threads of their own. The results are the same, to the bit. May be nested.
class SerialScope {
 public:
  SerialScope();
  ~SerialScope();
  SerialScope(const SerialScope&) = delete;
  SerialScope& operator=(const SerialScope&) = delete;
};

}  // namespace rigspace
