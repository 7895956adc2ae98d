#include "fast_training.h"

#include "rigspace/reduce/reduced_body.h"

#include <chrono>

namespace rigspace::bench {
namespace {

double lap(std::chrono::steady_clock::time_point& since) {
  const auto now = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(now - std::exchange(since, now)).count();
}

/// Where the body hangs in each of these poses, all of it solved.
std::vector<LoadedPose> balances(const RspSetup& setup, std::span<const Vec> poses) {
  RigSpaceOptions options = setup.options;
  options.curvature = RigCurvature::learned;
  RigSpaceSimulation simulation(setup.body, setup.free, options);
  std::vector<LoadedPose> found{{setup.balance, setup.nodes}};
  simulation.restart(setup.balance, setup.nodes);
  for (const Vec& pose : poses)
    if (simulation.settle(pose).converged()) found.push_back({simulation.controls(), simulation.nodes()});
  return found;
}

}  // namespace

FastTraining train(const RspSetup& setup, const FastTrainingOptions& options) {
  constexpr int kMostProbed = 64;  // controls; with more, the stiffness under load is enough
  const RigBody& body = setup.body;
  const Material& material = setup.options.material;
  auto since = std::chrono::steady_clock::now();
  FastTraining trained;
  trained.loaded = balances(setup, options.hung.empty() ? options.poses : options.hung);
  const std::vector<LoadedPose>& loaded = trained.loaded;
  trained.balance_seconds = lap(since);
  trained.examples = shake(body, setup.free, options.poses,
                           {.amplitude = options.amplitude,
                            .material = material,
                            .rest_follows = false,
                            .probes = static_cast<int>(setup.free.size()) <= kMostProbed});
  trained.shaking_seconds = lap(since);
  trained.interior = skin_interior(body, trained.examples, {.form = InteriorSkinForm::absolute});
  trained.response = loaded_response(body, setup.free, trained.interior.weights, material, loaded);
  trained.weights_only = skinned_body(body, trained.interior.weights, InteriorSkinForm::absolute);
  trained.skinned = skinned_body(body, trained.interior.weights, trained.response);
  trained.skinning_seconds = lap(since);
  for (const auto& [p, x] : loaded) trained.examples.push_back({p, p, x, x});
  train_elements(setup, options.quality, trained);
  return trained;
}

void train_elements(const RspSetup& setup, double quality, FastTraining& trained) {
  auto since = std::chrono::steady_clock::now();
  const CubatureSetting shipped = cubature_setting(setup.body.mesh.tets.size());
  trained.cubature = train_cubature(setup.body, setup.free, trained.interior.weights, trained.examples,
                                    {.material = setup.options.material,
                                     .response = &trained.response.C,
                                     .loaded = &trained.response.offsets,
                                     .rest_follows = false,
                                     .setting = with_quality(shipped, quality)});
  trained.sampled = sampled_body(trained.skinned, trained.cubature);
  std::vector<Vec> hung;
  for (const LoadedPose& pose : trained.loaded) hung.push_back(pose.p);
  keep_balance(trained.sampled, setup.free, setup.options, hung);
  trained.cubature_seconds = lap(since);
}

}  // namespace rigspace::bench
