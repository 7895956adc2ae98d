// Rigs that another program describes in parts: by hand here, in Blender by tests/blender/test_translation.py.

#include "../../src/io/plain_rig.h"

#include "../../src/io/uri.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/skeleton.h"
#include "rigspace/testing/check_rig.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <functional>
#include <numbers>

namespace rigspace::plain_rig_test {
namespace {

using Json = nlohmann::json;

template <class T>
std::string packed(const std::vector<T>& values) {
  return encode_base64(std::as_bytes(std::span(values)));
}

const std::vector<double> kEye = {1, 0, 0, 0, 1, 0, 0, 0, 1};

Json node(const char* name, int parent, const std::vector<double>& origin) {
  return {{"name", name},     {"parent", parent},   {"before", kEye},      {"axes", kEye},       {"after", kEye},
          {"origin", origin}, {"place", {0, 0, 0}}, {"angles", {0, 0, 0}}, {"scale", {1, 1, 1}}, {"key", {0, 0, 0, 1}}};
}

std::vector<Control> controls() {
  return {{.name = "bone.rz", .node = "bone", .unit = Unit::angle, .group = "bone", .typical = 0.5},
          {.name = "idle", .rest = 0.5, .min = 0, .max = 1},
          {.name = "Body:puff", .node = "Body", .min = 0, .max = 1}};
}

/// Two points at x = 1 and 2. A bone at x = 1 turns about z and has all of the second; a shape moves the first up by 2,
/// and one of constant value both along z.
Json two_points() {
  Json bone = node("bone", 0, {1, 0, 0});
  bone.erase("key");
  bone["order"] = "XYZ";
  bone["angles"] = {0, 0, Json::array({0})};
  return {{"nodes", {node("Body", -1, {0, 0, 0}), bone}},
          {"rest", packed<double>({1, 0, 0, 2, 0, 0})},
          {"shapes",
           {{{"name", "puff"}, {"value", {2}}, {"points", packed<int>({0})}, {"offsets", packed<double>({0, 2, 0})}},
            {{"name", "fixed"},
             {"value", 0.5},
             {"points", packed<int>({0, 1})},
             {"offsets", packed<double>({0, 0, 2, 0, 0, 4})}}}},
          {"joints",
           {{{"node", 0}, {"bind", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}},
            {{"node", 1}, {"bind", {1, 0, 0, -1, 0, 1, 0, 0, 0, 0, 1, 0}}}}},
          {"start", packed<int>({0, 1, 2})},
          {"joint", packed<int>({0, 1})},
          {"weight", packed<double>({1, 1})}};
}

std::shared_ptr<const BuiltInRig> built(const Json& json) {
  return build_plain_rig(json.dump(), controls(), 2, "test");
}

TEST(PlainRig, MovesPointsByShapesAndThenByBones) {
  const auto rig = built(two_points());
  Vec s;
  rig->evaluate(*rig->make_workspace(), Vec{{std::numbers::pi / 2, 0, 0.5}}, s);
  EXPECT_LT((s - Vec{{1, 1, 1, 1, 1, 2}}).norm(), 1e-14) << s.transpose();
  EXPECT_TRUE(testing::check_rig(*rig).ok()) << testing::check_rig(*rig);
}

TEST(PlainRig, PreservesVolumeInTheSpaceOfWhatCarriesIt) {
  Json json = two_points();
  json["nodes"][1]["parent"] = -1;
  json["nodes"][0]["origin"] = {0, 0, 5};
  json["volume"] = 0;
  json["joints"][0]["node"] = 2;
  json["nodes"].push_back(node("still", -1, {0, 0, 0}));
  json["start"] = packed<int>({0, 2, 4});
  json["joint"] = packed<int>({0, 1, 0, 1});
  json["weight"] = packed<double>({0.5, 0.5, 0.5, 0.5});
  const auto rig = built(json);
  Vec s;
  rig->evaluate(*rig->make_workspace(), Vec{{std::numbers::pi / 2, 0, 0}}, s);
  const double half = std::sqrt(0.5);  // half way between 0 and 90 degrees, at full length from the joint
  EXPECT_LT((s - Vec{{1, 0, 6, 1 + half, half, 7}}).norm(), 1e-14) << s.transpose();
  EXPECT_TRUE(testing::check_rig(*rig).ok()) << testing::check_rig(*rig);
}

TEST(PlainRig, HasTheControlsThatItIsGivenAlsoThoseWithoutEffect) {
  const auto rig = built(two_points());
  const std::vector<Control> given = controls();
  ASSERT_EQ(rig->controls().size(), given.size());
  for (std::size_t k = 0; k < given.size(); ++k) {
    const Control& control = rig->controls()[k];
    EXPECT_EQ(control.name, given[k].name);
    EXPECT_EQ(control.group, given[k].group);
    EXPECT_EQ(control.unit, given[k].unit);
    EXPECT_EQ(std::tuple(control.rest, control.min, control.max, control.typical),
              std::tuple(given[k].rest, given[k].min, given[k].max, given[k].typical));
  }
  Vec a, b;
  rig->evaluate(*rig->make_workspace(), Vec{{0.3, 0, 0.5}}, a);
  rig->evaluate(*rig->make_workspace(), Vec{{0.3, 1, 0.5}}, b);
  EXPECT_EQ(a, b);
}

TEST(PlainRig, ChannelsFollowExpressionsOfOthers) {
  Json json = two_points();
  const Json half = {{"expression", "clamp(2 * a - b, 0, 1)"}, {"variables", {{"a", {1}}, {"b", 0.5}}}};
  json["shapes"][0]["value"] = half;
  json["nodes"][1]["angles"][2] = {{"expression", "a"}, {"variables", {{"a", {1}}}}};  // radians
  const auto rig = built(json);
  Vec s;
  rig->evaluate(*rig->make_workspace(), Vec{{0, 0.5, 0}}, s);
  EXPECT_LT((s - Vec{{1, 1, 1, 1 + std::cos(0.5), std::sin(0.5), 2}}).norm(), 1e-14) << s.transpose();
  EXPECT_TRUE(testing::check_rig(*rig).ok()) << testing::check_rig(*rig);
  json["shapes"][0]["value"]["expression"] = "a +";
  EXPECT_THROW(built(json), Error);
  json["shapes"][0]["value"]["expression"] = "c";
  EXPECT_THROW(built(json), Error);
}

TEST(PlainRig, OrdersOfEulerAnglesAreBlendersNames) {
  for (const auto& [name, first, second, third] : {std::tuple("XYZ", 0, 1, 2),
                                                   {"XZY", 0, 2, 1},
                                                   {"YXZ", 1, 0, 2},
                                                   {"YZX", 1, 2, 0},
                                                   {"ZXY", 2, 0, 1},
                                                   {"ZYX", 2, 1, 0}}) {
    Json json = two_points();
    json["nodes"][1]["order"] = name;
    const Vec3 angles(0.4, -0.7, 0.9);
    json["nodes"][1]["angles"] = {angles[0], angles[1], angles[2]};
    const auto rig = built(json);
    Vec s;
    rig->evaluate(*rig->make_workspace(), rig->rest(), s);
    Vec3 expected(1, 0, 2);  // of the second point, from the bone
    for (const int axis : {first, second, third}) expected = rotation_exp(angles[axis] * Vec3::Unit(axis)) * expected;
    EXPECT_LT((s.tail<3>() - Vec3(1, 0, 0) - expected).norm(), 1e-14) << name;
  }
}

TEST(PlainRig, WhatIsWrongIsNamed) {
  const auto refusal = [](const std::function<void(Json&)>& spoil) -> std::string {
    Json json = two_points();
    spoil(json);
    try {
      built(json);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::external_process);
      return error.what();
    }
    return "taken";
  };
  const auto has = [](const std::string& text, const char* words) { return text.find(words) != std::string::npos; };
  EXPECT_PRED2(has, refusal([](Json& json) { json.erase("joints"); }), "joints is absent");
  EXPECT_PRED2(has, refusal([](Json& json) { json["nodes"][1]["parent"] = 1; }), "parent is 1, which is not there");
  EXPECT_PRED2(has, refusal([](Json& json) { json["nodes"][1]["angles"][0] = {3}; }), "reads the control [3]");
  EXPECT_PRED2(has, refusal([](Json& json) { json["nodes"][1]["order"] = "XYX"; }), "order is \"XYX\"");
  EXPECT_PRED2(has, refusal([](Json& json) { json["nodes"][0]["origin"] = {0, 0}; }), "origin has 2 numbers");
  EXPECT_PRED2(has, refusal([](Json& json) { json["rest"] = packed<double>({1, 2, 3}); }), "rest is not the array");
  EXPECT_PRED2(has, refusal([](Json& json) { json["joint"] = packed<int>({0, 2}); }), "joint has 2");
  EXPECT_PRED2(has, refusal([](Json& json) { json["start"] = packed<int>({0, 2, 1}); }), "weight do not belong");
  EXPECT_PRED2(has, refusal([](Json& json) { json["weight"] = packed<double>({1, NAN}); }), "not finite");
  EXPECT_PRED2(has, refusal([](Json& json) { json["shapes"][0]["points"] = packed<int>({2}); }), "points has 2");
  EXPECT_PRED2(has, refusal([](Json& json) { json = 3; }), "nodes is absent");
}

}  // namespace
}  // namespace rigspace::plain_rig_test
