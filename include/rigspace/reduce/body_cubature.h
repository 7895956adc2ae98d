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

struct CubatureOptions {
  Material material = {};
  std::vector<double> stiffness = {};       ///< factors on the material, one a tetrahedron; empty: 1
  const BlockJacobian* response = nullptr;  ///< of nodes inside, added to their carriers (interior_response.h)
  const LoadedOffsets* loaded = nullptr;    ///< of a LoadedResponse: the rest shape is the body's own as it is
  /// The shape without stress is x_key of each example, and inside x_i = x_key_i + sum_j w_ij (x_j - x_key_j). Else it
  /// is the body's own, with X_i = sum_j w_ij X_j and x_i = sum_j w_ij x_j inside, x_key unused.
  bool rest_follows = false;
  double tolerance = 0.03;             ///< of the reduced forces of the examples, each relative to its own, r.m.s.
  int most = 800;                      ///< elements
  double lowest = 0.9, highest = 1.1;  ///< eigenvalues of K_cubature against K at rest; elements are added until so
  double mass_tolerance = 0.005;       ///< of J^T M J and of the forces of uniform and angular accelerations
  bool more_nodes = true;  ///< masses on further nodes, where those of the elements miss by four times mass_tolerance
  int sketch_rows =
      0;  ///< rows of training; more are added up by random signs into so many. 0: 1600 to 4800, by controls
  std::span<const ExamplePose> held_out = {};  ///< not trained on, for the report

  void validate() const;
};

/// Elements of the mesh that no free control moves are not in it.
struct BodyCubature {
  std::vector<WeightedElement> elements;  ///< tetrahedra, ascending, for Solid::sample (and Damping of that)
  std::vector<int> nodes;                 ///< that the elements or the masses touch, ascending
  std::vector<WeightedElement> masses;    ///< element: node, ascending; weight: its mass at unit density, scene units^3

  int candidates = 0;                        ///< elements that a free control moves
  double error = 0, worst_error = 0;         ///< of reduced forces over the examples: r.m.s. and largest, relative
  double held_out_error = 0;                 ///< r.m.s. over options.held_out
  double lowest = 1, highest = 1;            ///< generalised eigenvalues of K_cubature against K at rest
  double lowest_mass = 1, highest_mass = 1;  ///< the same of J^T M J, over rest and some examples
  bool reached = false;                      ///< whether tolerance and eigenvalues are within the options
};

/// `free`: controls that are solved for, ascending. `interior`: what carries each node that is not of the skin; entries
/// of nodes of the skin are not read. Beside the forces of the examples, each in units of its own, the stiffness at
/// rest is matched (that of the first example's keyed pose where the rest shape follows); examples without force to
/// speak of are left out. Throws Error if no free control moves an element. The same bits on any number of threads.
BodyCubature train_cubature(const RigBody& body, std::span<const int> free, const CarrierWeights& interior,
                            std::span<const ExamplePose> examples, const CubatureOptions& options = {},
                            const ProgressCallback& progress = {});

}  // namespace rigspace
