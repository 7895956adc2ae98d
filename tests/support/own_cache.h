#pragma once
// Tests that keep things between runs: with a cache of their own, and the former one afterwards.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace rigspace {

class OwnCache : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string folder = (std::filesystem::temp_directory_path() / "rigspace-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    if (const char* was = std::getenv("RIGSPACE_CACHE")) was_ = was;
    setenv("RIGSPACE_CACHE", (folder_ / "cache").c_str(), 1);
  }
  void TearDown() override {
    was_.empty() ? unsetenv("RIGSPACE_CACHE") : setenv("RIGSPACE_CACHE", was_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }

  /// For the test's own files; the cache is in it.
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::string was_;
};

}  // namespace rigspace
