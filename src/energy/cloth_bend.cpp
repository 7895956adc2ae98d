#include "rigspace/energy/cloth_bend.h"

#include "rigspace/base/error.h"

#include <cmath>
#include <numbers>
#include <string>

namespace rigspace {
namespace {

constexpr int kBendChunk = 64;

namespace hinge {

using Vec12 = Eigen::Matrix<double, 12, 1>;

// A number with its derivatives by the 12 coordinates of a hinge.
struct Dual {
  double v = 0;
  Vec12 d = Vec12::Zero();
};
Dual operator+(const Dual& a, const Dual& b) { return {a.v + b.v, a.d + b.d}; }
Dual operator-(const Dual& a, const Dual& b) { return {a.v - b.v, a.d - b.d}; }
Dual operator-(const Dual& a) { return {-a.v, -a.d}; }
Dual operator*(const Dual& a, const Dual& b) { return {a.v * b.v, a.d * b.v + b.d * a.v}; }
Dual operator/(const Dual& a, const Dual& b) { return {a.v / b.v, (a.d - b.d * (a.v / b.v)) / b.v}; }
Dual root(const Dual& a) { return {std::sqrt(a.v), a.d / (2 * std::sqrt(a.v))}; }
double root(double a) { return std::sqrt(a); }

template <class T>
using Triple = std::array<T, 3>;
template <class T>
Triple<T> minus(const Triple<T>& a, const Triple<T>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <class T>
T dot(const Triple<T>& a, const Triple<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class T>
Triple<T> cross(const Triple<T>& a, const Triple<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// With e = x1 - x0, n_a = e x (x2 - x0), n_b = (x3 - x1) x e  (twice the areas), and t_k the place of the foot of x_k
// on the edge, 0 at x0:
//   dtheta/dx2 = -|e| n_a / |n_a|^2,   dtheta/dx3 = -|e| n_b / |n_b|^2,
//   dtheta/dx0 = -(1 - t_2) dtheta/dx2 - (1 - t_3) dtheta/dx3,   dtheta/dx1 = -t_2 dtheta/dx2 - t_3 dtheta/dx3,
// the last two since theta does not change under rigid motions.
template <class T>
void angle_gradient(const std::array<Triple<T>, 4>& x, std::array<T, 12>& g) {
  const Triple<T> e = minus(x[1], x[0]), a = minus(x[2], x[0]), b = minus(x[3], x[0]);
  const Triple<T> n_a = cross(e, a), n_b = cross(minus(x[3], x[1]), e);
  const T ee = dot(e, e), length = root(ee);
  const T scale_a = -(length / dot(n_a, n_a)), scale_b = -(length / dot(n_b, n_b));
  const T t_a = dot(a, e) / ee, t_b = dot(b, e) / ee;
  for (int c = 0; c < 3; ++c) {
    const T g_a = scale_a * n_a[c], g_b = scale_b * n_b[c];
    g[6 + c] = g_a, g[9 + c] = g_b;
    g[3 + c] = -(t_a * g_a + t_b * g_b);
    g[c] = -(g_a + g_b) - g[3 + c];
  }
}

template <class T>
std::array<Triple<T>, 4> gather(In x, const HingePoints& hinge) {
  std::array<Triple<T>, 4> p;
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c) {
      if constexpr (std::is_same_v<T, double>)
        p[k][c] = x(3 * hinge[k] + c);
      else
        p[k][c] = {x(3 * hinge[k] + c), Vec12::Unit(3 * k + c)};
    }
  return p;
}

// Second derivatives of theta: the gradient above, differentiated forward.
Eigen::Matrix<double, 12, 12> angle_hessian(In x, const HingePoints& hinge) {
  std::array<Dual, 12> g;
  angle_gradient(gather<Dual>(x, hinge), g);
  Eigen::Matrix<double, 12, 12> H;
  for (int i = 0; i < 12; ++i) H.col(i) = g[i].d;
  return 0.5 * (H + H.transpose());  // symmetric up to rounding
}

}  // namespace hinge
}  // namespace

std::vector<HingePoints> hinges_of(const TriMesh& mesh, int* unusable) {
  const EdgeTable table = edge_table(mesh);
  std::vector<HingePoints> hinges;
  int left_out = 0;
  for (int e = 0; e < table.count(); ++e) {
    const auto uses = table.uses(e);
    if (uses.size() == 1) continue;
    const auto corner = [&](int half_edge, int shift) {
      return mesh.triangles[static_cast<std::size_t>(half_edge / 3)][(half_edge % 3 + shift) % 3];
    };
    if (uses.size() > 2 || corner(uses[0], 0) != corner(uses[1], 1)) {
      ++left_out;
      continue;
    }
    hinges.push_back({corner(uses[0], 0), corner(uses[0], 1), corner(uses[0], 2), corner(uses[1], 2)});
  }
  if (unusable) *unusable = left_out;
  return hinges;
}

double hinge_angle(In x, const HingePoints& hinge) {
  const Vec3 e = point(x, hinge[1]) - point(x, hinge[0]);
  const Vec3 n_a = e.cross(point(x, hinge[2]) - point(x, hinge[0]));
  const Vec3 n_b = (point(x, hinge[3]) - point(x, hinge[1])).cross(e);
  return std::atan2(n_a.cross(n_b).dot(e) / e.norm(), n_a.dot(n_b));
}

double hinge_angle(In x, const HingePoints& points, hinge::Vec12& gradient) {
  std::array<double, 12> g;
  hinge::angle_gradient(hinge::gather<double>(x, points), g);
  gradient = Eigen::Map<const hinge::Vec12>(g.data());
  return hinge_angle(x, points);
}

ClothBend::ClothBend(In x_rest, std::vector<HingePoints> hinges, double stiffness, std::span<const double> rest_angles)
    : stiffness_(stiffness) {
  for (std::size_t k = 0; k < hinges.size(); ++k) {
    const HingePoints& p = hinges[k];
    const Vec3 e = point(x_rest, p[1]) - point(x_rest, p[0]);
    const double areas = 0.5 * (e.cross(point(x_rest, p[2]) - point(x_rest, p[0])).norm() +
                                e.cross(point(x_rest, p[3]) - point(x_rest, p[0])).norm());
    if (!(areas > 0))
      throw Error({.element = "edge " + std::to_string(p[0]) + "-" + std::to_string(p[1]),
                   .problem = "lies between triangles without area",
                   .remedy = "remove degenerate triangles"});
    const double rest = rest_angles.empty() ? hinge_angle(x_rest, p) : rest_angles[k];
    hinges_.push_back({.points = p, .weight = e.squaredNorm() / areas, .rest = rest, .start = rest});
  }
  find_support();
}

void ClothBend::find_support() {
  corners_.clear();
  for (const Hinge& h : hinges_) corners_.insert(corners_.end(), h.points.begin(), h.points.end());
  support_ = corners_;
  std::sort(support_.begin(), support_.end());
  support_.erase(std::unique(support_.begin(), support_.end()), support_.end());
  make_batches();
}

double ClothBend::continued(double angle, double near) {
  constexpr double kTurn = 2 * std::numbers::pi;
  return angle - kTurn * std::round((angle - near) / kTurn);
}

void ClothBend::begin_step(In x_start, double h, double damping) {
  damping_ = h > 0 ? damping / h : 0;
  parallel_ranges(element_count(), kBendChunk, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      Hinge& hinge = hinges_[static_cast<std::size_t>(k)];
      hinge.start = continued(hinge_angle(x_start, hinge.points), hinge.start);
    }
  });
  make_batches();
}

double ClothBend::force(const Hinge& h, double angle) const {
  return stiffness_ * h.weight * (angle - h.rest + damping_ * (angle - h.start));
}

void ClothBend::add_hessian(const State&, In x, double weight, HessianMode mode, BlockSink& sink) const {
  add_blocks(sink, 4, corners_, [&](int k, double* out) {
    const Hinge& h = hinges_[static_cast<std::size_t>(k)];
    hinge::Vec12 gradient;
    const double angle = continued(hinge_angle(x, h.points, gradient), h.start);
    Eigen::Map<Eigen::Matrix<double, 12, 12>> H(out);
    H.noalias() = (weight * stiffness_ * h.weight * (1 + damping_) * gradient) * gradient.transpose();
    if (mode == HessianMode::exact) H += weight * force(h, angle) * hinge::angle_hessian(x, h.points);
  });
}

std::unique_ptr<Energy> ClothBend::sampled(std::span<const WeightedElement> elements) const {
  auto part = std::make_unique<ClothBend>(*this);
  part->hinges_.clear();
  for (const auto& [k, weight] : elements) {
    part->hinges_.push_back(hinges_[static_cast<std::size_t>(k)]);
    part->hinges_.back().weight *= weight;
  }
  part->find_support();
  return part;
}

}  // namespace rigspace
