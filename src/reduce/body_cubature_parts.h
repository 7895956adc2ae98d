#pragma once
// Private to reduce: poses, row sketches and eigenvalues for the training of the elements and masses of a cubature.

#include "rigspace/body/carried_rows.h"
#include "rigspace/optimize/cubature.h"
#include "rigspace/reduce/body_cubature.h"

#include <cstdint>
#include <functional>

namespace rigspace {

/// Maps the rows 0 .. wanted - 1 of a least squares problem to at most `room` rows. If they fit, they stay as they are.
/// Otherwise each is added to a pseudo-random row with a pseudo-random sign, which keeps lengths and angles up to a
/// relative error of about 1 / sqrt(room) (Charikar, Chen and Farach-Colton 2002).
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

/// options.sketch_rows, or where that is 0 a default by the number of controls, several times the elements likely to be
/// chosen.
int sketch_rows(const CubatureOptions& options, int controls);

/// Eigenvalues t of B v = t A v on the subspace where A is not zero. B is symmetric, A symmetric and semi-definite.
struct EigenvalueRange {
  Vec values;   ///< ascending
  Mat vectors;  ///< v^T A v = 1
  double lowest() const { return values.size() > 0 ? values[0] : 1; }
  double highest() const { return values.size() > 0 ? values[values.size() - 1] : 1; }
};
EigenvalueRange generalised_eigenvalues(const Mat& B, const Mat& A);

/// One example with its interior nodes set by the carriers.
struct TrainingPose {
  BlockJacobian J;  ///< derivatives of nodes by the free controls
  Vec x;            ///< all nodes
  Vec x_rest;       ///< all nodes of the shape without stress
};

/// The inputs of train_cubature, and the nodes as weighted sums of points of the rig.
struct CubatureTraining {
  const RigBody& body;
  std::span<const int> free;
  const CarrierWeights& interior;
  const CubatureOptions& options;
  CarriedRows rows;

  TrainingPose rest(std::span<const ExamplePose> examples) const;
  TrainingPose pose(const ExamplePose& example) const { return pose(rows, example); }
  /// With J for the rows of `some` only; `nodes` are the nodes of these rows, all if empty.
  TrainingPose pose(const CarriedRows& some, const ExamplePose& example, std::span<const int> nodes = {}) const;
};

/// Corners of these tetrahedra, ascending.
std::vector<int> touched_nodes(const TetMesh& mesh, std::span<const WeightedElement> elements);

/// v^T M_c v: a row for each column v of V, a column for each candidate c.
using QuadraticRows = std::function<Mat(const Mat& V)>;
/// sum_c w_c M_c.
using WeightedSum = std::function<Mat(std::span<const WeightedElement>)>;

/// Continues a selection until the eigenvalues of sum_c w_c M_c against M are in [lowest, highest], or 16 rounds have
/// passed: each eigenvector v outside the range adds the row v^T (sum_c w_c M_c) v = 1, then the selection goes on.
/// Returns the last eigenvalues.
struct EigenvalueGoal {
  double lowest, highest;
  const Mat& M;
  double weight;  ///< factor on each added row
  QuadraticRows rows;
  WeightedSum sum;
};
EigenvalueRange pull_eigenvalues(ColumnSelector& selector, const EigenvalueGoal& goal,
                                 const ColumnSelectionOptions& options);

/// EigenvalueGoal::weight as a share of |b|: an eigenvalue that is off by 0.2 then adds a relative error of 0.02.
constexpr double kEigenvalueShare = 0.1;

/// Chooses the masses and nodes of a cubature whose elements are chosen already, to match the inertia at `rest` and at
/// up to three of the examples.
void choose_masses(const CubatureTraining& training, const TrainingPose& rest, std::span<const ExamplePose> examples,
                   BodyCubature& cubature);

}  // namespace rigspace
