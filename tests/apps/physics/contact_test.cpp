// Parts that run into things.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/base/error.h"
#include "rigspace/body/character_obstacle.h"
#include "support/ball.h"
#include "support/rods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace rigspace::contact_test {
namespace {

using testing::make_ball;
using testing::make_rod;
using testing::root_clip;

/// The ball of flesh, softened once, with a look that needs no search.
const Softened& ball() {
  static const Softened soft = [] {
    const Character hard = make_ball();
    Softened made = soften(hard, parts_from_pattern(hard, "body=jelly"), {.max_per_part = 8});
    made.parts[0].settings.rate = 3, made.parts[0].settings.settle = 0.4;
    return made;
  }();
  return soft;
}

std::vector<Part> tail_of(const Character& rod) {
  std::vector<Part> parts = parts_from_pattern(rod, "tail_*=tail");
  parts[0].settings.rate = 1, parts[0].settings.settle = 1;
  return parts;
}

const Animation kStill = root_clip("root.ty", {0, 1}, {0, 0}, Interpolation::linear);

/// All points of the skin at a moment of the motion.
Vec skin_at(const Character& character, const Animation& clip, const SoftMotion& motion, double time) {
  Vec p = pose_at(character, &clip, time), s;
  const auto k = static_cast<Eigen::Index>(std::lround(time / (motion.times[1] - motion.times[0])));
  for (std::size_t c = 0; c < motion.controls.size(); ++c)
    p[motion.controls[c]] += motion.deviation(static_cast<Eigen::Index>(c), k);
  character.rig->evaluate(*character.rig->make_workspace(), p, s);
  return s;
}

Affine shifted(const Vec3& by) {
  Affine pose = identity_affine();
  translation(pose) = by;
  return pose;
}

double smooth(double t) { return t <= 0 ? 0 : t >= 1 ? 1 : t * t * (3 - 2 * t); }

/// A ball of 12 cm that comes along -x within half a second, until it would be 6 cm deep in the flesh, and stays.
Obstacle pressed_ball() {
  Obstacle obstacle{.name = "ball", .shape = Collider::sphere(Vec3(0.5, 0, 0), 0.12)};
  obstacle.pose = [](double time) { return shifted(Vec3(-0.14 * smooth(2 * time), 0, 0)); };
  return obstacle;
}

double deepest_in_pressed_ball(const SoftMotion& motion) {
  const Vec s = skin_at(ball().character, kStill, motion, 1);
  double depth = 0;
  for (int i = 0; i < s.size() / 3; ++i) depth = std::max(depth, 0.12 - (point(s, i) - Vec3(0.36, 0, 0)).norm());
  return depth;
}

TEST(Collisions, DentFleshThatABallIsPressedInto) {
  SimulationOptions options;
  EXPECT_GT(deepest_in_pressed_ball(simulate_parts(ball().character, &kStill, ball().parts, options)), 0.04)
      << "without contact it goes straight in";
  options.collisions.obstacles = {pressed_ball()};
  const SoftMotion motion = simulate_parts(ball().character, &kStill, ball().parts, options);
  EXPECT_EQ(motion.failed_steps, 0);
  // Eight soft joints cannot make the print of a ball of 12 cm, but they give way.
  EXPECT_LT(deepest_in_pressed_ball(motion), 0.02);
  // What is reported is of the solid's own skin, whose points lie between those that are drawn, and of all times.
  EXPECT_GT(motion.parts[0].deepest, 0.5 * deepest_in_pressed_ball(motion));
  EXPECT_LT(motion.parts[0].deepest, 0.03);
  EXPECT_GT(motion.parts[0].deepest_at, 0.1);
}

/// Two balls of flesh on bones of their own, 0.7 m apart in x; the clip brings the second to 0.54 m and keeps it there.
TEST(Collisions, PressALaterPartAgainstAnEarlierOneAsThatMoves) {
  const Character hard = testing::make_balls(2, 0.7);
  std::vector<Part> parts = parts_from_pattern(hard, "body_1=jelly");
  parts.push_back(parts_from_pattern(hard, "body_2=jelly")[0]);
  parts[0].name = "first", parts[1].name = "second";
  Softened soft = soften(hard, parts, {.max_per_part = 8});
  ASSERT_EQ(soft.parts.size(), 2u);
  for (Part& part : soft.parts) part.settings.rate = 3, part.settings.settle = 0.4;
  const Animation pressed = root_clip("body_2.tx", {0, 0.5, 1}, {0.7, 0.54, 0.54}, Interpolation::linear);
  SimulationOptions options{.looping = Looping::never};
  const auto overlap = [&](const SoftMotion& motion) {  // along x, of the balls' nearest points, at the end
    const Vec s = skin_at(soft.character, pressed, motion, 1);
    double first = -1, second = 1;
    const int half = static_cast<int>(s.size()) / 6;
    for (int i = 0; i < 2 * half; ++i)
      i < half ? first = std::max(first, s[3 * i]) : second = std::min(second, s[3 * i]);
    return first - second;
  };
  const double through = overlap(simulate_parts(soft.character, &pressed, soft.parts, options));
  EXPECT_GT(through, 0.05) << "without contact they go through each other";
  options.collisions.parts = true;
  const SoftMotion motion = simulate_parts(soft.character, &pressed, soft.parts, options);
  EXPECT_EQ(motion.failed_steps, 0);
  EXPECT_LT(overlap(motion), 0.5 * through) << "the later one gives way, as far as eight soft joints can";
  EXPECT_EQ(motion.parts[0].deepest, 0) << "the first one has nobody before it";
  EXPECT_GT(motion.parts[1].deepest, 0);
}

TEST(Collisions, LeaveTheArtistsOwnPenetrationsAlone) {
  SimulationOptions options;
  options.collisions.obstacles = {{.name = "ball", .shape = Collider::sphere(Vec3(0.36, 0, 0), 0.12)}};
  options.collisions.obstacles[0].artist_first = true;
  EXPECT_LT(simulate_parts(ball().character, &kStill, ball().parts, options).deviation.cwiseAbs().maxCoeff(), 1e-9);
  options.collisions.obstacles[0].artist_first = false;
  EXPECT_GT(simulate_parts(ball().character, &kStill, ball().parts, options).deviation.cwiseAbs().maxCoeff(), 1e-2);
}

TEST(Collisions, StopATailAtAWall) {
  const Character rod = make_rod(4);
  const Animation jolt = root_clip("root.tx", {0, 0.1, 2}, {0, 0.3, 0.3}, Interpolation::linear);
  const auto farthest = [&](const SimulationOptions& options) {
    const SoftMotion motion = simulate_parts(rod, &jolt, tail_of(rod), options);
    EXPECT_EQ(motion.failed_steps, 0);
    double x = -1;
    for (double time = 0; time < 2; time += 0.05) {
      const Vec s = skin_at(rod, jolt, motion, time);
      for (int i = 0; i < s.size() / 3; ++i) x = std::max(x, s[3 * i]);
    }
    return x;
  };
  SimulationOptions options{.looping = Looping::never};
  const double free = farthest(options);
  options.collisions.obstacles = {{.name = "wall", .shape = Collider::plane(Vec3(0.4, 0, 0), -Vec3::UnitX())}};
  const double stopped = farthest(options);
  EXPECT_GT(free, 0.45);
  EXPECT_LT(stopped, 0.41) << "a wall at 0.4, a centimetre of give";
}

/// A plate of 4 mm, 0.2 m wide and 0.4 m deep, that comes along x at 30 m/s and stops.
Obstacle swung_plate() {
  TriMesh mesh{.points = Vec(24)};
  for (int i = 0; i < 8; ++i)
    point(mesh.points, i) = Vec3(-1 + (i & 1 ? 0.002 : -0.002), -0.8 + (i & 2 ? 0.1 : -0.1), i & 4 ? 0.2 : -0.2);
  mesh.triangles = {{2, 6, 7}, {2, 7, 3}, {0, 1, 5}, {0, 5, 4}, {0, 4, 6}, {0, 6, 2},
                    {1, 3, 7}, {1, 7, 5}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  orient_outward(mesh);
  Obstacle obstacle{.name = "plate", .shape = Collider::mesh(mesh)};
  obstacle.pose = [](double time) { return shifted(Vec3(std::clamp(30 * (time - 0.1), 0.0, 1.2), 0, 0)); };
  return obstacle;
}

TEST(Collisions, LetNoPlateThroughATailHoweverFastItIsSwung) {
  const Character rod = make_rod(4);
  SimulationOptions options{.looping = Looping::never};
  options.collisions.obstacles = {swung_plate()};
  const SoftMotion motion = simulate_parts(rod, &kStill, tail_of(rod), options);
  const Vec s = skin_at(rod, kStill, motion, 0.5);
  int beside = 0;
  for (int i = 0; i < s.size() / 3; ++i)
    if (s[3 * i + 1] > -0.88 && s[3 * i + 1] < -0.72) {
      ++beside;
      EXPECT_GT(s[3 * i], 0.2 - 0.01) << i;
    }
  EXPECT_GT(beside, 4) << "the tail leans on the plate";
}

TEST(Collisions, ResumeToTheSameBits) {
  SimulationOptions options{.end = 0.6};
  options.collisions.obstacles = {pressed_ball()};
  std::vector<std::vector<std::byte>> saved;
  options.checkpoints.every = 15;
  options.checkpoints.save = [&](std::span<const std::byte> bytes) { saved.emplace_back(bytes.begin(), bytes.end()); };
  const Mat whole = simulate_parts(ball().character, &kStill, ball().parts, options).deviation;
  EXPECT_GT(whole.cwiseAbs().maxCoeff(), 1e-2);
  ASSERT_GE(saved.size(), 4u);
  options.checkpoints.save = {};
  for (const std::size_t k : {saved.size() / 2, saved.size() - 1}) {
    options.checkpoints.resume = saved[k];
    const Mat resumed = simulate_parts(ball().character, &kStill, ball().parts, options).deviation;
    ASSERT_EQ(resumed.size(), whole.size());
    EXPECT_EQ(std::memcmp(resumed.data(), whole.data(), sizeof(double) * static_cast<std::size_t>(whole.size())), 0);
  }
}

TEST(Collisions, ComeFromWords) {
  EXPECT_LT(obstacle_from_words("ground").shape.nearest(Vec3(3, -0.5, 2), 1).gap, 0);
  EXPECT_NEAR(obstacle_from_words("sphere:1,2,3,0.5").shape.nearest(Vec3(1, 3, 3), 10).gap, 0.5, 1e-12);
  EXPECT_NEAR(obstacle_from_words("capsule:0,0,0,0,2,0,0.25").shape.nearest(Vec3(1, 1, 0), 10).gap, 0.75, 1e-12);
  for (const char* wrong : {"", "sphere:1,2,3", "sphere:1,2,x,4", "capsule:1,2,3,4,5,6", "wall", "sphere:1,2,3,-1"})
    EXPECT_THROW(obstacle_from_words(wrong), Error) << wrong;
}

TEST(Collisions, MoveACharacterAsItsClipDoes) {
  Character other = make_ball();
  other.clips = {root_clip("root.tx", {0, 1}, {0, 2}, Interpolation::linear)};
  const Obstacle obstacle = obstacle_of(other, "move");
  Vec at_start, at_end;
  obstacle.points(0, at_start), obstacle.points(1, at_end);
  EXPECT_NEAR(at_end[0] - at_start[0], 2, 1e-12);
  EXPECT_FALSE(obstacle_of(other, "another").points) << "without such a clip it stands still";
}

}  // namespace
}  // namespace rigspace::contact_test
