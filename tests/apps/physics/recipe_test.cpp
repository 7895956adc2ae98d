#include "rigspace/apps/physics/recipe.h"

#include "rigspace/base/content_hash.h"
#include "rigspace/base/error.h"
#include "support/rods.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace rigspace::recipe_test {
namespace {

/// A clip of two curves over one second at 120 Hz, with values that no short decimal holds.
RecipeClip noisy_clip(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> angle(-40, 40), length(-1e-3, 1e-3);
  RecipeClip clip{.name = "Walk_soft", .base = "Walk", .frame_rate = 24};
  clip.curves = {{.control = "tail_01.rx", .unit = Unit::angle}, {.control = "belly.tx", .unit = Unit::length}};
  for (int k = 0; k <= 120; ++k) {
    clip.times.push_back(k / 120.0);
    clip.curves[0].values.push_back(angle(random));
    clip.curves[1].values.push_back(length(random));
  }
  clip.parts = {{.length = 1.0 / 3, .rate = std::sqrt(2), .largest_at = 0.7}};
  clip.steps = 120;
  return clip;
}

Recipe noisy_recipe() {
  Recipe recipe{
      RecipeEnvelope{.version = "0.1.0", .input = {"sub/hero \"x\".glb", 123456789, "00ff"}, .format = ".glb"}};
  recipe.options.physics.step = 1.0 / 120;
  recipe.options.physics.looping = Looping::never;
  recipe.options.physics.integrator = IntegratorKind::euler;
  recipe.options.physics.follow_animation = false;
  recipe.options.additive = true;
  recipe.options.soft = SoftForm::morphs;
  recipe.options.collide = {"self", "sphere:0,1,0,0.2", "sub/other.glb"};
  recipe.options.physics.collisions.friction = 1.0 / 3;
  recipe.parts = {{.name = "tail", .preset = "tail", .joints = {"tail_01", "schw\u00e4nzchen"}}};
  double value = 0.1;
  for (const SettingField& field :
       setting_fields()) {  // a field that is forgotten in the file would come back as its default
    const double low = field.min, high = std::min(field.max, field.min + 1);
    recipe.parts[0].settings.*field.value = low + (high - low) * (value = std::fmod(value * 7.3 + 0.1, 1.0));
  }
  recipe.clips = {noisy_clip(1), {.name = "Run_soft", .base = "Run", .frame_rate = 30, .start = 0.1, .end = 0.7}};
  recipe.clips[0].set = {{"tail", "rate", 1.1}};
  recipe.clips[0].edits = {{0.1, 0.7, {{"tail", "amount", 0.6}, {"tail", "lag", 0.3}}}};
  return recipe;
}

std::string sentence(const std::string& text) {
  try {
    parse_recipe(text, "hero.soft.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    return error.what();
  }
  return "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

TEST(Recipe, ComesBackToTheBit) {
  const Recipe written = noisy_recipe();
  const std::string text = recipe_text(written);
  const Recipe read = parse_recipe(text, "x");
  EXPECT_EQ(recipe_text(read), text);
  ASSERT_EQ(read.clips.size(), 2u);
  for (std::size_t c = 0; c < 2; ++c)
    EXPECT_EQ(std::memcmp(read.clips[0].curves[c].values.data(), written.clips[0].curves[c].values.data(),
                          written.clips[0].times.size() * sizeof(double)),
              0);
  EXPECT_EQ(read.clips[0].times, written.clips[0].times);
  EXPECT_EQ(read.clips[0].parts[0].rate, std::sqrt(2));
  EXPECT_EQ(read.clips[0].edits[0].set[1].control, "lag");
  EXPECT_FALSE(read.clips[1].finished());
  EXPECT_EQ(read.clips[1].end, 0.7);
  EXPECT_TRUE(std::isinf(read.clips[0].end));
  EXPECT_EQ(read.input.file, written.input.file);
  EXPECT_EQ(read.options.physics.integrator, IntegratorKind::euler);
  EXPECT_EQ(read.options.physics.looping, Looping::never);
  EXPECT_FALSE(read.options.physics.follow_animation);
  for (const SettingField& field : setting_fields())
    EXPECT_EQ(read.parts[0].settings.*field.value, written.parts[0].settings.*field.value) << field.name;
}

TEST(Recipe, KeepsTheQualityThatWasChosen) {
  Recipe written = noisy_recipe();
  EXPECT_EQ(recipe_text(written).find("quality"), std::string::npos) << "as it is unless chosen";
  written.options.physics.quality = 0.8;
  const std::string text = recipe_text(written);
  EXPECT_EQ(parse_recipe(text, "x").options.physics.quality, 0.8);
  EXPECT_NE(sentence(replaced(text, "\"quality\": 0.8", "\"quality\": 1.8")).find("quality is 1.8"), std::string::npos);
}

TEST(Recipe, RemembersHowFarAStoppedRunCame) {
  Recipe written = noisy_recipe();
  EXPECT_EQ(recipe_text(written).find("stopped"), std::string::npos);
  written.clips[0].stopped = true;
  written.clips[0].parts[0].finished = 1.0 / 3;
  written.clips[0].parts[0].eased = 0.7;
  const std::string text = recipe_text(written);
  const Recipe read = parse_recipe(text, "x");
  EXPECT_EQ(recipe_text(read), text);
  EXPECT_FALSE(read.clips[0].finished());
  EXPECT_TRUE(read.clips[0].has_motion());
  EXPECT_EQ(read.clips[0].parts[0].finished, 1.0 / 3);
  EXPECT_EQ(read.clips[0].parts[0].eased, 0.7);
  EXPECT_EQ(read.clips[0].times, written.clips[0].times);
}

TEST(Recipe, SaysWhatIsWrongAndWhere) {
  const std::string good = recipe_text(noisy_recipe());
  EXPECT_EQ(sentence(good), "");
  const std::string line = sentence(replaced(good, "\"version\": \"0.1.0\",", "\"version\": \"0.1.0\""));
  EXPECT_NE(line.find("hero.soft.json:5: is not valid JSON"), std::string::npos) << line;
  const struct {
    const char *from, *to, *says;
  } cases[] = {
      {"\"schema\": 1", "\"schema\": 7", "schema is 7"},
      {"\"program\": \"rigspace\"", "\"program\": \"maya\"", "is no recipe"},
      {"\"hash\"", "\"hush\"", "input lacks the field \"hash\""},
      {"\"step\": 0.008", "\"step\": 9.008", "physics step is 9.0"},
      {"\"step\"", "\"stride\"", "options.stride is no option"},
      {"\"integrator\": \"euler\"", "\"integrator\": \"rk4\"", "expected euler, bdf2"},
      {"\"overlap\": ", "\"overlap\": 7", "parts[0].look.overlap: "},
      {"\"overlap\": ", "\"overlop\": ", "is no control of a part"},
      {"\"preset\": \"tail\"", "\"preset\": \"fluffy\"", "presets are"},
      {"\"tail.rate\"", "\"nose.rate\"", "is for a part that the recipe lacks"},
      {"\"tail.amount\": 0.6", "\"tail.amount\": \"much\"",
       "clips[0].edits[0].set.tail.amount is \"much\"; expected a number"},
      {"\"from\": 0.1", "\"from\": 0.9", "ends before it begins"},
      {"\"unit\": \"deg\"", "\"unit\": \"turns\"", "clips[0].curves[0].unit is \"turns\""},
      {"\"times\": [0.0,", "\"times\": [", "clips[0].curves[0].values has 121 numbers; expected 120"},
      {"\"times\": [0.0,", "\"times\": [3.0,", "does not increase at its number 2"},
      {"\"times\": [0.0,", "\"times\": [1e999,", "is not valid JSON: number overflow"},
      {"\"steps\": 120", "\"steps\": -3", "clips[0].steps is -3; expected a number of at least 0"},
      {"\"output\": \".glb\"", "\"output\": \".exe\"", "expected .glb, .gltf"},
  };
  for (const auto& each : cases) {
    const std::string said = sentence(replaced(good, each.from, each.to));
    EXPECT_NE(said.find(each.says), std::string::npos) << each.to << " gives: " << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }
  for (const char* text : {"", "[]", "3", "null", "{}", "{\"schema\":1}"}) EXPECT_NE(sentence(text), "") << text;
  for (std::size_t length = 0; length < good.size(); length += 97) EXPECT_NE(sentence(good.substr(0, length)), "");
}

TEST(Recipe, MotionGoesThereAndBack) {
  const Character rod = testing::make_rod(3);
  SoftMotion motion{.controls = {rod.rig->find("tail_01.rx"), rod.rig->find("tail_01.ry")}, .times = {0, 0.5, 1}};
  ASSERT_GE(motion.controls[0], 0);
  motion.deviation = Mat::Random(2, 3);
  motion.looped = true;
  RecipeClip clip;
  set_motion(clip, rod.rig->controls(), motion);
  EXPECT_NEAR(clip.curves[0].values[1], motion.deviation(0, 1) * 57.29577951308232, 1e-12);
  const SoftMotion back = motion_from_recipe(clip, rod.rig->controls());
  EXPECT_EQ(back.controls, motion.controls);
  EXPECT_TRUE(back.looped);
  EXPECT_LT((back.deviation - motion.deviation).cwiseAbs().maxCoeff(), 4e-16);  // a rounding there, and one back
  clip.curves[0].control = "nose.rx";
  EXPECT_THROW(motion_from_recipe(clip, rod.rig->controls()), Error);
}

TEST(Recipe, PartsAreFoundByTheNamesOfTheirJoints) {
  const Character rod = testing::make_rod(3);
  std::vector<Part> parts = parts_from_pattern(rod, "tail*=tail");
  std::vector<RecipePart> written = recipe_parts(rod, parts);
  EXPECT_EQ(parts_from_recipe(rod, written)[0].bones, parts[0].bones);
  const RecipeValue amount{parts[0].name, "amount", 0.25};
  set_values(parts, std::span(&amount, 1));
  EXPECT_EQ(parts[0].settings.amount, 0.25);
  const RecipeValue nobody{"nobody", "amount", 0.25};
  EXPECT_THROW(set_values(parts, std::span(&nobody, 1)), Error);
  written[0].joints[1] = "gone";
  EXPECT_THROW(parts_from_recipe(rod, written), Error);
}

TEST(Recipe, KeepsPartsOnControlsByTheirNames) {
  const Character rod = testing::make_rod(4);
  const std::span<const Control> controls = rod.rig->controls();
  Recipe written = noisy_recipe();
  written.format = ".rigspace.json";
  written.input.process = "python3 'my rig.py'";
  written.notes = {"it measures 170 units"};
  const Part part{.name = "tail", .preset = "tail", .bones = {}, .controls = {3, 9, 11}};
  written.parts = recipe_parts(rod, std::span(&part, 1));
  EXPECT_EQ(written.parts[0].controls, (std::vector{controls[3].name, controls[9].name, controls[11].name}));
  const std::string text = recipe_text(written);
  const Recipe read = parse_recipe(text, "x");
  EXPECT_EQ(recipe_text(read), text);
  EXPECT_EQ(read.format, written.format);
  EXPECT_EQ(read.input.process, written.input.process);
  EXPECT_EQ(read.notes, written.notes);
  EXPECT_TRUE(read.parts[0].joints.empty());
  EXPECT_EQ(parts_from_recipe(rod, read.parts)[0].controls, part.controls);
  written.parts[0].controls[1] = "wing.rx";
  EXPECT_THROW(parts_from_recipe(rod, written.parts), Error);
}

TEST(Splice, IsOldOutsideAndFreshInside) {
  const RecipeClip old = noisy_clip(1), fresh = noisy_clip(2);
  const double from = 0.2, to = 0.8;
  const RecipeClip both = splice(old, fresh, from, to);
  const double blend = 0.15;  // a quarter of the stretch: six frames at 24 a second are longer
  int outside = 0, inside = 0;
  for (std::size_t t = 0; t < old.times.size(); ++t)
    for (std::size_t c = 0; c < 2; ++c) {
      const double time = old.times[t], value = both.curves[c].values[t];
      const double a = old.curves[c].values[t], b = fresh.curves[c].values[t];
      if (time <= from || time >= to) {
        ++outside;
        EXPECT_EQ(value, a) << time;
      } else if (time > from + blend + 1e-9 && time < to - blend - 1e-9) {
        ++inside;
        EXPECT_EQ(value, b) << time;
      } else {
        EXPECT_GE(value, std::min(a, b) - 1e-12) << time;
        EXPECT_LE(value, std::max(a, b) + 1e-12) << time;
      }
    }
  EXPECT_GT(outside, 40);
  EXPECT_GT(inside, 40);
}

TEST(Splice, BlendsSmoothlyOverSixFrames) {
  RecipeClip old = noisy_clip(1), fresh = old;
  old.frame_rate = fresh.frame_rate = 60;  // six frames are 0.1 s, less than a quarter of the stretch
  std::fill(old.curves[0].values.begin(), old.curves[0].values.end(), 0);
  std::fill(fresh.curves[0].values.begin(), fresh.curves[0].values.end(), 1);
  const std::vector<double> values = splice(old, fresh, 0.1, 0.9).curves[0].values;
  EXPECT_NEAR(values[18], 0.5, 1e-12);  // 0.15 s: halfway
  EXPECT_NEAR(values[24], 1, 1e-12);    // 0.2 s
  // A smooth step of n samples rises by at most 1.5 / n a sample, and leaves both ends with no slope.
  for (std::size_t t = 1; t < values.size(); ++t) EXPECT_LE(std::abs(values[t] - values[t - 1]), 1.5 / 12 + 1e-12);
  EXPECT_LT(values[13], 0.025);
}

TEST(Splice, LeavesNoSeamWhereNothingChanged) {
  const RecipeClip old = noisy_clip(1);
  const RecipeClip same = splice(old, old, 0.2, 0.8);
  EXPECT_EQ(same.curves[0].values, old.curves[0].values);
}

TEST(Splice, KeepsTheEndsOfALoopAndOpensThoseOfAClipThatPlaysOnce) {
  RecipeClip old = noisy_clip(1), fresh = noisy_clip(2);
  EXPECT_EQ(splice(old, fresh, 0, 1).curves[0].values, fresh.curves[0].values);
  old.loop = fresh.loop = true;
  EXPECT_EQ(splice(old, fresh, 0, 1).curves[0].values.front(), old.curves[0].values.front());
  EXPECT_EQ(splice(old, fresh, 0, 1).curves[0].values.back(), old.curves[0].values.back());
}

TEST(Splice, RefusesOtherTimesOrControls) {
  const RecipeClip old = noisy_clip(1);
  RecipeClip other = old;
  other.times.back() += 1e-3;
  EXPECT_THROW(splice(old, other, 0.2, 0.8), Error);
  other = old;
  other.curves[1].control = "belly.ty";
  EXPECT_THROW(splice(old, other, 0.2, 0.8), Error);
}

// The published answer for no bytes (xxHash's own test vectors), so that a file's hash is the same on every machine.
TEST(ContentHash, IsXxh3) {
  EXPECT_EQ(content_hash(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_NE(content_hash("a"), content_hash("b"));
}

}  // namespace
}  // namespace rigspace::recipe_test
