#include "rigspace/energy/cloth_stretch.h"

#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <cmath>
#include <string>

namespace rigspace {
namespace {

constexpr int kStretchChunk = 64;

double flat_area(const std::array<double, 6>& f) {
  return 0.5 * ((f[2] - f[0]) * (f[5] - f[1]) - (f[4] - f[0]) * (f[3] - f[1]));
}

// The symmetric 2x2 matrix without its negative eigenvalues.
Eigen::Matrix2d without_negative(double a, double b, double c) {  // [a b; b c]
  const double middle = 0.5 * (a + c), radius = std::hypot(0.5 * (a - c), b);
  Eigen::Matrix2d S;
  S << a, b, b, c;
  if (middle - radius >= 0) return S;
  if (middle + radius <= 0) return Eigen::Matrix2d::Zero();
  // (lambda_1 / (lambda_1 - lambda_2)) (S - lambda_2 I) is lambda_1 v_1 v_1^T.
  return (middle + radius) / (2 * radius) * (S - (middle - radius) * Eigen::Matrix2d::Identity());
}

}  // namespace

void ClothMaterial::validate() const {
  const auto require = [](bool ok, const char* what, double value) {
    require_option(ok && std::isfinite(value), what, value, "expected zero or more");
  };
  require(warp >= 0, "cloth stiffness along the warp", warp);
  require(weft >= 0, "cloth stiffness along the weft", weft);
  require(shear >= 0, "cloth stiffness in shear", shear);
  require(bending >= 0, "cloth stiffness in bending", bending);
  require(damping >= 0, "cloth damping", damping);
  require(limit >= 0, "cloth strain limit", limit);
  require(limit_gain >= 0, "gain of the cloth strain limit", limit_gain);
  require_option(density > 0 && std::isfinite(density), "cloth density", density, "expected more than zero kg/m^2");
}

ClothMaterial isotropic_cloth(double stiffness) {
  return {.warp = stiffness, .weft = stiffness, .shear = stiffness / 2, .limit = 0};
}

std::vector<std::array<double, 6>> flat_triangles(In points, std::span<const Triangle> triangles, const Vec3& warp) {
  std::vector<std::array<double, 6>> flat;
  flat.reserve(triangles.size());
  for (const Triangle& t : triangles) {
    const Vec3 a = point(points, t[0]), ab = point(points, t[1]) - a, ac = point(points, t[2]) - a;
    const Vec3 n = ab.cross(ac).normalized();
    Vec3 u = warp - n * n.dot(warp);
    // A triangle that faces along the warp has no direction of its own: its first edge serves.
    if (u.squaredNorm() < 1e-6 * warp.squaredNorm()) u = ab;
    u.normalize();
    const Vec3 v = n.cross(u);
    flat.push_back({0, 0, u.dot(ab), v.dot(ab), u.dot(ac), v.dot(ac)});
  }
  return flat;
}

std::vector<std::array<double, 6>> flat_triangles(std::span<const double> uv, std::span<const Triangle> corners) {
  std::vector<std::array<double, 6>> flat;
  flat.reserve(corners.size());
  for (const Triangle& t : corners) {
    std::array<double, 6> one{};
    for (int k = 0; k < 3; ++k)
      for (int c = 0; c < 2; ++c) one[2 * k + c] = uv[2 * static_cast<std::size_t>(t[k]) + c];
    flat.push_back(one);
  }
  return flat;
}

ClothStretch::ClothStretch(int points, std::span<const Triangle> triangles, std::span<const std::array<double, 6>> flat,
                           const ClothMaterial& material)
    : points_(points) {
  set_material(material);
  if (flat.size() != triangles.size())
    throw Error({.code = ErrorCode::usage,
                 .element = "cloth",
                 .problem = "has " + std::to_string(flat.size()) + " rest triangles for " +
                            std::to_string(triangles.size()) + " triangles",
                 .remedy = "expected one each"});
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    Element element{.corners = triangles[t]};
    for (const int i : element.corners)
      if (i < 0 || i >= points)
        throw Error({.element = "triangle " + std::to_string(t),
                     .value = std::to_string(i),
                     .problem = "names point " + std::to_string(i),
                     .remedy = "the cloth has " + std::to_string(points) + " points"});
    const auto& f = flat[t];
    const double signed_area = flat_area(f);  // negative where a panel lies face down: both sides are the same
    element.area = std::abs(signed_area);
    if (!(element.area > 0) || !std::isfinite(element.area))
      throw Error({.element = "triangle " + std::to_string(t),
                   .value = std::to_string(element.area),
                   .problem = "has no area at rest",
                   .remedy = "remove degenerate triangles or give them a rest shape"});
    for (int k = 0; k < 3; ++k) {
      const int i = 2 * ((k + 1) % 3), j = 2 * ((k + 2) % 3);
      element.b[k][0] = (f[i + 1] - f[j + 1]) / (2 * signed_area);
      element.b[k][1] = (f[j] - f[i]) / (2 * signed_area);
    }
    elements_.push_back(element);
  }
  find_support();
}

void ClothStretch::find_support() {
  corners_.clear();
  for (const Element& e : elements_) corners_.insert(corners_.end(), e.corners.begin(), e.corners.end());
  support_ = corners_;
  std::sort(support_.begin(), support_.end());
  support_.erase(std::unique(support_.begin(), support_.end()), support_.end());
  make_batches();
}

void ClothStretch::set_material(const ClothMaterial& material) {
  material.validate();
  material_ = material;
  ++version_;
}

ClothStretch::Frame ClothStretch::deformation(const Element& e, In x) const {
  Frame F = Frame::Zero();
  for (int k = 0; k < 3; ++k)
    for (int a = 0; a < 2; ++a) F.col(a) += e.b[k][a] * point(x, e.corners[k]);
  return F;
}

Vec3 ClothStretch::strain(In x, int triangle) const {
  const Frame F = deformation(elements_[static_cast<std::size_t>(triangle)], x);
  return {0.5 * (F.col(0).squaredNorm() - 1), 0.5 * (F.col(1).squaredNorm() - 1), 0.5 * F.col(0).dot(F.col(1))};
}

void ClothStretch::begin_step(In x_start, double h) {
  damping_ = h > 0 ? material_.damping / h : 0;
  parallel_ranges(element_count(), kStretchChunk, [&](int begin, int end) {
    for (int t = begin; t < end; ++t) elements_[static_cast<std::size_t>(t)].start = strain(x_start, t);
  });
  make_batches();
}

ClothStretch::Response ClothStretch::response(const Element& e, const Frame& F) const {
  const Vec3 E(0.5 * (F.col(0).squaredNorm() - 1), 0.5 * (F.col(1).squaredNorm() - 1), 0.5 * F.col(0).dot(F.col(1)));
  const Vec3 k(material_.warp, material_.weft, 4 * material_.shear);
  Response r;
  r.stiffness = k * (1 + damping_);
  r.stress = k.cwiseProduct(E + damping_ * (E - e.start));
  r.psi = 0.5 * k.dot(E.cwiseAbs2() + damping_ * (E - e.start).cwiseAbs2());
  for (int a = 0; a < 2 && material_.limit > 0; ++a) {
    const double t = E[a] - material_.limit, w = material_.limit / 2, K = material_.limit_gain * k[a];
    if (t <= 0) continue;
    if (t < w) {
      r.psi += K * t * t * t / (6 * w), r.stress[a] += K * t * t / (2 * w), r.stiffness[a] += K * t / w;
    } else {
      r.psi += K * (w * w / 6 + w * (t - w) / 2 + (t - w) * (t - w) / 2);
      r.stress[a] += K * (t - w / 2), r.stiffness[a] += K;
    }
  }
  return r;
}

// In F:  d2psi = sum over strains of psi'' dE dE^T, which has no negative eigenvalue, plus S (x) I with the stresses
// S = [S_11 S_12; S_12 S_22]. The normal of the triangle sees S alone: the sum has a negative eigenvalue exactly where
// S has one, so the projection takes those of S away.
void ClothStretch::add_hessian(const State&, In x, double weight, HessianMode mode, BlockSink& sink) const {
  add_blocks(sink, 3, corners_, [&](int t, double* H) {
    const Element& e = elements_[static_cast<std::size_t>(t)];
    const Frame F = deformation(e, x);
    const Response r = response(e, F);
    const double scale = weight * e.weight * e.area;
    Eigen::Matrix2d S;
    S << r.stress[0], 0.5 * r.stress[2], 0.5 * r.stress[2], r.stress[1];
    if (mode == HessianMode::projected) S = without_negative(S(0, 0), S(0, 1), S(1, 1));
    const Vec3 f0 = F.col(0), f1 = F.col(1);
    Mat3 M[2][2];
    const double k0 = r.stiffness[0], k1 = r.stiffness[1], k2 = r.stiffness[2] / 4;
    M[0][0] = k0 * f0 * f0.transpose() + k2 * f1 * f1.transpose() + S(0, 0) * Mat3::Identity();
    M[1][1] = k1 * f1 * f1.transpose() + k2 * f0 * f0.transpose() + S(1, 1) * Mat3::Identity();
    M[0][1] = k2 * f1 * f0.transpose() + S(0, 1) * Mat3::Identity();
    M[1][0] = M[0][1].transpose();
    Eigen::Map<Eigen::Matrix<double, 9, 9>> block(H);
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l <= k; ++l) {
        const Mat3 K = scale * (e.b[k][0] * (e.b[l][0] * M[0][0] + e.b[l][1] * M[0][1]) +
                                e.b[k][1] * (e.b[l][0] * M[1][0] + e.b[l][1] * M[1][1]));
        block.block<3, 3>(3 * k, 3 * l) = K;
        if (l < k) block.block<3, 3>(3 * l, 3 * k) = K.transpose();
      }
  });
}

std::unique_ptr<Energy> ClothStretch::sampled(std::span<const WeightedElement> elements) const {
  auto part = std::make_unique<ClothStretch>(*this);
  part->elements_.clear();
  for (const auto& [t, weight] : elements) {
    part->elements_.push_back(elements_[static_cast<std::size_t>(t)]);
    part->elements_.back().weight *= weight;
  }
  part->find_support();
  return part;
}

Vec cloth_masses(int points, std::span<const Triangle> triangles, std::span<const std::array<double, 6>> flat,
                 double density) {
  Vec masses = Vec::Zero(points);
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (const int i : triangles[t]) masses(i) += density * std::abs(flat_area(flat[t])) / 3;
  return masses;
}

}  // namespace rigspace
