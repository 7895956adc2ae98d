// Members for drawing: as many points and controls as the Thesis's table 5.1 has, and curves that go with the surface.

#include "rigspace/cast/sketch_curves.h"

#include <gtest/gtest.h>

#include "members.h"
#include "rigspace/base/error.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/testing/check_rig.h"

namespace rigspace::sketch_cast_test {
namespace {

/// Made once.
const CastSketch& sketched(const std::string& name) {
  static std::map<std::string, CastSketch> made;
  const auto found = made.find(name);
  return found != made.end() ? found->second : made.emplace(name, make_cast_sketch(name)).first->second;
}

const CastAbstraction& abstraction(const std::string& character, const std::string& name) {
  for (const CastAbstraction& each : sketched(character).abstractions) {
    if (each.name == name) return each;
  }
  throw std::runtime_error(character + " has no " + name);
}

Vec evaluated(const Rig& rig, In p) {
  const auto workspace = rig.make_workspace();
  Vec s;
  rig.evaluate(*workspace, p, s);
  return s;
}

/// Offered controls a share of the way from rest to a limit, alternately the lower and the upper one.
Vec strained(const Rig& rig, double share) {
  Vec p(static_cast<Eigen::Index>(rig.controls().size()));
  for (std::size_t c = 0; c < rig.controls().size(); ++c) p[static_cast<int>(c)] = rig.controls()[c].rest;
  int k = 0;
  for (const int c : offered_controls(rig)) {
    const Control& control = rig.controls()[c];
    const double limit = ++k % 2 == 0 ? control.min : control.max;
    if (std::isfinite(limit)) p[c] += share * (limit - control.rest);
  }
  return p;
}

TEST(Table51, DimensionsOfControlsAndSurface) {
  struct Row {
    const char* name;
    int p, x;
  };
  for (const Row& row : {Row{"toon", 91, 6708}, Row{"face", 44, 19671}, Row{"dragon", 25, 46380}}) {
    const Rig& rig = *sketched(row.name).character.rig;
    EXPECT_EQ(offered_controls(rig).size(), static_cast<std::size_t>(row.p)) << row.name;
    EXPECT_EQ(3 * rig.point_count(), row.x) << row.name;
  }
}

TEST(Table51, DimensionsOfTheElephant) {
  const Rig& rig = *testing::member("elephant").rig;
  EXPECT_EQ(offered_controls(rig).size(), 132u);
  EXPECT_EQ(3 * rig.point_count(), 6162);
}

TEST(Table51, DimensionsOfAbstractions) {
  EXPECT_EQ(2 * abstraction("toon", "stick").point_count(), 380);
  EXPECT_EQ(2 * abstraction("toon", "outline").point_count(), 706);
  EXPECT_EQ(2 * abstraction("face", "features").point_count(), 200);
  for (const std::string_view part : sketch_cast().subspan(3))
    EXPECT_EQ(2 * abstraction(std::string(part), "icon").point_count(), 200) << part;
}

TEST(SketchCast, PartsOfTheDragonAddUpToTheWhole) {
  int sum = 0;
  for (const std::string_view part : sketch_cast().subspan(3))
    sum += sketched(std::string(part)).character.rig->point_count();
  EXPECT_EQ(sum, sketched("dragon").character.rig->point_count());
}

TEST(SketchCast, NamesItsMembersWhenAskedForAnother) {
  try {
    make_cast_sketch("peanut");
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("dragon_tail"), std::string::npos) << error.what();
  }
}

class EverySketch : public ::testing::TestWithParam<std::string_view> {
 protected:
  static const CastSketch& made() { return sketched(std::string(GetParam())); }
};

INSTANTIATE_TEST_SUITE_P(Cast, EverySketch, ::testing::ValuesIn(sketch_cast().begin(), sketch_cast().end()),
                         [](const auto& each) { return std::string(each.param); });

TEST(SketchCast, IconsAreThoseOfTheParts) {
  const std::vector<CastAbstraction> icons = dragon_icons();
  ASSERT_EQ(icons.size(), 6u);
  const CastAbstraction& tail = abstraction("dragon_tail", "icon");
  EXPECT_EQ(icons[3].name, "tail");
  const Vec p = strained(*tail.rig, 0.4);
  EXPECT_EQ(evaluated(*icons[3].rig, p), evaluated(*tail.rig, p));
}

TEST_P(EverySketch, EveryOfferedControlMovesTheSurface) {
  const Rig& rig = *made().character.rig;
  Vec p = strained(rig, 0);
  const Vec before = evaluated(rig, p);
  for (const int c : offered_controls(rig)) {
    const Control& control = rig.controls()[c];
    EXPECT_LT(control.min, control.max) << control.name;
    const double kept = p[c];
    p[c] += 0.3 * control.typical;
    EXPECT_GT((evaluated(rig, p) - before).cwiseAbs().maxCoeff(), 1e-5) << control.name;
    p[c] = kept;
  }
}

TEST_P(EverySketch, CurvesRestAndMoveWithTheSurface) {
  // A stroke's nearest point of the surface stays as near, within what skin gives way at a bent joint: the curves'
  // own reach from the surface, and 6 % of the size.
  const Character& character = made().character;
  TriMesh surface = rest_surface(character);
  const Vec lengths = surface.points.reshaped(3, surface.points.size() / 3).rowwise().maxCoeff() -
                      surface.points.reshaped(3, surface.points.size() / 3).rowwise().minCoeff();
  for (const CastAbstraction& each : made().abstractions) {
    const auto farthest = [&](In p) {
      surface.points = evaluated(*character.rig, p);
      const TriangleTree tree(surface);
      const Vec z = evaluated(*each.rig, p);
      double most = 0;
      for (int k = 0; k < each.point_count(); ++k) most = std::max(most, tree.closest(point(z, k)).distance);
      return most;
    };
    ASSERT_EQ(each.rig->controls().size(), character.rig->controls().size());
    EXPECT_LT((evaluated(*each.rig, strained(*each.rig, 0)) - each.points_rest).cwiseAbs().maxCoeff(), 1e-12);
    const double at_rest = farthest(strained(*each.rig, 0));
    EXPECT_LT(farthest(strained(*each.rig, 0.5)), 1.6 * at_rest + 0.06 * lengths.maxCoeff()) << each.name;
  }
}

TEST_P(EverySketch, CurvesHaveExactDerivatives) {
  for (const CastAbstraction& each : made().abstractions) {
    const auto report = testing::check_rig(*each.rig);
    EXPECT_TRUE(report.ok()) << each.name << "\n" << report;
  }
}

TEST(Toon, KneesAndElbowsBendOneWay) {
  const Rig& rig = *sketched("toon").character.rig;
  for (const char* end : {"_l", "_r"}) {
    const Control& knee = rig.controls()[find_control(rig.controls(), std::string("shin") + end + ".rx")];
    const Control& elbow = rig.controls()[find_control(rig.controls(), std::string("lower_arm") + end + ".rx")];
    EXPECT_LT(knee.max, 5 * kDegree);
    EXPECT_LT(knee.min, -120 * kDegree);
    EXPECT_GT(elbow.min, -5 * kDegree);
    EXPECT_GT(elbow.max, 120 * kDegree);
  }
  // And the way they bend is the right one: the heel to the back, the hand to the front.
  const CastAbstraction& stick = abstraction("toon", "stick");
  Vec p = strained(*stick.rig, 0);
  const Vec before = evaluated(*stick.rig, p);
  p[find_control(rig.controls(), "shin_l.rx")] = -1.5;
  p[find_control(rig.controls(), "lower_arm_r.rx")] = 1.5;
  const Vec after = evaluated(*stick.rig, p);
  for (const CastCurve& curve : stick.curves) {
    const int tip = curve.first_point + curve.point_count - 1;
    const double ahead = after[3 * tip + 2] - before[3 * tip + 2];
    if (curve.name == "leg_l") {
      EXPECT_LT(ahead, -0.1);
    } else if (curve.name == "arm_r") {
      EXPECT_GT(ahead, 0.2);
    } else {
      EXPECT_EQ(ahead, 0) << curve.name;
    }
  }
}

TEST(Toon, BonesGrowWithoutShearingWhatHangsBelow) {
  // A longer thigh moves the shin as a whole, bent as it is; the shin keeps its length.
  const CastAbstraction& stick = abstraction("toon", "stick");
  const std::span<const Control> controls = stick.rig->controls();
  Vec p = strained(*stick.rig, 0);
  p[find_control(controls, "shin_l.rx")] = -1.2;
  const auto leg = std::find_if(stick.curves.begin(), stick.curves.end(),
                                [](const CastCurve& curve) { return curve.name == "leg_l"; });
  const auto step = [&](const Vec& z, int k) {  // the k-th step of the curve from its end
    const int tip = leg->first_point + leg->point_count - 1;
    return Vec3(point(z, tip - k) - point(z, tip - k - 1));
  };
  const Vec before = evaluated(*stick.rig, p);
  p[find_control(controls, "thigh_l.length")] = 1.4;
  const Vec after = evaluated(*stick.rig, p);
  for (int k = 0; k < 15; ++k) EXPECT_LT((step(after, k) - step(before, k)).norm(), 1e-9) << k;
  EXPECT_GT((point(after, leg->first_point + 37) - point(before, leg->first_point + 37)).norm(), 0.05);
}

}  // namespace
}  // namespace rigspace::sketch_cast_test
