#include "rigspace/rig/volume_skin.h"
#include "rigs.h"
#include "rigspace/base/affine.h"
#include "rigspace/rig/points.h"
#include "rigspace/testing/check_rig.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

using testing::check_rig;
using testing::random_points;
using testing::random_skin;

struct SkinnedChain {
  std::shared_ptr<ControlGraph> graph = std::make_shared<ControlGraph>();
  std::vector<int> slots;
  SkinDescription skin;
};

/// Three joints in a row, bound where they rest.
SkinnedChain chain(int points) {
  SkinnedChain made;
  for (int j = 0; j < 3; ++j)
    made.slots.push_back(add_node(*made.graph, {.name = "j" + std::to_string(j),
                                                .parent_slot = made.slots.empty() ? -1 : made.slots.back(),
                                                .translation = {0.3, 0.5, -0.1},
                                                .rotation = Quat(rotation_exp(Vec3(0.2, -0.4, 0.5)))}));
  made.skin = random_skin(points, 3, made.slots, 5);
  const Vec u = rest_slots(*made.graph);
  for (int j = 0; j < 3; ++j) made.skin.inverse_bind[j] = inverse(transform_at(u, made.graph->slots()[made.slots[j]]));
  return made;
}

Vec posed(const SkinnedChain& chain, std::unique_ptr<Deformer> skin, const Vec& points, In p) {
  const BuiltInRig rig(chain.graph, points, {std::shared_ptr<const Deformer>(std::move(skin))});
  Vec s;
  rig.evaluate(*rig.make_workspace(), p, s);
  return s;
}

Vec moved(const SkinnedChain& chain, double scale) {
  Vec p = 0.6 * random_points(static_cast<int>(chain.graph->controls().size()), 8).head(39);
  for (Eigen::Index k = 0; k < p.size(); ++k) {
    const Control& control = chain.graph->controls()[k];
    p[k] = control.rest + p[k] * (control.unit == Unit::scale ? scale : control.unit == Unit::quaternion ? 0 : 1);
  }
  return p;
}

TEST(VolumeSkin, IsTheDualQuaternionSkinWhereNothingIsScaled) {
  const SkinnedChain made = chain(40);
  const Vec points = random_points(40, 2), p = moved(made, 0);
  const Vec a = posed(made, make_volume_skin(made.skin), points, p);
  EXPECT_LT((a - posed(made, make_dual_quaternion_skin(made.skin), points, p)).norm(), 1e-13);
  EXPECT_GT((a - points).norm(), 1);
}

TEST(VolumeSkin, FollowsAJointAloneExactlyShearedOrNot) {
  SkinnedChain made = chain(20);
  for (auto& influences : made.skin.influences) influences = {{2, 1.0}};
  const Vec points = random_points(20, 2), p = moved(made, 0.5);
  const Vec linear = posed(made, make_linear_blend_skin(made.skin), points, p);
  EXPECT_LT((posed(made, make_volume_skin(made.skin), points, p) - linear).norm(), 1e-13);
}

/// A joint that is scaled where it stands moves a point of two joints as far as a share of its own scale: the other
/// skin stretches about the origin of the scene, and the answer depends on where that is.
TEST(VolumeSkin, DoesNotDependOnWhereTheOriginIs) {
  const SkinnedChain made = chain(40);
  const Vec points = random_points(40, 2), p = moved(made, 0.5);
  const Vec3 away(3, -7, 2);
  SkinnedChain far = made;
  for (Affine& bind : far.skin.inverse_bind) translation(bind) -= linear(bind) * away;
  Vec shifted = points;
  for (int i = 0; i < 40; ++i) point(shifted, i) += away;
  const Vec a = posed(made, make_volume_skin(made.skin), points, p);
  EXPECT_LT((posed(far, make_volume_skin(far.skin), shifted, p) - a).norm(), 1e-11);
}

TEST(VolumeSkin, KeepsTheLawsOfRigs) {
  const SkinnedChain made = chain(20);
  const BuiltInRig rig(made.graph, random_points(20, 1), {make_volume_skin(made.skin)});
  EXPECT_TRUE(check_rig(rig).ok()) << check_rig(rig);
}

}  // namespace
}  // namespace rigspace
