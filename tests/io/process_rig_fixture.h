#pragma once
// A bar as a rig in another process, and the same bar in this one.

#include "rigspace/base/error.h"
#include "rigspace/io/process_rig.h"
#include "rigspace/rig/black_box.h"
#include "rigspace/testing/check_rig.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <string>

namespace rigspace::process_fixture {

namespace fs = std::filesystem;

inline const fs::path kSources = fs::path(__FILE__).parent_path().parent_path().parent_path();
inline constexpr const char* kPython = "/usr/bin/python3";
inline constexpr int kRings = 21;

inline double sinc(double t) { return std::abs(t) > 1e-4 ? std::sin(t) / t : 1 - t * t / 6; }

/// The bar of examples/python/rig_process.py.
inline void evaluate_bar(In p, Vec& s) {
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

inline BlackBoxRig bar_in_process() {
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
inline std::string example() {
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

  /// The host with a fault, in the shell's place, so that its exit status reaches the rig unchanged; see
  /// tests/io/hosts/bar_host.py.
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
inline std::string message_of(const ProcessRigOptions& options) {
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

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline double worst_difference(const Rig& rig, const Rig& truth, int poses) {
  Mat P(rig.rest().size(), poses), S, expected;
  for (int k = 0; k < poses; ++k) P.col(k) = testing::random_pose(rig, 2, static_cast<std::uint32_t>(k));
  rig.evaluate_batch(*rig.make_workspace(), P, S);
  truth.evaluate_batch(*truth.make_workspace(), P, expected);
  return (S - expected).cwiseAbs().maxCoeff();
}

}  // namespace rigspace::process_fixture
