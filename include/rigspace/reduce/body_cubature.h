#pragma once
// Cubature of a body whose only unknowns are the free controls: few tetrahedra with non-negative weights whose reduced
// forces approximate those of all, and few nodes with masses whose inertia approximates that of all.

#include "rigspace/base/progress.h"
#include "rigspace/body/rig_body.h"
#include "rigspace/energy/material.h"
#include "rigspace/geometry/harmonic.h"
#include "rigspace/optimize/energy.h"
#include "rigspace/reduce/shaking.h"

#include <span>
#include <vector>

namespace rigspace {

/// How well the few elements must stand for all. The program and its benchmarks use cubature_setting.
struct CubatureSetting {
  double tolerance = 0.03;  ///< r.m.s. over the examples of the error of the reduced force, relative to that force
  int most = 800;           ///< largest number of elements
  /// Range for the generalised eigenvalues of K_cubature against K at rest; elements are added until all lie in it.
  double lowest = 0.9, highest = 1.1;

  void validate() const;
};

/// The setting for a body of so many elements, inside the [0.8, 1.25] of docs/corrections.md ("cubature"): forces
/// within 3 % and stiffness within 10 %. Forces of small bodies, of which a good share of the elements is chosen in any
/// case, are within 1 %.
CubatureSetting cubature_setting(std::size_t elements);

struct CubatureOptions {
  Material material = {};
  std::vector<double> stiffness = {};  ///< factors on the material, one a tetrahedron; empty: 1
  /// Displacement of interior nodes per free control, added to what their carriers give (interior_response.h); null:
  /// none. With `loaded` it is linear in the deviation from loaded->p.
  const BlockJacobian* response = nullptr;
  const LoadedOffsets* loaded = nullptr;  ///< of a LoadedResponse: the rest shape is then the body's mesh, unchanged
  /// true: the shape without stress is x_key of each example, and interior nodes are at
  /// x_i = x_key_i + sum_j w_ij (x_j - x_key_j). false: that shape is the body's own with X_i = sum_j w_ij X_j inside,
  /// interior nodes are at x_i = sum_j w_ij x_j, and x_key is not used.
  bool rest_follows = false;
  CubatureSetting setting = {};
  double mass_tolerance = 0.005;  ///< relative: of J^T M J and of J^T M a for uniform and angular accelerations a
  /// Whether nodes that belong to no chosen element may get mass, where the masses of the elements' nodes miss by more
  /// than four times mass_tolerance, or an inertia eigenvalue by more than 0.1.
  bool more_nodes = true;
  /// Rows of the training matrix. Where there are more, they are summed with random signs into this many. 0: 24 per
  /// control, at least 1600 and at most 4800.
  int sketch_rows = 0;
  std::span<const ExamplePose> held_out = {};  ///< examples for BodyCubature::held_out_error, not used in training

  void validate() const;
};

/// The chosen elements and masses, and how well they fit. Elements that no free control moves are never chosen.
struct BodyCubature {
  std::vector<WeightedElement> elements;  ///< tetrahedra, ascending, for Solid::sample (and Damping of that)
  std::vector<int> nodes;                 ///< corners of the elements and nodes with mass, ascending
  std::vector<WeightedElement> masses;    ///< element: node, ascending; weight: its mass at unit density, scene units^3

  int candidates = 0;                        ///< elements that a free control moves
  double error = 0, worst_error = 0;         ///< of reduced forces over the examples: r.m.s. and largest, relative
  double held_out_error = 0;                 ///< r.m.s. over options.held_out
  double lowest = 1, highest = 1;            ///< generalised eigenvalues of K_cubature against K at rest
  double lowest_mass = 1, highest_mass = 1;  ///< the same for J^T M J, over the rest pose and up to three examples
  Mat stiffness;                             ///< J^T H J of all elements at rest, by the free controls
  bool reached = false;                      ///< whether tolerance and eigenvalues are within the options
};

/// `free`: controls that are solved for, ascending. `interior`: the carriers of each interior node and their weights;
/// entries of skin nodes are not read. The elements are fitted to the reduced force of each example, divided by its
/// norm, and to the stiffness at rest (at the first example's keyed pose where the rest shape follows). Examples whose
/// force is below 1e-4 of the largest are left out. Throws Error if no free control moves an element. The result is the
/// same to the bit on any number of threads.
BodyCubature train_cubature(const RigBody& body, std::span<const int> free, const CarrierWeights& interior,
                            std::span<const ExamplePose> examples, const CubatureOptions& options = {},
                            const ProgressCallback& progress = {});

}  // namespace rigspace
