#pragma once
// Private to physics: settings that bring a first result into range (docs/default-look.md, "amplitude"), found run
// by run.

#include "run/part_system.h"

#include <optional>

namespace rigspace {

inline constexpr double kSearchShare = 0.4;         ///< of the progress: runs before the last one
inline constexpr double kLeastVolume = 0.25;        ///< of an element of flesh (docs/default-look.md, "volume")
inline constexpr double kMostVolumeChange = 0.028;  ///< of all flesh of a part
inline constexpr double kMostSamplingError = 0.1;   ///< of the elastic forces that few elements give

/// The tuned values of a part.
PartTuning tuning_of(const TunedPart& part);

/// Tunes the rates and amounts of one system of parts by repeated runs: rates rise until the swing of each part is in
/// range.
class Tuner {
 public:
  /// `character_size` in scene units. Refers to all that it is given.
  Tuner(PartSystem& system, const KeyedMotion& motion, const SimulationOptions& options, double character_size)
      : system_(system), motion_(motion), options_(options), character_size_(character_size) {}

  /// Finds rate, settle time, lag and amount of each part on this motion. Throws Cancelled.
  void tune(const ProgressCallback& progress);

  /// The largest swing that the gains of the parts, less those that are `done`, expect on this loop, as a multiple of
  /// the largest that is allowed.
  double expected_swing(const std::vector<bool>& done);
  /// Lowers the gain of each part that is not `done` to the swing of a coarse run of this loop in which nothing is
  /// held. A part that swings too far is done. Throws Cancelled.
  void correct_gains(std::vector<bool>& done, const ProgressCallback& progress);

  /// Tunes, then makes the final run; `resume` continues one that `save` wrote. The search uses coarse steps and short
  /// loops. Throws Cancelled.
  Run run(const ProgressCallback& progress, const Runner::Save& save, ByteReader* resume);

  /// After Cancelled: what the run under way had finished (Runner::so_far), if the search for rates was over.
  const std::optional<Run>& stopped() const { return stopped_; }

  void write(ByteWriter& out) const;
  void read(ByteReader& in);

 private:
  double natural_rate(const TunedPart& part) const;
  void derive(TunedPart& part) const;
  void derive_all();
  bool changes_amounts() const;
  Run run_once(const SimulationOptions& options, const ProgressCallback& progress, const Runner::Save& save,
               ByteReader* resume);
  void measure_motion();
  bool take_tuning();
  bool may_hold(const TunedPart& part) const;
  double most_swing() const;
  double share_of_most(const Run& run, std::size_t part) const;
  std::vector<std::pair<double, double>> measure_drives();
  void measure_gains(const Run& run);
  void hold_by_drive();
  /// What hold_by_run found in the run before.
  struct RunBefore {
    bool untrained = false, gave_up = false;
    double error = 0;           // PartSystem::sampling_error
    std::vector<double> held;   // per part
    std::vector<double> other;  // per part: how much too far it swung, or was crushed
  };
  bool hold_by_run(const Run& run, RunBefore& before);
  void scale_to_limit(const Run& run);
  void hold_loads(const ProgressCallback& progress);
  SimulationOptions coarse_options() const;
  SimulationOptions coarse_loop_options() const;
  void first_guess(TunedPart& part, double acceleration) const;
  void find_rates(const ProgressCallback& progress);
  double hold_after() const;
  bool adjust(const Run& run);
  void restrain(TunedPart& part, double too_much) const;
  void set_lag(TunedPart& part) const;
  double swing_of(const Run& run, std::size_t part) const;
  bool nears_limit(const Run& run, std::size_t part) const;

  PartSystem& system_;
  const KeyedMotion& motion_;
  const SimulationOptions& options_;
  double character_size_;
  int attempt_ = 0;
  bool as_asked_ = false;  // the last run: with the amounts that somebody asked for
  bool holding_ = false;   // hold_loads: as under Earth's gravity
  bool learned_ = false;   // what the last run needs of a black box (PartSystem::learn)
  bool jumps_ = false;
  double driving_ = 0;  // Hz, of a loop
  std::optional<Run> stopped_;
};

}  // namespace rigspace
