#include "tuning_cache.h"

#include "rigspace/base/bytes.h"
#include "rigspace/reduce/jacobian_samples.h"
#include "run/black_box_run.h"

namespace rigspace {
namespace {

constexpr int kMomentsOfAll = 96;

void add(const SteppedBody& body, ByteWriter& out) {
  const auto numbers = [&](const std::vector<double>& list) {
    out.values(Eigen::Map<const Vec>(list.data(), std::ssize(list)));
  };
  for (const auto* list : {&body.free, &body.ties.start, &body.ties.point, &body.moves.start, &body.moves.point})
    out.integers(*list);
  numbers(body.ties.weight), numbers(body.moves.weight), numbers(body.factors);
  out.values(body.springs);
  write(body.response, out);
  for (const MassGroup& group : body.groups) out.values(group.masses);
  for (const Tet& tet : body.tets) out.integers(tet);
  for (std::size_t k = 0; body.known && k < body.known->size(); ++k)
    out.values((*body.known)[k].s), write((*body.known)[k].J, out);
}

/// The amount scales the tuned motion without changing the tuned rates, so it is left out, except on a black box, whose
/// Jacobians are sampled along the scaled motion.
void add(const TunedPart& part, bool with_amount, ByteWriter& out) {
  for (const double each : {part.preset->rate_factor, part.preset->damping_ratio, part.preset->lag, part.length,
                            part.most_scaling, part.preset->flesh ? 1.0 : 0.0, part.least_rate})
    out.number(each);
  for (const SettingField& field : setting_fields())
    if (with_amount || field.value != &PartSettings::amount) out.number(part.part->settings.*field.value);
  for (const auto* list : {&part.part->stiffness, &part.part->settings.hits})
    out.values(Eigen::Map<const Vec>(list->data(), std::ssize(*list)));
}

void add(const SimulationOptions& options, ByteWriter& out) {
  for (const double each : {options.step, options.metres_per_unit, options.start, options.end, options.preroll,
                            options.loop_tolerance, options.young, options.poisson, options.density})
    out.number(each);
  for (const int each :
       {static_cast<int>(options.integrator), options.max_cycles, options.max_halvings,
        options.follow_animation ? 1 : 0, static_cast<int>(options.material), static_cast<int>(options.method),
        static_cast<int>(options.interior), static_cast<int>(options.curvature)})
    out.number(each);
  if (options.quality != SimulationOptions{}.quality) out.number(options.quality);
  if (options.gravity != earth_gravity()) out.values(options.gravity);
  const Corrections& on = options.corrections;
  for (const bool each : {on.tune, on.hold, on.scale, on.springs, on.smooth, on.ease, on.ends})
    out.number(each ? 1 : 0);
  for (const PartTuning& each : options.tuning)
    for (const double number : {each.rate, each.settle, each.lag, each.raised, each.ease, each.gain})
      out.number(number);
}

}  // namespace

std::vector<std::byte> tuning_key(PartSystem& system, const KeyedMotion& motion, const SimulationOptions& options,
                                  double character_size) {
  if (!options.use_cache || (motion.black_box() && options.collisions.any())) return {};
  for (const TunedPart& part : system.parts)
    if (!part.part->settings.keys.empty()) return {};
  const SteppedBody body = system.body();
  // Chains as rods are tuned quickly; with the full method tuning is a small part of a slow run.
  if (body.tets.empty() || !(motion.black_box() || body.linear)) return {};
  ByteWriter out;
  out.number(character_size);
  add(body, out);
  for (const TunedPart& part : system.parts) add(part, motion.black_box(), out);
  add(options, out);
  out.number(motion.duration()), out.number(motion.cyclic() ? 1 : 0);
  const RunGrid grid = run_grid(motion, options);
  const int around = moments_around(motion, options, grid);
  const auto workspace = body.rig->make_workspace();
  Vec p, s;
  for (int k = 0; k <= kMomentsOfAll; ++k) {  // poses over the whole clip, which tuning measures first (measure_motion)
    motion.controls(motion.duration() * k / kMomentsOfAll, p);
    out.values(p);
  }
  for (int k = -around; k <= grid.steps + around; ++k) {
    motion.controls(grid.start + k * grid.h, p);
    body.rig->evaluate(*workspace, p, s);
    out.values(p), out.values(s);
  }
  return out.bytes();
}

}  // namespace rigspace
