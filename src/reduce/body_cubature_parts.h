#pragma once
// Private to physics: what elements and masses of a cubature share in their training.

#include "rigspace/body/carried_rows.h"
#include "rigspace/optimize/cubature.h"
#include "rigspace/reduce/body_cubature.h"

#include <cstdint>
#include <functional>

namespace rigspace {

/// Rows of a least squares problem, in places 0 .. wanted. Up to `room` they stay as they are; more are added up into
/// `room` by signs and places that look random, which keeps lengths and angles up to about 1 / sqrt(room) (Charikar,
/// Chen and Farach-Colton 2002).
class RowSketch {
 public:
  struct Place {
    int row;
    double sign;
  };

  RowSketch(long wanted, int room) : exact_(wanted <= room), rows_(exact_ ? static_cast<int>(wanted) : room) {}
  int rows() const { return rows_; }
  Place operator()(long row) const {
    if (exact_) return {static_cast<int>(row), 1.0};
    std::uint64_t z = static_cast<std::uint64_t>(row) * 0x9e3779b97f4a7c15ULL + 0x632be59bd9b4e019ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    return {static_cast<int>((z >> 1) % static_cast<std::uint64_t>(rows_)), (z & 1) != 0 ? 1.0 : -1.0};
  }

 private:
  bool exact_;
  int rows_;
};

/// Those of the options, or several times what is likely to be chosen for so many controls.
int sketch_rows(const CubatureOptions& options, int controls);

/// Eigenvalues of B v = t A v, both symmetric, A without negative eigenvalues, where A does not vanish.
struct EigenvalueRange {
  Vec values;   ///< ascending
  Mat vectors;  ///< v^T A v = 1
  double lowest() const { return values.size() > 0 ? values[0] : 1; }
  double highest() const { return values.size() > 0 ? values[values.size() - 1] : 1; }
};
EigenvalueRange generalised_eigenvalues(const Mat& B, const Mat& A);

/// A pose in training: derivatives of all nodes by the free controls.
struct TrainingPose {
  BlockJacobian J;
  Vec x;       ///< all nodes, those inside carried
  Vec x_rest;  ///< the shape without stress
};

/// The body as cubature sees it.
struct CubatureTraining {
  const RigBody& body;
  std::span<const int> free;
  const CarrierWeights& interior;
  const CubatureOptions& options;
  CarriedRows rows;

  TrainingPose rest(std::span<const ExamplePose> examples) const;
  TrainingPose pose(const ExamplePose& example) const { return pose(rows, example); }
  /// J of the nodes of `some` alone, which are `nodes`; of all if there are none.
  TrainingPose pose(const CarriedRows& some, const ExamplePose& example, std::span<const int> nodes = {}) const;
};

/// Corners of these tetrahedra, ascending.
std::vector<int> touched_nodes(const TetMesh& mesh, std::span<const WeightedElement> elements);

/// Rows v^T M_c v of candidates c, one row a column of V.
using QuadraticRows = std::function<Mat(const Mat& V)>;
/// sum_c w_c M_c.
using WeightedSum = std::function<Mat(std::span<const WeightedElement>)>;

/// Adds to a selection what brings the eigenvalues of sum w_c M_c against M into a range: the vectors of those outside
/// become rows, v^T (sum w_c M_c) v = 1, and the selection goes on. Returns the eigenvalues at the end.
struct EigenvalueGoal {
  double lowest, highest;
  const Mat& M;
  double weight;  ///< of such a row
  QuadraticRows rows;
  WeightedSum sum;
};
EigenvalueRange pull_eigenvalues(ColumnSelector& selector, const EigenvalueGoal& goal,
                                 const ColumnSelectionOptions& options);

/// What such a row weighs as a share of all else: an eigenvalue off by a fifth is an error of two per cent.
constexpr double kEigenvalueShare = 0.1;

/// Chooses masses for the cubature; its elements are chosen already. `rest` and some of the examples are matched.
void choose_masses(const CubatureTraining& training, const TrainingPose& rest, std::span<const ExamplePose> examples,
                   BodyCubature& cubature);

}  // namespace rigspace
