#include "rigspace/jobs/clip_run.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/serial.h"
#include "rigspace/jobs/partial_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace rigspace {

std::vector<std::byte> ClipCheckpoints::resume(std::size_t solve) const {
  return kept_ == nullptr ? std::vector<std::byte>() : kept_->checkpoint({clip_, solve});
}

void ClipCheckpoints::save(std::size_t solve, double fraction, std::span<const std::byte> bytes) const {
  if (kept_ != nullptr) kept_->keep_checkpoint({clip_, solve}, fraction, bytes);
}

namespace {

/// The clips of a run: which are made, and how much of the whole that is.
class ClipRun {
 public:
  ClipRun(ClipWork& work, const ClipRunOptions& options) : work_(work), options_(options), fraction_(work.count()) {
    if (!options.partial.empty()) kept_.emplace(options.partial, options.key);
    for (std::size_t k = 0; k < work.count(); ++k) {
      weight_.push_back(work.duration(k) * static_cast<double>(std::max<std::size_t>(1, work.solves(k))));
      const auto text = kept_ ? kept_->finished(k) : std::nullopt;
      if (text && work.restore(k, *text))
        fraction_[k] = 1;
      else
        to_make_.push_back(k);
    }
  }

  /// Share of the run, 0..1, that need not be made again: clips that are there, and others up to their checkpoints.
  double share_there() const {
    double done = 0, all = 0;
    for (std::size_t k = 0; k < work_.count(); ++k) {
      all += weight_[k];
      if (fraction_[k] == 1) {
        done += weight_[k];
      } else if (const auto mark = kept_ ? kept_->mark(k) : std::nullopt) {
        done += work_.duration(k) * (static_cast<double>(mark->at.solve) + mark->fraction);
      }
    }
    return all > 0 ? done / all : 0;
  }

  void one_by_one() {
    report_made();
    for (const std::size_t k : to_make_) {
      make(k, [&](const Progress& p) {
        fraction_[k] = std::max(fraction_[k].load(), std::min(p.fraction, kAlmost));  // attempts begin anew
        return report();
      });
      report_made();
    }
  }

  /// Threads take clips in their order; this thread reports, and passes on what the first of them throws.
  void side_by_side(std::size_t threads) {
    constexpr std::chrono::milliseconds kBetween{50};  // reports
    std::mutex mutex;
    std::condition_variable news;
    std::atomic<bool> stop = false;
    std::atomic<std::size_t> next = 0;
    std::size_t working = threads;
    std::exception_ptr failure, own;
    const auto take_clips = [&] {
      const SerialScope serial;  // its own thread is all that a clip has
      for (std::size_t turn = next++; turn < to_make_.size() && !stop; turn = next++) {
        const std::size_t k = to_make_[turn];
        try {
          make(k, [&, k](const Progress& p) {
            fraction_[k] = std::max(fraction_[k].load(), std::min(p.fraction, kAlmost));
            return !stop;
          });
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!stop.exchange(true)) failure = std::current_exception();
        }
        news.notify_all();
      }
      const std::lock_guard lock(mutex);
      --working;
      news.notify_all();
    };
    {
      std::vector<std::jthread> pool;
      for (std::size_t t = 0; t < threads; ++t) pool.emplace_back(take_clips);
      std::unique_lock lock(mutex);
      while (working > 0) {
        news.wait_for(lock, kBetween);
        lock.unlock();
        try {
          if (!stop && !report()) own = std::make_exception_ptr(Cancelled()), stop = true;
          if (!stop) report_made();
        } catch (...) {
          own = std::current_exception(), stop = true;
        }
        lock.lock();
      }
    }
    if (own) std::rethrow_exception(own);
    if (failure) std::rethrow_exception(failure);
    report_made();
  }

  std::size_t missing() const { return to_make_.size(); }

  /// All is made: nothing of it is needed on the way any longer.
  void discard() {
    if (kept_) kept_->discard();
  }

 private:
  static constexpr double kAlmost = 0.999;  // 1 is for clips that are kept

  void make(std::size_t k, const ProgressCallback& progress) {
    work_.make(k, ClipCheckpoints(kept_ ? &*kept_ : nullptr, k), progress);
    if (kept_) kept_->keep_finished(k, work_.finished(k));
    fraction_[k] = 1;
  }

  /// How much of all clips is done, under the name of the first that is not. False to cancel.
  bool report() const {
    if (!options_.progress) return true;
    double done = 0, all = 0;
    std::size_t first = work_.count();
    for (std::size_t k = work_.count(); k-- > 0;) {
      const double fraction = fraction_[k];
      done += weight_[k] * fraction, all += weight_[k];
      if (fraction < 1) first = k;
    }
    if (first == work_.count()) return true;
    std::string stage = work_.name(first);
    if (work_.count() > 1) stage += " (" + std::to_string(first + 1) + " of " + std::to_string(work_.count()) + ")";
    const double whole = all > 0 ? done / all : 0;
    return options_.progress({.stage = stage, .fraction = fraction_[first], .whole = whole});
  }

  /// Calls `made` for each clip that is there together with all before it.
  void report_made() {
    for (; reported_ < work_.count() && fraction_[reported_] == 1; ++reported_)
      if (options_.made) options_.made(reported_);
  }

  ClipWork& work_;
  const ClipRunOptions& options_;
  std::optional<PartialRun> kept_;
  std::vector<double> weight_;
  std::vector<std::atomic<double>> fraction_;  // of each clip; 1: made
  std::vector<std::size_t> to_make_;
  std::size_t reported_ = 0;
};

}  // namespace

void run_clips(ClipWork& work, const ClipRunOptions& options) {
  ClipRun run(work, options);
  if (options.begun) options.begun(run.share_there());
  const std::size_t threads = std::min<std::size_t>(run.missing(), static_cast<std::size_t>(thread_count()));
  if (work.concurrent() && threads > 1)
    run.side_by_side(threads);
  else
    run.one_by_one();
  run.discard();
}

}  // namespace rigspace
