#include "fast_training.h"

#include "rigspace/apps/physics/reduced_body.h"

#include <chrono>

namespace rigspace::bench {
namespace {

double lap(std::chrono::steady_clock::time_point& since) {
  const auto now = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(now - std::exchange(since, now)).count();
}

}  // namespace

FastTraining train(const RspSetup& setup, const FastTrainingOptions& options) {
  constexpr int kMostProbed = 64;  // controls; of more the stiffness at rest tells enough
  const RigBody& body = setup.body;
  const Material& material = setup.options.material;
  auto since = std::chrono::steady_clock::now();
  FastTraining trained;
  trained.examples = shake(body, setup.free, options.poses,
                           {.amplitude = options.amplitude,
                            .material = material,
                            .rest_follows = false,
                            .probes = static_cast<int>(setup.free.size()) <= kMostProbed});
  trained.shaking_seconds = lap(since);
  trained.interior = skin_interior(body, trained.examples, {.form = InteriorSkinForm::absolute});
  trained.skinned = skinned_body(body, trained.interior.weights, InteriorSkinForm::absolute);
  trained.skinning_seconds = lap(since);
  trained.cubature = train_cubature(
      body, setup.free, trained.interior.weights, trained.examples,
      {.material = material, .rest_follows = false, .tolerance = options.tolerance, .most = options.most});
  trained.sampled = sampled_body(trained.skinned, trained.cubature);
  trained.cubature_seconds = lap(since);
  return trained;
}

}  // namespace rigspace::bench
