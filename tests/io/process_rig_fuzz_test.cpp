// Mutated processes: what one says of itself, and one answer, with bytes changed, copied and cut off. Each is a rig
// that can be evaluated, or throws rigspace::Error. RIGSPACE_FUZZ sets how many (default 200).
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/process_rig.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <random>

namespace rigspace::process_rig_fuzz_test {
namespace {

namespace fs = std::filesystem;

/// All that a process with two controls and a triangle writes when it is asked for one pose.
std::string whole_conversation() {
  std::string text =
      R"({"rigspace": 1, "name": "t", "points": 3, "noise": 0, "controls": [)"
      R"({"name": "a", "node": "n", "unit": "angle", "rest": 0, "min": -1, "max": 2.5e0, "typical": 0.5},)"
      R"({"name": "b", "unit": "scale"}], "pieces": [)"
      R"({"name": "p", "points": 3, "triangles": [[0, 1, 2]], "color": [1, 0.5, 0]}]})"
      "\nRIGA";
  const std::uint32_t op = 1;
  const std::uint64_t numbers[] = {1, 9};
  const double values[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  text.append(reinterpret_cast<const char*>(&op), sizeof op);
  text.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
  return text.append(reinterpret_cast<const char*>(values), sizeof values);
}

std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  static constexpr char kLikely[] = "{}[],:\"\\019-.eEnutrfals \n";
  for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0: text[at] = static_cast<char>(below(256)); break;
      case 1: text[at] = kLikely[below(sizeof kLikely - 1)]; break;
      case 2: text.erase(at, 1 + below(8)); break;
      case 3: text.insert(at, text.substr(below(text.size()), 1 + below(30))); break;
      default:  // the answer only: a line without end is waited for, which takes a second
        if (at > text.find('\n')) text.resize(at);
    }
    if (text.empty()) text = " ";
  }
  return text;
}

/// It reads as much as one question has, and ends.
std::string command_for(const fs::path& file) { return "cat '" + file.string() + "'; exec >&-; head -c 40 >/dev/null"; }

class ProcessRigFuzz : public ::testing::Test {
 protected:
  fs::path file_ = fs::temp_directory_path() / ("rigspace_process_fuzz_" + std::to_string(::getpid()));
  void TearDown() override { fs::remove(file_); }

  Vec answer() {
    const Character character = start_character({.command = command_for(file_), .answer_seconds = 5});
    Vec s;
    character.rig->evaluate(*character.rig->make_workspace(), character.rig->rest(), s);
    EXPECT_EQ(s.size(), 3 * character.rig->point_count());
    EXPECT_TRUE(s.allFinite());
    return s;
  }
};

TEST_F(ProcessRigFuzz, TheWholeConversationIsAnswered) {
  write_file(file_, whole_conversation());
  const Vec s = answer();
  EXPECT_EQ(s[3], 1);
  EXPECT_EQ(s[7], 1);
}

TEST_F(ProcessRigFuzz, MutationsAreRigsOrErrors) {
  std::mt19937 random(4);
  const char* wanted = std::getenv("RIGSPACE_FUZZ");
  const int count = wanted != nullptr ? std::atoi(wanted) : 200;
  int good = 0, bad = 0;
  for (int k = 0; k < count; ++k) {
    write_file(file_, mutated(whole_conversation(), random));
    try {
      answer();
      ++good;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::external_process) << error.what();
      ++bad;
    }
  }
  if (count >= 200) {
    EXPECT_GT(good, count / 20);  // else the mutations would test the first check only
    EXPECT_GT(bad, count / 4);
  }
}

}  // namespace
}  // namespace rigspace::process_rig_fuzz_test
