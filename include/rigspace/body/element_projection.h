#pragma once
// K = sum_e J_e^T H_e J_e, where J_e has only the columns of the controls that move element e.

#include "rigspace/optimize/energy.h"
#include "rigspace/rig/jacobian.h"

#include <array>
#include <map>
#include <span>
#include <vector>

namespace rigspace {

/// Receives Hessian blocks over nodes and adds their projections to the lower triangle of a dense matrix over the free
/// controls. Energies add the same elements in the same order in every iteration: the columns of each element are found
/// once and kept. Where many elements share few nodes and controls, blocks are first summed over each pair of nodes: a
/// mesh has five times as many elements as nodes.
class ElementProjection final : public BlockSink {
 public:
  /// J: one row of blocks for each bound node; referred to. The caller changes the number `pattern` when the places of
  /// J's entries change, and `shape` when its values change otherwise than by rotations of whole rows.
  void set_rows(const BlockJacobian& J, long pattern, long shape);
  /// Whether J^T M J of one step is reused in the next ones while `shape` stays. Its last bits then depend on when it
  /// was summed: not for runs that are resumed to the same bits.
  void keep_inertia(bool keep) { keep_inertia_ = keep; }
  /// Blocks that follow are added to K. `roles`, one per node: -2 - k is bound node k; larger numbers are nodes that no
  /// control moves. Both are referred to until `finish`.
  void begin(Mat& K, std::span<const int> roles);

  void add(std::span<const int> points, const double* H) override;
  void add_batch(int k, std::span<const int> points, const double* H) override;
  /// Projects the blocks that are still gathered: K is complete.
  void finish();
  void add_coordinates(std::span<const int> coordinates, const double* H) override;

 private:
  struct Plan {
    std::vector<int> points;   // as given
    std::vector<int> columns;  // of the controls that any of them feels, ascending
    std::vector<int> rows;     // of J: -1 where a point is held
    std::vector<int> places;   // of each entry of each row among `columns`
    int same_as = -1;          // an earlier plan over the same points: blocks are summed before they are projected
    std::vector<double> H;
    bool pending = false;
  };
  /// How the blocks of `plans` are summed over pairs of nodes.
  struct NodePairs {
    std::vector<int> plans;    // as gathered
    std::vector<int> columns;  // of the controls that any of them feels, ascending
    std::vector<int> rows;     // of J, those of their nodes
    std::vector<int> entries;  // of each entry of these rows: its place among `columns`
    std::vector<int> start;    // per row: its pairs begin here, each with a row that is not after it
    std::vector<int> partner;  // of each pair: the other row, a number in `rows`
    std::vector<int> place;    // for plan after plan, for each two of its points: the pair, -1 for none
    long version = -1;         // of the plans
    bool cheaper = false;      // than element by element
  };
  Plan& plan(std::span<const int> points);
  NodePairs& node_pairs();
  void find_node_pairs(NodePairs& pairs) const;
  void project_now(Plan& plan);
  void project_now(const NodePairs& pairs);

  const BlockJacobian* J_ = nullptr;
  Mat* K_ = nullptr;
  std::span<const int> roles_;
  long pattern_ = -1, shape_ = -1;
  struct Inertia {
    long shape = -2;
    std::vector<int> points;
    std::vector<double> masses;
    Mat K;
  };
  std::array<Inertia, 4> inertia_;  // of the batches of points, in order
  int batch_ = 0;
  bool keep_inertia_ = false;
  std::vector<Plan> plans_;
  long version_ = 0;                // changes with any plan
  std::array<NodePairs, 3> pairs_;  // of the last lists of blocks
  std::size_t oldest_pairs_ = 0;
  std::map<std::vector<int>, int> first_over_;  // points to the first plan over them
  std::size_t next_ = 0;
  std::vector<int> waiting_;
  std::vector<double> Je_, HJ_;
  std::vector<int> touched_;
  std::vector<double> spread_;
};

}  // namespace rigspace
