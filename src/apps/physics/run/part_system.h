#pragma once
// Private to physics: parts that are solved together, and their settings while these are being tuned.

#include "stepper.h"

#include <memory>
#include <optional>
#include <vector>

namespace rigspace {

struct TunedPart {
  const Part* part = nullptr;
  const Preset* preset = nullptr;
  int index = 0;          ///< in the caller's list
  double length = 0;      ///< scene units: along a chain, across flesh
  PartSettings settings;  ///< with what is derived filled in
  double ease = 1;        ///< 0..1: what of the inertial load is felt where no rate would tame the motion
  double raised = 1;      ///< 1..2: by how much the amount was raised because the part hardly moved
  double load = 1;        ///< factor of the inertial load: `ease`, and amounts above `most_scaling`
  double scaling = 1;     ///< of the deviation: the amount, up to `most_scaling`
  double most_scaling = 1.5;
};

class PartSystem {
 public:
  virtual ~PartSystem() = default;

  /// The body for the present settings; group k is part k.
  virtual SteppedBody body() = 0;
  virtual bool flesh() const = 0;
  /// The deviation as people measure it: radians for chains, share of the size for flesh.
  virtual double swing(const TunedPart& part, double reach) const = 0;
  /// The free controls of a part, as numbers among those of the body.
  virtual std::vector<int> rows(std::size_t part) const = 0;

  /// Of a body of which few elements stand for all: how far their forces are from those of all over a run, relative; 0
  /// of others. From now on all of them, in place of few.
  virtual double sampling_error(const struct Run&, const KeyedMotion&) { return 0; }
  virtual void use_all_elements() {}

  /// Of a black box: asks for its Jacobians on the path of a run, so that the next run on that path, or near it, need
  /// not. False of others.
  virtual bool learn(const struct Run&, const KeyedMotion&, const ProgressCallback&) { return false; }
  /// What was learned: nothing of others.
  virtual void write_learned(ByteWriter&) const {}
  virtual void read_learned(ByteReader&) {}

  std::vector<TunedPart> parts;
  std::vector<Obstacle> obstacles;
  bool all_elements = false;
};

/// All chains of the parts together: rods on their joints. Null if there is none.
std::unique_ptr<PartSystem> make_chain_system(const Character& character, std::span<const Part> parts,
                                              const SimulationOptions& options);
/// One part's flesh.
std::unique_ptr<PartSystem> make_flesh_system(const Character& character, std::span<const Part> parts, int index,
                                              const SimulationOptions& options, const ProgressCallback& training = {});

/// What one run through a clip gave. Of one that was stopped the matrices have fewer columns than there are times.
struct Run {
  std::vector<double> times;
  Mat deviation;  ///< free controls x times
  Mat reach;      ///< parts x times, scene units
  bool looped = false;
  double seam = 0, smallest_volume = 1, volume_change = 0;
  int steps = 0, iterations = 0, halved_steps = 0, failed_steps = 0;

  void write(ByteWriter&) const;
  void read(ByteReader&);
};

/// Where a run is; what a checkpoint holds of it.
struct RunState {
  Run run;
  int cycle = 0, next = 1;  ///< grid step to do next
  double still_since = 0;   ///< s
};

/// Runs a body through the stretch of the clip that the options name, and round and round where it loops.
class Runner {
 public:
  Runner(Stepper& stepper, const KeyedMotion& motion, const SimulationOptions& options, double hold_after);

  /// `save` is called every so many steps with a function that writes the state.
  using Save = std::function<void(const std::function<void(ByteWriter&)>&)>;
  Run run(const ProgressCallback& progress, const Save& save, ByteReader* resume);

  /// After `run` was cancelled: what it had finished. Of a loop that is the last whole turn, if there is one.
  Run so_far() const;

 private:
  void begin(bool resumed);
  void write(ByteWriter&) const;
  void read(ByteReader&);
  void record(int k);
  void advance(double time);
  bool cycle_done();

  Stepper& stepper_;
  const KeyedMotion& motion_;
  const SimulationOptions& options_;
  double hold_after_;  // s; infinite: never
  double start_ = 0, h_ = 0;
  int grid_ = 1;
  RunState state_;
  std::optional<Run> last_turn_;  // of a loop, before its ends are made to meet
};

}  // namespace rigspace
