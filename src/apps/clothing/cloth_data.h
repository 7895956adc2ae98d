#pragma once
// Private to clothing: what a simulation holds, and the parts of its step.

#include "body_planes.h"
#include "cloth_reducer.h"
#include "rigspace/apps/clothing/simulate_cloth.h"
#include "rigspace/energy/cloth_bend.h"
#include "rigspace/energy/half_spaces.h"
#include "rigspace/energy/momentum.h"
#include "rigspace/energy/pull.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/surface_crossings.h"
#include "rigspace/optimize/newton.h"
#include "rigspace/optimize/system.h"

namespace rigspace {

struct ClothSimulation::Data {
  Garment garment;
  ClothBody body;
  ClothOptions options;
  std::vector<std::array<double, 6>> flat;
  Vec masses;
  ClothStretch stretch;
  ClothBend bend;
  Momentum momentum;
  Load load;
  Pulls pins;
  BarrierContact contact;
  std::unique_ptr<ImpulseContact> impulses;  // in its place, where the options say so
  std::unique_ptr<ImpulseContact> carrier;   // of the barrier: brings the cloth along with the body
  IdentityMapping identity;
  Objective objective;      // of all points
  HalfSpaces outside;       // the body as a solve without contact feels it
  Objective free, elastic;  // without contact; and without those planes too
  std::unique_ptr<ClothReducer> reducer;
  Integrator integrator;
  NewtonWorkspace workspace;
  struct FullStep {  // memory of solve_at_once
    ObjectiveState state;
    std::unique_ptr<System> system;
    Vec x, q, g, direction;
  } full;
  TriangleTree body_tree;
  SelfCrossingFinder body_crossings;
  EdgeTable edges;                           // of the garment
  std::vector<std::vector<int>> neighbours;  // of its points; filled when needed
  double time = 0;
  Vec body_now, body_next, forces, target;
  Vec plane_forces;              // N: of the planes of `outside` in the last step
  TriangleTree worn_tree;        // of the body's worn triangles
  std::vector<char> worn;        // triangles of the body near the garment at the start
  std::vector<char> absent;      // triangles of the body that are out of contact in this step
  std::vector<char> caught;      // points of the garment that are inside the body beneath such triangles; empty: none
  double stiffening = 1;         // of the barrier, by as much as cloth pressed hard on the body
  double solved_stiffening = 1;  // of the step before
  ClothReport report;

  Data(const Garment&, const ClothBody&, const ClothOptions&, double start, std::shared_ptr<const ClothReduction>);

  void body_at(double at, Vec& points) const;
  void find_worn();
  void start_contact();
  void find_absent(In points);
  std::vector<char> pinching_points(In points, std::span<const char> near);
  int let_limbs_through(std::span<const char> around, In body_at);
  std::vector<int> pass_through(std::span<const char> candidates);
  void find_caught(std::vector<int> seeds);
  void count_released(std::span<const char> released);
  void find_outside(In x, double scale);
  void carry(In x, In body_from, In body_to, Vec& moved);

  double decrease() const { return masses.sum() * options.tolerance * options.tolerance; }
  void set_loads(double h);
  void set_pins(double h);
  Vec reduced_step(In x, double h);
  void step(double h, const ProgressCallback&);
  bool solve(const Objective&, Vec& x, int iterations, const ProgressCallback&);
  bool solve_at_once(Vec& x);
  void stiffen(double nearest);
  void solve_with_barrier(Vec& x, const ProgressCallback&);
  void solve_with_impulses(Vec& x, const ProgressCallback&);
  int steps_for(double from, double to);
};

}  // namespace rigspace
