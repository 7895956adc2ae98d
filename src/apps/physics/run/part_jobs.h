#pragma once
// Private to physics: runs the systems of a character, one after the other or on several threads.

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

/// Tunes and runs one system of parts. `run` is called on one thread; `write` may be called on any thread meanwhile.
class PartJob {
 public:
  PartJob(PartSystem& system, const KeyedMotion& motion, const SimulationOptions& options, double character_size)
      : system_(system), tuner_(system, motion, options, character_size) {}

  PartSystem& system() { return system_; }

  /// `saved` is called whenever a new checkpoint is ready for `write`; empty: no checkpoints. Throws Cancelled.
  void run(const ProgressCallback& progress, const std::function<void()>& saved);
  /// The finished run; empty before.
  const std::optional<Run>& result() const { return result_; }
  /// After Cancelled: the finished part of the run.
  const std::optional<Run>& stopped() const { return tuner_.stopped(); }

  /// Write and read the last checkpoint, from which `run` continues.
  void write(ByteWriter& out) const;
  void read(ByteReader& in);

 private:
  enum class Stage { before, under_way, finished };
  void keep(Stage stage, const ByteWriter& out);

  PartSystem& system_;
  Tuner tuner_;
  std::optional<Run> result_;
  mutable std::mutex mutex_;  ///< guards stage_ and kept_
  Stage stage_ = Stage::before;
  std::vector<std::byte> kept_;
};

/// Runs the unfinished jobs on as many threads as there are cores. The calling thread reports their mean progress and
/// calls `saved` when there are new checkpoints. The results are the same to the bit as those of runs one after the
/// other. If jobs throw, rethrows the exception of the first in order; if `progress` cancels, throws Cancelled once all
/// jobs have stopped.
void run_side_by_side(std::span<const std::unique_ptr<PartJob>> jobs, const ProgressCallback& progress,
                      const std::function<void()>& saved);

}  // namespace rigspace
