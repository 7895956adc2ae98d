#include "rigspace/jobs/clip_names.h"

#include "rigspace/base/error.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

const std::vector<std::string> kNames{"Armature|Walk", "Armature|Run", "Armature|FastRun",
                                      "mixamo:idle",   "Props/Walk2",  "Walk"};

using Places = std::vector<int>;

TEST(ClipNames, TheNameItselfComesFirst) {
  EXPECT_EQ(matching_names(kNames, "Walk"), Places{5});
  EXPECT_EQ(matching_names(kNames, "Armature|Walk"), Places{0});
}

TEST(ClipNames, ThenTheNameBehindTheLastMarkThenPatternsThenAnyCase) {
  EXPECT_EQ(matching_names(kNames, "Run"), Places{1});
  EXPECT_EQ(matching_names(kNames, "idle"), Places{3});
  EXPECT_EQ(matching_names(kNames, "Walk2"), Places{4});
  EXPECT_EQ(matching_names(kNames, "*Run"), (Places{1, 2}));
  EXPECT_EQ(matching_names(kNames, "Armature*"), (Places{0, 1, 2}));
  EXPECT_EQ(matching_names(kNames, "IDLE"), Places{3});
  EXPECT_EQ(matching_names(kNames, "fast*"), Places{2});
  EXPECT_TRUE(matching_names(kNames, "Jump").empty());
  EXPECT_TRUE(matching_names(kNames, "").empty());
}

std::string refusal(const std::vector<std::string>& names, const std::string& text) {
  try {
    clips_meant(names, text, "hero.glb");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ClipNames, WhatCouldBeSeveralIsRefusedWithTheCandidates) {
  EXPECT_EQ(refusal({"A|Walk", "B|Walk"}, "Walk"),
            "hero.glb: clip \"Walk\" could be 2 clips; write one of 'A|Walk', 'B|Walk'");
  EXPECT_EQ(clips_meant(std::vector<std::string>{"A|Walk", "B|Walk"}, "*Walk", "hero.glb"), (Places{0, 1}));
  EXPECT_EQ(refusal({"A|Walk"}, ""), "hero.glb: --clip \"\" is empty; name a clip, as 'A|Walk', or leave it out");
  EXPECT_EQ(refusal({"Walk"}, "Wolk"), "hero.glb: clip \"Wolk\" is not in the file; did you mean \"Walk\"?");
}

TEST(ClipNames, AreQuotedForAShell) {
  EXPECT_EQ(shell_quoted("Walk"), "Walk");
  EXPECT_EQ(shell_quoted("Armature|Walk"), "'Armature|Walk'");
  EXPECT_EQ(shell_quoted("don't run"), "'don'\\''t run'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace rigspace
