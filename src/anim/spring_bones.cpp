#include "rigspace/anim/spring_bones.h"

#include "rigspace/anim/clip_play.h"
#include "rigspace/base/affine.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace rigspace {
namespace {

constexpr int kRestFrames = 120;  // before a clip that plays once
constexpr double kRunIn = 6;      // seconds before the turn that counts, of a loop: until slow springs repeat
constexpr double kStep = 1 / kSpringRate;
constexpr double kStiffest = 100;  // the format sets no limit; beyond, the joint hardly moves

const BuiltInRig& rig_of(const Character& character) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr)
    throw Error(
        {.element = "the rig", .problem = "is not built of joints", .remedy = "springs need a skeleton of glTF nodes"});
  return *rig;
}

std::set<std::string> turned_nodes(const Animation& clip) {
  std::set<std::string> nodes;
  for (const RotationTrack& track : clip.rotations) nodes.insert(track.node);
  for (const Track& track : clip.tracks) {
    const std::size_t dot = track.control.rfind(".r");
    if (dot != std::string::npos && dot + 3 == track.control.size()) nodes.insert(track.control.substr(0, dot));
  }
  return nodes;
}

/// What a clip does to chains, frame by frame at kSpringRate.
struct ChainFrames {
  bool loops = false;
  std::vector<double> times;
  std::vector<std::vector<Affine>> above;             // [chain][frame]: world transform of the first bone's parent
  std::vector<std::vector<std::vector<Vec3>>> tails;  // [chain][frame][bone]
};

/// Joints of a chain at rest.
struct ChainRest {
  std::vector<NodeDescription> nodes;
  std::vector<Vec3> tail;  // in each bone's own axes
};

ChainRest rest_of(const Character& character, const SpringChain& chain) {
  const ControlGraph& graph = rig_of(character).graph();
  ChainRest rest;
  for (const int bone : chain.bones) rest.nodes.push_back(*node_description(graph, character.bones[bone].slot));
  for (std::size_t k = 1; k < rest.nodes.size(); ++k) rest.tail.push_back(rest.nodes[k].translation);
  rest.tail.push_back(chain.end);
  return rest;
}

Affine local_of(const NodeDescription& node, const Quat& q) {
  Affine L;
  linear(L) = q.toRotationMatrix() * node.scale.asDiagonal();
  translation(L) = node.translation;
  return L;
}

ChainFrames frames_of(const Character& character, const Animation& clip, std::span<const SpringChain> chains) {
  const BuiltInRig& rig = rig_of(character);
  const Sampler sampler(clip, rig.controls());
  const auto workspace = rig.make_workspace();
  ChainFrames result;
  const ClipPlay play = decide_play(character, clip);
  result.loops = play.loops && play.traveller.empty();
  const int count = std::max(1, static_cast<int>(std::lround(clip.duration * kSpringRate)));
  result.above.resize(chains.size());
  result.tails.resize(chains.size());
  Vec p = rig.rest(), u;
  for (int f = 0; f <= count; ++f) {
    result.times.push_back(clip.duration > 0 ? clip.duration * f / count : f * kStep);
    sampler.sample(result.times.back(), p);
    rig.evaluate_slots(*workspace, p, u);
    const auto world = [&](int slot) {
      return slot < 0 ? identity_affine() : transform_at(u, rig.graph().slots()[slot]);
    };
    for (std::size_t c = 0; c < chains.size(); ++c) {
      const std::vector<int>& bones = chains[c].bones;
      result.above[c].push_back(world(node_description(rig.graph(), character.bones[bones[0]].slot)->parent_slot));
      std::vector<Vec3> tails;
      for (std::size_t k = 1; k < bones.size(); ++k)
        tails.emplace_back(translation(world(character.bones[bones[k]].slot)));
      tails.push_back(apply(world(character.bones[bones.back()].slot), chains[c].end));
      result.tails[c].push_back(std::move(tails));
    }
  }
  return result;
}

/// One chain in motion.
class Spring {
 public:
  Spring(const ChainRest& rest, std::span<const SpringSettings> settings)
      : rest_(rest),
        settings_(settings),
        tail_(rest.nodes.size()),
        before_(rest.nodes.size()),
        turn_(rest.nodes.size()) {}

  void begin(const Affine& above) {
    Affine world = above;
    for (std::size_t k = 0; k < rest_.nodes.size(); ++k) {
      turn_[k] = rest_.nodes[k].rotation.normalized();
      world = compose(world, local_of(rest_.nodes[k], turn_[k]));
      tail_[k] = before_[k] = apply(world, rest_.tail[k]);
    }
  }

  void step(const Affine& above) {
    Affine world = above;
    for (std::size_t k = 0; k < rest_.nodes.size(); ++k) {
      const Quat q = rest_.nodes[k].rotation.normalized();
      const Affine still = compose(world, local_of(rest_.nodes[k], q));
      const Vec3 head = translation(still), to_rest = apply(still, rest_.tail[k]) - head;
      const double length = to_rest.norm();
      const SpringSettings& own = settings_[k];
      Vec3 next = tail_[k] + (1 - own.drag) * (tail_[k] - before_[k]) + kStep * own.stiffness / length * to_rest -
                  kStep * own.gravity * Vec3::UnitY();
      next = head + length * (next - head).normalized();
      before_[k] = tail_[k];
      tail_[k] = next;
      const Vec3 into = linear(still).inverse() * (next - head);
      turn_[k] = q * turn_between(rest_.tail[k], into);
      world = compose(world, local_of(rest_.nodes[k], turn_[k]));
    }
  }

  const std::vector<Vec3>& tails() const { return tail_; }
  const std::vector<Quat>& turns() const { return turn_; }

 private:
  const ChainRest& rest_;
  std::span<const SpringSettings> settings_;
  std::vector<Vec3> tail_, before_;
  std::vector<Quat> turn_;
};

/// Calls visit(frame, spring) for the frames of a clip, after what comes before them.
template <class Visit>
void run(Spring& spring, const std::vector<Affine>& above, bool loops, Visit&& visit) {
  const std::size_t count = above.size();
  spring.begin(above[0]);
  const int turns = static_cast<int>(std::ceil(kRunIn / (kStep * static_cast<double>(count))));
  if (loops)
    for (int turn = 0; turn < turns; ++turn)
      for (std::size_t f = turn == 0 ? 0 : 1; f < count; ++f) spring.step(above[f]);
  else
    for (int f = 0; f < kRestFrames; ++f) spring.step(above[0]);
  for (std::size_t f = 0; f < count; ++f) {
    if (f > 0) spring.step(above[f]);
    visit(f, spring);
  }
}

/// Numbers that are searched for: log stiffness and its change from bone to bone, drag and its change, gravity.
using Knobs = std::array<double, 5>;

std::vector<SpringSettings> settings_of(const Knobs& knobs, std::size_t bones) {
  std::vector<SpringSettings> settings;
  for (std::size_t k = 0; k < bones; ++k)
    settings.push_back({.stiffness = std::clamp(std::exp(knobs[0] + static_cast<double>(k) * knobs[1]), 0.0, kStiffest),
                        .drag = std::clamp(knobs[2] + static_cast<double>(k) * knobs[3], 0.0, 1.0),
                        .gravity = std::clamp(knobs[4], 0.0, 2.0)});
  return settings;
}

/// Pattern search: steps along each number, halved where none helps.
template <class Cost>
Knobs searched(Knobs best, Cost&& cost) {
  Knobs step = {0.5, 0.15, 0.15, 0.04, 0.02};
  double least = cost(best);
  for (int round = 0; round < 60 && step[0] > 0.01; ++round) {
    bool better = false;
    for (std::size_t k = 0; k < best.size(); ++k)
      for (const double sign : {1.0, -1.0}) {
        Knobs trial = best;
        trial[k] += sign * step[k];
        if (const double own = cost(trial); own < least) least = own, best = trial, better = true;
      }
    if (!better)
      for (double& own : step) own *= 0.5;
  }
  return best;
}

}  // namespace

std::vector<SpringChain> spring_chains(const Character& character, const Animation& keyed, const Animation& simulated) {
  const std::set<std::string> before = turned_nodes(keyed), after = turned_nodes(simulated);
  const ControlGraph& graph = rig_of(character).graph();
  const auto springs = [&](int bone) {
    const std::string& name = character.bones[bone].name;
    return after.contains(name) && !before.contains(name) &&
           node_description(graph, character.bones[bone].slot) != nullptr;
  };
  const auto child_of = [&](int parent) {
    for (int bone = 0; bone < std::ssize(character.bones); ++bone)
      if (character.bones[bone].parent == parent && springs(bone)) return bone;
    return -1;
  };
  std::vector<SpringChain> chains;
  std::vector<char> taken(character.bones.size(), 0);
  for (int first = 0; first < std::ssize(character.bones); ++first) {
    const int parent = character.bones[first].parent;
    if (!springs(first) || taken[first] != 0 || (parent >= 0 && taken[parent] != 0 && child_of(parent) == first))
      continue;
    SpringChain chain{.name = character.bones[first].name};
    for (int bone = first; bone >= 0 && taken[bone] == 0; bone = child_of(bone))
      chain.bones.push_back(bone), taken[bone] = 1;
    const NodeDescription& last = *node_description(graph, character.bones[chain.bones.back()].slot);
    // A tip goes on as far, and the way, as the bone before it.
    chain.end = last.rotation.normalized().conjugate() * last.translation;
    if (chain.bones.size() == 1 || chain.end.norm() < 1e-9) chain.end = last.translation;
    chain.settings.resize(chain.bones.size());
    if (chain.end.norm() > 0) chains.push_back(std::move(chain));
  }
  return chains;
}

Animation play_springs(const Character& character, const Animation& keyed, std::span<const SpringChain> chains) {
  const ChainFrames frames = frames_of(character, keyed, chains);
  Animation result = keyed;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    const ChainRest rest = rest_of(character, chains[c]);
    std::vector<RotationTrack> tracks(rest.nodes.size());
    for (std::size_t k = 0; k < tracks.size(); ++k)
      tracks[k] = {.node = rest.nodes[k].name, .interpolation = Interpolation::linear, .times = frames.times};
    Spring spring(rest, chains[c].settings);
    run(spring, frames.above[c], frames.loops, [&](std::size_t, const Spring& own) {
      for (std::size_t k = 0; k < tracks.size(); ++k) tracks[k].values.emplace_back(own.turns()[k].coeffs());
    });
    for (RotationTrack& track : tracks) result.rotations.push_back(std::move(track));
  }
  return result;
}

void fit_springs(const Character& character, std::span<const SpringExample> examples,
                 std::vector<SpringChain>& chains) {
  if (examples.empty())
    throw Error(
        {.element = "springs", .problem = "have no clip to be fitted to", .remedy = "give a clip with its simulation"});
  std::vector<ChainFrames> keyed, simulated;
  for (const SpringExample& each : examples) {
    keyed.push_back(frames_of(character, *each.keyed, chains));
    simulated.push_back(frames_of(character, *each.simulated, chains));
  }
  for (std::size_t c = 0; c < chains.size(); ++c) {
    SpringChain& chain = chains[c];
    const ChainRest rest = rest_of(character, chain);
    std::vector<double> swing;  // of each clip, so that lively ones do not count for more
    for (std::size_t e = 0; e < keyed.size(); ++e) {
      swing.push_back(1e-12);
      for (std::size_t f = 0; f < keyed[e].times.size(); ++f)
        for (std::size_t k = 0; k < chain.bones.size(); ++k)
          swing[e] += (keyed[e].tails[c][f][k] - simulated[e].tails[c][std::min(f, simulated[e].times.size() - 1)][k])
                          .squaredNorm();
    }
    const auto cost = [&](const Knobs& knobs) {
      const std::vector<SpringSettings> settings = settings_of(knobs, chain.bones.size());
      double sum = 0;
      for (std::size_t e = 0; e < keyed.size(); ++e) {
        Spring spring(rest, settings);
        const auto& wanted = simulated[e].tails[c];
        double own = 0;
        run(spring, keyed[e].above[c], keyed[e].loops, [&](std::size_t f, const Spring& now) {
          const auto& at = wanted[std::min(f, wanted.size() - 1)];
          for (std::size_t k = 0; k < at.size(); ++k) own += (now.tails()[k] - at[k]).squaredNorm();
        });
        sum += own / swing[e];
      }
      // Beyond what the format allows the cost must rise, or the search would wander off.
      for (const double out : {knobs[2] - 1, -knobs[2], knobs[4] - 2, -knobs[4]}) sum *= 1 + std::max(0.0, out);
      return sum;
    };
    double least = std::numeric_limits<double>::infinity();
    Knobs best{};
    for (const double stiffness : {0.05, 0.4, 3.0})
      for (const double drag : {0.03, 0.15, 0.4}) {
        const Knobs found = searched({std::log(stiffness), 0, drag, 0, 0}, cost);
        if (const double own = cost(found); own < least) least = own, best = found;
      }
    chain.settings = settings_of(best, chain.bones.size());
  }
}

BakeError bake_error(const Character& character, const SpringExample& example, const Animation& baked) {
  const Rig& rig = *character.rig;
  const auto workspace = rig.make_workspace();
  const std::array clips = {example.simulated, example.keyed, &baked};
  std::vector<Sampler> samplers;
  for (const Animation* clip : clips) samplers.emplace_back(*clip, rig.controls());
  const double duration = example.keyed->duration;
  const int count = std::max(1, static_cast<int>(std::lround(duration * 30)));
  Vec unbaked = Vec::Zero(rig.point_count()), own = unbaked;
  std::array<Vec, 3> s;
  for (int f = 0; f < count; ++f) {
    for (std::size_t k = 0; k < clips.size(); ++k) {
      Vec p = rig.rest();
      samplers[k].sample(duration * f / count, p);
      rig.evaluate(*workspace, p, s[k]);
    }
    for (int i = 0; i < rig.point_count(); ++i) {
      unbaked[i] += (point(s[1], i) - point(s[0], i)).squaredNorm();
      own[i] += (point(s[2], i) - point(s[0], i)).squaredNorm();
    }
  }
  BakeError error;
  const double least = unbaked.size() > 0 ? 1e-4 * unbaked.maxCoeff() : 0;  // squared: a hundredth of the most
  int moved = 0;
  for (int i = 0; i < rig.point_count(); ++i)
    if (unbaked[i] > least) error.unbaked += unbaked[i], error.baked += own[i], ++moved;
  const double all = std::max(1.0, static_cast<double>(moved) * count);
  error.unbaked = std::sqrt(error.unbaked / all);
  error.baked = std::sqrt(error.baked / all);
  return error;
}

}  // namespace rigspace
