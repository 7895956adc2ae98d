#include "rigspace/anim/key_edits.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace {
namespace {

Curve hermite(std::vector<double> times, std::vector<double> values, std::vector<double> slopes) {
  return {.interpolation = Interpolation::hermite,
          .times = std::move(times),
          .values = std::move(values),
          .in_tangents = slopes,
          .out_tangents = slopes};
}

/// A wave of five keys from 0 to 1.2 s that repeats.
Curve wave() { return hermite({0, 0.3, 0.6, 0.9, 1.2}, {1, 4, -2, -5, 1}, {3, 0, -20, 0, 3}); }

double largest_difference(const Curve& a, const Curve& b, double from, double to) {
  double largest = 0;
  for (int k = 0; k <= 1000; ++k) {
    const double time = from + (to - from) * k / 1000;
    largest = std::max(largest, std::abs(a(time) - b(time)));
  }
  return largest;
}

TEST(SumOfKeys, IsTheSumAtEveryTime) {
  const Curve a = wave(), b = hermite({0.2, 0.6, 0.77, 1.5}, {3, 1, -1, 2}, {1, -4, 0, 2});
  const Curve sum = sum_of_keys(a, b, -0.5);
  EXPECT_EQ(sum.times, (std::vector<double>{0, 0.2, 0.3, 0.6, 0.77, 0.9, 1.2, 1.5}));
  for (int k = -100; k <= 1700; ++k) {
    const double time = k / 1000.0;
    EXPECT_NEAR(sum(time), a(time) - 0.5 * b(time), 1e-12) << time;
  }
}

TEST(SumOfKeys, TakesACurveWithoutKeysAsZero) {
  const Curve sum = sum_of_keys(wave(), {});
  EXPECT_EQ(sum.times, wave().times);
  EXPECT_EQ(sum.values, wave().values);
  EXPECT_TRUE(sum_of_keys({}, {}).times.empty());
}

TEST(NeedlessKeys, CanGoAndNothingChanges) {
  const Curve a = wave();
  const Curve more = sum_of_keys(a, hermite({0.1, 0.45, 0.5, 1.0}, {0, 0, 0, 0}, {0, 0, 0, 0}));
  ASSERT_EQ(more.times.size(), 9u);
  const Curve fewer = without_needless_keys(more, 1e-12);
  EXPECT_EQ(fewer.times, a.times);
  EXPECT_LT(largest_difference(fewer, a, 0, 1.2), 1e-12);
}

TEST(EditOfKeys, WithoutAChangeHasNoKeys) {
  EXPECT_TRUE(edit_of_keys(wave(), wave()).times.empty());
  EXPECT_TRUE(edit_of_keys(wave(), wave(), 1.2).times.empty());
}

TEST(EditOfKeys, OfOneKeyIsZeroBeyondItsNeighbours) {
  Curve edited = wave();
  edited.values[2] += 7;
  edited.in_tangents[2] += 11;
  const Curve edit = edit_of_keys(wave(), edited);
  EXPECT_EQ(edit.times, (std::vector<double>{0.3, 0.6, 0.9}));
  EXPECT_EQ(edit.values, (std::vector<double>{0, 7, 0}));
  EXPECT_EQ(edit.in_tangents, (std::vector<double>{0, 11, 0}));
  EXPECT_EQ(edit.out_tangents, (std::vector<double>{0, 0, 0}));
  for (const double time : {-1.0, 0.0, 0.17, 0.3, 0.9, 1.1, 1.2, 3.0}) EXPECT_EQ(edit(time), 0) << time;
}

TEST(EditOfKeys, AddedToTheKeysIsWhatWasEdited) {
  const Curve keys = wave();
  Curve moved = keys, added = keys, removed = keys;
  moved.times[1] = 0.42;
  added.times.insert(added.times.begin() + 3, 0.7), added.values.insert(added.values.begin() + 3, 6);
  added.in_tangents.insert(added.in_tangents.begin() + 3, -9),
      added.out_tangents.insert(added.out_tangents.begin() + 3, 4);
  for (std::vector<double>* list : {&removed.times, &removed.values, &removed.in_tangents, &removed.out_tangents})
    list->erase(list->begin() + 2);
  for (const Curve& edited : {moved, added, removed}) {
    const Curve edit = edit_of_keys(keys, edited);
    EXPECT_GT(edit.times.size(), 2u);
    const Curve shown = without_needless_keys(sum_of_keys(keys, edit), 1e-11);
    EXPECT_EQ(shown.times, edited.times);
    EXPECT_LT(largest_difference(shown, edited, -0.5, 2), 1e-11);
  }
}

TEST(EditOfKeys, OnALoopTheOtherEndFollows) {
  for (const bool first : {true, false}) {
    Curve edited = wave();
    edited.values[first ? 0 : 4] = 8;
    (first ? edited.out_tangents[0] : edited.in_tangents[4]) = -2;
    const Curve edit = edit_of_keys(wave(), edited, 1.2), shown = sum_of_keys(wave(), edit);
    EXPECT_EQ(edit(0), 7);
    EXPECT_EQ(edit(1.2), 7);
    EXPECT_EQ(shown.slope(0), -2);
    EXPECT_EQ(shown.in_tangents.back(), -2);
    EXPECT_EQ(edit(0.6), 0) << "only the neighbours of the seam are touched";
  }
  Curve both = wave();
  both.values.front() = 3, both.values.back() = 9;
  EXPECT_EQ(edit_of_keys(wave(), both, 1.2)(1.2), 2) << "the first key counts";
}

TEST(ClosedKeys, RepeatInValueAndSlope) {
  const ClosedKeys closed = closed_keys(hermite({0, 0.5, 1}, {2, -3, 40}, {5, 0, 0}), 0, 1.2, 0.02);
  EXPECT_TRUE(closed.changed);
  EXPECT_EQ(closed.curve(0), closed.curve(1.2));
  EXPECT_EQ(closed.curve.slope(0), 5);
  EXPECT_EQ(closed.curve.in_tangents.back(), 5);
  EXPECT_EQ(closed.curve(1), 40) << "keys within the loop stay";
  // A key before the loop's first moment is not part of it; the value there is that of the curve.
  const ClosedKeys later = closed_keys(hermite({-1, 0.4}, {0, 4}, {0, 0}), 0, 1, 0.02);
  EXPECT_EQ(later.curve.times.front(), 0);
  EXPECT_EQ(later.curve(1), later.curve(0));
}

TEST(ClosedKeys, LeaveWhatIsClosedAsItIs) {
  const ClosedKeys closed = closed_keys(wave(), 0, 1.2, 0.02);
  EXPECT_FALSE(closed.changed);
  EXPECT_LT(largest_difference(closed.curve, wave(), 0, 1.2), 1e-15);
  // A bump that begins and ends at rest; the keys of a loop whose end was rounded.
  const Curve bump = hermite({0.3, 0.5, 0.8}, {0, 6, 0}, {0, 0, 0});
  EXPECT_FALSE(closed_keys(bump, 0, 1.2, 0.02).changed);
  EXPECT_EQ(largest_difference(closed_keys(bump, 0, 1.2, 0.02).curve, bump, 0, 1.2), 0);
  const Curve rounded = hermite({0, 0.5, 1.1667}, {2, -3, 2}, {0, 0, 0});
  EXPECT_FALSE(closed_keys(rounded, 0, 7.0 / 6, 0.02).changed);
  EXPECT_EQ(closed_keys(rounded, 0, 7.0 / 6, 0.02).curve.times.back(), 7.0 / 6);
}

}  // namespace
}  // namespace rigspace
