// One character at several numbers of display vertices: what a step costs must not depend on them.

#include "fast_scenes.h"
#include "fast_training.h"
#include "snapped_body.h"

#include "rigspace/cast/cast.h"
#include "rigspace/cast/sized.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace rigspace::bench {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double peanut_cell() {
  for (const CastMember& member : cast())
    if (member.name == "peanut") return member.proxy_cell;
  return 0;
}

Row sizes_row(int vertices, bool quick) {
  const SizedScene sized = prepare_sized(vertices, quick ? 3 : 12);
  const RspSetup& setup = sized.setup;
  const Rig& rig = *setup.body.rig;
  const auto workspace = rig.make_workspace();
  Vec s, x;
  BlockJacobian jacobian;
  const double seconds = quick ? 0.02 : 0.2;
  const Timing evaluation = measure(seconds, [&] { rig.evaluate(*workspace, setup.keys[1], s); });
  const Timing derivatives = measure(seconds, [&] { rig.jacobian(*workspace, setup.keys[1], setup.free, jacobian); });
  const Timing carrying = measure(seconds, [&] { setup.body.ties.apply(s, x); });
  const FastTraining trained = train(setup, {.poses = {setup.body.rig->rest()}});
  RspSetup fast = setup;
  fast.body = trained.sampled;
  fast.options.linear = true, fast.options.keep_factor = 0.3;
  RspRun stepped = run(fast);
  for (int again = 0; again < (quick ? 0 : 7); ++again) stepped.fastest = std::min(stepped.fastest, run(fast).fastest);
  return {.scene = fmt::format("{} display vertices, belly", sized.vertices),
          .method = "cubature",
          .metrics = {{"display_vertices", sized.vertices},
                      {"nodes", setup.body.node_count()},
                      {"tetrahedra", setup.body.mesh.tet_count()},
                      {"rig_points_needed", rig.point_count()},
                      {"character_seconds", sized.character_seconds},
                      {"body_seconds", sized.body_seconds},
                      {"restricted_evaluation_seconds", timing_json(evaluation)},
                      {"restricted_jacobian_seconds", timing_json(derivatives)},
                      {"carrying_seconds", timing_json(carrying)},
                      {"training_seconds", trained.seconds()},
                      {"elements_of_cubature", trained.cubature.elements.size()},
                      {"rig_points_of_cubature", trained.sampled.rig->point_count()},
                      {"seconds_per_step", stepped.fastest},
                      {"iterations_per_step", static_cast<double>(stepped.iterations) / stepped.steps}}};
}

}  // namespace

SizedScene prepare_sized(int vertices, int steps) {
  SizedScene sized;
  auto start = std::chrono::steady_clock::now();
  const Character character = make_sized_peanut(vertices);
  sized.vertices = character.rig->point_count();
  sized.character_seconds = seconds_since(start);
  const RspScene& belly = fast_scenes()[1].scene;
  start = std::chrono::steady_clock::now();
  sized.setup.body = snapped_to_points(make_rig_body(character, {.cell = peanut_cell()}));
  sized.body_seconds = seconds_since(start);
  prepare_on(sized.setup, character, belly, steps);
  return sized;
}

std::vector<Row> sizes_rows(bool quick) {
  std::vector<Row> rows;
  for (const int vertices : {1000, 10000, 100000, 1000000})
    if (!quick || vertices <= 100000) rows.push_back(sizes_row(vertices, quick));
  return rows;
}

}  // namespace rigspace::bench
