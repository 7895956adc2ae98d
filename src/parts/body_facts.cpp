#include "body_facts.h"

#include "rigspace/anim/character_frame.h"
#include "rigspace/parts/part_finder.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace rigspace {
namespace {

constexpr double kAlone = 0.97;         // of a point's weight: it follows one bone
constexpr double kGroundBand = 0.03;    // of the height
constexpr double kSole = 0.06;          // of the height
constexpr int kMoments = 36;            // of all clips
constexpr double kTwinDistance = 0.03;  // of the size: from a joint's mirror image to its twin
constexpr double kOffMiddle = 0.015;    // of the size

using Weights = std::vector<std::vector<std::pair<int, double>>>;  // per point: bones and weights

/// The bone that a slot is of, or that its node hangs on: meshes that hang on a joint follow it.
int bone_of(const std::map<int, int>& bones, const ControlGraph& graph, int slot) {
  for (int steps = 0; slot >= 0 && steps < 1000; ++steps) {
    if (const auto found = bones.find(slot); found != bones.end()) return found->second;
    const NodeDescription* node = node_description(graph, slot);
    slot = node != nullptr ? node->parent_slot : -1;
  }
  return -1;
}

Weights weights_of(const Character& character, const BuiltInRig& rig) {
  std::map<int, int> bones;
  for (std::size_t b = 0; b < character.bones.size(); ++b) bones[character.bones[b].slot] = static_cast<int>(b);
  Weights weights(static_cast<std::size_t>(rig.point_count()));
  for (const auto& deformer : rig.deformers()) {
    const SkinDescription* skin = skin_description(*deformer);
    if (skin == nullptr) continue;
    std::vector<int> bone;
    for (const int slot : skin->joint_slots) bone.push_back(bone_of(bones, rig.graph(), slot));
    for (std::size_t k = 0; k < skin->influences.size(); ++k)
      for (const Influence& influence : skin->influences[k])
        if (const int b = bone[static_cast<std::size_t>(influence.joint)]; b >= 0 && influence.weight > 0)
          weights[static_cast<std::size_t>(skin->first_point) + k].emplace_back(b, influence.weight);
  }
  return weights;
}

/// The bone of the largest weight, and its share; -1 where nothing holds the point.
std::pair<int, double> strongest(const std::vector<std::pair<int, double>>& weights) {
  double sum = 0, most = 0;
  int which = -1;
  for (const auto& [bone, weight] : weights) {
    sum += weight;
    if (weight > most) most = weight, which = bone;
  }
  return {which, sum > 0 ? most / sum : 0};
}

/// Of a mesh's name and its material's.
std::vector<std::string> words_of_piece(const Character& character, const Piece& piece) {
  std::vector<std::string> words = words_of(piece.name);
  if (piece.material >= 0 && piece.material < static_cast<int>(character.materials.size()))
    for (std::string& word : words_of(character.materials[static_cast<std::size_t>(piece.material)].name))
      words.push_back(std::move(word));
  return words;
}

/// Areas, boxes, and how rigid the skin is.
void measure_skin(BodyFacts& body, const Character& character, const TriMesh& surface, const Weights& weights) {
  std::vector<char> cloth(weights.size(), 0), plate(weights.size(), 0);
  for (const Piece& piece : character.pieces) {
    const std::vector<std::string> words = words_of_piece(character, piece);
    std::fill_n(cloth.begin() + piece.first_point, piece.point_count, has_clothes_word(words));
    std::fill_n(plate.begin() + piece.first_point, piece.point_count, has_hard_word(words));
  }
  const Weld welded = weld(surface);
  const int points = welded.mesh.point_count();
  std::vector<int> shell(static_cast<std::size_t>(points));  // union-find over the triangles
  std::iota(shell.begin(), shell.end(), 0);
  const auto find = [&](int i) {
    while (shell[i] != i) i = shell[i] = shell[shell[i]];
    return i;
  };
  for (const Triangle& t : welded.mesh.triangles) shell[find(t[1])] = find(t[0]), shell[find(t[2])] = find(t[0]);
  std::map<int, double> shell_area;
  std::map<int, std::map<int, double>> shell_bones;  // area by bone; -1: of several
  double total = 0, alone = 0;
  for (std::size_t k = 0; k < welded.mesh.triangles.size(); ++k) {
    const Triangle& t = surface.triangles[static_cast<std::size_t>(welded.triangle[k])];
    const auto x = [&](int c) { return surface.points.segment<3>(3 * static_cast<Eigen::Index>(t[c])); };
    const double third = Vec3(x(1) - x(0)).cross(Vec3(x(2) - x(0))).norm() / 6;
    const int root = find(welded.mesh.triangles[k][0]);
    for (int c = 0; c < 3; ++c) {
      total += third;
      shell_area[root] += third;
      const auto& list = weights[static_cast<std::size_t>(t[c])];
      const auto [bone, share] = strongest(list);
      double sum = 0;
      for (const auto& [b, w] : list) sum += w;
      for (const auto& [b, w] : list) {
        body.bones[b].skin += third * w / sum;
        if (cloth[static_cast<std::size_t>(t[c])]) body.bones[b].cloth += third * w / sum;
        if (plate[static_cast<std::size_t>(t[c])]) body.bones[b].plate += third * w / sum;
      }
      if (bone < 0) continue;
      body.bones[bone].box.include(x(c));
      if (x(c).y() < body.ground + kSole * body.tall) body.bones[bone].soles.push_back(x(c));
      if (share >= kAlone) alone += third;
      shell_bones[root][share >= kAlone ? bone : -1] += third;
    }
  }
  if (total <= 0) return;
  for (BoneFacts& bone : body.bones) {
    if (bone.skin > 0) bone.cloth /= bone.skin, bone.plate /= bone.skin, body.has_skin = true;
    bone.skin /= total;
  }
  body.one_bone = alone / total;
  for (const auto& [root, bones] : shell_bones)
    for (const auto& [bone, area] : bones)
      if (bone >= 0 && area > 0.97 * shell_area[root] && area < 0.9 * total) body.shells += area / total;
}

/// Degrees by which each node is turned, at most, in the median of the clips that key it.
void measure_keys(BodyFacts& body, const Character& character) {
  std::map<std::string_view, std::vector<double>> turns;
  for (const Animation& clip : character.clips) {
    body.has_clips |= clip.duration > 0;
    for (const RotationTrack& track : clip.rotations) {
      if (track.values.empty()) continue;
      double least = 1;
      const Vec4 first = track.values.front().normalized();
      for (const Vec4& value : track.values) least = std::min(least, std::abs(value.normalized().dot(first)));
      turns[track.node].push_back(2 * std::acos(std::clamp(least, 0.0, 1.0)) / kDegree);
    }
    for (const Track& track : clip.tracks) {  // joints that are keyed by angles
      const std::size_t dot = track.control.rfind('.');
      if (dot == std::string::npos || track.curve.values.empty() || track.control.compare(dot, 2, ".r") != 0) continue;
      const auto [low, high] = std::minmax_element(track.curve.values.begin(), track.curve.values.end());
      turns[std::string_view(track.control).substr(0, dot)].push_back((*high - *low) / kDegree);
    }
  }
  for (std::size_t b = 0; b < body.bones.size(); ++b) {
    const auto found = turns.find(character.bones[b].name);
    if (found == turns.end()) continue;
    std::vector<double> list;  // of the clips that do turn it
    for (const double turn : found->second)
      if (turn > 0.2) list.push_back(turn);
    if (list.empty()) continue;
    std::nth_element(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2), list.end());
    body.bones[b].keyed = list[list.size() / 2];
  }
}

/// How far clips scale y of a joint against x: a slime that squashes and stretches.
void measure_squash(BodyFacts& body, const Character& character) {
  for (const Animation& clip : character.clips)
    for (const Track& height : clip.tracks) {
      if (!height.control.ends_with(".sy")) continue;
      const std::string node = height.control.substr(0, height.control.size() - 3);
      const auto width = std::find_if(clip.tracks.begin(), clip.tracks.end(),
                                      [&](const Track& track) { return track.control == node + ".sx"; });
      if (width == clip.tracks.end()) continue;
      double low = std::numeric_limits<double>::infinity(), high = 0;
      for (const double time : height.curve.times) {
        const double across = std::abs(width->curve(time)), up = std::abs(height.curve(time));
        if (across > 0 && up > 0) low = std::min(low, up / across), high = std::max(high, up / across);
      }
      for (std::size_t b = 0; b < body.bones.size() && high > 0; ++b)
        if (character.bones[b].name == node) body.bones[b].squash = std::max(body.bones[b].squash, high / low - 1);
    }
}

/// The mirror plane, from joints whose names have sides, and each joint's mirror image.
void find_twins(BodyFacts& body, const Character& character) {
  const int count = static_cast<int>(body.bones.size());
  std::map<std::string_view, int> by_name;
  for (int b = 0; b < count; ++b) by_name.emplace(character.bones[b].name, b);
  Vec3 sum = Vec3::Zero(), middle = Vec3::Zero();
  int pairs = 0;
  for (int b = 0; b < count; ++b) {
    if (body[b].name.side != 'l') continue;
    const auto other = by_name.find(mirrored_name(character.bones[b].name));
    if (other == by_name.end()) continue;
    const Vec3 apart = body[b].rest - body[other->second].rest;
    if (apart.norm() < kOffMiddle * body.size) continue;
    sum += apart, middle += 0.5 * (body[b].rest + body[other->second].rest), ++pairs;
  }
  if (pairs > 0 && sum.norm() > kOffMiddle * body.size) body.across = sum.normalized(), body.middle = middle / pairs;
  for (int b = 0; b < count; ++b) {
    if (body[b].twin >= 0) continue;
    if (const auto other = by_name.find(mirrored_name(character.bones[b].name));
        body[b].name.side != 0 && other != by_name.end() && other->second != b) {
      body.bones[b].twin = other->second, body.bones[other->second].twin = b;
      continue;
    }
    const double off = (body[b].rest - body.middle).dot(body.across);
    if (std::abs(off) < kOffMiddle * body.size) continue;
    const Vec3 image = body[b].rest - 2 * off * body.across;
    int nearest = -1;
    double distance = kTwinDistance * body.size;
    for (int other = 0; other < count; ++other) {
      if (other == b || body[other].twin >= 0 || body[other].children.size() != body[b].children.size()) continue;
      if ((body[other].rest - image).norm() < distance) distance = (body[other].rest - image).norm(), nearest = other;
    }
    if (nearest >= 0) body.bones[b].twin = nearest, body.bones[nearest].twin = b;
  }
}

/// How often each bone's skin is on the ground: the lowest that the skin comes in a clip, if that is near the floor at
/// rest.
void measure_ground(BodyFacts& body, const Character& character, const Weights& weights) {
  const int count = static_cast<int>(body.bones.size());
  for (int b = 0; b < count; ++b)
    if (!body[b].box.empty())
      body.bones[b].grounded_at_rest = body[b].box.low.y() < body.ground + kGroundBand * body.tall;
  std::vector<int> holder;
  for (const auto& list : weights) holder.push_back(strongest(list).first);
  double total = 0;
  for (const Animation& clip : character.clips) total += clip.duration;
  if (total <= 0) {
    for (BoneFacts& bone : body.bones) bone.grounded = bone.grounded_at_rest ? 1 : 0;
    return;
  }
  const auto workspace = character.rig->make_workspace();
  std::vector<std::vector<double>> lowest;  // per moment and bone
  double next = 0, begun = 0;
  const double step = total / kMoments;
  for (const Animation& clip : character.clips) {
    const Sampler sampler(clip, character.rig->controls());
    Vec p = character.rig->rest(), s;
    const std::size_t first = lowest.size();
    double floor = std::numeric_limits<double>::infinity();
    for (; next < begun + clip.duration; next += step) {
      sampler.sample(next - begun, p);
      character.rig->evaluate(*workspace, p, s);
      if (!s.allFinite()) continue;
      std::vector<double> low(body.bones.size(), std::numeric_limits<double>::infinity());
      for (std::size_t i = 0; i < holder.size(); ++i)
        if (holder[i] >= 0) low[holder[i]] = std::min(low[holder[i]], s[3 * static_cast<Eigen::Index>(i) + 1]);
      for (const double y : low) floor = std::min(floor, y);
      lowest.push_back(std::move(low));
    }
    for (std::size_t k = first; k < lowest.size(); ++k)
      for (double& y : lowest[k]) y -= floor;
    begun += clip.duration;
  }
  if (lowest.empty()) return;
  for (const auto& low : lowest)
    for (int b = 0; b < count; ++b)
      body.bones[b].grounded += (low[b] < kGroundBand * body.tall ? 1.0 : 0.0) / static_cast<double>(lowest.size());
}

void read_words(BodyFacts& body, const Character& character) {
  std::vector<std::string> words = words_of(character.name.substr(character.name.find_last_of('/') + 1));
  body.hard_words = has_hard_word(words);
  const auto add = [&](std::vector<std::string> more) { words.insert(words.end(), more.begin(), more.end()); };
  for (const Piece& piece : character.pieces) add(words_of_piece(character, piece));
  // A character that walks may have a clip in which it swims, and is no fish.
  std::vector<std::string> of_clips;
  for (const Animation& clip : character.clips)
    for (std::string& word : words_of(clip.name)) of_clips.push_back(std::move(word));
  if (!has_walk_word(of_clips)) add(std::move(of_clips));
  body.fish_words = has_fish_word(words);
}

}  // namespace

BodyFacts measure_body(const Character& character) {
  BodyFacts body;
  body.bones.resize(character.bones.size());
  for (std::size_t b = 0; b < character.bones.size(); ++b) {
    body.bones[b].name = read_joint_name(character.bones[b].name);
    body.bones[b].end_marker = is_end_marker(character.bones[b].name);
    if (character.bones[b].parent >= 0) body.bones[character.bones[b].parent].children.push_back(static_cast<int>(b));
  }
  read_words(body, character);
  measure_keys(body, character);
  measure_squash(body, character);
  TriMesh surface = rest_surface(character);
  if (surface.point_count() == 0 || !surface.points.allFinite()) return body;
  // Boxes lie along the character's own axes: those nearest to the scene's, so that x is across where no name tells
  // left from right.
  const Mat3 turn = character_frame(character, surface).axes_near_scene().transpose();
  for (int i = 0; i < surface.point_count(); ++i) point(surface.points, i) = turn * Vec3(point(surface.points, i));
  const Box box = bounding_box(surface.points);
  body.size = box.diagonal(), body.height = box.size().y(), body.ground = box.low.y(), body.middle = box.center();
  body.tall = std::max(body.height, 0.25 * body.size);
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr) return body;
  Vec u;
  rig->evaluate_slots(*rig->make_workspace(), rig->rest(), u);
  for (std::size_t b = 0; b < character.bones.size(); ++b)
    body.bones[b].rest = turn * translation(transform_at(u, rig->graph().slots()[character.bones[b].slot]));
  const Weights weights = weights_of(character, *rig);
  measure_skin(body, character, surface, weights);
  find_twins(body, character);
  measure_ground(body, character, weights);
  return body;
}

Vec share_of_skin(const Character& character, std::span<const int> bones) {
  Vec share = Vec::Zero(character.rig->point_count());
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr) return share;
  const Weights weights = weights_of(character, *rig);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    double sum = 0, mine = 0;
    for (const auto& [bone, weight] : weights[i]) {
      sum += weight;
      if (std::find(bones.begin(), bones.end(), bone) != bones.end()) mine += weight;
    }
    if (sum > 0) share[static_cast<Eigen::Index>(i)] = mine / sum;
  }
  return share;
}

}  // namespace rigspace
