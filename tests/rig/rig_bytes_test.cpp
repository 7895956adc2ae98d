// Rigs as bytes: the same points and derivatives, to the bit.

#include "rigspace/rig/rig_bytes.h"

#include "rigspace/cast/cast.h"
#include "rigspace/rig/rig_plan.h"
#include "rigspace/rig/skeleton.h"
#include "support/full_plan.h"

#include <gtest/gtest.h>

#include <cmath>

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

/// Two bones, a skin on both and, before it, two blend shapes, the second on a few points alone; limits on a control.
std::shared_ptr<const BuiltInRig> small_rig() {
  auto graph = std::make_shared<ControlGraph>();
  const int root = add_node(*graph, {.name = "root", .typical_length = 2});
  const int smile = add_scalar(*graph, {.name = "face:smile", .node = "face", .min = 0, .max = 1, .typical = 0.5});
  const int head = add_node(*graph, {.name = "head", .parent_slot = root, .translation = Vec3(0.1, 1, -0.2)});
  const int blink = add_scalar(*graph, {.name = "face:blink", .node = "face"});
  graph->control(graph->find("head.rx")).max = 0.7;
  Vec points(30);
  SkinDescription skin{.joint_slots = {root, head}, .inverse_bind = {identity_affine(), identity_affine()}};
  skin.inverse_bind[1].col(3) = Vec3(-0.1, -1, 0.2);
  MorphTarget all{.weight_slot = smile}, few{.weight_slot = blink, .points = {1, 6}};
  few.offsets = {Vec3(0.01, 0, 0.02), Vec3(0, -0.03, 0)};
  for (int i = 0; i < 10; ++i) {
    points.segment<3>(3 * i) = Vec3(0.1 * i, 1 + 0.03 * i * i, -0.05 * i);
    skin.influences.push_back({{0, 0.1 * i}, {1, 1 - 0.1 * i}});
    all.points.push_back(i), all.offsets.emplace_back(0.02 * i, 0.01, 0);
  }
  const MorphTarget targets[] = {all, few};
  return std::make_shared<const BuiltInRig>(
      graph, points,
      std::vector<std::shared_ptr<const Deformer>>{make_blend_shapes(0, 10, targets), make_linear_blend_skin(skin)});
}

/// Every control a little off its rest.
Vec moved(const Rig& rig) {
  Vec p = rig.rest();
  for (Eigen::Index c = 0; c < p.size(); ++c) p[c] += 0.05 * std::sin(1.7 * static_cast<double>(c) + 0.4);
  return p;
}

TEST(RigBytes, EvaluateToTheSameBitsWholeAndRestricted) {
  for (const auto& whole :
       {small_rig(), std::dynamic_pointer_cast<const BuiltInRig>(make_character("bobbin", Version::skeleton).rig)}) {
    ASSERT_NE(whole, nullptr);
    std::vector<int> points;
    for (int i = 1; i < whole->point_count(); i += 5) points.push_back(i);
    const std::unique_ptr<Rig> some = whole->restricted(points);
    const auto& few = dynamic_cast<const BuiltInRig&>(*some);
    for (const BuiltInRig* rig : {whole.get(), &few}) {
      const auto read = through_bytes(*rig);
      ASSERT_EQ(read->controls().size(), rig->controls().size());
      for (std::size_t c = 0; c < rig->controls().size(); ++c) {
        const Control &a = rig->controls()[c], &b = read->controls()[c];
        EXPECT_TRUE(a.name == b.name && a.node == b.node && a.unit == b.unit && a.rest == b.rest && a.min == b.min &&
                    a.max == b.max && a.group == b.group && a.typical == b.typical)
            << a.name;
      }
      expect_equal(*rig, *read, moved(*rig));
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
