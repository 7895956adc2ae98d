#pragma once
// Models of inverse rigs, tried on clips that they were not trained on.

#include "bench.h"

#include "rigspace/apps/inverse/printed_refinement.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace rigspace::bench {

/// A clip as targets, and the controls that made it.
struct Trial {
  std::string name;
  Mat X;                   ///< a column for each frame
  std::vector<Vec> truth;  ///< coordinates
};
Trial trial_of(const InverseModel& model, const Character& character, const Animation& clip, double rate = 30);

/// Every k-th frame.
Trial thinned(const Trial& trial, int k);

struct TrialErrors {
  double joints = 0;       ///< root mean square distance, share of the size
  double stacked = 0;      ///< mean norm of all joints' distances, centimetres: how table 1 seems to count
  double controls = 0;     ///< root mean square norm over all controls, in typical changes
  double evaluations = 0;  ///< of the rig, a frame, those for Jacobians apart
  double jacobians = 0;    ///< a frame
};
TrialErrors errors_of(const InverseModel& model, const Trial& trial, const std::vector<InversePose>& frames);

/// Wall time, and the least processor time of a call, of all threads together: what others on the machine do not
/// change, and never less than the wall time of quiet cores.
struct TrialTiming {
  Timing wall;
  double processor = 0;  ///< seconds
};
/// Calls it twice at least, and for `seconds` of wall time, at most twenty times.
TrialTiming timing_of(double seconds, const std::function<void()>& body);

nlohmann::ordered_json metrics_of(const TrialErrors& errors, const Trial& trial, const TrialTiming& timing);

/// Mean distance of each place to the nearest of the samples, in the sizes that the regression sees.
double mean_nearest(const InverseModel& model, const Trial& trial);
/// The same of the samples among themselves.
double mean_nearest_sample(const InverseModel& model);
/// Both, and their ratio.
nlohmann::ordered_json distances_of(double trials, double samples);
constexpr double kLeastDistance = 2;  ///< how many times as far trials are at least

/// The rows of the kernels and of 6.1.
void add_kernels(const Character& hound, const BenchOptions& options, std::vector<Row>& rows);
void add_relations(const Character& hound, const BenchOptions& options, std::vector<Row>& rows);
void add_derivatives(const InverseModel& model, const std::vector<Trial>& trials, std::vector<Row>& rows);
/// Table 2's other characters.
void add_others(const BenchOptions& options, std::vector<Row>& rows);
/// 50 000 samples.
void add_many(const Character& hound, const BenchOptions& options, std::vector<Row>& rows);

/// The clips of the hound that models are trained on, and those that they are tried on.
std::vector<std::string> hound_training();
std::vector<std::string> hound_trials();

}  // namespace rigspace::bench
