// The C interface: settings, errors, counters, one array for input and output.

#include "rigspace/apps/physics/realtime_c.h"

#include "rigspace/apps/physics/realtime_load.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/gltf.h"
#include "support/ball.h"
#include "support/rods.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

namespace rigspace::realtime_c_test {
namespace {

constexpr double kFrame = 1.0 / 60;
constexpr const char* kJelly = R"({"parts": ["body=jelly"], "looks": {"jelly": {"rate": 2, "settle": 1}}})";

double swing(double t) { return 0.08 * std::sin(2 * std::numbers::pi * 1.2 * t); }

std::string file_of(const Character& character, const char* name) {
  const std::string path = ::testing::TempDir() + name;
  const std::vector<std::byte> bytes = to_glb(character);
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  return path;
}

/// A character in the game, through the C interface alone.
class Player {
 public:
  explicit Player(rigspace_realtime_model* model)
      : model_(model), controls_(rigspace_realtime_control_count(model)), rig_(rigspace_realtime_create(model)) {
    for (int c = 0; c < controls_; ++c) pose_.push_back(rigspace_realtime_control_rest(model, c));
  }
  ~Player() {
    rigspace_realtime_destroy(rig_);
    rigspace_realtime_release_model(model_);
  }
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  int find(const char* name) const {
    for (int c = 0; c < controls_; ++c)
      if (std::strcmp(rigspace_realtime_control_name(model_, c), name) == 0) return c;
    return -1;
  }
  void frame() {
    ASSERT_EQ(rigspace_realtime_set_keyed(rig_, pose_.data(), controls_), 0);
    ASSERT_EQ(rigspace_realtime_step(rig_, kFrame), 0);
  }
  void apply(std::vector<double>& pose) const { ASSERT_EQ(rigspace_realtime_apply(rig_, pose.data(), controls_), 0); }
  rigspace_realtime_rig* rig() const { return rig_; }
  std::vector<double>& pose() { return pose_; }

 private:
  rigspace_realtime_model* model_;
  int controls_;
  rigspace_realtime_rig* rig_;
  std::vector<double> pose_;
};

TEST(RealtimeC, StepsACharacterFromAFile) {
  const std::string path = ::testing::TempDir() + "realtime_ball.glb";
  const std::vector<std::byte> bytes = to_glb(testing::make_ball());
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  rigspace_realtime_model* model = rigspace_realtime_load(
      path.c_str(), R"({"parts": ["body=jelly"], "looks": {"jelly": {"rate": 2, "settle": 1}}})");
  ASSERT_NE(model, nullptr) << rigspace_realtime_error();
  const int controls = rigspace_realtime_control_count(model), free = rigspace_realtime_free_count(model);
  ASSERT_GT(free, 0);
  std::vector<double> pose(static_cast<std::size_t>(controls)), soft(static_cast<std::size_t>(free));
  int ty = -1;
  for (int c = 0; c < controls; ++c) {
    pose[c] = rigspace_realtime_control_rest(model, c);
    if (std::strcmp(rigspace_realtime_control_name(model, c), "root.ty") == 0) ty = c;
  }
  ASSERT_GE(ty, 0);
  rigspace_realtime_rig* rig = rigspace_realtime_create(model);
  ASSERT_NE(rig, nullptr);
  rigspace_realtime_release_model(model);  // instances keep what they need
  double most = 0;
  for (int k = 0; k < 30; ++k) {
    pose[ty] = swing(k * kFrame);
    ASSERT_EQ(rigspace_realtime_set_keyed(rig, pose.data(), controls), 0);
    ASSERT_EQ(rigspace_realtime_step(rig, kFrame), 0);
    ASSERT_EQ(rigspace_realtime_read(rig, soft.data(), free), 0);
    std::vector<double> posed = pose;
    ASSERT_EQ(rigspace_realtime_apply(rig, posed.data(), controls), 0);
    for (int c = 0; c < controls; ++c) most = std::max(most, std::abs(posed[c] - pose[c]));
  }
  EXPECT_GT(most, 0.005);
  EXPECT_NE(rigspace_realtime_step(rig, -1), 0);
  EXPECT_NE(std::strstr(rigspace_realtime_error(), "time step"), nullptr);
  rigspace_realtime_destroy(rig);
}

TEST(RealtimeC, SaysWhatIsWrong) {
  EXPECT_EQ(rigspace_realtime_load("nowhere.glb", nullptr), nullptr);
  EXPECT_NE(std::strstr(rigspace_realtime_error(), "nowhere.glb"), nullptr);
  EXPECT_EQ(rigspace_realtime_error_code(), 3);
  const std::string path = file_of(testing::make_ball(), "realtime_wrong.glb");
  EXPECT_EQ(rigspace_realtime_load(path.c_str(), R"({"parts": ["body=jelly"], "widen": "yes"})"), nullptr);
  EXPECT_STREQ(rigspace_realtime_error(), "setting \"widen\" is \"yes\"; expected true or false");
  EXPECT_EQ(rigspace_realtime_load(nullptr, nullptr), nullptr);
  EXPECT_EQ(rigspace_realtime_create(nullptr), nullptr);
  EXPECT_NE(rigspace_realtime_step(nullptr, 0.1), 0);
  EXPECT_EQ(rigspace_realtime_steps(nullptr), 0);
}

TEST(RealtimeC, RefusesSettingsThatItDoesNotKnow) {
  const std::string path = file_of(testing::make_ball(), "realtime_unknown.glb");
  const auto refused = [&](const char* settings) {
    EXPECT_EQ(rigspace_realtime_load(path.c_str(), settings), nullptr) << settings;
    EXPECT_EQ(rigspace_realtime_error_code(), 2) << rigspace_realtime_error();
    return std::string(rigspace_realtime_error());
  };
  EXPECT_EQ(refused(R"({"parts": ["body=jelly"], "metres_per_units": 1})"),
            "setting \"metres_per_units\" is not known; did you mean \"metres_per_unit\"?");
  EXPECT_EQ(refused(R"({"chains": "ropes"})"), "setting \"chains\" is \"ropes\"; expected one of auto, rods, solids");
  EXPECT_NE(refused(R"({"max_substeps": 2.5})").find("max_substeps"), std::string::npos);
  EXPECT_NE(refused(R"({"parts": "body=jelly"})").find("parts"), std::string::npos);
  EXPECT_NE(refused(R"({"parts": ["body=jelly"], "looks": {"jely": {"rate": 2}}})").find("did you mean \"jelly\"?"),
            std::string::npos);
  EXPECT_NE(refused("[1, 2]").find("settings"), std::string::npos);
}

// A tail as a solid has hundreds of nodes, which rods lack, so an instance is larger.
TEST(RealtimeC, TakesChainsAsRodsOrSolids) {
  const std::string path = file_of(make_character("bobbin"), "realtime_chains.glb");
  const auto bytes = [&](const std::string& chains) {
    rigspace_realtime_model* model =
        rigspace_realtime_load(path.c_str(), (R"({"parts": ["tail*=tail"], "chains": ")" + chains + "\"}").c_str());
    EXPECT_NE(model, nullptr) << rigspace_realtime_error();
    return model == nullptr ? 0 : rigspace_realtime_bytes(Player(model).rig());
  };
  const long long rods = bytes("rods"), solids = bytes("solids");
  if (rods == 0) GTEST_SKIP() << "malloc gives no figure";
  EXPECT_GT(solids, 1.5 * static_cast<double>(rods));
}

TEST(RealtimeC, CountsItsSteps) {
  const std::string path = file_of(testing::make_ball(), "realtime_counts.glb");
  rigspace_realtime_model* model = rigspace_realtime_load(path.c_str(), kJelly);
  ASSERT_NE(model, nullptr) << rigspace_realtime_error();
  Player player(model);
  const int ty = player.find("root.ty");
  for (int k = 1; k <= 30; ++k) player.pose()[ty] = swing(k * kFrame), player.frame();
  EXPECT_EQ(rigspace_realtime_steps(player.rig()), 60);
  EXPECT_EQ(rigspace_realtime_unconverged(player.rig()), 0);
  EXPECT_GE(rigspace_realtime_iterations(player.rig()), 30);
  EXPECT_GE(rigspace_realtime_jacobians(player.rig()), 1);
  ASSERT_EQ(rigspace_realtime_reset(player.rig(), player.pose().data(), static_cast<int>(player.pose().size())), 0);
  EXPECT_EQ(rigspace_realtime_steps(player.rig()), 0);
  EXPECT_EQ(rigspace_realtime_iterations(player.rig()), 0);
}

// What apply wrote and nobody keyed since comes back as input: with two arrays and with one it must be the same motion.
// Also where the engine keeps poses as floats.
TEST(RealtimeC, OneArrayMayBeInputAndOutput) {
  const std::string path = file_of(testing::make_ball(), "realtime_one_array.glb");
  const auto load = [&] { return rigspace_realtime_load(path.c_str(), kJelly); };
  Player apart(load()), one(load()), floats(load());
  const int ty = one.find("root.ty");
  std::vector<double> posed = apart.pose();
  double most = 0, farthest = 0;
  for (int k = 1; k <= 240; ++k) {
    for (Player* each : {&apart, &one, &floats}) each->pose()[ty] = swing(k * kFrame), each->frame();
    apart.apply(posed), one.apply(one.pose()), floats.apply(floats.pose());
    for (double& value : floats.pose()) value = static_cast<float>(value);
    for (std::size_t c = 0; c < posed.size(); ++c) {
      if (static_cast<int>(c) == ty) continue;
      farthest = std::max(farthest, std::abs(posed[c] - apart.pose()[c]));
      ASSERT_EQ(one.pose()[c], posed[c]) << "frame " << k;
      most = std::max(most, std::abs(floats.pose()[c] - posed[c]));
    }
  }
  EXPECT_GT(farthest, 0.005);
  EXPECT_LT(most, 1e-4 * farthest);  // root.ty itself is rounded, at 6e-8
}

}  // namespace
}  // namespace rigspace::realtime_c_test
