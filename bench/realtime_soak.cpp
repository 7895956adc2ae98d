#include "realtime_soak.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <optional>
#include <random>

#include <unistd.h>

namespace rigspace::bench {
namespace {

constexpr double kMostGrowth = 4e6;  // bytes of the process: what its allocator keeps for itself
constexpr double kMostTurn = 3.2;  // radians: half a turn, beyond which a joint's limit (at most 0.95 of it) has failed

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

struct Tally {
  long frames = 0, not_finite = 0, steps = 0, unconverged = 0;
  double largest_turn = 0, largest_share = 0;  // radians; lengths as a share of the character's size
  FrameTimes times;
};

/// One character, handled badly.
class Soak {
 public:
  Soak(const RealtimePlay& play, unsigned seed) : play_(play), rig_(play.model()), random_(seed) {
    for (const Animation& clip : play.model()->character().clips) {
      motions_.emplace_back(play.model()->character(), &clip);
      motions_.back().set_cyclic(motions_.back().loops());
    }
    motions_.front().controls(0, p_);
    rig_.reset(span());
  }

  void play(double seconds, Tally& tally) {
    for (double until = time_ + seconds; time_ < until; frame(tally)) {
    }
    tally.steps += rig_.steps() - steps_, tally.unconverged += rig_.unconverged() - unconverged_;
    steps_ = rig_.steps(), unconverged_ = rig_.unconverged();
  }

 private:
  std::span<double> span() { return {p_.data(), static_cast<std::size_t>(p_.size())}; }
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  bool chance(double share) { return uniform(0, 1) < share; }

  void frame(Tally& tally) {
    const double dt = chance(0.002) ? uniform(0, 2) : chance(0.01) ? 0 : uniform(0.001, 0.045);
    time_ += dt;
    if (chance(0.004)) clip_ = static_cast<std::size_t>(uniform(0, static_cast<double>(motions_.size())));
    if (chance(0.002)) way_ += uniform(-1, 1);    // the root snaps
    if (chance(0.001)) way_ += uniform(-50, 50);  // it is elsewhere
    if (chance(0.003)) noise_ = chance(0.5) ? 0 : uniform(0, 0.3);
    Vec now;
    motions_[std::min(clip_, motions_.size() - 1)].controls(time_, now);
    play_.add_way(way_, now);
    if (noise_ > 0)
      for (const int c : play_.model()->free())
        now[c] += uniform(-noise_, noise_) * play_.model()->controls()[c].typical;
    p_ = now;
    if (chance(0.001)) rig_.teleport();
    if (chance(0.0005)) rig_.reset(span());
    if (chance(0.01)) rig_.set_level(static_cast<RealtimeLevel>(std::min(2, static_cast<int>(uniform(0, 3)))));
    if (chance(0.001)) rig_.set_budget(chance(0.5) ? 0 : uniform(1e-5, 2e-3));
    const double before = thread_seconds();
    rig_.set_keyed(span());
    rig_.step(dt);
    tally.times.seconds.push_back(thread_seconds() - before);
    if (tally.times.seconds.size() > 100000) tally.times.seconds.clear();
    measure(tally);
  }

  void measure(Tally& tally) {
    ++tally.frames;
    const RealtimeModel& model = *play_.model();
    bool finite = true;
    for (std::size_t c = 0; c < model.free().size(); ++c) {
      const double value = rig_.deviation()[c];
      finite = finite && std::isfinite(value) && std::isfinite(rig_.simulated()[c]);
      if (model.controls()[static_cast<std::size_t>(model.free()[c])].unit == Unit::angle)
        tally.largest_turn = std::max(tally.largest_turn, std::abs(value));
    }
    tally.not_finite += finite ? 0 : 1;
    if (rig_.steps() >= steps_) return;
    steps_ = unconverged_ = 0;  // a reset
  }

  const RealtimePlay& play_;
  RealtimeRig rig_;
  std::mt19937 random_;
  std::vector<KeyedMotion> motions_;
  Vec p_;
  double time_ = 0, way_ = 0, noise_ = 0;
  std::size_t clip_ = 0;
  long steps_ = 0, unconverged_ = 0;
};

}  // namespace

Row soak_row(const std::vector<const RealtimePlay*>& plays, double seconds) {
  Tally tally;
  std::vector<std::unique_ptr<Soak>> all;
  for (std::size_t k = 0; k < plays.size(); ++k)
    all.push_back(std::make_unique<Soak>(*plays[k], 7u + static_cast<unsigned>(k)));
  const double each = seconds / static_cast<double>(plays.size());
  tally.times.seconds.reserve(110000);
  for (const auto& soak : all) soak->play(0.05 * each, tally);  // what is made once is there
  const double before = resident_bytes();
  for (const auto& soak : all) soak->play(0.95 * each, tally);
  const double grown = resident_bytes() - before;
  Row row{.scene = fmt::format("{}, {} s of {} characters", kSoakScene, seconds, plays.size()),
          .method = "clips, cuts, snaps, hitches, noise, levels, budgets at random"};
  row.metrics = {
      {"frames", tally.frames},
      {"frames_not_finite", tally.not_finite},
      {"largest_turn_radians", tally.largest_turn},
      {"unconverged_share", static_cast<double>(tally.unconverged) / static_cast<double>(std::max(1l, tally.steps))},
      {"bytes_grown", grown},
      {"worst_milliseconds_per_frame", 1e3 * tally.times.worst()}};
  row.required =
      fmt::format("all finite, no turn above {} radians, at most {} MB more memory", kMostTurn, 1e-6 * kMostGrowth);
  row.ok = tally.not_finite == 0 && tally.largest_turn <= kMostTurn && grown <= kMostGrowth;
  return row;
}

}  // namespace rigspace::bench
