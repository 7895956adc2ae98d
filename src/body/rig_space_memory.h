#pragma once
// Private to body: the state of a RigSpaceMapping.

#include "rigspace/body/element_projection.h"
#include "rigspace/body/rig_space.h"
#include "rigspace/optimize/bordered_system.h"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

namespace rigspace {

// RigSpaceMapping::role_ of a node: its index among the interior nodes, -1 if it is held, -2 - its index among the
// bound nodes.
inline constexpr int kHeldRole = -1;
inline bool is_interior(int role) { return role >= 0; }
inline bool is_bound(int role) { return role <= -2; }
inline int bound_index(int role) { return -2 - role; }

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The Jacobian of the bound nodes, dense over the free controls, and the Hessian blocks that touch bound nodes.
class RigSpaceMapping::Memory final : public State, public BlockSink {
 public:
  explicit Memory(const RigSpaceMapping& owner)
      : mapping(owner),
        workspace(owner.d_.rig->make_workspace()),
        J(3 * static_cast<Eigen::Index>(owner.d_.bound.size()), owner.control_size()),
        T(J.rows(), J.cols()),
        mixed(owner.size_x(), 3) {}

  // The part of a block among interior nodes goes to the sparse system. A block that touches a bound node is summed
  // over x first (`mixed`). Parts of held nodes are dropped.
  void add(std::span<const int> points, const double* H) override {
    const int k = static_cast<int>(points.size()), rows = 3 * k;
    inside.clear(), inside_places.clear(), moving.clear(), moving_places.clear();
    bool touches_bound = false;
    for (int a = 0; a < k; ++a) {
      const int role = mapping.role_[points[a]];
      if (role == kHeldRole) continue;
      moving.push_back(points[a]), moving_places.push_back(a);
      if (is_interior(role)) inside.push_back(role), inside_places.push_back(a);
      touches_bound = touches_bound || is_bound(role);
    }
    if (!inside.empty()) {
      if (static_cast<int>(inside.size()) == k) return system->interior().add(inside, H);
      gather(inside_places, H, rows);
      system->interior().add(inside, gathered.data());
    }
    if (!touches_bound) return;
    gather(moving_places, H, rows);
    const int size = 3 * static_cast<int>(moving.size());
    for (std::size_t b = 0; b < moving.size(); ++b)
      for (std::size_t a = 0; a < moving.size(); ++a)
        if (is_interior(mapping.role_[moving[a]]) && is_interior(mapping.role_[moving[b]]))
          for (int c = 0; c < 3; ++c) std::fill_n(&gathered[3 * a + (3 * b + c) * size], 3, 0.0);
    mixed.add(moving, gathered.data());
  }

  // Blocks over single coordinates are spread to blocks over the points that the coordinates belong to.
  void add_coordinates(std::span<const int> coordinates, const double* H) override {
    touched.clear();
    for (const int c : coordinates)
      if (std::find(touched.begin(), touched.end(), c / 3) == touched.end()) touched.push_back(c / 3);
    const int size = 3 * static_cast<int>(touched.size()), k = static_cast<int>(coordinates.size());
    spread.assign(static_cast<std::size_t>(size) * size, 0.0);
    const auto place = [&](int c) {
      return 3 * static_cast<int>(std::find(touched.begin(), touched.end(), c / 3) - touched.begin()) + c % 3;
    };
    for (int b = 0; b < k; ++b)
      for (int a = 0; a < k; ++a) spread[place(coordinates[a]) + size * place(coordinates[b])] += H[a + k * b];
    add(touched, spread.data());
  }

  void gather(const std::vector<int>& places, const double* H, int rows) {
    const int size = 3 * static_cast<int>(places.size());
    gathered.resize(static_cast<std::size_t>(size) * size);
    for (std::size_t b = 0; b < places.size(); ++b)
      for (int c = 0; c < 3; ++c)
        for (std::size_t a = 0; a < places.size(); ++a) {
          const double* from = H + 3 * places[a] + static_cast<std::ptrdiff_t>(3 * places[b] + c) * rows;
          double* to = &gathered[3 * a + (3 * b + c) * size];
          to[0] = from[0], to[1] = from[1], to[2] = from[2];  // std::copy would become a function call each time
        }
  }

  const RigSpaceMapping& mapping;
  std::unique_ptr<Workspace> workspace;
  Vec p, s, y;
  long linear_version = -1;      // LinearRig::version() of the J below
  ElementProjection projection;  // in place of J and `mixed` for linear rigs without interior unknowns
  BlockJacobian ds_dp;
  RowMajor J, T;         // d bound nodes / d free controls; T = (U^T + D / 2) J, see finish
  SparseAssembly mixed;  // Hessian over x, of blocks that touch a bound node
  BorderedSystem* system = nullptr;
  std::vector<int> inside, inside_places, moving, moving_places, touched;
  std::vector<double> gathered, spread;

  // For the curvature of the rig by BFGS: the last iterate, this one, and the matrix so far.
  struct Iterate {
    Vec q, g_p, g_b;
    RowMajor J;
  };
  Iterate before, here;
  bool has_before = false;
  Mat gauss_newton;  // J^T H_bb J of this iterate
  Mat learned;       // S of structured BFGS, or B of the plain one
  Vec q;
};

}  // namespace rigspace
