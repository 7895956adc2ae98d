#include "state_history.h"

#include <array>

namespace rigspace {
namespace {

constexpr std::size_t kStates = 3;
constexpr int kHead = 6;  // numbers before the states in saved_state

/// Lagrange's weights for extrapolation to time `step` from states at times 0, -t_1, -t_2, ..
std::array<double, kStates> weights_at(const std::deque<StateHistory::State>& states, double step) {
  std::array<double, kStates> times{}, weights{};
  for (std::size_t k = 1; k < states.size(); ++k) times[k] = times[k - 1] - states[k - 1].step;
  for (std::size_t k = 0; k < states.size(); ++k) {
    weights[k] = 1;
    for (std::size_t j = 0; j < states.size(); ++j)
      if (j != k) weights[k] *= (step - times[j]) / (times[k] - times[j]);
  }
  return weights;
}

}  // namespace

void StateHistory::clear() { states_.clear(), evaluated_.clear(); }

void StateHistory::add(State state, bool evaluated) {
  time_ += state.step;
  if (evaluated) {
    evaluated_.push_front({time_, state.nodes});
    if (evaluated_.size() > kStates) evaluated_.pop_back();
  }
  states_.push_front(std::move(state));
  if (states_.size() > kStates) states_.pop_back();
}

StateHistory::State StateHistory::next(double step) const {
  const auto weights = weights_at(states_, step);
  State after{step, Vec::Zero(states_[0].controls.size()), Vec::Zero(states_[0].nodes.size())};
  for (std::size_t k = 0; k < states_.size(); ++k) {
    after.controls += weights[k] * states_[k].controls;
    after.nodes += weights[k] * states_[k].nodes;
  }
  return after;
}

Vec StateHistory::beside(double step) const {
  Vec nodes = Vec::Zero(evaluated_.front().nodes.size());
  for (std::size_t k = 0; k < evaluated_.size(); ++k) {  // Lagrange's weights
    double weight = 1;
    for (std::size_t j = 0; j < evaluated_.size(); ++j)
      if (j != k) weight *= (time_ + step - evaluated_[j].time) / (evaluated_[k].time - evaluated_[j].time);
    nodes += weight * evaluated_[k].nodes;
  }
  return nodes;
}

Vec StateHistory::saved_state(int first, int second, int third) const {
  const Eigen::Index c = states_.empty() ? 0 : states_[0].controls.size(), n = node_numbers_, each = 1 + c + n;
  const Eigen::Index all_states = std::ssize(states_) * each;
  Vec all(kHead + all_states + std::ssize(evaluated_) * (1 + n));
  all.head<kHead>() << static_cast<double>(c), first, second, third, static_cast<double>(states_.size()), time_;
  for (std::size_t k = 0; k < states_.size(); ++k)
    all.segment(kHead + static_cast<Eigen::Index>(k) * each, each) << states_[k].step, states_[k].controls,
        states_[k].nodes;
  for (std::size_t k = 0; k < evaluated_.size(); ++k)
    all.segment(kHead + all_states + static_cast<Eigen::Index>(k) * (1 + n), 1 + n) << evaluated_[k].time,
        evaluated_[k].nodes;
  return all;
}

void StateHistory::restore(In state, int& first, int& second, int& third) {
  clear();
  first = static_cast<int>(state[1]), second = static_cast<int>(state[2]), third = static_cast<int>(state[3]);
  time_ = state[5];
  const auto c = static_cast<Eigen::Index>(state[0]), count = static_cast<Eigen::Index>(state[4]), n = node_numbers_;
  Eigen::Index at = kHead;
  for (Eigen::Index k = 0; k < count; ++k, at += 1 + c + n)
    states_.push_back({state[at], state.segment(at + 1, c), state.segment(at + 1 + c, n)});
  for (; at < state.size(); at += 1 + n) evaluated_.push_back({state[at], state.segment(at + 1, n)});
}

}  // namespace rigspace
