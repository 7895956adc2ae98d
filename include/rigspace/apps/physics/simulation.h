#pragma once
// Rig-space physics of a character's parts (RSP 3, 4): tails, ears, hair on the artist's own joints, flesh on soft
// joints. The unknowns are controls of the rig; the result is their deviation from the artist's animation.

#include "rigspace/anim/keyed_motion.h"
#include "rigspace/apps/physics/collisions.h"
#include "rigspace/base/progress.h"
#include "rigspace/body/choices.h"
#include "rigspace/energy/integrator.h"
#include "rigspace/energy/material.h"
#include "rigspace/parts/part.h"

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace rigspace {

/// How bodies are solved for.
enum class Method {
  fast,  ///< controls as only unknowns, the rig linear within a step, the inside carried, few elements (Thesis 4)
  full,  ///< the inside as further unknowns, every element, the rig as it is (RSP): the reference
};

std::string_view name(Method);
/// Throws Error with the list of names.
Method method_named(std::string_view);

enum class Looping {
  find,    ///< decided for each clip by name, idle pose and returning pose (decide_play)
  always,  ///< repeated, even if its end does not meet its start
  never,   ///< played once
};

/// m/s^2, Y up: the gravity under which the artist's shapes are in balance, since that is how they were made.
inline Vec3 earth_gravity() { return {0, -9.81, 0}; }
/// `1.62`, a strength along -Y, or `x,y,z`; m/s^2. Throws Error for anything else.
Vec3 gravity_from_words(const std::string& words);

struct SoftMotion;

/// Saves and resumes long runs. What is saved is all that the rest of the run depends on: a resumed run gives the same
/// bits.
struct Checkpoints {
  std::function<void(std::span<const std::byte>)> save;  ///< empty: nothing is saved
  int every = 120;                                       ///< steps between saves
  std::vector<std::byte> resume;                         ///< what was saved last, or empty
  /// Called before Cancelled is thrown, with the part of the motion that is finished, if any (SoftMotion::stopped).
  std::function<void(const SoftMotion&)> stopped;
};

/// What tune_parts finds for a part on one clip. It is used on all clips of the character.
struct PartTuning {
  double rate = 0;    ///< Hz
  double settle = 0;  ///< s
  double lag = 0;     ///< s
  double raised = 1;  ///< 1..2: factor on the amount of a part that hardly moved
  double ease = 1;    ///< 0..1: factor on the inertial load, below 1 where no rate brings the swing into range
  /// 1/scene unit: how far the part swings, as a share of the most that a clip may swing it, for a drive of one unit
  /// (how far the animation would swing an oscillator of this rate), a load and an amount of 1. 0: not measured; the
  /// part is then never held.
  double gain = 0;
};

/// Steps that change the result beyond the equations of motion, so that it keeps the rules of docs/default-look.md.
/// Their effect is reported in PartReport and SoftMotion, and written to the recipe.
struct Corrections {
  bool tune = true;   ///< searches rates until swing and volume are in range; raises amounts of parts that hardly move
  bool hold = true;   ///< lowers the load in clips that swing a part too far (PartReport::held)
  bool scale = true;  ///< amounts up to 1.5 scale the finished deviation; false: every amount scales the load
  bool springs = true;  ///< weak springs pull soft joints to the animation (PartReport::springs)
  bool smooth = true;   ///< low-pass filter for curves with motion above 12 Hz (PartReport::smoothed)
  /// Scales the deviation down of flesh that would penetrate limbs or props (PartReport::eased), and of any part whose
  /// skin touches the ground (PartReport::grounded).
  bool ease = true;
  bool ends = true;   ///< loops are closed to the bit, one-shots end at rest (SoftMotion::seam, PartReport::faded)
  bool jumps = true;  ///< jumps of keys within a frame are not felt (SoftMotion::jumps)

  /// The equations of motion alone.
  static Corrections none() { return {false, false, false, false, false, false, false, false}; }
  bool operator==(const Corrections&) const = default;
};

struct SimulationOptions {
  double step = 1.0 / 120;  ///< s: the physics grid, independent of any frame rate
  IntegratorKind integrator = IntegratorKind::bdf2;
  double metres_per_unit = 1;  ///< of the scene: rates from size need metres
  double start = 0;            ///< s: the stretch of the clip that is simulated; a part of a loop is no loop
  double end = std::numeric_limits<double>::infinity();  ///< s
  double preroll = 0;                                    ///< s before `start` that are simulated and not kept
  Looping looping = Looping::find;
  PlayRules play;  ///< with Looping::find: clips that the user names as loops, or as no loops
  /// At the end of a clip that plays once the deviation and its velocity are 0. Not with collisions: what is pressed in
  /// at the end stays pressed in.
  bool end_at_rest = true;
  /// One per part, found on another clip; empty: parts are tuned on the clip itself. A rate in a part's settings takes
  /// precedence.
  std::vector<PartTuning> tuning;
  int max_cycles = 12;           ///< turns of a loop until the deviation repeats
  double loop_tolerance = 1e-3;  ///< seam of a loop, of the largest deviation
  int max_halvings = 6;          ///< of a step that fails, inverts flesh or errs too much
  bool follow_animation = true;  ///< the shape without stress is the animated one; false: the rest pose (the papers')
  MaterialKind material = MaterialKind::stable_neo_hookean;  ///< of flesh
  double young = 0;                                          ///< Pa, of flesh; 0: from the rate
  double poisson = 0.4;                                      ///< of flesh
  double density = 1000;                                     ///< kg/m^3
  /// m/s^2. The artist's shape stays in balance under earth_gravity(): what differs from that is a load, which lifts
  /// parts where there is less, and PartSettings::sag adds that many times all of it. Rates and held loads are found
  /// under earth_gravity(), since stiffness does not depend on it. With `paper` all of it acts on the rest shape.
  Vec3 gravity = earth_gravity();
  Collisions collisions;
  /// Of flesh; chains of rods are always solved in full. Other values of `interior` or `curvature` than the defaults
  /// need the full method and select it.
  Method method = Method::fast;
  /// Of the fast method, 0 to 1: how well its few elements stand for all of them. 0 is coarse and quick, 1 fine and
  /// slow (with_quality, reduce/cubature_quality.h).
  double quality = 0.5;
  bool use_cache = false;  ///< of what the fast method trains, and of stiffnesses: from the cache, and into it
  Interior interior = Interior::dynamic;        ///< of flesh
  RigCurvature curvature = RigCurvature::none;  ///< of the rig, in Newton's steps
  Corrections corrections;
  bool paper = false;  ///< every choice as printed (paper.h); settings of parts and loops are ignored
  Checkpoints checkpoints;

  void validate() const;
};

/// Settings used for a part, and measurements of its motion.
struct PartReport {
  bool flesh = false;     ///< soft joints; otherwise a chain
  double length = 0;      ///< m: along a chain, across flesh
  double rate = 0;        ///< Hz, as used
  double settle = 0;      ///< s, as used
  double lag = 0;         ///< s, as used
  double amount = 1;      ///< as used
  double swing = 0;       ///< 95th percentile over time of the deviation from the artist's motion: radians at a chain's
                          ///< tip, share of `length` for flesh
  double largest = 0;     ///< the largest, in the same unit
  double largest_at = 0;  ///< s
  double smallest_volume = 1;  ///< of flesh: the least det F of any element
  double volume_change = 0;    ///< of flesh: the largest change of the whole, of its volume in the animation
  double young = 0;            ///< Pa, of flesh, as used
  double eased = 1;            ///< of flesh: the least share of its deviation that is left where limbs or props touch
  double grounded = 1;         ///< the share of its deviation that is left since its skin stands or lies on the ground
  double held = 1;             ///< factor on the clip's load, below 1 where the full load would move the part too far
  double scaled = 1;           ///< factor on the finished deviation, of the amount (Corrections::scale)
  double springs = 0;          ///< of flesh: stiffness of the springs to the animation, as a share of that of the part
  double smoothed = 0;         ///< largest change of a control by smoothing, as a share of its largest deviation
  double faded = 0;  ///< largest deviation that the fade at the end of a one-shot takes away, as a share of the largest
  double finished = 1;  ///< 0..1 of the stretch: how far a stopped run came with this part
  /// Of flesh with few elements: the error of its swing that its training expects of a motion that it did not see, as a
  /// share of the swing (run/fast_body_error.h); 0: not known, or all elements.
  double expected_error = 0;
  double untrained = 0;     ///< share of the steps whose deviation is larger than those of its training
  double force_error = 0;   ///< of flesh with few elements: relative error of its elastic forces over this clip
  double all_elements = 0;  ///< 1: that error was above a tenth, so that all elements were used instead
  /// Scene units: how deep its skin goes, at most, into what it collides with, limbs and earlier parts included; into
  /// limbs beyond what the artist's pose does. Of the motion as it is written. 0 without collisions; its own flesh is
  /// not measured.
  double deepest = 0;
  double deepest_at = 0;  ///< s
};

/// Deviations over one clip, on the physics grid. If the run was stopped, the times are still those of the whole
/// stretch: after its last finished time the deviation of a part fades to 0 within a fifth of a second, and parts that
/// were not begun have no controls here.
struct SoftMotion {
  std::vector<int> controls;      ///< of the rig, ascending: rx ry rz of simulated joints, and tx ty tz of soft ones
  std::vector<double> times;      ///< s: from the start of the stretch to its end, both included
  Mat deviation;                  ///< controls x times, radians or scene units of the joint's parent; amount included
  std::vector<PartReport> parts;  ///< in the order of the parts
  bool stopped = false;           ///< before it was finished
  bool looped = false;
  double period = 0;  ///< s, of a loop: how long a turn takes; a frame more than the clip where that leaves one out
  std::string why;    ///< the rule that decided between loop and one-shot (decide_play)
  double seam = 0;    ///< of a loop: gap between end and start, of the largest deviation, before it is closed
  int steps = 0, iterations = 0;
  int halved_steps = 0;     ///< that had to be retried in halves
  int failed_steps = 0;     ///< that did not converge even so
  int inverted_steps = 0;   ///< that left an element of flesh inside out, even in halves
  int recovered_steps = 0;  ///< whose numbers were not finite: the part kept the deviation from before the step
  int jumps = 0;  ///< of the keys, that would have moved a part by a tenth of its size and more, and were not felt
  /// Controls of the rig, ascending, that corrections move and no part does (layered_motion). Their keys at the two
  /// ends of a loop may differ, as the artist keyed them.
  std::vector<int> corrected = {};

  /// Whether the last time is the first of the next turn, so that both have the same values.
  bool closes() const { return looped && period <= times.back() * (1 + 1e-12); }
};

/// Rate, settle time, lag and amount of each part, found on one clip: chains swing by 5 to 20 degrees there and flesh
/// by 4 to 8 % of its size (docs/default-look.md, "amplitude").
std::vector<PartTuning> tune_parts(const Character& character, const Animation& clip, std::span<const Part> parts,
                                   const SimulationOptions& options = {}, const ProgressCallback& progress = {});

/// The clip on which the parts of a character are tuned: ordinary locomotion by its name; else, of all clips, the one
/// of median drive, which is the root mean square of the controls' accelerations, each in its typical change. Null if
/// there is none that lasts.
const Animation* reference_clip(const Character& character);

/// Simulates all parts over a clip. Without options.tuning they are tuned on this clip (tune_parts). With it, the load
/// of a clip that would swing chains by more than 35 degrees or flesh by more than 15 % of its size is lowered
/// (PartReport::held), unless the user set a limit or a larger amount. Where flesh would penetrate limbs or props
/// deeper than in the artist's pose, by more than 0.35 % of the character's size, its deviation is scaled down around
/// that time (PartReport::eased).
SoftMotion simulate_parts(const Character& character, const Animation* clip, std::span<const Part> parts,
                          const SimulationOptions& options = {}, const ProgressCallback& progress = {});

/// The clip with the deviations in it: complete, absolute, the simulated joints keyed at `rate` frames a second; for a
/// loop the last key equals the first to the bit.
Animation soft_clip(const Character& character, const Animation* clip, const SoftMotion& motion, double rate);

}  // namespace rigspace
