#include "rigspace/energy/contact.h"

#include "contact_state.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace rigspace {
namespace {

constexpr double kFar = 1e6;  // m

}  // namespace

void ContactOptions::validate() const {
  require_option(thickness > 0 && std::isfinite(thickness), "thickness of contact", thickness,
                 "expected more than 0 m");
  require_option(reach >= thickness && std::isfinite(reach), "reach of contact", reach,
                 "expected at least the thickness");
  require_option(friction >= 0 && friction <= 10, "friction", friction, "expected 0 to 10");
  require_option(slip_speed > 0 && std::isfinite(slip_speed), "slip speed", slip_speed, "expected more than 0 m/s");
}

ContactBody contact_body(In x_rest, std::span<const Tet> tets, double young) {
  ContactBody body{.x_rest = x_rest};
  const TetMesh mesh{.points = x_rest, .tets = {tets.begin(), tets.end()}};
  body.triangles = boundary_triangles(mesh);
  body.points = boundary_nodes(mesh);
  Vec areas = Vec::Zero(mesh.point_count());
  for (const auto& [a, b, c] : body.triangles) {
    const Vec3 u = point(x_rest, b) - point(x_rest, a), v = point(x_rest, c) - point(x_rest, a);
    for (const int i : {a, b, c}) areas[i] += u.cross(v).norm() / 6;
  }
  for (const int i : body.points) body.stiffness.push_back(10 * young * std::sqrt(areas[i]));
  return body;
}

Contact::Contact(ContactBody body, std::vector<Collider> colliders, const ContactOptions& options)
    : body_(std::move(body)), colliders_(std::move(colliders)), options_(options) {
  options_.validate();
  const auto refuse = [](const std::string& element, double value, const char* problem, const char* remedy) {
    throw Error({.element = element, .value = std::to_string(value), .problem = problem, .remedy = remedy});
  };
  const int count = static_cast<int>(body_.x_rest.size() / 3);
  if (body_.stiffness.size() != body_.points.size())
    refuse("contact", static_cast<double>(body_.stiffness.size()), "has another number of stiffnesses than of points",
           "give one for each");
  for (std::size_t k = 0; k < body_.points.size(); ++k) {
    const std::string name = "contact point " + std::to_string(body_.points[k]);
    if (body_.points[k] < 0 || body_.points[k] >= count || (k > 0 && body_.points[k] <= body_.points[k - 1]))
      refuse(name, body_.points[k], "is outside the body or out of order", "name its points, ascending");
    if (!(body_.stiffness[k] >= 0) || !std::isfinite(body_.stiffness[k]))
      refuse(name, body_.stiffness[k], "has a bad stiffness", "expected N/m, zero or more");
  }
  support_ = body_.points;
  if (options_.self) {
    for (const Triangle& triangle : body_.triangles)
      for (const int corner : triangle) {
        if (corner < 0 || corner >= count)
          refuse("triangle of contact", corner, "names a point outside the body", "name its points");
        support_.push_back(corner);
      }
    std::sort(support_.begin(), support_.end());
    support_.erase(std::unique(support_.begin(), support_.end()), support_.end());
    rest_ = TriangleTree({.points = body_.x_rest, .triangles = body_.triangles});
  }
  referenced_.assign(colliders_.size(), 1);
  facing_.assign((colliders_.size() + 1) * body_.points.size(), Vec3::Zero());
}

Vec3 Contact::Pair::apart(In x) const {
  Vec3 apart = rigspace::point(x, point);
  if (own())
    for (int k = 0; k < 3; ++k) apart -= weights[k] * rigspace::point(x, corners[k]);
  return apart;
}

bool Contact::Pair::operator==(const Pair& other) const {
  return slot == other.slot && corners == other.corners && weights == other.weights && normal == other.normal &&
         offset == other.offset && level == other.level;
}

Contact::Penalty Contact::penalty(double t) const {
  const double a = options_.thickness;
  if (t <= 0) return {0, 0, 0};
  if (t < a) return {t * t * t / (6 * a), t * t / (2 * a), t / a};
  const double beyond = t - a;
  return {a * a / 6 + 0.5 * a * beyond + 0.5 * beyond * beyond, 0.5 * a + beyond, 1};
}

/// Calls visit(slip, u, |u|) for the sliding u of each pair that friction acts on.
template <class Visit>
void Contact::for_each_slip(In x, Visit&& visit) const {
  for (const Slip& slip : slips_) {
    const Vec3 moved = slip.pair.apart(x) - slip.base;
    const Vec3 u = moved - slip.pair.normal.dot(moved) * slip.pair.normal;
    visit(slip, u, u.norm());
  }
}

double Contact::value(const State& state, In x) const {
  double sum = 0;
  for (const Pair& pair : state_as<Memory>(state).pairs)
    sum += pair.stiffness * penalty(pair.level - pair.gap(x)).value;
  const double e = slip_;
  for_each_slip(x, [&](const Slip& slip, const Vec3&, double y) {  // f, up to a constant
    sum += options_.friction * slip.force * (y < e ? y * y / e - y * y * y / (3 * e * e) : y - e / 3);
  });
  return sum;
}

void Contact::add_gradient(const State& state, In x, double weight, Vec& g) const {
  const auto add = [&](const Pair& pair, const Vec3& force) {
    point(g, pair.point) += force;
    if (pair.own())
      for (int k = 0; k < 3; ++k) point(g, pair.corners[k]) -= pair.weights[k] * force;
  };
  for (const Pair& pair : state_as<Memory>(state).pairs)
    if (const double slope = penalty(pair.level - pair.gap(x)).slope; slope != 0)
      add(pair, -weight * pair.stiffness * slope * pair.normal);
  const double e = slip_;
  for_each_slip(x, [&](const Slip& slip, const Vec3& u, double y) {
    const double over_y = y < e ? 2 / e - y / (e * e) : 1 / y;  // f'(y) / y
    add(slip.pair, weight * options_.friction * slip.force * over_y * u);
  });
}

// Of a pair c c^T x (E'' n n^T), c = (1, -w); of friction the same with mu N (f'/y (P - t t^T) + f'' t t^T), P = I - n
// n^T, t = u/|u|. Both have no negative eigenvalue, so exact and projected are one.
void Contact::add_hessian(const State& state, In x, double weight, HessianMode, BlockSink& sink) const {
  const auto add = [&](const Pair& pair, const Mat3& K) {
    if (!pair.own()) return sink.add({&pair.point, 1}, K.data());
    const int points[4] = {pair.point, pair.corners[0], pair.corners[1], pair.corners[2]};
    const double c[4] = {1, -pair.weights[0], -pair.weights[1], -pair.weights[2]};
    Eigen::Matrix<double, 12, 12> H;
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) H.block<3, 3>(3 * a, 3 * b) = c[a] * c[b] * K;
    sink.add(points, H.data());
  };
  for (const Pair& pair : state_as<Memory>(state).pairs)
    add(pair,
        weight * pair.stiffness * penalty(pair.level - pair.gap(x)).curvature * pair.normal * pair.normal.transpose());
  const double e = slip_;
  for_each_slip(x, [&](const Slip& slip, const Vec3& u, double y) {
    const Vec3 &n = slip.pair.normal, t = y > 0 ? Vec3(u / y) : Vec3(Vec3::Zero());
    const double around = y < e ? 2 / e - y / (e * e) : 1 / y, along = y < e ? 2 / e - 2 * y / (e * e) : 0;
    const Mat3 K = around * (Mat3::Identity() - n * n.transpose()) + (along - around) * t * t.transpose();
    add(slip.pair, weight * options_.friction * slip.force * K);
  });
}

double Contact::max_step(const State&, In x_from, In x_trial) const {
  double farthest = 0;
  for (const int i : body_.points) farthest = std::max(farthest, (point(x_trial, i) - point(x_from, i)).squaredNorm());
  const double reach = options_.reach;
  return farthest <= reach * reach ? 1 : 0.95 * reach / std::sqrt(farthest);
}

void Contact::begin_step(double h) {
  slip_ = options_.slip_speed * h;
  for (Slip& slip : slips_) {
    slip.base = slip.start;
    if (!slip.pair.own()) slip.base += colliders_[slip.pair.slot / body_.points.size()].displacement(slip.pair.touch);
  }
}

void Contact::accept(In x) {
  Memory found;
  slips_.clear();
  refresh(found, x, Phase::step);
  report_ = {};
  std::vector<Vec3> facing(facing_.size(), Vec3::Zero());
  for (const Pair& pair : found.pairs) {
    const double gap = pair.gap(x), depth = pair.level - gap;
    // Of the own surface the depth is kept: how far to look for it.
    facing[pair.slot] = pair.own() ? Vec3(std::max(0.0, -gap) * Vec3::UnitX()) : pair.normal;
    if (depth <= 0) continue;
    const Penalty p = penalty(depth);
    ++report_.touching;
    report_.deepest = std::max(report_.deepest, std::min(-gap, depth));
    report_.energy += pair.stiffness * p.value;
    if (!pair.own()) report_.force += pair.stiffness * p.slope * pair.normal;
    const Vec3 apart = pair.apart(x);
    if (options_.friction > 0) slips_.push_back({pair, pair.stiffness * p.slope, apart, apart});
  }
  facing_.swap(facing);
  begun_ = true;
}

// In the frame of the points' mean motion: motion that they share with a collider does not change the distance.
double Contact::safe_fraction(In x_from, In x_to) const {
  if (body_.points.empty()) return 1;
  Vec3 common = Vec3::Zero();
  for (const int i : body_.points)
    common += (point(x_to, i) - point(x_from, i)) / static_cast<double>(body_.points.size());
  Box box;
  double farthest = 0;  // of a point against the others
  for (const int i : body_.points) {
    box.include(point(x_from, i) + common);
    box.include(point(x_to, i));
    farthest = std::max(farthest, (point(x_to, i) - point(x_from, i) - common).norm());
  }
  const double reach = options_.reach;
  double fraction = options_.self && 2 * farthest > reach ? reach / (2 * farthest) : 1;
  for (const Collider& collider : colliders_) {
    // What of a mesh comes from afar is in the box, grown by how far it comes.
    const Box everywhere{.low = Vec3::Constant(-kFar), .high = Vec3::Constant(kFar)};
    const double whole = collider.is_mesh() ? collider.motion_in(everywhere, common) : 0;
    const Vec3 margin = Vec3::Constant(whole + farthest + options_.thickness);
    const double moved = collider.motion_in({.low = box.low - margin, .high = box.high + margin}, common);
    if ((moved + farthest) * fraction <= reach) continue;
    for (const int i : body_.points) {
      const Vec3 from = point(x_from, i) + common;
      const double motion = (point(x_to, i) - from).norm() + moved;
      if (motion * fraction <= reach) continue;
      const Touch touch = collider.nearest(from, motion + options_.thickness);
      if (touch.found) fraction = std::min(fraction, std::max(reach, 0.9 * (touch.gap - options_.thickness)) / motion);
    }
  }
  return fraction;
}

namespace {
constexpr int kSlipNumbers = 23;
}

void Contact::forget() {
  std::fill(facing_.begin(), facing_.end(), Vec3::Zero());
  slips_.clear();
  report_ = {};
  begun_ = false;
}

Vec Contact::saved_state() const {
  std::vector<double> all{begun_ ? 1.0 : 0.0, static_cast<double>(report_.touching),
                          static_cast<double>(slips_.size())};
  for (const Vec3& facing : facing_) all.insert(all.end(), facing.begin(), facing.end());
  for (const Slip& slip : slips_) {
    const Pair& pair = slip.pair;
    for (const int each :
         {pair.slot, pair.point, pair.corners[0], pair.corners[1], pair.corners[2], pair.touch.triangle})
      all.push_back(each);
    for (const Vec3& each : {pair.weights, pair.normal, pair.touch.position, pair.touch.barycentric, slip.start})
      all.insert(all.end(), each.begin(), each.end());
    all.push_back(pair.offset), all.push_back(slip.force);
  }
  return Eigen::Map<const Vec>(all.data(), static_cast<Eigen::Index>(all.size()));
}

void Contact::restore(In state) {
  Eigen::Index at = 0;
  const auto number = [&] { return state[at++]; };
  const auto vector = [&] { return at += 3, Vec3(state.segment<3>(at - 3)); };
  begun_ = number() != 0;
  report_ = {.touching = static_cast<int>(number())};
  slips_.assign(static_cast<std::size_t>(number()), {});
  assert(state.size() ==
         3 + 3 * static_cast<Eigen::Index>(facing_.size()) + kSlipNumbers * static_cast<Eigen::Index>(slips_.size()));
  for (Vec3& facing : facing_) facing = vector();
  for (Slip& slip : slips_) {
    Pair& pair = slip.pair;
    for (int* each :
         {&pair.slot, &pair.point, &pair.corners[0], &pair.corners[1], &pair.corners[2], &pair.touch.triangle})
      *each = static_cast<int>(number());
    for (Vec3* each : {&pair.weights, &pair.normal, &pair.touch.position, &pair.touch.barycentric, &slip.start})
      *each = vector();
    pair.offset = number(), slip.force = number();
    slip.base = slip.start;
  }
}

}  // namespace rigspace
