#pragma once
// When a rig is made linear anew: the policies around a LinearRig (Thesis 4.2.4).

#include "rigspace/body/linear_rig.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

/// Which policy, and so which class.
enum class JacobianUse {
  every_step,       ///< a new J every step: JacobianEveryStep
  deferred,         ///< J is kept while it is near enough to the rig: DeferredJacobian
  few_evaluations,  ///< for rigs whose evaluations cost more than solves: RigPredictor
};

struct LinearRigOptions {
  JacobianUse use = JacobianUse::deferred;
  bool predict = true;   ///< deferred: renews J before a step that it would miss (4.14), not only after it (4.13)
  bool broyden = false;  ///< between evaluations J is corrected by every state that is evaluated anyway
  double tolerance =
      0.05;              ///< how far J may miss, as a share of the way that the free controls take the nodes in a step
  double floor = 1e-5;   ///< of the body's size: shorter ways count as this long
  int frames = 16;       ///< regions of the body that turn by themselves; 0: J is kept as it is
  int most_steps = 120;  ///< that a J may serve
  /// few_evaluations: before a new J is evaluated, one is interpolated from those evaluated so far (jacobian_memory.h).
  bool remember_jacobians = false;
  /// few_evaluations: so many steps in a row may end at x~ without an evaluation, while the end of the next one is
  /// expected to miss by at most the tolerance (rig_predictor.h).
  int most_unevaluated_steps = 0;

  void validate() const;
};

/// For rigs without derivatives: few_evaluations, Broyden, Jacobians from memory.
LinearRigOptions black_box_jacobian();

struct LinearRigCounts {
  long evaluations = 0;  ///< of the rig, those of differences included
  long jacobians = 0;    ///< that were evaluated
  long predicted = 0;    ///< of those, before a step, by (4.14)
  long rollbacks = 0;    ///< steps done again with a new J
  long missed = 0;       ///< steps that ended although x~ still missed the rig by more than the tolerance
  long moved = 0;        ///< few_evaluations: steps done again from where they ended, with the same J
  long from_memory = 0;  ///< few_evaluations: Jacobians from samples or from memory
  long unevaluated = 0;  ///< few_evaluations: steps whose end was not evaluated
};

/// A step is: begin, a solve with linear(), check_linearisation; while that is false, renew and solve again; accept.
/// A Jacobian of the same step is checked too: where x~ misses the rig even so, x~ touches it at the end of the last
/// solve. After kMostRenewals of these check_linearisation is true, and `still_misses` too.
/// y: the bound nodes in order. p: all controls.
class RigLineariser {
 public:
  virtual ~RigLineariser() = default;
  RigLineariser(const RigLineariser&) = delete;
  RigLineariser& operator=(const RigLineariser&) = delete;

  /// The map of the step under way.
  const LinearRig& linear() const { return linear_; }

  /// Weights of all nodes in what J misses; 1 until the first call.
  void set_masses(In masses);
  /// See LinearRig::set_offset.
  void set_offset(In offset) { linear_.set_offset(offset); }

  /// y at p. One evaluation.
  void place(In p, In p_key, In x_key, Vec& y);

  /// A step that is expected to end at p, with the keyed pose p_key, where all nodes are at x_key.
  virtual void begin(In p, In p_key, In x_key) = 0;
  static constexpr int kMostRenewals = 4;  ///< of one step

  /// Whether the step under way ends at a state that x~ misses by more than the tolerance (LinearRigCounts::missed).
  bool still_misses() const { return still_misses_; }

  /// y at p, where a solve ended, and whether x~ is near enough to it.
  virtual bool check_linearisation(In p, Vec& y) = 0;
  /// A better linearisation for the same step, after check_linearisation returned false.
  virtual void renew() = 0;
  /// The step ends at p, with the y of the last check_linearisation.
  virtual void accept(In p) = 0;
  /// Clears the history: a teleport, another clip. Keeps J until its error exceeds the tolerance.
  virtual void restart() = 0;

  LinearRigCounts counts() const;
  const LinearRigOptions& options() const { return options_; }

  /// All that later steps depend on, as numbers; restored, they come out to the bit. Between steps.
  virtual std::vector<Vec> saved_state() const = 0;
  virtual void restore(std::span<const Vec> state) = 0;

 protected:
  RigLineariser(const RigSpaceDescription& map, In x_rest, const LinearRigOptions& options, LinearRigFrames frames,
                BlockJacobian response);
  /// sqrt(miss / way), of sums of mass times distance squared; the way is at least options().floor of the size.
  double share_of_way(double miss, double way) const;
  /// The same of y_linear - y_true, and of the way from y_from to y_true.
  double missed(In y_linear, In y_true, In y_from) const;
  /// For `begin`, and for check_linearisation with what it found: false while x~ misses and may be renewed.
  void begin_checks() { renewals_ = 0, still_misses_ = false; }
  bool accept_check(bool near);

  LinearRigOptions options_;
  LinearRig linear_;
  LinearRigCounts counts_;  // without those of linear_
  Vec masses_;              // per bound node

 private:
  int renewals_ = 0;  // of the step under way
  bool still_misses_ = false;
};

/// The class that options.use names. Arguments as those of LinearRig.
std::unique_ptr<RigLineariser> make_rig_lineariser(const RigSpaceDescription& map, In x_rest,
                                                   const LinearRigOptions& options = {}, BlockJacobian response = {});

}  // namespace rigspace
