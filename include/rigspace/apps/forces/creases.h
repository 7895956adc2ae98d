#pragma once
// Skin that meets itself where joints bend (PBR 3.4): contacts of points with triangles, found from seeds by a front,
// and held apart by an active set within conjugate gradients.

#include "rigspace/apps/forces/force_rig.h"
#include "rigspace/base/progress.h"
#include "rigspace/optimize/projected_cg.h"

#include <array>
#include <memory>
#include <vector>

namespace rigspace {

/// Pairs of points of the skin that met first in a slow motion.
struct CreaseSeeds {
  std::vector<std::array<int, 2>> pairs;
};

struct CreaseOptions {
  double margin = 0.3;      ///< how near contacts are looked for, in mean edges of the skin
  double deepest = 1.5;     ///< how deep, in the same unit
  double recovery = 0.5;    ///< share of a depth that is left after a step
  double tolerance = 0.02;  ///< of gaps, in mean edges
  int rounds = 8;           ///< of the active set in a step, at most
  ProjectedCgOptions solver{.tolerance = 1e-5, .max_iterations = 300};

  void validate() const;
};

/// The skin as one surface, its seams closed.
class CreaseSurface {
 public:
  explicit CreaseSurface(const ForceBody& body);

  int count() const { return static_cast<int>(points_.size()); }
  const std::vector<Triangle>& triangles() const { return triangles_; }
  const std::vector<int>& triangles_at(int i) const { return triangles_at_[i]; }
  const std::vector<int>& neighbours(int i) const { return neighbours_[i]; }
  /// Whether a point is within two edges of a corner of the triangle: these never count as meeting.
  bool is_near(int i, int triangle) const;
  /// Of a point of the skin, and back.
  int number(int skin_point) const { return number_[skin_point]; }
  int skin_point(int i) const { return points_[i]; }
  double mean_edge() const { return mean_edge_; }

 private:
  std::vector<int> points_, number_;
  std::vector<Triangle> triangles_;
  std::vector<std::vector<int>> triangles_at_, neighbours_, near_;
  double mean_edge_ = 0;
};

/// A point i at the place b of a triangle. With n the triangle's normal where the contact was last looked at, the gap
/// is n . (x_i - x_b): negative where the point is inside.
struct CreaseContact {
  int point, triangle;
  Vec3 barycentric, normal;
  double gap = 0;       ///< where it was last looked at
  bool active = false;  ///< in the last solve: held at its bound
  double force = 0;     ///< in the last solve: along n on the point, and against it on the triangle
};

class Creases {
 public:
  Creases(std::shared_ptr<const CreaseSurface> surface, CreaseSeeds seeds, CreaseOptions options = {});

  /// Looks for contacts in the neighbourhoods of seeds and of contacts that there are (the front), and leaves out those
  /// that came apart. Contacts stay in the order in which they came.
  void update(const ForceBody& body, In y);
  const std::vector<CreaseContact>& contacts() const { return contacts_; }
  void add_seed(int i, int j) { seeds_.push_back({i, j}); }
  void clear() { contacts_.clear(); }

  struct Solve {
    int rounds = 0, iterations = 0, active = 0;
    bool complete = false;  ///< no contact pulls and no gap is below its bound
  };
  /// Minimises 1/2 u.A u - g.u with the gaps of y + u at least 0, or above what `recovery` leaves of a depth. A is the
  /// lattice's. `factored`: its factor is the preconditioner, else its diagonal, and u may hold a start.
  Solve solve(PosedLattice& lattice, In y, In g, bool factored, Vec& u);

 private:
  struct Row {
    std::vector<int> coordinates;
    std::vector<double> values;
    double least;  // of row . u
    double along(In u) const;
  };
  Row row_of(const PosedLattice& lattice, const CreaseContact& contact, In y) const;
  bool measure(int point, int triangle, CreaseContact& contact) const;
  void consider(int point, int triangle);
  Vec3 normal_at(int point) const;

  std::shared_ptr<const CreaseSurface> surface_;
  std::vector<std::array<int, 2>> seeds_;
  CreaseOptions options_;
  std::vector<CreaseContact> contacts_;
  std::vector<int> contact_of_;  // of each point; -1
  Vec x_;                        // the surface where contacts were last looked for
};

/// Goes through poses in equilibrium and notes where points of the skin first enter the body; what met stays held
/// apart. Poses that follow each other should be a few degrees apart.
CreaseSeeds find_crease_seeds(const ForceRig& rig, std::span<const Vec> poses, const CreaseOptions& options = {},
                              const ProgressCallback& progress = {});
/// From one pose to another, both included, in so many steps.
std::vector<Vec> slow_motion(In from, In to, int steps);

/// Equilibrium with creases, from y; contacts are those of y.
Creases::Solve settle_creases(PosedLattice& lattice, In Q, Creases& creases, Vec& y);

}  // namespace rigspace
