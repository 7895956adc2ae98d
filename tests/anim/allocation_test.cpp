// Sampling must not allocate.
#include "rigspace/anim/bake.h"
#include "rigspace/anim/layers.h"

#include "support/allocations.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace rigspace {
namespace {

class Allocations : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RIGSPACE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "allocations cannot be counted in this build";
    const auto probe = [] {  // the counter must see Eigen's memory, or it proves nothing
      Vec v = Vec::Zero(100);
      v[std::rand() % 100] = 1;
      sink = v.sum();
    };
    ASSERT_GT(count(probe), 0);
  }

  template <class Body>
  static int count(Body&& body) {
    testing::allocations = 0;
    testing::counting = true;
    body();
    testing::counting = false;
    return testing::allocations;
  }

  static inline volatile double sink = 0;
};

constexpr Interpolation kKinds[] = {Interpolation::step,        Interpolation::linear,  Interpolation::hermite,
                                    Interpolation::catmull_rom, Interpolation::natural, Interpolation::bspline};

/// One control of each kind of curve, and a rotation of each kind.
std::vector<Control> controls() {
  std::vector<Control> list;
  for (const Interpolation kind : kKinds) list.push_back({.name = std::string(name(kind)), .node = "n"});
  for (const char* node : {"a", "b", "c"}) {
    for (const char* c : {".qx", ".qy", ".qz", ".qw"}) list.push_back({.name = std::string(node) + c, .node = node});
  }
  return list;
}

Animation clip() {
  Animation animation{.name = "all", .duration = 3};
  const std::vector<double> times{0, 1, 3}, zeros(3, 0.0);
  for (const Interpolation kind : kKinds) {
    animation.tracks.push_back(
        {std::string(name(kind)),
         {.interpolation = kind, .times = times, .values = {0, 2, 1}, .in_tangents = zeros, .out_tangents = zeros}});
  }
  const std::vector<Vec4> turns{Vec4(0, 0, 0, 1), Vec4(0, 0, 0.6, 0.8), Vec4(1, 0, 0, 0)}, still(3, Vec4::Zero());
  animation.rotations.push_back({"a", Interpolation::step, times, turns, {}, {}});
  animation.rotations.push_back({"b", Interpolation::linear, times, turns, {}, {}});
  animation.rotations.push_back({"c", Interpolation::hermite, times, turns, still, still});
  return animation;
}

TEST_F(Allocations, NoneInSampler) {
  const Sampler sampler(clip(), controls());
  Vec p = Vec::Zero(controls().size());
  EXPECT_EQ(count([&] {
              for (double t = -1; t < 5; t += 0.01) sampler.sample(t, p);
            }),
            0);
  EXPECT_GT(p.norm(), 0);
}

TEST_F(Allocations, NoneInLayerStack) {
  const Layer layers[] = {
      {.influence = 0.5, .animation = clip()},
      {.blend = Blend::absolute, .influence_over_time = {.times = {0, 1}, .values = {0, 0.7}}, .animation = clip()}};
  const LayerStack stack(clip(), layers, controls());
  Vec p = Vec::Zero(controls().size());
  EXPECT_EQ(count([&] {
              for (double t = -1; t < 5; t += 0.01) stack.sample(t, p);
            }),
            0);
  EXPECT_GT(p.norm(), 0);
}

}  // namespace
}  // namespace rigspace
