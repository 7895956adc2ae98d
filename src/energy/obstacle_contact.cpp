#include "rigspace/energy/obstacle_contact.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

std::vector<Collider> shapes_of(std::span<const Obstacle> obstacles) {
  std::vector<Collider> shapes;
  for (const Obstacle& each : obstacles) shapes.push_back(each.shape);
  return shapes;
}

}  // namespace

ObstacleContact::ObstacleContact(ContactBody body, std::span<const Obstacle> obstacles,
                                 const ObstacleContactOptions& options)
    : obstacles_(obstacles.begin(), obstacles.end()),
      options_(options),
      contact_(std::move(body), shapes_of(obstacles), options.contact) {
  for (std::size_t c = 0; c < obstacles_.size(); ++c)
    contact_.set_referenced(static_cast<int>(c), obstacles_[c].artist_first);
}

void ObstacleContact::place(double from, double to) {
  for (std::size_t c = 0; c < obstacles_.size(); ++c) {
    const Obstacle& each = obstacles_[c];
    if (each.points) {
      each.points(from, from_), each.points(to, to_);
      contact_.colliders()[c].place_points(from_, to_);
    } else if (each.pose) {
      contact_.colliders()[c].place(each.pose(from), each.pose(to));
    }
  }
}

void ObstacleContact::start(double time, In x, In x_key) {
  contact_.forget();
  begin(time, time, x_key);
  contact_.accept(x);
}

void ObstacleContact::begin(double from, double to, In x_key) {
  place(from, to);
  if (options_.keyed_reference) contact_.set_reference(x_key);
  if (to > from) contact_.begin_step(to - from);
}

bool ObstacleContact::accept(In x) {
  const int before = contact_.report().touching;
  contact_.accept(x);
  return before == 0 && contact_.report().touching > 0;
}

int ObstacleContact::steps(double from, double to, In x_now, In x_next) {
  place(from, to);
  const double fraction = contact_.safe_fraction(x_now, x_next);
  return static_cast<int>(std::clamp(std::ceil(1 / fraction - 1e-9), 1.0, static_cast<double>(kMostSteps)));
}

bool ObstacleContact::still(double from, double to) {
  for (const Obstacle& each : obstacles_) {
    if (each.points) {
      each.points(from, from_), each.points(to, to_);
      if ((to_ - from_).cwiseAbs().maxCoeff() > 1e-7 * options_.size) return false;
    } else if (each.pose && each.pose(from) != each.pose(to)) {
      return false;
    }
  }
  return true;
}

}  // namespace rigspace
