// Rules of docs/default-look.md on characters by other animators: short excerpts of one clip each; with
// RIGSPACE_TEST_ALL all clips, whole.

#include "rigspace/anim/key_rate.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/cast/cast.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/scene_unit.h"
#include "rigspace/geometry/winding_number.h"
#include "rigspace/io/gltf.h"
#include "rigspace/rig/built_in_rig.h"
#include "support/assets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace rigspace::default_look_test {
namespace {

struct Seen {
  const char* file;  // of the assets; empty: Bobbin
  const char* clip;
  double end;  // s of the excerpt
  bool soft;   // whether anything of it is soft: robots, dummies, armour and clothes are not (docs/census.md)
  ChainForm chains = ChainForm::rods;
};

std::ostream& operator<<(std::ostream& out, const Seen& seen) { return out << seen.file << " " << seen.clip; }

class PartSettings : public ::testing::TestWithParam<Seen> {};

double metres_per_unit(const Character& character, double& size) {
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), character.rig->rest(), s);
  const SceneUnit unit = guess_metres_per_unit(s);
  size = unit.size;
  return unit.metres;
}

/// Share of a curve's energy above 12 Hz: its ends are made to meet, then a Hann window and sums of sines.
double share_above_12_hz(const SoftMotion& motion, const std::vector<int>& rows) {
  const auto n = static_cast<int>(motion.times.size());
  const double h = motion.times[1] - motion.times[0];
  double low = 0, high = 0;
  for (const int row : rows) {
    const Vec curve = motion.deviation.row(row).transpose();
    for (int f = 1; f < n / 2; ++f) {
      double c = 0, s = 0;
      for (int k = 0; k < n; ++k) {
        const double window = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * k / (n - 1));
        const double angle = 2 * std::numbers::pi * f * k / n, value = window * (curve[k] - curve.mean());
        c += value * std::cos(angle), s += value * std::sin(angle);
      }
      (f / (n * h) > 12 ? high : low) += c * c + s * s;
    }
  }
  return low + high > 0 ? high / (low + high) : 0;
}

/// The largest distance by which points move that hang on feet, hands, lips, lids and props.
double guarded_motion(const Character& character, const Animation* clip, const Animation& soft, double time) {
  Vec key, moved;
  const auto workspace = character.rig->make_workspace();
  character.rig->evaluate(*workspace, pose_at(character, clip, time), key);
  character.rig->evaluate(*workspace, pose_at(character, &soft, time), moved);
  const auto& rig = dynamic_cast<const BuiltInRig&>(*character.rig);
  std::vector<char> guarded(rig.graph().slots().size(), 0);
  for (const Bone& bone : character.bones) guarded[bone.slot] = is_protected(bone.name);
  double most = 0;
  for (const auto& deformer : rig.deformers())
    if (const SkinDescription* skin = skin_description(*deformer))
      for (std::size_t k = 0; k < skin->influences.size(); ++k) {
        double held = 0;
        for (const Influence& each : skin->influences[k])
          held += guarded[skin->joint_slots[each.joint]] ? each.weight : 0;
        const auto i = 3 * (skin->first_point + static_cast<Eigen::Index>(k));
        if (held > 0.99) most = std::max(most, (moved - key).segment<3>(i).norm());
      }
  return most;
}

/// How much deeper flesh is in limbs than the artist put it, scene units: limbs are the triangles that the part's bones
/// hold by less than a tenth, their inside is where they wind around a point. Limbs are open where the body begins, and
/// there a point comes inside from one side of nothing to the other: no point gets deeper than it moves.
double new_penetration(const Softened& soft, const Part& part, const Animation* clip, const Animation& played,
                       double time) {
  const Character& character = soft.character;
  Vec key, moved;
  const auto workspace = character.rig->make_workspace();
  character.rig->evaluate(*workspace, pose_at(character, clip, time), key);
  character.rig->evaluate(*workspace, pose_at(character, &played, time), moved);
  std::vector<double> held(static_cast<std::size_t>(key.size() / 3), 0), taken = held;
  std::vector<char> own(dynamic_cast<const BuiltInRig&>(*character.rig).graph().slots().size(), 0);
  for (const int bone : part.bones) own[character.bones[bone].slot] = 1;
  for (const int bone : part.flesh->joints) own[character.bones[bone].slot] = 2;
  for (const auto& deformer : dynamic_cast<const BuiltInRig&>(*character.rig).deformers())
    if (const SkinDescription* skin = skin_description(*deformer))
      for (std::size_t k = 0; k < skin->influences.size(); ++k)
        for (const Influence& each : skin->influences[k]) {
          const char kind = own[skin->joint_slots[each.joint]];
          if (kind != 0) held[skin->first_point + k] += each.weight;
          if (kind == 2) taken[skin->first_point + k] += each.weight;
        }
  TriMesh limbs{.points = key};
  for (const Triangle& triangle : rest_surface(character).triangles)
    if (std::all_of(triangle.begin(), triangle.end(), [&](int i) { return held[i] < 0.1; }))
      limbs.triangles.push_back(triangle);
  if (limbs.triangles.empty()) return 0;
  const WindingTree winding(limbs);
  const TriangleTree skin(limbs);
  const auto depth = [&](const Vec3& x) { return winding(x) > 0.5 ? skin.closest(x).distance : 0; };
  double deepest = 0;
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (const auto c = 3 * static_cast<Eigen::Index>(i); taken[i] > 0.05)
      deepest = std::max(
          deepest, std::min(depth(moved.segment<3>(c)) - depth(key.segment<3>(c)), (moved - key).segment<3>(c).norm()));
  return deepest;
}

void check(const Character& hard, const Softened& soft, const Animation& clip, SimulationOptions options) {
  SCOPED_TRACE(clip.name);
  const SoftMotion motion = simulate_parts(soft.character, &clip, soft.parts, options);
  EXPECT_EQ(motion.failed_steps, 0);
  EXPECT_TRUE(motion.deviation.allFinite());
  if (motion.looped) {
    EXPECT_LT(motion.seam, 1e-3);
  }
  const Animation played = soft_clip(soft.character, &clip, motion, key_rate(clip));
  double size = 0;
  metres_per_unit(hard, size);
  EXPECT_LE(guarded_motion(soft.character, &clip, played, 0.5 * motion.times.back()), 1e-9 * size);
  for (std::size_t c = 0; c < soft.parts.size(); ++c) {
    const PartReport& report = motion.parts[c];
    SCOPED_TRACE(soft.parts[c].name);
    ::testing::Test::RecordProperty(soft.parts[c].name, std::to_string(report.swing));
    const double most = report.flesh ? 0.15 : 20 * std::numbers::pi / 180;
    EXPECT_LE(report.swing, 1.05 * most);
    EXPECT_TRUE(report.swing >= (report.flesh ? 0.02 : 5 * std::numbers::pi / 180) * 0.95 || report.amount > 1.9 ||
                report.swing == 0 || report.eased < 1)
        << report.swing << " with amount " << report.amount;
    EXPECT_LE(report.rate, 6.1);
    if (report.flesh) {
      EXPECT_GT(report.smallest_volume, 0.2);
      EXPECT_LT(report.volume_change, 0.03);
      for (int k = 0; k <= 8; ++k) {
        const double time = k == 8 ? report.largest_at : motion.times.back() * k / 7;
        EXPECT_LE(new_penetration(soft, soft.parts[c], &clip, played, time), 0.005 * size) << " at " << time << " s";
      }
    }
    std::vector<int> rows;
    for (std::size_t r = 0; r < motion.controls.size(); ++r) {
      const std::string& node = soft.character.rig->controls()[motion.controls[r]].node;
      for (const int bone : report.flesh ? soft.parts[c].flesh->joints : turning_joints(soft.parts[c]))
        if (soft.character.bones[bone].name == node) rows.push_back(static_cast<int>(r));
    }
    EXPECT_FALSE(rows.empty());
    EXPECT_LT(share_above_12_hz(motion, rows), 0.01);
  }
}

TEST_P(PartSettings, OfTheFirstResultKeepsTheRules) {
  const Seen seen = GetParam();
  Character hard;
  if (*seen.file == '\0') {
    hard = make_character("bobbin");
  } else {
    RIGSPACE_ASSET_OR_SKIP(path, seen.file);
    hard = load_gltf(path);
  }
  double size = 0;
  SimulationOptions options{.metres_per_unit = metres_per_unit(hard, size)};
  const Softened soft = soften(hard, find_parts(hard), {.chains = seen.chains});
  EXPECT_EQ(!soft.parts.empty(), seen.soft);
  EXPECT_LE(soft.parts.size(), 6u);
  EXPECT_LE(soft.joints.joints.size(), 24u);
  if (soft.parts.empty()) return;
  EXPECT_LT(muted_change(hard, soft.character, hard.clips, 4), 1e-6 * size);
  if (std::getenv("RIGSPACE_TEST_ALL") != nullptr) {
    for (const Animation& clip : hard.clips)
      if (clip.duration > 0) check(hard, soft, clip, options);
    return;
  }
  const Animation* clip = hard.clip(seen.clip);
  ASSERT_NE(clip, nullptr);
  options.end = seen.end;
  check(hard, soft, *clip, options);
}

constexpr double kWhole = 1e9;
INSTANTIATE_TEST_SUITE_P(
    Characters, PartSettings,
    ::testing::Values(Seen{"", "Walk", kWhole, true}, Seen{"khr_Fox/Fox.glb", "Run", kWhole, true},
                      Seen{"", "Walk", kWhole, true, ChainForm::automatic},
                      Seen{"khr_Fox/Fox.glb", "Run", kWhole, true, ChainForm::automatic},
                      Seen{"quaternius_ShibaInu/ShibaInu.glb", "AnimalArmature|Walk", 0.6, true},
                      Seen{"quaternius_Apatosaurus/Apatosaurus.glb", "Armature|Apatosaurus_Walk", 0.8, true},
                      Seen{"khr_CesiumMan/CesiumMan.glb", "animation0", 0.8, true},
                      Seen{"gdquest_mannequiny/mannequiny-0.3.0.glb", "run", kWhole, false},
                      Seen{"three_RobotExpressive/RobotExpressive.glb", "Walking", kWhole, false},
                      Seen{"kaykit_Knight/Knight.glb", "Walking_A", 0.6, true},
                      Seen{"makehuman_female_dressed/mh_female.glb", "cmu_02_01_walk", 0.8, false}));

}  // namespace
}  // namespace rigspace::default_look_test
