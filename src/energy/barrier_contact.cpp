#include "rigspace/energy/barrier_contact.h"

#include "barrier_memory.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace rigspace {
namespace {

constexpr int kBarrierChunk = 128;
constexpr double kRest = 0.1;       // of its distance that a pair keeps on the way of a solve
constexpr double kParallel = 1e-3;  // of |U|^2 |V|^2: Li et al. 2020

// c = |u x v|^2 of two edges and its derivatives by the four points.
struct EdgeCross {
  Vec3 u, v;
  double c;

  explicit EdgeCross(const PairPoints& x) : u(x[1] - x[0]), v(x[3] - x[2]), c(u.cross(v).squaredNorm()) {}

  Eigen::Matrix<double, 12, 1> gradient() const {
    const Vec3 by_u = 2 * (v.squaredNorm() * u - u.dot(v) * v), by_v = 2 * (u.squaredNorm() * v - u.dot(v) * u);
    Eigen::Matrix<double, 12, 1> g;
    g.segment<3>(0) = -by_u, g.segment<3>(3) = by_u, g.segment<3>(6) = -by_v, g.segment<3>(9) = by_v;
    return g;
  }
  Eigen::Matrix<double, 12, 12> hessian() const {
    const Mat3 I = Mat3::Identity();
    const Mat3 uu = 2 * (v.squaredNorm() * I - v * v.transpose()), vv = 2 * (u.squaredNorm() * I - u * u.transpose());
    const Mat3 uv = 2 * (2 * u * v.transpose() - v * u.transpose() - u.dot(v) * I);
    Eigen::Matrix<double, 12, 12> H;
    for (int k = 0; k < 2; ++k)
      for (int l = 0; l < 2; ++l) {
        const double sign = k == l ? 1 : -1;
        H.block<3, 3>(3 * k, 3 * l) = sign * uu, H.block<3, 3>(6 + 3 * k, 6 + 3 * l) = sign * vv;
        H.block<3, 3>(3 * k, 6 + 3 * l) = sign * uv, H.block<3, 3>(6 + 3 * k, 3 * l) = sign * uv.transpose();
      }
    return H;
  }
};

}  // namespace

void BarrierOptions::validate() const {
  require_option(distance > 0 && std::isfinite(distance), "contact distance", distance, "expected more than zero m");
  require_option(stiffness > 0 && std::isfinite(stiffness), "contact stiffness", stiffness, "expected more than 0 N/m");
  require_option(friction >= 0 && std::isfinite(friction), "friction", friction, "expected zero or more");
  require_option(slip_speed > 0 && std::isfinite(slip_speed), "slip speed", slip_speed, "expected more than zero m/s");
}

BarrierContact::BarrierContact(const TriMesh& surface, const TriMesh& obstacle, const BarrierOptions& options)
    : surface_(surface), made_(obstacle), options_(options), obstacle_(obstacle.points) {
  options_.validate();
  surface.validate("cloth");
  obstacle.validate("obstacle");
  own_ = make_state();
}

std::unique_ptr<State> BarrierContact::make_state() const {
  return std::make_unique<Memory>(surface_, made_, options_.self);
}

void BarrierContact::set_absent(std::span<const char> triangles) {
  if (std::equal(triangles.begin(), triangles.end(), absent_.begin(), absent_.end())) return;
  absent_.assign(triangles.begin(), triangles.end());
  ++version_;
}

void BarrierContact::place(In obstacle) {
  assert(obstacle.size() == made_.points.size());
  if (obstacle == obstacle_) return;
  obstacle_ = obstacle;
  ++version_;
}

Vec3 BarrierContact::at(In x, int i) const {
  const int n = surface_.point_count();
  return i < n ? Vec3(point(x, i)) : Vec3(point(obstacle_, i - n));
}

PairPoints BarrierContact::gather(In x, const CollisionPair& pair) const {
  return {at(x, pair.points[0]), at(x, pair.points[1]), at(x, pair.points[2]), at(x, pair.points[3])};
}

bool BarrierContact::activate(In x, const CollisionPair& pair, Active& a) const {
  a.level = options_.distance * options_.distance;
  a.x = gather(x, pair);
  if (certainly_farther(pair.kind, a.x, options_.distance)) return false;  // most pairs
  const bool edges = pair.kind == PairKind::edge_edge;
  a.at = pair_distance(pair.kind, a.x);
  if (!(a.at.squared < a.level)) return false;
  const int n = surface_.point_count();
  const bool own = std::all_of(pair.points.begin(), pair.points.end(), [n](int i) { return i < n; });
  PairPoints rest;
  if (own || edges)
    for (int k = 0; k < 4; ++k) {
      const int i = pair.points[k];
      rest[k] = i < n ? Vec3(point(surface_.points, i)) : Vec3(point(made_.points, i - n));
    }
  if (own) {
    a.level = std::min(a.level, 0.9 * pair_distance(pair.kind, rest).squared);
    if (!(a.at.squared < a.level)) return false;
  }
  const double z = a.at.squared / a.level, log = std::log(z), u = z - 1;
  a.f = -u * u * log, a.f_1 = -2 * u * log - u * u / z, a.f_2 = -2 * log - 4 * u / z + u * u / (z * z);
  a.parallel = -1, a.m = 1, a.m_1 = a.m_2 = 0;
  if (edges) {
    const double e = kParallel * (rest[1] - rest[0]).squaredNorm() * (rest[3] - rest[2]).squaredNorm();
    const double y = EdgeCross(a.x).c / e;
    if (y < 1) a.parallel = e, a.m = y * (2 - y), a.m_1 = 2 * (1 - y) / e, a.m_2 = -2 / (e * e);
  }
  a.pair = pair;
  return true;
}

void BarrierContact::collect(In x, std::span<const CollisionPair> pairs, std::vector<Active>& found) const {
  const int count = static_cast<int>(pairs.size());
  std::vector<std::vector<Active>> chunks(static_cast<std::size_t>((count + kBarrierChunk - 1) / kBarrierChunk));
  parallel_ranges(count, kBarrierChunk, [&](int begin, int end) {
    Active a;
    for (int k = begin; k < end; ++k)
      if (activate(x, pairs[static_cast<std::size_t>(k)], a))
        chunks[static_cast<std::size_t>(begin / kBarrierChunk)].push_back(a);
  });
  found.clear();
  for (const auto& chunk : chunks) found.insert(found.end(), chunk.begin(), chunk.end());
}

// The pairs that may come nearer than `distance` on the path, kept for all paths that they cover.
const std::vector<CollisionPair>& BarrierContact::near(const Memory& memory, In from, In to) const {
  Memory::Kept& kept = *memory.kept;
  const SurfaceMotion motion{from, to, obstacle_, obstacle_};
  if (kept.absent == absent_ && kept.finder.covers(motion)) return kept.pairs;
  kept.finder.set_absent(absent_), kept.absent = absent_;
  kept.finder.find(motion, options_.distance, kept.pairs, kept.margin * options_.distance);
  kept.active_version = ~0ull;
  return kept.pairs;
}

const std::vector<BarrierContact::Active>& BarrierContact::active(const Memory& memory, In x) const {
  Memory::Kept& kept = *memory.kept;
  if (kept.active_version == version_ && kept.active_x.size() == x.size() && kept.active_x == x) return kept.active;
  const auto& pairs = near(memory, x, x);
  collect(x, pairs, kept.active);
  kept.active_x = x, kept.active_version = version_;
  return kept.active;
}

BarrierContact::Vec12 BarrierContact::gradient(const Active& a) const {
  Vec12 g = (a.m * a.f_1) * distance_gradient(a.at);
  if (a.parallel > 0) g += (a.level * a.f * a.m_1) * EdgeCross(a.x).gradient();
  return options_.stiffness * g;
}

// Projected, a pair that is not nearly parallel keeps its stiffness along the normal alone: by the distance d the
// energy has the second derivative k (4 s f'' + 2 f') > 0, and its slope is negative, so that what remains, slope times
// the curvature of d, only takes away or is indefinite.
BarrierContact::Mat12 BarrierContact::hessian(const Active& a, HessianMode mode) const {
  const double k = options_.stiffness;
  const Vec12 g = distance_gradient(a.at);
  if (mode == HessianMode::projected && a.parallel < 0) {
    const double z = a.at.squared / a.level;
    // dd = dD / (2 d).
    return (k * (4 * z * a.f_2 + 2 * a.f_1) / (4 * a.at.squared)) * g * g.transpose();
  }
  Mat12 H = a.m * (a.f_2 / a.level * g * g.transpose() + a.f_1 * distance_hessian(a.at, a.x));
  if (a.parallel > 0) {
    const EdgeCross cross(a.x);
    const Vec12 g_c = cross.gradient();
    H += a.level * a.f * (a.m_2 * g_c * g_c.transpose() + a.m_1 * cross.hessian());
    H += a.m_1 * a.f_1 * (g_c * g.transpose() + g * g_c.transpose());
  }
  H *= k;
  if (mode == HessianMode::projected) project_positive_definite(H.data(), 12);
  return H;
}

Vec3 BarrierContact::sliding(const Slip& slip, In x) const {
  Vec3 u = -slip.start;
  for (int k = 0; k < 4; ++k) u += slip.weights[k] * at(x, slip.pair.points[k]);
  return u - slip.normal * slip.normal.dot(u);
}

void BarrierContact::begin_step(In x_start, double h) {
  slips_.clear();
  slip_ = options_.slip_speed * h;
  ++version_;
  if (h <= 0 || options_.friction == 0) return;
  for (const Active& a : active(state_as<Memory>(*own_), x_start)) {
    const double d = std::sqrt(a.at.squared), force = -2 * d * options_.stiffness * a.m * a.f_1;
    Slip slip{.pair = a.pair, .weights = a.at.weights, .normal = a.at.r / d, .start = a.at.r};
    slip.force = options_.friction * force;
    slips_.push_back(slip);
  }
}

double BarrierContact::value(const State& state, In x) const {
  const auto& pairs = active(state_as<Memory>(state), x);
  double sum = 0;
  for (const Active& a : pairs) {
    if (!(a.at.squared > 0)) return std::numeric_limits<double>::infinity();
    sum += options_.stiffness * a.level * a.m * a.f;
  }
  for (const Slip& slip : slips_) {
    const double y = sliding(slip, x).norm() / slip_;
    sum += slip.force * slip_ * (y < 1 ? y * y * (1 - y / 3) + 1.0 / 3 : y);
  }
  return sum;
}

void BarrierContact::add_gradient(const State& state, In x, double weight, Vec& g) const {
  const int n = surface_.point_count();
  for (const Active& a : active(state_as<Memory>(state), x)) {
    const Vec12 one = weight * gradient(a);
    for (int k = 0; k < 4; ++k)
      if (a.pair.points[k] < n) point(g, a.pair.points[k]) += one.segment<3>(3 * k);
  }
  for (const Slip& slip : slips_) {
    const Vec3 u = sliding(slip, x);
    const double y = u.norm() / slip_;
    const Vec3 force = (weight * slip.force * (y < 1 ? (2 - y) / slip_ : 1 / (y * slip_))) * u;
    for (int k = 0; k < 4; ++k)
      if (slip.pair.points[k] < n) point(g, slip.pair.points[k]) += slip.weights[k] * force;
  }
}

void BarrierContact::add_hessian(const State& state, In x, double weight, HessianMode mode, BlockSink& sink) const {
  const int n = surface_.point_count();
  const auto hand_over = [&](const CollisionPair& pair, const auto& H) {
    std::array<int, 4> points, places;
    int count = 0;
    for (int k = 0; k < 4; ++k)
      if (pair.points[k] < n) points[count] = pair.points[k], places[count++] = k;
    std::array<double, 144> block;
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < count; ++b)
        for (int c = 0; c < 3; ++c)
          for (int r = 0; r < 3; ++r)
            block[3 * a + r + 3 * count * (3 * b + c)] = weight * H(3 * places[a] + r, 3 * places[b] + c);
    sink.add({points.data(), static_cast<std::size_t>(count)}, block.data());
  };
  const auto& pairs = active(state_as<Memory>(state), x);
  const int count = static_cast<int>(pairs.size());
  constexpr int kRound = 512;
  const detail::BlockScratch scratch(static_cast<std::size_t>(std::min(count, kRound)) * 144);
  for (int first = 0; first < count; first += kRound) {
    const int blocks = std::min(kRound, count - first);
    parallel_ranges(blocks, 16, [&](int begin, int end) {
      for (int e = begin; e < end; ++e)
        Eigen::Map<Mat12>(scratch.data() + 144 * static_cast<std::size_t>(e)) =
            hessian(pairs[static_cast<std::size_t>(first + e)], mode);
    });
    for (int e = 0; e < blocks; ++e)
      hand_over(pairs[static_cast<std::size_t>(first + e)].pair,
                Eigen::Map<const Mat12>(scratch.data() + 144 * static_cast<std::size_t>(e)));
  }
  for (const Slip& slip : slips_) {
    const Vec3 u = sliding(slip, x);
    const double length = u.norm(), y = length / slip_;
    const Vec3 along = length > 0 ? Vec3(u / length) : Vec3(Vec3::Zero());
    const double by_length = y < 1 ? 2 * (1 - y) / slip_ : 0, across = y < 1 ? (2 - y) / slip_ : 1 / length;
    const Mat3 T = Mat3::Identity() - slip.normal * slip.normal.transpose();
    const Mat3 M = slip.force * (across * T + (by_length - across) * along * along.transpose());
    Mat12 H;
    for (int k = 0; k < 4; ++k)
      for (int l = 0; l < 4; ++l) H.block<3, 3>(3 * k, 3 * l) = slip.weights[k] * slip.weights[l] * M;
    hand_over(slip.pair, H);
  }
}

double BarrierContact::least_fraction(std::span<const CollisionPair> pairs, const SurfaceMotion& m, double rest) const {
  const int n = surface_.point_count(), count = static_cast<int>(pairs.size());
  std::atomic<double> least = 1;  // the same on any number of threads: what is not below it is not followed to its end
  parallel_ranges(count, 64, [&](int begin, int end) {
    for (int e = begin; e < end; ++e) {
      const CollisionPair& pair = pairs[static_cast<std::size_t>(e)];
      PairPoints x, dx;
      for (int k = 0; k < 4; ++k) {
        const int i = pair.points[k];
        x[k] = i < n ? Vec3(point(m.from, i)) : Vec3(point(m.obstacle_from, i - n));
        dx[k] = (i < n ? Vec3(point(m.to, i)) : Vec3(point(m.obstacle_to, i - n))) - x[k];
      }
      if (certainly_apart(pair.kind, x, dx)) continue;
      double known = least;
      const double safe = safe_motion(pair.kind, x, dx, rest, known);
      while (safe < known && !least.compare_exchange_weak(known, safe)) {
      }
    }
  });
  return least;
}

double BarrierContact::max_step(const State& state, In x_from, In x_trial) const {
  const auto& pairs = near(state_as<Memory>(state), x_from, x_trial);
  return least_fraction(pairs, {x_from, x_trial, obstacle_, obstacle_}, kRest);
}

BarrierReport BarrierContact::report(In x) const {
  BarrierReport report;
  const int n = surface_.point_count();
  double least = options_.distance * options_.distance;
  for (const Active& a : active(state_as<Memory>(*own_), x)) {
    ++report.touching;
    least = std::min(least, a.at.squared);
    const Vec12 g = gradient(a);
    bool own = true;
    for (int k = 0; k < 4; ++k) own = own && a.pair.points[k] < n;
    report.own += own ? 1 : 0;
    for (int k = 0; k < 4; ++k)
      if (!own && a.pair.points[k] < n) report.obstacle_force -= g.segment<3>(3 * k);
  }
  report.nearest = std::sqrt(least);
  return report;
}

}  // namespace rigspace
