#include "rigspace/io/curve_file.h"

#include "curve_file_fixture.h"

#include <cmath>
#include <random>

namespace rigspace::curve_file_test {
namespace {

using namespace curve_fixture;

CurveFile random_file() {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  CurveFile file{.name = "hero \"x\" \\ \xC3\xBC", .units = {{"rig.bend", Unit::angle}, {"rope.tx", Unit::scalar}}};
  Animation clip{.name = "Walk", .duration = 1.0 / 3};
  int kind = 0;
  for (const char* control : {"hips.tx", "rig.bend", "rope.tx", "a.sx", "face:smile", "tail.rz"}) {
    Curve curve{.interpolation = static_cast<Interpolation>(kind % 6),
                .before = static_cast<Extrapolation>(kind % 4),
                .after = static_cast<Extrapolation>((kind + 1) % 4)};
    double time = normal(random);
    for (int k = 0; k < 200; ++k) {
      curve.times.push_back(time += std::exp(normal(random)));
      curve.values.push_back(normal(random) * std::pow(10, 6 * normal(random)));
    }
    if (curve.interpolation == Interpolation::hermite) {
      curve.in_tangents = curve.values;
      curve.out_tangents = curve.times;
    }
    clip.tracks.push_back({control, curve});
    ++kind;
  }
  RotationTrack track{.node = "hips", .interpolation = Interpolation::hermite};
  for (int k = 0; k < 50; ++k) {
    track.times.push_back(k / 30.0);
    track.values.emplace_back(normal(random), normal(random), normal(random), normal(random));
  }
  track.in_tangents = track.out_tangents = track.values;
  clip.rotations.push_back(track);
  file.clips = {clip, Animation{.name = "Empty"}};
  return file;
}

TEST(CurveFile, RoundTripsToTheBitAndAnglesToOneStep) {
  const CurveFile file = random_file();
  const std::string text = to_curves_json(file);
  const CurveFile again = parse_curves(text, "a.rigspace.json");
  EXPECT_EQ(again.name, file.name);
  ASSERT_EQ(again.clips.size(), 2u);
  EXPECT_EQ(again.units, file.units);
  const Animation &a = file.clips[0], &b = again.clips[0];
  EXPECT_EQ(a.duration, b.duration);
  int moved = 0;
  for (std::size_t t = 0; t < a.tracks.size(); ++t) {
    const Curve &x = a.tracks[t].curve, &y = b.tracks[t].curve;
    EXPECT_EQ(a.tracks[t].control, b.tracks[t].control);
    EXPECT_EQ(x.interpolation, y.interpolation);
    EXPECT_EQ(x.before, y.before);
    EXPECT_EQ(x.after, y.after);
    EXPECT_EQ(x.times, y.times);
    EXPECT_EQ(x.in_tangents, y.in_tangents);
    EXPECT_EQ(x.out_tangents, y.out_tangents);
    const bool angle = file.unit_of(a.tracks[t].control) == Unit::angle;
    for (std::size_t k = 0; k < x.values.size(); ++k) {
      const double one = std::nextafter(x.values[k], y.values[k]);
      EXPECT_TRUE(y.values[k] == x.values[k] || (angle && y.values[k] == one)) << a.tracks[t].control;
      moved += y.values[k] != x.values[k];
    }
  }
  RecordProperty("angles_moved_of_400", moved);
  EXPECT_TRUE(a.rotations[0].values == b.rotations[0].values);
  EXPECT_TRUE(a.rotations[0].in_tangents == b.rotations[0].in_tangents);
  // And never again: from here on the file is the same, character by character.
  const std::string second = to_curves_json(again);
  EXPECT_TRUE(to_curves_json(parse_curves(second, "b.rigspace.json")) == second);
  EXPECT_TRUE(parse_curves(second, "b.rigspace.json").clips[0].tracks[1].curve.values == b.tracks[1].curve.values);
}

TEST(CurveFile, AnglesAreDegreesThatPeopleCanRead) {
  CurveFile file{.name = "hero"};
  Animation clip{.name = "Walk", .duration = 1};
  clip.tracks.push_back(
      {"tail.rx", {.times = {0, 1, 2, 3}, .values = {45 * kDegree, -30 * kDegree, 0.1 * kDegree, 720 * kDegree}}});
  file.clips.push_back(clip);
  EXPECT_NE(to_curves_json(file).find("\"values\": [45, -30, 0.1, 720]"), std::string::npos) << to_curves_json(file);
}

TEST(CurveFile, HandsMayWriteItWithComments) {
  const CurveFile file = parse_curves(
      "{ // by hand\n\"kind\": \"rigspace curves\", \"schema\": 1,\n\"clips\": [ { \"name\": \"Nod\", /* one */ "
      "\"tracks\": ["
      "{\"control\": \"head.rx\", \"unit\": \"degree\", \"interpolation\": \"linear\", \"times\": [0, 1.5], "
      "\"values\": [0, 90]}]}]}",
      "nod.rigspace.json");
  ASSERT_EQ(file.clips.size(), 1u);
  EXPECT_EQ(file.clips[0].duration, 1.5);  // the last key
  EXPECT_DOUBLE_EQ(file.clips[0].tracks[0].curve(1.5), std::numbers::pi / 2);
}

TEST(CurveFile, WrongFilesGetOneClearSentence) {
  const std::string good =
      "{\n\"kind\": \"rigspace curves\",\n\"schema\": 1,\n\"clips\": [{\n\"name\": \"Nod\",\n\"tracks\": [{\n"
      "\"control\": \"head.rx\",\n\"unit\": \"degree\",\n\"interpolation\": \"linear\",\n\"times\": [0, 1],\n"
      "\"values\": [0,\n90]}]}]}";
  ASSERT_NO_THROW(parse_curves(good, "a.json"));
  const auto refusal = [&](const std::string& from, const std::string& to) -> std::string {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    try {
      parse_curves(text, "nod.rigspace.json");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("\"degree\"", "\"radian\""),
            "nod.rigspace.json:8: clips[0].tracks[0].unit is \"radian\"; expected scalar, length, degree, scale");
  EXPECT_EQ(refusal("90", "\"much\""),
            "nod.rigspace.json:12: clips[0].tracks[0].values[1] is \"much\"; expected a number");
  EXPECT_EQ(refusal("[0, 1]", "[1, 0]").substr(0, 46), "nod.rigspace.json:6: clips[0].tracks[0]: curve");
  EXPECT_EQ(refusal("\"schema\": 1", "\"schema\": 2"), "nod.rigspace.json:3: schema is 2; this program reads 1");
  EXPECT_NE(refusal("\"times\"", "\"tims\"").find("did you mean \"times\"?"), std::string::npos);
  EXPECT_EQ(refusal("rigspace curves", "soup"),
            "nod.rigspace.json: is no file of curves; it must say \"kind\": \"rigspace curves\"");
  EXPECT_EQ(refusal("90]}]}]}", "90").substr(0, 22), "nod.rigspace.json:12: ");
  EXPECT_NE(refusal("}]}]}", "}]}, {\"name\": \"Nod\"}]}").find("for a second time"), std::string::npos);
}

}  // namespace
}  // namespace rigspace::curve_file_test
