// Where joints are to each other, as features beside places (IRM 6.2).

#include "rigspace/apps/inverse/inverse_model.h"
#include "rigspace/base/files.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace rigspace::relations_test {
namespace {

TEST(Relations, AreFeaturesThatAreSeenFromTheCharacterItself) {
  const Character bobbin = make_character("bobbin", Version::skeleton);
  const InverseModel model(bobbin, {.clips = {"Walk", "Idle"}, .samples = 40, .relations = 0.5, .related = 10});
  Vec x, moved;
  model.features().evaluate(pose_at(bobbin, bobbin.clip("Hop"), 0.4), x);
  EXPECT_EQ(model.seen_from_itself(x).f.size(), x.size() + 30);
  moved = x;
  for (int k = 0; k < model.features().count(); ++k) point(moved, k) += Vec3(3, 0, -2);
  EXPECT_LT((model.seen_from_itself(moved).f - model.seen_from_itself(x).f).cwiseAbs().maxCoeff(), 1e-9);
  const InversePose pose = model.solve(x, {.max_iterations = 30});
  EXPECT_LT(pose.joint_error, 1e-3);
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "relations.inverse";
  model.save(path, "bobbin.glb");
  const InverseModel again = InverseModel::load(path, bobbin);
  std::filesystem::remove(path);
  EXPECT_LT((again.predict(x).p - model.predict(x).p).cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace rigspace::relations_test
