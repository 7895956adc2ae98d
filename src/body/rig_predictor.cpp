#include "rig_predictor.h"

#include <array>

namespace rigspace {
namespace {

constexpr std::size_t kStates = 3;
constexpr int kHead = 6;  // numbers before the states in `memory`

/// Lagrange's weights of the states at times 0, -t_1, -t_2 .. for the time `step`.
std::array<double, kStates> weights_at(const std::deque<RigPredictor::State>& states, double step) {
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

void RigPredictor::forget() {
  states.clear(), seen.clear();
  trust = unseen = credit = 0;
}

Vec RigPredictor::beside(double step) const {
  Vec nodes = Vec::Zero(seen.front().nodes.size());
  for (std::size_t k = 0; k < seen.size(); ++k) {  // Lagrange's weights
    double weight = 1;
    for (std::size_t j = 0; j < seen.size(); ++j)
      if (j != k) weight *= (time + step - seen[j].time) / (seen[k].time - seen[j].time);
    nodes += weight * seen[k].nodes;
  }
  return nodes;
}

void RigPredictor::remember(State state) {
  time += state.step;
  if (taught && !end_unseen) {
    seen.push_front({time, state.nodes});
    if (seen.size() > kStates) seen.pop_back();
  }
  states.push_front(std::move(state));
  if (states.size() > kStates) states.pop_back();
}

RigPredictor::State RigPredictor::next(double step) const {
  const auto weights = weights_at(states, step);
  State after{step, Vec::Zero(states[0].controls.size()), Vec::Zero(states[0].nodes.size())};
  for (std::size_t k = 0; k < states.size(); ++k) {
    after.controls += weights[k] * states[k].controls;
    after.nodes += weights[k] * states[k].nodes;
  }
  return after;
}

Vec RigPredictor::saved_state() const {
  const Eigen::Index c = states.empty() ? 0 : states[0].controls.size(), n = nodes.size(), each = 1 + c + n;
  const Eigen::Index all_states = std::ssize(states) * each;
  Vec all(kHead + all_states + std::ssize(seen) * (1 + n));
  all.head<kHead>() << static_cast<double>(c), trust, unseen, credit, static_cast<double>(states.size()), time;
  for (std::size_t k = 0; k < states.size(); ++k)
    all.segment(kHead + static_cast<Eigen::Index>(k) * each, each) << states[k].step, states[k].controls,
        states[k].nodes;
  for (std::size_t k = 0; k < seen.size(); ++k)
    all.segment(kHead + all_states + static_cast<Eigen::Index>(k) * (1 + n), 1 + n) << seen[k].time, seen[k].nodes;
  return all;
}

void RigPredictor::restore(In state) {
  states.clear(), seen.clear();
  trust = static_cast<int>(state[1]), unseen = static_cast<int>(state[2]), credit = static_cast<int>(state[3]);
  time = state[5];
  const auto c = static_cast<Eigen::Index>(state[0]), count = static_cast<Eigen::Index>(state[4]), n = nodes.size();
  Eigen::Index at = kHead;
  for (Eigen::Index k = 0; k < count; ++k, at += 1 + c + n)
    states.push_back({state[at], state.segment(at + 1, c), state.segment(at + 1 + c, n)});
  for (; at < state.size(); at += 1 + n) seen.push_back({state[at], state.segment(at + 1, n)});
}

}  // namespace rigspace
