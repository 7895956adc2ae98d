#include "rigspace/base/process.h"

#include "process_pipes.h"
#include "rigspace/base/error.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

extern char** environ;

namespace rigspace {
namespace {

using Clock = std::chrono::steady_clock;
using detail::Descriptor;
using detail::ProcessPipes;

constexpr int kSignals = 65;  // one more than the last
constexpr std::size_t kLongestWords = 400;

[[noreturn]] void fail_to_start(const std::string& command, int error) {
  throw Error({.code = ErrorCode::external_process,
               .file = command,
               .problem = std::string("cannot be started (") + std::strerror(error) + ")",
               .remedy = "free file descriptors, processes or memory"});
}

/// Both ends of a pipe, closed in other programs, and above the standard streams even where this program has closed
/// its own: dup2 onto those must not overwrite an end that is still needed.
struct PipeEnds {
  Descriptor read, write;

  explicit PipeEnds(const std::string& command) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) fail_to_start(command, errno);
    Descriptor* to[2] = {&read, &write};
    for (int k = 0; k < 2; ++k) {
      to[k]->reset(ends[k]);
      if (ends[k] > STDERR_FILENO) continue;
      to[k]->reset(::fcntl(ends[k], F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
      if (to[k]->get() < 0) fail_to_start(command, errno);
    }
  }
};

void do_not_block(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

/// In a group of its own, with the default SIGPIPE and nothing blocked, whatever this program has chosen for itself.
int spawn(const std::string& command, const std::array<int, 3>& streams, pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int k = 0; k < 3; ++k) posix_spawn_file_actions_adddup2(&actions, streams[k], k);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  std::string shell = "sh", option = "-c", text = command;
  char* const arguments[] = {shell.data(), option.data(), text.data(), nullptr};
  const int error = ::posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

ProcessEnd end_of(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {.running = false, .signal = WTERMSIG(wait_status)};
  return {.running = false, .status = WEXITSTATUS(wait_status)};
}

/// Whether it has ended; it stays a zombie, so that its number, and its group's, are not reused yet.
bool has_ended(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
}

bool ends_within(pid_t child, double seconds) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  for (int nap = 1; !has_ended(child); nap = std::min(2 * nap, 10)) {
    if (Clock::now() >= deadline) return false;
    ::poll(nullptr, 0, nap);
  }
  return true;
}

/// Cuts the last line with anything in it off a text.
std::string_view take_last_line(std::string_view& text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t last = text.find_last_not_of(kBlank);
  std::string_view line = text.substr(0, last + 1);  // npos + 1 is 0
  const std::size_t begin = line.rfind('\n') + 1;
  text = text.substr(0, begin);
  line.remove_prefix(begin);
  line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
  return line;
}

}  // namespace

std::string ProcessEnd::describe() const {
  if (running) return "is still running";
  // A shell that waits for another program returns its signal as 128 + number.
  const int number = signal != 0 ? signal : status - 128;
  const std::string words = number > 0 && number < kSignals ? ::strsignal(number) : "";
  if (signal != 0) return "was killed by signal " + std::to_string(signal) + " (" + words + ")";
  std::string text = "exited with status " + std::to_string(status);
  if (status == 127) return text + " (command not found)";
  if (status == 126) return text + " (command cannot be executed)";
  return words.empty() ? text : text + " (signal " + std::to_string(number) + ", " + words + ")";
}

Process::Process(std::string command) : command_(std::move(command)), pipes_(std::make_unique<ProcessPipes>()) {
  PipeEnds input(command_), output(command_), errors(command_);
  if (const int error = spawn(command_, {input.read.get(), output.write.get(), errors.write.get()}, pipes_->child))
    fail_to_start(command_, error);
  pipes_->input = std::move(input.write);
  pipes_->output = std::move(output.read);
  pipes_->errors = std::move(errors.read);
  for (const int fd : {pipes_->input.get(), pipes_->output.get(), pipes_->errors.get()}) do_not_block(fd);
}

Process::~Process() { end(); }

int Process::id() const { return pipes_->child; }

ProcessEnd Process::wait(double seconds) {
  if (!pipes_->ended.running) return pipes_->ended;
  siginfo_t info{};
  if (!ends_within(pipes_->child, seconds) ||
      ::waitid(P_PID, static_cast<id_t>(pipes_->child), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
    return {};
  if (info.si_code == CLD_EXITED) return {.running = false, .status = info.si_status};
  return {.running = false, .signal = info.si_status};
}

ProcessEnd Process::end(double grace) {
  ProcessPipes& pipes = *pipes_;
  if (!pipes.ended.running) return pipes.ended;
  pipes.input.close();
  // Its output must go somewhere meanwhile, or it could not end for being blocked.
  pipes.output.close();
  ends_within(pipes.child, grace);
  ::kill(-pipes.child, SIGKILL);
  int status = 0;
  while (::waitpid(pipes.child, &status, 0) < 0 && errno == EINTR) {
  }
  pipes.ended = end_of(status);
  pipes.take_errors();
  pipes.errors.close();
  return pipes.ended;
}

std::string Process::last_words() {
  pipes_->take_errors();
  std::string_view rest = pipes_->words;
  std::string line(take_last_line(rest).substr(0, kLongestWords));
  // The program's own last line is more useful than the shell's word for a signal, "Killed".
  const ProcessEnd how = wait(0);
  const int number = how.status - 128;
  if (!how.running && number > 0 && number < kSignals && line.starts_with(::strsignal(number)))
    if (const std::string_view before = take_last_line(rest); !before.empty()) line = before.substr(0, kLongestWords);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '?';
  return line;
}

}  // namespace rigspace
