#include "lane.h"

#include "rigspace/base/cancel_scope.h"
#include "rigspace/base/error.h"
#include "rigspace/base/serial.h"

#if defined(__linux__)
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace rigspace::studio {

Lane::Lane(Post post, bool quietly) : post_(std::move(post)), quietly_(quietly), thread_([this] { run(); }) {}

void Lane::end() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    for (const auto& piece : {waiting_, running_})
      if (piece) piece->stopped = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Lane::start(std::string name, Work work, Failed failed) {
  const auto piece = std::make_shared<Piece>();
  piece->name = std::move(name), piece->work = std::move(work), piece->failed = std::move(failed);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& older : {waiting_, running_})
      if (older) older->stopped = true;
    waiting_ = current_ = piece;
  }
  changed_.notify_all();
}

void Lane::cancel() {
  std::shared_ptr<Piece> piece;
  {
    const std::lock_guard lock(mutex_);
    piece = std::exchange(current_, nullptr);
    if (!piece) return;
    piece->stopped = true;
    if (waiting_ == piece) waiting_ = nullptr;
  }
  if (piece->failed) post_([piece] { piece->failed(std::make_exception_ptr(Cancelled())); });
}

bool Lane::busy() const {
  const std::lock_guard lock(mutex_);
  return current_ != nullptr;
}

std::optional<LaneProgress> Lane::progress() const {
  const std::lock_guard lock(mutex_);
  if (!current_) return std::nullopt;
  const std::lock_guard own(current_->mutex);
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - current_->since;
  return LaneProgress{current_->name, current_->stage, current_->fraction, since.count()};
}

void Lane::run() {
  std::optional<SerialScope> serial;
  if (quietly_) {
    serial.emplace();
#if defined(__linux__)
    constexpr int kPolite = 10;
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kPolite);  // of this thread alone
#endif
  }
  for (;;) {
    std::shared_ptr<Piece> piece;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return over_ || waiting_; });
      if (over_) return;
      piece = running_ = std::exchange(waiting_, nullptr);
    }
    carry_out(piece);
    const std::lock_guard lock(mutex_);
    running_ = nullptr;
  }
}

void Lane::carry_out(const std::shared_ptr<Piece>& piece) {
  const ProgressCallback progress = [&piece = *piece](const Progress& at) {
    const std::lock_guard lock(piece.mutex);
    piece.stage = at.stage;
    piece.fraction = at.whole >= 0 ? at.whole : at.fraction;
    return !piece.stopped.load();
  };
  const CancelScope scope([&piece = *piece] { return piece.stopped.load(); });
  try {
    finish(piece, piece->work(progress));
  } catch (...) {
    finish(piece, [piece, error = std::current_exception()] {
      if (piece->failed) piece->failed(error);
    });
  }
}

/// A piece that was stopped reports no end of its own: `cancel` has reported it, or a newer piece took its place.
void Lane::finish(const std::shared_ptr<Piece>& piece, std::function<void()> end) {
  post_([this, piece, end = std::move(end)] {
    {
      const std::lock_guard lock(mutex_);
      if (piece->stopped || current_ != piece) return;
      current_ = nullptr;
    }
    if (end) end();
  });
}

}  // namespace rigspace::studio
