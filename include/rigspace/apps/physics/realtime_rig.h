#pragma once
// Secondary motion while a game runs: each frame gives keyed controls and reads simulated ones; future poses are not
// known. The physics is that of simulate_parts with Method::fast: flesh with few elements, chains as rods.
//
// Threads: a step runs on the thread that calls it, takes no lock and starts no thread. Instances share only data that
// is never written, so each thread may step its own. Memory: an instance allocates when it is made and never afterwards
// (the first step on a thread allocates that thread's scratch memory, once).
//
// Latency: physics is `window` behind the newest pose, so that the loads of simulate_parts, which look this far ahead,
// are known. What is read is interpolated to one grid step before. The sum, `window + step`, is 50 ms by default: the
// deviation of simulate_parts, so much later, on the pose of now (docs/realtime.md).

#include "rigspace/anim/spring_bones.h"
#include "rigspace/apps/physics/simulation.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// What is stepped of a character's parts, from the dearest to the cheapest.
enum class RealtimeLevel {
  full,     ///< flesh by its elements, contact, worlds
  light,    ///< the same controls, the energy of flesh quadratic about the rest pose, mass on a dozen nodes a part;
            ///< nothing is met
  springs,  ///< a spring bone a joint, fitted to the part; no window, so that it is late by half a tick of 1/60 s
};

struct RealtimeOptions {
  double step = 1.0 / 120;   ///< s: the physics grid, independent of the frame rate
  double window = 1.0 / 24;  ///< s: half of the time over which accelerations are taken, and by which physics is late;
                             ///< rounded to whole steps. Shorter: less latency, sharper jolts than simulate_parts has,
                             ///< and below 1/window frames a second the motion depends on the frame rate
  int max_substeps = 8;      ///< most grid steps of one call; longer calls skip their first part, see RealtimeRig::step
  int max_iterations = 30;   ///< of Newton's method a grid step; the next step goes on with the remaining error
  double tolerance = 3e-4;   ///< relative force out of balance at which a solve ends
  double teleport_speed = 60;  ///< m/s: a pose that moves any node faster counts as a teleport; 0: no pose does
  /// m/s: where the mean velocity of a part's nodes changes by more from one grid step to the next, the animation
  /// snapped (a correction from the network, a root put elsewhere): for up to 1/20 s what is above the velocity before
  /// is taken out of the past of the animation, so that no load comes of it. Deviations and their velocities stay.
  /// 0: every motion is a load.
  double snap_speed = 8;
  double metres_per_unit = 0;  ///< of the scene; 0: guessed as `rigspace simulate` guesses it (guess_unit)
  MaterialKind material = MaterialKind::stable_neo_hookean;  ///< of flesh
  double poisson = 0.4;                                      ///< of flesh
  /// The clip on which rates and amounts that are not set are tuned (tune_parts); null: reference_clip of the
  /// character. Where that clip is wilder than the parts bear, less of its load is felt, as simulate_parts does on that
  /// clip.
  const Animation* tune_on = nullptr;
  Looping looping = Looping::find;  ///< whether that clip repeats itself, as in simulate_parts
  bool tune = true;                 ///< false, or without a clip: rates follow from sizes
  bool use_cache = true;            ///< reads trained data from the cache and writes it there
  /// While a part is farther from the animation than in training, it is stepped with all elements of its flesh in place
  /// of the few: correct there too, for several times the work and memory. For main characters, not for crowds.
  bool widen = false;
  /// Fits spring bones to the parts (RealtimeLevel::springs): plays some seconds of the clip that parts are tuned on.
  bool springs = false;
  /// The model keeps what RealtimeModel::adjusted needs: for editors, not for games.
  bool adjustable = false;

  void validate() const;
};

/// A setting of a part: a field of PartSettings.
struct PartSetting {
  std::string part, field;
  double value = 0;
};

/// What acts on all parts.
struct RealtimeWorld {
  Vec3 gravity = earth_gravity();  ///< m/s^2: see SimulationOptions
  /// Obstacles, limbs and self; `parts` does not count. The functions of an obstacle are called with time 0, the last
  /// grid time, and RealtimeOptions::step, the present one. Parts with obstacles are stepped with all elements of
  /// their flesh, since contact needs all of the skin, and amounts above 1 are loads, as in simulate_parts.
  Collisions collisions = {};
};

/// A part of a model.
struct RealtimePart {
  std::string name;
  PartSettings settings;  ///< as requested: a rate or a settle time of 0 is found
  double rate = 0;        ///< Hz, as used
  double settle = 0;      ///< s, as used
  double lag = 0;         ///< s, as used
  double amount = 1;      ///< as used: PartReport::amount
  /// With RealtimeOptions::springs: r.m.s. difference of the spring bones' deviation from the part's, of the part's, on
  /// the clip that they were fitted to. 1 is what standing still has; 1 also where there was no clip.
  double spring_error = 1;
};

/// A character's parts, trained once; the data that all instances share. Immutable; may be used from many threads.
class RealtimeModel {
 public:
  /// `parts`: as soften or with_solid return them, and chains. `character`: the one that these parts belong to (after
  /// soften, Softened::character). Takes seconds, unless the cache has the result. Of keyed settings the first key
  /// counts. Throws Error if there is no part, and Cancelled.
  RealtimeModel(Character character, std::vector<Part> parts, const RealtimeOptions& options = {},
                const ProgressCallback& progress = {});
  ~RealtimeModel();
  RealtimeModel(const RealtimeModel&) = delete;
  RealtimeModel& operator=(const RealtimeModel&) = delete;

  /// The model with other settings, set in this order on those of this one. Takes milliseconds: nothing is trained or
  /// tuned. What was tuned stays unless a rate is set: a rate of 0 is the tuned one again, or where a rate was set when
  /// the model was made, that from the part's size. Beside that it is the model that is made with these settings, but
  /// for parts that were tuned with others: `overlap` of a solid chain keeps its sampled elements, and the share of a
  /// wild clip that is felt follows from the rates. Throws Error unless options().adjustable, and for a part, a field
  /// or a value that does not exist. May be called from any thread, also while instances are stepped.
  std::shared_ptr<const RealtimeModel> adjusted(std::span<const PartSetting> settings) const;
  /// The model in another world. Takes milliseconds, the first time with collisions more: nothing is trained or tuned.
  /// Later `adjusted` models stay in that world. Throws Error unless options().adjustable.
  std::shared_ptr<const RealtimeModel> in_world(const RealtimeWorld& world) const;
  /// The parts with their settings and what is used of them, in the order in which they were given.
  std::span<const RealtimePart> tuning() const;

  const Character& character() const;
  const RealtimeOptions& options() const;
  std::span<const Control> controls() const;  ///< all of the rig, in the order of poses
  std::span<const int> free() const;          ///< the simulated controls, ascending
  double latency() const;                     ///< s: window, in whole steps, + step
  std::size_t instance_bytes() const;         ///< heap memory of an instance, measured; 0 where malloc gives no figure
  /// The same of an instance that is made at this level.
  std::size_t instance_bytes(RealtimeLevel finest) const;
  /// With options().springs: the turning joints of parts as chains for VRMC_springBone (io/gltf_springs.h), whose
  /// formula the stand-in has; VRM plays it about the rest pose, the stand-in about the animated one. Joints of flesh,
  /// which move and do not turn, have no place there. Counted in the bones of character().
  std::vector<SpringChain> spring_chains() const;
  int element_count() const;  ///< elements of flesh that a step evaluates
  int most_elements() const;  ///< the same outside of training, with options().widen

 private:
  friend class RealtimeRig;
  friend struct RealtimeFile;  // realtime_file.h
  struct Data;
  explicit RealtimeModel(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

/// One character in the game. Not to be used by two threads at a time.
class RealtimeRig {
 public:
  /// Starts in the rest pose, with zero velocity, at the level `finest`; what finer levels need is not made, and takes
  /// no memory. Throws Error for springs without RealtimeOptions::springs.
  explicit RealtimeRig(std::shared_ptr<const RealtimeModel> model, RealtimeLevel finest = RealtimeLevel::full);
  ~RealtimeRig();
  RealtimeRig(RealtimeRig&&) noexcept;
  RealtimeRig& operator=(RealtimeRig&&) noexcept;

  /// Sets this pose, all controls, without deviation, all as given. The velocity between this pose and the next
  /// different one is assumed for the time before, so that a character that appears in mid-walk is not jolted. Whatever
  /// was before, later calls give the same bits as on a new instance after the same reset.
  void reset(std::span<const double> p_key);

  /// The animation's pose at the end of the next step, all controls; simulated controls have the animation's values.
  /// Between two poses controls are interpolated linearly, orientations along the shorter arc. A simulated control that
  /// still has the value which `apply` wrote last, or `simulated` returns, to the precision of a float, counts as not
  /// keyed: it keeps its last key. So one array may serve as input and output, whatever the animation keys. Throws
  /// Error unless all controls are given and finite.
  void set_keyed(std::span<const double> p_key);
  /// The change to the next pose is a jump, not a motion. Deviations keep their values, with zero velocity; the past of
  /// the animation is dropped, as after a reset.
  void teleport();

  /// Continues with a model that was made of this one's by `adjusted` or `in_world`, or this one's of that. Pose,
  /// deviation, velocity and the past of the animation stay: the next step goes on from the same state with the new
  /// settings. The factor on the deviation (amount, mix) and limits that become narrower reach their values over a
  /// tenth of a second. Allocates; steps do not. Throws Error if the model is not of the same parts.
  void change_model(std::shared_ptr<const RealtimeModel> model);

  /// Goes on at another level from the state of now: deviations and their velocities stay, and what differs afterwards
  /// is eased in over 0.2 s. Does not allocate. Throws Error for a level finer than the one it was made with, and for
  /// springs without RealtimeOptions::springs.
  void set_level(RealtimeLevel level);
  RealtimeLevel level() const;

  /// The most processor time, s, that a call of `step` may take, 0 for any. Once it is used up, a solve ends at the
  /// iteration under way, and the parts that are left keep deviation and velocity for that grid step (`left_out`
  /// counts them); the next call begins with them. Results then depend on the clock. 0 until it is set.
  void set_budget(double seconds);

  /// Advances by dt seconds, which may be none or several grid steps. With dt = 0 only the keyed pose changes. If dt
  /// has more than max_substeps grid steps, the first ones are skipped: the animation advances, deviations keep their
  /// values and then have zero velocity. Throws Error if dt is negative or not finite.
  void step(double dt);

  /// Values of the free controls, in the model's order: last keyed value plus deviation.
  std::span<const double> simulated() const;
  /// The deviation of the free controls, radians or units of the joint's parent, scaled by the amounts.
  std::span<const double> deviation() const;
  /// Writes the simulated controls into a pose, all controls.
  void apply(std::span<double> p);

  /// Whether some flesh deviates farther than in training, so that its shape is an extrapolation; updated every eighth
  /// grid step. PartSettings::limit holds in any case.
  bool outside_training() const;
  /// Whether flesh is stepped with all its elements at present (RealtimeOptions::widen).
  bool widened() const;
  long steps() const;         ///< of the grid, since the last reset
  long unconverged() const;   ///< of these steps, those whose solve did not converge
  long iterations() const;    ///< of Newton's method, over these steps
  long left_out() const;      ///< grid steps of parts that the budget left no time for
  long snaps() const;         ///< grid steps of parts in which the animation snapped (RealtimeOptions::snap_speed)
  long jacobians() const;     ///< of the rig, evaluated since the last reset
  std::size_t bytes() const;  ///< RealtimeModel::instance_bytes
  const RealtimeModel& model() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace rigspace
