#include "live_obstacles.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace rigspace::studio {
namespace {

bool is_obstacle(const std::string& word) { return word != "self" && word != "parts"; }

/// The numbers behind the colon; none of another word.
std::vector<double> numbers_of(const std::string& word) {
  std::vector<double> numbers;
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos) return numbers;
  const char* at = word.c_str() + colon;
  while (*at != '\0') {
    char* end = nullptr;
    numbers.push_back(std::strtod(at + 1, &end));
    if (end == at + 1) return {};
    at = end;
  }
  return numbers;
}

}  // namespace

std::optional<Vec3> shift_between(const std::string& from, const std::string& to) {
  if (from == to) return Vec3(Vec3::Zero());
  const std::vector<double> a = numbers_of(from), b = numbers_of(to);
  if (from.substr(0, from.find(':')) != to.substr(0, to.find(':')) || a.size() != b.size() || a.size() < 4 ||
      a.back() != b.back())
    return std::nullopt;
  const Vec3 shift(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
  constexpr double kSame = 1e-5;  // of the numbers: words have six digits
  for (std::size_t k = 3; k + 1 < a.size(); ++k)
    if (std::abs(b[k] - a[k] - shift[static_cast<Eigen::Index>(k - 3)]) > kSame * (1 + std::abs(b[k])))
      return std::nullopt;
  return shift;
}

RealtimeWorld LiveObstacles::world(const Project& project) {
  RealtimeWorld world = world_of(project);
  words_ = project.collide, places_.clear();
  std::size_t next = 0;
  for (const std::string& word : words_) {
    if (!is_obstacle(word)) continue;
    Obstacle& obstacle = world.collisions.obstacles[next++];
    places_.push_back(nullptr);
    if (numbers_of(word).empty()) continue;
    const auto place = places_.back() = std::make_shared<Place>();
    obstacle.pose = [place](double time) {
      Affine shifted = Affine::Identity();
      shifted.col(3) = time > 0 ? place->now : place->before;
      return shifted;
    };
  }
  return world;
}

bool LiveObstacles::move(const std::vector<std::string>& words) {
  if (words.size() != words_.size()) return false;
  std::vector<Vec3> shifts;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::optional<Vec3> shift = shift_between(words_[k], words[k]);
    if (!shift) return false;
    if (is_obstacle(words_[k])) shifts.push_back(*shift);
  }
  for (std::size_t k = 0; k < shifts.size(); ++k)
    if (places_[k]) places_[k]->now = shifts[k];
  return true;
}

void LiveObstacles::arrive() {
  for (const auto& place : places_)
    if (place) place->before = place->now;
}

}  // namespace rigspace::studio
