#pragma once
// Values and loads on a lattice some of whose cells are split: vertices that hang, and the hierarchical basis.

#include "rigspace/geometry/split_lattice.h"
#include "rigspace/optimize/energy.h"

#include <span>
#include <vector>

namespace rigspace {

/// All vectors are of all vertices, flattened. "Values" are places or displacements; "coefficients" are those of the
/// hierarchical functions Phi_i of SplitLattice; "loads" are what a linear form gives for the trilinear functions of
/// the leaves, F_i is what it gives for Phi_i.
struct LatticeLevels {
  struct Function {
    int vertex;
    std::vector<int> parents;
  };
  std::vector<HangingVertex> hanging;
  std::vector<Function> functions;  ///< of free vertices above level 0; ascending, so that parents come first

  LatticeLevels() = default;
  explicit LatticeLevels(const SplitLattice& lattice);

  bool empty() const { return hanging.empty() && functions.empty(); }

  /// nullptr for a vertex that does not hang.
  const HangingVertex* find(int vertex) const;
  /// Hanging vertices where those that they hang on put them.
  void spread(Vec& values) const;
  /// Its transpose: loads of hanging vertices go to those, and are zero.
  void fold(Vec& loads) const;
  /// Values to coefficients, those of hanging vertices zero; back; and the transposes of both.
  void to_coefficients(Vec& x) const;
  void to_values(Vec& q) const;
  void to_loads(Vec& F) const;        ///< F_i to loads of free vertices: the transpose of to_coefficients
  void from_loads(Vec& loads) const;  ///< loads of all vertices to F_i: the transpose of to_values
};

/// Hands blocks on with hanging vertices replaced by what they hang on.
class FoldingSink final : public BlockSink {
 public:
  FoldingSink(const LatticeLevels& levels, int vertices, BlockSink& sink);
  void add_coordinates(std::span<const int> coordinates, const double* H) override {
    sink_->add_coordinates(coordinates, H);
  }
  void add(std::span<const int> points, const double* H) override;

 private:
  const LatticeLevels* levels_;
  BlockSink* sink_;
  std::vector<int> hangs_;  // for each vertex, into levels.hanging; -1: free
  std::vector<int> others_;
  Mat weights_, half_, block_;
};

}  // namespace rigspace
