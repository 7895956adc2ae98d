// Levels of detail of one instance, and how it goes from one to another.

#include "realtime_instance.h"
#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kTick = 1 / kSpringRate;  // s
constexpr double kEaseRate = 25;           // 1/s: what is left of another level, to 4 % within 0.2 s
constexpr double kEasedOut = 0.5;          // s
constexpr int kMostTicks = 4;              // of one call: longer ones are cut short, as grid steps are

}  // namespace

/// The bodies of the finest level, and those below it that are bodies too.
void RealtimeRig::Data::make_bodies() {
  const RealtimeSettings& settings = model->data_->settings;
  if (shared.stand_in) player.emplace(*shared.stand_in);
  if (finest == RealtimeLevel::springs) return;
  const auto make = [&](const SteppedBody& body, std::size_t b, const LimbMesh* limbs) {
    return std::make_unique<RealtimeBody>(body, shared.options, shared.size, settings.holds[b], limbs, Collisions{},
                                          &shared.light[b].stiffness);
  };
  for (std::size_t b = 0; b < shared.bodies.size(); ++b) {
    if (finest == RealtimeLevel::full) {
      few.push_back(make(shared.bodies[b], b, shared.limbs[b] ? &*shared.limbs[b] : nullptr));
      light.push_back(make(shared.light[b].body, b, nullptr));
    } else {
      few.push_back(make(shared.light[b].body, b, nullptr));
    }
    bodies.push_back(few.back().get());
  }
  if (finest != RealtimeLevel::full) return;
  for (std::size_t b = 0; b < shared.wide.size(); ++b)
    wide.push_back(shared.wide[b].tets.empty() ? nullptr : make(shared.wide[b], b, nullptr));
}

/// The body that is stepped at a level.
RealtimeBody* RealtimeRig::Data::body_at(RealtimeLevel at, std::size_t b) const {
  if (at == finest && !touching.empty()) return touching[b].get();
  return at == finest ? few[b].get() : light[b].get();
}

const SteppedBody& RealtimeRig::Data::settings_of(RealtimeLevel at, std::size_t b) const {
  const RealtimeSettings& settings = model->data_->settings;
  return at == RealtimeLevel::full ? settings.bodies[b] : settings.light[b];
}

void RealtimeRig::Data::require_level(RealtimeLevel wanted) const {
  if (wanted < finest)
    throw Error({.code = ErrorCode::usage,
                 .file = shared.character.name,
                 .element = "level of detail",
                 .problem = "is finer than the one that this instance was made with",
                 .remedy = "make it with the finest level that it will have"});
  if (wanted == RealtimeLevel::springs && !shared.stand_in)
    throw Error({.code = ErrorCode::usage,
                 .file = shared.character.name,
                 .element = "level of detail",
                 .problem = "has no spring bones",
                 .remedy = "make the model with RealtimeOptions::springs"});
}

/// Deviation and velocity stay, as far as the new level can have them; what differs is kept in `offset`.
void RealtimeRig::Data::change_level(RealtimeLevel to) {
  if (to == level) return;
  add_offset();  // sets offset_now and rate_now
  measure(offset, offset_rate);
  offset += offset_now, offset_rate += rate_now;
  if (level == RealtimeLevel::springs) {
    end_springs(to);
  } else if (to == RealtimeLevel::springs) {
    begin_springs();
  } else {
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      RealtimeBody* next = body_at(to, b);
      next->take_over(*bodies[b], past);
      bodies[b] = next;
    }
  }
  level = to;
  measure(deviation, rate);
  offset -= deviation, offset_rate -= rate;
  since_level = 0;
  write_out();
}

/// The springs go on from the bodies' last state, with the velocity that this and the animation have.
void RealtimeRig::Data::begin_springs() {
  offset_now.setZero(), rate_now.setZero();
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Vec &now = bodies[b]->deviation(), &before = bodies[b]->deviation_before();
    for (std::size_t k = 0; k < shared.places[b].size(); ++k) {
      const auto c = static_cast<Eigen::Index>(k);
      const double shown = bodies[b]->shown(static_cast<std::size_t>(shared.groups[b][k]));
      const double grid = kTick / shared.options.step;
      offset_now[shared.places[b][k]] = shown * now[c];
      rate_now[shared.places[b][k]] = shown * (now[c] - grid * (now[c] - before[c]));
    }
  }
  const auto earlier = static_cast<std::size_t>(std::lround(kTick / shared.options.step));
  player->start(past.front(), offset_now, past[std::min(earlier, past.size() - 1)], rate_now);
  tick = 0;
}

/// The bodies go on from the springs' last state; of the animation they have no past, as after a teleport.
void RealtimeRig::Data::end_springs(RealtimeLevel to) {
  for (Vec& pose : past) pose = p_next;
  phase = 0;
  const Vec &now = player->deviation(), &before = player->deviation_before();
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    bodies[b] = body_at(to, b);
    for (std::size_t k = 0; k < shared.places[b].size(); ++k) {
      const int at = shared.places[b][k];
      offset_now[static_cast<Eigen::Index>(k)] = now[at];
      rate_now[static_cast<Eigen::Index>(k)] = (now[at] - before[at]) / kTick;
    }
    const auto count = std::ssize(shared.places[b]);
    bodies[b]->forget();
    bodies[b]->observe(p_next, 0);
    bodies[b]->enter(offset_now.head(count), rate_now.head(count));
  }
}

void RealtimeRig::Data::step_springs(double dt) {
  if (dt > 0) {
    constexpr double kRounding = 1e-9;
    const double total = tick + dt;
    const int count = static_cast<int>(std::min(1e9, std::floor(total / kTick + kRounding)));
    if (count > kMostTicks) player->start(p_next, player->deviation());
    for (int j = std::max(1, count - kMostTicks + 1); j <= count; ++j) {
      pose((j * kTick - tick) / dt);
      player->step(p);
      ++steps;
    }
    tick = std::clamp(total - count * kTick, 0.0, kTick);
    p_last = p_next;
  }
}

/// The deviation of the level, interpolated between its last two states, and its velocity.
void RealtimeRig::Data::measure(Vec& value, Vec& velocity) const {
  if (level == RealtimeLevel::springs) {
    const double u = std::clamp(tick / kTick, 0.0, 1.0);
    const Vec &now = player->deviation(), &before = player->deviation_before();
    value = scaling.cwiseProduct((1 - u) * before + u * now);
    velocity = scaling.cwiseProduct(now - before) / kTick;
    return;
  }
  const double h = shared.options.step, u = std::clamp(phase / h, 0.0, 1.0);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Vec &now = bodies[b]->deviation(), &before = bodies[b]->deviation_before();
    for (std::size_t k = 0; k < shared.places[b].size(); ++k) {
      const auto c = static_cast<Eigen::Index>(k);
      const int at = shared.places[b][k];
      const double factor = bodies[b]->shown(static_cast<std::size_t>(shared.groups[b][k])) * scaling[at];
      value[at] = factor * ((1 - u) * before[c] + u * now[c]);
      velocity[at] = factor * (now[c] - before[c]) / h;
    }
  }
}

/// Adds what is left of the last level: o(t) = (o + (o' + k o) t) e^(-k t), critically damped, so that neither the
/// deviation nor its velocity jumps.
void RealtimeRig::Data::add_offset() {
  offset_now.setZero(), rate_now.setZero();
  if (since_level >= kEasedOut) return;
  const double t = since_level, left = std::exp(-kEaseRate * t);
  fresh_rate = offset_rate + kEaseRate * offset;
  offset_now = left * (offset + t * fresh_rate);
  rate_now = left * fresh_rate - kEaseRate * offset_now;
  deviation += offset_now;
}

}  // namespace rigspace
