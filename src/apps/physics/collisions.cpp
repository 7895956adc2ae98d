#include "rigspace/apps/physics/collisions.h"

#include "rigspace/apps/physics/keyed_motion.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <charconv>
#include <cmath>
#include <memory>

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

void Collisions::validate() const {
  require_option(friction >= 0 && friction <= 10, "friction", friction, "expected 0 to 10");
  require_option(thickness >= 0 && std::isfinite(thickness), "thickness of contact", thickness, "expected metres");
}

Obstacle ground() { return {.name = "ground", .shape = Collider::plane(Vec3::Zero(), Vec3::UnitY())}; }

Obstacle obstacle_of(Character character, const std::string& clip) {
  struct Moving {
    Character character;
    std::unique_ptr<KeyedMotion> motion;
    std::unique_ptr<Workspace> workspace;
    Vec p;
  };
  const TriMesh surface = rest_surface(character);
  if (surface.triangles.empty())
    throw Error({.file = character.name, .problem = "has no surface to run into", .remedy = "give one with a mesh"});
  Obstacle obstacle{.name = character.name, .shape = Collider::mesh(surface)};
  auto moving = std::make_shared<Moving>();
  moving->character = std::move(character);
  const Animation* played = moving->character.clip(clip);
  moving->motion = std::make_unique<KeyedMotion>(moving->character, played);
  moving->motion->set_cyclic(moving->motion->loops());
  moving->workspace = moving->character.rig->make_workspace();
  const auto points = [moving](double time, Vec& x) {
    moving->motion->controls(time, moving->p);
    moving->character.rig->evaluate(*moving->workspace, moving->p, x);
  };
  if (played != nullptr) {
    obstacle.points = points;
  } else {
    Vec x;
    points(0, x);
    obstacle.shape.place_points(x, x);
  }
  return obstacle;
}

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
