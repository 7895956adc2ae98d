// Built-in rigs: how often they can be evaluated and differentiated, and how fast the screen's skinning is.

#include "bench.h"

#include "rigspace/base/parallel.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/differences.h"
#include "rigspace/rig/display_skin.h"
#include "rigspace/rig/skeleton.h"

#include <fmt/format.h>

#include <cmath>

namespace rigspace::bench {
namespace {

/// A limb: a chain of joints along y inside a tube of points, each bound to the four nearest joints.
struct Limb {
  std::shared_ptr<ControlGraph> graph = std::make_shared<ControlGraph>();
  std::vector<int> joints;
  SkinDescription skin;
  Vec points;
  std::unique_ptr<BuiltInRig> rig;
  std::vector<int> angles;  ///< the rx ry rz of all joints
};

Limb make_limb(int point_count, int joint_count) {
  Limb limb;
  for (int j = 0; j < joint_count; ++j) {
    limb.joints.push_back(add_node(*limb.graph, {.name = "joint" + std::to_string(j),
                                                 .parent_slot = j > 0 ? limb.joints.back() : -1,
                                                 .translation = Vec3(0, j > 0 ? 1 : 0, 0)}));
    Affine inverse_bind = Affine::Identity();
    inverse_bind(1, 3) = -j;
    limb.skin.inverse_bind.push_back(inverse_bind);
  }
  limb.skin.joint_slots = limb.joints;
  limb.points.resize(3 * point_count);
  for (int i = 0; i < point_count; ++i) {
    const double y = joint_count * (i + 0.5) / point_count, angle = 2.39996 * i;  // sunflower: even on the tube
    limb.points.segment<3>(3 * i) = Vec3(std::cos(angle), y, std::sin(angle));
    std::vector<Influence> influences;
    double sum = 0;
    const int nearest = std::clamp(static_cast<int>(y) - 1, 0, joint_count - 4);
    for (int k = 0; k < 4; ++k) {
      const double distance = y - (nearest + k + 0.5);
      influences.push_back({nearest + k, std::exp(-distance * distance)});
      sum += influences.back().weight;
    }
    for (Influence& influence : influences) influence.weight /= sum;
    limb.skin.influences.push_back(influences);
  }
  limb.rig = std::make_unique<BuiltInRig>(
      limb.graph, limb.points, std::vector<std::shared_ptr<const Deformer>>{make_linear_blend_skin(limb.skin)});
  for (int c = 0; c < static_cast<int>(limb.rig->controls().size()); ++c)
    if (limb.rig->controls()[c].unit == Unit::angle) limb.angles.push_back(c);
  return limb;
}

Vec bent(const Limb& limb) {
  Vec p = limb.rig->rest();
  for (std::size_t k = 0; k < limb.angles.size(); ++k) p[limb.angles[k]] = 0.1 * std::sin(static_cast<double>(k));
  return p;
}

Row evaluate_row(const Limb& limb, const std::string& scene, int threads, const BenchOptions& options) {
  const auto workspace = limb.rig->make_workspace();
  const Vec p = bent(limb);
  Vec s;
  const Timing timing = measure(options.seconds, [&] { limb.rig->evaluate(*workspace, p, s); });
  return {.scene = scene,
          .method = fmt::format("evaluate, {} threads", threads),
          .metrics = {{"seconds_per_evaluation", timing_json(timing)},
                      {"evaluations_per_s", 1 / timing.min},
                      {"vertices_per_s", limb.rig->point_count() / timing.min}}};
}

/// The exact Jacobian and, for the ratio, what central differences of the same rig take in the same run.
Row jacobian_row(const Limb& limb, const std::string& scene, int threads, const BenchOptions& options) {
  const auto workspace = limb.rig->make_workspace();
  const Vec p = bent(limb);
  BlockJacobian J, differences;
  const Timing exact = measure(options.seconds, [&] { limb.rig->jacobian(*workspace, p, limb.angles, J); });
  // Differences alone, as lean as they can be: two evaluations a control into one vector each, nothing assembled.
  Vec low, high, moved = p;
  double sum = 0;
  const Timing central = measure(options.seconds, [&] {
    for (const int control : limb.angles) {
      moved[control] = p[control] + 1e-5;
      limb.rig->evaluate(*workspace, moved, high);
      moved[control] = p[control] - 1e-5;
      limb.rig->evaluate(*workspace, moved, low);
      moved[control] = p[control];
      sum += (high - low).squaredNorm();
    }
  });
  const double ratio = central.min / exact.min;
  const bool required = limb.rig->point_count() == 10000 && threads == 1;
  return {.scene = scene,
          .method = fmt::format("jacobian, {} threads", threads),
          .metrics = {{"seconds_per_jacobian", timing_json(exact)},
                      {"jacobians_per_s", 1 / exact.min},
                      {"controls", limb.angles.size()},
                      {"seconds_per_central_differences", timing_json(central)},
                      {"faster_than_differences", ratio}},
          .required = required ? "at least 5 times faster than central differences" : "",
          .ok = !required || ratio >= 5};
}

Row display_row(const Limb& limb, const std::string& scene, int threads, const BenchOptions& options) {
  const auto workspace = limb.rig->make_workspace();
  Vec u;
  limb.rig->evaluate_slots(*workspace, bent(limb), u);
  std::vector<DisplayTransform> transforms;
  for (std::size_t j = 0; j < limb.joints.size(); ++j)
    transforms.push_back(
        display_transform(compose(transform_at(u, limb.graph->slots()[limb.joints[j]]), limb.skin.inverse_bind[j])));
  const DisplaySkin skin(limb.points, limb.skin);
  std::vector<float> s(static_cast<std::size_t>(limb.points.size()));
  const Timing timing = measure(options.seconds, [&] { skin.deform(transforms, s); });
  const double rate = skin.point_count() / timing.min;
  const bool required = skin.point_count() == 100000 && threads == 1;
  return {.scene = scene,
          .method = fmt::format("display skinning, {} threads", threads),
          .metrics = {{"seconds_per_frame", timing_json(timing)}, {"vertices_per_s", rate}},
          .required = required ? "at least 200e6 vertices_per_s" : "",
          .ok = !required || rate >= 200e6};
}

}  // namespace

std::vector<Row> bench_rigs(const BenchOptions& options) {
  std::vector<Row> rows;
  const int sizes[] = {1000, 10000, 100000};
  int done = 0;
  for (const int size : sizes) {
    const Limb limb = make_limb(size, 12);  // 12 joints: 36 angles
    const std::string scene = fmt::format("limb, 12 joints, {} vertices", size);
    for (const int threads : {1, 2}) {
      const ThreadCountScope scope(threads);
      rows.push_back(evaluate_row(limb, scene, threads, options));
      rows.push_back(jacobian_row(limb, scene, threads, options));
      rows.push_back(display_row(limb, scene, threads, options));
      report(options.progress, "measuring rigs", ++done / 6.0);
    }
  }
  return rows;
}

}  // namespace rigspace::bench
