#include "rigspace/apps/sketch/part_classifier.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rigspace {

PartClassifier::PartClassifier(std::vector<std::string> names, const Mat& descriptors, std::span<const int> labels,
                               double ridge)
    : names_(std::move(names)) {
  const auto classes = static_cast<Eigen::Index>(names_.size());
  Mat means = Mat::Zero(descriptors.rows(), classes);
  Vec counts = Vec::Zero(classes);
  for (Eigen::Index k = 0; k < descriptors.cols(); ++k) {
    means.col(labels[k]) += descriptors.col(k);
    counts[labels[k]] += 1;
  }
  for (Eigen::Index c = 0; c < classes; ++c) {
    require_option(counts[c] >= 2, "examples of part \"" + names_[c] + "\"", counts[c], "expected two at least");
    means.col(c) /= counts[c];
  }
  Mat centred = descriptors;
  for (Eigen::Index k = 0; k < descriptors.cols(); ++k) centred.col(k) -= means.col(labels[k]);
  Mat covariance = centred * centred.transpose() / static_cast<double>(descriptors.cols());
  covariance.diagonal().array() += ridge * covariance.diagonal().mean() + 1e-12;
  // log p(c | f) = f^T S^-1 m_c - m_c^T S^-1 m_c / 2 + const, parts being equally likely.
  const Mat solved = solve_ldlt(covariance, means);
  slopes_ = solved.transpose();
  offsets_ = -0.5 * (means.array() * solved.array()).colwise().sum().transpose();
}

std::vector<PartGuess> PartClassifier::guesses(const Drawing& drawing) const {
  Vec score = slopes_ * describe_drawing(drawing) + offsets_;
  score = (score.array() - score.maxCoeff()).exp();
  score /= score.sum();
  std::vector<PartGuess> result;
  for (std::size_t c = 0; c < names_.size(); ++c) result.push_back({names_[c], score[static_cast<Eigen::Index>(c)]});
  std::stable_sort(result.begin(), result.end(),
                   [](const PartGuess& a, const PartGuess& b) { return a.probability > b.probability; });
  return result;
}

PartClassifier train_part_classifier(std::span<const DrawnPart> parts, const PartTraining& training) {
  require_option(training.drawings >= 2, "drawings of each part", training.drawings, "expected two at least");
  const int count = static_cast<int>(parts.size()) * training.drawings;
  Mat descriptors(drawing_descriptor_size(), count);
  std::vector<int> labels(count);
  parallel_ranges(static_cast<int>(parts.size()), 1, [&](int begin, int end) {
    for (int part = begin; part < end; ++part) {
      DrawingGenerator generator(parts[part], training.seed + 7919u * static_cast<std::uint32_t>(part),
                                 training.variation);
      for (int k = 0; k < training.drawings; ++k) {
        const int column = part * training.drawings + k;
        descriptors.col(column) = describe_drawing(generator.next());
        labels[column] = part;
      }
    }
  });
  std::vector<std::string> names;
  for (const DrawnPart& part : parts) names.push_back(part.name);
  return {std::move(names), descriptors, labels, training.ridge};
}

}  // namespace rigspace
