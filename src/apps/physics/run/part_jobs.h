#pragma once
// Private to physics: the systems of a character, one after the other or side by side.

#include "rigspace/base/bytes.h"
#include "rigspace/base/progress.h"
#include "tuning/tuner.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace rigspace {

/// One system of parts: its settings are tuned and it is run. `run` on one thread; `write` on any.
class PartJob {
 public:
  PartJob(PartSystem& system, const KeyedMotion& motion, const SimulationOptions& options, double character_size)
      : system_(system), tuner_(system, motion, options, character_size) {}

  PartSystem& system() { return system_; }

  /// `saved` is called whenever `write` has something new; empty: nothing is saved on the way. Throws Cancelled.
  void run(const ProgressCallback& progress, const std::function<void()>& saved);
  /// What came of it; none before it is finished.
  const std::optional<Run>& result() const { return result_; }
  /// After Cancelled: what it had finished.
  const std::optional<Run>& stopped() const { return tuner_.stopped(); }

  /// All that the rest of it depends on, and back.
  void write(ByteWriter& out) const;
  void read(ByteReader& in);

 private:
  enum class Stage { before, under_way, finished };
  void keep(Stage stage, const ByteWriter& out);

  PartSystem& system_;
  Tuner tuner_;
  std::optional<Run> result_;
  mutable std::mutex mutex_;  ///< of what follows
  Stage stage_ = Stage::before;
  std::vector<std::byte> kept_;
};

/// Runs those that are not finished on threads of their own, as many as there are cores; the thread that calls reports
/// how far they all are, and calls `saved` from time to time while they save. The same results, to the bit, as one
/// after the other. Throws what one of them throws, the first in order; Cancelled once all have stopped.
void run_side_by_side(std::span<const std::unique_ptr<PartJob>> jobs, const ProgressCallback& progress,
                      const std::function<void()>& saved);

}  // namespace rigspace
