#pragma once
// Long work beside the studio's own thread: one piece at a time, with progress, and a newer piece in place of an older.

#include "rigspace/base/progress.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace rigspace::studio {

/// How far a piece of work is.
struct LaneProgress {
  std::string name, stage;
  double fraction = -1;  ///< 0..1; below 0: not known
  double seconds = 0;    ///< since it started
};

class Lane {
 public:
  /// Runs on the lane's thread; what it returns runs on the studio's, unless the piece was cancelled meanwhile.
  using Work = std::function<std::function<void()>(const ProgressCallback&)>;
  /// Gets an error of the work, on the studio's thread: its sentence and whether it was cancelled.
  using Failed = std::function<void(std::exception_ptr)>;
  using Post = std::function<void(std::function<void()>)>;

  /// `post` runs a function on the studio's thread.
  /// `quietly`: with little of the machine, one thread of low priority, so that what plays is not disturbed.
  explicit Lane(Post post, bool quietly = false);
  ~Lane() { end(); }
  /// Cancels what runs, and waits for it; what is started afterwards never runs.
  void end();

  /// Takes the place of what runs or waits, whose ends are never called.
  void start(std::string name, Work work, Failed failed);
  /// Stops what runs: its `failed` is called with Cancelled at once, and its result is dropped.
  void cancel();

  bool busy() const;
  std::optional<LaneProgress> progress() const;  ///< of what runs or waits

 private:
  struct Piece {
    std::string name;
    Work work;
    Failed failed;
    std::atomic<bool> stopped = false;
    std::mutex mutex;  // of stage and fraction
    std::string stage;
    double fraction = -1;
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
  };
  void run();
  void carry_out(const std::shared_ptr<Piece>& piece);
  void finish(const std::shared_ptr<Piece>& piece, std::function<void()> end);

  Post post_;
  bool quietly_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Piece> waiting_, running_, current_;  // current: what progress and busy are about
  bool over_ = false;
  std::thread thread_;
};

}  // namespace rigspace::studio
