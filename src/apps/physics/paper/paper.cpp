#include "rigspace/apps/physics/paper.h"

#include "flesh/flesh_region.h"

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/base/bytes.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// The controls of a part: Part::controls, those of its soft joints, or rx ry rz of its chain's joints.
std::vector<int> controls_of(const Character& character, const Part& part) {
  if (!part.controls.empty()) return part.controls;
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr)
    throw Error({.file = character.name,
                 .element = "part \"" + part.name + "\"",
                 .problem = "is made of joints, and the rig is not built in",
                 .remedy = "name controls of the rig"});
  std::vector<int> controls;
  const bool soft = part.flesh != nullptr && part.flesh->chain_length == 0;
  for (const int bone : soft ? part.flesh->joints : part.bones) {
    const int slot = character.bones[static_cast<std::size_t>(bone)].slot;
    if (soft)
      for (const int control : translation_controls(rig->graph(), slot)) controls.push_back(control);
    if (!soft || part.flesh->turns)
      for (const int control : turns_of(character, bone)) controls.push_back(control);
  }
  std::sort(controls.begin(), controls.end());
  return controls;
}

/// The swing of one part over time, measured with the other parts in the keyed pose.
struct PartTrack {
  std::vector<int> controls;
  double length = 0;           ///< scene units: the largest extent of the skin that it moves
  std::vector<double> swings;  ///< largest deviation of a node at each time, as a share of `length`
};

class PaperSimulation {
 public:
  PaperSimulation(const Character& character, const Animation* clip, std::span<const Part> parts,
                  const SimulationOptions& options)
      : character_(character), motion_(character, clip), options_(options) {
    for (const Part& part : parts) tracks_.push_back({.controls = controls_of(character, part), .swings = {}});
    for (const PartTrack& track : tracks_) free_.insert(free_.end(), track.controls.begin(), track.controls.end());
    std::sort(free_.begin(), free_.end());
    if (free_.empty() || std::adjacent_find(free_.begin(), free_.end()) != free_.end())
      throw Error({.code = ErrorCode::usage,
                   .file = character.name,
                   .problem = free_.empty() ? "has no part to simulate" : "has a control that is in two parts",
                   .remedy = "name parts that do not overlap: --part 'tail*=tail'"});
  }

  PaperRun run(const ProgressCallback& progress) {
    PaperRun result{.body = make_body(), .free = free_};
    describe(result);
    const double end = std::min(options_.end, motion_.duration()), from = options_.start - options_.preroll;
    const int kept = std::max(1, static_cast<int>(std::lround((end - options_.start) / options_.step)));
    const double h = (end - options_.start) / kept;  // options_.step, rounded so that a whole number fills the stretch
    const int before = static_cast<int>(std::lround((options_.start - from) / h));
    RigSpaceOptions exact = rig_space_options();
    exact.step = h;
    RigSpaceSimulation stepped(result.body, free_, exact);
    result.masses = stepped.masses();
    int k = 1 - before;
    if (!options_.checkpoints.resume.empty()) {
      k = resume(result, stepped);
    } else {
      start(stepped, options_.start - before * h, h);
      if (before == 0) record(result, stepped, options_.start);
    }
    for (int since = 0; k <= kept; ++k, ++since) {
      report_or_cancel(progress, static_cast<double>(k + before) / (kept + before));
      if (since >= options_.checkpoints.every && saves()) save(result, stepped, k), since = 0;
      const double time = options_.start + k * h;
      const long evaluations = stepped.rig_evaluations();
      motion_.controls(time, key_);
      const RigSpaceStep step = stepped.step(key_);
      if (k >= 0) record(result, stepped, time);
      if (k < 1) continue;
      result.steps.push_back({.time = time,
                              .iterations = step.iterations,
                              .halvings = step.halvings,
                              .rig_evaluations = stepped.rig_evaluations() - evaluations,
                              .gradient = step.gradient * options_.metres_per_unit,
                              .residual = step.residual,
                              .converged = step.converged,
                              .inverted = step.inverted > 0,
                              .recovered = step.recovered});
    }
    finish(result);
    return result;
  }

 private:
  static void report_or_cancel(const ProgressCallback& progress, double fraction) {
    if (wants_cancel(progress, "simulating", fraction)) throw Cancelled();
  }

  RigBody make_body() const {
    const double diagonal = bounding_box(rest_surface(character_).points).diagonal();
    RigBody body = make_rig_body(character_, {.cell = printed_.cell * diagonal, .use_cache = true});
    if (!body.rig->traits().exact_jacobian) body.rig = with_printed_differences(body.rig, printed_.difference);
    return body;
  }

  RigSpaceOptions rig_space_options() const {
    return {.step = options_.step,
            .integrator = IntegratorKind::euler,
            .material = {.kind = options_.material,
                         .young = options_.young > 0 ? options_.young : printed_.young,
                         .poisson = options_.poisson},
            .density = options_.density,
            .gravity = options_.gravity,
            .metres_per_unit = options_.metres_per_unit,
            .interior = options_.interior,
            .curvature = options_.curvature,
            .hessian = HessianMode::exact,
            .line_search = LineSearchKind::strong_wolfe,
            .gradient_tolerance = 0,
            .gradient_floor = printed_.gradient / options_.metres_per_unit,
            .scale_rows = false,
            .max_iterations = printed_.iterations,
            .predict = false,
            .max_halvings = 0};
  }

  void describe(PaperRun& result) {
    const RigBody& body = result.body;
    workspace_ = body.rig->make_workspace();
    BlockJacobian ds_dp;
    body.rig->jacobian(*workspace_, body.rig->rest(), free_, ds_dp);
    result.J = Mat::Zero(3 * static_cast<Eigen::Index>(body.skin_count()), ds_dp.columns);
    Eigen::Index row = 0;
    for (int i = 0; i < body.node_count(); ++i) {
      if (!body.skin[i]) continue;
      body.ties.add_jacobian_row(i, ds_dp, result.J.middleRows<3>(row));
      row += 3;
    }
    for (PartTrack& track : tracks_) track.length = extent(body, result.J, track);
  }

  /// The largest extent, scene units, of the skin that a part moves by at least a tenth of its most moved point.
  double extent(const RigBody& body, const Mat& J, const PartTrack& track) const {
    Vec motion = Vec::Zero(J.rows() / 3);
    for (const int control : track.controls) {
      const auto column = std::lower_bound(free_.begin(), free_.end(), control) - free_.begin();
      const double typical = body.rig->controls()[static_cast<std::size_t>(control)].typical;
      for (Eigen::Index i = 0; i < motion.size(); ++i)
        motion[i] = std::max(motion[i], J.col(column).segment<3>(3 * i).norm() * typical);
    }
    Eigen::AlignedBox3d box;
    Eigen::Index k = 0;
    for (int i = 0; i < body.node_count(); ++i) {
      if (!body.skin[i]) continue;
      if (motion[k++] >= 0.1 * motion.maxCoeff())
        box.extend(Vec3(body.mesh.points.segment<3>(3 * static_cast<Eigen::Index>(i))));
    }
    return box.isEmpty() ? 0 : box.sizes().maxCoeff();
  }

  /// Whether checkpoints are saved. Not with structured BFGS, whose matrix from earlier steps is not part of them.
  bool saves() const { return options_.checkpoints.save != nullptr && options_.curvature != RigCurvature::learned; }

  /// Saves the state before step k: an Euler step depends on controls, nodes and velocities only.
  void save(const PaperRun& result, const RigSpaceSimulation& simulation, int k) const {
    ByteWriter out;
    out.number(k);
    for (const Vec* each : {&simulation.controls(), &simulation.nodes(), &simulation.velocities()}) out.values(*each);
    out.number(static_cast<double>(poses_.size()));
    for (std::size_t m = 0; m < poses_.size(); ++m) {
      out.number(result.motion.times[m]);
      for (const Vec* each : {&poses_[m], &keys_[m], &nodes_[m]}) out.values(*each);
      for (const PartTrack& track : tracks_) out.number(track.swings[m]);
    }
    out.number(static_cast<double>(result.steps.size()));
    for (const PaperStep& step : result.steps)
      for (const double each : {step.time, static_cast<double>(step.iterations), static_cast<double>(step.halvings),
                                static_cast<double>(step.rig_evaluations), step.gradient, step.residual,
                                step.converged ? 1.0 : 0.0, step.inverted ? 1.0 : 0.0, step.recovered ? 1.0 : 0.0})
        out.number(each);
    options_.checkpoints.save(out.bytes());
  }

  /// Restores a checkpoint. Returns the number of the next step.
  int resume(PaperRun& result, RigSpaceSimulation& simulation) {
    ByteReader in(options_.checkpoints.resume);
    const int k = in.integer();
    const Vec p = in.values(), x = in.values(), v = in.values();
    simulation.restart(p, x);
    simulation.set_velocity(v);
    const int moments = in.integer();
    for (int m = 0; m < moments; ++m) {
      result.motion.times.push_back(in.number());
      for (std::vector<Vec>* each : {&poses_, &keys_, &nodes_}) each->push_back(in.values());
      for (PartTrack& track : tracks_) track.swings.push_back(in.number());
    }
    const int steps = in.integer();
    for (int s = 0; s < steps; ++s) {
      PaperStep& step = result.steps.emplace_back();
      step.time = in.number(), step.iterations = in.integer(), step.halvings = in.integer();
      step.rig_evaluations = static_cast<long>(in.number());
      step.gradient = in.number(), step.residual = in.number(), step.converged = in.number() != 0;
      step.inverted = in.number() != 0, step.recovered = in.number() != 0;
    }
    return k;
  }

  /// Starts in the artist's pose with the artist's velocity.
  void start(RigSpaceSimulation& simulation, double time, double h) {
    Vec later, x, x_later;
    motion_.controls(time, key_);
    motion_.controls(time + h, later);
    for (const int c : free_) later[c] = key_[c];
    carry(simulation.body(), key_, x);
    carry(simulation.body(), later, x_later);
    simulation.restart(key_);
    simulation.set_velocity((x_later - x) / h);
  }

  void carry(const RigBody& body, In p, Vec& x) {
    body.rig->evaluate(*workspace_, p, s_);
    body.ties.apply(s_, x);
  }

  void record(PaperRun& result, const RigSpaceSimulation& simulation, double time) {
    motion_.controls(time, key_);
    result.motion.times.push_back(time);
    poses_.push_back(simulation.controls());
    keys_.push_back(key_);
    nodes_.push_back(simulation.nodes());
    Vec x_key, x;
    carry(simulation.body(), key_, x_key);
    for (PartTrack& track : tracks_) {
      Vec p = key_;
      for (const int c : track.controls) p[c] = simulation.controls()[c];
      carry(simulation.body(), p, x);
      double most = 0;
      for (Eigen::Index i = 0; i < x.size(); i += 3) most = std::max(most, (x - x_key).segment<3>(i).norm());
      track.swings.push_back(track.length > 0 ? most / track.length : 0);
    }
  }

  void finish(PaperRun& result) {
    SoftMotion& motion = result.motion;
    const auto moments = static_cast<Eigen::Index>(poses_.size());
    motion.controls = free_;
    motion.deviation.resize(static_cast<Eigen::Index>(free_.size()), moments);
    result.controls.resize(motion.deviation.rows(), moments);
    result.nodes.resize(nodes_.front().size(), moments);
    for (Eigen::Index k = 0; k < moments; ++k) {
      const auto at = static_cast<std::size_t>(k);
      result.nodes.col(k) = nodes_[at];
      for (std::size_t c = 0; c < free_.size(); ++c) {
        result.controls(static_cast<Eigen::Index>(c), k) = poses_[at][free_[c]];
        motion.deviation(static_cast<Eigen::Index>(c), k) = poses_[at][free_[c]] - keys_[at][free_[c]];
      }
    }
    for (const PaperStep& step : result.steps) {
      ++motion.steps;
      motion.iterations += step.iterations;
      motion.halved_steps += step.halvings > 0;
      motion.failed_steps += !step.converged;
      motion.inverted_steps += step.inverted;
      motion.recovered_steps += step.recovered;
    }
    for (const PartTrack& track : tracks_) {
      PartReport report{.flesh = true,
                        .length = track.length * options_.metres_per_unit,
                        .young = rig_space_options().material.young};
      std::vector<double> swings = track.swings;
      const auto largest = std::max_element(swings.begin(), swings.end());
      report.largest = *largest;
      report.largest_at = motion.times[static_cast<std::size_t>(largest - swings.begin())];
      std::sort(swings.begin(), swings.end());
      report.swing = swings[static_cast<std::size_t>(0.95 * static_cast<double>(swings.size() - 1))];
      motion.parts.push_back(report);
    }
  }

  const Character& character_;
  KeyedMotion motion_;
  const SimulationOptions& options_;
  PaperOptions printed_;
  std::vector<PartTrack> tracks_;
  std::vector<int> free_;
  std::unique_ptr<Workspace> workspace_;
  Vec key_, s_;
  std::vector<Vec> poses_, keys_, nodes_;
};

}  // namespace

PaperRun run_paper(const Character& character, const Animation* clip, std::span<const Part> parts,
                   const SimulationOptions& options, const ProgressCallback& progress) {
  if (clip == nullptr || clip->duration <= options.start)
    throw Error({.file = character.name,
                 .element = "clip",
                 .problem = "has no time to simulate",
                 .remedy = "give one that lasts longer than --start"});
  return PaperSimulation(character, clip, parts, options).run(progress);
}

}  // namespace rigspace
