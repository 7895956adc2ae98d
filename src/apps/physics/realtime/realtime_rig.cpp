#include "rigspace/apps/physics/realtime_rig.h"

#include "realtime_instance.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/base/serial.h"
#include "rigspace/geometry/signed_distance.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

namespace rigspace {
namespace {

constexpr int kEstimateEvery = 8;  // grid steps between comparisons with the training
constexpr double kShares =
    1 << 20;  // between two calls, for rigs that remember poses: the same clip has the same poses

}  // namespace

/// Sets p to the keyed pose interpolated between the last call (share 0) and this one (share 1).
void RealtimeRig::Data::pose(double share) {
  double u = std::clamp(share, 0.0, 1.0);
  if (remembers) u = std::round(u * kShares) / kShares;
  if (u == 1) {
    p = p_next;
    return;
  }
  p = (1 - u) * p_last + u * p_next;
  for (const int q : shared.quaternions)
    if (p_last.segment<4>(q) != p_next.segment<4>(q))
      p.segment<4>(q) = slerp(p_last.segment<4>(q), p_next.segment<4>(q), u);
}

/// Adds a keyed pose of the grid to `past`.
void RealtimeRig::Data::see(In pose) {
  if (past.empty()) return;
  std::rotate(past.begin(), past.end() - 1, past.end());
  past.front() = pose;
}

/// Switches a body to all elements when its deviation exceeds that of training, and back below 0.7 of it.
void RealtimeRig::Data::choose_body(std::size_t b) {
  constexpr double kInside = 0.7;
  if (level != RealtimeLevel::full || wide.empty() || !wide[b] || !touching.empty()) return;
  const bool is_wide = bodies[b] == wide[b].get();
  const double share = bodies[b]->reach() / shared.trained[b];
  if (is_wide ? share > kInside : share <= 1) return;
  RealtimeBody* other = is_wide ? few[b].get() : wide[b].get();
  other->take_over(*bodies[b], past);
  bodies[b] = other;
}

/// Makes the bodies of the model's world and goes on with them from the state of those before.
void RealtimeRig::Data::choose_world() {
  if (finest != RealtimeLevel::full || model->data_->contact == contact) return;
  const std::vector<std::unique_ptr<RealtimeBody>> before = std::move(touching);
  const std::shared_ptr<const RealtimeContact> contact_before = std::exchange(contact, model->data_->contact);
  const RealtimeSettings& settings = model->data_->settings;
  touching.clear();
  for (std::size_t b = 0; b < few.size(); ++b) {
    RealtimeBody* next = few[b].get();
    if (contact) {
      const LimbMesh* limbs = contact->limbs[b] ? &*contact->limbs[b] : nullptr;
      next = touching
                 .emplace_back(std::make_unique<RealtimeBody>(contact->bodies[b], shared.options, shared.size,
                                                              settings.holds[b], limbs, contact->collisions,
                                                              &shared.light[b].stiffness))
                 .get();
      next->change_settings(settings.touching[b], settings.holds[b]);
    }
    if (level != RealtimeLevel::full) continue;
    if (next != bodies[b] && started) next->take_over(*bodies[b], past);
    bodies[b] = next;
  }
}

/// Jumps to the keyed pose of this call, without velocity.
void RealtimeRig::Data::cut(bool zero) {
  jump = false;
  p_last = p_next;
  for (Vec& pose : past) pose = p_next;
  if (level == RealtimeLevel::springs) {
    rate.setZero();
    player->start(p_next, zero ? rate : player->deviation());
    return;
  }
  for (RealtimeBody* body : bodies) {
    body->observe(p_next, 0);
    body->settle(zero);
  }
}

/// Skips the grid steps up to `first`: their keyed poses, those that loads need, enter the past; nothing is stepped.
void RealtimeRig::Data::skip(int first, double dt) {
  const int seen = 2 * window_steps(shared.options);
  for (int j = std::max(1, first - seen); j <= first; ++j) {
    pose((j * shared.options.step - phase) / dt);
    see(p);
    for (RealtimeBody* body : bodies) {
      body->observe(p, dt);
      body->pass();
    }
  }
  for (RealtimeBody* body : bodies) body->rest(false);
}

/// Steps the bodies while there is time; the others keep their deviation and its velocity, and come first in the next
/// step. Returns whether all solves converged.
bool RealtimeRig::Data::step_bodies() {
  bool converged = true, in_time = true;
  const std::size_t first = begin;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const std::size_t b = (first + k) % bodies.size();
    if (in_time && deadline.passed()) in_time = false, begin = b;
    if (in_time) {
      converged = bodies[b]->step(deadline) && converged;
      iterations += bodies[b]->summary().iterations;
    } else {
      bodies[b]->pass();
      ++left_out;
    }
  }
  return converged;
}

/// Evaluates all points in the poses of this call's grid steps at once, in a rig that remembers them: each part finds
/// its own there.
void RealtimeRig::Data::evaluate_together(int first, int count, double dt) {
  if (!remembers || level == RealtimeLevel::springs || count <= first) return;
  Mat P(p_next.size(), count - first), S;
  for (int j = first + 1; j <= count; ++j) {
    pose((j * shared.options.step - phase) / dt);
    P.col(j - first - 1) = p;
  }
  const Rig& rig = *shared.character.rig;
  rig.evaluate_batch(*rig.make_workspace(), P, S);
}

/// Does grid step j of this call. False if a node moves faster than teleport_speed.
bool RealtimeRig::Data::walk(int j, double dt) {
  const RealtimeOptions& options = shared.options;
  pose((j * options.step - phase) / dt);
  const double most = options.teleport_speed / options.metres_per_unit * options.step;
  for (RealtimeBody* body : bodies)
    if (body->observe(p, dt) > most && most > 0) return false;
  see(p);
  if (!step_bodies()) ++unconverged;
  if (++steps % kEstimateEvery != 0) return true;
  outside = false;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    outside = outside || bodies[b]->reach() > shared.trained[b];
    choose_body(b);
  }
  return true;
}

/// Gives the bodies the settings of the model.
void RealtimeRig::Data::take_settings() {
  const RealtimeSettings& settings = model->data_->settings;
  for (std::size_t b = 0; b < few.size(); ++b) few[b]->change_settings(settings_of(finest, b), settings.holds[b]);
  for (std::size_t b = 0; b < light.size(); ++b) light[b]->change_settings(settings.light[b], settings.holds[b]);
  for (std::size_t b = 0; b < wide.size(); ++b)
    if (wide[b]) wide[b]->change_settings(settings.wide[b], settings.holds[b]);
  if (contact == model->data_->contact)
    for (std::size_t b = 0; b < touching.size(); ++b)
      touching[b]->change_settings(settings.touching[b], settings.holds[b]);
}

/// Takes the factors on the deviation `dt` seconds further on their way to those of the model.
void RealtimeRig::Data::ease_scaling(double dt) {
  const Vec& wanted = model->data_->settings.scaling;
  if (since_change >= kEase) return;
  since_change += dt;
  if (since_change >= kEase)
    scaling = wanted;
  else
    scaling = scaling_before + smooth_step(0, kEase, since_change) * (wanted - scaling_before);
}

/// Writes the deviation one grid step ago, interpolated between the last two states.
void RealtimeRig::Data::write_out() {
  measure(deviation, rate);
  add_offset();
  for (std::size_t k = 0; k < shared.free.size(); ++k) {
    const auto c = static_cast<Eigen::Index>(k);
    simulated[c] = p_next[shared.free[k]] + deviation[c];
  }
}

void RealtimeRig::Data::require_size(std::size_t size) const {
  if (size == static_cast<std::size_t>(p_next.size())) return;
  throw Error({.code = ErrorCode::usage,
               .file = shared.character.name,
               .element = "pose",
               .value = std::to_string(size),
               .problem = "has " + std::to_string(size) + " controls",
               .remedy = "expected " + std::to_string(p_next.size()) + ", all of the rig"});
}

void RealtimeRig::Data::require_pose(std::span<const double> given) const {
  require_size(given.size());
  for (std::size_t c = 0; c < given.size(); ++c)
    if (!std::isfinite(given[c]))
      throw Error({.code = ErrorCode::usage,
                   .file = shared.character.name,
                   .element = "control \"" + model->controls()[c].name + "\"",
                   .value = std::to_string(given[c]),
                   .problem = "is not a finite number",
                   .remedy = "the pose was not taken"});
}

RealtimeRig::RealtimeRig(std::shared_ptr<const RealtimeModel> model, RealtimeLevel finest)
    : data_(std::make_unique<Data>(std::move(model), finest)) {
  const SerialScope serial;
  const RealtimeTraining& shared = data_->shared;
  data_->require_level(finest);
  data_->make_bodies();
  const Vec rest = shared.character.rig->rest();
  if (finest != RealtimeLevel::springs)
    data_->past.assign(static_cast<std::size_t>(std::max(3, data_->few.front()->past_poses())), rest);
  data_->p_last = data_->p_next = data_->p = rest;
  const Vec none = Vec::Zero(std::ssize(shared.free));
  for (Vec* each : {&data_->deviation, &data_->simulated, &data_->written, &data_->free_next, &data_->offset,
                    &data_->offset_rate, &data_->rate, &data_->offset_now, &data_->rate_now, &data_->fresh_rate})
    *each = none;
  data_->scaling = data_->scaling_before = data_->model->data_->settings.scaling;
  data_->take_settings();
  data_->choose_world();
  reset({rest.data(), static_cast<std::size_t>(rest.size())});
}

RealtimeRig::~RealtimeRig() = default;
RealtimeRig::RealtimeRig(RealtimeRig&&) noexcept = default;
RealtimeRig& RealtimeRig::operator=(RealtimeRig&&) noexcept = default;

void RealtimeRig::reset(std::span<const double> p_key) {
  Data& data = *data_;
  data.require_pose(p_key);
  data.p_next = Eigen::Map<const Vec>(p_key.data(), std::ssize(p_key));
  const SerialScope serial;
  data.started = true;
  if (data.level != RealtimeLevel::springs)
    for (std::size_t b = 0; b < data.bodies.size(); ++b) data.bodies[b] = data.body_at(data.level, b);
  for (const auto* all : {&data.few, &data.light, &data.wide, &data.touching})
    for (const auto& body : *all)
      if (body) body->forget();
  data.since_level = 1, data.tick = 0;
  data.cut(true);
  data.since_change = kEase, data.scaling = data.model->data_->settings.scaling;
  data.phase = 0, data.steps = data.unconverged = data.iterations = data.left_out = 0, data.begin = 0,
  data.outside = false;
  data.write_out();
  data.written = data.simulated;
}

/// A free control that still has the value which was written there, to the precision of a float, in which engines keep
/// poses, was not keyed since: it keeps its key. Taking it as a key would add the deviation again in every frame.
void RealtimeRig::set_keyed(std::span<const double> p_key) {
  Data& data = *data_;
  data.require_pose(p_key);
  const auto same = [](double a, double b) { return static_cast<float>(a) == static_cast<float>(b); };
  for (std::size_t k = 0; k < data.shared.free.size(); ++k) {
    const double given = p_key[static_cast<std::size_t>(data.shared.free[k])];
    const auto c = static_cast<Eigen::Index>(k);
    const bool unkeyed = same(given, data.written[c]) || same(given, data.simulated[c]);
    data.free_next[c] = unkeyed ? data.p_next[data.shared.free[k]] : given;
  }
  data.p_next = Eigen::Map<const Vec>(p_key.data(), std::ssize(p_key));
  for (std::size_t k = 0; k < data.shared.free.size(); ++k)
    data.p_next[data.shared.free[k]] = data.free_next[static_cast<Eigen::Index>(k)];
}

void RealtimeRig::change_model(std::shared_ptr<const RealtimeModel> model) {
  Data& data = *data_;
  if (!model || model->data_->training != data.model->data_->training)
    throw Error({.code = ErrorCode::usage,
                 .file = data.shared.character.name,
                 .element = "model",
                 .problem = "is not of the parts that this instance was made with",
                 .remedy = "give one that RealtimeModel::adjusted made of its model"});
  const SerialScope serial;
  const std::shared_ptr<const RealtimeModel> before = std::move(data.model);  // bodies refer to its settings until then
  data.model = std::move(model);
  data.take_settings();
  data.choose_world();
  data.scaling_before = data.scaling, data.since_change = 0;
}

void RealtimeRig::set_level(RealtimeLevel level) {
  const SerialScope serial;
  data_->require_level(level);
  data_->change_level(level);
}

RealtimeLevel RealtimeRig::level() const { return data_->level; }

void RealtimeRig::set_budget(double seconds) {
  require_option(std::isfinite(seconds) && seconds >= 0, "budget of a step", seconds, "expected seconds, 0 for any");
  data_->budget = seconds;
}

void RealtimeRig::teleport() { data_->jump = true; }

void RealtimeRig::step(double dt) {
  if (!std::isfinite(dt) || dt < 0)
    throw Error({.code = ErrorCode::usage,
                 .element = "time step",
                 .value = std::to_string(dt),
                 .problem = "is " + std::to_string(dt) + " s",
                 .remedy = "expected zero or more"});
  const SerialScope serial;
  Data& data = *data_;
  data.deadline = {};
  if (data.budget > 0)
    data.deadline.at = Deadline::Clock::now() + std::chrono::duration_cast<Deadline::Clock::duration>(
                                                    std::chrono::duration<double>(data.budget));
  if (data.jump) data.cut(false);  // the keyed pose is constant during this call
  data.since_level += dt;
  if (data.level == RealtimeLevel::springs) {
    data.step_springs(dt);
  } else if (dt > 0) {
    const double h = data.shared.options.step;
    constexpr double kRounding = 1e-9;  // of a grid step
    const double total = data.phase + dt, most = 1e9;
    const int count = static_cast<int>(std::min(most, std::floor(total / h + kRounding)));
    const int first = std::max(0, count - data.shared.options.max_substeps);
    if (first > 0) data.skip(first, dt);
    data.evaluate_together(first, count, dt);
    for (int j = first + 1; j <= count; ++j) {
      if (data.walk(j, dt)) continue;
      data.cut(false);
      break;
    }
    data.phase = std::clamp(total - count * h, 0.0, h);
    data.p_last = data.p_next;
  }
  data.ease_scaling(dt);
  data.write_out();
}

std::span<const double> RealtimeRig::simulated() const {
  return {data_->simulated.data(), static_cast<std::size_t>(data_->simulated.size())};
}

std::span<const double> RealtimeRig::deviation() const {
  return {data_->deviation.data(), static_cast<std::size_t>(data_->deviation.size())};
}

void RealtimeRig::apply(std::span<double> p) {
  data_->require_size(p.size());
  const std::vector<int>& free = data_->shared.free;
  for (std::size_t k = 0; k < free.size(); ++k)
    p[static_cast<std::size_t>(free[k])] = data_->simulated[static_cast<Eigen::Index>(k)];
  data_->written = data_->simulated;
}

bool RealtimeRig::outside_training() const { return data_->outside; }
bool RealtimeRig::widened() const {
  for (std::size_t b = 0; b < data_->few.size(); ++b)
    if (!data_->wide.empty() && data_->wide[b] && data_->bodies[b] == data_->wide[b].get()) return true;
  return false;
}
long RealtimeRig::steps() const { return data_->steps; }
long RealtimeRig::unconverged() const { return data_->unconverged; }
long RealtimeRig::iterations() const { return data_->iterations; }
long RealtimeRig::left_out() const { return data_->left_out; }
long RealtimeRig::snaps() const {
  long count = 0;
  for (const auto* all : {&data_->few, &data_->light, &data_->wide, &data_->touching})
    for (const auto& body : *all) count += body ? body->snaps() : 0;
  return count;
}
long RealtimeRig::jacobians() const {
  long count = 0;
  for (const auto* all : {&data_->few, &data_->light, &data_->wide, &data_->touching})
    for (const auto& body : *all) count += body ? body->jacobians() : 0;
  return count;
}
std::size_t RealtimeRig::bytes() const { return data_->model->instance_bytes(data_->finest); }
const RealtimeModel& RealtimeRig::model() const { return *data_->model; }

}  // namespace rigspace
