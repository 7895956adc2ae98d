#include "rigspace/jobs/recipe_envelope.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/json_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

namespace rigspace {
namespace {

TEST(RecipeEnvelope, ReadsBackWhatItWrites) {
  RecipeEnvelope envelope{.version = "0.1.0", .format = ".glb", .notes = {"one", "two"}};
  envelope.input = {.file = "hero.glb", .bytes = 12, .hash = "abc", .process = "", .object = "Body"};
  envelope.on.file = "earlier.glb";
  envelope.on.hash = "def";
  const JsonText text(recipe_json_text(envelope_json(envelope, "toy")), "hero.json");
  EXPECT_EQ(text.root()["application"].text(), "toy");
  const RecipeEnvelope read = envelope_from(text.root());
  EXPECT_EQ(read.version, "0.1.0");
  EXPECT_EQ(read.input.file, "hero.glb");
  EXPECT_EQ(read.input.bytes, 12u);
  EXPECT_EQ(read.input.object, "Body");
  EXPECT_EQ(read.on.hash, "def");
  EXPECT_EQ(read.notes, envelope.notes);
}

TEST(RecipeEnvelope, NamesTheFieldThatIsMissing) {
  nlohmann::ordered_json json = envelope_json({.version = "1", .format = ".glb"});
  json.erase("input");
  try {
    envelope_from(JsonText(recipe_json_text(json), "hero.json").root());
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(error.info().file.starts_with("hero.json")) << error.info().file;
    EXPECT_NE(std::string(error.what()).find("input"), std::string::npos) << error.what();
  }
}

TEST(RecipeEnvelope, IsToldFromOtherFiles) {
  const auto file =
      std::filesystem::temp_directory_path() / ("rigspace_envelope_" + std::to_string(::getpid()) + ".json");
  write_file(file, recipe_json_text(envelope_json({.version = "1", .format = ".glb"})));
  EXPECT_TRUE(is_recipe(file));
  write_file(file, std::string("{\"name\": \"shopping list\"}"));
  EXPECT_FALSE(is_recipe(file));
  write_file(file, std::string("not JSON at all"));
  EXPECT_FALSE(is_recipe(file));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace rigspace
