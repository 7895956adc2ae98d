#pragma once
// Parallel loops that run on the calling thread alone.

namespace rigspace {

/// While one lives, the parallel loops that its thread begins run on that thread alone, without TBB: for engines that
/// have threads of their own. The results are the same, to the bit. May be nested.
class SerialScope {
 public:
  SerialScope();
  ~SerialScope();
  SerialScope(const SerialScope&) = delete;
  SerialScope& operator=(const SerialScope&) = delete;
};

}  // namespace rigspace
