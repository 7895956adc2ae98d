#pragma once
// Private to clothing: what a simulation holds, and the parts of its step.

#include "cloth_reducer.h"
#include "rigspace/apps/clothing/simulate_cloth.h"
#include "rigspace/energy/cloth_bend.h"
#include "rigspace/energy/half_spaces.h"
#include "rigspace/energy/momentum.h"
#include "rigspace/energy/pull.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/optimize/newton.h"

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
  IdentityMapping identity;
  Objective objective;      // of all points
  HalfSpaces outside;       // the body as a solve without contact feels it
  Objective free, elastic;  // without contact; and without those planes too
  std::unique_ptr<ClothReducer> reducer;
  Integrator integrator;
  NewtonWorkspace workspace;
  TriangleTree body_tree;
  double time = 0;
  Vec body_now, body_next, forces, target;
  Vec plane_forces;                    // N: of the planes of `outside` in the last step
  std::vector<char> absent, released;  // triangles of the body
  ClothReport report;

  Data(const Garment&, const ClothBody&, const ClothOptions&, double start, std::shared_ptr<const ClothReduction>);

  void body_at(double at, Vec& points) const;
  void find_absent(In points);
  void keep_released();
  void release(const SurfaceMotion& motion);
  void find_outside(In x, double scale);
  void carry(In x, In body_from, In body_to, Vec& moved);

  double decrease() const { return masses.sum() * options.tolerance * options.tolerance; }
  void set_loads(double h);
  void set_pins(double h);
  Vec reduced_step(In x, double h);
  void step(double h, const ProgressCallback&);
  void solve(const Objective&, Vec& x, const ProgressCallback&);
  void solve_with_barrier(Vec& x, const ProgressCallback&);
  void solve_with_impulses(Vec& x, const ProgressCallback&);
  int steps_for(double from, double to);
};

}  // namespace rigspace
