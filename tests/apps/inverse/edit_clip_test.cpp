#include "rigspace/apps/inverse/edit_clip.h"

#include "rigspace/anim/bake.h"
#include "rigspace/apps/inverse/point_targets.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace rigspace::edit_clip_test {

const Character& ball() {
  static const Character character = make_character("sphere");
  return character;
}

double value_at(const Animation& clip, const char* control, double time) {
  Vec p = ball().rig->rest();
  Sampler(clip, ball().rig->controls()).sample(time, p);
  return p[ball().rig->find(control)];
}

Vec4 about_y(double degrees) {
  const double half = degrees * M_PI / 360;
  return {0, std::sin(half), 0, std::cos(half)};
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(ClipLayers, AddWhatTheyChangeSinceTheirFirstFrame) {
  const Animation& bounce = *ball().clip("Bounce");
  Animation base = bounce;
  base.rotations = {{.node = "sphere", .times = {0, 1}, .values = {about_y(0), about_y(30)}}};
  Animation wind{.name = "Wind", .duration = 1};
  wind.tracks = {{"sphere.tx", {.times = {0, 1}, .values = {0.3, 0.5}}}};
  wind.rotations = {{.node = "sphere", .times = {0, 1}, .values = {about_y(20), about_y(60)}}};
  const std::vector<double> times = frame_times(1.2, 30);
  const ClipLayer layers[] = {{wind, 0.5}};
  const Animation made = with_layers(ball(), base, layers, times);
  EXPECT_NEAR(value_at(made, "sphere.tx", 0), 0, 1e-12);
  EXPECT_NEAR(value_at(made, "sphere.tx", 1), 0.1, 1e-12);
  EXPECT_NEAR(value_at(made, "sphere.tx", 1.2), 0.1, 1e-12);  // it stays as it ended
  EXPECT_NEAR(value_at(made, "sphere.ty", 0.6), value_at(bounce, "sphere.ty", 0.6), 1e-12);
  Vec p = ball().rig->rest();
  Sampler(made, ball().rig->controls()).sample(1, p);
  EXPECT_NEAR(2 * std::atan2(p[ball().rig->find("sphere.qy")], p[ball().rig->find("sphere.qw")]), 50 * M_PI / 180,
              1e-9);
  const ClipLayer strong[] = {{wind, 2}}, strange[] = {{Animation{.name = "Empty"}, 1}};
  EXPECT_NE(message_of([&] { with_layers(ball(), base, strong, times); }).find("influence"), std::string::npos);
  EXPECT_NE(message_of([&] { with_layers(ball(), base, strange, times); }).find("moves no control"), std::string::npos);
}

TEST(ClipWarp, MovesTimesAndReachesValuesSmoothly) {
  const Animation& bounce = *ball().clip("Bounce");  // tz goes steadily to 0.6 in 1.2 s
  const ClipWarp warp = read_warp(std::vector<std::string>{"0.6=0.9", "sphere.ty@0.9=1.5"}, ball().rig->controls());
  const Animation made = warped(ball(), bounce, warp, 30);
  EXPECT_NEAR(made.duration, 1.5, 1e-12);
  EXPECT_NEAR(value_at(made, "sphere.tz", 0.9), 0.3, 1e-9);
  EXPECT_NEAR(value_at(made, "sphere.tz", 1.5), 0.6, 1e-9);
  EXPECT_NEAR(value_at(made, "sphere.ty", 0.9), 1.5, 1e-9);
  EXPECT_NEAR(value_at(made, "sphere.ty", 0), value_at(bounce, "sphere.ty", 0), 1e-12);
  EXPECT_NEAR(value_at(made, "sphere.ty", 1.5), value_at(bounce, "sphere.ty", 1.2), 1e-12);
  for (double t = 1.0 / 30, before = 0; t < 1.5; t += 1.0 / 30) {  // time never stands or goes back
    const double now = value_at(made, "sphere.tz", t);
    EXPECT_GT(now, before);
    before = now;
  }
}

TEST(ClipWarp, RefusesWhatItCannotMean) {
  const std::span<const Control> controls = ball().rig->controls();
  const auto refused = [&](std::vector<std::string> words, const char* sentence) {
    const std::string said =
        message_of([&] { warped(ball(), *ball().clip("Bounce"), read_warp(words, controls), 30); });
    EXPECT_NE(said.find(sentence), std::string::npos) << said;
  };
  refused({"soon"}, "is neither a time nor a value");
  refused({"0.5=x"}, "is neither a time nor a value");
  refused({"sphere.tq@0.5=1"}, "sphere.t");  // the nearest is named
  refused({"0.3=0.8", "0.6=0.5"}, "does not come after the time before it");
  refused({"2=3"}, "is not before the end of the clip");
  refused({"sphere.tx@7=1"}, "is not within the clip");
}

TEST(SpreadPoints, LeaveOutPieces) {
  const Character toon = make_character("toon", Version::skeleton);
  const auto in_hair = [&](const std::vector<int>& points) {
    const Piece& hair = *std::ranges::find(toon.pieces, "hair", &Piece::name);
    return std::ranges::count_if(
        points, [&](int i) { return i >= hair.first_point && i < hair.first_point + hair.point_count; });
  };
  const std::vector<std::string> hair{"hair"}, wig{"wig"};
  EXPECT_GT(in_hair(spread_points(toon, 60)), 0);
  const std::vector<int> bald = spread_points(toon, 60, hair);
  EXPECT_EQ(in_hair(bald), 0);
  EXPECT_EQ(bald.size(), 60U);
  EXPECT_NE(message_of([&] { spread_points(toon, 60, wig); }).find("is not one of this character's"),
            std::string::npos);
}

}  // namespace rigspace::edit_clip_test
