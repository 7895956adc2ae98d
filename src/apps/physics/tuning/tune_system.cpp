#include "tune_system.h"

#include "rigspace/anim/character_frame.h"
#include "tuner.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace rigspace {
namespace {

constexpr int kMostWildLoops = 2;      // that are run
constexpr double kAboveStroke = 1.4;   // rate of what swims, of its stroke: it follows the stroke, and trails it
constexpr double kMostStrokeRate = 3;  // Hz
constexpr double kShortestClip = 0.2;  // s: what is shorter is a pose
constexpr double kTuningShare = 0.7;   // of the progress

struct Loop {
  KeyedMotion motion;
  bool swims;
};

bool speaks_of_swimming(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.find("swim") != std::string::npos;
}

std::vector<Loop> loops_of(const Character& character, const SimulationOptions& options) {
  std::vector<Loop> loops;
  for (const Animation& clip : character.clips) {
    if (!(clip.duration > kShortestClip)) continue;
    KeyedMotion motion(character, &clip, options.play);
    if (options.looping != Looping::always && (options.looping != Looping::find || !motion.loops())) continue;
    motion.set_cyclic(true);
    loops.push_back({std::move(motion), speaks_of_swimming(clip.name)});
  }
  return loops;
}

/// The body before rates and settling times are known, with values in their places: without them springs and damping
/// are no numbers.
SteppedBody untuned_body(PartSystem& system) {
  std::vector<PartSettings> known;
  for (TunedPart& part : system.parts) {
    known.push_back(part.settings);
    for (double* each : {&part.settings.rate, &part.settings.settle})
      if (!(*each > 0)) *each = 1;
  }
  SteppedBody body = system.body();
  if (!(body.stiffness > 0)) body.stiffness = 1;
  for (std::size_t k = 0; k < known.size(); ++k) system.parts[k].settings = known[k];
  return body;
}

/// Hz: the median of the loops that swim; 0: none does. It does not depend on rates.
double stroke_rate(PartSystem& system, const std::vector<Loop>& loops, const SimulationOptions& options) {
  std::vector<double> strokes;
  for (const Loop& loop : loops) {
    if (!loop.swims) continue;
    strokes.push_back(Stepper(untuned_body(system), loop.motion, options).stroke_frequency(loop.motion.duration()));
  }
  std::ranges::sort(strokes);
  return strokes.empty() ? 0 : strokes[strokes.size() / 2];
}

}  // namespace

void tune_system(PartSystem& system, const Character& character, const KeyedMotion& motion,
                 const SimulationOptions& options, const ProgressCallback& progress) {
  const double size = character_frame(character).extent();
  std::vector<Loop> loops;
  if (!motion.black_box() && options.corrections.tune) loops = loops_of(character, options);
  if (!system.flesh()) {
    const double least = std::min(kMostStrokeRate, kAboveStroke * stroke_rate(system, loops, options));
    for (TunedPart& part : system.parts) part.least_rate = least;
  }
  Tuner(system, motion, options, size).tune(part_of_progress(progress, 0, kTuningShare));
  if (!options.corrections.hold) return;
  std::vector<const KeyedMotion*> known;
  std::vector<bool> done(system.parts.size(), false);
  for (int run = 0; run < kMostWildLoops; ++run) {
    const KeyedMotion* wildest = nullptr;
    double most = 1;
    for (const Loop& loop : loops) {
      if (std::ranges::find(known, &loop.motion) != known.end()) continue;
      const double expected = Tuner(system, loop.motion, options, size).expected_swing(done);
      if (expected > most) most = expected, wildest = &loop.motion;
    }
    if (wildest == nullptr) return;
    const double from = kTuningShare + (1 - kTuningShare) * run / kMostWildLoops;
    Tuner(system, *wildest, options, size)
        .correct_gains(done, part_of_progress(progress, from, from + (1 - kTuningShare) / kMostWildLoops));
    known.push_back(wildest);
  }
}

}  // namespace rigspace
