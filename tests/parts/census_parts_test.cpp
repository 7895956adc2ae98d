// The table of parts that a person would choose on each character of the assets (docs/census.md).

#include "rigspace/io/gltf.h"
#include "rigspace/parts/part.h"
#include "support/assets.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>

namespace rigspace {
namespace {

using Json = nlohmann::json;

struct Row {
  Json row;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.row["file"]; }

std::vector<Row> table() {
  std::ifstream in(testing::source_folder() / "tests/census/parts.json");
  std::vector<Row> rows;
  const Json all = Json::parse(in);
  for (const Json& row : all["characters"]) rows.push_back({row});
  return rows;
}

bool matches_any(const std::string& name, const Json& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const Json& each) { return matches_pattern(name, each.get<std::string>()); });
}

class CensusParts : public ::testing::TestWithParam<Row> {};

TEST_P(CensusParts, AreThoseOfTheTable) {
  const Json& row = GetParam().row;
  RIGSPACE_ASSET_OR_SKIP(path, row["file"].get<std::string>());
  const Character character = load_gltf(path);
  const std::vector<Part> parts = find_parts(character);
  const auto joint = [&](int bone) { return character.bones[static_cast<std::size_t>(bone)].name; };
  std::set<std::string> met;
  std::set<int> taken;
  for (const Part& part : parts) {
    EXPECT_FALSE(part.reason.empty() && part.settings.amount == 1) << part.name;
    for (const int bone : part.bones) EXPECT_TRUE(taken.insert(bone).second) << joint(bone) << " is in two parts";
    if (row.contains("sheets") && matches_any(part.name, row["sheets"])) continue;
    const Json* expected = nullptr;
    for (const char* list : {"parts", "may"})
      if (row.contains(list))
        for (const Json& each : row[list])
          if (!each.contains("name") || each["name"] == part.name) expected = &each;
    ASSERT_NE(expected, nullptr) << "part " << part.name << " on " << joint(part.bones.front());
    met.insert(expected->dump());
    EXPECT_EQ(part.preset, expected->value("preset", part.preset));
    EXPECT_LE(part.settings.amount, expected->value("gentle", false) ? 0.5 : 1.0) << part.name;
    for (const int bone : part.bones)
      EXPECT_TRUE(matches_any(joint(bone), (*expected)["joints"]) ||
                  (expected->contains("may_joints") && matches_any(joint(bone), (*expected)["may_joints"])))
          << part.name << " has " << joint(bone);
    for (const Json& pattern : (*expected)["joints"])
      EXPECT_TRUE(std::any_of(part.bones.begin(), part.bones.end(),
                              [&](int bone) { return matches_pattern(joint(bone), pattern.get<std::string>()); }))
          << part.name << " lacks " << pattern;
    for (const int bone : part.bones)
      EXPECT_FALSE(matches_any(joint(bone), row.value("never", Json::array()))) << joint(bone);
  }
  for (const Json& each : row["parts"]) EXPECT_TRUE(met.contains(each.dump())) << "no " << each;
}

std::string row_name(const ::testing::TestParamInfo<Row>& info) {
  std::string name = info.param.row["file"].get<std::string>();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Assets, CensusParts, ::testing::ValuesIn(table()), row_name);

}  // namespace
}  // namespace rigspace
