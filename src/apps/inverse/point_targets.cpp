#include "rigspace/apps/inverse/point_targets.h"

#include "rigspace/anim/point_joints.h"
#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>

namespace rigspace {
namespace {

std::string plain(const std::string& name) {
  std::string text;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// How many points of the rig are its surface: those of joints, if it has them, come last.
int surface_points(const Character& own) {
  const PointJoints* joints = point_joints(own);
  return joints != nullptr ? joints->first.front() : own.rig->point_count();
}

/// The number of "point 12"; -1 of joints.
int point_number(const std::string& feature) {
  return feature.starts_with("point ") ? std::stoi(feature.substr(6)) : -1;
}

/// For each point of the rig, its place among those that are at different places at rest, to a millionth of the size.
std::vector<int> welded(const Character& own, int& count) {
  Vec s;
  own.rig->evaluate(*own.rig->make_workspace(), own.rig->rest(), s);
  const double cell = 1e-6 * std::max(1e-12, bounding_box(s).diagonal());
  std::map<std::array<long long, 3>, int> seen;
  std::vector<int> place;
  for (int i = 0; i < surface_points(own); ++i) {
    std::array<long long, 3> key{};
    for (int k = 0; k < 3; ++k) key[static_cast<std::size_t>(k)] = std::llround(s[3 * i + k] / cell);
    place.push_back(seen.emplace(key, static_cast<int>(seen.size())).first->second);
  }
  count = static_cast<int>(seen.size());
  return place;
}

/// For each feature the row of the motion.
std::vector<int> rows_of(const Character& own, const InverseModel& model, const PointMotion& motion,
                         std::span<const GivenMatch> given) {
  std::vector<int> rows;
  std::vector<int> weld;
  if (motion.names.empty() && motion.count() != surface_points(own)) {
    int distinct = 0;
    weld = welded(own, distinct);
    if (motion.count() != distinct)
      throw Error({.file = motion.file,
                   .element = "point cache",
                   .value = std::to_string(motion.count()),
                   .problem = "has " + std::to_string(motion.count()) + " points, where " + own.name + " has " +
                              std::to_string(surface_points(own)) + " (" + std::to_string(distinct) + " places)",
                   .remedy = "export the cache of the same mesh, with all its points in order"});
  }
  for (const std::string& feature : model.features().names()) {
    const int number = point_number(feature);
    if (motion.names.empty()) {
      if (number < 0)
        throw Error({.file = motion.file,
                     .element = "point cache",
                     .value = feature,
                     .problem = "has no joints, and the model was trained on joints such as \"" + feature + "\"",
                     .remedy = "train a model with --points"});
      rows.push_back(weld.empty() ? number : weld[static_cast<std::size_t>(number)]);
      continue;
    }
    std::string wanted = feature;
    for (const GivenMatch& each : given)
      if (each.own == feature) wanted = each.source;
    auto found = std::ranges::find(motion.names, wanted);
    if (found == motion.names.end())
      found = std::ranges::find_if(motion.names, [&](const std::string& each) { return plain(each) == plain(wanted); });
    if (found == motion.names.end())
      throw Error(
          {.file = motion.file,
           .element = "landmark \"" + wanted + "\"",
           .value = wanted,
           .problem = "is missing in this table",
           .remedy = suggestion(wanted, motion.names,
                                "train with --joints that the table has, or give --map " + feature + "=LANDMARK")});
    rows.push_back(static_cast<int>(found - motion.names.begin()));
  }
  return rows;
}

}  // namespace

JointMotion point_targets(const Character& own, const InverseModel& model, const PointMotion& motion,
                          std::span<const GivenMatch> given) {
  JointMotion targets{.name = motion.name, .joints = model.features().names(), .times = motion.times};
  const std::vector<int> rows = rows_of(own, model, motion, given);
  targets.X.resize(3 * static_cast<Eigen::Index>(rows.size()), motion.X.cols());
  for (std::size_t k = 0; k < rows.size(); ++k)
    targets.X.middleRows<3>(3 * static_cast<Eigen::Index>(k)) = motion.X.middleRows<3>(3 * rows[k]);
  return targets;
}

std::vector<int> spread_points(const Character& character, int count, std::span<const std::string> without) {
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), character.rig->rest(), s);
  std::vector<int> offered(static_cast<std::size_t>(surface_points(character)));
  std::iota(offered.begin(), offered.end(), 0);
  for (const std::string& pattern : without) {
    const std::size_t before = offered.size();
    for (const Piece& piece : character.pieces)
      if (matches_pattern(piece.name, pattern))
        std::erase_if(offered,
                      [&](int i) { return i >= piece.first_point && i < piece.first_point + piece.point_count; });
    if (offered.size() == before || offered.empty())
      throw Error({.code = ErrorCode::usage,
                   .file = character.name,
                   .element = "piece \"" + pattern + "\"",
                   .value = pattern,
                   .problem = offered.empty() ? "is all that there is" : "is not one of this character's",
                   .remedy = "`rigspace info` lists its meshes"});
  }
  const auto n = static_cast<Eigen::Index>(offered.size());
  Mat at(3, n);
  for (Eigen::Index k = 0; k < n; ++k) at.col(k) = point(s, offered[static_cast<std::size_t>(k)]);
  // Farthest points, from the one that is farthest from the middle.
  const Vec3 middle = at.rowwise().mean();
  Vec distance = (at.colwise() - middle).colwise().squaredNorm().transpose();
  std::vector<int> chosen;
  for (int k = 0; k < std::min<int>(count, static_cast<int>(n)); ++k) {
    Eigen::Index next = 0;
    if (!(distance.maxCoeff(&next) > 0) && k > 0) break;
    chosen.push_back(offered[static_cast<std::size_t>(next)]);
    const Vec to_next = (at.colwise() - Vec3(at.col(next))).colwise().squaredNorm().transpose();
    distance = k == 0 ? to_next : Vec(distance.cwiseMin(to_next));
  }
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace rigspace
