#include "rigspace/io/json_text.h"

#include <gtest/gtest.h>

namespace rigspace::json_text_test {
namespace {

constexpr const char* kText = R"({
  // a rig
  "name": "hero", /* two
  lines */ "controls": [
    {"name": "a", "rest": 1},
    {"name": "b",
     "rest": "two"}
  ],
  "odd \"key\"": [[1, 2], {"x": 3}]
})";

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(JsonText, KnowsTheLineAndThePathOfEveryValue) {
  const JsonText text(kText, "hero.rig.json");
  const Field controls = text.root()["controls"];
  EXPECT_EQ(text.root()["name"].line(), 3);
  EXPECT_EQ(controls.line(), 4);
  EXPECT_EQ(controls.items()[0]["rest"].line(), 5);
  EXPECT_EQ(controls.items()[1]["rest"].line(), 7);
  EXPECT_EQ(controls.items()[1]["rest"].path(), "controls[1].rest");
  EXPECT_EQ(text.root()["odd \"key\""].items()[1]["x"].line(), 9);
  EXPECT_EQ(text.root()["odd \"key\""].items()[1].line(), 9);
  EXPECT_EQ(controls.items()[1].place(), "hero.rig.json:6");
}

TEST(JsonText, NamesFileLineFieldAndRemedy) {
  const JsonText text(kText, "hero.rig.json");
  const Field second = text.root()["controls"].items()[1];
  EXPECT_EQ(message_of([&] { second["rest"].number(); }),
            "hero.rig.json:7: controls[1].rest is \"two\"; expected a number");
  EXPECT_EQ(message_of([&] { second["min"]; }), "hero.rig.json:6: controls[1] lacks the field \"min\"");
  EXPECT_EQ(message_of([&] {
              second.allow({"name", "rset"});
            }),
            "hero.rig.json:7: controls[1].rest is no field that is known here; did you mean \"rset\"?");
  EXPECT_EQ(message_of([&] {
              text.root()["name"].one_of({"zero", "one"});
            }),
            "hero.rig.json:3: name is \"hero\"; expected zero, one");
}

TEST(JsonText, TellsInnerErrorsWhereTheyStand) {
  const JsonText text(kText, "hero.rig.json");
  const std::string message = message_of([&] {
    text.root()["controls"].located([] { throw Error({.element = "driver \"x\"", .problem = "is wrong"}); });
  });
  EXPECT_EQ(message, "hero.rig.json:4: controls: driver \"x\" is wrong");
}

TEST(JsonText, RefusesWhatIsBrokenTwiceOrTooDeep) {
  EXPECT_EQ(message_of([] { JsonText("{\n\"a\": 1,\n\"a\": 2}", "x.json"); }),
            "x.json: field \"a\" stands twice in one object");
  EXPECT_NE(message_of([] { JsonText("{\n\"a\": 1\n\"b\": 2}", "x.json"); }).find("x.json:3: "), std::string::npos);
  EXPECT_NE(message_of([] { JsonText(std::string(100000, '['), "x.json"); }).find("deeper than 32"), std::string::npos);
  EXPECT_NE(message_of([] { JsonText("", "x.json"); }).find("not valid JSON"), std::string::npos);
  EXPECT_NE(message_of([] { JsonText("{\"a\": 1e999}", "x.json").root()["a"].number(); }).find("x.json"),
            std::string::npos);
}

}  // namespace
}  // namespace rigspace::json_text_test
