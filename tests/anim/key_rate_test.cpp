#include "rigspace/anim/key_rate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace {
namespace {

/// Keys of one control at a rate, their times rounded to `grain` seconds if it is not zero.
Track keyed(double rate, int count, double grain = 0) {
  Track track{.control = "tail.tx", .curve = {.interpolation = Interpolation::linear}};
  for (int k = 0; k < count; ++k) {
    const double time = k / rate;
    track.curve.times.push_back(grain > 0 ? grain * std::round(time / grain) : static_cast<float>(time));
    track.curve.values.push_back(k);
  }
  return track;
}

TEST(KeyRate, IsWholeOrFilmsWhereTimesAreFloats) {
  for (const double rate : {24.0, 25.0, 30.0, 60.0, 120.0, 24000.0 / 1001, 30000.0 / 1001, 60000.0 / 1001})
    EXPECT_EQ(key_rate({.tracks = {keyed(rate, 100)}}), rate);
}

TEST(KeyRate, OfTimesInMillisecondsIsWholeUnlessALongClipSaysFilm) {
  EXPECT_EQ(key_rate({.duration = 10, .tracks = {keyed(24000.0 / 1001, 240, 1e-3)}}), 24000.0 / 1001);
  for (const double rate : {24.0, 25.0, 30.0, 60.0})
    for (const int count : {10, 24, 100, 1000})
      EXPECT_EQ(key_rate({.duration = count / rate, .tracks = {keyed(rate, count, 1e-3)}}), rate) << count;
}

TEST(KeyRate, KeepsRatesThatAreNoFrameRates) { EXPECT_NEAR(key_rate({.tracks = {keyed(31.4, 100)}}), 31.4, 1e-3); }

TEST(KeyRate, CountsTheKeysOfAllTracks) {
  Animation clip{.tracks = {keyed(24, 50)}};
  RotationTrack turn{.node = "head"};
  for (int k = 0; k < 20; ++k) turn.times.push_back(k / 60.0), turn.values.push_back(Vec4::UnitW());
  clip.rotations = {turn};
  EXPECT_EQ(key_rate(clip), 24);
  clip.tracks.clear();
  EXPECT_EQ(key_rate(clip), 60);
}

TEST(KeyRate, OfSparseKeysAndOfNoneIs30) {
  EXPECT_EQ(key_rate({}), 30);
  EXPECT_EQ(key_rate({.tracks = {keyed(2, 10)}}), 30);
}

}  // namespace
}  // namespace rigspace
