// Which part of a dragon was drawn (Thesis 5.3.2).

#include "rigspace/apps/sketch/part_classifier.h"

#include <gtest/gtest.h>

#include "rigspace/base/error.h"
#include "rigspace/cast/sketch_curves.h"
#include "unseen_drawings.h"

#include <map>

namespace rigspace::part_classifier_test {
namespace {

std::vector<DrawnPart> dragon_parts() {
  std::vector<DrawnPart> parts;
  for (const CastAbstraction& icon : dragon_icons()) {
    DrawnPart part{.name = icon.name, .rig = icon.rig, .curves = {}, .varied = {}};
    for (const CastCurve& curve : icon.curves)
      part.curves.push_back({curve.first_point, curve.point_count, curve.closed});
    for (const int c : offered_controls(*icon.rig)) {
      if (icon.rig->controls()[c].group != "place") part.varied.push_back(c);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

const std::vector<DrawnPart>& parts() {
  static const std::vector<DrawnPart> made = dragon_parts();
  return made;
}

const PartClassifier& classifier() {
  static const PartClassifier trained = train_part_classifier(parts());
  return trained;
}

TEST(PartDescriptor, DoesNotDependOnPlaceSizeOrderOrDirection) {
  DrawingGenerator generator(parts()[2], 5);
  const Drawing drawing = generator.next();
  const Vec before = describe_drawing(drawing);
  ASSERT_EQ(before.size(), drawing_descriptor_size());
  Drawing other = drawing;
  std::reverse(other.begin(), other.end());
  for (auto& stroke : other) {
    std::reverse(stroke.begin(), stroke.end());
    for (Vec2& x : stroke) x = Vec2(300, -20) + 70 * x;
  }
  // Samples sit elsewhere on reversed strokes: by half their spacing.
  EXPECT_LT((describe_drawing(other) - before).norm(), 0.03 * before.norm());
  EXPECT_GT((describe_drawing(DrawingGenerator(parts()[3], 5).next()) - before).norm(), 0.2 * before.norm());
}

TEST(PartDescriptor, HardlyDependsOnWhereStrokesAreSplit) {
  DrawingGenerator generator(parts()[0], 6);
  Drawing drawing = generator.next();
  const Vec before = describe_drawing(drawing);
  std::vector<Vec2>& stroke = drawing.front();
  const auto cut = static_cast<std::ptrdiff_t>(stroke.size() / 2);
  std::vector<Vec2> rest(stroke.begin() + cut, stroke.end());
  stroke.resize(static_cast<std::size_t>(cut) + 1);
  drawing.push_back(std::move(rest));
  EXPECT_LT((describe_drawing(drawing) - before).norm(), 0.1 * before.norm());
}

TEST(PartDescriptor, SaysWhatIsWrongWithADrawing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Drawing& drawing : {Drawing{}, Drawing{{}}, Drawing{{Vec2(1, 1)}}, Drawing{{Vec2(1, 1), Vec2(1, 1)}},
                                 Drawing{{Vec2(0, 0), Vec2(nan, 1)}}})
    EXPECT_THROW(describe_drawing(drawing), Error);
}

TEST(PartClassifier, ProbabilitiesSumToOneBestFirst) {
  DrawingGenerator generator(parts()[1], 8);
  const std::vector<PartGuess> guesses = classifier().guesses(generator.next());
  ASSERT_EQ(guesses.size(), 6u);
  double sum = 0;
  for (std::size_t k = 0; k < guesses.size(); ++k) {
    sum += guesses[k].probability;
    if (k > 0) {
      EXPECT_GE(guesses[k - 1].probability, guesses[k].probability);
    }
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(PartClassifier, RecognisesSixHundredDrawingsByAnotherHand) {
  int right = 0, all = 0;
  std::map<std::string, std::map<std::string, int>> confused;
  std::array<int, testing::kStyles> wrong_by_style{};
  for (std::size_t k = 0; k < parts().size(); ++k) {
    testing::UnseenHand hand(parts()[k], 1000 + static_cast<std::uint32_t>(k));
    for (int n = 0; n < 100; ++n, ++all) {
      const int style = n % testing::kStyles;
      const std::string guess = classifier().part_of(hand.draw(static_cast<testing::Style>(style)));
      right += guess == parts()[k].name;
      wrong_by_style[style] += guess != parts()[k].name;
      ++confused[parts()[k].name][guess];
    }
  }
  std::string table;
  for (const auto& [drawn, guesses] : confused) {
    table += drawn + ":";
    for (const auto& [guess, count] : guesses) table += " " + guess + " " + std::to_string(count);
    table += "\n";
  }
  for (const int wrong : wrong_by_style) table += std::to_string(wrong) + " ";
  RecordProperty("right_of_600", right);
  ASSERT_EQ(all, 600);
  EXPECT_GE(right, 570) << table;  // 95 %
}

}  // namespace
}  // namespace rigspace::part_classifier_test
