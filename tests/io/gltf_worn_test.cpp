// A worn piece: what a simulation made of it, as joints and morph targets, in the rig and in the file.

#include "gltf_soft_fixture.h"
#include "rigspace/anim/worn_piece.h"
#include "rigspace/cast/cast.h"

#include <cmath>
#include <limits>

namespace rigspace::gltf_worn_test {
namespace {

using testing::evaluate;

constexpr int kAcross = 7;

/// A sheet in front of a character, held by two of its bones, more by the second toward one side.
WornPiece sheet(const Character& character, int low, int high) {
  WornPiece piece;
  piece.look.name = "cape";
  piece.rest.resize(3 * kAcross * kAcross);
  for (int k = 0; k < kAcross * kAcross; ++k) {
    const double u = (k % kAcross) / (kAcross - 1.0), v = (k / kAcross) / (kAcross - 1.0);
    point(piece.rest, k) = Vec3(u - 0.5, 0.5 + v, 0.4);
    piece.influences.push_back({{low, 1 - v}, {high, v}});
    piece.look.uv.emplace_back(static_cast<float>(u), static_cast<float>(v));
    if (u == 1 || v == 1) continue;
    piece.look.triangles.push_back({k, k + 1, k + kAcross});
    piece.look.triangles.push_back({k + 1, k + kAcross + 1, k + kAcross});
  }
  EXPECT_LT(high, std::ssize(character.bones));
  return piece;
}

/// Where joints alone hold it.
PlayedPoints held(const Character& character, const WornPiece& piece, const Animation& clip, int frames) {
  const Worn still = with_worn_piece(character, piece, {});
  PlayedPoints motion{.clip = clip.name};
  for (int k = 0; k < frames; ++k) {
    motion.times.push_back(clip.duration * k / (frames - 1));
    const Vec s = evaluate(still.character, pose_at(still.character, still.character.clip(clip.name), motion.times[k]));
    motion.points.emplace_back(s.tail(piece.rest.size()));
  }
  return motion;
}

/// That, and waves that run down the sheet.
PlayedPoints waving(PlayedPoints motion) {
  for (std::size_t k = 0; k < motion.times.size(); ++k)
    for (int i = 0; i < kAcross * kAcross; ++i)
      point(motion.points[k], i)[2] += 0.1 * std::sin(4.0 * (i / kAcross) / kAcross - 5 * motion.times[k]);
  return motion;
}

TEST(WornPiece, NeedsNoShapesForWhatJointsDo) {
  const Character character = make_character("bobbin");
  const WornPiece piece = sheet(character, 1, 2);
  const PlayedPoints motion = held(character, piece, character.clips[0], 9);
  const Worn worn = with_worn_piece(character, piece, std::vector{motion});
  EXPECT_EQ(worn.shapes, 0);
  EXPECT_LT(worn.error, 1e-12);
}

TEST(WornPiece, KeepsToItsToleranceWithFewerShapesThanFrames) {
  const Character character = make_character("bobbin");
  const WornPiece piece = sheet(character, 1, 2);
  const PlayedPoints motion = waving(held(character, piece, character.clips[0], 40));
  const Worn coarse = with_worn_piece(character, piece, std::vector{motion}, {.tolerance = 0.02});
  const Worn fine = with_worn_piece(character, piece, std::vector{motion}, {.tolerance = 1e-4});
  EXPECT_GT(coarse.shapes, 0);
  EXPECT_LT(coarse.shapes, fine.shapes);
  EXPECT_LT(fine.shapes, 40);
  EXPECT_LE(coarse.error, 1.2 * 0.02 * coarse.size);  // joints stretch what is left over
  EXPECT_LE(fine.error, 1.2 * 1e-4 * fine.size);
  // What was there before stays as it was, to the bit.
  const auto old = character.rig->point_count();
  const double time = 0.4 * character.clips[0].duration;
  EXPECT_EQ(evaluate(fine.character, pose_at(fine.character, &fine.character.clips[0], time)).head(3 * old),
            evaluate(character, pose_at(character, &character.clips[0], time)));
}

TEST(GltfWorn, PlaysInTheFileAsItWasSimulated) {
  const Character made = make_character("bobbin");
  GltfFile file(to_glb(made), "bobbin.glb");
  const Character& character = file.character();
  const WornPiece piece = sheet(character, 1, 2);
  const PlayedPoints motion = waving(held(character, piece, character.clips[0], 20));
  const Worn worn = with_worn_piece(character, piece, std::vector{motion});
  ASSERT_GT(worn.shapes, 1);
  file.add_worn_piece(worn.character);
  const Character read = load_gltf(file.to_glb(), "dressed.glb");
  EXPECT_TRUE(read.warnings.empty());
  ASSERT_EQ(read.pieces.size(), character.pieces.size() + 1);
  EXPECT_EQ(read.pieces.back().name, "cape");
  EXPECT_EQ(read.pieces.back().triangles, worn.character.pieces.back().triangles);
  ASSERT_EQ(read.clips.size(), character.clips.size());
  for (std::size_t k = 0; k < motion.times.size(); ++k) {
    const Vec s = evaluate(read, pose_at(read, &read.clips[0], motion.times[k]));
    EXPECT_LT((s.tail(piece.rest.size()) - motion.points[k]).cwiseAbs().maxCoeff(), worn.error + 1e-5);
    EXPECT_EQ(s.head(3 * character.rig->point_count()),
              evaluate(character, pose_at(character, &character.clips[0], motion.times[k])));
  }
  EXPECT_NE(file.json("/meshes/" + std::to_string(read.pieces.size() - 1)).find("NORMAL"), std::string::npos);
}

TEST(WornPiece, RefusesWhatCannotBeWorn) {
  const Character character = make_character("bobbin");
  const WornPiece piece = sheet(character, 1, 2);
  PlayedPoints motion = held(character, piece, character.clips[0], 3);
  const auto refused = [&](const WornPiece& worn, const PlayedPoints& moved, const char* words) {
    try {
      with_worn_piece(character, worn, std::vector{moved});
      FAIL() << words;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  WornPiece other = piece;
  other.look.name = character.pieces[0].name;
  refused(other, motion, "has the name of another piece");
  other = piece, other.influences[3] = {{99, 1.0}};
  refused(other, motion, "is held by bone 99");
  other = piece, other.influences[3][0].weight = 0.7;
  refused(other, motion, "do not sum to 1");
  PlayedPoints bad = motion;
  bad.clip = "Fly";
  refused(piece, bad, "clip \"Fly\"");
  bad = motion, bad.points[1][4] = std::numeric_limits<double>::quiet_NaN();
  refused(piece, bad, "not finite");
}

}  // namespace
}  // namespace rigspace::gltf_worn_test
