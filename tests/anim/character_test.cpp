#include "rigspace/anim/character.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

/// Its points are its controls.
class PlainRig final : public Rig {
 public:
  PlainRig() : controls_{{.name = "a.tx", .node = "a", .rest = 1}, {.name = "a.ty", .node = "a", .rest = 2}} {
    for (const char* c : {"a.qx", "a.qy", "a.qz", "a.qw"}) controls_.push_back({.name = c, .node = "a", .rest = 0.5});
  }
  std::span<const Control> controls() const override { return controls_; }
  int point_count() const override { return 2; }
  void evaluate(Workspace&, In p, Vec& s) const override { s = p; }

 private:
  std::vector<Control> controls_;
};

Character character() {
  Character c{.name = "plain", .rig = std::make_shared<PlainRig>()};
  c.clips.push_back({.name = "rise", .duration = 1});
  c.clips[0].tracks.push_back({"a.ty", {.times = {0, 1}, .values = {5, 7}}});
  c.clips[0].tracks.push_back({"nobody.ty", {.times = {0, 1}, .values = {5, 7}}});
  c.clips[0].rotations.push_back({.node = "a", .times = {0}, .values = {Vec4(0, 0, 0, 2)}});
  return c;
}

TEST(Character, FindsClipsByName) {
  const Character c = character();
  EXPECT_EQ(c.clip("rise"), &c.clips[0]);
  EXPECT_EQ(c.clip("fall"), nullptr);
}

TEST(Character, RestsWithoutAClip) { EXPECT_EQ(pose_at(character(), nullptr, 0.5), character().rig->rest()); }

TEST(Character, PoseAgreesWithTheSampler) {
  const Character c = character();
  const Vec pose = pose_at(c, c.clip("rise"), 0.25);
  Vec expected = c.rig->rest();
  Sampler(c.clips[0], c.rig->controls()).sample(0.25, expected);
  EXPECT_EQ(pose, expected);
  EXPECT_EQ(pose[0], 1);
  EXPECT_EQ(pose[1], 5.5);
  EXPECT_EQ(pose[5], 1);
}

}  // namespace
}  // namespace rigspace
