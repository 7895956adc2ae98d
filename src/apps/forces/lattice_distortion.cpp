#include "lattice_distortion.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr double kWallBegins = 0.25;  // of its volume: corners below pay for it

double angle_between(const Vec3& u, const Vec3& v) { return std::atan2(u.cross(v).norm(), u.dot(v)); }

}  // namespace

LatticeDistortion::LatticeDistortion(const HexLattice& rest, double flat) : flat_(flat) {
  for (const auto& cell : rest.cells)
    for (int c = 0; c < 8; ++c) {
      Corner corner{.at = cell[c], .to = {cell[c ^ 1], cell[c ^ 2], cell[c ^ 4]}};
      if ((((c & 1) + (c >> 1 & 1) + (c >> 2 & 1)) & 1) != 0) std::swap(corner.to[0], corner.to[1]);  // right-handed
      std::array<Vec3, 3> e;
      for (int k = 0; k < 3; ++k) e[k] = rest.vertices[corner.to[k]] - rest.vertices[corner.at];
      for (int k = 0; k < 3; ++k) corner.angle[k] = angle_between(e[(k + 1) % 3], e[(k + 2) % 3]);
      corner.volume = e[0].dot(e[1].cross(e[2]));
      corners_.push_back(corner);
    }
}

double LatticeDistortion::least_volume(In x, double scale) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Corner& corner : corners_) {
    std::array<Vec3, 3> e;
    for (int k = 0; k < 3; ++k) e[k] = point(x, corner.to[k]) - point(x, corner.at);
    least = std::min(least, e[0].dot(e[1].cross(e[2])) / (corner.volume * scale * scale * scale));
  }
  return least;
}

// d angle(u, v)/du = (cos u/|u| - v/|v|) / (|u| sin).
double LatticeDistortion::value(In x, double scale, Vec& g) const {
  double E = 0;
  const double share = 1 / (3.0 * static_cast<double>(corners_.size())), cube = scale * scale * scale;
  for (const Corner& corner : corners_) {
    std::array<Vec3, 3> e, by;
    for (int k = 0; k < 3; ++k) e[k] = point(x, corner.to[k]) - point(x, corner.at), by[k].setZero();
    const double volume = corner.volume * cube, left = e[0].dot(e[1].cross(e[2])) / volume;
    if (!(left > flat_)) return std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k) {
      const int a = (k + 1) % 3, b = (k + 2) % 3;
      const double la = e[a].norm(), lb = e[b].norm(), angle = angle_between(e[a], e[b]);
      const double away = angle - corner.angle[k], sine = std::max(1e-6, std::sin(angle)), cosine = std::cos(angle);
      E += share * away * away;
      by[a] += 2 * share * away / (la * sine) * (cosine * e[a] / la - e[b] / lb);
      by[b] += 2 * share * away / (lb * sine) * (cosine * e[b] / lb - e[a] / la);
    }
    if (left < kWallBegins) {  // log^2: from 0 at kWallBegins to infinity at `flat`
      const double w = std::log((left - flat_) / (kWallBegins - flat_));
      E += share * w * w;
      const double slope = 2 * share * w / (left - flat_) / volume;
      for (int k = 0; k < 3; ++k) by[k] += slope * e[(k + 1) % 3].cross(e[(k + 2) % 3]);
    }
    for (int k = 0; k < 3; ++k) point(g, corner.to[k]) += by[k], point(g, corner.at) -= by[k];
  }
  return E;
}

}  // namespace rigspace
