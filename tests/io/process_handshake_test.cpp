// What the handshake of a rig process may contain beside its controls: clips, warnings, groups, keyed orientations,
// errors.

#include "rigspace/anim/bound_skin.h"
#include "rigspace/base/error.h"
#include "rigspace/io/blend_file.h"
#include "rigspace/io/process_rig.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace rigspace::process_handshake_test {
namespace {

/// A process that sends one line as its handshake and then reads for ever.
ProcessRigOptions handshake_of(const std::string& line) {
  return {.command = "printf '%s\\n' '" + line + "'; exec cat >/dev/null", .processes = 1};
}

const std::string kBeginning = R"({"rigspace": 1, "points": 0, "noise": 0, "controls": [)"
                               R"({"name": "tail.rx", "node": "tail", "unit": "angle", "group": "tail"},)"
                               R"({"name": "tail.qx", "unit": "quaternion", "node": "tail"}])";

TEST(ProcessTold, ClipsAndWarningsComeWithTheRig) {
  const Character character = start_character(handshake_of(
      kBeginning +
      R"(, "warnings": ["a modifier is switched off"], "clips": [{"name": "Wag", "tracks": [{"control":)"
      R"( "tail.rx", "unit": "degree", "interpolation": "linear", "times": [0, 2], "values": [0, 180]}]}]})"));
  ASSERT_EQ(character.clips.size(), 1u);
  EXPECT_EQ(character.clips[0].duration, 2);
  EXPECT_DOUBLE_EQ(character.clips[0].tracks[0].curve(1), std::acos(-1.0) / 2);
  EXPECT_EQ(character.warnings, std::vector<std::string>{"a modifier is switched off"});
  EXPECT_EQ(character.rig->controls()[0].group, "tail");
  EXPECT_EQ(character.rig->controls()[1].unit, Unit::quaternion);
}

TEST(ProcessTold, ASkinIsReadOrRefusedByName) {
  for (const char* skin : {R"("none")", R"({"glb": "?"})", R"({"glb": "AAAA"})"}) {
    try {
      start_character(handshake_of(kBeginning + R"(, "skin": )" + skin + "}"));
      FAIL() << skin;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::external_process);
      EXPECT_NE(std::string(error.what()).find("skin"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(bound_skin(start_character(handshake_of(kBeginning + "}"))), nullptr);
}

TEST(ProcessTold, ClipsThatAreWrongNameThePlace) {
  try {
    start_character(handshake_of(kBeginning + R"(, "clips": [{"name": "Wag", "tracks": [{"control": "tail.rx"}]}]})"));
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::external_process);
    EXPECT_NE(std::string(error.what()).find("clips[0].tracks[0]"), std::string::npos) << error.what();
  }
}

TEST(ProcessTold, AnErrorIsSaidAsTheProcessSaysIt) {
  try {
    start_character(handshake_of(
        R"({"rigspace": 1, "error": {"element": "object \"X\"", "problem": "is not there", "remedy": "name another"}})"));
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_EQ(error.info().element, "object \"X\"");
    EXPECT_NE(std::string(error.what()).find("object \"X\" is not there; name another"), std::string::npos)
        << error.what();
  }
}

TEST(BlendFile, WhatIsNoBlendIsRefusedBeforeBlenderIsStarted) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "rigspace_no.blend";
  std::ofstream(file) << "no";
  try {
    load_blend({.file = file});
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_EQ(error.info().problem, "is no .blend file");
  }
  std::filesystem::remove(file);
  EXPECT_TRUE(is_blend_file("a/HERO.Blend"));
  EXPECT_FALSE(is_blend_file("hero.blend1"));
}

}  // namespace
}  // namespace rigspace::process_handshake_test
