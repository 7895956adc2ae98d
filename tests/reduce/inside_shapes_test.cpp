#include "rigspace/reduce/inside_shapes.h"

#include "rigspace/body/interior_response.h"
#include "rigspace/cast/cast.h"
#include "rigspace/energy/solid.h"
#include "rigspace/geometry/harmonic.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

TEST(InsideShapes, AreOrthonormalInTheStiffnessAndNothingOnTheSkin) {
  const Character bar = make_character("bar");
  const RigBody body = make_rig_body(bar, {.cell = 0.08});
  std::vector<int> free;
  for (int c = 0; c < static_cast<int>(bar.rig->controls().size()); ++c)
    if (bar.rig->controls()[c].name.starts_with("p")) free.push_back(c);
  ASSERT_FALSE(free.empty());
  const Material material{};
  const std::vector<Vec> poses{body.rig->rest()};
  const auto examples = shake(body, free, poses, {.material = material});
  const CarrierWeights interior = harmonic_weights(body.mesh, body.skin);
  const BlockJacobian response = interior_response(body, free, interior, material);
  const InsideShapes shapes = inside_shapes(body, free, interior, response, examples, material, {}, 4);
  ASSERT_EQ(shapes.S.cols(), 4);
  ASSERT_EQ(shapes.y.size(), examples.size());
  const Solid solid(body.mesh.points, body.mesh.tets, material);
  Mat K = Mat::Zero(4, 4);
  for (Eigen::Index k = 0; k < 4; ++k) {
    constexpr double kStep = 1e-6;
    Vec g = Vec::Zero(body.mesh.points.size());
    solid.add_gradient(*solid.make_state(), body.mesh.points + kStep * shapes.S.col(k), 0.5 / kStep, g);
    solid.add_gradient(*solid.make_state(), body.mesh.points - kStep * shapes.S.col(k), -0.5 / kStep, g);
    K.col(k) = shapes.S.transpose() * g;
  }
  EXPECT_LT((K - Mat::Identity(4, 4)).cwiseAbs().maxCoeff(), 1e-3);
  for (int i = 0; i < body.node_count(); ++i)
    if (body.skin[i]) {
      EXPECT_EQ(shapes.S.middleRows<3>(3 * i).cwiseAbs().maxCoeff(), 0);
    }
}

TEST(InsideShapes, AreIdleControlsOfTheRig) {
  const std::shared_ptr<const Rig> rig = make_character("bar").rig;
  const auto idle = with_idle_controls(rig, Vec::Constant(2, 0.5));
  const auto own = static_cast<int>(rig->controls().size());
  ASSERT_EQ(idle->controls().size(), rig->controls().size() + 2);
  Vec p(own + 2), s, other;
  p << rig->rest(), 3, -1;
  idle->evaluate(*idle->make_workspace(), p, s);
  rig->evaluate(*rig->make_workspace(), rig->rest(), other);
  EXPECT_EQ(s, other);
  BlockJacobian J, whole;
  idle->jacobian(*idle->make_workspace(), p, std::vector<int>{0, own, own + 1}, J);
  rig->jacobian(*rig->make_workspace(), rig->rest(), std::vector<int>{0}, whole);
  EXPECT_EQ(J.columns, 3);
  EXPECT_EQ(J.column, whole.column);
  EXPECT_EQ(J.value, whole.value);
  const std::vector<int> some{0, 2};
  EXPECT_EQ(idle->restricted(some)->controls().size(), idle->controls().size());
}

}  // namespace
}  // namespace rigspace
