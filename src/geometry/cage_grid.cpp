#include "cage_grid.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/geometry/winding_number.h"

#include <cmath>

namespace rigspace {

CageGrid::CageGrid(const PreparedCage& cage, int nodes) : cage_(cage) {
  spacing_ = std::cbrt(signed_volume(cage.mesh) / nodes);
  const Box box = bounding_box(cage.mesh.points);
  // Shifted by odd shares, so that no plane of the grid lies in a face of a box.
  low_ = box.low - spacing_ * Vec3(0.3819, 0.4472, 0.4142);
  std::int64_t all = 1;
  for (int k = 0; k < 3; ++k) {
    size_[k] = static_cast<int>((box.high[k] - low_[k]) / spacing_) + 2;
    all *= size_[k];
  }
  if (all > 50'000'000)
    throw Error({.element = "cage",
                 .problem = "is too flat for its coordinates' grid",
                 .remedy = "give fewer nodes, or choose mean-value"});
  const WindingTree winding(cage.mesh);
  number_.assign(static_cast<std::size_t>(all), -1);
  parallel_ranges(size_[2], 1, [&](int begin, int end) {
    for (int k = begin; k < end; ++k)
      for (int j = 0; j < size_[1]; ++j)
        for (int i = 0; i < size_[0]; ++i)
          if (winding(place({i, j, k})) > 0.5)
            number_[i + static_cast<std::size_t>(size_[0]) * (j + static_cast<std::size_t>(size_[1]) * k)] = 0;
  });
  for (std::size_t n = 0; n < number_.size(); ++n) {
    if (number_[n] < 0) continue;
    number_[n] = static_cast<int>(at_.size());
    const int i = static_cast<int>(n % size_[0]), jk = static_cast<int>(n / size_[0]);
    at_.push_back({i, jk % size_[1], jk / size_[1]});
  }
  links_.resize(at_.size());
  std::vector<std::vector<std::pair<int, GridCut>>> found(at_.size());  // by link
  parallel_ranges(count(), 64, [&](int begin, int end) {
    std::vector<double> crossings;
    for (int n = begin; n < end; ++n)
      for (int side = 0; side < 6; ++side) {
        std::array<int, 3> next = at_[n];
        next[side / 2] += side % 2 == 0 ? -1 : 1;
        const Vec3 from = place(at_[n]), to = place(next);
        crossings.clear();
        cage_.tree.crossings(from, to, crossings);
        GridLink& link = links_[n][side];
        link.node = node_at(next);
        if (crossings.empty() && link.node >= 0) continue;
        link.node = -1;
        link.theta = crossings.empty() ? 1 : std::max(crossings.front(), 1e-12);
        found[n].emplace_back(side, cut_at(from + link.theta * (to - from)));
      }
  });
  for (int n = 0; n < count(); ++n)
    for (const auto& [side, cut] : found[n]) {
      links_[n][side].cut = static_cast<int>(cuts_.size());
      cuts_.push_back(cut);
    }
}

int CageGrid::node_at(const std::array<int, 3>& at) const {
  for (int k = 0; k < 3; ++k)
    if (at[k] < 0 || at[k] >= size_[k]) return -1;
  return number_[at[0] + static_cast<std::size_t>(size_[0]) * (at[1] + static_cast<std::size_t>(size_[1]) * at[2])];
}

GridCut CageGrid::cut_at(const Vec3& x) const {
  const SurfacePoint nearest = cage_.tree.closest(x);
  return {cage_.mesh.triangles[nearest.triangle], nearest.barycentric};
}

void CageGrid::interpolate(const Values& W, const Vec3& x, double* w) const { add(W, 0, x, {}, 1, w); }

void CageGrid::add(const Values& W, int axis, const Vec3& x, std::array<int, 3> at, double share, double* w) const {
  const auto add_cut = [&](const Vec3& where, double by) {
    const GridCut cut = cut_at(where);
    for (int k = 0; k < 3; ++k) w[cut.corners[k]] += by * cut.weights[k];
  };
  if (axis == 3) {
    if (const int n = node_at(at); n >= 0)
      Eigen::Map<Eigen::RowVectorXd>(w, W.cols()) += share * W.row(n);
    else
      add_cut(x, share);
    return;
  }
  thread_local std::vector<double> crossings;
  const double position = (x[axis] - low_[axis]) / spacing_;
  const int below = static_cast<int>(std::floor(position));
  struct End {
    Vec3 x;
    double distance;
    bool on_cage;
    int plane;
  } ends[2];
  for (int side = 0; side < 2; ++side) {
    End& end = ends[side];
    end = {x, 0, false, below + side};
    end.x[axis] = low_[axis] + spacing_ * end.plane;
    end.distance = std::abs(end.x[axis] - x[axis]);
    if (end.distance == 0) continue;
    crossings.clear();
    cage_.tree.crossings(x, end.x, crossings);
    if (crossings.empty()) continue;
    end.on_cage = true;
    end.x = x + crossings.front() * (end.x - x);
    end.distance *= crossings.front();
  }
  const double whole = ends[0].distance + ends[1].distance;
  for (int side = 0; side < 2; ++side) {
    const double part = whole > 0 ? ends[1 - side].distance / whole : (side == 0 ? 1.0 : 0.0);
    if (part == 0) continue;
    at[axis] = ends[side].plane;
    if (ends[side].on_cage)
      add_cut(ends[side].x, share * part);
    else
      add(W, axis + 1, ends[side].x, at, share * part, w);
  }
}

}  // namespace rigspace
