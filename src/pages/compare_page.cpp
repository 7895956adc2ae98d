#include "rigspace/pages/compare_page.h"

#include "rigspace/anim/plain_character.h"
#include "rigspace/base/error.h"
#include "rigspace/io/gltf.h"
#include "rigspace/pages/soft_page.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

namespace rigspace {
namespace {

constexpr double kApart = 1e-6;  // of the size: nearer points are in one place

/// Points of drawn triangles, ascending.
std::vector<int> drawn_points(const Character& character) {
  std::vector<int> points;
  for (const Piece& piece : character.pieces) {
    if (!piece.drawn) continue;
    for (const auto& triangle : piece.triangles) points.insert(points.end(), triangle.begin(), triangle.end());
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

double size_of(In s, const std::vector<int>& points) {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const int i : points) low = low.cwiseMin(point(s, i)), high = high.cwiseMax(point(s, i));
  const double size = points.empty() ? 0 : (high - low).maxCoeff();
  return size > 0 ? size : 1;
}

const Animation& clip_of(const Character& character, const std::string& name) {
  const Animation* clip = character.clip(name);
  if (clip == nullptr)
    throw Error({.code = ErrorCode::usage,
                 .element = "clip \"" + name + "\"",
                 .value = name,
                 .problem = "is not in " + character.name,
                 .remedy = "compare two clips that it has"});
  return *clip;
}

/// Joints and shapes that do what both clips do.
Character played_out(const Character& character, const ComparePageOptions& options) {
  Character two = character;
  two.clips = {clip_of(character, options.first), clip_of(character, options.second)};
  if (is_plain(two)) return two;
  return plain_character(two, {.tolerance = 5e-5, .rate = 60, .most_shapes = 96}).character;
}

std::string in_percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", 100 * share);
  return text;
}

std::string in_words(const MotionDistance& distance) {
  if (distance.apart == 0) return "No vertex is ever apart.";
  return std::to_string(distance.apart) + " of " + std::to_string(distance.drawn) +
         " vertices are ever apart: " + in_percent(distance.average()) + " of the size in the mean, " +
         in_percent(distance.most()) + " at most.";
}

std::vector<double> percent(const std::vector<double>& shares) {
  std::vector<double> result;
  for (const double share : shares) result.push_back(100 * share);
  return result;
}

}  // namespace

double MotionDistance::most() const { return largest.empty() ? 0 : *std::max_element(largest.begin(), largest.end()); }

double MotionDistance::average() const {
  return mean.empty() ? 0 : std::accumulate(mean.begin(), mean.end(), 0.0) / static_cast<double>(mean.size());
}

MotionDistance motion_distance(const Character& character, const Animation& first, const Animation& second,
                               double rate) {
  const Rig& rig = *character.rig;
  const std::vector<int> drawn = drawn_points(character);
  const Sampler samplers[] = {Sampler(first, rig.controls()), Sampler(second, rig.controls())};
  const auto workspace = rig.make_workspace();
  const Vec rest = rig.rest();
  Vec s[2], p;
  rig.evaluate(*workspace, rest, s[0]);
  const double size = size_of(s[0], drawn), duration = std::max(first.duration, second.duration);
  const int steps = std::max(1, static_cast<int>(std::ceil(duration * rate)));
  MotionDistance result{.drawn = static_cast<int>(drawn.size())};
  std::vector<char> ever(drawn.size(), 0);
  for (int k = 0; k <= steps; ++k) {
    for (int c = 0; c < 2; ++c) {
      p = rest;
      samplers[c].sample(duration * k / steps, p);
      rig.evaluate(*workspace, p, s[c]);
    }
    double largest = 0, sum = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const double apart = (point(s[1], drawn[i]) - point(s[0], drawn[i])).norm() / size;
      if (apart <= kApart) continue;
      ever[i] = 1, largest = std::max(largest, apart), sum += apart;
    }
    result.largest.push_back(largest);
    result.mean.push_back(sum);
  }
  result.apart = static_cast<int>(std::count(ever.begin(), ever.end(), 1));
  for (double& sum : result.mean) sum /= std::max(1, result.apart);
  return result;
}

std::string compare_page(const Character& character, const ComparePageOptions& options) {
  const MotionDistance distance =
      motion_distance(character, clip_of(character, options.first), clip_of(character, options.second));
  SoftPagePart part{.name = "distance of vertices", .preset = "both motions", .summary = in_words(distance)};
  part.curves = {{"mean", percent(distance.mean)}, {"largest", percent(distance.largest)}};
  const auto label = [](const std::string& given, const std::string& clip) { return given.empty() ? clip : given; };
  return soft_page(to_glb(played_out(character, options)),
                   {.title = options.title,
                    .pairs = {{.base = options.first, .soft = options.second, .parts = {std::move(part)}}},
                    .notes = options.notes,
                    .base_label = label(options.first_label, options.first),
                    .soft_label = label(options.second_label, options.second)});
}

}  // namespace rigspace
