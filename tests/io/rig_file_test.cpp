#include "rigspace/io/rig_file.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/json_text.h"
#include "rigspace/io/rig_blocks.h"
#include "rigspace/testing/check_rig.h"
#include "support/full_plan.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <random>

namespace rigspace::rig_file_test {
namespace {

namespace fs = std::filesystem;

class RigFile : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("rigspace_rig_file_" + std::string(test->name()) + "_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  RiggedCharacter full() const {
    RiggedCharacter rigged;
    rigged.plan = testing::full_plan();
    rigged.character.name = "full";
    rigged.character.rig = build(rigged.plan).rig;
    for (const plan::PointRun& run : rigged.plan.pieces) {
      Piece piece{.name = run.name, .first_point = run.first, .point_count = run.count};
      for (const Triangle& triangle : rigged.plan.triangles)
        if (triangle[0] >= run.first && triangle[0] < run.first + run.count) piece.triangles.push_back(triangle);
      rigged.character.pieces.push_back(piece);
    }
    rigged.character.pieces[1].drawn = false;
    Animation clip{.name = "Kick", .duration = 1};
    clip.tracks.push_back({"roll", {.times = {0, 1}, .values = {0, 0.5}}});
    clip.tracks.push_back({"belly_121.tx", {.times = {0, 1}, .values = {0, 0.03}}});
    rigged.character.clips.push_back(clip);
    return rigged;
  }

  /// Writes the full rig, and gives its text with one thing replaced.
  std::string changed(const std::string& from, const std::string& to) const {
    std::string text = read_text(folder_ / "full.rig.json");
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }

  std::string message_of(const std::string& text) const {
    try {
      parse_rig_file(text, "full.rig.json", folder_);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
};

TEST_F(RigFile, MovesTheSamePointsOnceReadBack) {
  const RiggedCharacter before = full();
  write_rig_file(folder_ / "full.rig.json", before);
  const Character after = load_character(folder_ / "full.rig.json");
  ASSERT_EQ(after.rig->point_count(), before.character.rig->point_count());
  EXPECT_TRUE(after.pieces[0].drawn);
  EXPECT_FALSE(after.pieces[1].drawn);
  ASSERT_NE(after.clip("Kick"), nullptr);
  EXPECT_TRUE(after.warnings.empty()) << after.warnings.front();
  const auto a = before.character.rig->make_workspace(), b = after.rig->make_workspace();
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    const Vec p = testing::random_pose(*before.character.rig, 0.4, seed);
    Vec q = after.rig->rest(), s, t;
    for (Eigen::Index i = 0; i < p.size(); ++i) {
      const Control& control = before.character.rig->controls()[i];
      const int found = after.rig->find(control.name);
      ASSERT_GE(found, 0) << control.name;
      EXPECT_EQ(after.rig->controls()[found].group, control.group) << control.name;
      const double min = after.rig->controls()[found].min;
      if (min != control.min) {
        EXPECT_NEAR(min, control.min, 1e-12 * std::abs(control.min)) << control.name;
      }
      q[found] = p[i];
    }
    before.character.rig->evaluate(*a, p, s);
    after.rig->evaluate(*b, q, t);
    // glTF keeps positions, weights and bind matrices as floats.
    EXPECT_LT((s - t).cwiseAbs().maxCoeff(), 2e-6) << "pose " << seed;
  }
}

TEST_F(RigFile, IsWrittenTheSameAgain) {
  write_rig_file(folder_ / "full.rig.json", full());
  const RiggedCharacter once = read_rig_file(folder_ / "full.rig.json");
  write_rig_file(folder_ / "again.rig.json", once);
  const RiggedCharacter twice = read_rig_file(folder_ / "again.rig.json");
  const Vec p = testing::random_pose(*once.character.rig, 0.4, 5);
  Vec q = twice.character.rig->rest(), s, t;
  for (Eigen::Index i = 0; i < p.size(); ++i)
    q[twice.character.rig->find(once.character.rig->controls()[i].name)] = p[i];
  once.character.rig->evaluate(*once.character.rig->make_workspace(), p, s);
  twice.character.rig->evaluate(*twice.character.rig->make_workspace(), q, t);
  EXPECT_LT((s - t).cwiseAbs().maxCoeff(), 1e-6);
}

TEST_F(RigFile, SaysInOneSentenceWhatIsWrongAndWhere) {
  write_rig_file(folder_ / "full.rig.json", full());
  const auto expect = [&](const std::string& text, std::initializer_list<const char*> parts) {
    const std::string message = message_of(text);
    for (const char* part : parts) EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks " << part;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  };
  expect(changed("\"radius\"", "\"raduis\""), {"full.rig.json:", "raduis", "did you mean \"radius\""});
  expect(changed("clamp(roll, -60, 60) / 2", "half_roll + 1"), {"full.rig.json:", "half_roll", "depends on itself"});
  expect(changed("full.mesh.glb", "gone.glb"), {"full.rig.json:", "mesh", "gone.glb", "not there"});
  expect(changed("full.mesh.glb", "../gone.glb"), {"mesh", "leaves the folder"});
  expect(changed("\"rigspace_rig\": 1", "\"rigspace_rig\": 9"), {"rigspace_rig", "is 9", "version 1"});
  expect(changed("\"name\": \"squash\"", "\"name\": \"twist\""), {"full.rig.json:", "\"twist\"", "another control"});
  expect(changed("'toe.ry' / 10", "'toe.rv' / 10"), {"full.rig.json:", "toe.rv", "did you mean \"toe.r"});
  expect(changed("'toe.ry' / 10", "(1 + "), {"full.rig.json:", "driver", "hip.rz"});
  expect(changed("'toe.ry' / 10", std::string(3000, '(') + "1" + std::string(3000, ')')), {"full.rig.json:"});
  expect(changed("\"rest\": 0.5", "\"rest\": NaN"), {"full.rig.json:"});
  expect(changed("\"rest\": 0.5", "\"rest\": 5"), {"full.rig.json:", "limits"});
  expect(changed("\"type\": \"lattice\"", "\"type\": \"latice\""),
         {"deformers", "\"latice\"", "did you mean \"lattice\""});
  expect(changed("\"blend\": 1.5", "\"blend\": -1"), {"full.rig.json:", "blend"});
  expect(changed("\"blend\": 1.5", "\"blnd\": 1"), {"full.rig.json:", "did you mean \"blend\""});
  expect(changed("\"pole\": \"knee_pole\"", "\"pole\": \"knee_pol\""), {"ik \"leg\"", "knee_pol", "did you mean"});
  expect(changed("\"points\": [\n", "\"points\": [ {\"name\": \"w1\", \"at\": [0, 0, 0]},\n"), {"w1", "rename one"});
  expect("{", {"full.rig.json", "not valid JSON"});
  expect("[]", {"the document", "expected an object"});
}

TEST_F(RigFile, AllowsComments) {
  write_rig_file(folder_ / "full.rig.json", full());
  const std::string text = changed("\"mesh\"", "// the body\n /* here */ \"mesh\"");
  EXPECT_EQ(message_of(text), "no error");
}

TEST_F(RigFile, StartsFromAnyCharacter) {
  write_rig_file(folder_ / "full.rig.json", full());
  const Character mesh = load_character(folder_ / "full.mesh.glb");
  write_file(folder_ / "new.rig.json", new_rig_file(mesh, folder_ / "full.mesh.glb"));
  const Character character = load_character(folder_ / "new.rig.json");
  EXPECT_EQ(character.rig->point_count(), mesh.rig->point_count());
  Vec s, t;
  mesh.rig->evaluate(*mesh.rig->make_workspace(), mesh.rig->rest(), s);
  character.rig->evaluate(*character.rig->make_workspace(), character.rig->rest(), t);
  EXPECT_LT((s - t).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(character.rig->controls()[character.rig->find("knee.rx")].group, "knee");
}

TEST_F(RigFile, KindsCanBeAdded) {
  add_rig_kind({"ball", [](const std::string&, const fs::path&) {
                  Character character;
                  character.name = "a ball";
                  return character;
                }});
  write_file(folder_ / "x.rig.json", R"({"rigspace_rig": 1, "kind": "ball"})");
  EXPECT_EQ(load_character(folder_ / "x.rig.json").name, "a ball");
  write_file(folder_ / "x.rig.json", R"({"rigspace_rig": 1, "kind": "bal"})");
  try {
    load_character(folder_ / "x.rig.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"ball\""), std::string::npos) << error.what();
  }
}

/// A block of a room that does not exist: a title and how many lines.
struct Sketch : CharacterExtension {
  std::string title;
  int lines = 0;
};

TEST_F(RigFile, BlocksOfOtherRoomsAreCarriedAndWrittenBack) {
  write_rig_file(folder_ / "full.rig.json", full());
  const std::string plain = read_text(folder_ / "full.rig.json");
  const std::string text = "{\n \"sketch\": {\"title\": \"hero\",\n  \"lines\": 3}," + plain.substr(1);
  const auto sentence = [&](const std::string& file) -> std::string {
    try {
      parse_rig_file(file, "x.rig.json", folder_);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing is wrong";
  };
  EXPECT_TRUE(sentence(text).starts_with("x.rig.json:2: sketch is no field that is known here")) << sentence(text);

  register_rig_block({.name = "sketch",
                      .read =
                          [](const Field& block, const RiggedCharacter& rigged) {
                            EXPECT_NE(rigged.character.rig, nullptr);
                            block.allow({"title", "lines"});
                            auto sketch = std::make_shared<Sketch>();
                            sketch->title = block["title"].text();
                            sketch->lines = block["lines"].integer(0, 10);
                            return sketch;
                          },
                      .write =
                          [](const CharacterExtension& extension, const RiggedCharacter&) {
                            const auto& sketch = dynamic_cast<const Sketch&>(extension);
                            return "{\"title\": \"" + sketch.title + "\", \"lines\": " + std::to_string(sketch.lines) +
                                   "}";
                          }});
  const RiggedCharacter read = parse_rig_file(text, "x.rig.json", folder_);
  ASSERT_TRUE(read.character.extensions.contains("sketch"));
  write_rig_file(folder_ / "again.rig.json", read);
  const Character again = load_character(folder_ / "again.rig.json");
  const auto& sketch = dynamic_cast<const Sketch&>(*again.extensions.at("sketch"));
  EXPECT_EQ(sketch.title, "hero");
  EXPECT_EQ(sketch.lines, 3);
  const std::string wrong = "{\n \"sketch\": {\"title\": \"hero\",\n  \"lines\": 30}," + plain.substr(1);
  EXPECT_EQ(sentence(wrong), "x.rig.json:3: sketch.lines is 30; expected a number from 0 to 10");
  EXPECT_THROW(register_rig_block({.name = "nodes"}), Error);
  RiggedCharacter stray = read;
  stray.character.extensions["doodle"] = std::make_shared<Sketch>();
  EXPECT_THROW(write_rig_file(folder_ / "stray.rig.json", stray), Error);
  EXPECT_FALSE(fs::exists(folder_ / "stray.rig.json"));
}

/// Moves every point along x by a number.
class Slide final : public plan::OwnDeformer {
 public:
  explicit Slide(plan::Value value) : by(std::move(value)) {}
  std::string_view type() const override { return "slide"; }
  std::unique_ptr<Deformer> make(const plan::DeformerSite& site) const override {
    MorphTarget target{.weight_slot = site.scalar(by, Unit::scalar), .points = {}, .offsets = {}};
    for (int k = 0; k < site.run.count; ++k) target.points.push_back(k), target.offsets.push_back(Vec3::UnitX());
    const std::vector targets{target};
    return make_blend_shapes(site.run.first, site.run.count, targets);
  }
  plan::Value by;
};

TEST_F(RigFile, DeformersOfOtherRoomsActAndAreWrittenBack) {
  RiggedCharacter rigged = full();
  rigged.plan.controls.push_back({.name = "aside"});
  rigged.plan.deformers.push_back({.name = "slide1", .pieces = {}, .kind = std::make_shared<const Slide>("2 * aside")});
  rigged.character.rig = build(rigged.plan).rig;
  EXPECT_THROW(write_rig_file(folder_ / "slide.rig.json", rigged), Error);
  register_rig_deformer({.name = "slide",
                         .read =
                             [](const Field& entry) {
                               entry.allow({"type", "name", "pieces", "by"});
                               return std::make_shared<const Slide>(entry["by"].text());
                             },
                         .write =
                             [](const plan::OwnDeformer& deformer) {
                               return "{\"by\": \"" + dynamic_cast<const Slide&>(deformer).by.expression + "\"}";
                             }});
  write_rig_file(folder_ / "slide.rig.json", rigged);
  const Character read = load_character(folder_ / "slide.rig.json");
  const auto workspace = read.rig->make_workspace();
  Vec p = read.rig->rest(), before, after;
  read.rig->evaluate(*workspace, p, before);
  p[read.rig->find("aside")] = 0.25;
  read.rig->evaluate(*workspace, p, after);
  ASSERT_GT(after.size(), 0);
  for (Eigen::Index i = 0; i < after.size(); ++i) EXPECT_NEAR(after[i] - before[i], i % 3 == 0 ? 0.5 : 0, 1e-12);
  const auto report = testing::check_rig(*read.rig, {.poses = 3, .spread = 0.3, .tolerance = 2e-5});
  EXPECT_TRUE(report.ok()) << report;
}

TEST_F(RigFile, SurvivesMutation) {
  write_rig_file(folder_ / "full.rig.json", full());
  const std::string text = read_text(folder_ / "full.rig.json");
  const char* asked = std::getenv("RIGSPACE_FUZZ");
  const int count = asked != nullptr ? std::atoi(asked) : 200;
  std::mt19937 random(4);
  const std::vector<std::string> pieces{
      "null",       "-1", "1e300", "\"\"",    "[]", "{}", "true",     "\"root\"",
      "9999999999", "0",  "NaN",   "\"x/0\"", ",",  "]",  "\"knee\"", "\"ik^ik^ik^9\""};
  for (int k = 0; k < count; ++k) {
    std::string mutated = text;
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
      const std::size_t at = random() % mutated.size();
      if (random() % 2 == 0) {
        // A whole value for another.
        const std::size_t from = mutated.find(": ", at);
        if (from == std::string::npos) continue;
        const std::size_t end = mutated.find_first_of(",\n", from);
        mutated.replace(from + 2, end - from - 2, pieces[random() % pieces.size()]);
      } else {
        mutated.replace(at, 1 + random() % 4, pieces[random() % pieces.size()]);
      }
    }
    try {
      const RiggedCharacter rigged = parse_rig_file(mutated, "mutated", folder_);
      Vec s;
      rigged.character.rig->evaluate(*rigged.character.rig->make_workspace(), rigged.character.rig->rest(), s);
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace rigspace::rig_file_test
