#pragma once
// Which of a set of parts was drawn (Thesis 5.3.2): a linear classifier of descriptors, trained on generated drawings.

#include "rigspace/apps/sketch/drawing_generator.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

struct PartGuess {
  std::string name;
  double probability;  ///< all of them sum to one
};

/// Discriminants of classes with one covariance (Fisher): log-probability linear in the descriptor, in closed form.
class PartClassifier {
 public:
  /// Descriptors in columns; `labels` into `names`. Every name needs two examples. `ridge`: added to the variances,
  /// against their mean.
  PartClassifier(std::vector<std::string> names, const Mat& descriptors, std::span<const int> labels,
                 double ridge = 0.05);

  /// All parts, the most probable first.
  std::vector<PartGuess> guesses(const Drawing& drawing) const;
  /// The name of the most probable.
  std::string part_of(const Drawing& drawing) const { return guesses(drawing).front().name; }

  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  Mat slopes_;   // classes x descriptor
  Vec offsets_;  // one per class
};

struct PartTraining {
  int drawings = 300;  ///< of each part
  std::uint32_t seed = 1;
  double ridge = 0.05;  ///< see PartClassifier
  DrawingVariation variation = {};
};

/// Trained on variations of the parts' icons: poses, shapes, views, wobble, order and splitting of strokes.
PartClassifier train_part_classifier(std::span<const DrawnPart> parts, const PartTraining& training = {});

}  // namespace rigspace
