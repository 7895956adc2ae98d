#pragma once
// Private to physics: all chains of a character, stepped through a clip.

#include "rigspace/apps/physics/simulation.h"
#include "rigspace/optimize/summary.h"
#include "rigspace/rig/rig.h"

#include <memory>
#include <vector>

namespace rigspace {

/// A part as the solver sees it.
struct Chain {
  const Part* part = nullptr;
  const Preset* preset = nullptr;
  std::vector<int> columns;      ///< of its joints' rx ry rz among the free controls
  std::vector<double> depth;     ///< per joint: 0 at the root, 1 at the tip
  Vec masses;                    ///< per simulated point, zero outside the part
  double length = 0;             ///< scene units
  Look look;                     ///< with what is derived filled in
  double damping = 0, drag = 0;  ///< 1/s: against the animation's velocity, and against the smoothed root's
};

class ChainSolver {
 public:
  ChainSolver(const Character& character, const Animation* clip, std::span<const Part> parts,
              const SimulationOptions& options)
      : character_(character), options_(options), key_(character, clip) {
    collect_controls(parts);
    collect_points(parts);
  }

  std::vector<Chain>& chains() { return chains_; }
  KeyedMotion& key() { return key_; }
  const std::vector<int>& free() const { return free_; }

  SoftMotion run(const ProgressCallback& progress, double from, double to);
  std::vector<double> swings(const SoftMotion& motion, const Chain& chain);

 private:
  void collect_controls(std::span<const Part> parts);
  void collect_points(std::span<const Part> parts);
  std::vector<int> columns_of(const Part& part) const;
  void set_depths(Chain& chain) const;
  void key_points(double time, Vec& p, Vec& s);
  void set_stiffness();
  std::vector<double> turn_limits() const;
  double slowest_period(const Chain& chain, const Vec& stiffness) const;
  Vec3 travel_velocity(double time);
  struct Problem;
  std::unique_ptr<Problem> make_problem() const;
  void start(Problem&, double h);
  Summary advance(Problem&, double time, double h);

  const Character& character_;
  SimulationOptions options_;
  KeyedMotion key_;
  std::vector<int> free_;           // controls
  std::vector<int> points_;         // of the rig: those that carry mass
  std::shared_ptr<const Rig> rig_;  // restricted to those
  std::unique_ptr<Workspace> workspace_;
  BlockJacobian J_rest_;
  std::vector<Chain> chains_;
  Vec stiffness_;  // per free control, N m / rad for masses as above
};

}  // namespace rigspace
