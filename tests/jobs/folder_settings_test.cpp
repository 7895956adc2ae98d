#include "rigspace/jobs/folder_settings.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

class Settings : public ::testing::Test {
 protected:
  void SetUp() override {
    studio_ = fs::temp_directory_path() / ("rigspace_settings_" + std::to_string(::getpid()));
    fs::create_directories(studio_ / "animals");
    ::unsetenv("RIGSPACE_SETTINGS");
  }
  void TearDown() override {
    ::unsetenv("RIGSPACE_SETTINGS");
    fs::remove_all(studio_);
  }
  fs::path fox() const { return studio_ / "animals" / "fox.glb"; }  // need not be there
  fs::path studio_;
};

TEST_F(Settings, AreNoneWithoutAFile) {
  EXPECT_FALSE(folder_settings(fox()).any());
  EXPECT_EQ(folder_settings(fox()).in_words(), "");
}

TEST_F(Settings, OfTheNearestFolderGoFirstAndListsAreJoined) {
  write_file(studio_ / kSettingsFile, R"({"unit": 0.01, "never": ["belly"], "amount": 0.5, "set": {"tail.rate": 2}})");
  write_file(studio_ / "animals" / kSettingsFile, R"({"unit": 1, "never": ["cape"], "set": {"tail.rate": 3}})");
  const FolderSettings settings = folder_settings(fox());
  EXPECT_EQ(settings.files.size(), 2u);
  EXPECT_EQ(settings.unit, 1);
  EXPECT_EQ(settings.amount, 0.5);
  EXPECT_EQ(settings.never, (std::vector<std::string>{"cape", "belly"}));
  ASSERT_EQ(settings.set.size(), 1u);
  EXPECT_EQ(settings.set[0], (std::pair<std::string, std::string>{"tail.rate", "3"}));
  EXPECT_EQ(folder_settings(studio_ / "hero.glb").unit, 0.01);
  EXPECT_EQ(folder_settings(studio_ / "animals" / "").files.size(), 2u) << "a folder stands for its files, once";
}

TEST_F(Settings, OfAStudioAreNamedByTheEnvironment) {
  write_file(studio_ / "ours.json", R"({"protect": ["prop*"]})");
  ::setenv("RIGSPACE_SETTINGS", (studio_ / "ours.json").c_str(), 1);
  EXPECT_EQ(folder_settings("/nowhere/hero.glb").protect, std::vector<std::string>{"prop*"});
}

TEST_F(Settings, ThatAreWrongAreSaidWithTheirLine) {
  const fs::path file = studio_ / kSettingsFile;
  const auto complaint = [&](const char* text) -> std::string {
    write_file(file, text);
    try {
      folder_settings(fox());
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(complaint("{\n \"unti\": 1}").find("did you mean \"unit\""), std::string::npos);
  EXPECT_NE(complaint("{\n \"unit\": -1}").find(file.string() + ":2"), std::string::npos);
  EXPECT_NE(complaint(R"({"set": {"tail": 1}})").find("is no PART.CONTROL"), std::string::npos);
}

TEST_F(Settings, NameThePartsThatNeverMove) {
  FolderSettings settings;
  settings.never = {"ear", "jelly"};
  EXPECT_TRUE(is_never(settings, Part{.name = "ear_l", .preset = "hair"}));
  EXPECT_TRUE(is_never(settings, Part{.name = "body", .preset = "jelly"}));
  EXPECT_FALSE(is_never(settings, Part{.name = "earring", .preset = "hair"}));
}

TEST_F(Settings, AreChangedFieldByFieldOrNotAtAll) {
  const fs::path file = change_folder_settings(studio_, {{"unit", "0.01"}, {"never", "belly"}});
  change_folder_settings(studio_, {{"never", "cape"}, {"set", "tail.rate=2"}, {"unit", ""}});
  const FolderSettings settings = folder_settings(fox());
  EXPECT_EQ(settings.unit, 0);
  EXPECT_EQ(settings.never, (std::vector<std::string>{"belly", "cape"}));
  EXPECT_EQ(settings.set.front().second, "2");
  const std::string before = read_text(file);
  EXPECT_THROW(change_folder_settings(studio_, {{"amount", "-4"}}), Error);
  EXPECT_THROW(change_folder_settings(studio_, {{"amuont", "1"}}), Error);
  EXPECT_EQ(read_text(file), before);
}

}  // namespace
}  // namespace rigspace
