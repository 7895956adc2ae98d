#pragma once
// A character of the assets that plays its reference clip in real time, and what `rigspace simulate` makes of the same
// clip.

#include "rigspace/anim/keyed_motion.h"
#include "rigspace/apps/physics/realtime_load.h"
#include "thread_seconds.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rigspace::bench {

/// Deviations of the free controls over one turn of a loop; times are those of the animation, s, ascending.
struct PlayedTurn {
  std::vector<double> times;
  std::vector<Vec> deviations;

  /// Linear between the times; the turn repeats with `period`, s.
  Vec at(double time, double period) const;
};

/// Processor time of frames, s. A frame is set_keyed, step and apply.
struct FrameTimes {
  std::vector<double> seconds;

  double mean() const;
  double percentile(double share) const;
  double worst() const { return percentile(1); }
};

class RealtimePlay {
 public:
  /// `file`: below the folder of assets.
  RealtimePlay(const std::filesystem::path& file, const RealtimeOptions& options = {});

  const std::shared_ptr<const RealtimeModel>& model() const { return model_; }
  const KeyedMotion& motion() const { return motion_; }
  double period() const { return motion_.duration(); }
  double loading() const { return loading_; }  ///< s

  /// The last of so many turns that what was at the start has died away, `rate` frames a second.
  PlayedTurn last_turn(RealtimeRig& rig, double rate) const;
  /// Processor time of frames at `rate` a second, the first second not counted.
  FrameTimes frame_times(RealtimeRig& rig, double rate, int frames) const;
  /// What `rigspace simulate` makes of the clip, with default settings.
  PlayedTurn simulate() const;

  /// The pose of the clip at a time, s, with the character moved by `way`, metres, along the control that moves all of
  /// it most.
  void pose(double time, double way, Vec& p) const;
  void add_way(double way, Vec& p) const { p[root_] += way * root_per_metre_; }

  /// Root mean square over a turn and the skin of the difference of two deviations, over that of the reference.
  double apart(const PlayedTurn& turn, const PlayedTurn& reference) const;

 private:
  void find_root();

  std::filesystem::path path_;
  double loading_ = 0;
  std::shared_ptr<const RealtimeModel> model_;
  std::string clip_;
  KeyedMotion motion_;
  int root_ = 0;  // a control that moves the whole character
  double root_per_metre_ = 0;
};

/// The latency, s, by which the turn is behind the reference, beside what the model states: that at which they are
/// nearest.
double measured_latency(const RealtimePlay& play, const PlayedTurn& turn, const PlayedTurn& reference);

/// The folder of real characters: $RIGSPACE_ASSETS, else ../shared/assets.
std::filesystem::path assets_folder();

}  // namespace rigspace::bench
