#include "rigspace/reduce/shaking.h"

#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"
#include "rigspace/body/rig_space_simulation.h"
#include "shaking_velocity.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace rigspace {
namespace {

constexpr double kSwings = 0.35;      // duration of a shake, as a share of the period that the linear estimate gives
constexpr double kLeastSpeed = 0.02;  // an impulse gives no example if no node gets more than this share of its speed

/// The state from which the shakes of one pose start.
struct Base {
  Vec p_key, x_key;
  Vec p, x;                  // all controls and nodes of the body in balance there
  RigVelocities velocities;  // the controls linearised at p
};

double uniform(std::mt19937_64& engine) { return static_cast<double>(engine() >> 11) * 0x1p-53; }

class Shaker {
 public:
  Shaker(const RigBody& body, std::span<const int> free, const ShakeOptions& options)
      : body_(body), free_(free.begin(), free.end()), options_(options) {
    masses_ = lumped_masses(body.mesh, RigSpaceOptions{}.density);
    black_box_ = !body.rig->traits().exact_jacobian;
  }

  Base prepare(const Vec& p_key) const {
    Base base{.p_key = p_key, .x_key = carried(p_key), .p = p_key};
    base.x = base.x_key;
    if (!options_.rest_follows) {
      RigSpaceSimulation simulation(body_, free_, dynamics(1, bounding_box(base.x).diagonal()));
      simulation.restart(p_key);
      simulation.settle(p_key);
      base.p = simulation.controls(), base.x = simulation.nodes();
      balance(base).solve(base.x);
    }
    base.velocities = RigVelocities(body_, free_, base.p, masses_);
    return base;
  }

  /// Impulse `number`, counted over all poses.
  std::vector<ExamplePose> shake(const Base& base, int number) const {
    const double size = base.velocities.size();
    if (!(size > 0)) return {};
    const Impulse impulse = impulse_of(number);
    const Vec u = base.velocities.to(impulse);
    const double most = largest_distance(u), reach = options_.amplitude * size;
    if (!(most > kLeastSpeed)) return {};
    InteriorBalance inside = balance(base);
    // To first order the largest deviation of a swing is |u| speed / omega; the speed is chosen so that it is `reach`.
    const double omega = slowness(base, inside.solid(), u, most);
    const double period = 2 * std::numbers::pi / omega, speed = reach * omega / most;
    RigSpaceSimulation simulation(body_, free_, dynamics(kSwings * period / options_.steps, size));
    simulation.restart(base.p, base.x);
    if (options_.rest_follows) simulation.set_rest_pose(base.p_key);
    simulation.set_velocity(speed * u);
    std::vector<ExamplePose> records;
    for (int k = 1; k <= options_.steps; ++k) {
      simulation.step(base.p_key);
      if (k % options_.record_every == 0) records.push_back({.p = simulation.controls(), .x = simulation.nodes()});
    }
    return brought_to_size(base, records, inside);
  }

  /// The example in which one free control is moved alone, up (sign 1) or down (-1).
  std::vector<ExamplePose> probe(const Base& base, int control, double sign) const {
    const double moved = base.velocities.reach_of(control);
    if (!(moved > 0)) return {};
    Vec p = base.p;
    p[free_[control]] += sign * 0.5 * options_.amplitude * base.velocities.size() / moved;
    InteriorBalance inside = balance(base);
    return example(base, p, base.x + (carried(p) - carried(base.p)), inside);
  }

 private:
  Vec carried(In p) const {
    Vec s, x;
    body_.rig->evaluate(*body_.rig->make_workspace(), p, s);
    body_.ties.apply(s, x);
    return x;
  }

  InteriorBalance balance(const Base& base) const {
    InteriorBalance inside(body_, options_.material);
    if (options_.rest_follows) inside.set_rest(base.x_key);
    return inside;
  }

  /// Loose tolerances: the motion only has to give plausible shapes of the skin; the interior is solved for afterwards.
  RigSpaceOptions dynamics(double step, double size) const {
    return {.step = step,
            .material = options_.material,
            .gradient_tolerance = 1e-3,
            .step_tolerance = 1e-2 * options_.amplitude * size,
            .max_iterations = 20,
            .max_halvings = 1,
            .inverted_halvings = 0,  // the shapes are scaled afterwards, and the inside is solved for
            .linear = black_box_,
            .jacobian = {.broyden = true, .tolerance = 0.1}};
  }

  /// Rayleigh's estimate of the angular frequency of the motion u, sqrt(u^T K u / u^T M u), 1/s; interior nodes follow
  /// the ties.
  double slowness(const Base& base, const Solid& solid, const Vec& u, double most) const {
    const double size = base.velocities.size(), small = 1e-3 * size / most;
    const auto state = solid.make_state();
    const double curvature = (solid.value(*state, base.x + small * u) + solid.value(*state, base.x - small * u) -
                              2 * solid.value(*state, base.x)) /
                             (small * small);
    double inertia = 0;
    for (Eigen::Index i = 0; i < masses_.size(); ++i) inertia += masses_[i] * u.segment<3>(3 * i).squaredNorm();
    // A motion without stiffness (a free body that flies off) has no period. The lower bound of omega is sound speed
    // over 20 sizes.
    const double slowest = 0.05 * std::sqrt(options_.material.young / RigSpaceOptions{}.density) / size;
    return std::max(slowest, std::sqrt(std::max(0.0, curvature / inertia)));
  }

  /// Scales the recorded deviations, by at most 2, so that the largest of a shake is the amplitude, and solves for the
  /// interior. Scaling is allowed, since the interior is in balance for any values of the controls.
  std::vector<ExamplePose> brought_to_size(const Base& base, const std::vector<ExamplePose>& records,
                                           InteriorBalance& inside) const {
    double most = 0;
    for (const ExamplePose& each : records) most = std::max(most, largest_distance(each.x - base.x));
    const double reach = options_.amplitude * base.velocities.size();
    std::vector<ExamplePose> examples;
    if (!(most > 1e-3 * reach)) return examples;
    const double scale = std::min(2.0, reach / most);
    for (const ExamplePose& each : records)
      for (ExamplePose& one :
           example(base, base.p + scale * (each.p - base.p), base.x + scale * (each.x - base.x), inside))
        examples.push_back(std::move(one));
    return examples;
  }

  /// The example at p, in an empty or one-element vector: empty if the balance of the interior, started from x, does
  /// not converge.
  std::vector<ExamplePose> example(const Base& base, Vec p, const Vec& x, InteriorBalance& inside) const {
    for (const int c : free_) {
      const Control& control = body_.rig->controls()[c];
      if (base.p[c] >= control.min && base.p[c] <= control.max) p[c] = std::clamp(p[c], control.min, control.max);
    }
    ExamplePose result{.p_key = base.p_key, .p = p, .x_key = base.x_key, .x = carried(p)};
    for (int i = 0; i < body_.node_count(); ++i) {
      if (!body_.skin[i]) point(result.x, i) = point(x, i);
      if (body_.is_held(i)) point(result.x, i) = point(base.x_key, i);
    }
    if (!result.x.allFinite() || !inside.solve(result.x).converged()) return {};
    return {std::move(result)};
  }

  const RigBody& body_;
  const std::vector<int> free_;
  const ShakeOptions& options_;
  Vec masses_;  // kg, of nodes
  bool black_box_ = false;
};

/// Calls task(k) for all k, several at a time where the rig allows it, and reports between them.
template <class Task>
void each(int count, bool concurrent, const ProgressCallback& progress, Task&& task) {
  const int block = 2 * thread_count();
  for (int first = 0; first < count; first += block) {
    report(progress, "shaking", static_cast<double>(first) / count);
    const int size = std::min(block, count - first);
    auto range = [&](int begin, int end) {
      for (int k = begin; k < end; ++k) task(first + k);
    };
    concurrent ? parallel_ranges(size, 1, range) : range(0, size);
  }
}

}  // namespace

void ShakeOptions::validate() const {
  material.validate();
  require_option(impulses >= 0, "number of impulses", impulses, "expected at least 0");
  require_option(first >= 0, "first impulse", first, "expected at least 0");
  require_option(steps >= 1, "number of steps", steps, "expected at least 1");
  require_option(record_every >= 1, "steps between records", record_every, "expected at least 1");
  require_option(amplitude > 0 && amplitude <= 1, "amplitude", amplitude, "expected a share above 0, up to 1");
}

std::vector<ExamplePose> shake(const RigBody& body, std::span<const int> free, std::span<const Vec> poses,
                               const ShakeOptions& options, const ProgressCallback& progress) {
  options.validate();
  std::vector<Vec> own;
  if (poses.empty()) own = random_poses(*body.rig, free), poses = own;
  const bool concurrent = body.rig->traits().concurrent;
  const Shaker shaker(body, free, options);
  const int count = static_cast<int>(poses.size()), shakes = count * options.impulses;
  std::vector<Base> bases(poses.size());
  each(count, concurrent, progress, [&](int k) { bases[k] = shaker.prepare(poses[k]); });
  // Each free control is probed at one of the poses, up and down.
  const int probes = options.probes ? 2 * static_cast<int>(free.size()) : 0;
  std::vector<std::vector<ExamplePose>> found(static_cast<std::size_t>(shakes) + probes);
  each(shakes + probes, concurrent, progress, [&](int k) {
    const int probe = k - shakes;
    found[k] = k < shakes ? shaker.shake(bases[k / options.impulses], options.first + k)
                          : shaker.probe(bases[(probe / 2) % count], probe / 2, probe % 2 == 0 ? 1 : -1);
  });
  std::vector<ExamplePose> examples;
  const auto take = [&](int begin, int end) {
    for (int k = begin; k < end; ++k)
      for (ExamplePose& each : found[k]) examples.push_back(std::move(each));
  };
  for (int pose = 0; pose < count; ++pose) {
    const Base& base = bases[pose];
    if (!options.rest_follows) examples.push_back({base.p_key, base.p, base.x_key, base.x});
    take(pose * options.impulses, (pose + 1) * options.impulses);
  }
  take(shakes, shakes + probes);
  report(progress, "shaking", 1);
  return examples;
}

void RandomPoseOptions::validate() const {
  require_option(count >= 1, "number of poses", count, "expected at least 1");
  require_option(share > 0 && share <= 1, "share", share, "expected a number above 0, up to 1");
}

std::vector<Vec> random_poses(const Rig& rig, std::span<const int> free, const RandomPoseOptions& options) {
  options.validate();
  std::mt19937_64 engine(options.seed);
  std::vector<Vec> poses{rig.rest()};
  while (static_cast<int>(poses.size()) < options.count) {
    Vec p = rig.rest();
    for (int c = 0; c < static_cast<int>(p.size()); ++c) {
      const Control& control = rig.controls()[c];
      const double along = uniform(engine);
      if (control.unit == Unit::quaternion || std::find(free.begin(), free.end(), c) != free.end()) continue;
      const double low = std::isfinite(control.min) ? std::min(0.0, control.min - control.rest) : -control.typical;
      const double high = std::isfinite(control.max) ? std::max(0.0, control.max - control.rest) : control.typical;
      p[c] += options.share * (low + along * (high - low));
    }
    poses.push_back(std::move(p));
  }
  return poses;
}

}  // namespace rigspace
