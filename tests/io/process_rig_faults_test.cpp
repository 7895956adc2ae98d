// Rigs in other processes that fail, hang, lie or are cancelled, and what is checked of their handshakes.

#include "process_rig_fixture.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <thread>

namespace rigspace::process_rig_faults_test {
namespace {

using namespace process_fixture;

/// 30 batches through a process that fails at the n-th question of its first life.
void recovers(ProcessRigOptions options, const std::string& account) {
  if (options.processes == 0) options.processes = 1;  // so that it is the n-th question everywhere
  options.remember_bytes = 0;
  const ProcessRig rig(options);
  const BlackBoxRig truth = bar_in_process();
  for (int k = 0; k < 30; ++k) EXPECT_LT(worst_difference(rig, truth, 1 + k), 1e-12) << "batch " << k;
  ASSERT_EQ(rig.incidents().size(), 1u) << account;
  EXPECT_TRUE(contains(rig.incidents()[0], account)) << rig.incidents()[0];
  EXPECT_TRUE(contains(rig.incidents()[0], "it was started again")) << rig.incidents()[0];
}

TEST_F(ProcessRigs, RecoverWhenKilledInMidRun) {
  recovers({.command = host_once("kill", 10)}, "was killed by signal 9 (Killed) (its last words: about to be killed)");
}

TEST_F(ProcessRigs, RecoverWhenKilledInMidAnswer) {
  recovers({.command = host_once("kill-halfway", 10)}, "was killed by signal 9 (Killed) after 10104 of 20184 bytes");
}

TEST_F(ProcessRigs, RecoverOneOfSeveral) {
  recovers({.command = host_once("kill", 10), .processes = 2}, "was killed by signal 9");
}

TEST_F(ProcessRigs, RecoverFromAnythingThatIsNoAnswer) {
  const std::pair<const char*, const char*> faults[] = {
      {"exit", "exited with status 1 (its last words: Traceback: the licence server is gone)"},
      {"few", "answered 2517 numbers to a batch of 10 poses where 2520 were expected"},
      {"many", "answered 2523 numbers"},
      {"huge", "answered 9223372036854775808 numbers"},
      {"twice", "answered question 10 where number 11 was asked"},
      {"nan", "answered that point 2 of pose 0 is not finite"},
      {"print", "wrote \"Evaluating the rig, plea\" where the header of an answer was expected"}};
  for (const auto& [fault, account] : faults) {
    recovers({.command = host_once(fault, 10)}, account);
    fs::remove(folder_ / "done");
  }
}

TEST_F(ProcessRigs, RecoverFromHanging) {
  // Long enough for a healthy answer on a busy machine, which would otherwise count as a second incident.
  recovers({.command = host_once("hang", 10), .answer_seconds = 2}, "was silent for 2 s");
  fs::remove(folder_ / "done");
  recovers({.command = host_once("short", 10), .answer_seconds = 2},
           "was silent for 2 s after 20176 of 20184 bytes of its answer");
}

TEST_F(ProcessRigs, RecoverWhenKilledBetweenBatches) {
  const std::string pid_file = (folder_ / "pid").string();
  const ProcessRig rig(
      {.command = "echo $$ > '" + pid_file + "'; exec " + example(), .processes = 1, .remember_bytes = 0});
  const BlackBoxRig truth = bar_in_process();
  EXPECT_LT(worst_difference(rig, truth, 3), 1e-12);
  for (int k = 1; k <= 2; ++k) {
    pid_t pid = 0;
    std::ifstream(pid_file) >> pid;
    ASSERT_GT(pid, 1);
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    EXPECT_LT(worst_difference(rig, truth, 3), 1e-12);
    EXPECT_EQ(rig.incidents().size(), static_cast<std::size_t>(k));
  }
}

TEST_F(ProcessRigs, StandardErrorIsTheirOwn) {
  const ProcessRig rig({.command = host("chatter")});
  EXPECT_LT(worst_difference(rig, bar_in_process(), 3), 1e-12);
  EXPECT_TRUE(rig.incidents().empty());
}

TEST_F(ProcessRigs, FailingTwiceIsAnErrorThatNamesThem) {
  const std::string kill = message_of({.command = host("kill")});
  EXPECT_TRUE(
      kill.starts_with("rig process \"" + host("kill") +
                       "\": the batch of 1 pose failed: the process was killed "
                       "by signal 9 (Killed) (its last words: about to be killed), and again after a restart; "))
      << kill;
  const std::string hang = message_of({.command = host("hang"), .answer_seconds = 0.3});
  EXPECT_TRUE(contains(hang, "was silent for 0.3 s, and again after a restart; find out where it hangs")) << hang;
  const std::string nan = message_of({.command = host("nan")});
  EXPECT_TRUE(contains(nan, "point 2 of pose 0 is not finite, and again after a restart")) << nan;
  const std::string print = message_of({.command = host("print")});
  EXPECT_TRUE(contains(print, "print everything but the protocol to standard error")) << print;
}

TEST_F(ProcessRigs, AreUsableAfterAnError) {
  // Each process dies at its second question: the second batch costs a restart, so does every one after it.
  const ProcessRig rig({.command = host("kill") + " --at 2", .processes = 1, .remember_bytes = 0});
  const BlackBoxRig truth = bar_in_process();
  for (int k = 0; k < 4; ++k) EXPECT_LT(worst_difference(rig, truth, 2), 1e-12);
  EXPECT_EQ(rig.incidents().size(), 3u);

  const ProcessRig lost({.command = host("kill")});
  for (int k = 0; k < 2; ++k) EXPECT_THROW(worst_difference(lost, truth, 1), Error);
}

TEST_F(ProcessRigs, MaySayThatTheyCannot) {
  const ProcessRig rig({.command = host("cannot") + " --at 2", .processes = 1, .remember_bytes = 0});
  const BlackBoxRig truth = bar_in_process();
  EXPECT_LT(worst_difference(rig, truth, 2), 1e-12);
  try {
    worst_difference(rig, truth, 2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(contains(error.what(),
                         "batch of 2 poses cannot be evaluated, it says: the plug-in for feathers is "
                         "not installed"))
        << error.what();
  }
  EXPECT_LT(worst_difference(rig, truth, 2), 1e-12);  // by the same process
  EXPECT_TRUE(rig.incidents().empty());
}

TEST_F(ProcessRigs, MustStayTheSameRig) {
  const std::string message = message_of({.command = host_once("other-rig", 1)});
  EXPECT_TRUE(contains(message,
                       "after a restart it did not start: it was started a second time and is another rig then; "
                       "controls and the number of points must be the same in every run"))
      << message;
}

TEST_F(ProcessRigs, CanBeCancelledAndUsedAgain) {
  bool cancel = false;
  const ProcessRig rig(
      {.command = host_once("hang", 2), .processes = 1, .remember_bytes = 0, .progress = [&](const Progress&) {
         return !cancel;
       }});
  const BlackBoxRig truth = bar_in_process();
  EXPECT_LT(worst_difference(rig, truth, 2), 1e-12);
  cancel = true;
  EXPECT_THROW(worst_difference(rig, truth, 2), Cancelled);
  cancel = false;
  EXPECT_LT(worst_difference(rig, truth, 2), 1e-12);
}

TEST_F(ProcessRigs, HandshakesAreChecked) {
  const auto said = [&](const std::string& fault) { return message_of({.command = host(fault)}); };
  EXPECT_EQ(message_of({.command = "no-such-rig-anywhere 2>/dev/null"}),
            "rig process \"no-such-rig-anywhere 2>/dev/null\": exited with status 127 (command not found) before it "
            "said what its controls are; run the command by itself to see what it says");
  EXPECT_TRUE(contains(said("text-first"),
                       "begins with \"Loading the rig\" where one line of JSON was expected; print "
                       "everything but the protocol to standard error"));
  EXPECT_TRUE(contains(said("bad-json"), "is not valid JSON at byte 30"));
  const std::string mute = message_of({.command = host("mute"), .handshake_seconds = 0.3});
  EXPECT_TRUE(contains(mute, "did not say what its controls are within 0.3 s")) << mute;
  const std::string unended = message_of({.command = host("no-newline"), .handshake_seconds = 1});
  EXPECT_TRUE(contains(unended, "only \"{\"rigspace\": 1\" without the end of the line")) << unended;
}

TEST_F(ProcessRigs, FieldsOfTheHandshakeAreChecked) {
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"rigspace": 2, "controls": [], "points": 1})", "\"rigspace\" is 2; this program speaks version 1"},
      {R"({"controls": [], "points": 1})", "\"rigspace\" is absent"},
      {R"({"rigspace": 1, "points": 1})", "\"controls\" is absent"},
      {R"({"rigspace": 1, "controls": []})", "\"points\" is absent"},
      {R"({"rigspace": 1, "controls": [], "points": 1e12})", "points is 1000000000000.0; at most 20000000"},
      {R"({"rigspace": 1, "controls": [], "points": -1})", "points is -1; give a whole number from 0"},
      {R"({"rigspace": 1, "controls": [{}], "points": 1})", "control 0 has no name"},
      {R"({"rigspace": 1, "controls": [7], "points": 1})", "control 0 is 7"},
      {R"({"rigspace": 1, "controls": [{"name": "a"}, {"name": "a"}], "points": 1})", "control \"a\" is there twice"},
      {R"({"rigspace": 1, "controls": [{"name": "a", "unit": "degree"}], "points": 1})", "has the unit \"degree\""},
      {R"({"rigspace": 1, "controls": [{"name": "a", "rest": "x"}], "points": 1})", "has \"x\" as its rest"},
      {R"({"rigspace": 1, "controls": [{"name": "a", "min": 1}], "points": 1})", "rests outside its limits"},
      {R"({"rigspace": 1, "controls": [{"name": "a", "typical": 0}], "points": 1})", "has a typical change of 0"},
      {R"({"rigspace": 1, "controls": [{"name": "a", "max": Infinity}], "points": 1})", "are null, not Infinity"},
      {R"({"rigspace": 1, "controls": [{"name": "a", "max": 1e999}], "points": 1})", "beyond all range"},
      {R"({"rigspace": 1, "controls": [], "points": 1, "triangles": [[0, 0, 1]]})", "has the point 1"},
      {R"({"rigspace": 1, "controls": [], "points": 1, "triangles": [[0, 0]]})", "is [0,0]; give three points"},
      {R"({"rigspace": 1, "controls": [], "points": 3, "pieces": [{"points": 2}]})", "have 2 points together"},
      {R"({"rigspace": 1, "controls": [], "points": 3, "pieces": [{"points": 4}]})", "reaches beyond the rig"},
      {R"({"rigspace": 1, "controls": [], "points": 3, "color": [1, 2, 3]})", "give three numbers from 0 to 1"},
      {R"({"rigspace": 1, "controls": [], "points": 3, "noise": -1})", "noise is negative"},
      {R"({"rigspace": 1, "controls": [], "points": 3, "jacobian": 1})", "jacobian is 1; give true or false"},
      {R"({"rigspace": 1, "controls": [], "points": 3, "some_points": "a"})", "some_points is \"a\"; give true or"},
      {R"({"rigspace": 1, "extra": [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]})", "nests deeper than 16 levels"}};
  for (const auto& [handshake, problem] : wrong) {
    const std::string message = message_of({.command = "echo '" + std::string(handshake) + "'; cat >/dev/null"});
    EXPECT_TRUE(contains(message, problem)) << handshake << "\n" << message;
  }
}

TEST_F(ProcessRigs, OptionsAreChecked) {
  EXPECT_THROW(ProcessRig({.command = " "}), Error);
  EXPECT_THROW(ProcessRig({.command = "true", .processes = -1}), Error);
  EXPECT_THROW(ProcessRig({.command = "true", .answer_seconds = 0}), Error);
}

TEST_F(ProcessRigs, AThousandBatchesLeaveNothingOpen) {
  const auto open = [] {
    const fs::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  const auto before = open();
  {
    const ProcessRig rig({.command = host("kill") + " --at 400", .remember_bytes = 0});
    const auto during = open();
    Vec s;
    const auto workspace = rig.make_workspace();
    for (int k = 0; k < 1000; ++k) rig.evaluate(*workspace, rig.rest(), s);
    EXPECT_EQ(rig.incidents().size(), 2u);
    EXPECT_EQ(open(), during);
  }
  EXPECT_EQ(open(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // no child, dead or alive
}

}  // namespace
}  // namespace rigspace::process_rig_faults_test
