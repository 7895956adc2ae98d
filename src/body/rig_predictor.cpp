#include "rigspace/body/rig_predictor.h"

#include "rigspace/rig/jacobian_memory.h"
#include "rigspace/rig/jacobian_model.h"
#include "state_history.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace rigspace {
namespace {

// After J missed the rig by at most half the tolerance, it is not compared with the rig for this many steps.
constexpr int kTrust = 6;
constexpr double kSafety = 3;  // since motion does not go on exactly as it went
constexpr double kBear = 5;    // with a model, J is evaluated anew only if it misses by more than so many tolerances

/// R^T (y - y_key), node by node.
void into_frames(const LinearRig& linear, In y, In key, Vec& d) {
  d.resize(y.size());
  for (Eigen::Index k = 0; k < y.size() / 3; ++k)
    d.segment<3>(3 * k) = linear.row_frame(k).transpose() * (y.segment<3>(3 * k) - key.segment<3>(3 * k));
}

/// sum_k m_k |a_k|^2
double weighted(const Vec& masses, const Vec& a) {
  double sum = 0;
  for (Eigen::Index k = 0; k < masses.size(); ++k) sum += masses[k] * a.segment<3>(3 * k).squaredNorm();
  return sum;
}

}  // namespace

/// Vectors of nodes are those of the bound nodes, scene units.
struct RigPredictor::Data {
  explicit Data(const Vec& rest) : history(rest.size()) {}

  StateHistory history;
  std::optional<JacobianMemory> memory;  // Jacobians evaluated so far
  std::optional<JacobianModel> model;    // of the samples
  Eigen::Matrix3Xd modelled;             // the model's value for the present J
  int trust = 0;                         // steps left for which J is not compared with the rig at p_stay
  int unevaluated = 0;                   // steps in a row whose end was not evaluated
  int credit = 0;                        // largest number of these allowed at present

  // State of the step under way.
  enum class Fault { none, start, jacobian };
  Fault fault = Fault::none;     // what the last check found too far off: x~ at p~ (start), or J
  bool sound = false;            // with Fault::start: J itself reproduces the last states, to two tolerances
  bool predicted = false;        // y(p~) was extrapolated, not evaluated
  bool stay_evaluated = false;   // y_stay was evaluated in this step
  double missed = 0;             // then: error of J, as a share of the way from y_stay to y_end
  bool from_memory = false;      // J comes from `memory` in this step
  bool end_unevaluated = false;  // y_end comes from x~, not from the rig
  Vec key;                       // nodes in the keyed pose
  Vec carried;                   // B s(p_key); equal to `key` except for RigSpaceDescription::relative
  Vec p_end, y_end;              // controls and nodes of the last check
  Vec p_stay, y_stay;  // controls with the last state's deviation from this step's keyed pose, and the nodes there
  Vec way, linear, scratch;  // way: change of the nodes from p_stay to p_end by J

  /// The node deviations of the last state; with a model, the residual beside it, from evaluated states only.
  Vec last_nodes() const { return model ? history.beside(0) : history.last().nodes; }
};

/// The rows of J have one frame for the whole body. Frames of small regions would turn with limbs that the free
/// controls do not move.
RigPredictor::RigPredictor(const RigSpaceDescription& map, In x_rest, const LinearRigOptions& options,
                           BlockJacobian response)
    : RigLineariser(map, x_rest, options, {.regions = options.frames, .row_regions = 1}, std::move(response)),
      data_(std::make_unique<Data>(linear_.rest_nodes())) {
  if (options_.most_unevaluated_steps > 0)  // a floor above the noise of the rig, so that noise is no error of J
    options_.floor = std::max(options_.floor, 4 * linear_.rig().traits().noise / (options_.tolerance * linear_.size()));
  if (options_.remember_jacobians) data_->memory.emplace(linear_.rest_nodes());
}

RigPredictor::~RigPredictor() = default;

void RigPredictor::restart() {
  data_->history.clear();
  data_->trust = data_->unevaluated = data_->credit = 0;
}

void RigPredictor::set_carried_key(In x_carried) {
  const std::vector<int>& bound = linear_.bound();
  carried_key_.resize(3 * std::ssize(bound));
  for (std::size_t k = 0; k < bound.size(); ++k) point(carried_key_, static_cast<int>(k)) = point(x_carried, bound[k]);
}

/// Sets the keyed pose and turns the frames of the rows with it.
void RigPredictor::stand_at(In p_key, In x_key) {
  const std::vector<int>& bound = linear_.bound();
  linear_.set_key(p_key);
  data_->key.resize(3 * std::ssize(bound));
  for (std::size_t k = 0; k < bound.size(); ++k) point(data_->key, static_cast<int>(k)) = point(x_key, bound[k]);
  linear_.turn_rows(data_->key);
}

/// The positions of the bound nodes for y = B s(p): in relative form y - B s(p_key) is added to the keyed pose.
Vec RigPredictor::shape_at(In y) const {
  if (carried_key_.size() == 0) return y;
  return y - data_->carried + data_->key;
}

/// The free controls minus their keyed values, in units of their typical change.
Vec RigPredictor::deviation_at(In p) const {
  const std::vector<int>& free = linear_.free();
  Vec deviation(std::ssize(free));
  for (Eigen::Index c = 0; c < deviation.size(); ++c)
    deviation[c] = (p[free[c]] - linear_.p_key()[free[c]]) / linear_.typical()[c];
  return deviation;
}

/// Up to 48 nodes of the keyed pose, relative to their mean and turned back to the rest pose. The model compares keyed
/// poses by them.
Vec RigPredictor::keyed_shape() const {
  constexpr Eigen::Index kMost = 48;
  const Eigen::Index n = std::ssize(linear_.bound()), count = std::min(n, kMost);
  Eigen::Matrix3Xd shape(3, count);
  for (Eigen::Index k = 0; k < count; ++k)
    shape.col(k) = linear_.row_frame(0).transpose() * data_->key.segment<3>(3 * (k * n / count));
  shape.colwise() -= Vec3(shape.rowwise().mean());
  return shape.reshaped();
}

void RigPredictor::set_samples(std::span<const JacobianSample> samples, const Mat& x_keys) {
  const auto stand_at_sample = [&](std::size_t i) {
    const auto x_key = x_keys.col(static_cast<Eigen::Index>(i));
    stand_at(samples[i].p_key, x_key);
    linear_.turn(x_key);
  };
  std::vector<JacobianModel::Sample> rows;
  for (std::size_t i = 0; i < samples.size() && !linear_.bound().empty(); ++i) {
    const JacobianSample& each = samples[i];
    stand_at_sample(i);
    linear_.set_point_jacobian(each.J);
    age_ = 0;
    JacobianModel::Sample sample{keyed_shape(), deviation_at(each.p), linear_.rows()};
    if (!sample.deviation.isZero(0)) {
      const auto same = [&](const JacobianSample& other) { return other.p == each.p_key; };
      const auto end = samples.begin() + static_cast<std::ptrdiff_t>(i);
      const auto of = std::find_if(samples.begin(), end, same);
      sample.of = of != end ? static_cast<int>(of - samples.begin()) : JacobianModel::kOnPath;
    }
    rows.push_back(std::move(sample));
  }
  linear_.drop_rows();
  if (rows.empty()) return;
  data_->model.emplace(rows, linear_.typical());
  linear_.include_places(data_->model->start(), data_->model->column());
  const auto on_path = [](const auto& sample) { return sample.of == JacobianModel::kOnPath; };
  Mat nodes(3 * std::ssize(linear_.bound()), std::count_if(rows.begin(), rows.end(), on_path));
  Eigen::Index column = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!on_path(rows[i])) continue;
    stand_at_sample(i);
    Vec way = Vec::Zero(nodes.rows());
    for (int k = 0; k < linear_.ties().count(); ++k) {
      linear_.ties().for_each(k, [&](int of_rig, double weight) {
        point(way, k) += weight * (point(samples[i].s, of_rig) - point(samples[i].s_key, of_rig));
      });
      point(way, k) = (linear_.row_frame(k).transpose() * point(way, k)).eval();
    }
    add_modelled_way(samples[i].p, -1, way);
    nodes.col(column++) = way;
  }
  if (column > 0) data_->model->set_nodes(std::move(nodes));
}

void RigPredictor::evaluate_jacobian() {
  linear_.evaluate_jacobian();
  age_ = 0;
  if (data_->memory) data_->memory->add(shape_at(linear_.point_nodes()), linear_.rows());
}

/// Changes J by the change of the model's J since the last step, so that corrections made to J stay; without a J takes
/// the model's. Evaluates nothing.
void RigPredictor::follow_model() {
  if (!data_->model) return;
  const JacobianModel& model = *data_->model;
  Eigen::Matrix3Xd now;
  model.predict(keyed_shape(), deviation_at(linear_.point_controls()), now);
  if (linear_.has_rows()) {
    linear_.add_to_rows(now - data_->modelled);
  } else {
    BlockJacobian J{.columns = static_cast<int>(linear_.free().size())};
    J.start = model.start(), J.column = model.column(), J.value = now;
    linear_.set_rows(std::move(J));
    ++counts_.from_memory;
  }
  data_->modelled = std::move(now);
  age_ = 1;
}

void RigPredictor::begin(In p, In p_key, In x_key, In x_turn) {
  Data& step = *data_;
  begin_checks();
  stand_at(p_key, x_key);
  step.carried = carried_key_.size() > 0 ? carried_key_ : step.key;
  linear_.turn(x_turn);
  step.fault = Data::Fault::none;
  step.stay_evaluated = step.from_memory = step.end_unevaluated = false;
  step.predicted = linear_.has_rows() && age_ < options_.most_steps && !step.history.empty();
  Vec y;
  if (!step.predicted) {
    linear_.evaluate(p, y);
    linear_.set_point(p, y);
    follow_model();
    if (!linear_.has_rows() || age_ >= options_.most_steps) evaluate_jacobian();
    return;
  }
  const StateHistory::State next = step.history.next(step_length_);
  Vec expected = p_key;
  const std::vector<int>& free = linear_.free();
  for (std::size_t c = 0; c < free.size(); ++c) expected[free[c]] += next.controls[static_cast<Eigen::Index>(c)];
  nodes_at_deviation(expected, step.model ? step.history.beside(step_length_) : next.nodes, y);
  linear_.set_point(expected, y);
  follow_model();
}

/// nodes += factor times the model's node deviation at p, in the frames of the rest pose. J of the model is linear in
/// the deviation d, so that the mean of J at both ends is exact for it:  1/2 (J(key, 0) + J(key, d)) d.  States are
/// stored minus this deviation (factor -1), since the difference changes slowly and can be extrapolated.
void RigPredictor::add_modelled_way(In p, double factor, Vec& nodes) const {
  if (!data_->model) return;
  const JacobianModel& model = *data_->model;
  const Vec key = keyed_shape(), deviation = deviation_at(p);
  nodes += factor * model.nodes(key, deviation);
  Eigen::Matrix3Xd here, none;
  model.predict(key, deviation, here);
  model.predict(key, Vec::Zero(deviation.size()), none);
  here += none;
  const std::vector<int>&start = model.start(), &column = model.column();
  for (std::size_t k = 0; k + 1 < start.size(); ++k)
    for (int e = start[k]; e < start[k + 1]; ++e) {
      const int c = linear_.free()[column[e]];
      point(nodes, static_cast<int>(k)) += 0.5 * factor * (p[c] - linear_.p_key()[c]) * here.col(e);
    }
}

/// y at p from a node deviation (the residual, where there is a model): keyed pose, model and response added. Evaluates
/// nothing.
void RigPredictor::nodes_at_deviation(In p, In deviation, Vec& y) const {
  y.resize(deviation.size());
  Vec nodes = deviation;
  add_modelled_way(p, 1, nodes);
  for (Eigen::Index k = 0; k < y.size() / 3; ++k) {
    y.segment<3>(3 * k) = data_->carried.segment<3>(3 * k) + linear_.row_frame(k) * nodes.segment<3>(3 * k);
    if (linear_.has_response()) y.segment<3>(3 * k) += linear_.beside(p, static_cast<std::size_t>(k));
  }
}

bool RigPredictor::check_linearisation(In p, Vec& y) {
  if (end_without_evaluation(p)) {
    y = data_->y_end;
    return true;
  }
  linear_.evaluate(p, data_->y_end);
  y = data_->y_end;
  return judge(p);
}

/// Ends the step at x~(p) without an evaluation, if that is allowed: while fewer than `credit` such steps came in a
/// row, or where this step was evaluated nearby just before (Fault::start with a sound J).
bool RigPredictor::end_without_evaluation(In p) {
  Data& step = *data_;
  step.end_unevaluated = false;
  const bool aside = options_.most_unevaluated_steps > 0 && step.fault == Data::Fault::start && step.sound;
  if (!aside && (!step.predicted || age_ == 0 || step.unevaluated >= step.credit)) return false;
  linear_.at(p, step.y_end);
  step.p_end = p;
  step.fault = Data::Fault::none;
  step.end_unevaluated = !aside;
  return true;
}

/// The bound in the header.
int RigPredictor::credit_after(double missed) const {
  const double apart = data_->unevaluated + 1;
  const auto bears = [&](int m) { return kSafety * missed * std::pow((m + 1) / apart, 3) <= options_.tolerance; };
  int credit = std::min(options_.most_unevaluated_steps, data_->credit + 1);
  while (credit > 0 && !bears(credit)) --credit;
  return credit;
}

bool RigPredictor::judge(In p) {
  Data& step = *data_;
  const std::vector<int>& free = linear_.free();
  step.p_end = p;
  step.fault = Data::Fault::none;
  // way: motion of the nodes by the free controls in this step, by J, from p_stay to p.
  step.p_stay = linear_.p_key();
  for (std::size_t c = 0; c < free.size() && !step.history.empty(); ++c)
    step.p_stay[free[c]] += step.history.last().controls[static_cast<Eigen::Index>(c)];
  linear_.at(p, step.linear);
  linear_.at(step.p_stay, step.way);
  step.way = step.linear - step.way;
  const double way = weighted(masses_, step.way);
  step.scratch = step.linear - step.y_end;
  const double apart = share_of_way(weighted(masses_, step.scratch), way);
  const bool near = apart <= options_.tolerance;
  if (step.predicted) step.credit = near ? credit_after(apart) : step.model ? step.credit / 2 : 0;
  if (!near && step.predicted) {
    nodes_at_deviation(step.p_stay, step.last_nodes(), step.scratch);
    step.scratch += step.way - step.y_end;
    step.sound = share_of_way(weighted(masses_, step.scratch), way) <= 2 * options_.tolerance;
    step.fault = Data::Fault::start;
    return false;
  }
  if (age_ == 0 || step.history.empty()) {  // J is of this step: x~ touches x nearer to the end, with the same J
    step.sound = false;
    if (accept_check(near)) return true;
    step.fault = Data::Fault::start;
    return false;
  }
  // First compares `way` with the motion from the last state, which costs nothing. That fails also where the nodes at
  // p_stay changed with the keyed pose, so then the rig is evaluated at p_stay.
  nodes_at_deviation(step.p_stay, step.last_nodes(), step.scratch);
  step.scratch += step.way - step.y_end;
  if (near && share_of_way(weighted(masses_, step.scratch), way) <= options_.tolerance) return true;
  if (near && step.trust > 0) return true;
  if (!step.stay_evaluated) linear_.evaluate(step.p_stay, step.y_stay);
  step.stay_evaluated = true;
  step.scratch = step.y_stay + step.way - step.y_end;
  step.missed = share_of_way(weighted(masses_, step.scratch), way);
  step.trust = step.missed <= 0.5 * options_.tolerance ? kTrust : 0;
  if (near && step.missed <= options_.tolerance) return true;
  step.fault = Data::Fault::jacobian;
  return false;
}

/// Linearises at the evaluated end of the step. If J missed, J comes from memory, provided that this one reproduces the
/// evaluated motion from y_stay to y_end; otherwise it is evaluated.
void RigPredictor::renew() {
  Data& step = *data_;
  linear_.set_point(step.p_end, step.y_end);
  step.predicted = false;
  if (step.fault != Data::Fault::jacobian) {
    ++counts_.moved;
    if (age_ > 0) follow_model();
    return;
  }
  ++counts_.rollbacks;
  follow_model();
  if (step.model && options_.most_unevaluated_steps > 0 && step.missed <= kBear * options_.tolerance) {
    step.fault = Data::Fault::start, step.sound = true;  // the next end will be near this one: no evaluation there
    return;
  }
  BlockJacobian J;
  if (!step.model && step.memory && step.stay_evaluated && !step.from_memory &&
      step.memory->predict(shape_at(step.y_end), J)) {
    linear_.set_rows(std::move(J));
    age_ = 1;
    linear_.at(step.p_stay, step.linear);
    step.way = linear_.point_nodes() - step.linear;
    step.scratch = step.linear - step.y_stay;
    step.from_memory = share_of_way(weighted(masses_, step.scratch), weighted(masses_, step.way)) <= options_.tolerance;
    if (step.from_memory) {
      ++counts_.from_memory;
      return;
    }
  }
  evaluate_jacobian();
}

void RigPredictor::accept(In p) {
  Data& step = *data_;
  const std::vector<int>& free = linear_.free();
  ++age_;
  if (step.p_end.size() != p.size() || step.p_end != p) return restart();  // the end was not checked
  // Broyden's update, except with a model: one motion does not determine the columns of controls that hardly moved,
  // such as twists.
  if (options_.broyden && !step.model && step.stay_evaluated && age_ > 1)
    linear_.learn(step.p_stay, step.y_stay, p, step.y_end);
  StateHistory::State state{step_length_, Vec(std::ssize(free)), {}};
  for (std::size_t c = 0; c < free.size(); ++c)
    state.controls[static_cast<Eigen::Index>(c)] = p[free[c]] - linear_.p_key()[free[c]];
  step.scratch = step.y_end;
  for (std::size_t k = 0; k < linear_.bound().size() && linear_.has_response(); ++k)
    point(step.scratch, static_cast<int>(k)) -= linear_.beside(p, k);
  into_frames(linear_, step.scratch, step.carried, state.nodes);
  add_modelled_way(p, -1, state.nodes);
  step.history.add(std::move(state), step.model && !step.end_unevaluated);
  step.unevaluated = step.end_unevaluated ? step.unevaluated + 1 : 0;
  if (step.end_unevaluated) ++counts_.unevaluated;
  step.trust = std::max(0, step.trust - 1);
}

std::vector<Vec> RigPredictor::saved_state() const {
  std::vector<Vec> all = linear_.saved_state();
  all[0][2] = age_;
  all.emplace_back();
  all.push_back(data_->history.saved_state(data_->trust, data_->unevaluated, data_->credit));
  if (data_->memory) all.push_back(data_->memory->saved_state());
  if (data_->model) all.push_back(data_->modelled.reshaped());
  return all;
}

void RigPredictor::restore(std::span<const Vec> state) {
  linear_.restore(state);
  age_ = static_cast<int>(state[0][2]);
  data_->history.restore(state[5], data_->trust, data_->unevaluated, data_->credit);
  if (data_->memory) data_->memory->restore(state[6]);
  if (data_->model)
    data_->modelled = Eigen::Map<const Eigen::Matrix3Xd>(state.back().data(), 3, state.back().size() / 3);
}

}  // namespace rigspace
