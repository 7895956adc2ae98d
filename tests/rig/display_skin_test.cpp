#include "rigspace/rig/display_skin.h"

#include "rigs.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

TEST(DisplaySkin, AgreesWithTheExactSkinToSinglePrecision) {
  auto graph = std::make_shared<ControlGraph>();
  const auto joints = testing::add_tree(*graph, 9);
  const Vec points = testing::random_points(1003, 1);
  const SkinDescription skin = testing::random_skin(1003, 4, joints, 2);
  const auto rig = testing::make_rig_of(graph, points, make_linear_blend_skin(skin));
  const auto workspace = rig->make_workspace();
  Vec p = rig->rest(), u, s;
  for (Eigen::Index i = 0; i < p.size(); ++i)
    if (rig->controls()[i].unit == Unit::angle) p[i] = 0.1 * static_cast<double>(i % 7);
  rig->evaluate(*workspace, p, s);
  rig->evaluate_slots(*workspace, p, u);

  std::vector<DisplayTransform> transforms;
  for (std::size_t j = 0; j < joints.size(); ++j)
    transforms.push_back(display_transform(compose(transform_at(u, graph->slots()[joints[j]]), skin.inverse_bind[j])));
  const DisplaySkin display(points, skin);
  std::vector<float> shown(3 * 1003);
  display.deform(transforms, shown);
  for (int i = 0; i < 3 * 1003; ++i) ASSERT_NEAR(shown[i], s[i], 2e-5) << "coordinate " << i;
}

TEST(DisplaySkin, KeepsTheFourHeaviestInfluences) {
  SkinDescription skin{.joint_slots = {0, 1, 2, 3, 4}, .inverse_bind = std::vector<Affine>(5, Affine::Identity())};
  skin.influences = {{{0, 0.05}, {1, 0.2}, {2, 0.25}, {3, 0.2}, {4, 0.3}}};
  std::vector<DisplayTransform> transforms;
  for (int j = 0; j < 5; ++j) {
    Affine C = Affine::Identity();
    C(0, 3) = j == 0 ? 1000 : j;
    transforms.push_back(display_transform(C));
  }
  std::vector<float> s(3);
  DisplaySkin(Vec::Zero(3), skin).deform(transforms, s);
  EXPECT_NEAR(s[0], (0.2 * 1 + 0.25 * 2 + 0.2 * 3 + 0.3 * 4) / 0.95, 1e-6);
}

}  // namespace
}  // namespace rigspace
