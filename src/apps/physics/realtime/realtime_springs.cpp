// Spring bones fitted to the parts of a model.

#include "realtime_model.h"
#include "rigspace/anim/keyed_motion.h"
#include "spring_stand_in.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

constexpr double kRunIn = 3, kPlayed = 3;  // s

std::span<const double> span_of(const Vec& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

/// The parts' own deviation, without amounts, on a clip, at the time of the animation that it answers.
StandInExample example_on(const std::shared_ptr<const RealtimeModel>& model, const Vec& scaling,
                          const Animation& clip) {
  KeyedMotion motion(model->character(), &clip);
  motion.set_cyclic(motion.loops());
  const double played = motion.cyclic() ? std::max(kPlayed, motion.duration()) : motion.duration() + 1;
  const double run_in = motion.cyclic() ? kRunIn : 0.5;
  const auto late = static_cast<std::size_t>(std::lround(model->latency() * kSpringRate));
  const auto frames = static_cast<std::size_t>((run_in + played) * kSpringRate);
  StandInExample example{.keys = {}, .deviations = {}, .counted = static_cast<std::size_t>(run_in * kSpringRate)};
  RealtimeRig rig(model);
  const Vec amounts = scaling.unaryExpr([](double s) { return std::abs(s) > 1e-6 ? 1 / s : 0.0; });
  Vec p;
  for (std::size_t k = 0; k < frames + late; ++k) {
    const double time = static_cast<double>(k) / kSpringRate - (motion.cyclic() ? 0 : run_in);
    motion.controls(motion.cyclic() ? time : std::clamp(time, 0.0, motion.duration()), p);
    if (k < frames) example.keys.push_back(p);
    if (k == 0) rig.reset(span_of(p));
    rig.set_keyed(span_of(p));
    rig.step(1 / kSpringRate);
    if (k < late) continue;
    const Eigen::Map<const Vec> deviation(rig.deviation().data(), std::ssize(rig.deviation()));
    example.deviations.emplace_back(deviation.cwiseProduct(amounts));
  }
  return example;
}

}  // namespace

SpringStandIn fitted_stand_in(const std::shared_ptr<const RealtimeModel>& model, const RealtimeTraining& training,
                              const RealtimeSettings& settings, const Animation* clip) {
  std::vector<int> group_of(training.free.size(), 0);
  for (std::size_t b = 0; b < training.bodies.size(); ++b)
    for (std::size_t k = 0; k < training.places[b].size(); ++k)
      group_of[static_cast<std::size_t>(training.places[b][k])] =
          training.systems[b]->parts[static_cast<std::size_t>(training.groups[b][k])].index;
  const int parts = static_cast<int>(training.parts.size());
  SpringStandIn stand_in = stand_in_joints(training.character, training.free, group_of, parts);
  stand_in.snap_speed = training.options.snap_speed / training.options.metres_per_unit;
  for (std::size_t g = 0; g < stand_in.groups.size(); ++g) {
    const double omega = 2 * std::numbers::pi * settings.parts[g].rate;
    stand_in.groups[g].pull = std::clamp(std::pow(omega / kSpringRate, 2), 1e-5, 0.9);
    stand_in.groups[g].drag = std::clamp(6 / std::max(1e-3, settings.parts[g].settle) / kSpringRate, 1e-3, 0.98);
  }
  if (clip != nullptr && !stand_in.joints.empty()) fit_stand_in(example_on(model, settings.scaling, *clip), stand_in);
  return stand_in;
}

std::vector<SpringChain> RealtimeModel::spring_chains() const {
  const RealtimeTraining& training = *data_->training;
  if (!training.stand_in || training.parts.empty()) return {};  // a model from a file has no bones to name
  std::vector<std::string> names;
  for (const RealtimePart& part : tuning()) names.push_back(part.name);
  return stand_in_chains(*training.stand_in, training.character, names);
}

}  // namespace rigspace
