#include "rigspace/optimize/objective.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

namespace rigspace {
namespace {

std::uint64_t next_identity() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

void check_weight(const std::string& name, double weight) {
  if (weight >= 0 && std::isfinite(weight)) return;
  throw Error({.code = ErrorCode::usage,
               .element = "energy \"" + name + "\"",
               .value = std::to_string(weight),
               .problem = "has weight " + std::to_string(weight),
               .remedy = "expected a finite number, not negative"});
}

}  // namespace

Objective::Objective(const Mapping& mapping) : mapping_(&mapping), identity_(next_identity()) {}

int Objective::add(std::string name, const Energy& energy, double weight, Space space) {
  check_weight(name, weight);
  terms_.push_back({std::move(name), &energy, weight, space});
  identity_ = next_identity();
  return static_cast<int>(terms_.size()) - 1;
}

void Objective::set_weight(int term, double weight) {
  Term& changed = terms_.at(static_cast<std::size_t>(term));
  check_weight(changed.name, weight);
  changed.weight = weight;
}

void Objective::set_bounds(Vec lower, Vec upper) {
  if (lower.size() != upper.size())
    throw Error({.code = ErrorCode::usage,
                 .element = "bounds",
                 .problem = "are of sizes " + std::to_string(lower.size()) + " and " + std::to_string(upper.size()),
                 .remedy = "one of each per coordinate"});
  for (int i = 0; i < lower.size(); ++i)
    if (!(lower(i) <= upper(i)))
      throw Error({.code = ErrorCode::usage,
                   .element = "coordinate " + std::to_string(i),
                   .value = std::to_string(lower(i)),
                   .problem = "has bounds " + std::to_string(lower(i)) + " and " + std::to_string(upper(i)),
                   .remedy = "the lower must not exceed the upper"});
  lower_ = std::move(lower);
  upper_ = std::move(upper);
}

ObjectiveState Objective::make_state() const {
  ObjectiveState state;
  state.mapping = mapping_->make_state();
  for (const Term& term : terms_) state.terms.push_back(term.energy->make_state());
  state.term_norms.assign(terms_.size(), 0.0);
  return state;
}

Change Objective::refresh(ObjectiveState& state, Vec& q, Vec& x, Phase phase) const {
  Change change = mapping_->refresh(*state.mapping, q, phase);
  if (change != Change::none) evaluate(state, q, x);
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const In at = terms_[i].space == Space::points ? x : q;
    change = std::max(change, terms_[i].energy->refresh(*state.terms[i], at, phase));
  }
  return change;
}

ObjectiveValue Objective::value(const ObjectiveState& state, In q, In x) const {
  ObjectiveValue sum;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Term& term = terms_[i];
    if (term.weight == 0) continue;
    const double value = term.weight * term.energy->value(*state.terms[i], term.space == Space::points ? x : q);
    sum.value += value;
    sum.magnitude += std::abs(value);
  }
  if (std::isnan(sum.value)) sum.value = std::numeric_limits<double>::infinity();
  return sum;
}

void Objective::gradient(ObjectiveState& state, In q, In x, Vec& g) const {
  mapping_->linearize(*state.mapping, q);
  g.setZero(q.size());
  const auto in_points = [](const Term& term) { return term.weight != 0 && term.space == Space::points; };
  const auto count = static_cast<std::size_t>(std::count_if(terms_.begin(), terms_.end(), in_points));
  state.terms_x.resize(count), state.terms_q.resize(count);
  state.g_x.setZero(x.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    if (!in_points(terms_[i])) continue;
    Vec& term_x = state.terms_x[at++];
    term_x.setZero(x.size());
    terms_[i].energy->add_gradient(*state.terms[i], x, terms_[i].weight, term_x);
    state.g_x += term_x;
  }
  mapping_->pull_each(*state.mapping, state.terms_x, state.terms_q);
  at = 0;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Term& term = terms_[i];
    state.term_norms[i] = 0;
    if (term.weight == 0) continue;
    if (term.space == Space::points) {
      state.term_q.swap(state.terms_q[at++]);
    } else {
      state.term_q.setZero(q.size());
      term.energy->add_gradient(*state.terms[i], q, term.weight, state.term_q);
    }
    state.term_norms[i] = scaled_norm(state.term_q);
    g += state.term_q;
  }
}

void Objective::assemble(ObjectiveState& state, In q, In x, HessianMode mode, bool curvature, System& system) const {
  system.clear();
  BlockSink& sink = mapping_->sink(*state.mapping, system);
  const auto add = [&](Space space, In at, BlockSink& to) {
    for (std::size_t i = 0; i < terms_.size(); ++i)
      if (terms_[i].space == space && terms_[i].weight != 0)
        terms_[i].energy->add_hessian(*state.terms[i], at, terms_[i].weight, mode, to);
  };
  add(Space::points, x, sink);
  mapping_->finish(*state.mapping, system);
  add(Space::coordinates, q, system);
  if (curvature) mapping_->add_curvature(*state.mapping, state.g_x, system);
  system.finish();
}

double Objective::max_step(const ObjectiveState& state, In q_from, In x_from, In q_trial, In x_trial) const {
  double fraction = 1;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Term& term = terms_[i];
    if (term.weight == 0) continue;
    const bool points = term.space == Space::points;
    fraction = std::min(fraction,
                        term.energy->max_step(*state.terms[i], points ? x_from : q_from, points ? x_trial : q_trial));
  }
  return std::max(fraction, 0.0);
}

}  // namespace rigspace
