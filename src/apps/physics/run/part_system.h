#pragma once
// Private to physics: parts that are solved together, their settings during tuning, and runs through a clip.

#include "drive_meter.h"
#include "stepper.h"

#include <memory>
#include <numbers>
#include <optional>
#include <vector>

namespace rigspace {

struct TunedPart {
  const Part* part = nullptr;
  const Preset* preset = nullptr;
  int index = 0;          ///< in the caller's list
  double length = 0;      ///< scene units: along a chain, across flesh
  PartSettings settings;  ///< with what is derived filled in
  double least_rate = 0;  ///< Hz, for a rate that follows from the size (tune_system)
  double ease = 1;        ///< 0..1: what of the inertial load is felt where no rate would tame the motion
  double held = 1;        ///< 0..1: the same in one clip that is wilder than the one the part was tuned on (felt_share)
  double steadying = 0;   ///< 1/s^2: the pull to the animation that `held` needs in a body that turns (hold_stiffness)
  double gain = 0;        ///< 1/scene unit, see PartTuning::gain
  double raised = 1;      ///< 1..2: by how much the amount was raised because the part hardly moved
  double load = 1;        ///< factor of the inertial load: `ease`, `held`, and amounts above `most_scaling`
  double scaling = 1;     ///< of the deviation: the amount, up to `most_scaling`
  double most_scaling = 1.5;       ///< 0: any amount is a load (Corrections::scale)
  Vec3 gravity = earth_gravity();  ///< m/s^2
};

/// Scene units / s^2: the load of gravity g on a part whose shape the artist made under that of Earth, g0. The shape is
/// in balance under g0, so that only g - g0 moves it; `sag` adds that many times g.
inline Vec3 felt_gravity(const TunedPart& part, double metres_per_unit) {
  return (part.gravity - earth_gravity() + part.settings.sag * part.gravity) / metres_per_unit;
}

/// 1/s: damping that is added where a clip is held. Less load alone does not calm a part that the turning of the body
/// itself stirs; with all of it, at `held` 0, the part is critically damped.
inline double calming(const TunedPart& part) { return (1 - part.held) * 4 * std::numbers::pi * part.settings.rate; }

/// 1/s^2: a pull to the animation in place of what a held clip has lost. The load of a body that turns at rate W pulls
/// a chain outward, which steadies it by W^2; with less of that load a slow chain would be thrown about. What is held
/// only a little hardly needs it, and would lie still with all of it.
inline double steadied_share(double held) { return (1 - held) * (1 - held); }
inline double hold_stiffness(const TunedPart& part) { return steadied_share(part.held) * part.steadying; }

class PartSystem {
 public:
  virtual ~PartSystem() = default;

  /// The body for the present settings; its mass group k is part k.
  virtual SteppedBody body() = 0;
  /// Of that body only what depends on the settings, without nodes, controls, masses and rig: much quicker.
  virtual SteppedBody settings() = 0;
  virtual bool flesh() const = 0;
  /// Converts the largest node deviation `reach`, scene units, to radians at a chain's tip or a share of flesh's size.
  virtual double swing(const TunedPart& part, double reach) const = 0;
  /// The indices of a part's free controls among those of the body.
  virtual std::vector<int> rows(std::size_t part) const = 0;

  /// The stiffness of springs that pull its controls to the animation, as a share of that of the part; 0: none.
  virtual double spring_share() const { return 0; }

  /// For a body with sampled elements: relative error of their forces on the controls over a run; 0 for others.
  virtual double sampling_error(const struct Run&, const KeyedMotion&) { return 0; }
  /// Of a body with sampled elements: how far its swing is expected to be off, as a share of it, where nodes come as
  /// far as `reach`, scene units; 0: not known, and for others.
  virtual double expected_error(double) { return 0; }
  /// From now on `body` has all elements.
  virtual void use_all_elements() {}

  /// For a black box: samples Jacobians along a run, so that the next run near this path evaluates fewer. Returns false
  /// for other rigs, which sample nothing.
  virtual bool learn(const struct Run&, const KeyedMotion&, const ProgressCallback&) { return false; }
  /// The Jacobians sampled by `learn`; nothing for other rigs.
  virtual void write_learned(ByteWriter&) const {}
  virtual void read_learned(ByteReader&) {}

  std::vector<TunedPart> parts;
  std::vector<Obstacle> obstacles;
  bool all_elements = false;
  double force_error = 0;  ///< sampling_error of the last run that was measured
};

/// All chains of the parts together, but for sheets: rods on their joints. Null if there is none.
std::unique_ptr<PartSystem> make_chain_system(const Character& character, std::span<const Part> parts,
                                              const SimulationOptions& options);
/// One softened sheet: rods on its joints, tied side by side.
std::unique_ptr<PartSystem> make_sheet_system(const Character& character, std::span<const Part> parts, int index,
                                              const SimulationOptions& options);
/// One part's flesh.
std::unique_ptr<PartSystem> make_flesh_system(const Character& character, std::span<const Part> parts, int index,
                                              const SimulationOptions& options, const ProgressCallback& training = {});

/// All chains as one system, and each part's flesh as one. Throws Error if there is no part.
std::vector<std::unique_ptr<PartSystem>> make_systems(const Character& character, std::span<const Part> parts,
                                                      const SimulationOptions& options,
                                                      const ProgressCallback& training = {});

/// What one run through a clip gave. Of one that was stopped the matrices have fewer columns than there are times.
struct Run {
  std::vector<double> times;  ///< s
  Mat deviation;              ///< free controls x times
  Mat reach;                  ///< parts x times: largest deviation of a node, scene units
  bool looped = false;
  double seam = 0, smallest_volume = 1, volume_change = 0;  ///< see SoftMotion and PartReport
  int steps = 0, iterations = 0, halved_steps = 0, failed_steps = 0;
  int inverted_steps = 0, recovered_steps = 0, untrained_steps = 0;  ///< see StepOutcome
  int jumps = 0;                                                     ///< see SoftMotion

  void write(ByteWriter&) const;
  void read(ByteReader&);
};

/// The progress of a run, as checkpoints store it.
struct RunState {
  Run run;
  int cycle = 0, next = 1;  ///< turn of the loop, and the grid step to do next
  double still_since = 0;   ///< s: time since which the animation does not move
};

/// Runs a body through the stretch of the clip that the options name; a loop is repeated until it closes.
class Runner {
 public:
  Runner(Stepper& stepper, const KeyedMotion& motion, const SimulationOptions& options, double hold_after);

  /// Called every Checkpoints::every steps with a function that writes the state.
  using Save = std::function<void(const std::function<void(ByteWriter&)>&)>;
  Run run(const ProgressCallback& progress, const Save& save, ByteReader* resume);

  /// After `run` was cancelled: the finished part; of a loop the last whole turn, if there is one.
  Run so_far() const;

 private:
  void begin(bool resumed);
  void write(ByteWriter&) const;
  void read(ByteReader&);
  void record(int k);
  void advance(double time);
  bool cycle_done();
  static void blend_turns(const Run& earlier, Run& later);

  Stepper& stepper_;
  const KeyedMotion& motion_;
  const SimulationOptions& options_;
  double hold_after_;  // s; infinite: never
  double start_ = 0, h_ = 0;
  int grid_ = 1;
  RunState state_;
  std::optional<Run> last_turn_;  // last whole turn of a loop, before its seam is closed
};

}  // namespace rigspace
