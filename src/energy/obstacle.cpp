#include "rigspace/energy/obstacle.h"

#include "rigspace/base/error.h"

#include <charconv>
#include <cmath>
#include <vector>

namespace rigspace {
namespace {

[[noreturn]] void refuse(const std::string& words, const std::string& problem) {
  throw Error({.code = ErrorCode::usage,
               .element = "collider \"" + words + "\"",
               .value = words,
               .problem = problem,
               .remedy = "expected self, parts, ground, sphere:x,y,z,r, capsule:x,y,z,x,y,z,r or a character's file"});
}

std::vector<double> numbers_after(const std::string& words, std::size_t at, std::size_t count) {
  std::vector<double> numbers;
  const char *from = words.data() + at, *end = words.data() + words.size();
  while (from < end) {
    double number = 0;
    const auto [to, error] = std::from_chars(from, end, number);
    if (error != std::errc() || (to < end && *to != ',') || !std::isfinite(number))
      refuse(words, "has something that is no number");
    numbers.push_back(number);
    from = to < end ? to + 1 : to;
  }
  if (numbers.size() != count)
    refuse(words, "has " + std::to_string(numbers.size()) + " numbers in place of " + std::to_string(count));
  return numbers;
}

}  // namespace

Obstacle ground() { return {.name = "ground", .shape = Collider::plane(Vec3::Zero(), Vec3::UnitY())}; }

bool is_shape(const std::string& words) {
  return words == "ground" || words.starts_with("sphere:") || words.starts_with("capsule:");
}

Obstacle obstacle_from_words(const std::string& words) {
  if (words == "ground") return ground();
  if (words.starts_with("sphere:")) {
    const std::vector<double> n = numbers_after(words, 7, 4);
    return {.name = words, .shape = Collider::sphere({n[0], n[1], n[2]}, n[3])};
  }
  if (words.starts_with("capsule:")) {
    const std::vector<double> n = numbers_after(words, 8, 7);
    return {.name = words, .shape = Collider::capsule({n[0], n[1], n[2]}, {n[3], n[4], n[5]}, n[6])};
  }
  refuse(words, "is no shape");
}

}  // namespace rigspace
