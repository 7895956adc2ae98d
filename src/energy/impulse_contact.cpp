#include "rigspace/energy/impulse_contact.h"

#include "impulse_data.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kMargin = 0.5;  // of d: how far points may leave their paths before pairs are found anew
constexpr double kNear = 1.5;    // of d: pairs nearer than this at the start may need an impulse
constexpr int kTestChunk = 256;

}  // namespace

void ImpulseOptions::validate() const {
  require_option(distance > 0 && std::isfinite(distance), "contact distance", distance, "expected more than zero m");
  require_option(friction >= 0 && std::isfinite(friction), "friction", friction, "expected zero or more");
  require_option(push >= 0 && push <= 1, "push", push, "expected a share from 0 to 1");
  require_option(sweeps > 0, "sweeps of impulses", sweeps, "expected one or more");
  require_option(rounds > 0, "rounds of impulses", rounds, "expected one or more");
  require_option(zone_rounds > 0, "rounds of zones", zone_rounds, "expected one or more");
  require_option(cuts >= 0, "cuts of a step", cuts, "expected zero or more");
}

ImpulseContact::Data::Data(const TriMesh& surface, const TriMesh& obstacle, const ImpulseOptions& o)
    : options(o), rest(surface), body(obstacle), n(surface.point_count()), finder(surface, obstacle, o.self) {
  if (!body.triangles.empty()) tree = TriangleTree(body);
  report.nearest = options.distance;
}

PairPoints ImpulseContact::Data::start_of(const CollisionPair& p) const {
  return {from_of(p.points[0]), from_of(p.points[1]), from_of(p.points[2]), from_of(p.points[3])};
}
PairPoints ImpulseContact::Data::motion_of(const CollisionPair& p) const {
  return {moved_by(p.points[0]), moved_by(p.points[1]), moved_by(p.points[2]), moved_by(p.points[3])};
}

double ImpulseContact::Data::level_of(const CollisionPair& pair) const {
  if (!own(pair)) return options.distance;
  PairPoints at;
  for (int k = 0; k < 4; ++k) at[k] = point(rest.points, pair.points[k]);
  return std::min(options.distance, 0.9 * std::sqrt(pair_distance(pair.kind, at).squared));
}

double ImpulseContact::Data::safe_time(const CollisionPair& pair) const {
  const PairPoints at = start_of(pair), by = motion_of(pair);
  return certainly_apart(pair.kind, at, by) ? 1 : safe_motion(pair.kind, at, by);
}

void ImpulseContact::Data::find_pairs() {
  const double margin = kMargin * options.distance;
  finder.set_absent(absent);
  finder.find({x_from, x, body_from, body_to}, kNear * options.distance, pairs, margin);
  touch_of.assign(pairs.size(), -1);
  meets.assign(pairs.size(), 0), times.resize(pairs.size());
}

void ImpulseContact::Data::renew_pairs() {
  if (finder.covers({x_from, x, body_from, body_to})) return;
  find_pairs();
  std::fill(changed.begin(), changed.end(), 1);
}

void ImpulseContact::Data::add(const CollisionPair& pair, const PairDistance& at, const PairPoints& start,
                               double distance) {
  const double level = level_of(pair), length = std::sqrt(at.squared);
  Touch touch{.pair = pair, .weights = at.weights, .normal = at.r / length};
  for (int k = 0; k < 4; ++k) {
    touch.start += touch.weights[k] * touch.normal.dot(start[k]);
    if (of_surface(pair.points[k]))
      touch.mobility += touch.weights[k] * touch.weights[k] * inverse_masses(pair.points[k]);
  }
  touch.gap = distance < level ? distance + options.push * (level - distance) : level;
  if (touch.mobility > 0 && touch.normal.allFinite()) touches.push_back(touch);
}

// Stage 1: pairs near at the start that the motion brings nearer than they may end.
void ImpulseContact::Data::add_near() {
  const double reach = kNear * options.distance;
  parallel_ranges(static_cast<int>(pairs.size()), kTestChunk, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      const CollisionPair& pair = pairs[static_cast<std::size_t>(k)];
      const PairPoints start = start_of(pair);
      meets[k] = !certainly_farther(pair.kind, start, reach) && pair_distance(pair.kind, start).squared < reach * reach;
    }
  });
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (!meets[k]) continue;
    meets[k] = 0;
    const PairPoints start = start_of(pairs[k]);
    const PairDistance at = pair_distance(pairs[k].kind, start);
    const double distance = std::sqrt(at.squared);
    report.nearest = std::min(report.nearest, distance);
    touch_of[k] = static_cast<int>(touches.size());
    add(pairs[k], at, start, distance);
    if (static_cast<int>(touches.size()) == touch_of[k]) touch_of[k] = -1;
  }
}

// Stage 2: the normal is the one at the time of meeting.
void ImpulseContact::Data::add_meeting(const Meeting& meeting) {
  const std::size_t k = static_cast<std::size_t>(meeting.pair);
  const CollisionPair& pair = pairs[k];
  const PairPoints start = start_of(pair), by = motion_of(pair);
  PairPoints then;
  for (int c = 0; c < 4; ++c) then[c] = start[c] + meeting.time * by[c];
  if (touch_of[k] >= 0) touches[static_cast<std::size_t>(touch_of[k])].active = false;
  touch_of[k] = static_cast<int>(touches.size());
  add(pair, pair_distance(pair.kind, then), start, std::sqrt(pair_distance(pair.kind, start).squared));
  if (static_cast<int>(touches.size()) == touch_of[k]) touch_of[k] = -1;
}

// One Gauss-Seidel sweep; returns the largest change of a distance, m.
double ImpulseContact::Data::sweep() {
  double most = 0;
  for (Touch& t : touches) {
    if (!t.active) continue;
    Vec3 u = Vec3::Zero();
    for (int k = 0; k < 4; ++k) u += t.weights[k] * moved_by(t.pair.points[k]);
    const double u_n = t.normal.dot(u), push = std::max(0.0, t.push + (t.gap - t.start - u_n) / t.mobility);
    if (push == 0 && t.push == 0) continue;
    Vec3 friction = t.friction - (u - u_n * t.normal) / t.mobility;
    const double allowed = options.friction * push, length = friction.norm();
    if (length > allowed) friction *= allowed / length;
    const Vec3 impulse = (push - t.push) * t.normal + friction - t.friction;
    const double by = impulse.norm() * t.mobility;
    t.push = push, t.friction = friction;
    if (by == 0) continue;
    most = std::max(most, by);
    for (int k = 0; k < 4; ++k) {
      const int i = t.pair.points[k];
      if (!of_surface(i) || t.weights[k] == 0) continue;
      point(x, i) += (t.weights[k] * inverse_masses(i)) * impulse;
      changed[static_cast<std::size_t>(i)] = 1;
    }
  }
  return most;
}

// Pairs that meet on the way; only those with points moved since the last test, unless all are asked for. Those found
// before and not moved since are found again: whatever meets gets moved.
void ImpulseContact::Data::find_meetings(bool all) {
  const int count = static_cast<int>(pairs.size());
  parallel_ranges(count, kTestChunk, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      const CollisionPair& pair = pairs[static_cast<std::size_t>(k)];
      bool test = all || meets[k];
      for (int c = 0; c < 4 && !test; ++c) test = of_surface(pair.points[c]) && changed[pair.points[c]];
      if (!test) continue;
      times[k] = safe_time(pair);
      meets[k] = times[k] < 1;
    }
  });
  meetings.clear();
  for (int k = 0; k < count; ++k)
    if (meets[k]) meetings.push_back({k, times[k]});
  std::fill(changed.begin(), changed.end(), 0);
}

bool ImpulseContact::Data::impulses() {
  touches.clear();
  find_pairs();
  add_near();
  for (int round = 0;; ++round) {
    for (int k = 0; k < options.sweeps; ++k)
      if (sweep() < 0.01 * options.distance) break;
    renew_pairs();
    find_meetings(round == 0);
    if (meetings.empty()) return true;
    if (round == options.rounds) return false;
    ++report.rounds;
    for (const Meeting& meeting : meetings) add_meeting(meeting);
  }
}

// Stage 4: as far as nothing meets; the rest of the step goes on from there.
bool ImpulseContact::Data::cut() {
  double part = 1;
  for (const Meeting& meeting : meetings) part = std::min(part, meeting.time);
  if (!(part > 0)) return false;
  ++report.cuts;
  x_from += part * (x - x_from);
  body_from += part * (body_to - body_from);
  tree_fits = false;
  return true;
}

ImpulseContact::ImpulseContact(const TriMesh& surface, const TriMesh& obstacle, const ImpulseOptions& options) {
  options.validate();
  surface.validate("cloth");
  obstacle.validate("obstacle");
  data_ = std::make_unique<Data>(surface, obstacle, options);
}
ImpulseContact::~ImpulseContact() = default;
ImpulseContact::ImpulseContact(ImpulseContact&&) noexcept = default;
const ImpulseOptions& ImpulseContact::options() const { return data_->options; }
std::span<const char> ImpulseContact::released() const { return data_->released; }
const ImpulseReport& ImpulseContact::report() const { return data_->report; }
void ImpulseContact::set_absent(std::span<const char> triangles) {
  data_->absent.assign(triangles.begin(), triangles.end());
}

void ImpulseContact::resolve(const SurfaceMotion& motion, In masses, Vec& x_safe) {
  Data& d = *data_;
  assert(motion.from.size() == 3 * d.n && motion.to.size() == 3 * d.n && masses.size() == d.n);
  d.x_from = motion.from, d.x = motion.to, d.body_from = motion.obstacle_from, d.body_to = motion.obstacle_to;
  d.inverse_masses = masses.cwiseInverse();
  d.changed.assign(static_cast<std::size_t>(d.n), 0);
  d.released.clear();
  d.tree_fits = false;
  d.report.nearest = d.options.distance;
  ++d.report.steps;
  for (int attempt = 0; !d.impulses() && !d.zones(); ++attempt)
    if (attempt >= d.options.cuts || !d.cut()) {
      d.release();
      break;
    }
  int touching = 0;
  for (const Data::Touch& touch : d.touches) touching += touch.push > 0;
  d.report.touching = std::max(d.report.touching, touching);
  x_safe = d.x;
}

}  // namespace rigspace
