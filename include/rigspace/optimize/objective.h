#pragma once
// f(q) = sum_i w_i E_i(x(q)), with bounds on q: what a solver is given.

#include "rigspace/optimize/energy.h"
#include "rigspace/optimize/mapping.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rigspace {

/// What a term is a function of: the points x(q), or q itself (a prior on controls).
enum class Space { points, coordinates };

/// All memory of evaluating an objective. Made by the objective, reused from step to step.
struct ObjectiveState {
  std::unique_ptr<State> mapping;
  std::vector<std::unique_ptr<State>> terms;
  std::vector<double> term_norms;     ///< |w_i J^T dE_i/dx| of the last gradient, rows scaled, one per term
  Vec g_x;                            ///< w-summed gradient in x of the last gradient
  std::vector<Vec> terms_x, terms_q;  ///< of each term in points that has a weight
  Vec term_q;
};

struct ObjectiveValue {
  double value = 0;
  double magnitude = 0;  ///< sum of |w_i E_i|: rounding of `value` is relative to this
};

/// Mapping and energies are referred to, not owned, and must outlive the objective.
class Objective {
 public:
  struct Term {
    std::string name;
    const Energy* energy;
    double weight;
    Space space;
  };

  explicit Objective(const Mapping& mapping);

  /// Adds w E. The index serves set_weight. Throws Error if the weight is negative or not finite.
  int add(std::string name, const Energy& energy, double weight = 1, Space space = Space::points);
  void set_weight(int term, double weight);
  /// lower <= q <= upper, of the size of q; infinite where free, equal where held. Throws Error if they cross.
  void set_bounds(Vec lower, Vec upper);
  /// Factors on the rows of a gradient where its norm is taken (ObjectiveState::term_norms, Summary::gradient_norm),
  /// one per coordinate: rows in different units become comparable. Empty: 1. The minimiser does not depend on them.
  void set_row_scale(Vec scale) { row_scale_ = std::move(scale); }
  double scaled_norm(In g) const { return row_scale_.size() == 0 ? g.norm() : row_scale_.cwiseProduct(g).norm(); }
  double row_scale(Eigen::Index row) const { return row_scale_.size() == 0 ? 1 : row_scale_[row]; }
  void clear_bounds() { lower_.resize(0), upper_.resize(0); }

  const Mapping& mapping() const { return *mapping_; }
  const std::vector<Term>& terms() const { return terms_; }
  bool bounded() const { return lower_.size() > 0; }
  const Vec& lower() const { return lower_; }
  const Vec& upper() const { return upper_; }
  /// Changes when terms are added: states made before are then of the wrong size.
  std::uint64_t identity() const { return identity_; }

  ObjectiveState make_state() const;

  /// Renews what mapping and energies lag; x is given as x(q) and stays that.
  Change refresh(ObjectiveState&, Vec& q, Vec& x, Phase) const;
  void evaluate(ObjectiveState& state, In q, Vec& x) const { mapping_->evaluate(*state.mapping, q, x); }
  /// Terms of weight 0 are not evaluated. Not-a-number counts as +infinity.
  ObjectiveValue value(const ObjectiveState&, In q, In x) const;
  /// Linearises the mapping at q; g = df/dq; fills term_norms and g_x.
  void gradient(ObjectiveState&, In q, In x, Vec& g) const;
  /// The Hessian in q at the q and x of the last gradient: sum of w J^T H_e J, plus, as an option, the curvature of the
  /// mapping (which is not positive definite).
  void assemble(ObjectiveState&, In q, In x, HessianMode, bool curvature, System&) const;
  /// The fraction of the straight path between two states that every term allows.
  double max_step(const ObjectiveState&, In q_from, In x_from, In q_trial, In x_trial) const;

 private:
  const Mapping* mapping_;
  std::vector<Term> terms_;
  Vec lower_, upper_, row_scale_;
  std::uint64_t identity_;
};

}  // namespace rigspace
