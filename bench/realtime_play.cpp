#include "realtime_play.h"

#include "rigspace/apps/physics/simulate.h"
#include "rigspace/base/error.h"
#include "rigspace/io/formats.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace rigspace::bench {
namespace {

constexpr double kRunIn = 10;  // s, and at least nine turns: until what was at the start has died away
constexpr int kMoments = 48;   // of a turn, at which skins are compared

std::span<const double> span_of(const Vec& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

const Animation& clip_of(const Character& character) {
  const Animation* clip = reference_clip(character);
  if (clip != nullptr) return *clip;
  throw Error({.file = character.name, .problem = "has no clip to play", .remedy = "choose another character"});
}

}  // namespace

std::filesystem::path assets_folder() {
  const char* named = std::getenv("RIGSPACE_ASSETS");
  return named != nullptr ? named : "../shared/assets";
}

Vec PlayedTurn::at(double time, double period) const {
  time -= period * std::floor((time - times.front()) / period);
  const auto k = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), time) - times.begin());
  if (k == 0) return deviations.front();
  const double next = k < times.size() ? times[k] : times.front() + period;
  const double u = next > times[k - 1] ? (time - times[k - 1]) / (next - times[k - 1]) : 0;
  return (1 - u) * deviations[k - 1] + u * (k < times.size() ? deviations[k] : deviations.front());
}

double FrameTimes::mean() const {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(1, seconds.size()));
}

double FrameTimes::percentile(double share) const {
  if (seconds.empty()) return 0;
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  return sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
}

RealtimePlay::RealtimePlay(const std::filesystem::path& file, const RealtimeOptions& options)
    : path_(assets_folder() / file),
      model_([&] {
        const double before = thread_seconds();
        auto model = load_realtime_model(path_, {.options = options});
        loading_ = thread_seconds() - before;
        return model;
      }()),
      clip_(clip_of(model_->character()).name),
      motion_(model_->character(), model_->character().clip(clip_)) {
  motion_.set_cyclic(motion_.loops());
  find_root();
}

/// The length control that moves the mean of all points farthest.
void RealtimePlay::find_root() {
  const Rig& rig = *model_->character().rig;
  const auto workspace = rig.make_workspace();
  Vec p = rig.rest(), s, moved;
  rig.evaluate(*workspace, p, s);
  const auto mean = [](const Vec& x) {
    return Vec3(Eigen::Map<const Eigen::Matrix3Xd>(x.data(), 3, x.size() / 3).rowwise().mean());
  };
  double most = 0;
  for (int c = 0; c < static_cast<int>(rig.controls().size()); ++c) {
    if (rig.controls()[c].unit != Unit::length) continue;
    p[c] += 1;
    rig.evaluate(*workspace, p, moved);
    p[c] -= 1;
    const double way = (mean(moved) - mean(s)).norm();
    if (!(way > 1.001 * most)) continue;
    most = way, root_ = c;
    root_per_metre_ = 1 / (way * model_->options().metres_per_unit);
  }
}

void RealtimePlay::pose(double time, double way, Vec& p) const {
  motion_.controls(time, p);
  add_way(way, p);
}

PlayedTurn RealtimePlay::last_turn(RealtimeRig& rig, double rate) const {
  Vec p;
  motion_.controls(0, p);
  rig.reset(span_of(p));
  const int turns = std::max(10, static_cast<int>(std::ceil(kRunIn / period())));
  PlayedTurn turn;
  for (int k = 1; k <= std::ceil(turns * period() * rate); ++k) {
    motion_.controls(k / rate, p);
    rig.set_keyed(span_of(p));
    rig.step(1 / rate);
    if (k / rate <= (turns - 1) * period()) continue;
    turn.times.push_back(k / rate - model_->latency());
    turn.deviations.emplace_back(Eigen::Map<const Vec>(rig.deviation().data(), std::ssize(rig.deviation())));
  }
  return turn;
}

FrameTimes RealtimePlay::frame_times(RealtimeRig& rig, double rate, int frames) const {
  const int first = static_cast<int>(rate);
  std::vector<Vec> poses(static_cast<std::size_t>(first + frames + 1));
  for (std::size_t k = 0; k < poses.size(); ++k) motion_.controls(static_cast<double>(k) / rate, poses[k]);
  rig.reset(span_of(poses[0]));
  FrameTimes times;
  times.seconds.reserve(static_cast<std::size_t>(frames));
  for (std::size_t k = 1; k < poses.size(); ++k) {
    const double before = thread_seconds();
    rig.set_keyed(span_of(poses[k]));
    rig.step(1 / rate);
    rig.apply({poses[k].data(), static_cast<std::size_t>(poses[k].size())});
    if (static_cast<int>(k) > first) times.seconds.push_back(thread_seconds() - before);
  }
  return times;
}

PlayedTurn RealtimePlay::simulate() const {
  const auto input = std::make_shared<const Character>(load_character(path_));
  const SimulatedCharacter done({.name = path_.string(), .character = input, .path = path_, .is_file = true},
                                {.clips = {clip_}}, "");
  const SoftMotion soft = motion_from_recipe(done.recipe().clips.at(0), done.character().rig->controls());
  if (!std::equal(soft.controls.begin(), soft.controls.end(), model_->free().begin(), model_->free().end()))
    throw Error({.file = path_.string(),
                 .problem = "is simulated on other controls than it is played on",
                 .remedy = "report this"});
  PlayedTurn turn{.times = soft.times, .deviations = {}};
  for (Eigen::Index k = 0; k < soft.deviation.cols(); ++k) turn.deviations.emplace_back(soft.deviation.col(k));
  return turn;
}

double measured_latency(const RealtimePlay& play, const PlayedTurn& turn, const PlayedTurn& reference) {
  constexpr double kShift = 1.0 / 240;
  double least = std::numeric_limits<double>::infinity(), best = 0;
  for (int k = -14; k <= 14; ++k) {
    PlayedTurn shifted = turn;
    for (double& time : shifted.times) time -= k * kShift;
    if (const double apart = play.apart(shifted, reference); apart < least) least = apart, best = k * kShift;
  }
  return play.model()->latency() + best;
}

/// Taken at frames of the first turn, since between frames nothing is shown.
double RealtimePlay::apart(const PlayedTurn& turn, const PlayedTurn& reference) const {
  const int moments = std::min(kMoments, static_cast<int>(turn.times.size()));
  const Rig& rig = *model_->character().rig;
  const auto workspace = rig.make_workspace();
  Vec p, key, here, there;
  double difference = 0, swing = 0;
  for (int k = 0; k < moments; ++k) {
    const double time = turn.times[turn.times.size() * static_cast<std::size_t>(k) / static_cast<std::size_t>(moments)];
    motion_.controls(time, p);
    rig.evaluate(*workspace, p, key);
    const auto skin = [&](const PlayedTurn& of, Vec& s) {
      Vec moved = p;
      const Vec d = of.at(time, period());
      for (std::size_t c = 0; c < model_->free().size(); ++c)
        moved[model_->free()[c]] += d[static_cast<Eigen::Index>(c)];
      rig.evaluate(*workspace, moved, s);
    };
    skin(turn, here), skin(reference, there);
    difference += (here - there).squaredNorm(), swing += (there - key).squaredNorm();
  }
  return swing > 0 ? std::sqrt(difference / swing) : 0;
}

}  // namespace rigspace::bench
