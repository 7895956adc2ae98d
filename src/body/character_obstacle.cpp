#include "rigspace/body/character_obstacle.h"

#include "rigspace/anim/keyed_motion.h"
#include "rigspace/base/error.h"

#include <memory>

namespace rigspace {

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

}  // namespace rigspace
