// Rows with the rig in another process, as the Thesis had it in Maya: the method of 2012 against the fast one.

#include "fast_scenes.h"
#include "fast_training.h"

#include "rigspace/base/parallel.h"
#include "rigspace/io/process_rig.h"
#include "rigspace/reduce/reduced_body.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigspace::bench {
namespace {

/// What one evaluation takes a production host, s: Blender 3.4, 5 k vertices, 20 bones, IK, lattice, driver; measured.
constexpr double kProduction = 1.0 / 500;

/// A program that is the rig of the scene's character.
struct Host {
  double delay = 0;   ///< s an evaluation at least
  int processes = 1;  ///< that share batches

  std::string name() const {
    const std::string where = processes == 1 ? "another process" : fmt::format("{} other processes", processes);
    if (delay == 0) return "rig in " + where;
    return fmt::format("rig in {} that take{} {:g} ms an evaluation", where, processes == 1 ? "s" : "", 1e3 * delay);
  }
};

struct HostedRig {
  std::shared_ptr<const ProcessRig> whole;
  std::shared_ptr<const Rig> of_body;  ///< the points that the body needs
};

HostedRig start(const RspScene& scene, const Host& host) {
  HostedRig hosted;
  const RigHost program{.member = std::string(scene.member), .delay = host.delay};
  hosted.whole =
      std::make_shared<ProcessRig>(ProcessRigOptions{.command = host_command(program), .processes = host.processes});
  hosted.of_body = body_of(scene, hosted.whole).rig;
  return hosted;
}

RspSetup as_in_2012(const RspSetup& setup, const HostedRig& hosted) {
  RspSetup mine = setup;
  mine.body.rig = hosted.of_body;
  mine.options.curvature = RigCurvature::bfgs;
  return mine;
}

RspSetup fast(const RspSetup& setup, const FastTraining& trained, const HostedRig& hosted) {
  RspSetup mine = setup;
  mine.options.linear = true, mine.options.keep_factor = 0.3;
  mine.options.jacobian = black_box_jacobian();
  RigBody skinned = trained.skinned;
  skinned.rig = hosted.of_body;
  mine.body = sampled_body(skinned, trained.cubature);
  mine.body.loaded.forces = trained.sampled.loaded.forces;
  return mine;
}

/// Steps, and how many poses the host evaluated.
Row row_of(const FastScene& scene, std::string method, const RspSetup& setup, const HostedRig& hosted) {
  const long before = hosted.whole->evaluations(), batches = hosted.whole->batches();
  const RspRun stepped = run(setup);
  const double steps = stepped.steps;
  const double evaluations = static_cast<double>(stepped.rig_evaluations);
  Row row{.scene = std::string(scene.scene.name), .method = std::move(method)};
  row.metrics = {{"controls", setup.free.size()},
                 {"rig_points", setup.body.rig->point_count()},
                 {"seconds_per_step", stepped.seconds / steps},
                 {"seconds_per_frame", stepped.seconds / steps * kFastFrame / kRspStep},
                 {"iterations_per_step", stepped.iterations / steps},
                 {"rig_evaluations_per_step", evaluations / steps},
                 {"jacobian_updates", stepped.linear.jacobians},
                 {"jacobians_of_known_ones", stepped.linear.from_memory},
                 {"asked_of_the_host", hosted.whole->evaluations() - before},
                 {"round_trips", hosted.whole->batches() - batches},
                 {"unconverged_steps", stepped.unconverged}};
  return row;
}

/// Both methods on one host; the fast one is measured over all steps of the setup, the other over the first few.
void add_rows(const FastScene& scene, const RspSetup& setup, const FastTraining& trained, const Host& host,
              std::vector<Row>& rows) {
  const HostedRig hosted = start(scene.scene, host);
  const std::string where = "; " + host.name();
  RspSetup few = setup;
  few.keys.resize(std::min<std::size_t>(few.keys.size(), host.delay > 0 ? 4 : 9));
  rows.push_back(row_of(scene, "2012: black box, BFGS" + where, as_in_2012(few, hosted), hosted));
  const double before = rows.back().metrics["seconds_per_step"].get<double>();
  rows.back().paper = Paper{"Thesis table 4.1, seconds per frame, rig in Maya", scene.thesis[0]};
  rows.push_back(row_of(scene, "skinned interior and its response, deferred Jacobian, cubature" + where,
                        fast(setup, trained, hosted), hosted));
  rows.back().metrics["times_faster_than_2012_in_the_same_process"] =
      before / rows.back().metrics["seconds_per_step"].get<double>();
  const double times = scene.thesis[0] / scene.thesis[4];
  rows.back().paper = Paper{"Thesis table 4.1: skinned interior, deferred Jacobian, times faster, rig in Maya", times};
}

}  // namespace

/// Through a pipe an evaluation of these rigs takes some 10 to 20 us, where Maya's took milliseconds: then the method
/// of 2012 spends its time in its solves and not in the rig, and what is saved in evaluations shows little. So there is
/// the same with a host as slow as a production rig is. The Thesis' trunk gains 56 times (its text says 53), the belly
/// 348.
std::vector<Row> process_rows(const FastScene& scene, const RspSetup& setup, const FastTraining& trained, bool quick) {
  std::vector<Row> rows;
  if (setup.free.size() > 64) return rows;  // the method of 2012 is out of reach, Thesis 4.3
  add_rows(scene, setup, trained, {}, rows);
  if (quick) return rows;
  add_rows(scene, setup, trained, {.delay = kProduction}, rows);
  if (thread_count() > 1) add_rows(scene, setup, trained, {.delay = kProduction, .processes = thread_count()}, rows);
  return rows;
}

}  // namespace rigspace::bench
