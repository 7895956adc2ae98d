#include "part_jobs.h"

#include "rigspace/base/parallel.h"
#include "rigspace/base/serial.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <numeric>
#include <thread>

namespace rigspace {

void PartJob::keep(Stage stage, const ByteWriter& out) {
  const std::lock_guard lock(mutex_);
  stage_ = stage;
  kept_ = out.bytes();
}

void PartJob::run(const ProgressCallback& progress, const std::function<void()>& saved) {
  const std::vector<std::byte> from = kept_;
  ByteReader resume(from);
  const Runner::Save save = [&](const auto& write_rest) {
    ByteWriter out;
    write_rest(out);
    keep(Stage::under_way, out);
    saved();
  };
  result_ = tuner_.run(progress, saved ? save : Runner::Save(), from.empty() ? nullptr : &resume);
  ByteWriter out;
  tuner_.write(out);
  result_->write(out);
  keep(Stage::finished, out);
}

void PartJob::write(ByteWriter& out) const {
  const std::lock_guard lock(mutex_);
  out.number(static_cast<double>(stage_));
  out.number(static_cast<double>(kept_.size()));
  out.raw(kept_);
}

void PartJob::read(ByteReader& in) {
  stage_ = static_cast<Stage>(in.integer());
  const std::span<const std::byte> bytes = in.raw(static_cast<std::size_t>(in.number()));
  kept_.assign(bytes.begin(), bytes.end());
  if (stage_ != Stage::finished) return;
  ByteReader reader(bytes);
  tuner_.read(reader);
  result_.emplace().read(reader);
}

namespace {

/// The state that the worker threads and the calling thread share.
struct Board {
  std::mutex mutex;
  std::condition_variable news;
  std::atomic<bool> stop = false;
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> saved = false;
  std::size_t working = 0;         ///< number of threads still running
  std::vector<std::size_t> order;  ///< of the jobs: most free controls first, so that no long job runs alone at the end
  std::vector<std::atomic<double>> fraction;
  std::vector<std::exception_ptr> failure;

  explicit Board(std::span<const std::unique_ptr<PartJob>> jobs)
      : order(jobs.size()), fraction(jobs.size()), failure(jobs.size()) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<std::size_t> size;
    for (const auto& job : jobs) size.push_back(job->system().body().free.size());
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  }
};

void work(std::span<const std::unique_ptr<PartJob>> jobs, Board& board, bool saves) {
  const SerialScope serial;  // parallel loops inside a job run on the job's own thread
  for (std::size_t turn = board.next++; turn < jobs.size() && !board.stop; turn = board.next++) {
    const std::size_t k = board.order[turn];
    if (jobs[k]->result()) {
      board.fraction[k] = 1;
      continue;
    }
    try {
      jobs[k]->run(
          [&](const Progress& progress) {
            board.fraction[k] = std::max(board.fraction[k].load(), progress.fraction);  // tuning runs restart at 0
            return !board.stop;
          },
          saves ? std::function<void()>([&] { board.saved = true; }) : nullptr);
    } catch (...) {
      board.failure[k] = std::current_exception();
      board.stop = true;
    }
    board.fraction[k] = 1;
  }
  const std::lock_guard lock(board.mutex);
  --board.working;
  board.news.notify_all();
}

bool is_cancelled(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Cancelled&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

void run_side_by_side(std::span<const std::unique_ptr<PartJob>> jobs, const ProgressCallback& progress,
                      const std::function<void()>& saved) {
  constexpr std::chrono::milliseconds kBetween{50};  // between calls of `progress`
  Board board(jobs);
  const std::size_t count = std::min<std::size_t>(jobs.size(), static_cast<std::size_t>(thread_count()));
  bool cancelled = false;
  std::exception_ptr own;  // thrown by `progress` or `saved`
  {
    board.working = count;
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < count; ++t) threads.emplace_back([&] { work(jobs, board, static_cast<bool>(saved)); });
    std::unique_lock lock(board.mutex);
    while (board.working > 0) {
      board.news.wait_for(lock, kBetween);
      lock.unlock();
      double all = 0;
      for (const auto& each : board.fraction) all += each;
      try {
        if (progress && !board.stop && !progress({"simulating", all / static_cast<double>(jobs.size())}))
          cancelled = board.stop = true;
        if (board.saved.exchange(false)) saved();
      } catch (...) {
        own = std::current_exception();
        board.stop = true;
      }
      lock.lock();
    }
  }
  if (own) std::rethrow_exception(own);
  for (const std::exception_ptr& failure : board.failure)
    if (failure && !is_cancelled(failure)) std::rethrow_exception(failure);
  if (cancelled) throw Cancelled();
}

}  // namespace rigspace
