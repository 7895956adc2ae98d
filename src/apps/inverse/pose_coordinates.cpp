#include "rigspace/apps/inverse/pose_coordinates.h"

#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <string>

namespace rigspace {
namespace {

constexpr double kFullTurn = 2 * std::numbers::pi;

struct NodeControls {
  std::array<int, 4> keyed{-1, -1, -1, -1};
  std::array<int, 3> turn{-1, -1, -1};
};

/// Nodes with a whole quaternion and a whole rotation vector, by name.
std::map<std::string, NodeControls> oriented_nodes(std::span<const Control> controls) {
  std::map<std::string, NodeControls> nodes;
  for (int c = 0; c < static_cast<int>(controls.size()); ++c) {
    const Control& control = controls[c];
    const std::size_t dot = control.name.rfind('.');
    if (dot == std::string::npos || dot + 3 != control.name.size()) continue;
    const int axis = static_cast<int>(std::string_view("xyzw").find(control.name.back()));
    if (control.unit == Unit::quaternion && axis >= 0 && axis < 4)
      nodes[control.node].keyed[static_cast<std::size_t>(axis)] = c;
    if (control.name[dot + 1] == 'r' && axis >= 0 && axis < 3)
      nodes[control.node].turn[static_cast<std::size_t>(axis)] = c;
  }
  std::erase_if(nodes, [](const auto& node) {
    return std::ranges::count(node.second.keyed, -1) > 0 || std::ranges::count(node.second.turn, -1) > 0;
  });
  return nodes;
}

Mat3 orientation(In p, const std::array<int, 4>& keyed) {
  return Quat(p[keyed[3]], p[keyed[0]], p[keyed[1]], p[keyed[2]]).normalized().toRotationMatrix();
}

/// The rotation vector of R, or the same rotation the other way round or a turn more, whichever is nearest to `near`.
Vec3 nearest_log(const Mat3& R, const Vec3& near) {
  const Vec3 r = rotation_log(R);
  const double angle = r.norm();
  if (angle < 1e-9) return r;
  Vec3 best = r;
  for (const double turns : {-1.0, 1.0}) {
    const Vec3 other = r * (1 + turns * kFullTurn / angle);
    if ((other - near).norm() < (best - near).norm()) best = other;
  }
  return best;
}

}  // namespace

PoseCoordinates::PoseCoordinates(std::span<const Control> controls, std::vector<int> chosen)
    : chosen_(std::move(chosen)) {
  const auto nodes = oriented_nodes(controls);
  const auto place_of = [&](int control) {
    const auto at = std::lower_bound(chosen_.begin(), chosen_.end(), control);
    return at != chosen_.end() && *at == control ? static_cast<int>(at - chosen_.begin()) : -1;
  };
  rest_.resize(static_cast<Eigen::Index>(controls.size()));
  for (std::size_t c = 0; c < controls.size(); ++c) rest_[static_cast<Eigen::Index>(c)] = controls[c].rest;
  typical_.resize(size()), lower_.resize(size()), upper_.resize(size()), period_.resize(size());
  for (int k = 0; k < size(); ++k) {
    const Control& control = controls[chosen_[static_cast<std::size_t>(k)]];
    typical_[k] = control.typical;
    lower_[k] = (control.min - control.rest) / control.typical,
    upper_[k] = (control.max - control.rest) / control.typical;
    period_[k] = control.unit == Unit::angle && !nodes.contains(control.node) ? kFullTurn / control.typical : 0;
  }
  for (const auto& [node, its] : nodes) {
    Orientation each{.keyed = its.keyed, .turn = its.turn, .place = {}};
    for (std::size_t k = 0; k < 3; ++k) each.place[k] = place_of(its.turn[k]);
    if (std::ranges::count(each.place, -1) == 0) orientations_.push_back(each);
  }
}

void PoseCoordinates::keep_turns(std::span<const Control> controls, std::span<const std::string> nodes) {
  for (Orientation& each : orientations_)
    each.kept = std::ranges::find(nodes, controls[static_cast<std::size_t>(each.turn[0])].node) != nodes.end();
}

std::vector<std::string> turned_nodes(const Character& character) {
  std::set<std::string> turned;
  for (const Animation& clip : character.clips)
    for (const Track& track : clip.tracks)
      if (const std::size_t n = track.control.size();
          n > 3 && track.control[n - 3] == '.' && track.control[n - 2] == 'r')
        turned.insert(track.control.substr(0, n - 3));
  for (const Animation& clip : character.clips)
    for (const RotationTrack& track : clip.rotations) turned.erase(track.node);
  return {turned.begin(), turned.end()};
}

std::vector<int> PoseCoordinates::used(std::span<const Control> controls, const Mat& poses, double least) {
  const auto nodes = oriented_nodes(controls);
  std::set<int> used;
  for (int c = 0; c < static_cast<int>(controls.size()); ++c) {
    const double range = poses.row(c).maxCoeff() - poses.row(c).minCoeff(),
                 off = std::abs(poses(c, 0) - controls[c].rest);
    if (std::max(range, off) <= least * controls[c].typical) continue;
    const auto node = nodes.find(controls[c].node);
    const bool turns =
        node != nodes.end() && (controls[c].unit == Unit::quaternion || std::ranges::count(node->second.turn, c) > 0);
    if (turns)
      used.insert(node->second.turn.begin(), node->second.turn.end());
    else if (controls[c].unit != Unit::quaternion)
      used.insert(c);
  }
  return {used.begin(), used.end()};
}

Vec PoseCoordinates::coordinates(In p, In near) const {
  Vec y(size());
  for (int k = 0; k < size(); ++k) {
    const int c = chosen_[static_cast<std::size_t>(k)];
    y[k] = (p[c] - rest_[c]) / typical_[k];
    if (period_[k] > 0) y[k] += period_[k] * std::round((near[k] - y[k]) / period_[k]);
  }
  for (const Orientation& each : orientations_) {
    const Vec3 turn(p[each.turn[0]], p[each.turn[1]], p[each.turn[2]]);
    Vec3 before;
    for (int k = 0; k < 3; ++k) before[k] = near[each.place[k]] * typical_[each.place[k]];
    const Vec3 r = nearest_log(
        orientation(rest_, each.keyed).transpose() * orientation(p, each.keyed) * rotation_exp(turn), before);
    for (int k = 0; k < 3; ++k) y[each.place[k]] = r[k] / typical_[each.place[k]];
  }
  return y;
}

Vec PoseCoordinates::pose(In y) const {
  Vec p = rest_;
  for (int k = 0; k < size(); ++k) p[chosen_[static_cast<std::size_t>(k)]] += typical_[k] * y[k];
  return p;
}

Vec PoseCoordinates::with_orientations(In p) const {
  Vec result = p;
  for (const Orientation& each : orientations_) {
    if (each.kept) continue;
    const Vec3 turn(p[each.turn[0]], p[each.turn[1]], p[each.turn[2]]);
    const Quat q(Mat3(orientation(p, each.keyed) * rotation_exp(turn)));
    for (int k = 0; k < 4; ++k) result[each.keyed[k]] = q.coeffs()[k];  // x y z w
    for (int k = 0; k < 3; ++k) result[each.turn[k]] = 0;
  }
  return result;
}

Vec PoseCoordinates::on_top_of(In base, In p) const {
  Vec result = base;
  for (const int c : chosen_) result[c] = p[c];
  for (const Orientation& each : orientations_) {
    const Vec3 turn(p[each.turn[0]], p[each.turn[1]], p[each.turn[2]]),
        before(base[each.turn[0]], base[each.turn[1]], base[each.turn[2]]);
    const Vec3 r = nearest_log(
        orientation(base, each.keyed).transpose() * orientation(p, each.keyed) * rotation_exp(turn), before);
    for (int k = 0; k < 3; ++k) result[each.turn[k]] = r[k];
  }
  return result;
}

}  // namespace rigspace
