// One body, meshed and trained once, under display meshes of a thousand to a million vertices: the motion must be the
// same and a step must cost the same; what the display itself costs is beside it.

#include "fast_methods.h"
#include "fast_scenes.h"
#include "fast_swing.h"

#include "rigspace/base/parallel.h"
#include "rigspace/cast/cast.h"
#include "rigspace/cast/sized.h"
#include "rigspace/reduce/reduced_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace::bench {
namespace {

constexpr double kSame = 1e-9;     // of the controls' typical changes
constexpr double kSameTime = 0.1;  // of a step
constexpr int kSizesSteps = 60, kSizesRepeats = 7;

double proxy_cell() {
  for (const CastMember& member : cast())
    if (member.name == "peanut") return member.proxy_cell;
  return 0;
}

/// A character with the proxy, its body, and the first size's training on it.
struct Sized {
  Character character;
  RspSetup setup, fast;
  int display = 0;
  double same_body = 0;  ///< scene units: largest distance to a node of the first size's body
  RspRun run;
  std::vector<double> medians = {};  ///< s a step, one a repeat
};

Sized make_sized(int vertices) {
  Sized sized{.character = make_sized_peanut(vertices, true)};
  sized.display = sized.character.pieces.front().point_count;
  sized.setup.body = make_rig_body(sized.character, {.cell = proxy_cell(), .use_cache = true});
  prepare_on(sized.setup, sized.character, fast_scenes()[1].scene, kSizesSteps);
  return sized;
}

void train_sized(const RspSetup& first, const FastTraining& trained, Sized& sized) {
  sized.same_body = sized.setup.body.mesh.points.size() == first.body.mesh.points.size()
                        ? (sized.setup.body.mesh.points - first.body.mesh.points).cwiseAbs().maxCoeff()
                        : std::numeric_limits<double>::infinity();
  sized.fast = sized.setup;
  apply_cubature(sized.fast, trained);
  RigBody skinned = trained.skinned;
  skinned.rig = sized.setup.body.rig;  // of the character with this display
  sized.fast.body = sampled_body(skinned, trained.cubature);
  sized.fast.body.loaded.forces = trained.sampled.loaded.forces;
}

double largest_change(const Rig& rig, std::span<const Vec> poses, std::span<const Vec> others) {
  double most = 0;
  for (std::size_t k = 0; k < poses.size(); ++k)
    for (Eigen::Index c = 0; c < poses[k].size(); ++c)
      most = std::max(most, std::abs(poses[k][c] - others[k][c]) / rig.controls()[static_cast<std::size_t>(c)].typical);
  return most;
}

/// Thread seconds of evaluating all that is drawn in one pose.
Spread display_seconds(const Sized& sized) {
  std::vector<int> points(static_cast<std::size_t>(sized.display));
  for (int i = 0; i < sized.display; ++i) points[i] = sized.character.pieces.front().first_point + i;
  const auto drawn = sized.character.rig->restricted(points);
  const auto workspace = drawn->make_workspace();
  Vec s;
  std::vector<double> seconds;
  for (const Vec& pose : sized.run.poses) {
    const double begun = thread_seconds();
    drawn->evaluate(*workspace, pose, s);
    seconds.push_back(thread_seconds() - begun);
    if (seconds.size() >= 12) break;
  }
  return spread_of(seconds);
}

}  // namespace

std::vector<Row> sizes_rows(bool quick) {
  const ThreadCountScope one(1);
  std::vector<Sized> sizes;
  for (const int vertices : {1000, 10000, 100000, 1000000})
    if (!quick || vertices <= 100000) sizes.push_back(make_sized(vertices));
  const FastTraining trained = train_for(fast_scenes()[1], sizes.front().setup);
  for (Sized& each : sizes) train_sized(sizes.front().setup, trained, each);
  for (int repeat = 0; repeat < kSizesRepeats; ++repeat)  // in turn, since machines are shared
    for (Sized& each : sizes) {
      RspRun stepped = run(each.fast);
      each.medians.push_back(spread_of(stepped.step_seconds).median);
      each.run = std::move(stepped);
    }
  const double first = *std::min_element(sizes.front().medians.begin(), sizes.front().medians.end());
  std::vector<Row> rows;
  for (const Sized& each : sizes) {
    const double change = largest_change(*each.setup.body.rig, each.run.poses, sizes.front().run.poses);
    const double best = *std::min_element(each.medians.begin(), each.medians.end());
    const double display = display_seconds(each).median, steps = kFastFrame / kRspStep;
    rows.push_back({.scene = std::string(kSizesScene),
                    .method = fmt::format("{} display vertices", each.display),
                    .metrics = {{"display_vertices", each.display},
                                {"tetrahedra", each.setup.body.mesh.tet_count()},
                                {"elements", trained.cubature.elements.size()},
                                {"rig_points_of_the_body", each.fast.body.rig->point_count()},
                                {"steps", each.run.poses.size()},
                                {"body_apart_from_the_first", each.same_body},
                                {"largest_difference_of_controls_in_typical_changes", change},
                                {"milliseconds_per_step_best_median_of_repeats", 1e3 * best},
                                {"milliseconds_per_step", spread_json(spread_of(each.medians), 1e3)},
                                {"step_times_the_first", best / first},
                                {"display_milliseconds", 1e3 * display},
                                {"frame_milliseconds_display_included", 1e3 * (steps * best + display)},
                                {"unconverged_steps", each.run.unconverged}},
                    .required = fmt::format("the same motion to {:g}, a step within {:g} % of the first's time", kSame,
                                            100 * kSameTime),
                    .ok = change <= kSame && std::abs(best / first - 1) <= kSameTime && each.run.unconverged == 0});
  }
  return rows;
}

}  // namespace rigspace::bench
