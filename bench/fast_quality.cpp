// The error on motion that was not trained on against the number of elements and what a step costs, by the quality that
// a user chooses: the curve of docs/fast-method.md.

#include "fast_methods.h"
#include "fast_scenes.h"
#include "fast_swing.h"

#include "rigspace/base/parallel.h"

#include <fmt/format.h>

namespace rigspace::bench {

std::vector<Row> quality_rows(bool quick) {
  constexpr int kQuickSteps = 60, kRepeats = 3;
  const ThreadCountScope one(1);
  const FastScene& belly = fast_scenes()[1];
  FastTraining trained = train_for(belly, prepare(belly.scene, 1));
  const RspSetup setup = prepare_test(belly, "Dance", quick ? kQuickSteps : 0);
  RspSetup full = setup;
  apply_full(full);
  const RspRun truth = run(full);
  const Apart swing = apart(setup, truth.poses, unmoved(setup));
  std::vector<Row> rows;
  for (int k = 0; k <= 8; ++k) {
    const double quality = k / 8.0;
    if (quick && k % 4 != 0) continue;
    train_elements(setup, quality, trained);
    RspSetup fast = setup;
    apply_cubature(fast, trained);
    RspRun stepped = run(fast);
    for (int again = 1; again < kRepeats; ++again) {
      const RspRun more = run(fast);
      stepped.step_seconds.insert(stepped.step_seconds.end(), more.step_seconds.begin(), more.step_seconds.end());
    }
    Row row{.scene = std::string(kQualityScene),
            .method = fmt::format("quality {:g}", quality),
            .metrics = {{"quality", quality},
                        {"elements", trained.cubature.elements.size()},
                        {"error_of_reduced_forces", trained.cubature.error},
                        {"lowest_eigenvalue", trained.cubature.lowest},
                        {"highest_eigenvalue", trained.cubature.highest},
                        {"milliseconds_per_step", spread_json(spread_of(stepped.step_seconds), 1e3)},
                        {"cubature_seconds", trained.cubature_seconds},
                        {"largest_residual", stepped.residual},
                        {"unconverged_steps", stepped.unconverged}}};
    add(motion_error(apart(setup, stepped.poses, truth.poses), swing, height_of(setup)), row.metrics);
    row.required = "every step converged, training within its tolerance";
    row.ok =
        stepped.unconverged == 0 && stepped.residual <= setup.options.gradient_tolerance && trained.cubature.reached;
    rows.push_back(std::move(row));
  }
  const Spread spread = spread_of(truth.step_seconds);
  rows.push_back({.scene = std::string(kQualityScene),
                  .method = "full Newton, factors reused",
                  .metrics = {{"elements", setup.body.mesh.tet_count()},
                              {"milliseconds_per_step", spread_json(spread, 1e3)},
                              {"largest_residual", truth.residual},
                              {"unconverged_steps", truth.unconverged}},
                  .required = "every step converged",
                  .ok = truth.unconverged == 0 && truth.residual <= full.options.gradient_tolerance});
  return rows;
}

}  // namespace rigspace::bench
