#include "control_swings.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace rigspace {
namespace {

constexpr double kLeastReach = 1e-3;  // of the size

bool is_tweak(const Control& control) {
  std::string text = control.node;
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text.find("tweak") != std::string::npos;
}

}  // namespace

std::vector<int> offered_controls(const Character& character, const FeatureRig& features,
                                  std::span<const std::string> patterns) {
  const std::span<const Control> controls = character.rig->controls();
  const bool grouped = std::ranges::any_of(controls, [](const Control& each) { return !each.group.empty(); });
  for (const std::string& pattern : patterns)
    if (std::ranges::none_of(controls, [&](const Control& each) { return matches(each, pattern); }))
      throw Error({.code = ErrorCode::usage,
                   .file = character.name,
                   .element = "control \"" + pattern + "\"",
                   .value = pattern,
                   .problem = "matches none of this character's",
                   .remedy = "`rigspace info --controls` lists their names"});
  std::vector<int> tried;
  for (int c = 0; c < static_cast<int>(controls.size()); ++c) {
    const Control& control = controls[c];
    const bool wished = std::ranges::any_of(patterns, [&](const std::string& each) { return matches(control, each); });
    const bool offered = patterns.empty() && (!grouped || !control.group.empty()) && !is_tweak(control);
    if ((wished || offered) && (control.unit == Unit::length || control.unit == Unit::angle) &&
        control.min < control.max)
      tried.push_back(c);
  }
  const Vec rest = character.rig->rest();
  Vec x;
  features.evaluate(rest, x);
  const double least = kLeastReach * bounding_box(x).diagonal();
  const Mat J = features.jacobian(rest, tried);
  std::set<std::string> nodes;  // that turn the features
  std::set<int> kept;
  for (std::size_t k = 0; k < tried.size(); ++k) {
    const Control& control = controls[tried[k]];
    const auto moved = J.col(static_cast<Eigen::Index>(k)).reshaped(3, features.count()).colwise().norm();
    if (moved.maxCoeff() * control.typical < least) continue;
    kept.insert(tried[k]);
    if (control.unit == Unit::angle) nodes.insert(control.node);
  }
  for (const int c : tried)
    if (controls[c].unit == Unit::angle && nodes.contains(controls[c].node)) kept.insert(c);
  return {kept.begin(), kept.end()};
}

Mat control_swings(const Character& character, std::span<const int> controls) {
  const Vec rest = character.rig->rest();
  Mat P = rest.replicate(1, 2 * std::ssize(controls));
  for (Eigen::Index k = 0; k < P.cols(); ++k) {
    const int c = controls[static_cast<std::size_t>(k / 2)];
    const Control& control = character.rig->controls()[c];
    P(c, k) = std::clamp(rest[c] + (k % 2 == 0 ? 1 : -1) * control.typical, control.min, control.max);
  }
  return P;
}

}  // namespace rigspace
