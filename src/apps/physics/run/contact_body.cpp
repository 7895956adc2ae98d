// Which nodes of a stepped body take part in contact, and how.

#include "rigspace/body/stepped_body.h"
#include "stepper_contact.h"

#include <numbers>

namespace rigspace {
namespace {

constexpr double kThickness = 0.01;  // default contact thickness, of the body's size
constexpr double kReach = 4;         // search distance for contacts, in thicknesses
constexpr double kSlipSpeed = 0.01;  // m/s: below it friction is regularised
constexpr double kStiffRate = 30;    // Hz: natural frequency of a single point of a chain on its contact spring

}  // namespace

ContactBody contact_body_of(const SteppedBody& body, In x_rest) {
  ContactBody all;
  if (!body.tets.empty()) {
    all = contact_body(x_rest, body.tets, body.stiffness);
  } else {
    const double omega = 2 * std::numbers::pi * kStiffRate;
    Vec masses = Vec::Zero(body.node_count());
    for (const MassGroup& group : body.groups) masses += group.masses;
    all.x_rest = x_rest;
    for (int i = 0; i < body.node_count(); ++i)
      if (masses[i] > 0) all.points.push_back(i), all.stiffness.push_back(masses[i] * omega * omega);
  }
  ContactBody free{.x_rest = all.x_rest, .triangles = std::move(all.triangles)};
  for (std::size_t k = 0; k < all.points.size(); ++k)
    if (body.roles[all.points[k]] != NodeRole::held)
      free.points.push_back(all.points[k]), free.stiffness.push_back(all.stiffness[k]);
  return free;
}

ObstacleContactOptions contact_options(const SteppedBody& body, const SimulationOptions& options) {
  const Collisions& asked = options.collisions;
  const double thickness = asked.thickness > 0 ? asked.thickness / options.metres_per_unit : kThickness * body.size;
  return {.contact = {.thickness = thickness,
                      .reach = kReach * thickness,
                      .friction = asked.friction,
                      .slip_speed = kSlipSpeed / options.metres_per_unit,
                      .self = asked.self && !body.tets.empty()},
          .keyed_reference = options.follow_animation,
          .size = body.size};
}

}  // namespace rigspace
