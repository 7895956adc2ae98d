// The moving of bytes between this program and others.
#include "process_pipes.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <vector>

namespace rigspace {
namespace {

using Clock = std::chrono::steady_clock;
using detail::Moved;
using detail::ProcessPipes;
using Outcome = Process::Outcome;

constexpr std::size_t kWordsKept = 8192;

/// Holds SIGPIPE back from this thread, and takes the one that a write has caused, so that a dead reader is EPIPE and
/// nothing else, whatever the rest of the program does with the signal.
class PipeSignalGuard {
 public:
  PipeSignalGuard() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeSignalGuard() {
    const int error = errno;
    const timespec at_once{};
    while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  PipeSignalGuard(const PipeSignalGuard&) = delete;
  PipeSignalGuard& operator=(const PipeSignalGuard&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_ = false;
};

bool not_now() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

/// When to give up on one program, and when to call the progress callback.
struct Watch {
  const Patience& patience;
  Clock::time_point last_byte = Clock::now();

  double left() const { return patience.seconds - std::chrono::duration<double>(Clock::now() - last_byte).count(); }
};

/// Waits for any of these, until `left` seconds are over or a tenth of a second where there is a callback. False if the
/// callback returns false.
bool wait_for(std::vector<pollfd>& ports, double left, const Patience& patience) {
  if (patience.progress) left = std::min(left, 0.1);
  // A day at most: the milliseconds must fit an int, and a callback-less wait simply comes round again.
  const double milliseconds = std::clamp(std::ceil(1000 * left), 0.0, 86'400'000.0);
  ::poll(ports.data(), ports.size(), static_cast<int>(milliseconds));
  return !wants_cancel(patience.progress, patience.stage, 0);
}

/// The state of one exchange: bytes through so far, of head and body together.
struct Flow {
  Exchange& exchange;
  ProcessPipes& pipes;
  Watch watch;
  std::size_t sent = 0, received = 0;
  bool finished = false;

  std::size_t to_send() const { return exchange.send_head.size() + exchange.send_body.size(); }
  std::size_t to_receive() const { return exchange.receive_head.size() + exchange.receive_body.size(); }

  void finish(Outcome outcome) {
    exchange.outcome = outcome;
    exchange.received = received;
    finished = true;
  }

  /// Moves what can be moved without waiting.
  void pump() {
    const std::size_t before = sent + received;
    pipes.take_errors();
    send();
    if (!finished) receive();
    if (sent + received > before) watch.last_byte = Clock::now();
    if (finished) return;
    if (sent == to_send() && received == to_receive()) finish(Outcome::done);
    if (!finished && watch.left() <= 0) finish(Outcome::silent);
  }

  void send() {
    while (sent < to_send()) {
      const std::size_t head = exchange.send_head.size();
      const Moved moved =
          pipes.write(sent < head ? exchange.send_head.subspan(sent) : exchange.send_body.subspan(sent - head));
      if (moved.closed) return finish(Outcome::closed);
      if (moved.bytes == 0) return;
      sent += moved.bytes;
    }
  }

  void receive() {
    const std::size_t head = exchange.receive_head.size();
    while (received < to_receive()) {
      const bool in_head = received < head;
      const Moved moved = pipes.read(in_head ? exchange.receive_head.subspan(received)
                                             : exchange.receive_body.subspan(received - head));
      if (moved.closed) return finish(Outcome::closed);
      if (moved.bytes == 0) return;
      received += moved.bytes;
      if (in_head && received == head && exchange.accept && !exchange.accept()) return finish(Outcome::refused);
    }
  }

  void add_ports(std::vector<pollfd>& ports) const {
    if (sent < to_send()) ports.push_back({pipes.input.get(), POLLOUT, 0});
    if (received < to_receive()) ports.push_back({pipes.output.get(), POLLIN, 0});
    if (pipes.errors.open()) ports.push_back({pipes.errors.get(), POLLIN, 0});
  }
};

}  // namespace

detail::Moved detail::ProcessPipes::write(std::span<const std::byte> bytes) {
  if (!input.open()) return {.closed = true};
  const PipeSignalGuard guard;
  const ssize_t n = ::write(input.get(), bytes.data(), bytes.size());
  if (n >= 0) return {.bytes = static_cast<std::size_t>(n)};
  return {.closed = !not_now()};
}

detail::Moved detail::ProcessPipes::read(std::span<std::byte> bytes) {
  if (!pending.empty()) {
    const std::size_t n = std::min(pending.size(), bytes.size());
    std::memcpy(bytes.data(), pending.data(), n);
    pending.erase(0, n);
    return {.bytes = n};
  }
  if (!output.open()) return {.closed = true};
  const ssize_t n = ::read(output.get(), bytes.data(), bytes.size());
  if (n > 0) return {.bytes = static_cast<std::size_t>(n)};
  return {.closed = n == 0 || !not_now()};
}

void detail::ProcessPipes::take_errors() {
  std::array<char, 4096> piece;
  // Bounded, so that a program that writes without end cannot block this one.
  for (int k = 0; errors.open() && k < 64; ++k) {
    const ssize_t n = ::read(errors.get(), piece.data(), piece.size());
    if (n < 0 && not_now()) return;
    if (n <= 0) return errors.close();
    words.append(piece.data(), static_cast<std::size_t>(n));
    if (words.size() > 2 * kWordsKept) words.erase(0, words.size() - kWordsKept);
  }
}

Process::Outcome Process::read_line(std::string& line, std::size_t most, const Patience& patience) {
  Watch watch{patience};
  std::vector<std::byte> piece(std::size_t{1} << 16);
  std::vector<pollfd> ports;
  line.clear();
  for (;;) {
    pipes_->take_errors();
    const Moved moved = pipes_->read(piece);
    if (moved.bytes > 0) {
      watch.last_byte = Clock::now();
      const auto* text = reinterpret_cast<const char*>(piece.data());
      const std::size_t length = static_cast<std::size_t>(std::find(text, text + moved.bytes, '\n') - text);
      line.append(text, length);
      if (length < moved.bytes) pipes_->pending.insert(0, text + length + 1, moved.bytes - length - 1);
      if (line.size() > most) return Outcome::too_long;
      if (length < moved.bytes) return Outcome::done;
      continue;
    }
    if (moved.closed) return Outcome::closed;
    if (watch.left() <= 0) return Outcome::silent;
    ports.assign(1, {pipes_->output.get(), POLLIN, 0});
    if (pipes_->errors.open()) ports.push_back({pipes_->errors.get(), POLLIN, 0});
    if (!wait_for(ports, watch.left(), patience)) return Outcome::cancelled;
  }
}

void Exchange::run(std::span<Exchange> all, const Patience& patience) {
  std::vector<Flow> flows;
  for (Exchange& exchange : all) flows.push_back({exchange, *exchange.process->pipes_, {patience}});
  std::vector<pollfd> ports;
  for (;;) {
    ports.clear();
    double left = patience.seconds;
    bool busy = false;
    for (Flow& flow : flows) {
      if (!flow.finished) flow.pump();
      if (flow.finished) continue;
      busy = true;
      left = std::min(left, flow.watch.left());
      flow.add_ports(ports);
    }
    if (!busy) return;
    if (wait_for(ports, left, patience)) continue;
    for (Flow& flow : flows)
      if (!flow.finished) flow.finish(Outcome::cancelled);
    return;
  }
}

}  // namespace rigspace
