// Flesh: a solid around the skeleton whose skin follows the rig and whose interior nodes are free (RSP 3).

#include "black_box_run.h"
#include "fast_body.h"
#include "fast_body_error.h"
#include "flesh/stiffness_cache.h"
#include "flesh_ties.h"
#include "framed_rig.h"
#include "part_system.h"
#include "rigspace/anim/character_frame.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/part_stiffness.h"
#include "rigspace/base/affine.h"
#include "rigspace/base/cache.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/reduce/jacobian_samples.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"
#include "training_poses.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

class FleshSystem final : public PartSystem {
 public:
  FleshSystem(const Character& character, const Part& part, int index, const SimulationOptions& options,
              const ProgressCallback& training = {})
      : flesh_(*part.flesh), options_(options) {
    parts.push_back({.part = &part,
                     .preset = &preset_named(part.preset),
                     .index = index,
                     .length = chain() ? flesh_.chain_length : flesh_.size,
                     .settings = part.settings});
    collect_controls(character);
    tie_nodes(character, flesh_, base_);
    base_.axes = character_frame(character).axes_near_scene();
    const KeyedMotion none(character, nullptr);
    base_.stiffness = 1, base_.poisson = options_.poisson;
    base_.groups.push_back({.name = part.name, .masses = lumped_masses(flesh_.mesh, 1)});
    calm_interior(flesh_.mesh, options_.interior, base_);
    measure_inertia();
    measure_unseen(character);
    character_ = &character;
    soften_tip(part.settings.overlap);
    if (fast()) train(training);
    omega_squared_ = Stepper(stepped(base_), none, options_).answering_omega_squared();
    if (!flesh_.factors.empty()) base_.factors = flesh_.factors;  // only now: the rate is that of the homogeneous body
    if (fast() && !flesh_.factors.empty()) train(training);
  }

  /// The body for control_stiffness (see stiffen).
  ControlledBody controlled_body() const {
    ControlledBody body{.map = description_of(base_), .mesh = flesh_.mesh, .material = {.poisson = options_.poisson}};
    return body;
  }

  double spring_share() const override { return options_.corrections.springs ? kSpringShare : kLeastShare; }

  SteppedBody body() override {
    follow_overlap();
    SteppedBody body = base_;
    apply_settings(body);
    return stepped(std::move(body));
  }

  SteppedBody settings() override {
    follow_overlap();
    SteppedBody settings;
    settings.groups.push_back({.name = base_.groups.front().name});
    apply_settings(settings);
    settings.factors = base_.factors;
    if (reduction_ && !every_element()) sample_settings(*reduction_, base_.node_count(), settings);
    add_lacking(settings);
    return settings;
  }

  double sampling_error(const Run& run, const KeyedMotion& motion) override {
    if (!reduction_ || every_element()) return 0;
    const int count = motion.black_box() ? 8 : 32;
    const SteppedBody few = body();
    std::vector<Moment> moments;
    const Eigen::Index columns = run.deviation.cols();
    for (int k = 0; k < count; ++k) {
      const Eigen::Index column = (columns - 1) * k / (count - 1);
      Moment moment;
      motion.controls(run.times[static_cast<std::size_t>(column)], moment.p_key);
      moment.p = moment.p_key;
      for (std::size_t c = 0; c < base_.free.size(); ++c)
        moment.p[base_.free[c]] += run.deviation(static_cast<Eigen::Index>(c), column);
      moments.push_back(std::move(moment));
    }
    return rigspace::sampling_error(few, reduced(few.whole->body, *reduction_, true), options_.material, moments);
  }
  double expected_error(double reach) override {
    if (!reduction_ || every_element() || !base_.rig->traits().exact_jacobian) return 0;
    if (!jolt_errors_) jolt_errors_ = kept_errors();
    return error_at(*jolt_errors_, reach);
  }
  void use_all_elements() override { all_elements = true; }

  bool learn(const Run& run, const KeyedMotion& motion, const ProgressCallback& progress) override {
    if (!reduction_ || !reduction_->known) return false;
    std::vector<JacobianSample> learned;
    if (learned_) learned = *learned_;
    for (const Moment& moment : moments_to_learn(run, motion, base_.free, *reduction_->known)) {
      report(progress, "learning", 0);
      learned.push_back(sample_jacobian(*base_.rig, base_.free, moment.p_key, moment.p));
    }
    learned_ = std::make_shared<const std::vector<JacobianSample>>(std::move(learned));
    return true;
  }
  void write_learned(ByteWriter& out) const override {
    if (reduction_ && reduction_->known)
      write(learned_ ? std::span(*learned_) : std::span<const JacobianSample>(), out);
  }
  void read_learned(ByteReader& in) override {
    if (reduction_ && reduction_->known)
      learned_ = std::make_shared<const std::vector<JacobianSample>>(read_jacobian_samples(in));
  }

  bool flesh() const override { return flesh_.controls.empty() || parts.front().preset->flesh; }
  /// For a chain the angle, seen from the root, between the tip and its position in the artist's motion.
  double swing(const TunedPart& part, double reach) const override {
    return chain() ? 2 * std::asin(std::min(1.0, reach / (2 * part.length))) : reach / part.length;
  }
  std::vector<int> rows(std::size_t) const override {
    std::vector<int> all;
    for (int k = 0; k < static_cast<int>(base_.free.size()); ++k) all.push_back(k);
    return all;
  }

 private:
  bool chain() const { return flesh_.chain_length > 0; }
  bool fast() const {
    return options_.method == Method::fast && options_.interior == Interior::dynamic &&
           options_.curvature == RigCurvature::none;
  }

  void train(const ProgressCallback& progress) {
    const std::vector<Vec> poses = training_poses(*character_, options_.step);
    OwnFrame frame = character_frame(*character_);
    reduction_ = train_reduction(
        framed_body(base_, frame),
        {.poses = poses, .material = options_.material, .quality = options_.quality, .use_cache = options_.use_cache},
        progress);
    // From the frame to the scene. Masses are volumes there (density 1).
    reduction_->response.value = frame.size * (frame.turn.transpose() * reduction_->response.value).eval();
    for (int i = 0; i < base_.node_count() && reduction_->shapes.cols() > 0; ++i)
      reduction_->shapes.middleRows<3>(3 * i) =
          frame.size * (frame.turn.transpose() * reduction_->shapes.middleRows<3>(3 * i)).eval();
    for (WeightedElement& mass : reduction_->cubature.masses) mass.weight *= std::pow(frame.size, 3);
    measure_lacking();
  }

  /// Sets lacking_ and few_share_. Few elements are too soft in some directions and too stiff in others: all are made
  /// as soft as the stiffest need, and springs between the controls give back what is lacking.
  void measure_lacking() {
    constexpr double kTiny = 1e-9;
    lacking_.resize(0, 0), few_share_ = 1;
    if (!base_.rig->traits().exact_jacobian) return;
    const KeyedMotion none(*character_, nullptr);
    const Mat all = Stepper(reduced(base_, *reduction_, true), none, options_).rest_stiffness();
    Mat few = Stepper(reduced(base_, *reduction_, false), none, options_).rest_stiffness();
    const Vec held = (kTiny * all.diagonal()).cwiseMax(kTiny * kTiny * all.diagonal().maxCoeff());
    const Vec ratios = generalised_symmetric_eigenvalues(all + Mat(held.asDiagonal()), few + Mat(held.asDiagonal()));
    few_share_ = std::min(1.0, (1 - 1e-6) * ratios[0]);
    if (!(few_share_ > 0.5)) {  // not near enough to be corrected
      few_share_ = 1;
      return;
    }
    lacking_ = all - few_share_ * few + Mat(held.asDiagonal());
    lacking_ = 0.5 * (lacking_ + lacking_.transpose()).eval();
  }
  void add_lacking(SteppedBody& body) const {
    if (every_element() || lacking_.size() == 0) return;
    for (double& factor : body.factors) factor *= few_share_;
    body.coupling = body.stiffness * lacking_;
  }

  /// errors_of_jolts, out of the cache where they are there.
  std::vector<JoltError> kept_errors() {
    constexpr std::string_view kKind = "fast errors 1";
    std::vector<std::byte> content;
    std::vector<JoltError> errors;
    if (options_.use_cache) {
      content = content_of(*reduction_);
      if (const auto known = from_cache(kKind, content)) {
        const Vec numbers = ByteReader(*known).values();
        for (Eigen::Index k = 0; k + 1 < numbers.size(); k += 2) errors.push_back({numbers[k], numbers[k + 1]});
        return errors;
      }
    }
    const KeyedMotion still(*character_, nullptr);
    SteppedBody whole = base_, few = stepped(base_);
    whole.size = few.size = flesh_.size;
    errors = errors_of_jolts(whole, Stepper(whole, still, options_).answering_omega_squared(), few,
                             Stepper(few, still, options_).answering_omega_squared(), still, options_);
    if (!options_.use_cache) return errors;
    Vec numbers(2 * std::ssize(errors));
    for (std::size_t k = 0; k < errors.size(); ++k)
      numbers.segment<2>(2 * static_cast<Eigen::Index>(k)) << errors[k].reach, errors[k].error;
    ByteWriter out;
    out.values(numbers);
    to_cache(kKind, content, out.bytes());
    return errors;
  }

  bool every_element() const { return all_elements || options_.collisions.any() || !options_.follow_animation; }

  /// The body that is stepped: reduced, and with sampled elements unless every_element(). Contact needs all of the
  /// skin. With the rest shape of the papers (follow_animation off) the animated pose has stress, which the sampled
  /// elements were not trained for.
  SteppedBody stepped(SteppedBody body) const {
    if (!reduction_) return body;
    SteppedBody few = reduced(body, *reduction_, every_element());
    add_lacking(few);
    if (!learned_ || learned_->empty()) return few;
    auto all = std::make_shared<std::vector<JacobianSample>>(*reduction_->known);
    all->insert(all->end(), learned_->begin(), learned_->end());
    few.known = std::move(all);
    return few;
  }

  /// Sets all that depends on the settings, but for the factors of elements.
  void apply_settings(SteppedBody& body) {
    TunedPart& part = parts.front();
    double omega = 2 * std::numbers::pi * part.settings.rate;
    body.stiffness = omega_squared_ > 0 ? omega * omega / omega_squared_ : 1;
    if (options_.young > 0) {  // omega^2 goes as E / (rho l^2): masses here are volumes in scene units
      body.stiffness = options_.young / (options_.density * std::pow(options_.metres_per_unit, 2));
      omega = std::sqrt(body.stiffness * omega_squared_);
      part.settings.rate = omega / (2 * std::numbers::pi);
    }
    // zeta = a / (2 omega) + beta omega / 2: a quarter of the damping is proportional to mass, the rest to stiffness,
    // so that higher modes are damped more.
    const double zeta_omega = 3 / part.settings.settle;
    MassGroup& group = body.groups.front();
    group.damping = 0.5 * zeta_omega + calming(part);
    body.stiffness_damping = omega > 0 ? 1.5 * zeta_omega / (omega * omega) : 0;
    group.drag = part.settings.lag * omega * omega;
    group.weight = felt_gravity(part, options_.metres_per_unit), group.load = part.load;
    group.travel = part.settings.travel, group.push = part.settings.push, group.wind = part.held;
    group.pull = hold_stiffness(part);
    const double limit =
        part.settings.limit / std::max(0.1, part.scaling);  // the limit is for the deviation after scaling
    if (!flesh_.controls.empty())
      body.springs = omega * omega * (spring_share() * inertia_.cwiseMax(1e-3 * inertia_.maxCoeff())).cwiseMax(unseen_);
    if (const std::vector<double>& scales = part.part->stiffness; !scales.empty() && body.springs.size() > 0)
      body.springs.array() *= Eigen::Map<const Vec>(scales.data(), std::ssize(scales)).array();
    // A joint's translation is in units of its parent, m omega^2 scale^2 per unit. Its turn moves flesh within about a
    // tenth of the size, so that it has m omega^2 (size / 10)^2 per radian.
    for (const double scale : scales_) {
      body.limits.push_back(limit * flesh_.size / scale), body.limit_weights.push_back(scale * scale);
      if (!flesh_.turns) continue;
      body.limits.push_back(std::min(0.95, limit) * std::numbers::pi);
      body.limit_weights.push_back(0.01 * flesh_.size * flesh_.size);
    }
    if (flesh_.controls.empty()) add_springs(body, omega);
    const double mass = base_.groups.front().masses.sum();
    body.limit_stiffness = mass * omega * omega;
    if (chain()) {
      body.limit_weights.clear();
      body.limits.assign(base_.free.size() / 3, std::min(0.95, limit) * std::numbers::pi);
      body.limit_stiffness = inertia_.maxCoeff() * omega * omega;
    } else if (!flesh_.controls.empty()) {  // controls have any unit, so the distance of nodes is limited instead
      const double unit = flesh() ? 1 : std::numbers::pi;  // see PartSettings::limit, and `swing`
      body.reach_limit = limit * unit * flesh_.size;
      body.reach_stiffness = mass * omega * omega / static_cast<double>(flesh_.mesh.point_count());
    }
    body.size = flesh_.size;
    body.force_floor = 1e-9 * mass * omega * omega * flesh_.size;
  }

  /// Brings factors and natural frequency in line with the overlap of the settings.
  void follow_overlap() {
    const double overlap = parts.front().settings.overlap;
    if (!chain() || overlap == overlap_) return;
    soften_tip(overlap);
    if (reduction_) measure_lacking();
    omega_squared_ = Stepper(stepped(base_), KeyedMotion(*character_, nullptr), options_).answering_omega_squared();
  }

  /// Sets factors by which the stiffness of a chain falls toward its tip, as that of rods does.
  void soften_tip(double overlap) {
    overlap_ = overlap;
    base_.factors.clear();
    for (const double depth : flesh_.depths) base_.factors.push_back(std::pow(1 - 0.5 * overlap * depth, 2));
  }

  /// Collects the free controls: those of the part, or tx ty tz of each soft joint, and rx ry rz if it turns. For soft
  /// joints also scales_, the length of a unit of translation in scene units.
  void collect_controls(const Character& character) {
    if (!flesh_.controls.empty()) {
      base_.free = flesh_.controls;
      return;
    }
    const auto& whole = dynamic_cast<const BuiltInRig&>(*character.rig);
    Vec u;
    whole.evaluate_slots(*whole.make_workspace(), whole.rest(), u);
    for (const int joint : flesh_.joints) {
      const Bone& bone = character.bones[joint];
      for (const int control : translation_controls(whole.graph(), bone.slot)) base_.free.push_back(control);
      if (flesh_.turns)
        for (const int control : rotation_controls(whole.graph(), bone.slot)) base_.free.push_back(control);
      const Affine parent = transform_at(u, whole.graph().slots()[character.bones[bone.parent].slot]);
      scales_.push_back(std::cbrt(std::abs(linear(parent).determinant())));
    }
  }

  /// Sets inertia_, the diagonal of J^T M J at rest.
  void measure_inertia() {
    BlockJacobian J;
    if (base_.rest_jacobian)
      J = *base_.rest_jacobian;
    else
      base_.rig->jacobian(*base_.rig->make_workspace(), base_.rig->rest(), base_.free, J);
    inertia_ = Vec::Zero(static_cast<Eigen::Index>(base_.free.size()));
    const Vec& masses = base_.groups.front().masses;
    BlockJacobian of_nodes;
    base_.ties.jacobian(J, of_nodes);
    for (int i = 0; i < base_.node_count(); ++i)
      for (int e = of_nodes.start[i]; base_.roles[i] == NodeRole::bound && e < of_nodes.start[i + 1]; ++e)
        inertia_[of_nodes.column[e]] += masses[i] * Vec3(of_nodes.value.col(e)).squaredNorm();
  }

  /// Sets unseen_, the inertia at rest, by the surface, of controls that move it much farther than the nodes around:
  /// details finer than the mesh. Nothing of the flesh holds them, and the least error of other forces would throw them
  /// about; a spring of the part's own rate does.
  void measure_unseen(const Character& character) {
    constexpr double kFiner = 10;  // times the inertia of the nodes
    unseen_ = Vec::Zero(inertia_.size());
    if (flesh_.controls.empty() || !character.rig->traits().exact_jacobian) return;
    std::vector<int> points;  // of what was filled: the proxy, or what is drawn
    const bool proxy =
        std::any_of(character.pieces.begin(), character.pieces.end(), [](const Piece& p) { return !p.drawn; });
    for (const Piece& piece : character.pieces)
      for (int k = 0; piece.drawn != proxy && k < piece.point_count; ++k) points.push_back(piece.first_point + k);
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (points.empty()) return;
    const auto rig = character.rig->restricted(points);
    BlockJacobian J;
    rig->jacobian(*rig->make_workspace(), rig->rest(), base_.free, J);
    Vec squares = Vec::Zero(inertia_.size());
    int moved = 0;
    for (int i = 0; i < J.points(); ++i) {
      moved += J.start[i] < J.start[i + 1];
      for (int e = J.start[i]; e < J.start[i + 1]; ++e) squares[J.column[e]] += J.value.col(e).squaredNorm();
    }
    if (moved == 0) return;
    const double mass = base_.groups.front().masses.sum() / moved;
    for (Eigen::Index c = 0; c < unseen_.size(); ++c)
      if (mass * squares[c] > kFiner * inertia_[c]) unseen_[c] = mass * squares[c];
  }

  /// Adds weak springs on the soft joints. A joint that moves little flesh, which would drift, gets springs as if it
  /// had at least 0.3 of the mean inertia.
  void add_springs(SteppedBody& body, double omega) const {
    const int kinds = flesh_.turns ? 2 : 1, groups = static_cast<int>(base_.free.size()) / 3;
    const Vec rest = base_.rig->rest();
    for (int g = 0; g < groups; ++g) {
      double mean = 0;
      for (int other = g % kinds; other < groups; other += kinds)
        mean += inertia_.segment<3>(3 * other).sum() * kinds / (3.0 * groups);
      const double own = std::max(inertia_.segment<3>(3 * g).maxCoeff(), 0.3 * mean);
      const double k = spring_share() * omega * omega * own;
      body.rods.push_back({.first = 3 * g, .bend = k, .twist = k});
      for (int c = 0; c < 3; ++c) body.rods.back().rest[c] = rest[base_.free[3 * g + c]];
    }
  }

  static constexpr double kSpringShare = 0.05;  // stiffness of these springs, of omega^2 times inertia
  static constexpr double kLeastShare = 1e-5;   // without them: joints that move hardly any flesh stay where they are

  const Flesh& flesh_;
  SimulationOptions options_;
  SteppedBody base_;
  std::optional<Reduction> reduction_;
  std::shared_ptr<const std::vector<JacobianSample>> learned_;  // see `learn`
  Vec inertia_, unseen_;                                        // per free control
  std::vector<double> scales_;                                  // per soft joint
  Mat lacking_;  // of the stiffness by the controls at rest, for a Young's modulus of 1: of all elements, less of few
  std::optional<std::vector<JoltError>> jolt_errors_;  // measured when first asked for
  double few_share_ = 1;                               // factor on the few elements beside these
  double omega_squared_ = 0, overlap_ = 0;
  const Character* character_ = nullptr;
};

}  // namespace

ControlStiffness stiffen(const Character& character, Part& part, const SimulationOptions& options,
                         const ProgressCallback& progress) {
  if (!part.flesh || part.controls.empty() || part.stiffness.empty()) return {};
  Part plain = part;
  auto flesh = std::make_shared<Flesh>(*part.flesh);
  flesh->factors.clear();
  plain.flesh = flesh, plain.stiffness.clear();
  SimulationOptions full = options;
  full.method = Method::full;
  const ControlledBody body = FleshSystem(character, plain, 0, full).controlled_body();
  ControlStiffness result = options.use_cache ? cached_stiffness(body, part.stiffness, progress)
                                              : control_stiffness(body, part.stiffness, {.progress = progress});
  flesh->factors = result.factors;
  part.flesh = std::move(flesh);
  return result;
}

std::unique_ptr<PartSystem> make_flesh_system(const Character& character, std::span<const Part> parts, int index,
                                              const SimulationOptions& options, const ProgressCallback& training) {
  return std::make_unique<FleshSystem>(character, parts[index], index, options, training);
}

}  // namespace rigspace
