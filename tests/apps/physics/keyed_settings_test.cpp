// Controls of a part over time, hits and the mix (docs/part-controls.md).

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/recipe.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/base/error.h"
#include "support/ball.h"
#include "support/swinging_rod.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace rigspace::keyed_settings_test {
namespace {

using namespace testing;

/// The root goes to and fro for four seconds, never the same way twice.
Animation sway() {
  return root_clip("root.tx", {0, 0.4, 0.8, 1.3, 1.7, 2.2, 2.6, 3.1, 3.5, 4},
                   {0, 0.2, -0.1, 0.15, 0.02, 0.18, -0.12, 0.1, 0.16, 0.05}, Interpolation::natural);
}

bool same_bits(const Mat& a, const Mat& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

/// Radians / step^2: the largest second difference of the swing between two times.
double bend(const SoftMotion& motion, double from, double to) {
  double most = 0;
  for (std::size_t k = 1; k + 1 < motion.times.size(); ++k) {
    const auto c = static_cast<Eigen::Index>(k);
    if (motion.times[k] >= from && motion.times[k] <= to)
      most = std::max(most, (motion.deviation.col(c + 1) - 2 * motion.deviation.col(c) + motion.deviation.col(c - 1))
                                .cwiseAbs()
                                .maxCoeff());
  }
  return most;
}

TEST(KeyedSettings, IsEasedBetweenItsKeysAndHeldBeyondThem) {
  PartSettings settings;
  settings.key("amount", smooth_keys({1, 2}, {0.2, 1}));
  EXPECT_EQ(settings.at("amount", 0), 0.2);
  EXPECT_NEAR(settings.at("amount", 1.5), 0.6, 1e-15);
  EXPECT_EQ(settings.at("amount", 7), 1);
  EXPECT_EQ(settings.amount, 0.2) << "its base is its first key";
  EXPECT_EQ(settings.at("sag", 3), settings.sag);
  settings.key("sag", {.interpolation = Interpolation::natural, .times = {0, 1, 2, 3}, .values = {0, 1, 1, 0}});
  EXPECT_EQ(settings.at("sag", 1.5), 1) << "a spline that overshoots stays within its keys";
  settings.set("amount", 0.7);
  EXPECT_EQ(settings.at("amount", 1.5), 0.7) << "a number replaces keys";
  settings.key("amount", smooth_keys({3}, {0.4}));
  EXPECT_EQ(settings.keys_of("amount"), nullptr) << "one key is a number";
  EXPECT_EQ(settings.amount, 0.4);
}

TEST(KeyedSettings, SaysWhatCannotBeKeyed) {
  PartSettings settings;
  EXPECT_THROW(settings.key("colour", smooth_keys({0, 1}, {0, 1})), Error);
  EXPECT_THROW(settings.key("hold", smooth_keys({0, 1}, {0, 1})), Error) << "for a whole clip";
  EXPECT_THROW(settings.key("rate", smooth_keys({0, 1}, {2, 0})), Error) << "0 is from its size";
  EXPECT_THROW(settings.key("mix", smooth_keys({0, 1}, {0, 1.5})), Error) << "out of range";
  EXPECT_THROW(settings.key("mix", smooth_keys({1, 0}, {0, 1})), Error) << "times fall";
  EXPECT_THROW(settings.key("mix", smooth_keys({}, {})), Error);
  EXPECT_TRUE(settings.keys.empty());
}

TEST(KeyedSettings, ThatStaysTheSameGivesTheSameBits) {
  const Character rod = make_rod(3);
  const Animation clip = sway();
  auto parts = tail(rod);
  const SoftMotion plain = simulate_parts(rod, &clip, parts, kOnce);
  for (const SettingField& field : setting_fields())
    if (field.keyed)
      parts[0].settings.key(field.name,
                            smooth_keys({0, 2}, {parts[0].settings.*field.value, parts[0].settings.*field.value}));
  ASSERT_EQ(parts[0].settings.keys.size(), setting_fields().size() - 1);
  EXPECT_TRUE(same_bits(plain.deviation, simulate_parts(rod, &clip, parts, kOnce).deviation));
}

TEST(KeyedSettings, ScalesTheDeviationByTheAmountOfTheMoment) {
  const Character rod = make_rod(3);
  const Animation clip = sway();
  auto parts = tail(rod);
  const SoftMotion plain = simulate_parts(rod, &clip, parts, kOnce);
  parts[0].settings.key("amount", smooth_keys({0, 1, 2, 3}, {1, 0.3, 0, 1.4}));
  const SoftMotion keyed = simulate_parts(rod, &clip, parts, kOnce);
  ASSERT_GT(plain.deviation.cwiseAbs().maxCoeff(), 0.05);
  // The limit is on the scaled deviation, so it lets more or less through; it is far away here.
  for (std::size_t k = 0; k < plain.times.size(); ++k) {
    const auto c = static_cast<Eigen::Index>(k);
    const double amount = parts[0].settings.at("amount", plain.times[k]);
    EXPECT_LT((keyed.deviation.col(c) - amount * plain.deviation.col(c)).cwiseAbs().maxCoeff(), 1e-7) << k;
  }
  EXPECT_LT(largest(keyed, 1.999, 2.001), 1e-12);
}

TEST(KeyedSettings, TurnsAmountsAboveOneAndAHalfIntoLoad) {
  const Character rod = make_rod(3);
  const Animation clip = sway();
  auto parts = tail(rod, 4, 0.8);
  parts[0].settings.amount = 4;
  const SoftMotion constant = simulate_parts(rod, &clip, parts, kOnce);
  parts[0].settings.key("amount", smooth_keys({0, 1.4, 1.6}, {1, 1, 4}));
  const SoftMotion keyed = simulate_parts(rod, &clip, parts, kOnce);
  EXPECT_LT(largest(keyed, 0.5, 1.3), 0.4 * largest(constant, 0.5, 1.3));
  // One settling time after the change nothing is left of what was before.
  for (std::size_t k = 0; k < keyed.times.size(); ++k)
    if (const auto c = static_cast<Eigen::Index>(k); keyed.times[k] > 3.2) {
      EXPECT_LT((keyed.deviation.col(c) - constant.deviation.col(c)).cwiseAbs().maxCoeff(),
                0.05 * constant.deviation.cwiseAbs().maxCoeff());
    }
}

TEST(KeyedSettings, LoopsOnlyIfItComesBackToItsStart) {
  const Character rod = make_rod(2);
  Animation clip = root_clip("root.tx", {0, 0.25, 0.5, 0.75, 1}, {0, 0.1, 0, -0.1, 0}, Interpolation::catmull_rom);
  clip.tracks[0].curve.before = clip.tracks[0].curve.after = Extrapolation::cycle;
  auto parts = tail(rod, 1.7, 0.8);
  ASSERT_TRUE(simulate_parts(rod, &clip, parts).looped);
  parts[0].settings.key("rate", smooth_keys({0, 0.5}, {1.7, 3}));
  EXPECT_EQ(unrepeated_control(parts, 1), "tail.rate");
  EXPECT_FALSE(simulate_parts(rod, &clip, parts).looped);
  EXPECT_THROW(simulate_parts(rod, &clip, parts, {.looping = Looping::always}), Error);
  parts[0].settings.key("rate", smooth_keys({0, 0.5, 1}, {1.7, 3, 1.7}));
  parts[0].settings.key("mix", smooth_keys({0, 0.5, 1}, {0.5, 1, 0.5}));
  parts[0].settings.hits = {0.95};  // felt into the next turn
  EXPECT_EQ(unrepeated_control(parts, 1), "");
  const SoftMotion motion = simulate_parts(rod, &clip, parts);
  EXPECT_TRUE(motion.looped);
  EXPECT_TRUE(same_bits(motion.deviation.col(0), motion.deviation.rightCols(1)));
  EXPECT_LT(largest(motion, 0.949, 0.951), 1e-12);
  ASSERT_GT(largest(motion, 0, 1), 0.02);
  // Across the seam as smooth as elsewhere.
  const Eigen::Index last = motion.deviation.cols() - 1;
  const double seam =
      (motion.deviation.col(1) - 2 * motion.deviation.col(0) + motion.deviation.col(last - 1)).cwiseAbs().maxCoeff();
  EXPECT_LT(seam, 1.2 * bend(motion, 0.1, 0.9));
}

TEST(Mix, OfZeroIsTheArtistsMotionToTheBit) {
  const Character rod = make_rod(3);
  Animation clip = sway();
  RotationTrack turned{.node = "tail_02"};
  for (int k = 0; k <= 4; ++k) {
    const Quat q(Eigen::AngleAxisd(0.3 * std::sin(1.7 * k), Vec3(1, 2, 3).normalized()));
    turned.times.push_back(k), turned.values.push_back(q.coeffs());
  }
  clip.rotations = {turned};
  auto parts = tail(rod);
  const SoftMotion whole = simulate_parts(rod, &clip, parts, kOnce);
  parts[0].settings.key("mix",
                        {.interpolation = Interpolation::linear, .times = {1, 1.5, 2.5, 3}, .values = {1, 0, 0, 1}});
  const SoftMotion mixed = simulate_parts(rod, &clip, parts, kOnce);
  for (std::size_t k = 0; k < whole.times.size(); ++k) {
    const auto c = static_cast<Eigen::Index>(k);
    EXPECT_EQ(mixed.deviation.col(c), parts[0].settings.at("mix", whole.times[k]) * whole.deviation.col(c)) << k;
  }
  const Animation soft = soft_clip(rod, &clip, mixed, 24);
  int muted = 0, moved = 0;
  for (const RotationTrack& track : soft.rotations)
    for (std::size_t k = 0; k < track.times.size(); ++k) {
      const Vec4 key = track.node == "tail_02" ? turned(track.times[k]) : Vec4(0, 0, 0, 1);
      if (track.times[k] > 1.52 && track.times[k] < 2.48) {
        EXPECT_EQ(std::memcmp(track.values[k].data(), key.data(), sizeof(Vec4)), 0) << track.node << k;
        ++muted;
      } else if ((track.values[k] - key).norm() > 1e-3) {
        ++moved;
      }
    }
  EXPECT_GE(muted, 3 * 22);
  EXPECT_GT(moved, 60);
}

TEST(Hit, IsTheArtistsPoseWithoutAPop) {
  const Character rod = make_rod(3);
  const Animation clip = sway();
  auto parts = tail(rod);
  const SoftMotion free = simulate_parts(rod, &clip, parts, kOnce);
  const double hit = 2.011;  // between two steps
  parts[0].settings.hits = {hit};
  const SoftMotion motion = simulate_parts(rod, &clip, parts, kOnce);
  EXPECT_EQ(motion.failed_steps, 0);
  ASSERT_GT(largest(free, hit - 0.2, hit + 0.2), 0.03);
  for (Eigen::Index row = 0; row < motion.deviation.rows(); ++row) {
    Curve curve{.interpolation = Interpolation::catmull_rom, .times = motion.times};
    for (Eigen::Index k = 0; k < motion.deviation.cols(); ++k) curve.values.push_back(motion.deviation(row, k));
    EXPECT_LT(std::abs(curve(hit)), 1e-12);
    EXPECT_LT(std::abs(curve.slope(hit)), 1e-9);
  }
  // Long before it is as if there were no hit; after it the part swings again, as far as it would.
  const auto before = static_cast<Eigen::Index>((hit - 0.31) * 120);
  EXPECT_TRUE(same_bits(motion.deviation.leftCols(before), free.deviation.leftCols(before)));
  EXPECT_GT(largest(motion, hit + 0.3, 4), 0.6 * largest(free, hit + 0.3, 4));
  const double rest = std::max(bend(motion, 0.3, hit - 0.3), bend(motion, hit + 0.3, 4));
  EXPECT_LT(bend(motion, hit - 0.3, hit + 0.3), rest);
}

TEST(Hit, MayComeManyTimesAndCloseTogether) {
  const Character rod = make_rod(2);
  const Animation clip = sway();
  auto parts = tail(rod);
  parts[0].settings.hits = {3.2, 1.5, 1.55, 0, 4, 99};  // in any order; the last is past the end
  const SoftMotion motion = simulate_parts(rod, &clip, parts, kOnce);
  for (const double hit : {3.2, 1.5, 1.55, 0.0, 4.0}) EXPECT_LT(largest(motion, hit - 1e-6, hit + 1e-6), 1e-9) << hit;
  EXPECT_GT(largest(motion, 2, 3), 0.03);
}

TEST(KeyedSettings, GoesOnFromACheckpointToTheSameBits) {
  const Character rod = make_rod(2);
  const Animation clip = sway();
  auto parts = tail(rod);
  parts[0].settings.key("rate", smooth_keys({0.5, 3}, {1.5, 3}));
  parts[0].settings.key("amount", smooth_keys({1, 3}, {1, 2.5}));
  parts[0].settings.hits = {2.4};
  SimulationOptions options = kOnce;
  std::vector<std::vector<std::byte>> saved;
  options.checkpoints.save = [&](std::span<const std::byte> bytes) { saved.emplace_back(bytes.begin(), bytes.end()); };
  options.checkpoints.every = 50;
  const SoftMotion whole = simulate_parts(rod, &clip, parts, options);
  ASSERT_GT(saved.size(), 3u);
  options.checkpoints.save = {};
  for (const auto& bytes : {saved[1], saved.back()}) {
    options.checkpoints.resume = bytes;
    EXPECT_TRUE(same_bits(whole.deviation, simulate_parts(rod, &clip, parts, options).deviation));
  }
}

/// A ball of jelly, softened once.
const Softened& ball() {
  static const Softened soft = [] {
    const Character hard = make_ball();
    return soften(hard, parts_from_pattern(hard, "body=jelly"), {.max_per_part = 4});
  }();
  return soft;
}

TEST(KeyedSettings, OfFleshFollowsItsKeysToo) {
  std::vector<Part> parts = ball().parts;
  parts[0].settings.rate = 2.5, parts[0].settings.settle = 1.2;
  const Animation bounce =
      root_clip("root.ty", {0, 0.3, 0.6, 0.9, 1.2, 1.5}, {0, 0.12, 0, 0.12, -0.02, 0.1}, Interpolation::natural);
  const Character& character = ball().character;
  const SimulationOptions options{.step = 1.0 / 60, .looping = Looping::never};
  const SoftMotion free = simulate_parts(character, &bounce, parts, options);
  parts[0].settings.key("sag", smooth_keys({0, 1}, {0, 0}));
  EXPECT_TRUE(same_bits(free.deviation, simulate_parts(character, &bounce, parts, options).deviation));
  parts[0].settings.key("rate", smooth_keys({0.5, 0.7}, {2.5, 5}));
  parts[0].settings.hits = {0.85};
  const SoftMotion keyed = simulate_parts(character, &bounce, parts, options);
  EXPECT_EQ(keyed.failed_steps, 0);
  EXPECT_TRUE(same_bits(free.deviation.leftCols(28), keyed.deviation.leftCols(28)));
  EXPECT_LT(largest(keyed, 0.849, 0.851), 1e-12);
  EXPECT_GT(largest(keyed, 1, 1.5), 0.002);
  EXPECT_LT(largest(keyed, 1, 1.5), 0.7 * largest(free, 1, 1.5)) << "twice the rate gives way a quarter as much";
}

TEST(KeyedSettings, ComesBackFromARecipeToTheBit) {
  Recipe recipe{RecipeEnvelope{.version = "0.1.0", .input = {"hero.glb", 1, "00"}, .format = ".glb"}};
  recipe.parts = {{.name = "tail", .preset = "tail", .joints = {"tail_01"}}};
  PartSettings& settings = recipe.parts[0].settings;
  settings.key("amount", smooth_keys({0, 1.0 / 3}, {1, std::sqrt(0.1)}));
  settings.key("mix", {.interpolation = Interpolation::linear, .times = {0, 0.7}, .values = {0.1, 1}});
  Curve steep = smooth_keys({0, 1, 2}, {1, 2, 3});
  steep.out_tangents[1] = std::sqrt(2);
  settings.key("lag", steep);
  settings.hits = {1.0 / 7, 2};
  RecipeClip clip{.name = "Walk_soft", .base = "Walk", .frame_rate = 24};
  clip.set = {{.part = "tail", .control = "rate", .keys = smooth_keys({0, 1}, {2, 1.1})},
              {.part = "tail", .control = "hit", .moments = {0.3}}};
  recipe.clips = {clip};
  const std::string text = recipe_text(recipe);
  const Recipe read = parse_recipe(text, "x");
  EXPECT_EQ(recipe_text(read), text);
  for (double t = -0.1; t < 2.5; t += 0.1)
    for (const char* field : {"amount", "mix", "lag", "sag"})
      EXPECT_EQ(read.parts[0].settings.at(field, t), settings.at(field, t)) << field << t;
  EXPECT_EQ(read.parts[0].settings.hits, settings.hits);
  PartSettings of_clip = read.parts[0].settings;
  for (const RecipeValue& each : read.clips[0].set) each.apply_to(of_clip);
  EXPECT_EQ(of_clip.at("rate", 1), 1.1);
  EXPECT_EQ(of_clip.hits, std::vector<double>{0.3});
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string wrong = text;
    wrong.replace(wrong.find(from), from.size(), to);
    EXPECT_THROW(parse_recipe(wrong, "x"), Error) << to;
  };
  refused("\"linear\"", "\"wobbly\"");
  refused("[0.7,1.0]", "[0.7]");
  refused("[0.7,1.0]", "[0.7,3.0]");
}

}  // namespace
}  // namespace rigspace::keyed_settings_test
