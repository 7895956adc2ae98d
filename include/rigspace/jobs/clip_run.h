#pragma once
// One run of any application over the clips of a character: clip by clip, with progress, checkpoints, and finished
// clips kept until the whole run is written. The application makes one clip; this file does the rest.

#include "rigspace/base/progress.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

class PartialRun;

/// The checkpoints of one clip of a run. Without a folder nothing is kept and nothing is resumed.
class ClipCheckpoints {
 public:
  ClipCheckpoints(PartialRun* kept, std::size_t clip) : kept_(kept), clip_(clip) {}

  /// What was saved last in this solve by a run that was killed; empty if nothing was.
  std::vector<std::byte> resume(std::size_t solve) const;
  /// `fraction`, 0..1: how much of the solve is done.
  void save(std::size_t solve, double fraction, std::span<const std::byte> bytes) const;

 private:
  PartialRun* kept_;
  std::size_t clip_;
};

/// What an application does with the clips of a run. Clips are numbered 0 .. count() - 1 and begun in this order.
class ClipWork {
 public:
  virtual ~ClipWork() = default;

  virtual std::size_t count() const = 0;
  /// Whether `make` may be called for several clips at the same time, from several threads.
  virtual bool concurrent() const { return false; }
  /// The name of clip k in progress reports.
  virtual std::string name(std::size_t k) const = 0;
  /// s: how long clip k is; the share of a resumed run that is done is measured by it.
  virtual double duration(std::size_t k) const = 0;
  /// How many solves clip k takes: one, and one for each edit that is still to be made.
  virtual std::size_t solves(std::size_t) const { return 1; }

  /// Makes clip k. May throw Cancelled; the finished part is then the application's to keep.
  virtual void make(std::size_t k, const ClipCheckpoints& checkpoints, const ProgressCallback& progress) = 0;

  /// Clip k, once made, as text; and back. `restore` returns false if the text is damaged: the clip is then made again.
  virtual std::string finished(std::size_t k) const = 0;
  virtual bool restore(std::size_t k, const std::string& text) = 0;
};

struct ClipRunOptions {
  std::filesystem::path partial;  ///< a folder for checkpoints and finished clips; empty: nothing is kept
  std::string key;                ///< all that the result depends on: a run with another key starts anew
  ProgressCallback progress = {};
  std::function<void(double share)> begun = {};  ///< called once, with the share that need not be made again, 0..1
  std::function<void(std::size_t k)> made = {};  ///< called for each clip once it and all before it are made
};

/// Makes all clips, side by side on as many threads as the library may use where the work allows it; the result is the
/// same. `progress`, `begun` and `made` are called on the calling thread. Throws Cancelled when the progress callback
/// returns false, and whatever the work throws. The folder of partial results is gone when all are made; otherwise it
/// stays, and the next run with the same key goes on.
void run_clips(ClipWork& work, const ClipRunOptions& options);

}  // namespace rigspace
