// What rigs in other processes answered at rest, from one run to the next.

#include "rigspace/base/files.h"
#include "rigspace/io/process_rig.h"
#include "support/own_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>

namespace rigspace::process_rest_cache_test {
namespace {

namespace fs = std::filesystem;

const fs::path kSources = fs::path(__FILE__).parent_path().parent_path().parent_path();
constexpr const char* kPython = "/usr/bin/python3";
constexpr long kTold = 3;  // poses that identify a rig

class ProcessKept : public OwnCache {
 protected:
  void SetUp() override {
    OwnCache::SetUp();
    if (!fs::exists(kPython)) GTEST_SKIP() << kPython << " is absent";
  }

  static ProcessRigOptions run(const fs::path& script, const std::string& more = "") {
    return {.command = "exec " + (kPython + (" -S '" + script.string())) + "'" + more,
            .processes = 1,
            .cache_rest_poses = true};
  }
  static fs::path example() { return kSources / "examples/python/rig_process.py"; }

  struct Asked {
    BlockJacobian J, some;
    Vec s;
    long evaluations = 0;
  };
  /// Rest and J there, of all points and of some, as a run of its own.
  static Asked ask(const ProcessRigOptions& options, bool at_rest = true) {
    const ProcessRig rig(options);
    const std::array free{0, 1, 3}, points{7, 40, 80};
    Vec p = rig.rest();
    if (!at_rest) p[0] = p[1] = 0.25;
    Asked asked;
    rig.jacobian(*rig.make_workspace(), p, free, asked.J);
    rig.evaluate(*rig.make_workspace(), p, asked.s);
    const auto some = rig.restricted(points);
    some->jacobian(*some->make_workspace(), p, free, asked.some);
    asked.evaluations = rig.evaluations();
    return asked;
  }
};

TEST_F(ProcessKept, AJacobianAtRestIsAskedForOnce) {
  ProcessRigOptions forgetful = run(example());
  forgetful.cache_rest_poses = false;
  const Asked plain = ask(forgetful), first = ask(run(example())), again = ask(run(example()));
  EXPECT_GE(plain.evaluations, 7);  // two a control, and rest
  EXPECT_EQ(first.evaluations, plain.evaluations - 1 + kTold);
  EXPECT_EQ(again.evaluations, kTold);
  for (const Asked* each : {&first, &again}) {
    EXPECT_EQ(each->s, plain.s);
    EXPECT_EQ(each->J.value, plain.J.value);
    EXPECT_EQ(each->some.value, plain.some.value);
  }
  EXPECT_EQ(ask(run(example()), false).evaluations, plain.evaluations)
      << "poses away from rest are none of its business";
}

TEST_F(ProcessKept, ARigThatMovesInAnotherWayIsAnother) {
  ask(run(example()));
  std::string text = read_text(example());
  const std::string way = "arc, turn = bend * v,";
  ASSERT_NE(text.find(way), std::string::npos);
  text.replace(text.find(way), way.size(), "arc, turn = bend * v * v,");  // the same at rest
  write_file(folder() / "other.py", text);
  const Asked other = ask(run(folder() / "other.py"));
  EXPECT_GT(other.evaluations, 7);
  write_file(folder() / "moved.py", read_text(example()));  // and the same rig elsewhere is the same
  EXPECT_EQ(ask(run(folder() / "moved.py")).evaluations, kTold);
}

TEST_F(ProcessKept, ASliderThatGoesOneWayIsPushedThatWay) {
  const auto variant = [&](const char* name, const std::string& low, const std::string& high, const std::string& way) {
    std::string text = read_text(example());
    const auto change = [&](const std::string& from, const std::string& to) {
      ASSERT_NE(text.find(from), std::string::npos) << from;
      text.replace(text.find(from), from.size(), to);
    };
    change("\"min\": -3.1, \"max\": 3.1", "\"min\": " + low + ", \"max\": " + high);
    change("arc, turn = bend * v,", "arc, turn = bend * " + way + ",");
    write_file(folder() / name, text);
    return run(folder() / name);
  };
  ask(variant("up.py", "0", "3.1", "v"));
  EXPECT_GT(ask(variant("other_up.py", "0", "3.1", "v * v")).evaluations, kTold);
  ask(variant("down.py", "-3.1", "0", "v"));
  EXPECT_GT(ask(variant("other_down.py", "-3.1", "0", "v * v")).evaluations, kTold);
}

TEST_F(ProcessKept, WhereTheRigCannotBeToldNothingIsKept) {
  const ProcessRigOptions options =
      run(kSources / "tests/io/hosts/bar_host.py", " cannot --at 1 --once '" + (folder() / "done").string() + "'");
  ProcessRigOptions forgetful = run(example());
  forgetful.cache_rest_poses = false;
  const Asked asked = ask(options);  // the first question, which is the three poses, is refused
  EXPECT_EQ(asked.J.value, ask(forgetful).J.value);
  EXPECT_FALSE(fs::exists(folder() / "cache"));
}

}  // namespace
}  // namespace rigspace::process_rest_cache_test
