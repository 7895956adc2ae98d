#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/cast/cast.h"
#include "rigspace/geometry/automatic_cage.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/rig_file.h"
#include "rigspace/rig/cage_plan.h"
#include "rigspace/testing/check_rig.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace rigspace::rig_file_cage_test {

namespace fs = std::filesystem;

class RigFileCage : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("rigspace_cage_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// A ball in a cage, two pieces of one mesh.
  RiggedCharacter ball_in_cage(CageFamily family) {
    const Character sphere = make_character("sphere");
    RiggedCharacter rigged{sphere, {}};
    RigPlan& plan = rigged.plan;
    Vec s;
    sphere.rig->evaluate(*sphere.rig->make_workspace(), sphere.rig->rest(), s);
    plan.points_rest = s;
    for (const Piece& piece : sphere.pieces) plan.pieces.push_back({piece.name, piece.first_point, piece.point_count});
    const TriMesh surface = rest_surface(sphere);
    plan::add_cage(plan, "hull", automatic_cage(surface, {.faces = 40}).mesh, {.family = family, .nodes = 300});
    rigged.character.rig = build(plan).rig;
    rigged.character.bones.clear();
    rigged.character.clips.clear();
    return rigged;
  }

  std::string refusal(const std::string& text) {
    write_file(folder_ / "bad.rig.json", text);
    try {
      read_rig_file(folder_ / "bad.rig.json");
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
};

TEST_F(RigFileCage, IsWrittenAndReadBackTheSame) {
  for (const CageFamily family : {CageFamily::mean_value, CageFamily::green}) {
    const RiggedCharacter rigged = ball_in_cage(family);
    const fs::path path = folder_ / (std::string(name(family)) + ".rig.json");
    write_rig_file(path, rigged);
    const Character read = load_character(path);
    const Vec p = testing::random_pose(*rigged.character.rig, 1, 5);
    Vec q = read.rig->rest(), before, after;
    for (int c = 0; c < static_cast<int>(p.size()); ++c)
      q[read.rig->find(rigged.character.rig->controls()[c].name)] = p[c];
    rigged.character.rig->evaluate(*rigged.character.rig->make_workspace(), p, before);
    read.rig->evaluate(*read.rig->make_workspace(), q, after);
    ASSERT_EQ(before.size(), after.size());
    EXPECT_LT((before - after).cwiseAbs().maxCoeff(), 1e-5) << name(family);  // glTF's floats
    EXPECT_GT((before - rigged.plan.points_rest).norm(), 0.01);
  }
}

TEST_F(RigFileCage, SaysWhatIsWrongAndWhere) {
  write_rig_file(folder_ / "good.rig.json", ball_in_cage(CageFamily::mean_value));
  const std::string good = read_text(folder_ / "good.rig.json");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return refusal(text.replace(at, from.size(), to));
  };
  EXPECT_NE(with("\"mean-value\"", "\"means\"").find("expected"), std::string::npos);
  EXPECT_NE(with("\"mean-value\"", "\"wachspress\"").find("is not convex"), std::string::npos);
  EXPECT_NE(with("\"hull_0\"", "\"hull_x\"").find("hull"), std::string::npos);
  std::string small = with("\"coordinates\"", "\"outside\": \"still\", \"colour\": 1, \"coordinates\"");
  EXPECT_NE(small.find("colour"), std::string::npos) << small;
}

}  // namespace rigspace::rig_file_cage_test
