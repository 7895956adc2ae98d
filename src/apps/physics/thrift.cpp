#include "thrift.h"

#include <array>

namespace rigspace {
namespace {

constexpr std::size_t kStates = 3;

/// Lagrange's weights of the states at times 0, -t_1, -t_2 .. for the time `step`.
std::array<double, kStates> weights_at(const std::deque<Thrift::State>& states, double step) {
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

void Thrift::remember(State state) {
  states.push_front(std::move(state));
  if (states.size() > kStates) states.pop_back();
}

Thrift::State Thrift::next(double step) const {
  const auto weights = weights_at(states, step);
  State after{step, Vec::Zero(states[0].controls.size()), Vec::Zero(states[0].nodes.size())};
  for (std::size_t k = 0; k < states.size(); ++k) {
    after.controls += weights[k] * states[k].controls;
    after.nodes += weights[k] * states[k].nodes;
  }
  return after;
}

Vec Thrift::memory() const {
  const Eigen::Index c = states.empty() ? 0 : states[0].controls.size(), n = nodes.size(), each = 1 + c + n;
  Vec all(2 + std::ssize(states) * each);
  all[0] = static_cast<double>(c), all[1] = trust;
  for (std::size_t k = 0; k < states.size(); ++k)
    all.segment(2 + static_cast<Eigen::Index>(k) * each, each) << states[k].step, states[k].controls, states[k].nodes;
  return all;
}

void Thrift::recall(In memory) {
  // How many there are follows from the sizes: nodes are as many as the rig was made with.
  states.clear();
  trust = static_cast<int>(memory[1]);
  const auto c = static_cast<Eigen::Index>(memory[0]);
  const Eigen::Index each = 1 + c + nodes.size();
  for (Eigen::Index at = 2; at < memory.size(); at += each)
    states.push_back({memory[at], memory.segment(at + 1, c), memory.segment(at + 1 + c, nodes.size())});
}

}  // namespace rigspace
