#pragma once
// A rig seen from the nodes of a body, linear within a step (Thesis 4.2.2, 4.2.4):
//   x~(p) = x(p~) + J (p - p~),   p~ the controls that a step is expected to end at, keyed ones at their new values.
// (The printed p~ = p^t loses half of J^T M T p'^2 as h -> 0: docs/corrections.md, "linearisation point".)
//
// J may be kept over many steps. It is stored in frames that turn with the keyed pose, so that a body that turns as a
// whole does not wear it out, and it is renewed where it misses what the rig truly does.

#include "rigspace/body/rig_space.h"
#include "rigspace/rig/jacobian.h"
#include "rigspace/rig/jacobian_sample.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

struct LinearRigOptions {
  bool deferred = true;     ///< J is kept while it holds; false: a new one every step
  bool predict = true;      ///< renews J before a step that it would miss (4.14), not only after it (4.13)
  bool broyden = false;     ///< between evaluations J learns from every state that is evaluated anyway
  double tolerance = 0.05;  ///< how far J may miss, of the way that the free controls take the nodes in a step
  double floor = 1e-5;      ///< of the body's size: ways shorter than this are nothing
  int frames = 16;          ///< regions of the body that turn by themselves; 0: J is kept as it is
  int most_steps = 120;     ///< that a J may serve
  /// For rigs whose evaluations cost more than solves: a step makes one, at its end. Where x~ touches x is carried on
  /// from the states before, in the frames that turn, and only looked up where the end shows that it missed. Whether J
  /// still holds is judged by what the last states did, and only where those differ from it by one more evaluation.
  /// `predict` has no meaning then, and x_key must be where p_key carries the nodes, free controls included.
  bool few_evaluations = false;
  bool remember_jacobians =
      false;  ///< frugal: a J that misses is first looked for among those known (jacobian_memory.h)
  /// Frugal: so many steps in a row may end where x~ has them, unseen, while x~ tells what is looked up to half the
  /// tolerance.
  int most_unevaluated_steps = 0;

  void validate() const;
};

/// For rigs without derivatives.
LinearRigOptions black_box_jacobian();

struct LinearRigCounts {
  long evaluations = 0;  ///< of the rig, those of differences included
  long jacobians = 0;
  long predicted = 0;    ///< Jacobians that were renewed before a step
  long rollbacks = 0;    ///< steps done again with a new one
  long moved = 0;        ///< frugal: steps done again from where they ended, with the same one
  long from_memory = 0;  ///< frugal: Jacobians made of known ones
  long unevaluated = 0;  ///< frugal: steps whose end was not looked up
};

class RegionFrames;
class RigPredictor;

class LinearRig {
 public:
  /// Of the description, rig, free controls and bound nodes count. `x_rest`: all nodes. `response`: beside B s(p), what
  /// nodes do by the deviation of each free control from the keyed pose, per bound node, in the frame of the rest pose
  /// (interior_response.h); none if empty.
  LinearRig(const RigSpaceDescription& map, In x_rest, const LinearRigOptions& options = {},
            BlockJacobian response = {});
  ~LinearRig();

  /// Weights of the nodes in what is missed; 1 until the first call.
  void set_masses(In masses);
  /// What bound nodes are beside B s(p) at no deviation, in the frame of the rest pose: 0 until the first call.
  void set_offset(In offset) { offset_ = offset; }
  /// Frugal: what bound nodes are of the rig in the keyed pose, B s(p_key), where that is not their place there
  /// (RigSpaceDescription::relative). All nodes; before each `begin`.
  void set_carried_key(In x_carried);
  /// Frugal: Jacobians that are known, some of them at their keyed poses, where columns of x_keys are all nodes. From
  /// now on J follows what they tell of the shape and deviation of each step (jacobian_model.h), and what is learned
  /// on the way is beside that. Before the first step.
  void set_samples(std::span<const JacobianSample> known, const Mat& x_keys);
  /// What was before is nothing to go by: a teleport, another clip. J stays until it misses.
  void restart();
  /// How long the next steps are, in any unit; 1 until the first call. Only a frugal rig wants to know.
  void set_step(double length) { step_ = length; }

  /// Where the bound nodes are at p: B s(p) and the response. One evaluation.
  void place(In p, In p_key, In x_key, Vec& y);
  /// A step toward p, all controls, with p_key and all nodes at x_key in the keyed pose. Two evaluations (frugal: none
  /// once under way), and a Jacobian where that is due.
  void begin(In p, In p_key, In x_key);
  /// The same, frugal, where the response turns with other nodes than those of the keyed pose.
  void begin(In p, In p_key, In x_key, In x_turn);
  /// J anew at the same place, for a step that `check_linearisation` refused. Frugal: x~ touches x where that step
  /// ended, and J is new only if it was J that missed; so `check_linearisation` may refuse again, once or twice.
  void renew();

  /// B s(p) and the response as they truly are, of the bound nodes in order; and whether x~ is near enough to it. One
  /// evaluation, rarely two.
  bool check_linearisation(In p, Vec& y);
  /// The step ends there: y of the last `check_linearisation`.
  void accept(In p);

  /// y~ = y(p~) + J (p - p~), of the bound nodes in order. All controls.
  void at(In p, Vec& y) const;
  /// g_q += J^T g, of each: of all nodes, to the free controls, which are the last of g_q.
  void pull_each(std::span<const Vec> g, std::span<Vec> g_q) const;
  /// Rows of J: entries e in start[k] .. start[k + 1] of bound node k.
  const BlockJacobian& J() const;
  /// Changes with J's values, with the places of its entries, and with its values beside the turning of frames.
  long version() const { return version_; }
  long pattern() const { return pattern_; }
  long shape() const { return shape_; }

  const LinearRigOptions& options() const { return options_; }
  const LinearRigCounts& counts() const { return counts_; }
  const Rig& rig() const { return *rig_; }

  /// All that later steps depend on, as numbers; restored, they come out to the bit. Between steps.
  std::vector<Vec> saved_state() const;
  void restore(std::span<const Vec> state);

 private:
  template <int N>
  void pull_some(const Vec* g, Vec* g_q) const;
  void nodes_at(In p, Vec& y);
  Vec3 beside(In p, std::size_t k) const;
  void carry_on(In p, In deviation, Vec& y) const;
  void turn(In x_key);
  void turn_rows();
  const Vec& repeated_way(In p, In from) const;
  void evaluate_jacobian();
  void place_rows();
  void find_places();
  void follow_taught();
  void add_told_way(In p, double factor, Vec& nodes) const;
  Vec deviation_at(In p) const;
  Vec keyed_shape() const;
  bool take_unseen(In p);
  Vec shape_at(In y) const;
  void carry_points(In s, In p, Vec& y) const;
  void learn(In p_from, In y_from, In p, In y);
  void begin_frugal(In p);
  const Mat3& frame_of_row(Eigen::Index k) const;
  bool check_few_evaluations(In p);
  void renew_frugal();
  void accept_frugal(In p);
  void adopt(BlockJacobian& J);
  double missed(In y_linear, In y_true, In y_from) const;
  double share_of_way(double miss, double way) const;

  std::shared_ptr<const Rig> rig_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<int> free_, bound_;
  PointTies ties_;  // a row a bound node
  LinearRigOptions options_;
  LinearRigCounts counts_;
  double size_ = 1;

  BlockJacobian point_J_;        // of the rig's points
  BlockJacobian response_;       // of the bound nodes, in the frames of the rest pose
  Vec offset_;                   // likewise
  BlockJacobian reference_;      // of the bound nodes, in the frames of the rest pose
  mutable BlockJacobian J_;      // the same in the frames of now, once somebody asks for it
  mutable bool turned_ = false;  // whether it is
  mutable Vec way_, gathered_;   // three numbers a free control (block_rows.h), of three vectors
  long version_ = 0, pattern_ = 0, shape_ = 0;
  bool has_J_ = false, has_last_ = false;
  int age_ = 0;

  std::unique_ptr<RegionFrames> frames_;
  std::unique_ptr<RigPredictor> predictor_;  // of a frugal rig
  double step_ = 1;
  Vec key_, p_key_;      // bound nodes, all controls, in the keyed pose
  Vec carried_key_;      // bound nodes: B s(p_key); empty: the keyed pose itself
  Vec p_, y0_;           // where x~ touches x
  Vec p_stay_, y_stay_;  // the last state's free controls among the keyed ones of now
  Vec y_, p_last_;       // of the last `check_linearisation`; accepted
  Vec s_, y_linear_, masses_, typical_, row_;
  std::vector<int> mark_, columns_, start_before_, column_before_;
  std::vector<int> asked_start_, asked_column_, found_start_, found_column_;  // places of J, for those of the points
};

}  // namespace rigspace
