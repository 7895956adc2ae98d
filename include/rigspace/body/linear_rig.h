#pragma once
// A rig seen from the nodes of a body, linear within a step (Thesis 4.2.2, 4.2.4):
//   x~(p) = x(p~) + J (p - p~),   p~ the controls that a step is expected to end at, keyed ones at their new values.
// (The printed p~ = p^t loses half of J^T M T p'^2 as h -> 0: docs/corrections.md, "linearisation point".)
//
// J is stored in frames that turn with the keyed pose, so that it stays valid while the body turns as a whole. Which p~
// is taken, and when J is renewed, is up to a RigLineariser.

#include "rigspace/body/point_ties.h"
#include "rigspace/body/rig_space.h"
#include "rigspace/geometry/region_frames.h"
#include "rigspace/rig/jacobian.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace rigspace {

struct LinearRigFrames {
  int regions = 16;  ///< of the body that turn by themselves; 0: J is kept as it is
  /// Of the frames of J's rows, where those are not the frames of the response.
  std::optional<int> row_regions = {};
};

/// The linear map of one step, and what renews it. y: the bound nodes in order, three numbers each, scene units.
class LinearRig {
 public:
  /// Of the description, rig, free controls, bound nodes and ties count. `x_rest`: all nodes. `response`: what nodes do
  /// beside B s(p) by the deviation of each free control from the keyed pose, per bound node, in the frame of the rest
  /// pose (interior_response.h); none if empty.
  LinearRig(const RigSpaceDescription& map, In x_rest, const LinearRigFrames& frames = {}, BlockJacobian response = {});

  /// y~ = y(p~) + J (p - p~). `p`: all controls.
  void at(In p, Vec& y) const;
  /// g_q += J^T g, of each: of all nodes, to the free controls, which are the last of g_q.
  void pull_each(std::span<const Vec> g, std::span<Vec> g_q) const;
  /// Rows of J in the frames of now: entries e in start[k] .. start[k + 1] of bound node k.
  const BlockJacobian& J() const;
  /// Changes with J's values, with the places of its entries, and with its values beside the turning of frames.
  long version() const { return version_; }
  long pattern() const { return pattern_; }
  long shape() const { return shape_; }

  const Rig& rig() const { return *rig_; }
  const std::vector<int>& free() const { return free_; }
  const std::vector<int>& bound() const { return bound_; }
  const PointTies& ties() const { return ties_; }        ///< one row a bound node
  const Vec& typical() const { return typical_; }        ///< change of each free control, positive
  double size() const { return size_; }                  ///< diagonal of the bound nodes at rest, scene units
  const Vec& rest_nodes() const { return rest_nodes_; }  ///< bound nodes at rest
  bool has_response() const { return !response_.start.empty(); }
  long evaluations() const { return evaluations_; }  ///< of the rig, those of differences included
  long jacobians() const { return jacobians_; }      ///< of the rig

  /// What bound nodes are beside B s(p) at no deviation, in the frame of the rest pose: 0 until the first call.
  void set_offset(In offset) { offset_ = offset; }
  /// The keyed pose: all controls, of which the free ones are where the response is 0.
  void set_key(In p_key) { p_key_ = p_key; }
  const Vec& p_key() const { return p_key_; }
  /// Turns the frames of the response with all nodes at x; those of the rows too, unless they are their own.
  void turn(In x);
  /// Turns the rows' own frames with the bound nodes at y.
  void turn_rows(In y);
  const Mat3& row_frame(Eigen::Index k) const { return row_frames_ ? row_frames_->of(k) : frames_.of(k); }
  /// Of a bound node: what its response adds to B s(p), in the frames of now. There must be a response.
  Vec3 beside(In p, std::size_t k) const;
  /// y(p) = B s(p) and the response. One evaluation.
  void evaluate(In p, Vec& y);

  /// x~ touches x at p~ = p, where the bound nodes are at y.
  void set_point(In p, In y) { p_ = p, y0_ = y; }
  const Vec& point_controls() const { return p_; }
  const Vec& point_nodes() const { return y0_; }

  /// Whether there is a J.
  bool has_rows() const { return has_rows_; }
  /// J at p~ from the rig.
  void evaluate_jacobian();
  /// J from that of the rig's points, ds/dp by the free controls, as the rig would give it at p~.
  void set_point_jacobian(const BlockJacobian& of_points);
  /// J in the frames of the rest pose.
  const BlockJacobian& rows() const { return rows_; }
  void set_rows(BlockJacobian rows);
  void drop_rows() { has_rows_ = false; }
  /// From now on every J that is evaluated has entries at these places, zero where the rig has none, and beside them
  /// where the rig has others. Entries of bound node k: `column`, ascending, in start[k] .. start[k + 1].
  void include_places(std::vector<int> start, std::vector<int> column);
  /// Adds to J; one column of `change` for each place of include_places. J must have these places.
  void add_to_rows(const Eigen::Matrix3Xd& change);
  /// Broyden's update, so that J leads from y_from at p_from to y at p.
  void learn(In p_from, In y_from, In p, In y);

  /// J as numbers: a flag of three, of which the first is has_rows(), places, values. Restored, it is the same to the
  /// bit.
  std::vector<Vec> saved_state() const;
  void restore(std::span<const Vec> state);

 private:
  template <int N>
  void pull_some(const Vec* g, Vec* g_q) const;
  const Vec& repeated_way(In p, In from) const;
  void rows_changed();
  void place_rows();
  void find_places();

  std::shared_ptr<const Rig> rig_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<int> free_, bound_;
  PointTies ties_;
  double size_ = 1;
  Vec rest_nodes_, typical_;
  long evaluations_ = 0, jacobians_ = 0;

  RegionFrames frames_;                     // of the response
  std::optional<RegionFrames> row_frames_;  // of J's rows; none: those of the response
  BlockJacobian response_;                  // of the bound nodes, in the frames of the rest pose
  Vec offset_;                              // likewise
  Vec key_, p_key_;                         // bound nodes that frames turn with; all controls of the keyed pose
  Vec p_, y0_;                              // where x~ touches x

  BlockJacobian point_J_;  // of the rig's points
  BlockJacobian rows_;     // of the bound nodes, in the frames of the rest pose
  bool has_rows_ = false;
  mutable BlockJacobian J_;      // the same in the frames of now
  mutable bool turned_ = false;  // whether J_ is up to date
  long version_ = 0, pattern_ = 0, shape_ = 0;

  std::vector<int> included_start_, included_column_;                         // see include_places; empty: none
  std::vector<int> asked_start_, asked_column_, found_start_, found_column_;  // places of J, for those of the points
  std::vector<int> mark_, columns_, start_before_, column_before_;
  mutable Vec way_, gathered_;  // three numbers a free control (block_rows.h), of three vectors
  Vec s_, row_;
};

}  // namespace rigspace
