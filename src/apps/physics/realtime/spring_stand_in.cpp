#include "spring_stand_in.h"

#include "rigspace/base/affine.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/rig/graph_slots.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

/// The free controls of one channel, `r` or `t`, of a node; none unless all three are free.
bool find_channel(const Character& character, std::span<const int> free, const std::string& node, char channel,
                  StandInJoint& joint) {
  for (int k = 0; k < 3; ++k) {
    const int control = character.rig->find(node + "." + channel + "xyz"[k]);
    const auto at = std::lower_bound(free.begin(), free.end(), control);
    if (control < 0 || at == free.end() || *at != control) return false;
    joint.controls[static_cast<std::size_t>(k)] = control;
    joint.places[static_cast<std::size_t>(k)] = static_cast<int>(at - free.begin());
  }
  return true;
}

constexpr int kMostSnapping = 3;  // ticks: a frame at 24 a second

Vec3 three(In values, const std::array<int, 3>& at) { return {values[at[0]], values[at[1]], values[at[2]]}; }

}  // namespace

SpringStandIn stand_in_joints(const Character& character, std::span<const int> free, std::span<const int> group_of,
                              int groups) {
  SpringStandIn result;
  result.free_count = static_cast<int>(free.size());
  result.groups.resize(static_cast<std::size_t>(groups));
  result.rig = std::dynamic_pointer_cast<const BuiltInRig>(character.rig);
  if (!result.rig) return result;
  const ControlGraph& graph = result.rig->graph();
  std::vector<std::pair<int, int>> order;  // slots ascend from parents to children
  for (int b = 0; b < static_cast<int>(character.bones.size()); ++b) order.emplace_back(character.bones[b].slot, b);
  std::sort(order.begin(), order.end());
  std::vector<int> wanted;
  for (const auto& [slot, b] : order) {
    const NodeDescription* node = slot < 0 ? nullptr : node_description(graph, slot);
    if (node == nullptr) continue;
    StandInJoint joint{.bone = b, .slot = slot, .parent_slot = node->parent_slot};
    joint.moves = find_channel(character, free, node->name, 't', joint);
    if (!joint.moves && !find_channel(character, free, node->name, 'r', joint)) continue;
    joint.group = group_of[static_cast<std::size_t>(joint.places[0])];
    for (std::size_t k = 0; k < result.joints.size(); ++k)
      if (result.joints[k].slot == joint.parent_slot) joint.above = static_cast<int>(k);
    // A tip goes on as far, and the way, as the bone before it (spring_chains); others end where the next begins.
    joint.tail = node->rotation.normalized().conjugate() * node->translation;
    if (joint.above >= 0 && !result.joints[static_cast<std::size_t>(joint.above)].moves)
      result.joints[static_cast<std::size_t>(joint.above)].tail = node->translation;
    wanted.push_back(slot), wanted.push_back(joint.parent_slot);
    result.joints.push_back(joint);
  }
  for (StandInJoint& joint : result.joints) joint.weight = joint.moves ? 1 : joint.tail.norm();
  for (std::size_t k = result.joints.size(); k-- > 0;)
    if (const int above = result.joints[k].above; above >= 0 && !result.joints[k].moves)
      result.joints[static_cast<std::size_t>(above)].weight += result.joints[k].weight;
  result.needed = slots_with_inputs(graph, wanted);
  return result;
}

SpringPlayer::SpringPlayer(const SpringStandIn& stand_in)
    : shared_(stand_in),
      local_(stand_in.joints.size()),
      world_(stand_in.joints.size()),
      heads_(stand_in.joints.size(), Vec3::Zero()),
      heads_before_(heads_),
      steps_(heads_),
      tips_(heads_),
      tips_before_(heads_),
      now_(Vec::Zero(stand_in.free_count)),
      before_(now_) {
  if (!stand_in.rig) return;
  const ControlGraph& graph = stand_in.rig->graph();
  u_ = Vec::Zero(graph.size());
  std::size_t most = 1;
  for (const int slot : stand_in.needed) most = std::max(most, graph.op(slot).input_slots().size());
  inputs_.resize(most);
}

/// Sets the joints' transforms in the keyed pose.
void SpringPlayer::place(In p_key) {
  if (shared_.joints.empty()) return;
  const ControlGraph& graph = shared_.rig->graph();
  const std::span<const Slot> slots = graph.slots();
  evaluate_slots(graph, shared_.needed, p_key, inputs_, u_);
  for (std::size_t k = 0; k < shared_.joints.size(); ++k) {
    const StandInJoint& joint = shared_.joints[k];
    const Affine world = transform_at(u_, slots[joint.slot]);
    if (joint.above >= 0)
      local_[k] = compose(inverse(transform_at(u_, slots[joint.parent_slot])), world);
    else
      local_[k] = world;
    heads_[k] = translation(world);
  }
}

/// The joint's transform as its parent deviates, without a deviation of its own.
Affine SpringPlayer::still(const StandInJoint& joint) const {
  const Affine& local = local_[static_cast<std::size_t>(&joint - shared_.joints.data())];
  return joint.above < 0 ? local : compose(world_[static_cast<std::size_t>(joint.above)], local);
}

/// Where the joints' tips are in a keyed pose with a deviation; of joints that move, the joints themselves.
void SpringPlayer::tips(In p_key, In deviation, std::vector<Vec3>& tips) {
  place(p_key);
  for (std::size_t k = 0; k < shared_.joints.size(); ++k) {
    const StandInJoint& joint = shared_.joints[k];
    const Vec3 d = three(deviation, joint.places);
    Affine world = still(joint);
    if (joint.moves) {
      Mat3 parent = Mat3::Identity();
      if (joint.parent_slot >= 0) parent = linear(transform_at(u_, shared_.rig->graph().slots()[joint.parent_slot]));
      translation(world) += parent * d;
      tips[k] = translation(world);
    } else {
      const Vec3 key = three(p_key, joint.controls);
      const Mat3 turn = rotation_exp(key).transpose() * rotation_exp(key + d);
      linear(world) = (linear(world) * turn).eval();
      tips[k] = apply(world, joint.tail);
    }
    world_[k] = world;
  }
}

void SpringPlayer::start(In p_key, In deviation, In p_key_before, In deviation_before) {
  tips(p_key_before, deviation_before, tips_before_);
  steps_ = heads_;
  tips(p_key, deviation, tips_);
  for (std::size_t k = 0; k < heads_.size(); ++k) steps_[k] = heads_[k] - steps_[k];
  now_ = deviation, before_ = deviation_before;
  fresh_ = false;
}

void SpringPlayer::start(In p_key, In deviation) {
  start(p_key, deviation, p_key, deviation);
  fresh_ = true;
}

/// tip <- tip + (1 - drag) (tip - tip_before) + pull (still - tip along the bone), put back to the bone's length. A
/// snap of the animation carries the tips along (RealtimeOptions::snap_speed).
void SpringPlayer::step(In p_key) {
  before_.swap(now_);
  now_.setZero();
  heads_before_.swap(heads_);
  place(p_key);
  bool snapped = false;
  for (std::size_t k = 0; k < shared_.joints.size(); ++k) {
    const StandInJoint& joint = shared_.joints[k];
    const StandInGroup& springs = shared_.groups[static_cast<std::size_t>(joint.group)];
    const Vec3 way = heads_[k] - heads_before_[k], beyond = way - steps_[k];
    steps_[k] = way;
    Vec3 drift = (1 - springs.drag) * (tips_[k] - tips_before_[k]);
    if (fresh_)
      drift = way;
    else if (snapping_ < kMostSnapping && shared_.snap_speed > 0 && beyond.norm() > shared_.snap_speed / kSpringRate)
      tips_[k] += beyond, steps_[k] -= beyond, snapped = true;
    Affine world = still(joint);
    const Vec3 head = translation(world);
    Vec3 next = tips_[k] + drift;
    if (joint.moves) {
      Mat3 parent = Mat3::Identity();
      if (joint.parent_slot >= 0) parent = linear(transform_at(u_, shared_.rig->graph().slots()[joint.parent_slot]));
      next += springs.pull * (head - tips_[k]);
      const Vec3 moved = parent.inverse() * (next - head);
      for (int c = 0; c < 3; ++c) now_[joint.places[c]] = moved[c];
      translation(world) = next;
    } else {
      const Vec3 arm = linear(world) * joint.tail;
      const double length = arm.norm();
      next += springs.pull * arm;
      next = head + length * (next - head).normalized();
      const Mat3 turn = turn_between(joint.tail, linear(world).inverse() * (next - head)).toRotationMatrix();
      const Vec3 key = three(p_key, joint.controls);
      const Vec3 turned = key.isZero(0) ? rotation_log(turn) : Vec3(rotation_log(rotation_exp(key) * turn) - key);
      for (int c = 0; c < 3; ++c) now_[joint.places[c]] = turned[c];
      linear(world) = (linear(world) * turn).eval();
    }
    tips_before_[k] = tips_[k], tips_[k] = next;
    world_[k] = world;
  }
  fresh_ = false;
  snapping_ = snapped ? snapping_ + 1 : 0;
}

namespace {

/// Per group, the weighted squares of the difference of stand-in and part, and of the part alone.
struct Misses {
  std::vector<double> apart, swing;
};

Misses misses_of(const StandInExample& example, const SpringStandIn& stand_in) {
  Misses misses{std::vector<double>(stand_in.groups.size(), 0.0), std::vector<double>(stand_in.groups.size(), 0.0)};
  SpringPlayer player(stand_in);
  player.start(example.keys.front(), example.deviations.front());
  for (std::size_t k = 1; k < example.keys.size(); ++k) {
    player.step(example.keys[k]);
    if (k < example.counted) continue;
    for (const StandInJoint& joint : stand_in.joints) {
      const Vec3 wanted = three(example.deviations[k], joint.places);
      misses.apart[joint.group] +=
          std::pow(joint.weight, 2) * (three(player.deviation(), joint.places) - wanted).squaredNorm();
      misses.swing[joint.group] += std::pow(joint.weight, 2) * wanted.squaredNorm();
    }
  }
  return misses;
}

}  // namespace

/// A search on a grid of factors about what rate and settle time give, then on ever finer ones about the best. Parts
/// feel less of a wild clip than springs do, which then have to be much stiffer.
void fit_stand_in(const StandInExample& example, SpringStandIn& stand_in) {
  std::vector<StandInGroup> start = stand_in.groups, best = start;
  for (StandInGroup& group : best) group.error = std::numeric_limits<double>::infinity();
  const auto search = [&](std::span<const double> pulls, std::span<const double> drags) {
    for (const double pull : pulls)
      for (const double drag : drags) {
        for (std::size_t g = 0; g < start.size(); ++g) {
          stand_in.groups[g].pull = std::clamp(pull * start[g].pull, 1e-5, 0.9);
          stand_in.groups[g].drag = std::clamp(drag * start[g].drag, 1e-3, 0.98);
        }
        const Misses misses = misses_of(example, stand_in);
        for (std::size_t g = 0; g < start.size(); ++g) {
          const double error = misses.swing[g] > 0 ? std::sqrt(misses.apart[g] / misses.swing[g]) : 1;
          if (error < best[g].error) best[g] = {stand_in.groups[g].pull, stand_in.groups[g].drag, error};
        }
      }
    start = best;
  };
  search(std::array{0.4, 1.0, 2.5, 6.0, 15.0, 40.0, 100.0}, std::array{0.4, 1.0, 2.5, 6.0, 15.0});
  for (const double factor : {1.6, 1.25, 1.1})
    search(std::array{1 / factor, 1.0, factor}, std::array{1 / factor, 1.0, factor});
  stand_in.groups = best;
}

/// VRM moves a tip by stiffness / 60 along the bone, whatever its length.
std::vector<SpringChain> stand_in_chains(const SpringStandIn& stand_in, const Character& character,
                                         std::span<const std::string> group_names) {
  std::vector<SpringChain> chains;
  std::vector<int> chain_of(stand_in.joints.size(), -1);
  for (std::size_t k = 0; k < stand_in.joints.size(); ++k) {
    const StandInJoint& joint = stand_in.joints[k];
    if (joint.moves || !(joint.tail.norm() > 0)) continue;
    const int above = joint.above >= 0 ? chain_of[static_cast<std::size_t>(joint.above)] : -1;
    const bool goes_on = above >= 0 && chains[static_cast<std::size_t>(above)].bones.back() ==
                                           stand_in.joints[static_cast<std::size_t>(joint.above)].bone;
    if (!goes_on) {
      chains.push_back({.name = group_names[static_cast<std::size_t>(joint.group)] + ":" +
                                character.bones[static_cast<std::size_t>(joint.bone)].name});
      chain_of[k] = static_cast<int>(chains.size()) - 1;
    } else {
      chain_of[k] = above;
    }
    SpringChain& chain = chains[static_cast<std::size_t>(chain_of[k])];
    const StandInGroup& springs = stand_in.groups[static_cast<std::size_t>(joint.group)];
    chain.bones.push_back(joint.bone);
    chain.end = joint.tail;
    chain.settings.push_back({.stiffness = springs.pull * joint.tail.norm() * kSpringRate, .drag = springs.drag});
  }
  return chains;
}

}  // namespace rigspace
