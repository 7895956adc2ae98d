// Posing on real characters, as `rigspace pose FILE --pull JOINT=+x,y,z` does it.

#include "rigspace/apps/physics/pose.h"
#include "rigspace/io/formats.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"
#include "support/assets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace rigspace::pose_assets_test {
namespace {

/// World transforms of all bones at p.
std::vector<Affine> bones_at(const Character& character, In p) {
  const auto& rig = dynamic_cast<const BuiltInRig&>(*character.rig);
  Vec u;
  rig.evaluate_slots(*rig.make_workspace(), p, u);
  std::vector<Affine> bones;
  for (const Bone& bone : character.bones) bones.push_back(transform_at(u, rig.graph().slots()[bone.slot]));
  return bones;
}

Mat3 turn_of(const Affine& bone) {
  Mat3 R = linear(bone);
  for (int k = 0; k < 3; ++k) R.col(k).normalize();
  return R;
}

/// By how much a bone turns against its parent between two poses; degrees.
double turned(const Character& character, std::span<const Affine> from, std::span<const Affine> to, int bone) {
  const int parent = character.bones[bone].parent;
  const auto local = [&](std::span<const Affine> pose) -> Mat3 {
    return parent < 0 ? turn_of(pose[bone]) : Mat3(turn_of(pose[parent]).transpose() * turn_of(pose[bone]));
  };
  return 180 / std::numbers::pi * Eigen::AngleAxisd(local(from).transpose() * local(to)).angle();
}

/// The vertex of a joint: of those that its own turns move, the nearest to it; -1 if it moves none.
int vertex_of(const Character& character, const Vec& s, int bone, const Vec3& place) {
  const auto& rig = dynamic_cast<const BuiltInRig&>(*character.rig);
  BlockJacobian J;
  rig.jacobian(*rig.make_workspace(), rig.rest(), rotation_controls(rig.graph(), character.bones[bone].slot), J);
  int best = -1;
  for (const Piece& piece : character.pieces)
    for (int i = piece.first_point; piece.drawn && i < piece.first_point + piece.point_count; ++i)
      if (J.start[i] < J.start[i + 1] && J.value.middleCols(J.start[i], J.start[i + 1] - J.start[i]).norm() > 0 &&
          (best < 0 || (point(s, i) - place).norm() < (point(s, best) - place).norm()))
        best = i;
  return best;
}

/// What is pulled: a vertex, and where to. The joint is the one with the most joints above it.
struct Pulled {
  int bone = -1, vertex = -1;
  Vec3 target = Vec3::Zero();
};

/// A target that the chain of a joint reaches, since some pose has the vertex there: a joint of the chain turns by 20
/// degrees.
bool find_target(const Character& character, const Vec& s, double size, const std::vector<char>& posable,
                 Pulled& pulled) {
  const auto& rig = dynamic_cast<const BuiltInRig&>(*character.rig);
  for (int pivot = pulled.bone, up = 0; pivot >= 0 && up < 3; pivot = character.bones[pivot].parent, ++up)
    for (const int control : rotation_controls(rig.graph(), character.bones[pivot].slot)) {
      if (!posable[control]) continue;
      Vec p = rig.rest(), moved;
      p[control] += 20 * std::numbers::pi / 180;
      rig.evaluate(*rig.make_workspace(), p, moved);
      pulled.target = point(moved, pulled.vertex);
      if (const double way = (pulled.target - point(s, pulled.vertex)).norm() / size; way > 0.02 && way < 0.3)
        return true;
    }
  return false;
}

Pulled end_of_a_limb(const Character& character, const Vec& s, std::span<const Affine> bones) {
  std::vector<char> posable(character.rig->controls().size(), 0);
  for (const int c : posable_controls(character, character.rig->rest(), false)) posable[c] = 1;
  const double size = bounding_box(s).diagonal();
  std::vector<std::pair<int, int>> by_depth;
  for (int b = 0; b < static_cast<int>(bones.size()); ++b) {
    int depth = 0;
    for (int parent = character.bones[b].parent; parent >= 0; parent = character.bones[parent].parent) ++depth;
    by_depth.emplace_back(-depth, b);
  }
  std::sort(by_depth.begin(), by_depth.end());
  for (const auto& [depth, bone] : by_depth) {
    Pulled pulled{.bone = bone, .vertex = vertex_of(character, s, bone, translation(bones[bone]))};
    if (pulled.vertex >= 0 && find_target(character, s, size, posable, pulled)) return pulled;
  }
  return {};
}

std::set<std::filesystem::path> models() {
  std::set<std::filesystem::path> found;
  const auto folder = testing::assets_folder();
  if (!std::filesystem::exists(folder)) return found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".glb") found.insert(entry.path());
  return found;
}

TEST(PoserOnAssets, ReachesWithTheChainThatIsPulledAndWithNothingElse) {
  RIGSPACE_ASSET_OR_SKIP(census, "census");
  int posed = 0;
  for (const auto& path : models()) {
    SCOPED_TRACE(path.filename().string());
    const Character character = load_character(path);
    if (character.bones.size() < 2) continue;  // a face on one node
    Vec s;
    character.rig->evaluate(*character.rig->make_workspace(), character.rig->rest(), s);
    const auto before = bones_at(character, character.rig->rest());
    const Pulled pulled = end_of_a_limb(character, s, before);
    if (pulled.bone < 0) continue;  // no skin on joints
    ++posed;
    Poser poser(character, character.rig->rest(), {.pulled = {pulled.vertex}});
    const Vec3& target = pulled.target;
    const PoseReport report = poser.drag(std::span(&target, 1));
    const Vec& p = poser.controls();
    ASSERT_TRUE(p.allFinite());
    EXPECT_TRUE(report.converged);
    EXPECT_TRUE(report.pulls.front().reached) << "stops " << report.distance() / poser.size() << " of the size away";
    for (const int c : poser.free()) {
      EXPECT_GE(p[c], character.rig->controls()[c].min);
      EXPECT_LE(p[c], character.rig->controls()[c].max);
    }
    std::set<int> chain;
    for (int b = pulled.bone; b >= 0; b = character.bones[b].parent) chain.insert(b);
    const auto after = bones_at(character, p);
    double most = 0, on_chain = 0;
    int worst = 0;
    for (int b = 0; b < static_cast<int>(before.size()); ++b)
      if (const double turn = turned(character, before, after, b); chain.contains(b))
        on_chain = std::max(on_chain, turn);
      else if (turn > most)
        most = turn, worst = b;
    EXPECT_LT(most, 5) << character.bones[worst].name;
    EXPECT_GT(on_chain, 2);
  }
  EXPECT_GE(posed, 20);
}

// A helmet or a sword has a transform of its own below a bone. Pulled at a hand, none of them may leave its bone.
TEST(PoserOnAssets, KeepsPropsOnTheirBones) {
  RIGSPACE_ASSET_OR_SKIP(file, "kaykit_Knight/Knight.glb");
  const Character knight = load_character(file);
  const Vec rest = knight.rig->rest();
  const auto piece = [&](std::string_view name) {
    return std::find_if(knight.pieces.begin(), knight.pieces.end(),
                        [&](const Piece& each) { return each.name == name; })
        ->first_point;
  };
  for (const int pulled : {piece("Knight_ArmLeft"), piece("1H_Sword")}) {
    std::set<std::string> nodes;
    for (const int c : posable_controls(knight, rest, false, std::span(&pulled, 1)))
      nodes.insert(knight.rig->controls()[c].node);
    EXPECT_TRUE(nodes.contains(pulled == piece("1H_Sword") ? "upperarm.r" : "upperarm.l"));
    for (const char* prop : {"1H_Sword", "2H_Sword", "Round_Shield", "Knight_Helmet", "Knight_Cape"})
      EXPECT_FALSE(nodes.contains(prop)) << prop;
  }
}

}  // namespace
}  // namespace rigspace::pose_assets_test
