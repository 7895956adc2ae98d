#include "black_box_run.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

void Run::write(ByteWriter& out) const {
  out.values(Eigen::Map<const Vec>(times.data(), static_cast<Eigen::Index>(times.size())));
  out.matrix(deviation);
  out.matrix(reach);
  for (const double each : {looped ? 1.0 : 0.0, seam, smallest_volume, volume_change}) out.number(each);
  for (const int each :
       {steps, iterations, halved_steps, failed_steps, inverted_steps, recovered_steps, untrained_steps, jumps})
    out.number(each);
}

void Run::read(ByteReader& in) {
  const Vec t = in.values();
  times.assign(t.begin(), t.end());
  deviation = in.matrix();
  reach = in.matrix();
  looped = in.number() != 0;
  for (double* each : {&seam, &smallest_volume, &volume_change}) *each = in.number();
  for (int* each :
       {&steps, &iterations, &halved_steps, &failed_steps, &inverted_steps, &recovered_steps, &untrained_steps, &jumps})
    *each = in.integer();
}

Runner::Runner(Stepper& stepper, const KeyedMotion& motion, const SimulationOptions& options, double hold_after)
    : stepper_(stepper), motion_(motion), options_(options), hold_after_(hold_after) {
  const RunGrid grid = run_grid(motion_, options_);
  start_ = grid.start, h_ = grid.h, grid_ = grid.steps;
}

void Runner::begin(bool resumed) {
  const int preroll = motion_.cyclic() ? 0 : static_cast<int>(std::ceil(options_.preroll / h_ - 1e-9));
  stepper_.start(start_ - preroll * h_, h_, !motion_.cyclic() && preroll == 0 && start_ == 0);
  state_ = {};
  Run& run = state_.run;
  for (int k = 0; k <= grid_; ++k) run.times.push_back(start_ + k * h_);
  run.deviation = Mat::Zero(static_cast<Eigen::Index>(stepper_.body().own_controls().size()), grid_ + 1);
  run.reach = Mat::Zero(static_cast<Eigen::Index>(stepper_.body().groups.size()), grid_ + 1);
  run.jumps = stepper_.jumps();
  state_.still_since = stepper_.time();
  if (resumed) return;
  for (int k = preroll - 1; k >= 0; --k) advance(start_ - k * h_);
  record(0);
}

void Runner::write(ByteWriter& out) const {
  state_.run.write(out);
  out.number(state_.cycle), out.number(state_.next), out.number(state_.still_since);
  stepper_.write(out);
}

void Runner::read(ByteReader& in) {
  state_.run.read(in);
  state_.cycle = in.integer(), state_.next = in.integer(), state_.still_since = in.number();
  stepper_.read(in);
}

void Runner::record(int k) {
  state_.run.deviation.col(k) = stepper_.deviation().head(state_.run.deviation.rows());
  for (Eigen::Index g = 0; g < state_.run.reach.rows(); ++g)
    state_.run.reach(g, k) = stepper_.reach(static_cast<int>(g));
}

void Runner::advance(double time) {
  Run& run = state_.run;
  if (!stepper_.still(stepper_.time(), time)) state_.still_since = time;
  ++run.steps;
  if (time - state_.still_since > hold_after_) return stepper_.hold(time);
  const StepOutcome outcome = stepper_.advance(time);
  run.iterations += outcome.iterations;
  run.halved_steps += outcome.halvings > 0 ? 1 : 0;
  run.failed_steps += outcome.converged ? 0 : 1;
  run.inverted_steps += outcome.inverted ? 1 : 0;
  run.recovered_steps += outcome.recovered ? 1 : 0;
  run.untrained_steps += outcome.untrained ? 1 : 0;
}

/// Whether a loop repeats itself.
bool Runner::cycle_done() {
  if (!motion_.cyclic()) return true;
  Run& run = state_.run;
  const double largest = run.deviation.cwiseAbs().maxCoeff();
  const double gap = (run.deviation.col(grid_) - run.deviation.col(0)).cwiseAbs().maxCoeff();
  run.seam = largest > 0 ? gap / largest : 0;
  run.looped = run.seam <= options_.loop_tolerance;
  return (run.looped && state_.cycle > 0) || state_.cycle + 1 >= options_.max_cycles;
}

Run Runner::so_far() const {
  Run run = last_turn_ ? *last_turn_ : state_.run;
  run.looped = false;
  if (last_turn_) return run;
  run.deviation.conservativeResize(Eigen::NoChange, state_.next);
  run.reach.conservativeResize(Eigen::NoChange, state_.next);
  return run;
}

/// Blends two turns that follow each other into one that repeats, for motion that does not become periodic: it begins
/// as the later turn, which starts where the earlier ends, and ends as the earlier. Value and velocity are continuous
/// at the seam.
void Runner::blend_turns(const Run& earlier, Run& later) {
  const Eigen::Index last = later.deviation.cols() - 1;
  for (Eigen::Index k = 0; k <= last; ++k) {
    const double t = static_cast<double>(k) / static_cast<double>(last), w = t * t * (3 - 2 * t);
    later.deviation.col(k) += w * (earlier.deviation.col(k) - later.deviation.col(k));
    later.reach.col(k) += w * (earlier.reach.col(k) - later.reach.col(k));
  }
}

Run Runner::run(const ProgressCallback& progress, const Save& save, ByteReader* resume) {
  begin(resume != nullptr);
  if (resume != nullptr) read(*resume);
  const int cycles = motion_.cyclic() ? options_.max_cycles : 1;
  int since_save = 0;
  while (true) {
    for (; state_.next <= grid_; ++state_.next) {
      if (++since_save > options_.checkpoints.every && save) {
        since_save = 0;
        save([this](ByteWriter& out) { write(out); });
      }
      const int k = state_.next;
      advance(state_.cycle * (grid_ * h_) + start_ + k * h_);
      record(k);
      Run& run = state_.run;
      if (k % stepper_.measure_every() == 0) {
        run.smallest_volume = std::min(run.smallest_volume, stepper_.smallest_volume_ratio());
        run.volume_change = std::max(run.volume_change, std::abs(stepper_.volume_ratio() - 1));
      }
      if (k % 8 == 0) report(progress, "simulating", static_cast<double>(state_.cycle * grid_ + k) / (cycles * grid_));
    }
    if (cycle_done()) {
      if (options_.corrections.ends && motion_.cyclic() && !state_.run.looped && last_turn_)
        blend_turns(*last_turn_, state_.run);
      break;
    }
    last_turn_ = state_.run;
    ++state_.cycle;
    state_.next = 1;
    record(0);
  }
  return state_.run;
}

}  // namespace rigspace
