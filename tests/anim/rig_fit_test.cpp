#include "rigspace/anim/rig_fit.h"

#include "rigspace/anim/skin_part.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/geometry/polygonise.h"
#include "rigspace/geometry/signed_distance.h"
#include "rigspace/geometry/winding_number.h"
#include "rigspace/io/formats.h"
#include "rigspace/rig/built_in_rig.h"
#include "support/assets.h"

#include <gtest/gtest.h>

namespace rigspace::rig_fit_test {
namespace {

/// Points without joints.
Character statue(const Character& like, Vec points) {
  Character result;
  result.name = "statue";
  result.pieces = like.pieces;
  result.materials = like.materials;
  result.rig = std::make_shared<BuiltInRig>(std::make_shared<ControlGraph>(), std::move(points),
                                            std::vector<std::shared_ptr<const Deformer>>());
  return result;
}

Character statue(const TriMesh& mesh) {
  Character like;
  like.pieces.push_back({.name = "body", .first_point = 0, .point_count = mesh.point_count()});
  for (const Triangle& t : mesh.triangles) like.pieces[0].triangles.push_back(t);
  return statue(like, mesh.points);
}

Vec points_at(const Character& character, In p) {
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), p, s);
  return s;
}

double height_of(const Character& character) { return bounding_box(rest_surface(character).points).size().y(); }

/// Mean distance of joints that carry skin from where they should be, as a share of the height.
template <class Place>
double joint_error(const Character& source, const RigFit& fit, const Place& place) {
  std::vector<char> carries(source.bones.size(), 0);
  for (const SkinPart& part : skin_parts(source))
    for (const auto& list : part.influences)
      for (const Influence& each : list)
        if (each.weight > 0.05) carries[part.bones[each.joint]] = 1;
  const std::vector<JointPlace> before = joint_places(source), after = joint_places(fit.character);
  double sum = 0;
  int count = 0;
  for (std::size_t j = 0; j < before.size(); ++j)
    if (carries[j] != 0) sum += (after[j].position - place(before[j].position)).norm(), ++count;
  return count > 0 ? sum / count / height_of(fit.character) : 1;
}

/// How far two characters' skins are apart over a clip of both, as a share of the first one's swing.
double clip_difference(const Character& a, const Character& b, std::string_view name) {
  const Animation *own = a.clip(name), *other = b.clip(name);
  double apart = 0, swing = 0;
  for (int f = 0; f < 8; ++f) {
    const Vec s = points_at(a, pose_at(a, own, own->duration * f / 8)),
              t = points_at(b, pose_at(b, other, own->duration * f / 8));
    apart += (s - t).squaredNorm(), swing += swing_of(rest_surface(a).points, s);
  }
  return std::sqrt(apart / swing);
}

void refused(const Character& source, const Character& shape, const RigFitOptions& options, const std::string& words) {
  try {
    fit_rig(source, shape, options);
    FAIL() << words;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(RigFit, OnItsOwnMeshGivesTheRigBack) {
  const Character source = make_character("mannequin", Version::skeleton);
  const RigFit fit = fit_rig(source, statue(source, rest_surface(source).points));
  EXPECT_LT(joint_error(source, fit, [](const Vec3& x) { return x; }), 0.005);
  EXPECT_LT(fit.residual, 0.005);
  EXPECT_NEAR(fit.scale, 1, 0.01);
  ASSERT_EQ(fit.character.clips.size(), source.clips.size());
  EXPECT_LT(clip_difference(source, fit.character, "Yo"), 0.15);
}

TEST(RigFit, LeavesTheMeshAsItIsAtRest) {
  const Character source = make_character("hound", Version::skeleton);
  Vec points = rest_surface(source).points;
  for (int i = 0; i < points.size() / 3; ++i) point(points, i) = Vec3(1.2, 0.9, 1.1).cwiseProduct(point(points, i));
  const RigFit fit = fit_rig(source, statue(source, points));
  EXPECT_LT((points_at(fit.character, fit.character.rig->rest()) - points).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(RigFit, FindsTheJointsOfAnotherBuild) {
  for (const char* name : {"mannequin", "hound"}) {
    const Character source = make_character(name, Version::skeleton);
    const double height = height_of(source);
    // Wider, lower, with a bigger upper half.
    const auto build = [&](const Vec3& x) {
      const double up = x.y() / height;
      return Vec3((1.15 + 0.25 * up) * x.x(), 0.85 * x.y() + 0.06 * height * up * up, (1.1 + 0.15 * up) * x.z());
    };
    Vec points = rest_surface(source).points;
    for (int i = 0; i < points.size() / 3; ++i) point(points, i) = build(point(points, i));
    const RigFit fit = fit_rig(source, statue(source, points));
    const double error = joint_error(source, fit, build);
    EXPECT_LT(error, 0.025) << name;  // 2.1 % of the height, both
    // The template that is only scaled is farther off.
    double sum = 0;
    const std::vector<JointPlace> joints = joint_places(source);
    for (const JointPlace& each : joints) sum += (fit.scale * each.position - build(each.position)).norm();
    EXPECT_GT(sum / std::ssize(joints) / height_of(fit.character), 1.5 * error) << name;
  }
}

TEST(RigFit, PosesAMeshOfAnotherPoseAsTheTemplate) {
  const Character source = make_character("mannequin", Version::skeleton);
  Vec p = source.rig->rest();
  for (int i = 0; i < p.size(); ++i)
    if (source.rig->controls()[i].name == "upper_arm_l.rz")
      p[i] = -0.5;
    else if (source.rig->controls()[i].name == "upper_arm_r.rz")
      p[i] = 0.5;
  const Vec posed = points_at(source, p);
  ASSERT_GT((posed - rest_surface(source).points).cwiseAbs().maxCoeff(), 0.1);  // arms moved
  const RigFit fit = fit_rig(source, statue(source, posed));
  const Character& fitted = fit.character;
  // At rest it is the posed mesh; in the clip it is posed as the template is.
  EXPECT_LT(clip_difference(source, fitted, "Yo"), 0.25);
}

TEST(RigFit, CarriesScaleAndHeading) {
  const Character source = make_character("mannequin", Version::skeleton);
  const Mat3 turn = Eigen::AngleAxisd(90 * kDegree, Vec3::UnitY()).toRotationMatrix();
  const auto place = [&](const Vec3& x) { return Vec3(100 * (turn * x) + Vec3(30, 0, -20)); };
  Vec points = rest_surface(source).points;
  for (int i = 0; i < points.size() / 3; ++i) point(points, i) = place(point(points, i));
  const RigFit fit = fit_rig(source, statue(source, points));
  EXPECT_NEAR(fit.scale, 100, 1);
  EXPECT_LT(joint_error(source, fit, place), 0.01);
  ASSERT_FALSE(fit.warnings.empty());
  EXPECT_NE(fit.warnings.front().find("facing"), std::string::npos);
  // The clip travels and leans in the mesh's own directions.
  const Animation* clip = source.clip("Yo");
  const Vec s = points_at(source, pose_at(source, clip, 0.4 * clip->duration)),
            t = points_at(fit.character, pose_at(fit.character, fit.character.clip("Yo"), 0.4 * clip->duration));
  double apart = 0;
  for (int i = 0; i < s.size() / 3; ++i) apart = std::max(apart, (place(point(s, i)) - point(t, i)).norm());
  EXPECT_LT(apart, 0.15 * height_of(fit.character));
}

TEST(RigFit, TakesJointsThatAreGivenByHand) {
  const Character source = make_character("mannequin", Version::skeleton);
  const std::vector<JointPlace> joints = joint_places(source);
  const auto hand = std::find_if(joints.begin(), joints.end(), [](const auto& j) { return j.name == "lower_arm_l"; });
  ASSERT_NE(hand, joints.end());
  const Vec3 given = hand->position + Vec3(0.01, 0.02, 0);
  const RigFit fit = fit_rig(source, statue(source, rest_surface(source).points), {.places = {{"lower_arm_l", given}}});
  EXPECT_LT((joint_places(fit.character)[hand - joints.begin()].position - given).norm(), 1e-9);
}

TEST(RigFit, RefusesWhatCannotBeFitted) {
  const Character source = make_character("mannequin", Version::skeleton);
  const Vec points = rest_surface(source).points;
  refused(statue(source, points), statue(source, points), {}, "no template");
  refused(source, statue(source, points), {.places = {{"tentacle", Vec3::Zero()}}}, "\"tentacle\"");
  Character sheet = statue(TriMesh{.points = (Vec(12) << 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1).finished(),
                                   .triangles = {{0, 1, 2}, {0, 2, 3}}});
  refused(source, sheet, {}, "no inside");
  // A ring is no body.
  const TriMesh ring =
      polygonise([](const Vec3& x) { return std::hypot(std::hypot(x.x(), x.y() - 1) - 0.8, x.z()) - 0.1; },
                 {.low = Vec3(-1.2, -0.2, -0.3), .high = Vec3(1.2, 2.2, 0.3), .cell = 0.05});
  refused(source, statue(ring), {.most_residual = 0.01}, "away from the template");
}

TEST(RigFit, KeepsJointsInsideAndWeightsWhole) {
  const Character source = make_character("mannequin", Version::skeleton);
  Vec points = rest_surface(source).points;
  for (int i = 0; i < points.size() / 3; ++i) point(points, i) = Vec3(0.9, 1.1, 0.8).cwiseProduct(point(points, i));
  const RigFit fit = fit_rig(source, statue(source, points), {.keep = 3});
  const TriMesh surface = rest_surface(fit.character);
  const WindingTree winding(surface);
  const std::vector<JointPlace> joints = joint_places(fit.character);
  for (const SkinPart& part : skin_parts(fit.character))
    for (std::size_t j = 0; j < part.joints.size(); ++j)
      if (!part.joints[j].bones.empty()) {
        EXPECT_GT(winding(joints[part.bones[j]].position), 0.5) << part.joints[j].name;
      }
  for (const SkinPart& part : skin_parts(fit.character))
    for (const auto& list : part.influences) {
      double sum = 0;
      for (const Influence& each : list) sum += each.weight;
      EXPECT_NEAR(sum, 1, 1e-9);
      EXPECT_LE(list.size(), 3u);
    }
}

TEST(RigFit, PutsJointsOfRealCharactersWhereTheirArtistsDid) {
  RIGSPACE_ASSET_OR_SKIP(source_file, "khr_CesiumMan/CesiumMan.glb");
  RIGSPACE_ASSET_OR_SKIP(shape_file, "census/RiggedFigure.glb");
  const Character source = load_character(source_file), shape = load_character(shape_file);
  const RigFit fit = fit_rig(source, shape);
  EXPECT_EQ(fit.tips, 5);
  double sum = 0;
  int count = 0;
  for (const JointPlace& own : joint_places(fit.character))
    for (const JointPlace& artist : joint_places(shape))
      if (own.name == artist.name) sum += (own.position - artist.position).norm(), ++count;
  EXPECT_GE(count, 9);  // legs and torso have the same names
  EXPECT_LT(sum / count / height_of(shape), 0.03);
}

TEST(RigFit, MatchesTheLimbsOfAFoxAndADog) {
  RIGSPACE_ASSET_OR_SKIP(source_file, "khr_Fox/Fox.glb");
  RIGSPACE_ASSET_OR_SKIP(shape_file, "quaternius_ShibaInu/ShibaInu.glb");
  const RigFit fit = fit_rig(load_character(source_file), load_character(shape_file));
  EXPECT_EQ(fit.tips, 6);  // paws, head, tail
  EXPECT_LT(fit.residual, 0.012);
}

}  // namespace
}  // namespace rigspace::rig_fit_test
