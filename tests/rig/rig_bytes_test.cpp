// Rigs as bytes: the same points and derivatives, to the bit.

#include "rigspace/rig/rig_bytes.h"

#include "rigspace/cast/cast.h"
#include "rigspace/rig/rig_plan.h"
#include "support/full_plan.h"

#include <gtest/gtest.h>

namespace rigspace::rig_bytes_test {
namespace {

std::shared_ptr<const BuiltInRig> through_bytes(const BuiltInRig& rig) {
  Packer out;
  pack_graph(out, rig.graph()), pack_points(out, rig);
  Unpacker in(out.bytes(), "rig");
  const auto graph = unpack_graph(in);
  const auto read = unpack_points(in, graph);
  EXPECT_TRUE(in.rest().empty());
  return read;
}

void expect_equal(const Rig& a, const Rig& b, const Vec& p) {
  Vec s, t;
  const auto of_a = a.make_workspace(), of_b = b.make_workspace();
  a.evaluate(*of_a, p, s), b.evaluate(*of_b, p, t);
  EXPECT_TRUE(s == t);
  std::vector<int> all;
  for (int c = 0; c < static_cast<int>(a.controls().size()); ++c) all.push_back(c);
  BlockJacobian J, K;
  a.jacobian(*of_a, p, all, J), b.jacobian(*of_b, p, all, K);
  EXPECT_EQ(J.start, K.start);
  EXPECT_EQ(J.column, K.column);
  EXPECT_TRUE(J.value == K.value);
}

// A face has blend shapes and skin; restricted, a few points of all of it.
TEST(RigBytes, EvaluateToTheSameBitsWholeAndRestricted) {
  for (const char* name : {"face", "bobbin"}) {
    const Character character = make_character(name);
    const auto& whole = dynamic_cast<const BuiltInRig&>(*character.rig);
    std::vector<int> points;
    for (int i = 3; i < whole.point_count(); i += 37) points.push_back(i);
    const std::unique_ptr<Rig> some = whole.restricted(points);
    const auto& few = dynamic_cast<const BuiltInRig&>(*some);
    const Vec p = pose_at(character, character.clips.empty() ? nullptr : &character.clips.front(), 0.4);
    for (const BuiltInRig* rig : {&whole, &few}) {
      const auto read = through_bytes(*rig);
      ASSERT_EQ(read->controls().size(), rig->controls().size());
      for (std::size_t c = 0; c < rig->controls().size(); ++c) {
        const Control &a = rig->controls()[c], &b = read->controls()[c];
        EXPECT_TRUE(a.name == b.name && a.node == b.node && a.unit == b.unit && a.rest == b.rest && a.min == b.min &&
                    a.max == b.max && a.group == b.group && a.typical == b.typical)
            << a.name;
      }
      expect_equal(*rig, *read, p);
    }
  }
}

TEST(RigBytes, RefuseWhatTheyDoNotHold) {
  const BuiltRig built = build(testing::full_plan());
  Packer out;
  try {
    pack_graph(out, built.rig->graph());
    FAIL() << "constraints and IK were packed";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("only nodes, plain numbers, linear skins and blend shapes are"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace rigspace::rig_bytes_test
