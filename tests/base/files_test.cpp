#include "rigspace/base/files.h"

#include "rigspace/base/error.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_ = fs::temp_directory_path() / ("rigspace_files_" + std::to_string(::getpid()));
};

TEST_F(Files, WhatIsWrittenIsRead) {
  std::string text = "abc";
  text += '\0';
  text += std::string(3'000'000, 'x');
  write_file(folder_ / "a.txt", text);
  EXPECT_EQ(read_text(folder_ / "a.txt"), text);
}

TEST_F(Files, NothingIsLeftBesideAWrittenFile) {
  write_file(folder_ / "a.txt", "new");
  write_file(folder_ / "a.txt", "newer");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(Files, ErrorsNameTheFileAndTheRemedy) {
  const auto message = [](auto&& action) -> std::string {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message([&] { read_file(folder_ / "gone.glb"); }),
            (folder_ / "gone.glb").string() + ": does not exist; check the path");
  EXPECT_EQ(message([&] { read_file(folder_); }), folder_.string() + ": is a folder; name a file in it");
  write_file(folder_ / "big", std::string(100, 'x'));
  EXPECT_NE(message([&] { read_file(folder_ / "big", 99); }).find("larger than 99 bytes"), std::string::npos);
  EXPECT_NE(message([&] { write_file(folder_ / "no" / "a", "x"); }).find("folder does not exist"), std::string::npos);
}

}  // namespace
}  // namespace rigspace
