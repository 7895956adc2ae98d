// IK of joints, method by method, on the same random targets.
#include "bench.h"

#include "rigspace/rig/effector_ik.h"

#include <array>
#include <cmath>
#include <limits>
#include <random>

namespace rigspace::bench {
namespace {

struct ReachScene {
  std::string name;
  std::vector<ReachJoint> joints;
  std::vector<std::vector<Effector>> trials;
  bool several = false;  // effectors: the graph's chain IK takes one
};

std::vector<ReachJoint> bones(int count, bool limited) {
  std::vector<ReachJoint> joints;
  for (int j = 0; j <= count; ++j) {
    ReachJoint joint{.parent = j - 1, .place = Vec3(0.05 * (j % 2), j / static_cast<double>(count), 0)};
    if (limited) joint.limits.min = Vec3::Constant(-0.6), joint.limits.max = Vec3::Constant(0.9);
    joints.push_back(joint);
  }
  return joints;
}

std::vector<ReachScene> scenes(int trials) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(-1, 1);
  const auto place = [&](double size) { return Vec3(size * Vec3(any(random), any(random), any(random))); };
  std::vector<ReachScene> list = {{"arm of 3 bones", bones(3, false), {}, false},
                                  {"tail of 12 bones", bones(12, false), {}, false},
                                  {"tail of 12 bones, limits", bones(12, true), {}, false},
                                  {"two arms of 4 bones on a spine of 4", bones(4, false), {}, true}};
  std::vector<ReachJoint>& pair = list[3].joints;
  for (const double side : {1.0, -1.0})
    for (int k = 0; k < 5; ++k)
      pair.push_back({.parent = k == 0 ? 4 : static_cast<int>(pair.size()) - 1,
                      .place = Vec3(side * (0.1 + 0.2 * k), 1 + 0.02 * (k % 2), 0)});
  for (ReachScene& scene : list)
    for (int k = 0; k < trials; ++k) {
      const int last = static_cast<int>(scene.joints.size()) - 1;
      if (scene.several)
        scene.trials.push_back({{.joint = last - 5, .target = Vec3(0.5, 1, 0.2) + place(0.25)},
                                {.joint = last, .target = Vec3(-0.5, 1, 0.2) + place(0.25)}});
      else
        scene.trials.push_back({{.joint = last, .target = Vec3(0, 0.45, 0) + place(0.3)}});
    }
  return list;
}

Row reach_row(const ReachScene& scene, ReachMethod method, const BenchOptions& options) {
  double iterations = 0, distance = 0, slack = std::numeric_limits<double>::infinity();
  int reached = 0;
  for (const auto& effectors : scene.trials) {
    const ReachResult result = reach(scene.joints, effectors, {.method = method});
    iterations += result.iterations;
    reached += result.reached;
    for (const double d : result.distance) distance = std::max(distance, d);
    slack = std::min(slack, result.limit_slack);
  }
  const Timing timing = measure(options.seconds, [&] {
    for (const auto& effectors : scene.trials) reach(scene.joints, effectors, {.method = method});
  });
  const double count = static_cast<double>(scene.trials.size());
  Row row{.scene = scene.name, .method = std::string(name(method)), .metrics = {}};
  row.metrics = {{"iterations", iterations / count},
                 {"microseconds", 1e6 * timing.median / count},
                 {"reached_share", reached / count},
                 {"worst_distance_share", distance},
                 {"least_limit_slack_radians", std::isfinite(slack) ? nlohmann::ordered_json(slack) : nullptr}};
  row.required = "limits kept";
  row.ok = slack > -1e-6;
  return row;
}

}  // namespace

std::vector<Row> bench_reach(const BenchOptions& options) {
  std::vector<Row> rows;
  for (const ReachScene& scene : scenes(options.quick ? 20 : 100)) {
    if (!wanted(options, scene.name)) continue;
    for (const ReachMethod method : {ReachMethod::fabrik, ReachMethod::ccd, ReachMethod::damped, ReachMethod::graph}) {
      if (scene.several && method == ReachMethod::graph) continue;
      report(options.progress, "measuring IK", 0.25 * static_cast<double>(rows.size()) / 4);
      rows.push_back(reach_row(scene, method, options));
    }
  }
  return rows;
}

}  // namespace rigspace::bench
