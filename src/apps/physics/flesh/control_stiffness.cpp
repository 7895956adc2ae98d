#include "rigspace/apps/physics/control_stiffness.h"

#include "nearest_factors.h"
#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/energy/solid.h"
#include "rigspace/optimize/sparse_system.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>

namespace rigspace {
namespace {

using ElementHessian = Eigen::Matrix<double, 12, 12>;

constexpr double kStrained = 1e-9;  // a control with H_ii below this share of its bound `magnitude` strains no element
constexpr double kCoupled = 0.02;   // entries H_ij below this share of sqrt(H_ii H_jj) get no equation
constexpr double kProgress = 1e-3;  // settled when a round lowers the misfit by less than this share

/// Collects the Hessian blocks of a solid, in the order of its elements.
class ElementBlocks final : public BlockSink {
 public:
  void add_coordinates(std::span<const int>, const double*) override {}
  void add(std::span<const int>, const double* H) override { blocks.push_back(Eigen::Map<const ElementHessian>(H)); }
  std::vector<ElementHessian> blocks;
};

/// The body in one pose: the motion U of the nodes by the controls for given factors, and the share of each element in
/// the stiffness of the controls.
class Stance {
 public:
  Stance(const ControlledBody& body, In p, In x)
      : body_(body), interior_(3 * static_cast<int>(body.map.interior.size())), place_(body.map.node_count, -1) {
    for (std::size_t k = 0; k < body.map.interior.size(); ++k) place_[body.map.interior[k]] = static_cast<int>(k);
    Solid solid(body.mesh.points, body.mesh.tets, body.material);
    solid.set_rest(x);
    ElementBlocks sink;
    solid.add_hessian(*solid.make_state(), x, 1, HessianMode::projected, sink);
    blocks_ = std::move(sink.blocks);
    bind(p);
  }

  int controls() const { return static_cast<int>(body_.map.free.size()); }
  int elements() const { return static_cast<int>(blocks_.size()); }

  /// Sets U for these factors: bound nodes move with the rig, interior nodes so that no force is left on them, held
  /// nodes not at all.
  void answer(const Vec& factors) {
    if (interior_.size() == 0) return;
    interior_.clear();
    Mat right = Mat::Zero(interior_.size(), controls());
    for (int e = 0; e < elements(); ++e) {
      const ElementHessian H = factors[e] * blocks_[e];
      add_inside(e, H);
      const Mat force = H * element_rows(J_, e);
      for (int a = 0; a < 4; ++a)
        if (const int k = place_[body_.mesh.tets[e][a]]; k >= 0)
          right.middleRows<3>(3 * k) -= force.middleRows<3>(3 * a);
    }
    interior_.finish();
    if (!interior_.factor(0))
      throw Error({.element = "body",
                   .problem = "has interior nodes that nothing holds",
                   .remedy = "every interior node needs a tetrahedron with volume, and something bound or held"});
    U_ = J_;
    Vec b, u;
    for (int c = 0; c < controls(); ++c) {
      b = right.col(c);
      interior_.solve(b, u);
      for (std::size_t k = 0; k < body_.map.interior.size(); ++k)
        U_.block<3, 1>(3 * body_.map.interior[k], c) = u.segment<3>(3 * static_cast<Eigen::Index>(k));
    }
  }

  /// U_e^T H_e U_e with the U of the last `answer`.
  Mat element_stiffness(int e) const {
    const Mat u = element_rows(U_, e);
    return u.transpose() * blocks_[e] * u;
  }
  /// An upper bound of H_ii: the sum of the sizes of its terms, which cancel for a rigid motion.
  double magnitude(int control) const {
    double sum = 0;
    for (int e = 0; e < elements(); ++e) sum += blocks_[e].norm() * element_rows(U_, e).col(control).squaredNorm();
    return sum;
  }
  Mat stiffness(const Vec& factors) const {
    Mat H = Mat::Zero(controls(), controls());
    for (int e = 0; e < elements(); ++e) H += factors[e] * element_stiffness(e);
    return H;
  }

 private:
  /// J of all nodes: B ds/dp where they are bound, else 0.
  void bind(In p) {
    const RigSpaceDescription& map = body_.map;
    BlockJacobian Js;
    map.rig->jacobian(*map.rig->make_workspace(), p, map.free, Js);
    J_ = Mat::Zero(3 * static_cast<Eigen::Index>(map.node_count), controls());
    for (std::size_t k = 0; k < map.bound.size(); ++k)
      map.ties.add_jacobian_row(static_cast<int>(k), Js, J_.middleRows<3>(3 * map.bound[k]));
    U_ = J_;
  }

  Mat element_rows(const Mat& all, int e) const {
    Mat rows(12, controls());
    for (int a = 0; a < 4; ++a) rows.middleRows<3>(3 * a) = all.middleRows<3>(3 * body_.mesh.tets[e][a]);
    return rows;
  }

  void add_inside(int e, const ElementHessian& H) {
    int inside[4], places[4], count = 0;
    for (int a = 0; a < 4; ++a)
      if (const int k = place_[body_.mesh.tets[e][a]]; k >= 0) inside[count] = k, places[count++] = a;
    if (count == 0) return;
    Mat block(3 * count, 3 * count);
    for (int b = 0; b < count; ++b)
      for (int a = 0; a < count; ++a) block.block<3, 3>(3 * a, 3 * b) = H.block<3, 3>(3 * places[a], 3 * places[b]);
    interior_.add({inside, static_cast<std::size_t>(count)}, block.data());
  }

  const ControlledBody& body_;
  SparseSystem interior_;
  std::vector<int> place_;  // of a node: its index among the interior nodes; -1 for others
  std::vector<ElementHessian> blocks_;
  Mat J_, U_;
};

/// The equations of all poses, their misfit for given factors, and the solve.
class Request {
 public:
  Request(const ControlledBody& body, std::span<const double> scales, const ControlStiffnessOptions& options)
      : options_(options), volumes_(volumes(body.mesh)) {
    stances_.emplace_back(body, body.map.rig->rest(), body.mesh.points);
    for (const ControlledPose& pose : options.poses) stances_.emplace_back(body, pose.p, pose.x);
    const Vec ones = Vec::Ones(volumes_.size());
    for (Stance& stance : stances_) {
      rigspace::report(options.progress, "fitting stiffness", 0);
      stance.answer(ones);
      plain_.push_back(stance.stiffness(ones));
    }
    find_resisting();
    find_pairs();
    target_.resize(static_cast<Eigen::Index>(pairs_.size() * stances_.size()));
    weight_.resize(target_.size());
    for_each_equation([&](Eigen::Index row, std::size_t pose, int i, int j) {
      // sqrt(S) H sqrt(S) / sqrt(H_ii H_jj); the squared errors of the poses are averaged.
      const Mat& H = plain_[pose];
      const double share = std::sqrt(1.0 / static_cast<double>(stances_.size()));
      weight_[row] = share / std::sqrt(H(i, i) * H(j, j));
      target_[row] = weight_[row] * std::sqrt(scales[i] * scales[j]) * H(i, j);
    });
    const auto [least, most] = std::minmax_element(scales.begin(), scales.end());
    floor_ = options.floor * std::min(1.0, *least);
    ceiling_ = options.ceiling * std::max(1.0, *most);
    set_middle(scales);
  }

  /// Gauss-Newton iterations from the factors m_e.
  void solve(ControlStiffness& result) {
    Vec mu = middle_, y;
    std::vector<Mat> H = stiffness(mu);
    double now = misfit(mu, H);
    result.settled = resisting_.empty();
    while (!result.settled && result.rounds < options_.max_rounds) {
      ++result.rounds;
      const double done = static_cast<double>(result.rounds - 1) / options_.max_rounds;
      const auto check = [&] { rigspace::report(options_.progress, "fitting stiffness", done); };
      check();
      const Vec aim = nearest_factors({.B = columns(),
                                       .target = target_,
                                       .middle = middle_,
                                       .weight = volumes_ * options_.regularisation / volumes_.sum(),
                                       .floor = floor_,
                                       .ceiling = ceiling_,
                                       .check = check},
                                      y);
      // H_pp is concave in mu, so its linearisation overestimates it: where interior nodes matter much, a shorter step
      // may lower the misfit where the full one does not.
      Vec next;
      std::vector<Mat> H_next;
      double step = 1, there = 0;
      for (; step > 1e-3; step *= 0.5) {
        check();
        next = mu + step * (aim - mu);
        H_next = stiffness(next);
        there = misfit(next, H_next);
        if (there < now) break;
      }
      if (!(there < now)) {  // no step lowers the misfit: restores U of the present factors
        result.settled = true;
        stiffness(mu);
        break;
      }
      result.settled = largest_change(H, H_next) <= options_.accuracy || now - there < kProgress * now;
      mu = next, H = H_next, now = there;
    }
    result.factors.assign(mu.begin(), mu.end());
    report(H, result);
  }

 private:
  template <class Body>
  void for_each_equation(Body&& body) const {
    Eigen::Index row = 0;
    for (std::size_t pose = 0; pose < stances_.size(); ++pose)
      for (const auto& [i, j] : pairs_) body(row++, pose, i, j);
  }

  /// Finds the entries (i, j) of H_pp that have equations: the diagonal, and pairs that the homogeneous body couples.
  void find_pairs() {
    for (const int i : resisting_)
      for (const int j : resisting_) {
        double coupling = 0;
        for (const Mat& H : plain_) coupling = std::max(coupling, std::abs(H(i, j)) / std::sqrt(H(i, i) * H(j, j)));
        if (j <= i && coupling > kCoupled) pairs_.emplace_back(i, j);
      }
  }

  /// Finds the controls that strain some element in every pose, not just move the body rigidly.
  void find_resisting() {
    for (int i = 0; i < stances_.front().controls(); ++i) {
      bool resists = true;
      for (std::size_t pose = 0; pose < stances_.size(); ++pose)
        resists = resists && plain_[pose](i, i) > kStrained * stances_[pose].magnitude(i);
      if (resists) resisting_.push_back(i);
    }
  }

  /// Sets m_e, the geometric mean of the scales, weighted by the element's share in each control's stiffness per
  /// volume; 1 where no control strains the element.
  void set_middle(std::span<const double> scales) {
    Vec logs = Vec::Zero(volumes_.size()), sums = Vec::Zero(volumes_.size());
    for (int e = 0; e < volumes_.size(); ++e)
      for (std::size_t pose = 0; pose < stances_.size(); ++pose) {
        const Mat A = stances_[pose].element_stiffness(e);
        for (const int i : resisting_) {
          const double share = A(i, i) / plain_[pose](i, i) / std::max(volumes_[e], 1e-300);
          logs[e] += share * std::log(scales[i]), sums[e] += share;
        }
      }
    const double nothing = std::max(1e-6 * sums.maxCoeff(), 1e-300);
    middle_ = (logs.array() / (sums.array() + nothing)).exp();
  }

  std::vector<Mat> stiffness(const Vec& mu) {
    std::vector<Mat> H;
    for (Stance& stance : stances_) {
      stance.answer(mu);
      H.push_back(stance.stiffness(mu));
    }
    return H;
  }

  double misfit(const Vec& mu, const std::vector<Mat>& H) const {
    const auto spread = (mu.array() / middle_.array() - 1).square();
    double sum = options_.regularisation * (volumes_.array() * spread).sum() / volumes_.sum();
    for_each_equation([&](Eigen::Index row, std::size_t pose, int i, int j) {
      sum += std::pow(weight_[row] * H[pose](i, j) - target_[row], 2);
    });
    return sum;
  }

  /// The matrix B of the linear equations for the present U: a row an equation, a column an element.
  Mat columns() const {
    Mat B(target_.size(), volumes_.size());
    parallel_ranges(static_cast<int>(volumes_.size()), 16, [&](int begin, int end) {
      for (int e = begin; e < end; ++e) {
        std::vector<Mat> A;
        for (const Stance& stance : stances_) A.push_back(stance.element_stiffness(e));
        for_each_equation(
            [&](Eigen::Index row, std::size_t pose, int i, int j) { B(row, e) = weight_[row] * A[pose](i, j); });
      }
    });
    return B;
  }

  double largest_change(const std::vector<Mat>& from, const std::vector<Mat>& to) const {
    double most = 0;
    for (std::size_t pose = 0; pose < from.size(); ++pose)
      for (const int i : resisting_) most = std::max(most, std::abs(to[pose](i, i) / from[pose](i, i) - 1));
    return most;
  }

  void report(const std::vector<Mat>& H, ControlStiffness& result) const {
    for (ScaledControl& control : result.controls) control.resists = false;
    for (const int i : resisting_) {
      result.controls[i].resists = true;
      double sum = 0;
      for (std::size_t pose = 0; pose < H.size(); ++pose) sum += H[pose](i, i) / plain_[pose](i, i);
      result.controls[i].achieved = sum / static_cast<double>(H.size());
    }
    for (ScaledControl& control : result.controls)
      control.feasible =
          !control.resists ? control.asked == 1 : std::abs(control.achieved / control.asked - 1) <= options_.tolerance;
  }

  const ControlStiffnessOptions& options_;
  Vec volumes_;
  std::deque<Stance> stances_;
  std::vector<Mat> plain_;      // per pose: H_pp of the homogeneous body
  std::vector<int> resisting_;  // free controls with ScaledControl::resists
  std::vector<std::pair<int, int>> pairs_;
  Vec target_, weight_;
  Vec middle_;
  double floor_ = 0, ceiling_ = 0;
};

}  // namespace

void ControlStiffnessOptions::validate() const {
  const auto require = [](bool ok, const char* element, double value, const char* remedy) {
    if (!ok)
      throw Error({.code = ErrorCode::usage,
                   .element = element,
                   .value = std::to_string(value),
                   .problem = "is " + std::to_string(value),
                   .remedy = remedy});
  };
  require(floor > 0 && floor <= 1, "floor of stiffness factors", floor, "expected a number above 0, at most 1");
  require(ceiling >= 1, "ceiling of stiffness factors", ceiling, "expected 1 or more");
  require(regularisation > 0 && std::isfinite(regularisation), "regularisation", regularisation,
          "expected a positive number");
  require(tolerance >= 0, "tolerance", tolerance, "expected 0 or more");
  require(accuracy > 0, "accuracy", accuracy, "expected a positive number");
  require(max_rounds > 0, "max_rounds", max_rounds, "expected 1 or more");
}

bool ControlStiffness::feasible() const {
  return std::all_of(controls.begin(), controls.end(), [](const ScaledControl& control) { return control.feasible; });
}

Mat control_hessian(const ControlledBody& body, std::span<const double> factors) {
  Stance stance(body, body.map.rig->rest(), body.mesh.points);
  const Vec mu = factors.empty() ? Vec(Vec::Ones(stance.elements()))
                                 : Vec(Eigen::Map<const Vec>(factors.data(), std::ssize(factors)));
  stance.answer(mu);
  return stance.stiffness(mu);
}

ControlStiffness control_stiffness(const ControlledBody& body, std::span<const double> scales,
                                   const ControlStiffnessOptions& options) {
  body.map.validate();
  options.validate();
  const auto refuse = [](std::string value, std::string problem, std::string remedy) {
    throw Error({.code = ErrorCode::usage,
                 .element = "stiffness of controls",
                 .value = std::move(value),
                 .problem = std::move(problem),
                 .remedy = std::move(remedy)});
  };
  if (scales.size() != body.map.free.size())
    refuse(std::to_string(scales.size()), "has " + std::to_string(scales.size()) + " scales",
           "give one for each of the " + std::to_string(body.map.free.size()) + " free controls");
  ControlStiffness result;
  for (std::size_t k = 0; k < scales.size(); ++k) {
    if (!(scales[k] > 0) || !std::isfinite(scales[k]))
      refuse(std::to_string(scales[k]),
             "of \"" + body.map.rig->controls()[body.map.free[k]].name + "\" is " + std::to_string(scales[k]),
             "expected a positive number; 1 is the homogeneous body's");
    result.controls.push_back({.control = body.map.free[k], .asked = scales[k]});
  }
  result.factors.assign(body.mesh.tets.size(), 1);
  if (!scales.empty() && !body.mesh.tets.empty()) Request(body, scales, options).solve(result);
  return result;
}

std::string stiffness_in_words(const ControlStiffness& stiffness, std::span<const Control> controls) {
  std::string text;
  for (const ScaledControl& each : stiffness.controls) {
    if (each.asked == 1 && each.feasible) continue;
    char figures[64];
    std::snprintf(figures, sizeof figures, each.resists ? ": asked %.3g, reached %.3g" : ": asked %.3g, has none",
                  each.asked, each.achieved);
    text += (text.empty() ? "" : "; ") + controls[each.control].name + figures;
  }
  if (std::any_of(stiffness.controls.begin(), stiffness.controls.end(),
                  [](const ScaledControl& each) { return each.resists && !each.feasible; }))
    text += "; no material gives all of it together";
  return text;
}

}  // namespace rigspace
