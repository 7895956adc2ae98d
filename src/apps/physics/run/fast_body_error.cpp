#include "fast_body_error.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/body/deferred_jacobian.h"
#include "rigspace/body/interior_response.h"
#include "rigspace/body/rig_predictor.h"
#include "rigspace/energy/gravity.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace rigspace {
namespace {

/// Elastic forces of a reduced body on its controls, each multiplied by the control's typical change.
class ElasticForces {
 public:
  ElasticForces(const SteppedBody& body, MaterialKind material)
      : body_(body),
        mapping_(description_of(body)),
        workspace_(body.rig->make_workspace()),
        objective_(mapping_),
        stress_(Vec::Zero(mapping_.size_x())) {
    const Vec x_rest = keyed(body.rig->rest());
    // For a black box one J serves all states: only the elements are compared, both sides with the same J.
    const bool exact = body.rig->traits().exact_jacobian;
    const RigSpaceDescription& map = mapping_.description();
    BlockJacobian response = rows_of(body.response, map.bound);
    if (exact) {
      lineariser_ = std::make_unique<JacobianEveryStep>(map, x_rest, LinearRigOptions{}, std::move(response));
    } else {
      auto predictor = std::make_unique<RigPredictor>(map, x_rest, black_box_jacobian(), std::move(response));
      predictor_ = predictor.get(), lineariser_ = std::move(predictor);
    }
    if (predictor_ != nullptr && body.known) {
      Mat x_keys(x_rest.size(), std::ssize(*body.known));
      for (Eigen::Index k = 0; k < x_keys.cols(); ++k) x_keys.col(k) = nodes_of((*body.known)[k].s_key);
      predictor_->set_samples(*body.known, x_keys);
    }
    solid_.emplace(x_rest, body.tets, Material{.kind = material, .young = 1, .poisson = body.poisson}, body.factors);
    objective_.add("flesh", *solid_);
    objective_.add("stress of the animated shape", stress_);
    mapping_.set_linear(&lineariser_->linear());
    state_ = objective_.make_state();
  }

  Vec at(const Moment& moment) {
    const Vec x_key = keyed(moment.p_key);
    solid_->set_rest(x_key);
    Vec stress = Vec::Zero(x_key.size());  // of elements that the animation inverts, balanced as in Stepper::set_loads
    if (solid_->fallbacks() > 0) solid_->add_gradient(*solid_->make_state(), x_key, 1, stress);
    stress_.set_forces(stress);
    mapping_.set_key(moment.p_key, x_key);
    lineariser_->restart();
    if (predictor_ != nullptr && mapping_.description().relative) predictor_->set_carried_key(mapping_.carried_key());
    lineariser_->begin(moment.p, moment.p_key, x_key);
    Vec q = mapping_.coordinates(x_key, moment.p), x, g;
    objective_.evaluate(state_, q, x);
    objective_.refresh(state_, q, x, Phase::step);
    objective_.gradient(state_, q, x, g);
    for (std::size_t c = 0; c < body_.free.size(); ++c)
      g[static_cast<Eigen::Index>(c)] *= body_.rig->controls()[body_.free[c]].typical;
    return g;
  }

 private:
  Vec keyed(In p) {
    Vec s;
    body_.rig->evaluate(*workspace_, p, s);
    return nodes_of(s);
  }

  Vec nodes_of(In s) const {
    Vec x;
    body_.ties.apply(s, x);
    return x;
  }

  const SteppedBody& body_;
  RigSpaceMapping mapping_;
  std::unique_ptr<Workspace> workspace_;
  Objective objective_;
  std::unique_ptr<RigLineariser> lineariser_;
  RigPredictor* predictor_ = nullptr;  // the same object, if the rig is a black box
  std::optional<Solid> solid_;
  Load stress_;
  ObjectiveState state_;
};

/// The elastic force of all elements on the controls at an example, whose inside is in balance and so adds nothing.
Vec whole_force(const SteppedBody& body, const RigBody& whole, Solid& solid, const ExamplePose& example) {
  solid.set_rest(example.x_key);
  Vec g = Vec::Zero(example.x.size()), force = Vec::Zero(std::ssize(body.free));
  const auto state = solid.make_state();
  solid.add_gradient(*state, example.x, 1, g);
  if (solid.fallbacks() > 0) solid.add_gradient(*state, example.x_key, -1, g);
  BlockJacobian ds_dp, J;
  whole.rig->jacobian(*whole.rig->make_workspace(), example.p, body.free, ds_dp);
  body.ties.jacobian(ds_dp, J);
  for (int i = 0; i < body.node_count(); ++i)
    for (int e = J.start[i]; body.roles[i] == NodeRole::bound && e < J.start[i + 1]; ++e)
      force[J.column[e]] += J.value.col(e).dot(point(g, i));
  return force;
}

/// Of the free controls from their keys.
Vec deviation(const SteppedBody& body, const ExamplePose& shake) {
  Vec d(std::ssize(body.free));
  for (std::size_t c = 0; c < body.free.size(); ++c)
    d[static_cast<Eigen::Index>(c)] = shake.p[body.free[c]] - shake.p_key[body.free[c]];
  return d;
}

/// Of the shakes; probes, which move one control alone, do not count.
std::vector<Vec> deviations(const SteppedBody& body, std::span<const ExamplePose> seen) {
  std::vector<Vec> all;
  for (const ExamplePose& each : seen)
    if (Vec d = deviation(body, each); body.free.size() == 1 || (d.array() != 0).count() > 1)
      all.push_back(std::move(d));
  return all;
}

/// How far the skin moves by a force f on the controls, to first order at rest: |J d|_M with K d = f. Directions that
/// next to nothing holds, as turns of joints inside flesh may be, count as held by a hundredth of each control's own
/// stiffness.
class SkinSwing {
 public:
  SkinSwing(const SteppedBody& body, const RigBody& whole, const Mat& K) : K_(K) {
    constexpr double kHeld = 0.01, kFree = 1e-9;
    K_.diagonal() += kHeld * K.diagonal().cwiseMax(kFree * std::max(K.diagonal().maxCoeff(), 1e-300));
    BlockJacobian ds_dp, J;
    whole.rig->jacobian(*whole.rig->make_workspace(), whole.rig->rest(), body.free, ds_dp);
    body.ties.jacobian(ds_dp, J);
    const Vec masses = lumped_masses(whole.mesh, 1);
    M_ = Mat::Zero(K.rows(), K.cols());
    for (int i = 0; i < body.node_count(); ++i)
      for (int a = J.start[i]; body.roles[i] == NodeRole::bound && a < J.start[i + 1]; ++a)
        for (int b = J.start[i]; b < J.start[i + 1]; ++b)
          M_(J.column[a], J.column[b]) += masses[i] * J.value.col(a).dot(J.value.col(b));
  }
  double squared(const Vec& f) const {
    const Vec d = solve_ldlt(K_, f);
    return d.dot(M_ * d);
  }

 private:
  Mat K_, M_;
};

}  // namespace

void expect_error(const SteppedBody& body, const RigBody& whole, std::span<const ExamplePose> seen,
                  Reduction& reduction, const ReductionOptions& options, const ProgressCallback& progress) {
  constexpr int kOtherImpulses = 1003;  // far from those of training, and of other kinds at the same pose
  const Mat& K = reduction.cubature.stiffness;
  const std::vector<Vec> shakes = deviations(body, seen);
  double most = 0;
  for (const Vec& d : shakes) most = std::max(most, d.dot(K * d));
  if (most > 0) reduction.trained = std::make_shared<const TrainedRange>(TrainedRange{K, most});
  if (!whole.rig->traits().exact_jacobian) return;
  const Material material{.kind = options.material, .young = 1, .poisson = body.poisson};
  std::span<const Vec> poses = options.unseen;
  if (poses.empty()) poses = options.poses.first(std::min<std::size_t>(1, options.poses.size()));
  const std::vector<ExamplePose> unseen = shake(
      whole, body.free, poses,
      {.first = kOtherImpulses, .amplitude = options.amplitude, .material = material, .rest_follows = true}, progress);
  SteppedBody modelled = body;
  modelled.rig = whole.rig;
  const SteppedBody few = reduced(modelled, reduction, false);
  ElasticForces sampled(few, options.material);
  Solid solid(whole.mesh.points, body.tets, material, body.factors);
  const SkinSwing swing(body, whole, K);
  double sum = 0;
  int count = 0;
  for (const ExamplePose& each : unseen) {
    if (const Vec d = deviation(body, each); d.dot(K * d) > most) continue;  // a run counts such steps as untrained
    const Vec truth = whole_force(body, whole, solid, each);
    Vec found = sampled.at({each.p_key, each.p});
    for (std::size_t c = 0; c < body.free.size(); ++c)
      found[static_cast<Eigen::Index>(c)] /= body.rig->controls()[body.free[c]].typical;
    if (const double size = swing.squared(truth); size > 0) sum += swing.squared(found - truth) / size, ++count;
  }
  reduction.expected_error = count > 0 ? std::sqrt(sum / count) : 0;
}

double sampling_error(const SteppedBody& few, const SteppedBody& all, MaterialKind material,
                      std::span<const Moment> moments) {
  ElasticForces some(few, material), every(all, material);
  double error = 0, size = 0;
  for (const Moment& moment : moments) {
    const Vec truth = every.at(moment);
    error += (some.at(moment) - truth).squaredNorm(), size += truth.squaredNorm();
  }
  return size > 0 ? std::sqrt(error / size) : 0;
}

}  // namespace rigspace
