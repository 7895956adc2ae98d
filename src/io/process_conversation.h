#pragma once
// Questions to the processes of one rig, and what is done when one of them does not answer.

#include "process_handshake.h"
#include "rigspace/base/process.h"
#include "rigspace/io/process_rig.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

enum class ProcessOp : std::uint32_t { cannot = 0, evaluate = 1, jacobian = 2, evaluate_some = 3, jacobian_some = 4 };

/// What precedes every question and answer; little endian (docs/process-rigs.md).
struct ProcessHeader {
  std::array<char, 4> magic{};
  ProcessOp op = ProcessOp::cannot;
  std::uint64_t number = 0;  ///< of the question; the answer repeats it
  std::uint64_t count = 0;   ///< questions: poses, or columns of a Jacobian; answers: float64 values, or bytes of text
};
static_assert(sizeof(ProcessHeader) == 24);

/// To one process.
struct Question {
  ProcessOp kind = ProcessOp::evaluate;
  std::uint64_t count = 0;
  std::span<const std::byte> body;
  std::span<double> answer;     ///< filled, finite
  std::span<const int> points;  ///< to evaluate; empty: all
};

class ProcessConversation {
 public:
  /// Starts all processes and reads their handshakes. Throws Error.
  explicit ProcessConversation(ProcessRigOptions options);
  ~ProcessConversation();

  const ProcessHandshake& handshake() const { return handshake_; }

  /// How many processes may work at once on `count` poses or columns. Where the number of processes is left to us there
  /// is one at first; when shareable questions have taken as long as its start did, one a core is started beside it, so
  /// that their cost is never more than twice the least; the caller does not wait for them to start.
  std::size_t ready(std::size_t count);
  /// Question k to process k, all at once; each is sent again, to a new process, if it was not answered. Throws Error
  /// or Cancelled.
  void ask(std::span<const Question> questions);

  std::vector<std::string> incidents() const;
  long batches() const;
  long evaluations() const;

 private:
  struct Attempt;
  struct Newcomer;  ///< a process before its handshake

  void start(std::size_t k);
  void start_newcomers();
  void read_handshakes();
  ProcessHandshake greet(Process& process) const;
  void greet_again(Process& process) const;
  void require_same(const ProcessHandshake& again) const;
  void ask_all(std::span<const Question> questions);
  std::vector<Attempt> attempt(std::span<const Question> questions, std::span<const std::size_t> open);
  void judge(Attempt& attempt, Process& process);
  void handle_refusal(Attempt& attempt, Process& process);
  [[noreturn]] void give_up(const Question& question, const Attempt& first, const Attempt& second) const;

  ProcessRigOptions options_;
  std::string source_;  ///< the command, as messages call it
  ProcessHandshake handshake_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Process>> processes_;  ///< empty where one has to be started
  std::uint64_t asked_ = 0;
  long answered_ = 0, evaluated_ = 0;
  double start_seconds_ = 0;      ///< that the first process took
  double shareable_seconds_ = 0;  ///< that questions have taken which several processes could share
  bool may_grow_ = false;
  std::vector<Newcomer> newcomers_;
  std::vector<std::string> incidents_;
};

}  // namespace rigspace
