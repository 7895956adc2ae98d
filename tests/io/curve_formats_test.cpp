// Curves for other programs: CSV, .chan, ATOM, USD.

#include "curve_file_fixture.h"

#include <cmath>
#include <map>

namespace rigspace::curve_formats_test {
namespace {

using namespace curve_fixture;

TEST(Curves, AreWrittenByTheirEnding) {
  const Character hero = make_hero();
  const Animation walk = make_walk();
  for (const std::string& ending : split(std::string(curve_endings()), ' '))
    EXPECT_GT(Written(ending, hero, walk).text.size(), 100u) << ending;
  EXPECT_FALSE(is_curve_file("walk.json"));
  EXPECT_TRUE(is_curve_file("walk.RIGSPACE.JSON"));
  EXPECT_THROW(write_curves("walk.xyz", hero, walk), Error);
  EXPECT_THROW(write_curves("walk.csv", hero, walk, {.fps = -3}), Error);
}

TEST(Csv, BaseAndDeltaGiveTheClip) {
  const Character hero = make_hero();
  Animation soft = make_walk();
  const Animation base = make_walk();
  // A turn of 10 degrees about the joint's own z, on top of the artist's, and a shift.
  for (Vec4& q : soft.rotations[0].values)
    q = (Quat(q) * Quat(Eigen::AngleAxisd(10 * kDegree, Vec3::UnitZ()))).coeffs();
  for (double& value : soft.tracks[0].curve.values) value += 0.25;
  const Written csv("csv", hero, soft, {.base = &base});
  const std::vector<std::string> lines = split(csv.text, '\n');
  EXPECT_EQ(lines[0], "time_s,frame,control,unit,base,delta");
  int rows = 0;
  for (std::size_t k = 1; k < lines.size(); ++k) {
    const std::vector<std::string> cells = split(lines[k], ',');
    ASSERT_EQ(cells.size(), 6u) << lines[k];
    const double delta = std::stod(cells[5]), time = std::stod(cells[0]);
    EXPECT_NEAR(time * 24, std::stod(cells[1]), 1e-9);
    if (cells[2] == "tail.01.rz") {
      EXPECT_EQ(cells[3], "degree");
      EXPECT_NEAR(delta, 10, 1e-9);
      ++rows;
    } else if (cells[2] == "hips.ty") {
      EXPECT_NEAR(std::stod(cells[4]), base.tracks[0].curve(time), 1e-9);
      EXPECT_NEAR(delta, 0.25, 1e-9);
      ++rows;
    } else {
      EXPECT_NEAR(delta, 0, 1e-9) << lines[k];
    }
  }
  EXPECT_EQ(rows, 2 * 25);
  // Without a base nothing is added to anything.
  for (const std::string& line : split(Written("csv", hero, soft).text, '\n'))
    EXPECT_TRUE(line.ends_with(",0") || line.ends_with("delta")) << line;
}

TEST(Csv, NamesWithCommasAndQuotesAreQuoted) {
  auto graph = std::make_shared<ControlGraph>();
  add_scalar(*graph, {.name = "face:a,\"b\"", .node = "face"});
  Character hero{.name = "hero"};
  hero.rig = std::make_shared<BuiltInRig>(graph, Vec(), std::vector<std::shared_ptr<const Deformer>>{});
  Animation clip{.name = "x", .tracks = {{"face:a,\"b\"", {.times = {0}, .values = {1}}}}};
  EXPECT_NE(Written("csv", hero, clip).text.find("0,0,\"face:a,\"\"b\"\"\",scalar,1,0\n"), std::string::npos);
}

TEST(Chan, ColumnsRebuildTheRotationsWithoutJumps) {
  const Character hero = make_hero();
  const Animation walk = make_walk();
  const Written chan("chan", hero, walk);
  const std::vector<std::string> lines = split(chan.text, '\n'), list = split(chan.list, '\n');
  ASSERT_EQ(lines.size(), 25u);
  ASSERT_EQ(list.size() - 2, split(lines[0], '\t').size());  // two lines of comment, then one a column
  std::map<std::string, std::size_t> column;
  for (std::size_t k = 2; k < list.size(); ++k) column[split(list[k], '\t')[1]] = k - 2;
  Vec3 before = Vec3::Zero();
  for (std::size_t f = 0; f < lines.size(); ++f) {
    const std::vector<std::string> cells = split(lines[f], '\t');
    Vec3 angles;
    for (int axis = 0; axis < 3; ++axis)
      angles[axis] = std::stod(cells[column.at(std::string("tail.01.r") + "xyz"[axis])]);
    const Mat3 R = about(2, angles[2]) * about(1, angles[1]) * about(0, angles[0]);  // x turns first
    const double time = static_cast<double>(f) / 24;
    EXPECT_LT((R - rotation_at(hero, walk, time, "tail.01")).norm(), 1e-9) << f;
    if (f > 0) {
      EXPECT_LT((angles - before).cwiseAbs().maxCoeff(), 180) << f;
    }
    before = angles;
    EXPECT_NEAR(std::stod(cells[column.at("hips.ty")]), walk.tracks[0].curve(time), 1e-11);
    EXPECT_NEAR(std::stod(cells[column.at("tail 02.rz")]), 30 * time, 40);  // Euler of a bent joint; its rotation below
    Vec3 second;
    for (int axis = 0; axis < 3; ++axis)
      second[axis] = std::stod(cells[column.at(std::string("tail 02.r") + "xyz"[axis])]);
    EXPECT_LT(
        (about(2, second[2]) * about(1, second[1]) * about(0, second[0]) - rotation_at(hero, walk, time, "tail 02"))
            .norm(),
        1e-9);
  }
  EXPECT_GT(before.cwiseAbs().maxCoeff(), 360);  // two and a half turns are two and a half turns
}

/// A second opinion on ATOM: keys by node and attribute.
struct AtomKey {
  double time, value;
  std::string in, out;
  std::vector<double> rest;
};
std::map<std::string, std::vector<AtomKey>> parse_atom(const std::string& text) {
  std::map<std::string, std::vector<AtomKey>> curves;
  std::istringstream stream(text);
  std::string node, attribute;
  int depth = 0;
  bool in_keys = false, named = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("dagNode")) named = false;
    std::istringstream words(line.substr(0, line.find(';')));
    std::string first;
    words >> first;
    if (depth == 1 && !named && !line.starts_with("dagNode")) node = first, named = true;
    if (first == "anim") words >> attribute;
    if (in_keys && first != "}") {
      AtomKey key{.time = std::stod(first)};
      words >> key.value >> key.in >> key.out;
      for (double number; words >> number;) key.rest.push_back(number);
      curves[node + "|" + attribute].push_back(key);
    }
    if (first == "keys") in_keys = true;
    if (first == "}") in_keys = false;
    depth += static_cast<int>(std::count(line.begin(), line.end(), '{') - std::count(line.begin(), line.end(), '}'));
  }
  EXPECT_EQ(depth, 0);
  return curves;
}

TEST(Atom, KeysAndTangentsAreTheClips) {
  const Character hero = make_hero();
  const Animation walk = make_walk();
  const Written atom("atom", hero, walk);
  EXPECT_TRUE(atom.text.starts_with("atomVersion 1.0;\n"));
  EXPECT_NE(atom.text.find("timeUnit film;"), std::string::npos);
  EXPECT_NE(atom.text.find("postInfinity cycleRelative;"), std::string::npos);
  const auto curves = parse_atom(atom.text);
  const auto& hips = curves.at("hips|translate.translateY");
  ASSERT_EQ(hips.size(), 3u);
  EXPECT_EQ(hips[1].time, 6);
  EXPECT_EQ(hips[1].value, 0.625);
  EXPECT_EQ(hips[1].in, "fixed");
  ASSERT_EQ(hips[2].rest.size(), 7u);                                 // three flags, two angles with weights
  EXPECT_NEAR(std::tan(hips[1].rest[3] * kDegree), 100 * 0.5, 1e-7);  // centimetres per second
  EXPECT_NEAR(std::tan(hips[2].rest[5] * kDegree), 100 * 1.0, 1e-7);
  EXPECT_EQ(hips[2].rest[0], 0);  // in and out differ: not locked
  EXPECT_EQ(curves.at("face|smile")[1].out, "step");
  EXPECT_EQ(curves.at("face|blink_l").size(), 3u);
  const auto &x = curves.at("tail_01|rotate.rotateX"), &y = curves.at("tail_01|rotate.rotateY"),
             &z = curves.at("tail_01|rotate.rotateZ");
  ASSERT_EQ(x.size(), 25u);
  for (std::size_t f = 0; f < x.size(); ++f) {
    EXPECT_EQ(x[f].time, static_cast<double>(f));
    const Mat3 R = about(2, z[f].value) * about(1, y[f].value) * about(0, x[f].value);
    EXPECT_LT((R - rotation_at(hero, walk, static_cast<double>(f) / 24, "tail.01")).norm(), 1e-9);
  }
  ASSERT_EQ(atom.notes.size(), 2u);
  EXPECT_EQ(atom.notes[0],
            "2 names are not as Maya allows and changed: \"tail.01\" to \"tail_01\", \"tail 02\" to \"tail_02\"");
}

/// The numbers between the brackets of one frame of an attribute.
std::vector<double> usda_numbers(const std::string& text, const std::string& attribute, int frame) {
  const std::size_t start = text.find(attribute + ".timeSamples");
  const std::size_t at = text.find("\n                " + std::to_string(frame) + ": [", start);
  const std::size_t end = text.find("],\n", at);
  EXPECT_NE(at, std::string::npos);
  std::string body = text.substr(at, end - at);
  body = body.substr(body.find('[') + 1);
  for (char& c : body)
    if (c == '(' || c == ')' || c == ',') c = ' ';
  std::istringstream stream(body);
  std::vector<double> numbers;
  for (double number; stream >> number;) numbers.push_back(number);
  return numbers;
}

TEST(Usda, JointsAreWhereTheCharacterHasThem) {
  const Character hero = make_hero();
  const Animation walk = make_walk();
  const Written usda("usda", hero, walk);
  EXPECT_NE(usda.text.find("uniform token[] joints = [\"hips\", \"hips/tail_01\", \"hips/tail_01/tail_02\"]"),
            std::string::npos);
  EXPECT_NE(usda.text.find("blendShapes = [\"smile\", \"blink_l\"]"), std::string::npos);
  const auto& rig = dynamic_cast<const BuiltInRig&>(*hero.rig);
  const auto workspace = rig.make_workspace();
  Vec u;
  for (const int frame : {0, 7, 24}) {
    const std::vector<double> t = usda_numbers(usda.text, "translations", frame),
                              q = usda_numbers(usda.text, "rotations", frame),
                              s = usda_numbers(usda.text, "scales", frame);
    ASSERT_EQ(t.size(), 9u);
    ASSERT_EQ(q.size(), 12u);
    ASSERT_EQ(s.size(), 9u);
    rig.evaluate_slots(*workspace, pose_at(hero, &walk, frame / 24.0), u);
    Mat4 world = Mat4::Identity();
    for (int j = 0; j < 3; ++j) {
      Mat4 local = Mat4::Identity();
      local.topLeftCorner<3, 3>() = Quat(q[4 * j], q[4 * j + 1], q[4 * j + 2], q[4 * j + 3]).toRotationMatrix() *
                                    Vec3(s[3 * j], s[3 * j + 1], s[3 * j + 2]).asDiagonal();
      local.topRightCorner<3, 1>() = Vec3(t[3 * j], t[3 * j + 1], t[3 * j + 2]);
      world = world * local;
      const Affine expected = transform_at(u, rig.graph().slots()[hero.bones[j].slot]);
      EXPECT_LT((world.topRows<3>() - expected).norm(), 1e-6);  // float32 in the file
    }
    EXPECT_EQ(usda_numbers(usda.text, "blendShapeWeights", frame).size(), 2u);
  }
  // The real part leads, and signs do not jump.
  Vec4 before;
  for (int frame = 0; frame <= 24; ++frame) {
    const std::vector<double> q = usda_numbers(usda.text, "rotations", frame);
    const Vec4 now(q[4], q[5], q[6], q[7]);
    if (frame > 0) {
      EXPECT_GT(now.dot(before), 0);
    }
    before = now;
  }
}

}  // namespace
}  // namespace rigspace::curve_formats_test
