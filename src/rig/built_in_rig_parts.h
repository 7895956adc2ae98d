#pragma once
// What a built-in rig keeps from call to call.

#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/follower.h"

namespace rigspace {

/// The sparsity of ds/dp for one set of free controls: a point's columns are those that reach any slot it reads, or any
/// point it follows.
struct BuiltInRig::Plan {
  std::vector<int> free;
  std::vector<int> start, column;                                   // of the Jacobian
  std::vector<std::vector<std::span<const ColumnRun>>> entry_runs;  // per deformer, per entry
  std::vector<ColumnRun> runs;                                      // what the spans point into

  /// Of a follower: for each point that each of its points follows, where that point's columns go in the row.
  struct Places {
    std::vector<int> start;  // of each point's own, and one more
    std::vector<int> place;
  };
  std::vector<Places> places;  // per follower
};

struct BuiltInRig::Memory : Workspace {
  ControlGraph::Memory graph;
  Vec u, g_u;
  std::vector<int> needed;            // slots that deformers read, and what those are made of, ascending
  std::vector<const double*> inputs;  // of one operator
  std::vector<std::unique_ptr<DeformerState>> states;
  GraphJacobian du;
  Plan plan;
  std::vector<std::vector<double>> g_slots;  // adjoint: per chunk, the slots of all deformers
  std::vector<int> slot_begin;               // of each deformer in those
  // With followers only:
  Vec x, g;                 // points under way, and their adjoints
  std::vector<Vec> starts;  // per stage: points as it found them
};

}  // namespace rigspace
