// Titles in any script are drawn in letters that are there, never as boxes.

#include "rigspace/render/drawable_text.h"
#include "rigspace/render/picture.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rigspace::text_test {

TEST(DrawableText, IsTheTextItselfInAscii) {
  EXPECT_EQ(drawable_text("Armature|Walk 02 (fast)"), "Armature|Walk 02 (fast)");
  EXPECT_EQ(drawable_text(""), "");
}

TEST(DrawableText, DropsAccentsAndWritesOtherAlphabetsInLatinLetters) {
  EXPECT_EQ(drawable_text("Bär läuft über Straße"), "Bar lauft uber Strasse");
  EXPECT_EQ(drawable_text("Łukasz, Dvořák, ışık, œuf"), "Lukasz, Dvorak, isik, oeuf");
  EXPECT_EQ(drawable_text("cafe\u0301"), "cafe");  // the accent as a character of its own
  EXPECT_EQ(drawable_text("Ходьба, щенок, Юля, Ёж"), "Khodba, shchenok, Yulya, Yozh");
  EXPECT_EQ(drawable_text("το άλογο"), "to alogo");
  EXPECT_EQ(drawable_text("한국 걷기"), "hanguk geotgi");
}

TEST(DrawableText, WritesKanaAsTheySound) {
  EXPECT_EQ(drawable_text("しっぽ"), "shippo");
  EXPECT_EQ(drawable_text("マッチ"), "matchi");
  EXPECT_EQ(drawable_text("きゃく、しゃしん"), "kyaku.shashin");
  EXPECT_EQ(drawable_text("ウォーク ファイル"), "oku fairu");
}

TEST(DrawableText, SaysWhatItLeavesOut) {
  EXPECT_EQ(drawable_text("歩き"), "(a name in another script)") << "half a word says nothing";
  EXPECT_EQ(drawable_text("walk_歩き_loop"), "walk_.._loop");
  EXPECT_EQ(drawable_text("walk 歩行 01"), "walk .. 01");
  EXPECT_EQ(drawable_text("尻尾"), "(a name in another script)");
}

TEST(DrawableText, BrokenBytesAreNoError) {
  EXPECT_EQ(drawable_text("walk\xff\xc3"), "walkyA");
  EXPECT_EQ(drawable_text(std::string_view("a\0b\x1b", 4)), "ab");
}

TEST(DrawText, DrawsNoMoreThanTheLetters) {
  const auto ink = [](std::string_view text) {
    Picture picture(400, 40);
    draw_text(picture, 5, 30, text);
    return std::count_if(picture.bytes().begin(), picture.bytes().end(), [](auto byte) { return byte < 250; });
  };
  EXPECT_GT(ink("Khodba"), 0);
  EXPECT_EQ(ink("Ходьба"), ink("Khodba"));
  EXPECT_EQ(text_width("Ходьба"), text_width("Khodba"));
}

}  // namespace rigspace::text_test
