#pragma once
// Secondary motion while a game runs: keyed controls in, simulated controls out, step by step, nothing of the future
// known. The physics is that of simulate_parts with Method::fast: flesh on few elements, chains on rods.
//
// Threads: a step stays on the thread that calls it, takes no lock and starts nothing; instances share only what is
// never written, so each thread may step its own. Memory: an instance allocates when it is made, and never afterwards
// (the first step on a thread makes that thread's scratch memory, once).
//
// Latency: inertia is the second difference of past poses over `window`, so a load is felt `window` late in the mean,
// from the next grid step on in part; and what is read is the state one grid step ago, interpolated. In all
// `window + step`, 25 ms by default (docs/realtime.md).

#include "rigspace/apps/physics/simulation.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

struct RealtimeOptions {
  double step = 1.0 / 120;     ///< s: the physics grid, whatever the frame rate is
  double window = 1.0 / 60;    ///< s: over which accelerations are taken; a whole number of steps. A frame is right:
                               ///< poses come frame by frame, and jerk at each
  int max_substeps = 8;        ///< grid steps a call makes at most; what is longer is skipped, see RealtimeRig::step
  int max_iterations = 6;      ///< of Newton's method a grid step; what is left then is left to the next one
  double tolerance = 3e-4;     ///< of the forces, at which a solve ends
  double teleport_speed = 60;  ///< m/s: a pose that moves any node faster has teleported; 0: none has
  double metres_per_unit = 1;  ///< of the scene
  MaterialKind material = MaterialKind::stable_neo_hookean;  ///< of flesh
  double poisson = 0.4;                                      ///< of flesh
  /// A clip on which rates and amounts are tuned that nobody set (see simulate_parts); null: rates follow from sizes.
  const Animation* tune_on = nullptr;
  bool use_cache = true;  ///< what is trained comes from the cache, and goes there
  /// An instance has all elements of its flesh ready beside the few, and steps those while a part is farther from the
  /// animation than it was in training: right there too, for several times the work and memory. For heroes, not crowds.
  bool widen = false;

  void validate() const;
};

/// A character's parts, trained once: what all instances share. Immutable; may be used from many threads.
class RealtimeModel {
 public:
  /// Parts as soften or with_solid leave them, for this character (soften's own, with its soft joints); chains too.
  /// Seconds of work, unless the cache has it. Settings are those at their first keys. Throws Error if there is no
  /// part, and Cancelled.
  RealtimeModel(Character character, std::vector<Part> parts, const RealtimeOptions& options = {},
                const ProgressCallback& progress = {});
  ~RealtimeModel();
  RealtimeModel(const RealtimeModel&) = delete;
  RealtimeModel& operator=(const RealtimeModel&) = delete;

  const Character& character() const;
  const RealtimeOptions& options() const;
  std::span<const Control> controls() const;  ///< all of the rig, in the order of poses
  std::span<const int> free() const;          ///< those that are simulated, ascending
  double latency() const;                     ///< s: window + step
  std::size_t instance_bytes() const;         ///< of heap an instance has, as measured; 0 where that cannot be told
  int element_count() const;                  ///< elements of flesh a step evaluates
  int most_elements() const;                  ///< the same, outside of training, where options().widen

 private:
  friend class RealtimeRig;
  struct Data;
  std::unique_ptr<Data> data_;
};

/// One character in the game. Not to be used by two threads at a time.
class RealtimeRig {
 public:
  /// In the rest pose, at rest.
  explicit RealtimeRig(std::shared_ptr<const RealtimeModel> model);
  ~RealtimeRig();
  RealtimeRig(RealtimeRig&&) noexcept;
  RealtimeRig& operator=(RealtimeRig&&) noexcept;

  /// In this pose, all controls, without deviation. The way to the next pose is taken to have gone on like that before:
  /// who appears in the midst of a walk is not jolted.
  void reset(std::span<const double> p_key);

  /// The animation's pose at the end of the next step, all controls; those that are simulated at the animation's own
  /// values. Between two poses controls go straight, orientations by the shorter arc. Throws Error unless there are as
  /// many as the rig has, all finite.
  void set_keyed(std::span<const double> p_key);
  /// The next pose is elsewhere: there was no way from here to there. Deviations stay as they are, and at rest; the
  /// animation begins there, as after a reset.
  void teleport();

  /// On by dt seconds: none or several steps of the grid. With dt = 0 nothing moves but the keys. Of a dt above
  /// max_substeps the first part is skipped: there the animation goes on and what is simulated stays as it is, and then
  /// is at rest. Throws Error if dt is negative or not finite.
  void step(double dt);

  /// Values of the free controls, in the model's order: the last keyed ones and the deviation.
  std::span<const double> simulated() const;
  /// The deviation alone, radians or scene units of the joint's parent; amounts included.
  std::span<const double> deviation() const;
  /// Writes the simulated controls into a pose, all controls.
  void apply(std::span<double> p) const;

  /// Whether the motion is larger than what the flesh was trained with, so that its shape is a guess; looked at every
  /// eighth grid step. Limits of the settings hold all the same.
  bool outside_training() const;
  /// Whether flesh is stepped with all its elements at present (RealtimeOptions::widen).
  bool widened() const;
  long steps() const;         ///< of the grid, since the last reset
  long unconverged() const;   ///< of those, that left something to the next one
  long iterations() const;    ///< of Newton\'s method, over those steps
  long jacobians() const;     ///< of the rig, since the instance was made
  std::size_t bytes() const;  ///< as the model says
  const RealtimeModel& model() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace rigspace
