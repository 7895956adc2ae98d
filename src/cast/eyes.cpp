#include "eyes.h"

#include "shapes.h"

#include <cmath>
#include <numbers>

namespace rigspace::flesh {
namespace {

const Eigen::Vector4f kWhite(0.93f, 0.92f, 0.90f, 1), kBlack(0.006f, 0.005f, 0.008f, 1), kLight(1, 1, 1, 1);

Eigen::Vector4f eye_color(const EyeShape& shape, double degrees) {
  if (degrees < shape.pupil) return kBlack;
  if (degrees > shape.iris) return kWhite;
  const double rim = smooth_step(shape.iris - 6, shape.iris, degrees);  // darker toward the rim
  Eigen::Vector4f color = shape.iris_color;
  color.head<3>() *= static_cast<float>(1 - 0.75 * rim);
  return color;
}

}  // namespace

void add_eye(const EyeShape& shape, int joint, Flesh& flesh) {
  const Mat3 axes = shapes::facing(shape.gaze);
  // Rings in pairs at the rims of pupil and iris keep them sharp.
  const double sharp = 0.6;
  std::vector<double> degrees{6,
                              0.6 * shape.pupil,
                              shape.pupil - sharp,
                              shape.pupil + sharp,
                              0.5 * (shape.pupil + shape.iris),
                              shape.iris - 4,
                              shape.iris - sharp,
                              shape.iris + sharp};
  for (double d = shape.iris + 10; d < 172; d += 12) degrees.push_back(d);
  std::vector<Ring> rings;
  for (const double d : degrees) {
    const double radius = shape.radius * std::sin(d * kDegree), along = shape.radius * std::cos(d * kDegree);
    rings.push_back({along, radius, {std::sin(d * kDegree), std::cos(d * kDegree)}, eye_color(shape, d)});
  }
  add_turned({.center = shape.center,
              .axes = axes,
              .rings = rings,
              .segments = 36,
              .top = shape.radius,
              .bottom = -shape.radius,
              .top_color = kBlack,
              .bottom_color = kWhite},
             joint, flesh);
  const auto catch_light = [&](double right, double up, double size) {
    const Vec3 unit = Vec3(right, up, std::sqrt(1 - right * right - up * up)), normal = axes * unit;
    add_ellipsoid({.center = shape.center + shape.radius * normal,
                   .axes = shapes::facing(normal),
                   .half = shape.radius * Vec3(size, size, 0.25 * size),
                   .rings = 5,
                   .segments = 14},
                  {joint, kLight}, flesh);
  };
  catch_light(-0.20, 0.27, 0.125);
  catch_light(0.19, -0.22, 0.06);
}

void add_lid(const LidShape& shape, const Attachment& attachment, Flesh& flesh) {
  Eigen::Vector4f lash = attachment.color;
  lash.head<3>() *= 0.12f;
  std::vector<Ring> rings;
  for (const double d : {9.0, 20.0, 31.0, 42.0, 53.0, 64.0, 74.0, 82.0, 86.0, 88.0}) {
    const double s = std::sin(d * kDegree), c = std::cos(d * kDegree);
    rings.push_back({shape.radius * c, shape.radius * s, {s, c}, d > 83 ? lash : attachment.color});
  }
  // Rounded over at the edge, then flat through the middle of the ball, where nobody looks.
  rings.push_back({0, shape.radius, {0.9, -0.45}, lash});
  rings.push_back({-0.02 * shape.radius, 0.955 * shape.radius, {0.2, -1}, lash});
  rings.push_back({-0.02 * shape.radius, 0.5 * shape.radius, {0, -1}, lash});
  Vec3 pole = shape.pole.normalized();
  add_turned({.center = shape.center,
              .axes = shapes::facing(pole),
              .rings = rings,
              .segments = 36,
              .top = shape.radius,
              .bottom = -0.02 * shape.radius,
              .top_color = attachment.color,
              .bottom_color = lash},
             attachment.joint, flesh);
}

}  // namespace rigspace::flesh
