#include "process_conversation.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

namespace rigspace {
namespace {

using Outcome = Process::Outcome;
using Clock = std::chrono::steady_clock;

static_assert(std::endian::native == std::endian::little, "the wire is little endian, and so are we");

constexpr std::array<char, 4> kQuestion{'R', 'I', 'G', 'Q'}, kAnswer{'R', 'I', 'G', 'A'};
constexpr std::size_t kMostIncidents = 20, kLongestRefusal = 2000;
constexpr double kTimeToEnd = 1;  // seconds, for a process that has closed its output: it is about to exit
constexpr const char* kTryItself = "run the command by itself to see what it says";

std::string seconds_text(double seconds) {
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + " s";
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// How a process that has closed its output came to that.
std::string account_of(Process& process) {
  const ProcessEnd end = process.wait(kTimeToEnd);
  return end.running ? "closed its standard output" : end.describe();
}

std::string with_last_words(const std::string& account, Process& process) {
  const std::string words = process.last_words();
  return words.empty() ? account : account + " (its last words: " + words + ")";
}

std::string question_text(const Question& question) {
  const std::string count = std::to_string(question.count);
  if (question.kind == ProcessOp::jacobian || question.kind == ProcessOp::jacobian_some)
    return "Jacobian of " + count + " controls";
  return "batch of " + count + (question.count == 1 ? " pose" : " poses");
}

}  // namespace

/// One question, one process, one try.
struct ProcessConversation::Attempt {
  std::size_t index = 0;  ///< of question and process
  const Question* question = nullptr;
  ProcessHeader asked, answered;
  Outcome outcome = Outcome::done;
  std::size_t received = 0;
  std::string problem, remedy;   ///< a predicate of the process; empty: answered
  std::optional<Error> refusal;  ///< the process reports an error of its own

  bool header_fits() const {
    return answered.magic == kAnswer && answered.op == asked.op && answered.number == asked.number &&
           answered.count == question->answer.size();
  }
};

struct ProcessConversation::Newcomer {
  std::unique_ptr<Process> process;
  std::string line;  ///< so far
  Clock::time_point since = Clock::now();
};

ProcessConversation::~ProcessConversation() = default;

ProcessConversation::ProcessConversation(ProcessRigOptions options)
    : options_(std::move(options)),
      source_(options_.name.empty() ? "rig process \"" + options_.command + "\"" : options_.name) {
  may_grow_ = options_.processes == 0 && thread_count() > 1;
  processes_.resize(static_cast<std::size_t>(std::max(1, options_.processes)));
  const auto begin = Clock::now();
  for (auto& process : processes_) process = std::make_unique<Process>(options_.command);  // all start side by side
  handshake_ = greet(*processes_[0]);
  start_seconds_ = seconds_since(begin);
  for (std::size_t k = 1; k < processes_.size(); ++k) greet_again(*processes_[k]);
}

std::vector<std::string> ProcessConversation::incidents() const {
  const std::lock_guard lock(mutex_);
  return incidents_;
}

long ProcessConversation::batches() const {
  const std::lock_guard lock(mutex_);
  return answered_;
}

long ProcessConversation::evaluations() const {
  const std::lock_guard lock(mutex_);
  return evaluated_;
}

std::size_t ProcessConversation::ready(std::size_t count) {
  const std::lock_guard lock(mutex_);
  if (count > 1 && may_grow_ && shareable_seconds_ >= start_seconds_) start_newcomers();
  if (!newcomers_.empty()) read_handshakes();
  return processes_.size();
}

void ProcessConversation::start_newcomers() {
  may_grow_ = false;
  try {
    for (int k = 1; k < thread_count(); ++k)
      newcomers_.push_back({.process = std::make_unique<Process>(options_.command)});
  } catch (const Error&) {  // no room for more of them: those that are there serve
  }
}

/// Adds the processes whose handshake has come. One whose handshake fails is left out: perhaps only so many may run at
/// a time.
void ProcessConversation::read_handshakes() {
  for (Newcomer& each : newcomers_) {
    std::string more;
    const Outcome outcome = each.process->read_line(more, kLongestHandshake, {.seconds = 0});
    each.line += more;
    if (outcome == Outcome::silent && seconds_since(each.since) < options_.handshake_seconds) continue;
    try {
      if (outcome != Outcome::done)
        throw Error({.problem = with_last_words(
                         outcome == Outcome::closed ? account_of(*each.process) : "did not say what its controls are",
                         *each.process)});
      require_same(parse_handshake(each.line, source_));
      processes_.push_back(std::move(each.process));
    } catch (const Error& error) {
      each.process.reset();
      incidents_.push_back(source_ + " was not started beside itself: it " + error.info().problem + "; " +
                           std::to_string(processes_.size()) + " of it must do");
    }
  }
  std::erase_if(newcomers_, [](const Newcomer& each) { return each.process == nullptr; });
}

ProcessHandshake ProcessConversation::greet(Process& process) const {
  std::string line;
  const Outcome outcome = process.read_line(
      line, kLongestHandshake, {options_.handshake_seconds, options_.progress, "waiting for the rig's process"});
  const auto fail = [&](const std::string& problem, std::string remedy) {
    throw Error({.code = ErrorCode::external_process,
                 .file = source_,
                 .problem = with_last_words(problem, process),
                 .remedy = std::move(remedy)});
  };
  switch (outcome) {
    case Outcome::done: return parse_handshake(line, source_);
    case Outcome::cancelled: throw Cancelled();
    case Outcome::silent:
      fail("did not say what its controls are within " + seconds_text(options_.handshake_seconds) +
               (line.empty() ? "" : ", only " + quoted_line(line) + " without the end of the line"),
           "it must write one line of JSON, and flush it, before it reads");
      break;
    case Outcome::too_long:
      fail("begins with a line longer than " + std::to_string(kLongestHandshake >> 20) + " MiB: " + quoted_line(line),
           "its first line must be the JSON handshake");
      break;
    default: fail(account_of(process) + " before it said what its controls are", kTryItself);
  }
  return {};
}

/// A process that came later must be the same rig.
void ProcessConversation::greet_again(Process& process) const { require_same(greet(process)); }

void ProcessConversation::require_same(const ProcessHandshake& again) const {
  const auto same_name = [](const Control& a, const Control& b) { return a.name == b.name; };
  if (again.point_count == handshake_.point_count && again.jacobian == handshake_.jacobian &&
      again.some_points == handshake_.some_points && std::ranges::equal(again.controls, handshake_.controls, same_name))
    return;
  throw Error({.code = ErrorCode::external_process,
               .file = source_,
               .problem = "was started a second time and is another rig then",
               .remedy = "controls and the number of points must be the same in every run"});
}

void ProcessConversation::start(std::size_t k) {
  auto process = std::make_unique<Process>(options_.command);
  greet_again(*process);
  processes_[k] = std::move(process);
}

void ProcessConversation::ask(std::span<const Question> questions) {
  const std::lock_guard lock(mutex_);
  const auto begin = Clock::now();
  ask_all(questions);
  std::uint64_t count = 0;
  for (const Question& each : questions) count += each.count;
  evaluated_ += static_cast<long>(count);
  if (may_grow_ && count > 1) shareable_seconds_ += seconds_since(begin);
}

void ProcessConversation::ask_all(std::span<const Question> questions) {
  std::vector<std::size_t> open(questions.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  for (const std::size_t k : open)
    if (!processes_[k]) start(k);  // after an Error or a cancellation
  const std::vector<Attempt> first = attempt(questions, open);
  if (first.empty()) return;

  open.clear();
  for (const Attempt& failed : first) {
    open.push_back(failed.index);
    incidents_.push_back(source_ + " " + failed.problem + " in a " + question_text(*failed.question) +
                         "; it was started again");
    if (incidents_.size() > kMostIncidents) incidents_.erase(incidents_.begin());
  }
  for (const Attempt& failed : first) {
    try {
      start(failed.index);
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      Attempt second;
      second.problem = "did not start: it " + error.info().problem;
      second.remedy = error.info().remedy;
      give_up(*failed.question, failed, second);
    }
  }
  const std::vector<Attempt> second = attempt(questions, open);
  if (second.empty()) return;
  const auto same = [&](const Attempt& each) { return each.index == second[0].index; };
  give_up(*second[0].question, *std::ranges::find_if(first, same), second[0]);
}

/// Sends the questions still open; returns those that failed, whose processes are gone. Throws errors that a process
/// reports.
std::vector<ProcessConversation::Attempt> ProcessConversation::attempt(std::span<const Question> questions,
                                                                       std::span<const std::size_t> open) {
  std::vector<Attempt> attempts(open.size());
  std::vector<Exchange> exchanges;
  for (std::size_t i = 0; i < open.size(); ++i) {
    Attempt& each = attempts[i];
    each.index = open[i];
    each.question = &questions[open[i]];
    each.asked = {kQuestion, each.question->kind, ++asked_, each.question->count};
    exchanges.push_back({.process = processes_[each.index].get(),
                         .send_head = std::as_bytes(std::span(&each.asked, 1)),
                         .send_body = each.question->body,
                         .receive_head = std::as_writable_bytes(std::span(&each.answered, 1)),
                         .receive_body = std::as_writable_bytes(each.question->answer),
                         .accept = [&each] { return each.header_fits(); }});
  }
  Exchange::run(exchanges, {options_.answer_seconds, options_.progress, "waiting for the rig's process"});

  std::optional<Error> refusal;
  bool cancelled = false;
  std::vector<Attempt> failed;
  for (std::size_t i = 0; i < open.size(); ++i) {
    Attempt& each = attempts[i];
    each.outcome = exchanges[i].outcome;
    each.received = exchanges[i].received;
    judge(each, *processes_[each.index]);
    if (each.refusal) refusal = each.refusal;
    if (each.outcome == Outcome::cancelled) cancelled = true;
    if (each.outcome != Outcome::cancelled && each.problem.empty()) {
      ++answered_;
      continue;
    }
    // Whatever it may still write belongs to this question and would be taken for the next answer.
    processes_[each.index]->end(0);
    processes_[each.index].reset();
    failed.push_back(std::move(each));
  }
  if (cancelled) throw Cancelled();
  if (refusal) throw *refusal;
  return failed;
}

/// Fills problem and remedy unless this is an answer.
void ProcessConversation::judge(Attempt& attempt, Process& process) {
  const Question& question = *attempt.question;
  const auto partly = [&] {
    if (attempt.received == 0) return std::string();
    return " after " + std::to_string(attempt.received) + " of " +
           std::to_string(sizeof(ProcessHeader) + question.answer.size_bytes()) + " bytes of its answer";
  };
  const auto wrong = [&](const std::string& problem, std::string remedy) {
    attempt.problem = with_last_words(problem, process);
    attempt.remedy = std::move(remedy);
  };
  switch (attempt.outcome) {
    case Outcome::done: break;
    case Outcome::cancelled: return;
    case Outcome::silent:
      return wrong("was silent for " + seconds_text(options_.answer_seconds) + partly(),
                   "find out where it hangs, whether it flushes its output, or give it more time");
    case Outcome::refused: return handle_refusal(attempt, process);
    default: return wrong(account_of(process) + partly(), kTryItself);
  }
  const auto bad = std::ranges::find_if(question.answer, [](double x) { return !std::isfinite(x); });
  if (bad == question.answer.end()) return;
  const std::size_t at = static_cast<std::size_t>(bad - question.answer.begin());
  const std::size_t coordinates = question.answer.size() / question.count, place = at % coordinates / 3;
  wrong("answered that point " +
            std::to_string(question.points.empty() ? place : static_cast<std::size_t>(question.points[place])) +
            " of pose " + std::to_string(at / coordinates) + " is not finite",
        "check the rig at these control values");
}

/// The header of an answer does not fit. It may be the process's own word that it cannot.
void ProcessConversation::handle_refusal(Attempt& attempt, Process& process) {
  const ProcessHeader& header = attempt.answered;
  const std::string text(reinterpret_cast<const char*>(&header), sizeof header);
  if (header.magic != kAnswer) {
    attempt.problem = "wrote " + quoted_line(text) + " where the header of an answer was expected";
    attempt.remedy = "print everything but the protocol to standard error";
  } else if (header.number != attempt.asked.number) {
    attempt.problem = "answered question " + std::to_string(header.number) + " where number " +
                      std::to_string(attempt.asked.number) + " was asked";
    attempt.remedy = "answer each question once, with its own number";
  } else if (header.op == ProcessOp::cannot) {
    std::string words(std::min<std::size_t>(header.count, kLongestRefusal), ' ');
    Exchange rest{.process = &process, .receive_body = std::as_writable_bytes(std::span(words))};
    Exchange::run({&rest, 1}, {options_.answer_seconds, options_.progress, "waiting for the rig's process"});
    words.resize(rest.received);
    for (char& c : words)
      if (static_cast<unsigned char>(c) < ' ') c = ' ';                     // one line
    if (header.count > kLongestRefusal) attempt.problem = "says too much";  // in words that are not all read
    if (rest.outcome != Outcome::done) attempt.problem = "stopped in the middle of a sentence";
    attempt.refusal = Error({.code = ErrorCode::external_process,
                             .file = source_,
                             .element = question_text(*attempt.question),
                             .problem = "cannot be evaluated, it says: " + words,
                             .remedy = "check the rig at these control values"});
  } else {
    attempt.problem = "answered " + std::to_string(header.count) + " numbers to a " + question_text(*attempt.question) +
                      " where " + std::to_string(attempt.question->answer.size()) + " were expected";
    attempt.remedy = attempt.question->points.empty()
                         ? "it promised " + std::to_string(handshake_.point_count) + " points"
                         : "it was asked for " + std::to_string(attempt.question->points.size()) + " of its points";
  }
}

void ProcessConversation::give_up(const Question& question, const Attempt& first, const Attempt& second) const {
  const bool same = first.problem == second.problem;
  throw Error({.code = ErrorCode::external_process,
               .file = source_,
               .element = "the " + question_text(question),
               .value = options_.command,
               .problem = "failed: the process " + first.problem +
                          (same ? ", and again after a restart" : "; after a restart it " + second.problem),
               .remedy = second.remedy});
}

}  // namespace rigspace
