#include "rigspace/reduce/body_cubature.h"

#include "body_cubature_parts.h"
#include "cubature_elements.h"
#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rigspace {
namespace {

// Weight of the squared error of the stiffness at rest, relative to those of all examples together.
constexpr double kStiffnessShare = 2;
// An element is a candidate if it has more than this share in the stiffness K_ii of some control.
constexpr double kShare = 1e-9;
// A control with K_ii below this share of its bound (K_ii without cancellation) moves the body rigidly: K_ii is
// rounding.
constexpr double kRigid = 1e-9;
// Examples whose force is below this share of the largest one are not matched.
constexpr double kForceless = 1e-4;

/// The training problem of the elements: stiffness at rest and forces of the examples as rows of A w = b.
class ElementTraining {
 public:
  ElementTraining(const CubatureTraining& training, const TrainingPose& rest)
      : training_(training),
        rest_(rest),
        candidates_(moved_elements(training.body, rest.J)),
        elements_(training.body, candidates_, training.options),
        H_(elements_.hessians(rest.x, rest.x_rest)),
        controls_(static_cast<int>(training.free.size())) {
    leave_out(measure_stiffness());
  }

  std::span<const int> candidates() const { return candidates_; }
  const Mat& stiffness() const { return K_; }

  ColumnSelector selector(std::span<const ExamplePose> examples, const ProgressCallback& progress);

  /// For each example the reduced force J^T f of all elements; component i divided by K_ii^(1/2).
  std::vector<Vec> forces(std::span<const ExamplePose> examples);
  const std::vector<Vec>& trained_forces() const { return trained_; }
  bool counts(const Vec& force) const { return force.norm() > kForceless * largest_; }
  /// For each example that counts, the relative error of the reduced force of the chosen elements.
  std::vector<double> errors(std::span<const ExamplePose> examples, const std::vector<Vec>& forces,
                             std::span<const WeightedElement> chosen) const;

  /// As QuadraticRows and WeightedSum, with M_e = J_e^T H_e J_e at rest.
  Mat quadratic_rows(const Mat& V) const;
  Mat sum(std::span<const WeightedElement> chosen) const;

 private:
  std::vector<double> measure_stiffness();
  void leave_out(const std::vector<double>& shares);
  void add_stiffness_rows(const RowSketch& sketch, long first, double weight);
  void add_force_rows(const RowSketch& sketch, long first, double weight, const TrainingPose& pose, In g);

  const CubatureTraining& training_;
  const TrainingPose& rest_;
  std::vector<int> candidates_;
  CubatureElements elements_;
  std::vector<Mat12> H_;  // Hessian at rest, one a candidate
  int controls_;
  Mat K_;      // J^T H J at rest, summed over all candidates
  Vec scale_;  // K_ii^(-1/2), or 0 where control i does not deform the body
  Mat A_;      // a column a candidate
  Vec b_;
  std::vector<Vec> trained_;  // forces() of the examples in training
  double largest_ = 0;        // largest norm in trained_
};

/// Sets K_ and scale_. Returns for each candidate its largest share in the stiffness K_ii of a control.
std::vector<double> ElementTraining::measure_stiffness() {
  K_ = Mat::Zero(controls_, controls_);
  Vec bound = Vec::Zero(controls_);  // sum of the sizes of all terms of K_ii, which cancel for a rigid motion
  std::vector<std::pair<int, double>> parts;
  ElementRows rows;
  for (int k = 0; k < elements_.count(); ++k) {
    rows.gather(rest_.J, elements_.corners(k));
    const Mat part = rows.J.transpose() * (H_[k] * rows.J);
    const double stiff = H_[k].diagonal().maxCoeff();
    for (std::size_t c = 0; c < rows.columns.size(); ++c) {
      const Eigen::Index column = static_cast<Eigen::Index>(c);
      bound[rows.columns[c]] += stiff * rows.J.col(column).squaredNorm();
      parts.emplace_back(rows.columns[c], part(column, column));
      for (std::size_t r = 0; r < rows.columns.size(); ++r)
        K_(rows.columns[r], rows.columns[c]) += part(static_cast<Eigen::Index>(r), column);
    }
    parts.emplace_back(-1, 0.0);
  }
  scale_ = Vec::Zero(controls_);
  for (int c = 0; c < controls_; ++c) {
    if (K_(c, c) > kRigid * bound[c])
      scale_[c] = 1 / std::sqrt(K_(c, c));
    else
      K_.row(c).setZero(), K_.col(c).setZero();  // only rounding errors, which would give arbitrary eigenvalues
  }
  std::vector<double> shares(1, 0.0);
  for (const auto& [c, part] : parts) {
    if (c < 0)
      shares.push_back(0.0);
    else
      shares.back() = std::max(shares.back(), part * scale_[c] * scale_[c]);
  }
  shares.pop_back();
  return shares;
}

// Interior nodes may have carriers far away with tiny weights: their elements are moved, but add nothing to K.
void ElementTraining::leave_out(const std::vector<double>& shares) {
  std::vector<int> kept;
  std::vector<Mat12> H;
  for (std::size_t k = 0; k < shares.size(); ++k)
    if (shares[k] > kShare) kept.push_back(candidates_[k]), H.push_back(H_[k]);
  if (kept.size() == shares.size()) return;
  candidates_ = std::move(kept), H_ = std::move(H);
  elements_ = CubatureElements(training_.body, candidates_, training_.options);
}

// Rows for K_ij / sqrt(K_ii K_jj), i <= j. Off the diagonal a row stands for (i, j) and (j, i): factor sqrt(2).
void ElementTraining::add_stiffness_rows(const RowSketch& sketch, long first, double weight) {
  const auto place = [&](int i, int j) { return sketch(first + static_cast<long>(j) * (j + 1) / 2 + i); };
  const auto factor = [&](int i, int j) { return weight * (i == j ? 1.0 : std::sqrt(2.0)) * scale_[i] * scale_[j]; };
  parallel_ranges(elements_.count(), 16, [&](int begin, int end) {
    ElementRows rows;
    for (int k = begin; k < end; ++k) {
      rows.gather(rest_.J, elements_.corners(k));
      const Mat part = rows.J.transpose() * (H_[k] * rows.J);
      for (int c = 0; c < static_cast<int>(rows.columns.size()); ++c)
        for (int r = 0; r <= c; ++r) {
          const int i = rows.columns[r], j = rows.columns[c];
          const auto [row, sign] = place(i, j);
          A_(row, k) += sign * factor(i, j) * part(r, c);
        }
    }
  });
  for (int j = 0; j < controls_; ++j)
    for (int i = 0; i <= j; ++i) {
      const auto [row, sign] = place(i, j);
      b_[row] += sign * factor(i, j) * K_(i, j);
    }
}

void ElementTraining::add_force_rows(const RowSketch& sketch, long first, double weight, const TrainingPose& pose,
                                     In g) {
  parallel_ranges(elements_.count(), 64, [&](int begin, int end) {
    for (int k = begin; k < end; ++k)
      for (int a = 0; a < 4; ++a) {
        const int node = elements_.corners(k)[a];
        const Vec3 force = weight * g.segment<3>(12 * static_cast<Eigen::Index>(k) + 3 * a);
        for (int e = pose.J.start[node]; e < pose.J.start[node + 1]; ++e) {
          const int c = pose.J.column[e];
          const auto [row, sign] = sketch(first + c);
          A_(row, k) += sign * scale_[c] * pose.J.value.col(e).dot(force);
        }
      }
  });
}

ColumnSelector ElementTraining::selector(std::span<const ExamplePose> examples, const ProgressCallback& progress) {
  const long count = static_cast<long>(examples.size()), p = controls_;
  const RowSketch sketch(count * p + p * (p + 1) / 2, sketch_rows(training_.options, controls_));
  A_ = Mat::Zero(sketch.rows(), elements_.count());
  b_ = Vec::Zero(sketch.rows());
  int used = 0;
  for (long k = 0; k < count; ++k) {
    report(progress, "cubature", 0.5 * static_cast<double>(k) / static_cast<double>(count));
    const TrainingPose pose = training_.pose(examples[k]);
    const Vec g = elements_.forces(pose.x, pose.x_rest);
    trained_.push_back(scale_.cwiseProduct(reduced_force(pose.J, elements_, g)));
    const Vec& f = trained_.back();
    largest_ = std::max(largest_, f.norm());
    if (!counts(f)) continue;
    ++used;
    add_force_rows(sketch, p * k, 1 / f.norm(), pose, g);
    for (int c = 0; c < p; ++c) {
      const auto [row, sign] = sketch(p * k + c);
      b_[row] += sign * f[c] / f.norm();
    }
  }
  const double norm = (scale_.asDiagonal() * K_ * scale_.asDiagonal()).norm();
  if (norm > 0) add_stiffness_rows(sketch, count * p, std::sqrt(kStiffnessShare * std::max(1, used)) / norm);
  return ColumnSelector(std::move(A_), std::move(b_));
}

std::vector<Vec> ElementTraining::forces(std::span<const ExamplePose> examples) {
  std::vector<Vec> forces;
  for (const ExamplePose& example : examples) {
    const TrainingPose pose = training_.pose(example);
    forces.push_back(scale_.cwiseProduct(reduced_force(pose.J, elements_, elements_.forces(pose.x, pose.x_rest))));
  }
  return forces;
}

std::vector<double> ElementTraining::errors(std::span<const ExamplePose> examples, const std::vector<Vec>& forces,
                                            std::span<const WeightedElement> chosen) const {
  std::vector<int> which, places(training_.body.node_count(), -1);
  for (const WeightedElement& each : chosen) which.push_back(each.element);
  const std::vector<int> nodes = touched_nodes(training_.body.mesh, chosen);
  for (std::size_t k = 0; k < nodes.size(); ++k) places[nodes[k]] = static_cast<int>(k);
  const CarriedRows rows = training_.rows.restricted(nodes);
  CubatureElements some(training_.body, which, training_.options);
  std::vector<double> errors;
  for (std::size_t k = 0; k < examples.size(); ++k) {
    if (!counts(forces[k])) continue;
    const TrainingPose pose = training_.pose(rows, examples[k], nodes);
    const Vec f = reduced_force(pose.J, some, some.forces(pose.x, pose.x_rest), chosen, places);
    errors.push_back((scale_.cwiseProduct(f) - forces[k]).norm() / forces[k].norm());
  }
  return errors;
}

// v^T J_e^T H_e J_e v.
Mat ElementTraining::quadratic_rows(const Mat& V) const {
  Mat rows(V.cols(), elements_.count());
  for (Eigen::Index v = 0; v < V.cols(); ++v) {
    Vec dx;
    rest_.J.push(V.col(v), dx);
    for (int k = 0; k < elements_.count(); ++k) {
      Vec12 moved;
      for (int a = 0; a < 4; ++a)
        moved.segment<3>(3 * a) = dx.segment<3>(3 * static_cast<Eigen::Index>(elements_.corners(k)[a]));
      rows(v, k) = moved.dot(H_[k] * moved);
    }
  }
  return rows;
}

Mat ElementTraining::sum(std::span<const WeightedElement> chosen) const {
  Mat K = Mat::Zero(controls_, controls_);
  ElementRows rows;
  for (const auto& [k, weight] : chosen) {
    rows.gather(rest_.J, elements_.corners(k));
    const Mat part = weight * rows.J.transpose() * (H_[k] * rows.J);
    for (std::size_t c = 0; c < rows.columns.size(); ++c)
      for (std::size_t r = 0; r < rows.columns.size(); ++r)
        K(rows.columns[r], rows.columns[c]) += part(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c));
  }
  return K;
}

double root_mean_square(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0) /
                   static_cast<double>(values.size()));
}

void choose_elements(const CubatureTraining& training, const TrainingPose& rest, std::span<const ExamplePose> examples,
                     const ProgressCallback& progress, BodyCubature& cubature) {
  const CubatureOptions& options = training.options;
  const CubatureSetting& setting = options.setting;
  ElementTraining elements(training, rest);
  if (elements.candidates().empty())
    throw Error({.element = "cubature",
                 .problem = "has no element that a free control moves",
                 .remedy = "free controls that move the body"});
  cubature.candidates = static_cast<int>(elements.candidates().size());
  cubature.stiffness = elements.stiffness();
  ColumnSelector selector = elements.selector(examples, progress);
  const auto chosen = [&] {
    std::vector<WeightedElement> named = selector.selection().columns;
    for (WeightedElement& each : named) each.element = elements.candidates()[each.element];
    return named;
  };
  const EigenvalueGoal goal{setting.lowest,
                            setting.highest,
                            elements.stiffness(),
                            kEigenvalueShare * selector.target_norm(),
                            [&](const Mat& V) { return elements.quadratic_rows(V); },
                            [&](std::span<const WeightedElement> some) { return elements.sum(some); }};
  ColumnSelectionOptions how{.tolerance = setting.tolerance, .most = setting.most};
  for (int round = 0; round < 6; ++round) {
    report(progress, "cubature", 0.5 + 0.05 * round);
    selector.reach(how);
    const EigenvalueRange range = pull_eigenvalues(selector, goal, how);
    cubature.elements = chosen();
    cubature.lowest = range.lowest(), cubature.highest = range.highest();
    const std::vector<double> errors = elements.errors(examples, elements.trained_forces(), cubature.elements);
    cubature.error = root_mean_square(errors);
    cubature.worst_error = errors.empty() ? 0 : *std::max_element(errors.begin(), errors.end());
    cubature.reached =
        cubature.error <= setting.tolerance && cubature.lowest >= setting.lowest && cubature.highest <= setting.highest;
    if (cubature.reached || static_cast<int>(cubature.elements.size()) >= setting.most) break;
    // The selector measures the error on sketched rows; `errors` are the true ones. The tolerance of the selector is
    // lowered by the ratio of the two.
    how.tolerance = 0.9 * std::min(how.tolerance * setting.tolerance / std::max(cubature.error, 1e-300),
                                   selector.selection().error);
  }
  cubature.held_out_error =
      root_mean_square(elements.errors(options.held_out, elements.forces(options.held_out), cubature.elements));
}

}  // namespace

void CubatureSetting::validate() const {
  require_option(tolerance > 0 && tolerance < 1, "tolerance of cubature", tolerance, "in (0, 1)");
  require_option(most > 0, "elements of cubature", most, "at least 1");
  require_option(lowest >= 0 && lowest < 1, "lowest eigenvalue of cubature", lowest, "in [0, 1)");
  require_option(highest > 1, "highest eigenvalue of cubature", highest, "above 1");
}

CubatureSetting cubature_setting(std::size_t elements) {
  constexpr std::size_t kSmall = 1500;
  return {.tolerance = elements < kSmall ? 0.01 : 0.03};
}

void CubatureOptions::validate() const {
  material.validate();
  setting.validate();
  require_option(mass_tolerance > 0 && mass_tolerance < 1, "tolerance of masses", mass_tolerance, "in (0, 1)");
  require_option(sketch_rows == 0 || sketch_rows >= 100, "rows of training", sketch_rows, "0, or at least 100");
}

namespace {

void check(const RigBody& body, std::span<const ExamplePose> examples, const CubatureOptions& options) {
  const auto wrong = [](std::string element, Eigen::Index size, Eigen::Index wanted) {
    throw Error({.element = std::move(element),
                 .value = std::to_string(size),
                 .problem = "has size " + std::to_string(size),
                 .remedy = "expected " + std::to_string(wanted)});
  };
  const auto tets = static_cast<std::size_t>(body.mesh.tet_count());
  if (!options.stiffness.empty() && options.stiffness.size() != tets)
    wrong("stiffness of the body", static_cast<Eigen::Index>(options.stiffness.size()),
          static_cast<Eigen::Index>(tets));
  const auto controls = static_cast<Eigen::Index>(body.rig->controls().size());
  for (const ExamplePose& example : examples) {
    for (const Vec* x : {&example.x, &example.x_key})
      if (x->size() != body.mesh.points.size()) wrong("shape of an example", x->size(), body.mesh.points.size());
    for (const Vec* p : {&example.p, &example.p_key})
      if (p->size() != controls) wrong("pose of an example", p->size(), controls);
  }
}

}  // namespace

BodyCubature train_cubature(const RigBody& body, std::span<const int> free, const CarrierWeights& interior,
                            std::span<const ExamplePose> examples, const CubatureOptions& options,
                            const ProgressCallback& progress) {
  options.validate();
  check(body, examples, options), check(body, options.held_out, options);
  const CubatureTraining training{body, free, interior, options, carried_rows(body, interior)};
  const TrainingPose rest = training.rest(examples);
  BodyCubature cubature;
  choose_elements(training, rest, examples, progress, cubature);
  report(progress, "cubature", 0.9);
  choose_masses(training, rest, examples, cubature);
  report(progress, "cubature", 1);
  return cubature;
}

}  // namespace rigspace
