#include "rigspace/io/formats.h"

#include "rigspace/base/error.h"

#include <gtest/gtest.h>

#include <set>

namespace rigspace::formats_test {
namespace {

TEST(Formats, AreFoundByTheWholeEndingInCapitalsOrNot) {
  ASSERT_NE(format_of("a/hero.glb"), nullptr);
  EXPECT_EQ(format_of("hero.GLTF"), format_of("a/hero.glb"));
  EXPECT_EQ(format_of("hero.vrm"), format_of("hero.glb"));
  EXPECT_EQ(format_of("Hero.Rig.JSON")->description, "a rig file");
  EXPECT_FALSE(is_character_file("hero.json"));
  EXPECT_FALSE(is_character_file("hero.rigspace.json"));
  EXPECT_FALSE(is_character_file("hero.glb/mesh"));
  EXPECT_FALSE(is_character_file("heroglb"));
}

TEST(Formats, EachHasALoaderAndEndingsOfItsOwn) {
  std::set<std::string_view> seen;
  for (const CharacterFormat& format : character_formats()) {
    EXPECT_NE(format.load, nullptr);
    EXPECT_FALSE(format.description.empty());
    for (const std::string_view ending : format.endings) {
      EXPECT_TRUE(ending.starts_with('.')) << ending;
      EXPECT_TRUE(seen.insert(ending).second) << ending;
    }
  }
}

TEST(Formats, AnUnknownFileIsRefusedWithTheListOfThoseThatAreRead) {
  EXPECT_EQ(character_endings("or"), ".glb, .gltf, .vrm, .bvh, .rig.json, .blend or .fbx");
  const auto sentence = [](const char* file) -> std::string {
    try {
      load_character(file);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing is wrong";
  };
  EXPECT_EQ(sentence("hero.txt"),
            "hero.txt: has the unknown extension .txt; characters are read from .glb, .gltf, .vrm, .bvh, .rig.json, "
            ".blend and .fbx");
  EXPECT_TRUE(sentence("hero").starts_with("hero: has no extension")) << sentence("hero");
}

}  // namespace
}  // namespace rigspace::formats_test
