#pragma once
// Rig-space physics of joint chains (RSP 3, 4): tails, ears, hair. The unknowns are the artist's own joints: each turns
// by R_key(t) exp(r), and r is what comes out. Rods: springs on the joints, mass from the skin.

#include "rigspace/apps/physics/keyed_motion.h"
#include "rigspace/apps/physics/part.h"
#include "rigspace/base/progress.h"
#include "rigspace/energy/integrator.h"

#include <vector>

namespace rigspace {

struct ChainOptions {
  double step = 1.0 / 120;  ///< s: the physics grid, independent of any frame rate
  IntegratorKind integrator = IntegratorKind::bdf2;
  double metres_per_unit = 1;    ///< of the scene: rates from size need metres
  int max_cycles = 12;           ///< of a loop, until it repeats itself
  double loop_tolerance = 1e-3;  ///< seam of a loop, of the largest deviation

  void validate() const;
};

/// What became of a part, for people.
struct PartReport {
  double length = 0;      ///< m, along the part
  double rate = 0;        ///< Hz, as used
  double settle = 0;      ///< s, as used
  double lag = 0;         ///< s, as used
  double amount = 1;      ///< as used
  double swing = 0;       ///< radians: 95th percentile over time of the tip's deviation from the artist's motion
  double largest = 0;     ///< radians: the largest
  double largest_at = 0;  ///< s
};

/// Deviations over one clip, on the physics grid from 0 to its duration, ends included.
struct ChainMotion {
  std::vector<int> controls;      ///< of the rig: rx ry rz of each simulated joint
  std::vector<double> times;      ///< s
  Mat deviation;                  ///< controls x times, radians, amount and limit included
  std::vector<PartReport> parts;  ///< in the order of the parts
  bool looped = false;
  double seam = 0;  ///< of a loop: gap between end and start, of the largest deviation, before it is closed
  int steps = 0, iterations = 0, failed_steps = 0;
};

/// Simulates all chains of the parts together over a clip. The first result: rate, lag and amount are adjusted until
/// the tips swing by 5 to 20 degrees, unless the look sets them (ART.md: amplitude wins).
ChainMotion simulate_chains(const Character& character, const Animation* clip, std::span<const Part> parts,
                            const ChainOptions& options = {}, const ProgressCallback& progress = {});

/// The clip with the deviations in it: complete, absolute, orientations of the simulated joints keyed at `rate` frames
/// a second; for a loop the last key equals the first to the bit.
Animation soft_clip(const Character& character, const Animation* clip, const ChainMotion& motion, double rate);

/// The commonest spacing of the clip's keys as a rate, within 12 to 240; 30 if it has none.
double frame_rate(const Animation* clip);

}  // namespace rigspace
