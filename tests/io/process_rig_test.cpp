// Rigs in other processes: the same as our own, and what happens when they are not well.
#include "rigspace/io/process_rig.h"

#include "process_rig_fixture.h"
#include "rigspace/base/parallel.h"
#include "rigspace/geometry/tri_mesh.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <thread>

namespace rigspace::process_rig_test {
namespace {

using namespace process_fixture;

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

}  // namespace
}  // namespace rigspace::process_rig_test
