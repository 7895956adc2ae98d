#include "studio.h"

#include <cmath>

namespace rigspace {
namespace {

const Vec3f kKeyLight(0.90f, 0.855f, 0.79f);
const Vec3f kZenith(0.62f, 0.66f, 0.72f);
const Vec3f kHorizon(0.46f, 0.47f, 0.49f);
const Vec3f kFloor(0.50f, 0.48f, 0.455f);
constexpr float kFillLight = 0.35f, kRimLight = 1.5f;
constexpr float kGlossRoughness = 0.5f, kGlossReflectance = 0.04f;

Vec3f from_angles(const Mat3& level, double azimuth, double elevation) {
  const Vec3 local(std::sin(azimuth) * std::cos(elevation), std::sin(elevation),
                   std::cos(azimuth) * std::cos(elevation));
  return (level * local).cast<float>();
}

// Duff et al. 2017, Building an Orthonormal Basis, Revisited.
void basis(const Vec3f& n, Vec3f& u, Vec3f& v) {
  const float sign = std::copysign(1.0f, n.z());
  const float a = -1 / (sign + n.z()), b = n.x() * n.y() * a;
  u = Vec3f(1 + sign * n.x() * n.x() * a, sign * b, -sign * n.x());
  v = Vec3f(b, sign + n.y() * n.y() * a, -n.y());
}

// Shirley and Chiu 1997: square to disk, neighbours stay neighbours.
Eigen::Vector2f to_disk(const Eigen::Vector2f& uv) {
  constexpr float kQuarterPi = 0.78539816f;
  const float a = 2 * uv.x() - 1, b = 2 * uv.y() - 1;
  if (a == 0 && b == 0) return {0, 0};
  const bool wide = std::abs(a) > std::abs(b);
  const float radius = wide ? a : b;
  const float angle = wide ? kQuarterPi * (b / a) : 2 * kQuarterPi - kQuarterPi * (a / b);
  return radius * Eigen::Vector2f(std::cos(angle), std::sin(angle));
}

float lobe(const Vec3f& direction, const Vec3f& centre, int doublings) {
  float value = std::max(0.0f, direction.dot(centre));
  for (int k = 0; k < doublings; ++k) value *= value;
  return value;
}

}  // namespace

Eigen::Vector2f even_point(unsigned index) {
  // Fixed point, so that the fraction is exact for every index: 2^32 / g and 2^32 / g^2 with g^3 = g + 1.
  const std::uint32_t x = 0x80000000u + index * 3242174889u, y = 0x80000000u + index * 2447445414u;
  return {static_cast<float>(x >> 8) * 0x1p-24f, static_cast<float>(y >> 8) * 0x1p-24f};
}

Studio::Studio(const Camera& camera, const RenderOptions& options) {
  // Level axes: x to the camera's right, z from the character towards the camera.
  Mat3 level;
  const Vec3 right = camera.axes().col(0);
  level << right, Vec3::UnitY(), right.cross(Vec3::UnitY());
  const float gain = static_cast<float>(std::exp2(options.exposure));
  key_direction_ = from_angles(level, options.key_azimuth, options.key_elevation);
  key_light_ = gain * kKeyLight;
  key_tan_ = static_cast<float>(std::tan(options.key_radius));
  basis(key_direction_, key_u_, key_v_);
  const double side = options.key_azimuth <= 0 ? 1 : -1;  // fill opposite the key
  fill_direction_ = from_angles(level, side * 70 * kDegree, 18 * kDegree);
  rim_direction_ = from_angles(level, side * 150 * kDegree, 38 * kDegree);
  const Vec3f key_on_floor = std::max(0.0f, key_direction_.y()) * kKeyLight;
  const Vec3f sky_on_floor = 0.62f * kZenith + 0.38f * kHorizon + Vec3f::Constant(0.12f);
  key_share_ = key_on_floor.cwiseQuotient(key_on_floor + sky_on_floor);
}

Vec3f Studio::key_sample(const Eigen::Vector2f& uv) const {
  const Eigen::Vector2f disk = key_tan_ * to_disk(uv);
  return (key_direction_ + disk.x() * key_u_ + disk.y() * key_v_).normalized();
}

Vec3f Studio::sky_sample(const Vec3f& normal, const Eigen::Vector2f& uv) {
  // Malley's method: uniform on the disk, lifted to the hemisphere.
  const Eigen::Vector2f disk = to_disk(uv);
  Vec3f u, v;
  basis(normal, u, v);
  return disk.x() * u + disk.y() * v + std::sqrt(std::max(0.0f, 1 - disk.squaredNorm())) * normal;
}

Vec3f Studio::sky(const Vec3f& direction, float floor_distance) const {
  if (direction.y() < 0) return (0.3f + 0.7f * floor_distance / (floor_distance + 0.2f)) * kFloor;
  Vec3f light = kHorizon + direction.y() * (kZenith - kHorizon);
  light.array() += kFillLight * lobe(direction, fill_direction_, 2) + kRimLight * lobe(direction, rim_direction_, 3);
  return light;
}

float Studio::gloss(const Vec3f& normal, const Vec3f& to_eye) const {
  // Cook-Torrance with the GGX distribution and Hammon's approximation of its visibility (GDC 2017).
  const float n_l = normal.dot(key_direction_), n_v = normal.dot(to_eye);
  if (n_l <= 0 || n_v <= 0) return 0;
  const Vec3f half = (key_direction_ + to_eye).normalized();
  const float n_h = normal.dot(half), v_h = to_eye.dot(half);
  constexpr float a = kGlossRoughness * kGlossRoughness, a2 = a * a;
  const float d = n_h * n_h * (a2 - 1) + 1;
  const float fresnel = kGlossReflectance + (1 - kGlossReflectance) * std::pow(1 - v_h, 5.0f);
  const float visibility = 0.5f / std::max(1e-4f, (1 - a) * 2 * n_l * n_v + a * (n_l + n_v));
  return a2 / (d * d) * visibility * fresnel * n_l;  // D's 1/pi cancels against irradiance / pi
}

Vec3f Studio::backdrop(float x, float y) const {
  // A pool of light a little below the middle, falling off towards the corners.
  static const Vec3f middle(0.83f, 0.825f, 0.815f), corner(0.54f, 0.555f, 0.58f);
  const float dx = 1.05f * (x - 0.5f), dy = y - 0.60f;
  const float r2 = dx * dx + dy * dy;
  return middle + (r2 / (r2 + 0.42f)) * 1.15f * (corner - middle);
}

Vec3f tone(const Vec3f& light) {
  constexpr float kShoulder = 0.5f;
  Vec3f shown;
  for (int c = 0; c < 3; ++c) {
    const float x = std::max(0.0f, light[c]);
    // Slope 1 at the shoulder, towards 1 above it.
    shown[c] = x <= kShoulder ? x : kShoulder + (1 - kShoulder) * (1 - std::exp((kShoulder - x) / (1 - kShoulder)));
  }
  return shown;
}

Vec3f interreflect(float open, const Vec3f& albedo) {
  Vec3f result;
  for (int c = 0; c < 3; ++c) {
    const float a = 2.0404f * albedo[c] - 0.3324f, b = -4.7951f * albedo[c] + 0.6417f,
                d = 2.7552f * albedo[c] + 0.6903f;
    result[c] = std::max(open, ((open * a + b) * open + d) * open);
  }
  return result;
}

}  // namespace rigspace
