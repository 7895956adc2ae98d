// Rigs in other processes: the same as our own, and what happens when they are not well.
#include "rigspace/io/process_rig.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/rig/black_box.h"
#include "rigspace/testing/check_rig.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <thread>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

const fs::path kSources = fs::path(__FILE__).parent_path().parent_path().parent_path();
constexpr const char* kPython = "/usr/bin/python3";
constexpr int kRings = 21;

double sinc(double t) { return std::abs(t) > 1e-4 ? std::sin(t) / t : 1 - t * t / 6; }

/// The bar of examples/python/rig_process.py.
void evaluate_bar(In p, Vec& s) {
  const double corners[4][2] = {{0.1, 0.1}, {0.1, -0.1}, {-0.1, -0.1}, {-0.1, 0.1}};
  const double thin = 1 / std::sqrt(p[2]);
  for (int ring = 0; ring < kRings; ++ring) {
    const double v = ring / (kRings - 1.0), arc = p[0] * v, turn = p[1] * v;
    for (int k = 0; k < 4; ++k) {
      const double x = corners[k][0], z = corners[k][1];
      const double out = thin * (x * std::cos(turn) + z * std::sin(turn));
      const double side = thin * (z * std::cos(turn) - x * std::sin(turn));
      point(s, 4 * ring + k) = Vec3(p[2] * v * std::sin(arc / 2) * sinc(arc / 2) + out * std::cos(arc),
                                    p[2] * v * sinc(arc) - out * std::sin(arc) + p[3], side);
    }
  }
}

BlackBoxRig bar_in_process() {
  return BlackBoxRig(
      {.controls = {{.name = "bar.bend", .unit = Unit::angle, .min = -3.1, .max = 3.1, .typical = 0.5},
                    {.name = "bar.twist", .unit = Unit::angle, .typical = 0.5},
                    {.name = "bar.stretch", .unit = Unit::scale, .rest = 1, .min = 0.1, .max = 4, .typical = 0.2},
                    {.name = "bar.lift", .unit = Unit::length, .typical = 0.1}},
       .point_count = 4 * kRings,
       .evaluate = evaluate_bar,
       .noise = 0});
}

/// -S: without site packages, for a quick start.
std::string example() {
  return std::string(kPython) + " -S '" + (kSources / "examples/python/rig_process.py").string() + "'";
}

class ProcessRigs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kPython)) GTEST_SKIP() << kPython << " is absent";
    folder_ = fs::temp_directory_path() / ("rigspace_process_rig_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// The host with a fault, in the shell's place, so that its end is told as it was; see tests/io/hosts/bar_host.py.
  static std::string host(const std::string& fault) {
    return std::string("exec ") + kPython + " -S '" + (kSources / "tests/io/hosts/bar_host.py").string() + "' '" +
           fault + "'";
  }
  /// The fault at question `at` of the first process only.
  std::string host_once(const std::string& fault, int at) const {
    return host(fault) + " --at " + std::to_string(at) + " --once '" + (folder_ / "done").string() + "'";
  }

  fs::path folder_;
};

/// What a constructor, or an evaluation at rest, throws.
std::string message_of(const ProcessRigOptions& options) {
  try {
    const ProcessRig rig(options);
    Vec s;
    rig.evaluate(*rig.make_workspace(), rig.rest(), s);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::external_process) << error.what();
    return error.what();
  }
  return "nothing was thrown";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

double worst_difference(const Rig& rig, const Rig& truth, int poses) {
  Mat P(rig.rest().size(), poses), S, expected;
  for (int k = 0; k < poses; ++k) P.col(k) = testing::random_pose(rig, 2, static_cast<std::uint32_t>(k));
  rig.evaluate_batch(*rig.make_workspace(), P, S);
  truth.evaluate_batch(*truth.make_workspace(), P, expected);
  return (S - expected).cwiseAbs().maxCoeff();
}

TEST_F(ProcessRigs, AreTheSameAsInProcess) {
  const ProcessRig rig({.command = example()});
  const BlackBoxRig truth = bar_in_process();
  // Both add and multiply numbers of size 4 or less in another order at most: some units of 1e-16.
  EXPECT_LT(worst_difference(rig, truth, 50), 1e-12);
  ASSERT_EQ(rig.controls().size(), 4u);
  EXPECT_EQ(rig.controls()[0].name, "bar.bend");
  EXPECT_EQ(rig.controls()[0].node, "bar");
  EXPECT_EQ(rig.controls()[0].unit, Unit::angle);
  EXPECT_EQ(rig.controls()[0].max, 3.1);
  EXPECT_EQ(rig.controls()[1].max, std::numeric_limits<double>::infinity());
  EXPECT_EQ(rig.controls()[2].rest, 1);
  EXPECT_EQ(rig.traits().noise, 0);
  EXPECT_TRUE(rig.incidents().empty());
}

TEST_F(ProcessRigs, ObeyTheLawsOfRigs) {
  const ProcessRig rig({.command = example()});
  const auto report = testing::check_rig(rig, {.tolerance = 1e-8});
  EXPECT_TRUE(report.ok()) << report;
}

TEST_F(ProcessRigs, AJacobianByDifferencesIsOneRoundTrip) {
  const ProcessRig rig({.command = example()});
  const std::vector<int> all{0, 1, 2, 3};
  const Vec p = testing::random_pose(rig, 1, 5);
  BlockJacobian J, expected;
  const long before = rig.batches();
  rig.jacobian(*rig.make_workspace(), p, all, J);
  EXPECT_EQ(rig.batches() - before, 1);
  const BlackBoxRig truth = bar_in_process();
  truth.jacobian(*truth.make_workspace(), p, all, expected);
  // Steps are 1e-5 of the typical change, so 1e-6 here at least: rounding of 1e-16 becomes 1e-10.
  EXPECT_LT((J.dense() - expected.dense()).cwiseAbs().maxCoeff(), 1e-9);
}

TEST_F(ProcessRigs, MayGiveExactJacobians) {
  const ProcessRig rig({.command = host("jacobian"), .processes = 2});
  EXPECT_TRUE(rig.traits().exact_jacobian);
  const auto report = testing::check_rig(rig, {.tolerance = 1e-8});
  EXPECT_TRUE(report.ok()) << report;
  const Vec p = rig.rest();
  const std::vector<int> lift{3};
  BlockJacobian J;
  rig.jacobian(*rig.make_workspace(), p, lift, J);
  for (int i = 0; i < rig.point_count(); ++i) EXPECT_NEAR(J.dense()(3 * i + 1, 0), 1, 1e-10);
}

TEST_F(ProcessRigs, SeveralShareABatchAndGiveTheSameBits) {
  const ProcessRig one({.command = example(), .remember_bytes = 0}),
      three({.command = example(), .processes = 3, .remember_bytes = 0});
  for (const int count : {0, 1, 2, 3, 10}) {
    Mat P(4, count), A, B;
    for (int k = 0; k < count; ++k) P.col(k) = testing::random_pose(one, 1, static_cast<std::uint32_t>(k));
    one.evaluate_batch(*one.make_workspace(), P, A);
    three.evaluate_batch(*three.make_workspace(), P, B);
    EXPECT_EQ(A, B) << count << " poses";
  }
}

TEST_F(ProcessRigs, SomePointsAreThoseOfTheWhole) {
  // Whether the process leaves the others out or we do.
  for (const char* how : {"no-noise", "some-points"}) {
    const ProcessRig rig({.command = host(how), .processes = 2});
    const std::vector<int> some{0, 7, 8, 40, 83}, fewer{1, 3}, of_whole{7, 40};
    const auto restricted = rig.restricted(some), again = restricted->restricted(fewer);
    ASSERT_EQ(restricted->point_count(), 5);
    Mat P(4, 7), all, S;
    for (int k = 0; k < 7; ++k) P.col(k) = testing::random_pose(rig, 1, static_cast<std::uint32_t>(k));
    rig.evaluate_batch(*rig.make_workspace(), P, all);
    restricted->evaluate_batch(*restricted->make_workspace(), P, S);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(S.middleRows<3>(3 * i), all.middleRows<3>(3 * some[i])) << how;
    again->evaluate_batch(*again->make_workspace(), P, S);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(S.middleRows<3>(3 * i), all.middleRows<3>(3 * of_whole[i])) << how;
    const auto report = testing::check_rig(*restricted, {.tolerance = 1e-8});
    EXPECT_TRUE(report.ok()) << report;
  }
}

TEST_F(ProcessRigs, SomePointsHaveExactJacobiansToo) {
  for (const char* how : {"jacobian", "some-jacobian"}) {
    const ProcessRig rig({.command = host(how), .processes = 2});
    const std::vector<int> some{2, 50}, free{0, 1, 3};
    const Vec p = testing::random_pose(rig, 1, 3);
    BlockJacobian all, J;
    rig.jacobian(*rig.make_workspace(), p, free, all);
    const auto restricted = rig.restricted(some);
    const long before = rig.evaluations();
    restricted->jacobian(*restricted->make_workspace(), p, free, J);
    EXPECT_EQ(rig.evaluations() - before, 3);
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(J.dense().middleRows<3>(3 * i), all.dense().middleRows<3>(3 * some[i])) << how;
  }
}

TEST_F(ProcessRigs, SomePointsTravelAlone) {
  // The answer that goes wrong says how much was expected: three numbers for each of two points.
  const ProcessRig rig({.command = host("some-few")});
  const auto restricted = rig.restricted(std::vector<int>{3, 5});
  Vec s;
  try {
    restricted->evaluate(*restricted->make_workspace(), rig.rest(), s);
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(contains(error.what(), "answered 3 numbers to a batch of 1 pose where 6 were expected"))
        << error.what();
    EXPECT_TRUE(contains(error.what(), "it was asked for 2 of its points")) << error.what();
  }
}

TEST_F(ProcessRigs, SomePointsOutliveTheWhole) {
  std::unique_ptr<Rig> restricted;
  {
    const ProcessRig rig({.command = example()});
    restricted = rig.restricted(std::vector<int>{4});
  }
  Vec s, all(3 * 4 * kRings);
  const Vec p = restricted->rest();
  restricted->evaluate(*restricted->make_workspace(), p, s);
  evaluate_bar(p, all);
  EXPECT_LT((s - all.segment<3>(12)).norm(), 1e-12);
}

TEST_F(ProcessRigs, NoPointsAtAllAskNothing) {
  const ProcessRig rig({.command = host("some-points")});
  const auto none = rig.restricted({});
  const long before = rig.batches();
  Vec s;
  none->evaluate(*none->make_workspace(), rig.rest(), s);
  EXPECT_EQ(s.size(), 0);
  EXPECT_EQ(rig.batches(), before);
}

TEST_F(ProcessRigs, LeftToThemselvesStartMoreWhereBatchesArePaidFor) {
  const ThreadCountScope threads(3);
  const fs::path starts = folder_ / "starts";
  const auto started = [&] {
    std::ifstream file(starts);
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  };
  const ProcessRig rig({.command = "echo >> '" + starts.string() + "'; exec " + example(), .remember_bytes = 0}),
      one({.command = example(), .processes = 1});
  Vec s;
  const auto workspace = rig.make_workspace();
  for (int k = 0; k < 200; ++k) rig.evaluate(*workspace, rig.rest(), s);
  EXPECT_EQ(started(), 1);  // one pose at a time is not shared out
  Mat P(4, 50), A, B;
  for (int k = 0; k < 50; ++k) P.col(k) = testing::random_pose(one, 1, static_cast<std::uint32_t>(k));
  one.evaluate_batch(*workspace, P, B);
  for (int k = 0; k < 20000 && rig.batches() < 200 + k + 3; ++k) {  // until a batch was of three questions
    rig.evaluate_batch(*workspace, P, A);
    ASSERT_EQ(A, B);
  }
  EXPECT_EQ(started(), 3);
  EXPECT_TRUE(rig.incidents().empty());
}

TEST_F(ProcessRigs, DoWithOneWhereNoSecondStarts) {
  const ThreadCountScope threads(2);
  const std::string seat = (folder_ / "seat").string();
  const ProcessRig rig({.command = "mkdir '" + seat + "' || { echo no licence left >&2; exit 1; }; exec " + example(),
                        .remember_bytes = 0});
  const BlackBoxRig truth = bar_in_process();
  for (int k = 0; k < 20000 && rig.incidents().empty(); ++k) ASSERT_LT(worst_difference(rig, truth, 20), 1e-12);
  ASSERT_EQ(rig.incidents().size(), 1u);
  EXPECT_TRUE(contains(
      rig.incidents()[0],
      "was not started beside itself: it exited with status 1 (its last words: no licence left); 1 of it must do"))
      << rig.incidents()[0];
  EXPECT_LT(worst_difference(rig, truth, 20), 1e-12);
}

TEST_F(ProcessRigs, APoseThatIsKnownIsNotAskedForAgain) {
  const ProcessRig rig({.command = example()});
  const auto workspace = rig.make_workspace();
  Mat P(4, 3), first, again;
  for (int k = 0; k < 3; ++k) P.col(k) = testing::random_pose(rig, 1, static_cast<std::uint32_t>(k));
  rig.evaluate_batch(*workspace, P, first);
  EXPECT_EQ(rig.evaluations(), 3);
  EXPECT_EQ(static_cast<const Rig&>(rig).evaluation_count(), 3);
  EXPECT_TRUE(rig.traits().remembers_poses);
  EXPECT_FALSE(ProcessRig({.command = example(), .remember_bytes = 0}).traits().remembers_poses);
  P.col(1) = testing::random_pose(rig, 1, 77);
  rig.evaluate_batch(*workspace, P, again);
  EXPECT_EQ(rig.evaluations(), 4);
  EXPECT_EQ(again.col(0), first.col(0));
  EXPECT_EQ(again.col(2), first.col(2));
  Vec s;
  rig.evaluate(*workspace, P.col(1), s);
  EXPECT_EQ(s, again.col(1));
  EXPECT_EQ(rig.evaluations(), 4);
}

TEST_F(ProcessRigs, KnowPointsThatTheyWereAskedForAmongOthers) {
  const ProcessRig rig({.command = example()});
  const auto all = rig.make_workspace();
  const std::vector<int> some{3, 7, 20, 60}, fewer{1, 3};  // of `some`: points 7 and 60
  const auto part = rig.restricted(some), part_of_part = part->restricted(fewer);
  const Vec p = testing::random_pose(rig, 1, 5), q = testing::random_pose(rig, 1, 6);
  Vec s, t, u;
  rig.evaluate(*all, p, s);
  part->evaluate(*part->make_workspace(), q, t);
  const long before = rig.evaluations();
  part->evaluate(*part->make_workspace(), p, t);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(point(t, i), point(s, some[i]));
  part->evaluate(*part->make_workspace(), q, t);
  part_of_part->evaluate(*part_of_part->make_workspace(), q, u);
  EXPECT_EQ(point(u, 0), point(t, 1));
  EXPECT_EQ(point(u, 1), point(t, 3));
  EXPECT_EQ(rig.evaluations(), before);
  rig.evaluate(*all, q, s);  // not the other way round
  EXPECT_EQ(rig.evaluations(), before + 1);
}

TEST_F(ProcessRigs, RememberOnlyAsMuchAsTheyMay) {
  // A pose of 84 points and four controls takes 2048 bytes: three of them have room.
  const ProcessRig rig({.command = example(), .remember_bytes = 3 * 2048});
  const auto workspace = rig.make_workspace();
  Vec s;
  const auto ask = [&](int k) {
    const long before = rig.evaluations();
    rig.evaluate(*workspace, testing::random_pose(rig, 1, static_cast<std::uint32_t>(k)), s);
    return rig.evaluations() - before;
  };
  for (int k = 0; k < 3; ++k) EXPECT_EQ(ask(k), 1);
  EXPECT_EQ(ask(0), 0);
  EXPECT_EQ(ask(3), 1);  // in the place of pose 1, which was wanted longest ago
  EXPECT_EQ(ask(0), 0);
  EXPECT_EQ(ask(1), 1);
}

TEST_F(ProcessRigs, ThreadsWaitForEachOther) {
  const ProcessRig rig({.command = example(), .remember_bytes = 0});
  const BlackBoxRig truth = bar_in_process();
  std::vector<double> worst(4, 1);
  {
    std::vector<std::jthread> threads;
    for (double& each : worst) threads.emplace_back([&] { each = worst_difference(rig, truth, 20); });
  }
  for (const double each : worst) EXPECT_LT(each, 1e-12);
}

TEST_F(ProcessRigs, MeasureTheirNoiseUnlessTold) {
  const ProcessRig exact({.command = host("no-noise")}), single({.command = host("single")});
  EXPECT_EQ(exact.traits().noise, 0);
  // Rounding to float leaves about 2^-24 / sqrt(3) of a value below 1: some 1e-8.
  EXPECT_GT(single.traits().noise, 1e-9);
  EXPECT_LT(single.traits().noise, 2e-7);
}

TEST_F(ProcessRigs, WithoutControlsStillHaveAShape) {
  const ProcessRig rig({.command = host("no-controls")});
  EXPECT_TRUE(rig.controls().empty());
  Vec s, expected(3 * rig.point_count());
  rig.evaluate(*rig.make_workspace(), rig.rest(), s);
  evaluate_bar(bar_in_process().rest(), expected);
  EXPECT_LT((s - expected).cwiseAbs().maxCoeff(), 1e-12);
  BlockJacobian J;
  rig.jacobian(*rig.make_workspace(), rig.rest(), {}, J);
  EXPECT_EQ(J.columns, 0);
}

TEST_F(ProcessRigs, BringAWholeCharacter) {
  const Character character = start_character({.command = example()});
  EXPECT_EQ(character.name, "bar");
  ASSERT_EQ(character.pieces.size(), 1u);
  EXPECT_EQ(character.pieces[0].triangles.size(), 4u + 8 * (kRings - 1));
  ASSERT_EQ(character.pieces[0].material, 0);
  EXPECT_FLOAT_EQ(character.materials[0].base_color[1], 0.25f);
  const TriMesh surface = rest_surface(character);
  EXPECT_NEAR(signed_volume(surface), 0.2 * 0.2 * 1, 1e-12);  // outward
  EXPECT_TRUE(connected_components(surface).all_closed());
}

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
}  // namespace rigspace
