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

/// Numbers that are searched for: log stiffness, drag and gravity of each bone, root first.
constexpr int kPerBone = 3;
constexpr std::array<double, kPerBone> kLeast = {-9, 0, 0};
const std::array<double, kPerBone> kMost = {std::log(kStiffest), 1, 2};

double within_bounds(Eigen::Index number, double value) {
  return std::clamp(value, kLeast[number % kPerBone], kMost[number % kPerBone]);
}

std::vector<SpringSettings> settings_of(const Vec& numbers) {
  std::vector<SpringSettings> settings;
  for (Eigen::Index k = 0; k + kPerBone <= numbers.size(); k += kPerBone)
    settings.push_back({.stiffness = std::exp(numbers[k]), .drag = numbers[k + 1], .gravity = numbers[k + 2]});
  return settings;
}

/// Levenberg-Marquardt within the bounds, differences for derivatives. `residual` of the numbers: a vector.
template <class Residual>
Vec least_squares(Vec numbers, Residual&& residual) {
  constexpr double kDifference = 1e-4;
  Vec r = residual(numbers);
  double damping = 1e-2;
  for (int iteration = 0; iteration < 40; ++iteration) {
    Mat J(r.size(), numbers.size());
    for (Eigen::Index k = 0; k < numbers.size(); ++k) {
      Vec moved = numbers;
      const double way = within_bounds(k, numbers[k] + kDifference) > numbers[k] ? kDifference : -kDifference;
      moved[k] += way;
      J.col(k) = (residual(moved) - r) / way;
    }
    const Mat A = J.transpose() * J;
    const Vec g = J.transpose() * r;
    bool better = false;
    for (int trial = 0; trial < 8 && !better; ++trial) {
      Mat damped = A;
      damped.diagonal().array() += damping * (A.trace() / static_cast<double>(A.rows()) + 1e-12);
      Vec next = numbers - damped.ldlt().solve(g);
      for (Eigen::Index k = 0; k < next.size(); ++k) next[k] = within_bounds(k, next[k]);
      Vec r_next = residual(next);
      better = r_next.squaredNorm() < (1 - 1e-4) * r.squaredNorm();
      damping *= better ? 0.2 : 5;
      if (better) numbers = std::move(next), r = std::move(r_next);
    }
    if (!better) break;
  }
  return numbers;
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
    const auto residual = [&](const Vec& numbers) {
      const std::vector<SpringSettings> settings = settings_of(numbers);
      std::vector<double> parts;
      for (std::size_t e = 0; e < keyed.size(); ++e) {
        Spring spring(rest, settings);
        const auto& wanted = simulated[e].tails[c];
        const double weight = 1 / std::sqrt(swing[e]);
        run(spring, keyed[e].above[c], keyed[e].loops, [&](std::size_t f, const Spring& now) {
          const auto& at = wanted[std::min(f, wanted.size() - 1)];
          for (std::size_t k = 0; k < at.size(); ++k)
            for (int axis = 0; axis < 3; ++axis) parts.push_back(weight * (now.tails()[k] - at[k])[axis]);
        });
      }
      return Vec(Vec::Map(parts.data(), static_cast<Eigen::Index>(parts.size())));
    };
    double least = std::numeric_limits<double>::infinity();
    Vec best;
    for (const double stiffness : {0.1, 0.5, 3.0})
      for (const double drag : {0.02, 0.15, 0.4}) {
        Vec start(kPerBone * static_cast<Eigen::Index>(chain.bones.size()));
        for (Eigen::Index k = 0; k < start.size(); k += kPerBone)
          start[k] = std::log(stiffness), start[k + 1] = drag, start[k + 2] = 0;
        const Vec found = least_squares(std::move(start), residual);
        if (const double own = residual(found).squaredNorm(); own < least) least = own, best = found;
      }
    chain.settings = settings_of(best);
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
  BakeErrorSum sum(rig.point_count());
  std::array<Vec, 3> s;
  for (int f = 0; f < count; ++f) {
    for (std::size_t k = 0; k < clips.size(); ++k) {
      Vec p = rig.rest();
      samplers[k].sample(duration * f / count, p);
      rig.evaluate(*workspace, p, s[k]);
    }
    sum.add(s[0], s[1], s[2]);
  }
  return sum.error();
}

BakeErrorSum::BakeErrorSum(int points) : unbaked_(Vec::Zero(points)), baked_(unbaked_) {}

void BakeErrorSum::add(In simulated, In unbaked, In baked) {
  ++frames_;
  for (int i = 0; i < unbaked_.size(); ++i) {
    unbaked_[i] += (point(unbaked, i) - point(simulated, i)).squaredNorm();
    baked_[i] += (point(baked, i) - point(simulated, i)).squaredNorm();
  }
}

BakeError BakeErrorSum::error() const {
  BakeError error;
  const double least = unbaked_.size() > 0 ? 1e-4 * unbaked_.maxCoeff() : 0;  // squared: a hundredth of the most
  int moved = 0;
  for (int i = 0; i < unbaked_.size(); ++i)
    if (unbaked_[i] > least) error.unbaked += unbaked_[i], error.baked += baked_[i], ++moved;
  const double all = std::max(1.0, static_cast<double>(moved) * frames_);
  error.unbaked = std::sqrt(error.unbaked / all);
  error.baked = std::sqrt(error.baked / all);
  return error;
}

}  // namespace rigspace
