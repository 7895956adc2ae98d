// What starts a test program. --files=NAME.. runs the tests of those sources alone (tests/<room>/NAME_test.cpp): what
// tests of one file share is made once, which googletest's own shards, that deal tests out one by one, would not do.

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace {

/// A filter of googletest for the tests of these sources; says on stderr which of them has none.
std::string filter_of(std::set<std::string> names) {
  const ::testing::UnitTest& tests = *::testing::UnitTest::GetInstance();
  std::set<std::string> found;
  std::string filter;
  for (int s = 0; s < tests.total_test_suite_count(); ++s) {
    const ::testing::TestSuite& suite = *tests.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const ::testing::TestInfo& test = *suite.GetTestInfo(t);
      std::string name = std::filesystem::path(test.file()).stem().string();
      name.resize(name.rfind("_test"));
      if (!names.contains(name)) continue;
      found.insert(name);
      filter += (filter.empty() ? "" : ":") + std::string(suite.name()) + "." + test.name();
    }
  }
  for (const std::string& name : names)
    if (!found.contains(name)) std::fprintf(stderr, "%s_test.cpp has no tests here\n", name.c_str());
  return found.size() == names.size() ? filter : "";
}

}  // namespace

int main(int count, char** words) {
  ::testing::InitGoogleTest(&count, words);
  constexpr std::string_view kOption = "--files=";
  if (count > 1 && std::string_view(words[1]).starts_with(kOption)) {
    std::istringstream list(std::string(words[1]).substr(kOption.size()));
    std::set<std::string> names;
    for (std::string name; std::getline(list, name, ',');) names.insert(name);
    const std::string filter = filter_of(names);
    if (filter.empty()) return 2;
    GTEST_FLAG_SET(filter, filter);
  }
  return RUN_ALL_TESTS();
}
