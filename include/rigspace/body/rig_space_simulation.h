#pragma once
// Rig-space physics as the papers state it (RSP 3, 4): a body whose skin follows a rig is stepped in time, in absolute
// coordinates, under gravity, about its rest shape. Some controls are keyed, the others free. For research, benchmarks,
// posing and `--paper`. Animators use simulation.h, which adds deviations to their motion instead.

#include "rigspace/base/progress.h"
#include "rigspace/body/rig_body.h"
#include "rigspace/body/rig_lineariser.h"
#include "rigspace/body/rig_space.h"
#include "rigspace/energy/gravity.h"
#include "rigspace/energy/integrator.h"
#include "rigspace/energy/momentum.h"
#include "rigspace/energy/solid.h"
#include "rigspace/optimize/newton.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

struct RigSpaceOptions {
  double step = 0.01;  ///< s
  IntegratorKind integrator = IntegratorKind::bdf2;
  Material material = {};
  double density = 1000;       ///< kg/m^3
  Vec3 gravity = {0, 0, 0};    ///< m/s^2
  double metres_per_unit = 1;  ///< of the scene
  double mass_damping = 0;     ///< 1/s, against the motion of the keyed pose
  Interior interior = Interior::dynamic;
  RigCurvature curvature = RigCurvature::none;
  /// `settle` goes on with second derivatives of the rig where it runs out of iterations without.
  bool settle_with_curvature = false;
  HessianMode hessian = HessianMode::projected;  ///< of the elements
  LineSearchKind line_search = LineSearchKind::armijo;
  double gradient_tolerance = 1e-6;  ///< see NewtonOptions
  double gradient_floor = 0;         ///< N per unit of the control that moves most mass, in scene units
  /// Residuals and tolerances compare each row of the gradient with its own typical force (row_scale.h); false: rows as
  /// they are, whatever their units (the papers').
  bool scale_rows = true;
  double step_tolerance = 0;  ///< scene units: a full step that moves no node farther ends a solve; 0: never
  int max_iterations = 50;
  int forced_iterations = 0;  ///< unless 0: exactly as many, for comparisons of speed (RSP 7)
  bool predict = true;        ///< a solve starts at extrapolated controls; false: at the present ones
  int max_halvings = 4;       ///< of a step that does not converge; keyed controls are interpolated linearly within it
  int inverted_halvings =
      2;                     ///< of these, of a step that turns elements inside out; such a step is counted in any case
  bool keep_limits = false;  ///< free controls stay within their limits
  bool linear = false;       ///< the rig is linear within a step (Thesis 4.2.2), with the options in `jacobian`
  LinearRigOptions jacobian = {};
  double keep_factor = 0;  ///< see NewtonOptions

  void validate() const;
};

struct RigSpaceStep {
  int solves = 0, iterations = 0, halvings = 0;
  bool converged = true;
  bool recovered = false;  ///< a solve gave numbers that are not finite: free controls and nodes stayed as they were
  int inverted = 0;        ///< elements that are inside out at the end and were not at the start of the step
  double residual = 0;     ///< |S sum g| / sum |S g| over the terms, in q, at the end; S: RigSpaceOptions::scale_rows
  double gradient = 0;     ///< |S sum g|, kg unit / s^2 per unit of the control that moves most mass
};

class RigPredictor;

class RigSpaceSimulation {
 public:
  /// `free`: controls, ascending.
  RigSpaceSimulation(RigBody body, std::vector<int> free, const RigSpaceOptions& options = {});
  ~RigSpaceSimulation();
  RigSpaceSimulation(const RigSpaceSimulation&) = delete;
  RigSpaceSimulation& operator=(const RigSpaceSimulation&) = delete;

  /// A further energy of the nodes, in scene units (energy unit: kg unit^2 / s^2): pulls, contact. Referred to.
  void add(std::string name, const Energy& energy, double weight = 1);
  /// A factor on the stiffness of each element.
  void set_stiffness(std::span<const double> factors);

  /// The shape without stress becomes that of the nodes at p. Elements that are inverted there keep their shape of the
  /// rig's rest pose.
  void set_rest_pose(In p);

  /// Restarts at the controls p, with all nodes where p carries them and zero velocity.
  void restart(In p);
  /// The same with the nodes inside at their places in x.
  void restart(In p, In x);
  /// The velocity of all nodes, scene units / s; that of the skin is projected onto what the rig can do.
  void set_velocity(In v);

  /// One step of options().step, at whose end the keyed controls are those of p_key; its free controls are ignored.
  RigSpaceStep step(In p_key);

  /// Static balance: minimises all energies but momentum with the keyed controls of p_key, from the present state, and
  /// restarts there with zero velocity. Weak springs (1e-6 of the stiffness) toward the present controls keep
  /// directions that no energy holds.
  Summary settle(In p_key, const ProgressCallback& = {});

  /// The gradient of all energies but momentum by the free controls at p, with the nodes where p carries them.
  Vec static_forces(In p);

  const Vec& controls() const { return p_; }
  const Vec& nodes() const { return x_; }
  const Vec& velocities() const { return integrator_.v(); }
  const RigBody& body() const { return body_; }
  const std::vector<int>& free() const { return mapping_.description().free; }
  const RigSpaceOptions& options() const { return options_; }
  const RigSpaceMapping& mapping() const { return mapping_; }
  const Solid& solid() const { return solid_; }
  const Vec& masses() const { return masses_; }  ///< kg, per node
  /// Evaluations of the rig so far, those of differences included.
  long rig_evaluations() const {
    return mapping_.rig_evaluations() + carried_ + (lineariser_ ? lineariser_->counts().evaluations : 0);
  }
  /// Null unless options().linear.
  const RigLineariser* lineariser() const { return lineariser_.get(); }
  /// kg unit^2 / s^2: kinetic, elastic, against gravity.
  double energy() const;

 private:
  RigSpaceDescription description(std::vector<int> free) const;
  void carried_nodes(In p, Vec& x);
  bool try_step(In p_key, double h, RigSpaceStep& report, int depth);
  void set_key(In p_key);
  Vec response_from(In p);
  bool linearise(In q);
  Summary solve(const NewtonOptions& newton, Vec& q, RigSpaceStep& report);
  void advance(In p_from, In p_to, double h, RigSpaceStep& report, int depth);
  Vec start(In p_key, double ratio);
  void accept(In q, In x);
  void recover(In p_key, Vec& q, Vec& x);
  int inverted_elements(In x) const;
  NewtonOptions newton_options() const;
  void set_bounds();

  RigBody body_;
  RigSpaceOptions options_;
  RigSpaceMapping mapping_;
  std::unique_ptr<RigLineariser> lineariser_;
  RigPredictor* predictor_ = nullptr;  // the same, with few evaluations
  Solid solid_;
  Vec masses_;
  Momentum momentum_;
  Load gravity_, balancing_;
  Objective dynamics_, statics_;
  struct Hold;
  std::unique_ptr<Hold> hold_;
  NewtonWorkspace newton_, static_newton_;
  std::unique_ptr<Workspace> workspace_;
  Integrator integrator_;
  Vec p_, p_before_, key_, x_, x_carried_, s_, y_;
  double h_before_ = 0;
  long carried_ = 0;
};

/// Sets LoadedOffsets::forces of a sampled body so that it is in balance in each pose of its loaded offsets, as the
/// whole body is. `poses`: all controls, in the order of those offsets.
void keep_balance(RigBody& sampled, const std::vector<int>& free, RigSpaceOptions options, std::span<const Vec> poses);

}  // namespace rigspace
