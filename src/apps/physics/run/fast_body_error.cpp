#include "fast_body_error.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/body/deferred_jacobian.h"
#include "rigspace/body/interior_response.h"
#include "rigspace/body/rig_predictor.h"
#include "rigspace/energy/gravity.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

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

  /// At the controls of the moment; shapes of the inside are brought into balance.
  Vec at(Moment moment) {
    const Eigen::Index given = moment.p.size(), all = std::ssize(body_.rig->controls());
    for (Vec* p : {&moment.p, &moment.p_key}) {
      p->conservativeResize(all);
      p->tail(all - given).setZero();
    }
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
    gradient(q, x, g);
    settle_shapes(q, x, g);
    for (std::size_t c = 0; c < body_.free.size(); ++c) moment.p[body_.free[c]] = q[static_cast<Eigen::Index>(c)];
    for (Eigen::Index c = 0; c < body_.coupling.rows(); ++c)  // springs between the controls, as steps have them
      for (Eigen::Index other = 0; other < body_.coupling.cols(); ++other)
        g[c] += body_.coupling(c, other) / body_.stiffness *
                (moment.p[body_.free[static_cast<std::size_t>(other)]] -
                 moment.p_key[body_.free[static_cast<std::size_t>(other)]]);
    for (std::size_t c = 0; c < body_.free.size(); ++c)
      g[static_cast<Eigen::Index>(c)] *= body_.rig->controls()[body_.free[c]].typical;
    return g;
  }

 private:
  void gradient(Vec& q, Vec& x, Vec& g) {
    objective_.evaluate(state_, q, x);
    objective_.refresh(state_, q, x, Phase::step);
    objective_.gradient(state_, q, x, g);
  }

  /// Newton's method in the amounts of the shapes, with the Hessian of where it begins.
  void settle_shapes(Vec& q, Vec& x, Vec& g) {
    constexpr int kMostSteps = 12;
    constexpr double kSmall = 1e-3;  // of the first force
    const Eigen::Index shapes = body_.shapes, own = q.size() - shapes;
    if (shapes == 0) return;
    const auto system = mapping_.make_system(*state_.mapping);
    objective_.assemble(state_, q, x, HessianMode::projected, false, *system);
    Mat H(shapes, shapes);
    Vec column;
    for (Eigen::Index k = 0; k < shapes; ++k) {
      system->multiply(Vec::Unit(q.size(), own + k), column);
      H.col(k) = column.tail(shapes);
    }
    const double first = g.tail(shapes).norm();
    for (int k = 0; k < kMostSteps && g.tail(shapes).norm() > kSmall * first; ++k) {
      const Vec before = q;
      const double size = g.tail(shapes).norm();
      q.tail(shapes) -= solve_ldlt(H, g.tail(shapes));
      gradient(q, x, g);
      if (g.tail(shapes).norm() <= size) continue;
      q = before;  // stiffer than where it began
      gradient(q, x, g);
      return;
    }
  }

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

/// Pulls a body to and fro along each of its axes, a seventh of its period each way, and lets go.
class Jolts final : public BodyVariation {
 public:
  Jolts(SteppedBody body, double strength) : body_(std::move(body)), strength_(strength) {}

  SteppedBody body(double time) override {
    constexpr double kPull = 1.0 / 7;  // s
    const int pull = static_cast<int>(std::floor(time / kPull - 1e-9));
    body_.groups.front().weight =
        pull < 6 ? Vec3((pull % 2 == 0 ? strength_ : -strength_) * body_.axes.col(pull / 2)) : Vec3(Vec3::Zero());
    return body_;
  }
  bool still(double, double) const override { return false; }

 private:
  SteppedBody body_;
  double strength_;
};

/// Deviations of the controls, a column a step, of a body with a period of 1 s that is jolted so hard that one jolt
/// that went on would make it hang at the share `swing` of its size. No columns: a step did not converge.
Mat jolted(SteppedBody body, const KeyedMotion& still, const SimulationOptions& options, double omega_squared,
           double swing) {
  constexpr double kStep = 1.0 / 60, kSettle = 1;  // s
  constexpr int kSteps = 72;
  const double omega = 2 * std::numbers::pi, zeta_omega = 3 / kSettle;
  const double before = std::exchange(body.stiffness, omega * omega / omega_squared);
  body.coupling *= body.stiffness / before;
  MassGroup& group = body.groups.front();  // damped as parts are (FleshSystem)
  group.damping = 0.5 * zeta_omega, group.drag = group.pull = 0;
  body.stiffness_damping = 1.5 * zeta_omega / (omega * omega);
  body.force_floor = 1e-9 * group.masses.sum() * omega * omega * body.size;
  Jolts jolts(body, swing * body.size * omega * omega);
  Stepper stepper(std::move(body), still, options);
  stepper.vary(&jolts);
  stepper.start(0, kStep, false);
  Mat path(std::ssize(stepper.body().own_controls()), kSteps);
  for (int k = 0; k < kSteps; ++k) {
    if (!stepper.advance(kStep * (k + 1)).converged) return {};
    path.col(k) = stepper.deviation().head(path.rows());
  }
  return path;
}

}  // namespace

std::shared_ptr<const TrainedRange> trained_range(const SteppedBody& body, std::span<const ExamplePose> seen,
                                                  const Mat& K) {
  double most = 0;
  for (const Vec& d : deviations(body, seen)) most = std::max(most, d.dot(K * d));
  return most > 0 ? std::make_shared<const TrainedRange>(TrainedRange{K, most}) : nullptr;
}

std::vector<JoltError> errors_of_jolts(const SteppedBody& whole, double omega_squared, const SteppedBody& few,
                                       double few_omega_squared, const KeyedMotion& still,
                                       const SimulationOptions& options) {
  std::vector<JoltError> errors;
  if (!(omega_squared > 0) || !(few_omega_squared > 0)) return errors;
  const auto workspace = whole.rig->make_workspace();
  const Vec rest = whole.rig->rest();
  Vec s, at_rest, x, other;
  const auto nodes = [&](const Vec& d, Vec& out) {
    Vec p = rest;
    for (std::size_t c = 0; c < whole.free.size(); ++c) p[whole.free[c]] += d[static_cast<Eigen::Index>(c)];
    whole.rig->evaluate(*workspace, p, s);
    whole.ties.apply(s, out);
  };
  nodes(Vec::Zero(std::ssize(whole.free)), at_rest);
  for (const double far : {0.1, 0.3}) {
    const Mat truth = jolted(whole, still, options, omega_squared, far);
    const Mat found = jolted(few, still, options, few_omega_squared, far);
    if (truth.size() == 0 || found.size() == 0) break;
    double error = 0, swing = 0, reach = 0;
    for (Eigen::Index k = 0; k < truth.cols(); ++k) {
      nodes(truth.col(k), x), nodes(found.col(k), other);
      for (int i = 0; i < whole.node_count(); ++i) {
        if (whole.roles[i] != NodeRole::bound) continue;
        const double way = (point(x, i) - point(at_rest, i)).squaredNorm();
        error += (point(other, i) - point(x, i)).squaredNorm(), swing += way, reach = std::max(reach, way);
      }
    }
    if (swing > 0) errors.push_back({std::sqrt(reach), std::sqrt(error / swing)});
  }
  return errors;
}

double error_at(std::span<const JoltError> errors, double reach) {
  if (errors.empty()) return 0;
  if (errors.size() == 1) return errors[0].error;
  const auto [near, small] = errors[0];
  const auto [far, large] = errors[1];
  const double slope = far > near ? (large - small) / (far - near) : 0;
  return std::max(std::min(small, large), small + slope * (reach - near));
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
