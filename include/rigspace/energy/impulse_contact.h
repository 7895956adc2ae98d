#pragma once
// Contact by impulses (Thesis 3.5.3; Bridson, Fedkiw and Anderson 2002): where the points of a surface want to be at
// the end of a step is given, by any solver; what would meet on the way there is kept apart. A pair of a point and a
// triangle, or of two edges, with weights w_k at its nearest places and normal n must end with
//   n . sum_k w_k x_k >= g,   g = d, or where the pair starts nearer than d, its distance D and `push` (d - D) more.
// What is missing is made up by an impulse on its four points,  dx_k = w_k / m_k (l n + f),  l >= 0, |f| <= mu l, where
// f opposes the sliding (Coulomb: at most what stops it). The obstacle has no mass of its own: its motion is given. All
// weights of a pair sum to zero, so impulses within the surface keep its momentum.
//
// A step runs through stages; each acts only on what the one before has left:
//   1. impulses of pairs that are near at the start, in sweeps over all of them (Gauss-Seidel, l and f accumulated);
//   2. the straight paths are tested (safe_motion); pairs that meet get impulses with their normals at that time;
//   3. points of pairs that still meet form zones: of the surface alone, each moves rigidly, by its own momentum;
//      at the obstacle, each of its points moves along with the nearest place of the obstacle;
//   4. the step is cut where the first pairs meet, and 1 to 3 go on from there with the rest of it;
//   5. after `cuts` of these, triangles of the obstacle that still meet the surface leave contact: counted.
// Every stage ends, and so does the step: what starts without intersections ends without, unless 5 acted.

#include "rigspace/geometry/collision_pairs.h"

#include <memory>
#include <span>

namespace rigspace {

struct ImpulseOptions {
  double distance = 0.002;  ///< m: d
  double friction = 0.3;    ///< Coulomb's mu
  bool self = true;         ///< contact of the surface with itself
  double push = 0.25;       ///< share of the missing distance that a step restores
  int sweeps = 6;           ///< of impulses, each time that pairs were added
  int rounds = 6;           ///< of tests and impulses
  int zone_rounds = 20;     ///< of tests and zones
  int cuts = 8;             ///< of one step

  void validate() const;
};

/// How often each stage acted, since the start.
struct ImpulseReport {
  int steps = 0;
  int touching = 0;  ///< most pairs with an impulse in one step
  int rounds = 0;    ///< of stage 2 that found pairs that meet
  int zones = 0;     ///< rigid ones
  int carried = 0;   ///< points moved along with the obstacle, of all steps
  int cuts = 0;
  int released = 0;    ///< triangles of the obstacle that left contact, of all steps
  double nearest = 0;  ///< m: smallest distance of a near pair at the start of the last step; `distance` without
};

/// Memory is kept from step to step. The same bits on any number of threads.
class ImpulseContact {
 public:
  /// The surface at rest, m, and the obstacle; pairs of the surface that are nearer than d at rest have 0.9 of their
  /// rest distance in place of d.
  ImpulseContact(const TriMesh& surface, const TriMesh& obstacle, const ImpulseOptions& = {});
  ~ImpulseContact();
  ImpulseContact(ImpulseContact&&) noexcept;

  const ImpulseOptions& options() const;
  /// Triangles of the obstacle that take no part: see CollisionPairFinder.
  void set_absent(std::span<const char> triangles);

  /// The motion: the surface from where it is, free of intersections, to where a solver wants it; the obstacle from
  /// where it is to where it will be. masses: of the points, kg, more than zero; infinity for one that must end where
  /// it is wanted (stages 3 to 5 move it all the same). x_safe: where the surface ends.
  void resolve(const SurfaceMotion& motion, In masses, Vec& x_safe);

  /// Triangles of the obstacle that left contact in the last step (non-zero entries; empty for none).
  std::span<const char> released() const;
  const ImpulseReport& report() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace rigspace
