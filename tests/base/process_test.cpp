#include "rigspace/base/process.h"

#include "rigspace/base/error.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace rigspace {
namespace {

using Outcome = Process::Outcome;

constexpr std::size_t kLine = 1 << 20;

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

Exchange echo(Process& process, std::span<const std::byte> sent, std::span<std::byte> received) {
  return {.process = &process, .send_body = sent, .receive_body = received};
}

std::vector<std::byte> pattern(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 2654435761u >> 13);
  return bytes;
}

TEST(Process, EchoesMoreThanPipesHold) {
  Process process("cat");
  const auto sent = pattern(8'000'001);
  std::vector<std::byte> received(sent.size());
  Exchange exchange = echo(process, sent, received);
  Exchange::run({&exchange, 1}, {});
  EXPECT_EQ(exchange.outcome, Outcome::done);
  EXPECT_EQ(exchange.received, sent.size());
  EXPECT_EQ(received, sent);
  EXPECT_EQ(process.end().status, 0);
}

TEST(Process, SeveralExchangesEndEachInItsOwnWay) {
  Process good("cat"), dead("exit 3"), silent("sleep 1000"), picky("cat");
  const auto sent = pattern(1000);
  std::vector<std::vector<std::byte>> received(4, std::vector<std::byte>(1000));
  std::vector<Exchange> all;
  Process* const processes[] = {&good, &dead, &silent, &picky};
  for (std::size_t k = 0; k < 4; ++k) all.push_back(echo(*processes[k], sent, received[k]));
  all[3].receive_head = std::span(received[3]).first(10);
  all[3].receive_body = std::span(received[3]).last(990);
  all[3].accept = [] { return false; };
  Exchange::run(all, {.seconds = 2});  // long enough for a busy machine to start the others
  EXPECT_EQ(all[0].outcome, Outcome::done);
  EXPECT_EQ(all[1].outcome, Outcome::closed);
  EXPECT_EQ(all[2].outcome, Outcome::silent);
  EXPECT_EQ(all[3].outcome, Outcome::refused);
  EXPECT_EQ(all[3].received, 10u);
  EXPECT_EQ(received[0], sent);
}

TEST(Process, LinesEndWhereTheyEndAndTheRestIsKept) {
  Process process("printf 'one\\n\\nthree'; cat");
  std::string line;
  EXPECT_EQ(process.read_line(line, kLine, {}), Outcome::done);
  EXPECT_EQ(line, "one");
  EXPECT_EQ(process.read_line(line, kLine, {}), Outcome::done);
  EXPECT_EQ(line, "");
  const auto sent = pattern(10);
  std::vector<std::byte> received(15);
  Exchange exchange = echo(process, sent, received);
  Exchange::run({&exchange, 1}, {});
  EXPECT_EQ(std::memcmp(received.data(), "three", 5), 0);
  EXPECT_TRUE(std::equal(sent.begin(), sent.end(), received.begin() + 5));
}

TEST(Process, LinesHaveALimit) {
  Process endless("while :; do printf 0123456789; done"), unfinished("printf abc"), mute("sleep 1000");
  std::string line;
  EXPECT_EQ(endless.read_line(line, 100, {}), Outcome::too_long);
  EXPECT_EQ(unfinished.read_line(line, 100, {}), Outcome::closed);
  EXPECT_EQ(line, "abc");
  EXPECT_EQ(mute.read_line(line, 100, {.seconds = 0.05}), Outcome::silent);
}

TEST(Process, TellsHowItEnded) {
  EXPECT_EQ(Process("exit 3").end(60).describe(), "exited with status 3");
  EXPECT_EQ(Process("kill -9 $$").end(60).describe(), "was killed by signal 9 (Killed)");
  EXPECT_EQ(Process("sh -c 'kill -9 $$'; exit $?").end(60).describe(), "exited with status 137 (signal 9, Killed)");
  Process absent("no-such-program-anywhere");
  EXPECT_EQ(absent.wait(60).describe(), "exited with status 127 (command not found)");
  EXPECT_NE(absent.last_words().find("no-such-program-anywhere"), std::string::npos);
  Process sleeping("sleep 1000");
  EXPECT_TRUE(sleeping.wait(0).running);
  EXPECT_EQ(sleeping.end(0).signal, 9);
  EXPECT_EQ(sleeping.end(0).signal, 9);  // and may be asked again
}

TEST(Process, KeepsTheLastWordsOfOneThatTalksWithoutEnd) {
  // 1.6 MB on standard error: more than a pipe holds, so it would stop if nobody listened.
  Process process(
      "i=0; while [ $i -lt 20000 ]; do echo 'complaint complaint complaint complaint complaint "
      "complaint complaint' $i >&2; i=$((i+1)); done; printf 'the\\tlast \\n\\n  ' >&2; echo done; cat");
  std::string line;
  EXPECT_EQ(process.read_line(line, kLine, {}), Outcome::done);
  EXPECT_EQ(line, "done");
  EXPECT_EQ(process.last_words(), "the?last");
}

TEST(Process, LastWordsAreNotThoseOfTheShell) {
  Process process("sh -c 'echo out of memory >&2; kill -9 $$'; exit $?");
  EXPECT_EQ(process.wait(60).status, 137);
  EXPECT_EQ(process.last_words(), "out of memory");
  Process mute("sh -c 'kill -9 $$'; exit $?");
  EXPECT_EQ(mute.wait(60).status, 137);
  EXPECT_EQ(mute.last_words().find('\n'), std::string::npos);
}

TEST(Process, DeathOfAReaderIsNoSignalToUs) {
  // The default action of SIGPIPE would end this program.
  Process process("exec 0<&-; echo closed; sleep 1000");
  std::string line;
  ASSERT_EQ(process.read_line(line, kLine, {}), Outcome::done);
  const auto sent = pattern(100'000);
  Exchange exchange = echo(process, sent, {});
  Exchange::run({&exchange, 1}, {});
  EXPECT_EQ(exchange.outcome, Outcome::closed);
}

TEST(Process, CancelsAWait) {
  Process process("sleep 1000");
  int asked = 0;
  std::string line;
  const Patience patience{.progress = [&](const Progress&) { return ++asked < 2; }};
  EXPECT_EQ(process.read_line(line, kLine, patience), Outcome::cancelled);
  EXPECT_EQ(asked, 2);
}

TEST(Process, TakesItsWholeGroupAlong) {
  // A grandchild in the background holds the other end of our pipe: the pipe ends when the grandchild does.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  {
    Process process("sleep 1000 & echo started; cat");
    std::string line;
    ASSERT_EQ(process.read_line(line, kLine, {}), Outcome::done);
    ::close(ends[1]);
  }
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);  // would wait for ever otherwise
  ::close(ends[0]);
}

TEST(Process, LeavesNothingBehind) {
  const auto before = open_descriptors();
  for (int k = 0; k < 20; ++k) {
    Process process(k % 2 == 0 ? "exit 1" : "cat");
    std::string line;
    if (k % 4 == 0) process.read_line(line, kLine, {});
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // no child, dead or alive
  EXPECT_EQ(errno, ECHILD);
}

TEST(Process, ClosedStreamsOfOurOwnDoNotMatter) {
  const int input = ::dup(STDIN_FILENO);
  ::close(STDIN_FILENO);
  Process process("cat");
  ::dup2(input, STDIN_FILENO);
  ::close(input);
  const auto sent = pattern(100);
  std::vector<std::byte> received(100);
  Exchange exchange = echo(process, sent, received);
  Exchange::run({&exchange, 1}, {});
  EXPECT_EQ(exchange.outcome, Outcome::done);
  EXPECT_EQ(received, sent);
}

}  // namespace
}  // namespace rigspace
