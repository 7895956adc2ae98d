// Wrong arguments of a caller throw Error, in every build: no memory is written before a buffer.

#include "rigs.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/black_box.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

using namespace rigspace::testing;

std::unique_ptr<BuiltInRig> small_rig() {
  auto graph = std::make_shared<ControlGraph>();
  const std::vector<int> slots = add_tree(*graph, 3);
  return make_rig_of(graph, random_points(5, 1), make_linear_blend_skin(random_skin(5, 2, slots, 1)));
}

void expect_refusals(const Rig& rig) {
  const auto workspace = rig.make_workspace();
  Vec s, g_p;
  BlockJacobian J;
  const Vec rest = rig.rest(), shorter = rest.head(rest.size() - 1);
  const int none[] = {-1}, beyond[] = {static_cast<int>(rest.size())};
  EXPECT_THROW(rig.evaluate(*workspace, shorter, s), Error);
  EXPECT_THROW(rig.jacobian(*workspace, shorter, {}, J), Error);
  EXPECT_THROW(rig.jacobian(*workspace, rest, none, J), Error);
  EXPECT_THROW(rig.jacobian(*workspace, rest, beyond, J), Error);
  EXPECT_THROW(rig.pull(*workspace, rest, Vec::Zero(2), g_p), Error);
  EXPECT_NO_THROW(rig.evaluate(*workspace, rest, s));
}

TEST(RigArguments, AreCheckedByEveryRig) {
  const auto rig = small_rig();
  expect_refusals(*rig);
  const int points[] = {1, 3};
  expect_refusals(*rig->restricted(points));
  BlackBoxDescription box;
  box.controls.assign(rig->controls().begin(), rig->controls().end());
  box.point_count = rig->point_count();
  box.noise = 0;
  box.evaluate = [&](In p, Vec& s) { rig->evaluate(*rig->make_workspace(), p, s); };
  expect_refusals(BlackBoxRig(box));
}

TEST(RigArguments, ANameThatNoControlHasIsExplained) {
  const auto rig = small_rig();
  BlockJacobian J;
  const int free[] = {rig->find("no such control")};
  try {
    rig->jacobian(*rig->make_workspace(), rig->rest(), free, J);
    FAIL() << "control -1 has no column";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "control -1 does not exist; find() gives -1 for a name that no control has");
  }
}

}  // namespace
}  // namespace rigspace
