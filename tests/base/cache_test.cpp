#include "rigspace/base/cache.h"

#include "rigspace/base/algorithm_version.h"
#include "rigspace/base/content_hash.h"
#include "rigspace/base/files.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

class Cache : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("rigspace_cache_" + std::to_string(::getpid()));
    ::setenv("RIGSPACE_CACHE", folder_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("RIGSPACE_CACHE");
    fs::remove_all(folder_);
  }
  fs::path folder_;
};

TEST_F(Cache, GivesBackWhatWasKeptForTheSameContentAlone) {
  EXPECT_FALSE(from_cache("body", bytes_of("a mesh")));
  to_cache("body", bytes_of("a mesh"), bytes_of("its body"));
  EXPECT_EQ(from_cache("body", bytes_of("a mesh")), bytes_of("its body"));
  EXPECT_FALSE(from_cache("body", bytes_of("another mesh")));
  EXPECT_FALSE(from_cache("skin", bytes_of("a mesh")));
}

TEST_F(Cache, TakesADamagedEntryForNone) {
  to_cache("body", bytes_of("a mesh"), bytes_of("its body"));
  for (const auto& entry : fs::directory_iterator(folder_)) {
    std::string text = read_text(entry.path());
    text.back() ^= 1;
    write_file(entry.path(), text);
  }
  EXPECT_FALSE(from_cache("body", bytes_of("a mesh")));
}

TEST_F(Cache, KnowsTheFileThatItsCodeIsIn) {
  const std::string size = std::to_string(fs::file_size(fs::read_symlink("/proc/self/exe")));
  EXPECT_EQ(program_stamp().substr(0, size.size() + 1), size + "-");
}

// A copy of the program, or one that was built again, reads what the first one kept.
TEST_F(Cache, KeysDependOnTheAlgorithmVersionAndTheContentAlone) {
  to_cache("body", bytes_of("a mesh"), bytes_of("its body"));
  const fs::path expected =
      folder_ / ("body-" + std::to_string(kAlgorithmVersion) + "-" + content_hash(std::string_view("a mesh")));
  EXPECT_TRUE(fs::exists(expected)) << expected;
}

TEST_F(Cache, IsSilentWhereItCannotWrite) {
  ::setenv("RIGSPACE_CACHE", "/dev/null/nowhere", 1);
  to_cache("body", bytes_of("a mesh"), bytes_of("its body"));
  EXPECT_FALSE(from_cache("body", bytes_of("a mesh")));
  ::setenv("RIGSPACE_CACHE", "off", 1);
  EXPECT_TRUE(cache_folder().empty());
}

}  // namespace
}  // namespace rigspace
