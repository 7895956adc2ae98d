// Mutated BVH and curve files: each is read, or throws rigspace::Error. RIGSPACE_FUZZ sets how many (default 200).
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/bvh.h"
#include "rigspace/io/curve_file.h"
#include "support/assets.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace rigspace::bvh_fuzz_test {
namespace {

int count() {
  const char* text = std::getenv("RIGSPACE_FUZZ");
  return text ? std::atoi(text) : 200;
}

/// Bytes changed, words replaced, lines doubled or dropped, the end cut off.
class Mutator {
 public:
  Mutator(unsigned seed, std::vector<std::string> words) : random_(seed), words_(std::move(words)) {}

  std::string operator()(std::string text) {
    for (std::size_t k = below(2) + 1; k-- > 0 && !text.empty();) once(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  void once(std::string& text) {
    switch (below(7)) {
      case 0: text[below(text.size())] = static_cast<char>(below(256)); break;
      case 1: text.resize(below(text.size())); break;
      case 2: text.replace(below(text.size()), below(8), words_[below(words_.size())]); break;
      case 3: {
        const std::size_t begin = below(text.size());
        text.insert(begin, text.substr(begin, below(200)));
        break;
      }
      case 4: text.erase(below(text.size()), below(100)); break;
      default:
        // Another digit somewhere: most such files are still good.
        if (const std::size_t at = text.find_first_of("0123456789", below(text.size())); at != std::string::npos)
          text[at] = static_cast<char>('0' + below(10));
    }
  }

  std::mt19937 random_;
  std::vector<std::string> words_;
};

template <class Read>
int fuzz(const std::string& text, Mutator mutator, Read read) {
  int loaded = 0;
  for (int k = 0; k < count(); ++k) {
    const std::string changed = mutator(text);
    try {
      read(changed);
      ++loaded;
    } catch (const Error& error) {
      EXPECT_FALSE(error.info().problem.empty()) << "round " << k;
    }
  }
  return loaded;
}

void read_and_evaluate(const std::string& text) {
  const BvhMotion motion = read_bvh(std::as_bytes(std::span(text.data(), text.size())), "f.bvh");
  const Character character = to_character(motion);
  if (character.clips.empty()) return;
  const auto workspace = character.rig->make_workspace();
  Vec s;
  character.rig->evaluate(*workspace, pose_at(character, &character.clips[0], 0.1), s);
  EXPECT_TRUE(s.allFinite());
  EXPECT_FALSE(to_bvh(to_motion(character, character.clips[0])).empty());
}

const std::string kSmall =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 1 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "JOINT Spine\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\n"
    "MOTION\nFrames: 3\nFrame Time: 0.0333333\n0 1 0 1 2 3 4 5 6\n0 1 1 7 8 9 10 11 12\n0 1 2 13 14 15 16 17 18\n";

const std::vector<std::string> kBvhWords = {"-1",       "99999999999", "nan", "1e400", "0",      "{",          "}",
                                            "JOINT x",  "End Site",    "",    "\n",    "MOTION", "ROOT other", "6",
                                            "CHANNELS", "1e29",        "\t",  "\r\n",  "3.5",    "OFFSET 1 2"};

TEST(BvhFuzz, ASmallMotionIsReadOrRefused) {
  const int loaded = fuzz(kSmall, Mutator(1, kBvhWords), read_and_evaluate);
  EXPECT_GT(loaded, count() / 50);  // the mutations get past the first check
  EXPECT_LT(loaded, count());
}

TEST(BvhFuzz, ARealMotionIsReadOrRefused) {
  RIGSPACE_ASSET_OR_SKIP(path, "cmu_bvh_dev/09_01.bvh");
  const std::string text = read_text(path).substr(0, 12'000);  // the hierarchy and some frames
  const std::size_t frames = text.find("Frames: 149");
  ASSERT_NE(frames, std::string::npos);
  const auto lines = std::count(text.begin() + static_cast<std::ptrdiff_t>(frames), text.end(), '\n') - 2;
  std::string whole = text.substr(0, text.rfind('\n') + 1);
  whole.replace(frames, 11, "Frames: " + std::to_string(lines));
  ASSERT_NO_THROW(read_and_evaluate(whole));
  fuzz(whole, Mutator(2, kBvhWords), read_and_evaluate);
}

TEST(CurveFileFuzz, AFileOfCurvesIsReadOrRefused) {
  CurveFile file{.name = "hero"};
  Animation clip{.name = "Walk", .duration = 1};
  clip.tracks.push_back({"hips.tx", {.times = {0, 1}, .values = {0, 2}}});
  clip.tracks.push_back({"tail.rx",
                         {.interpolation = Interpolation::hermite,
                          .times = {0, 0.5},
                          .values = {1, -1},
                          .in_tangents = {0, 1},
                          .out_tangents = {0, 2}}});
  clip.rotations.push_back({.node = "hips", .times = {0, 1}, .values = {Vec4(0, 0, 0, 1), Vec4(0, 1, 0, 0)}});
  file.clips.push_back(clip);
  const std::vector<std::string> words = {"-1", "null", "\"x\"", "[]", "{}", "1e999", "true",
                                          ",",  ":",    "//",    "/*", "\"", "]"};
  const int loaded = fuzz(to_curves_json(file), Mutator(3, words), [](const std::string& text) {
    const CurveFile read = parse_curves(text, "f.rigspace.json");
    parse_curves(to_curves_json(read), "again.rigspace.json");  // what was read can be written
  });
  EXPECT_GT(loaded, 0);
  EXPECT_LT(loaded, count());
}

}  // namespace
}  // namespace rigspace::bvh_fuzz_test
