#pragma once
// Other programs on pipes: started, written to and read from with a time limit, and always ended.

#include "rigspace/base/progress.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace rigspace {

namespace detail {
struct ProcessPipes;
}

/// How a program ended, or that it has not.
struct ProcessEnd {
  bool running = true;
  int status = 0;  ///< its exit status, unless a signal ended it
  int signal = 0;  ///< the signal that ended it, or 0

  /// A predicate: "exited with status 3", "was killed by signal 9 (Killed)".
  std::string describe() const;
};

/// How long to wait.
struct Patience {
  double seconds = 60;        ///< of silence: without a byte in either direction
  ProgressCallback progress;  ///< called ten times a second; false cancels; may be empty
  std::string stage = "waiting for another program";
};

/// A command of /bin/sh in a process group of its own, with pipes to its three standard streams. Standard error is
/// taken in while others are served, and its end kept for messages. A program that dies is an outcome here and never a
/// signal (SIGPIPE) to this one. One thread at a time.
class Process {
 public:
  enum class Outcome {
    done,
    closed,     ///< it ended, or closed the pipe, before everything was through
    silent,     ///< no byte within the time limit
    refused,    ///< `accept` returned false
    too_long,   ///< no end of line within the limit
    cancelled,  ///< the progress callback returned false
  };

  /// Throws Error (external_process) if nothing can be started. A command that does not exist is started: the shell
  /// prints that to standard error and exits with status 127.
  explicit Process(std::string command);
  /// Ends it: see `end`.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  const std::string& command() const { return command_; }
  int id() const;

  /// Reads up to the next newline, which is taken and left out, but at most `most` bytes. What was read is in `line`
  /// whatever the outcome.
  Outcome read_line(std::string& line, std::size_t most, const Patience& patience);

  /// The last line with anything in it on standard error, at most 400 bytes, unprintable ones as '?'; empty if none.
  std::string last_words();

  /// Whether it still runs, giving one that is about to end up to `seconds` to do so.
  ProcessEnd wait(double seconds);

  /// Closes its standard input, at which a well-behaved program ends; kills it after `grace` seconds, and in any case
  /// what is left of its process group. Afterwards it is gone: no zombie, no open pipe. May be repeated.
  ProcessEnd end(double grace = 0.5);

 private:
  friend struct Exchange;
  std::string command_;
  std::unique_ptr<detail::ProcessPipes> pipes_;
};

/// One question to a program and its answer: sends head and body while it receives head and body, so that neither side
/// blocks the other whatever their sizes.
struct Exchange {
  Process* process = nullptr;
  std::span<const std::byte> send_head, send_body;
  std::span<std::byte> receive_head, receive_body;
  std::function<bool()> accept;  ///< called once receive_head is full; false: refused, the rest stays unread
  Process::Outcome outcome = Process::Outcome::done;
  std::size_t received = 0;  ///< bytes of head and body that came

  /// Runs several at once, in this thread; each ends with its own outcome.
  static void run(std::span<Exchange> all, const Patience& patience);
};

}  // namespace rigspace
