#include "rigspace/apps/sketch/automatic.h"
#include "rigspace/apps/sketch/nested_joints.h"
#include "rigspace/base/error.h"
#include "rigspace/body/joint_points.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kFinger = 0.6;  // of the length of a limb up to where a branch leaves it
constexpr double kSmall = 0.15;  // share of the size: what reaches no farther is no limb of its own but a limb's end

/// The bones of a character as a tree, in the rest pose.
struct BoneTree {
  std::vector<std::string> names;
  std::vector<Vec3> at;
  std::vector<std::vector<int>> children;
  std::vector<char> used;      // moves points, or something below it does
  std::vector<char> skinned;   // moves points itself
  std::vector<Vec3> tip;       // where the skin of a bone ends
  std::vector<double> length;  // of the longest way down from the bone's head, tip included
  std::vector<Vec3> farthest;  // where that way ends
  std::vector<double> mass;    // of all bones below
  std::vector<int> roots;
  double size = 1;
};

/// For each bone the points that follow it more than any other, by linear and other skins alike: those that move
/// with its slot. Found from the skins' own weights.
std::vector<std::vector<int>> points_of_bones(const Character& character, const BuiltInRig& rig) {
  std::vector<int> bone_of_slot(rig.graph().slots().size(), -1);
  for (std::size_t b = 0; b < character.bones.size(); ++b)
    if (character.bones[b].slot >= 0)
      bone_of_slot[static_cast<std::size_t>(character.bones[b].slot)] = static_cast<int>(b);
  // A rigid part follows a node that is a bone, or hangs on one.
  const auto bone_above = [&](int slot) {
    while (slot >= 0 && bone_of_slot[static_cast<std::size_t>(slot)] < 0) {
      const std::span<const int> above = rig.graph().op(slot).input_slots();
      slot = above.empty() ? -1 : above[0];
    }
    return slot < 0 ? -1 : bone_of_slot[static_cast<std::size_t>(slot)];
  };
  std::vector<std::vector<int>> points(character.bones.size());
  for (const auto& deformer : rig.deformers()) {
    const SkinDescription* skin = skin_description(*deformer);
    if (skin == nullptr) {
      if (deformer->slots().size() != 1) continue;
      const int bone = bone_above(deformer->slots()[0]);
      for (int k = 0; k < deformer->count() && bone >= 0; ++k)
        points[static_cast<std::size_t>(bone)].push_back(deformer->first() + k);
      continue;
    }
    for (std::size_t k = 0; k < skin->influences.size(); ++k) {
      const Influence* most = nullptr;
      for (const Influence& each : skin->influences[k])
        if (most == nullptr || each.weight > most->weight) most = &each;
      if (most == nullptr || most->weight <= 0) continue;
      const int bone = bone_above(skin->joint_slots[static_cast<std::size_t>(most->joint)]);
      if (bone >= 0) points[static_cast<std::size_t>(bone)].push_back(skin->first_point + static_cast<int>(k));
    }
  }
  return points;
}

BoneTree bone_tree(const Character& character) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr || character.bones.empty())
    throw Error({.file = character.name,
                 .element = "stick figure",
                 .problem = "needs joints, and this character has none that are known here",
                 .remedy = "use the abstraction \"outline\", or draw over the character"});
  BoneTree tree;
  const std::size_t count = character.bones.size();
  Vec u, s;
  const auto workspace = rig->make_workspace();
  rig->evaluate(*workspace, rig->rest(), s);
  rig->evaluate_slots(*workspace, rig->rest(), u);
  tree.size = std::max(1e-12, bounding_box(s).diagonal());
  tree.at.resize(count), tree.children.resize(count), tree.tip.resize(count);
  tree.used.assign(count, 0), tree.length.assign(count, 0), tree.mass.assign(count, 0);
  for (std::size_t b = 0; b < count; ++b)
    tree.at[b] = tree.tip[b] = translation(slot_transform(*rig, u, character.bones[b].slot));
  if (s.size() == 0) {
    Box box;
    for (const Vec3& x : tree.at) box.include(x);
    tree.size = std::max(1e-12, box.diagonal());
  }
  tree.farthest = tree.at;
  for (const Bone& bone : character.bones) tree.names.push_back(bone.name);
  const auto points = points_of_bones(character, *rig);
  bool any = false;
  for (std::size_t b = 0; b < count; ++b) {
    any = any || !points[b].empty();
    tree.skinned.push_back(!points[b].empty());
    for (int above = points[b].empty() ? -1 : static_cast<int>(b); above >= 0 && !tree.used[above];
         above = character.bones[static_cast<std::size_t>(above)].parent)
      tree.used[above] = 1;
  }
  if (!any) tree.used.assign(count, 1);
  for (std::size_t b = 0; b < count; ++b) {
    if (!tree.used[b]) continue;
    const int parent = character.bones[b].parent;
    (parent >= 0 ? tree.children[static_cast<std::size_t>(parent)] : tree.roots).push_back(static_cast<int>(b));
  }
  // The tip of a last bone: the mean of the tenth of its points that are farthest along the way that leads to it.
  for (std::size_t b = 0; b < count; ++b) {
    if (points[b].size() < 4 || character.bones[b].parent < 0) continue;
    Vec3 middle = Vec3::Zero();
    for (const int i : points[b]) middle += point(s, i) / static_cast<double>(points[b].size());
    Vec3 way = tree.at[b] - tree.at[static_cast<std::size_t>(character.bones[b].parent)];
    if (way.norm() < 1e-9 * tree.size || way.dot(middle - tree.at[b]) < 0) way = middle - tree.at[b];
    std::vector<std::pair<double, int>> far;
    for (const int i : points[b]) far.emplace_back(-way.dot(point(s, i)), i);
    std::sort(far.begin(), far.end());
    far.resize(std::max<std::size_t>(1, far.size() / 10));
    tree.tip[b].setZero();
    for (const auto& [by, i] : far) tree.tip[b] += point(s, i) / static_cast<double>(far.size());
  }
  // Children come after their parents in most files, but not in all: several passes settle any order.
  for (std::size_t pass = 0; pass < count; ++pass) {
    bool changed = false;
    for (std::size_t b = count; b-- > 0;) {
      double length = (tree.tip[b] - tree.at[b]).norm(), mass = length;
      Vec3 farthest = tree.tip[b];
      if (!tree.children[b].empty()) length = mass = 0;
      for (const int c : tree.children[b]) {
        const double step = (tree.at[c] - tree.at[b]).norm();
        if (step + tree.length[c] >= length) length = step + tree.length[c], farthest = tree.farthest[c];
        mass += step + tree.mass[c];
      }
      changed = changed || length != tree.length[b] || mass != tree.mass[b];
      tree.length[b] = length, tree.mass[b] = mass, tree.farthest[b] = farthest;
    }
    if (!changed) break;
  }
  return tree;
}

/// Whether two names differ in their side alone: arm.l and arm.r, LeftLeg and RightLeg.
bool names_of_two_sides(const std::string& a, const std::string& b) {
  std::size_t first = 0, last = 0;
  while (first < std::min(a.size(), b.size()) && a[first] == b[first]) ++first;
  while (last < std::min(a.size(), b.size()) - first && a[a.size() - 1 - last] == b[b.size() - 1 - last]) ++last;
  std::string one = a.substr(first, a.size() - first - last), other = b.substr(first, b.size() - first - last);
  for (std::string* each : {&one, &other})
    std::transform(each->begin(), each->end(), each->begin(), [](unsigned char c) { return std::tolower(c); });
  if (one > other) std::swap(one, other);
  if (one == "lef" && other == "righ") return true;  // "t" is common to both
  const bool apart = first == 0 || last == 0 || !std::isalpha(static_cast<unsigned char>(a[first - 1])) ||
                     !std::isalpha(static_cast<unsigned char>(a[a.size() - last]));
  return one == "l" && other == "r" && apart;
}

/// Whether a sibling is its twin, by name or by nearly the same size below it: limbs come in pairs, trunks once.
bool paired(const BoneTree& tree, const std::vector<int>& siblings, int bone) {
  return std::any_of(siblings.begin(), siblings.end(), [&](int other) {
    return other != bone && (tree.at[other] - tree.at[bone]).norm() > 1e-3 * tree.size &&
           (std::abs(tree.mass[other] - tree.mass[bone]) < 0.04 * (tree.mass[bone] + 1e-12) ||
            names_of_two_sides(tree.names[other], tree.names[bone]));
  });
}

double length_of(const StickChain& chain) {
  double length = 0;
  for (std::size_t k = 1; k < chain.joints.size(); ++k) length += (chain.joints[k] - chain.joints[k - 1]).norm();
  return length;
}

class ChainFinder {
 public:
  ChainFinder(const Character& character, const BoneTree& tree, const StickOptions& options)
      : character_(character), tree_(tree), options_(options) {}

  std::vector<StickChain> find() {
    int root = -1;
    for (const int each : tree_.roots)
      if (root < 0 || tree_.mass[each] > tree_.mass[root]) root = each;
    // A root that only carries the rest lies on the ground or behind the body: the trunk begins above it.
    while (root >= 0 && !tree_.skinned[root] && tree_.children[root].size() == 1 &&
           tree_.length[tree_.children[root][0]] > 0)
      root = tree_.children[root][0];
    if (root >= 0) follow(root);
    return std::move(chains_);
  }

 private:
  void follow(int bone) {
    StickChain chain{.name = character_.bones[static_cast<std::size_t>(bone)].name};
    std::vector<int> limbs;
    while (true) {
      chain.bones.push_back(bone), chain.joints.push_back(tree_.at[bone]);
      std::vector<int> next;
      for (const int c : tree_.children[bone]) next.push_back(c);
      if (next.empty()) break;
      const int on = continuation(chain, next);
      // A head with two ears ends in itself, and both are limbs: where all that follows comes in pairs and the bone has
      // skin beyond its joint.
      if (chain.bones.size() > 1 && paired(tree_, next, on) &&
          (tree_.tip[bone] - tree_.at[bone]).norm() > options_.shortest_bone * tree_.size) {
        for (const int c : next)
          if (tree_.length[c] >= options_.shortest_limb * tree_.size) limbs.push_back(c);
        break;
      }
      const double ahead = (tree_.at[on] - tree_.at[bone]).norm() + tree_.length[on];
      for (const int c : next)
        if (c != on && tree_.length[c] >= shortest_branch(chain, c)) limbs.push_back(c);
      // Where only small things are left (fingers of a hand), the chain ends at their middle.
      if (next.size() > 1 && ahead < options_.shortest_limb * tree_.size) {
        Vec3 middle = Vec3::Zero();
        for (const int c : next) middle += tree_.at[c] / static_cast<double>(next.size());
        chain.joints.push_back(middle);
        break;
      }
      bone = on;
    }
    if (chain.joints.size() == chain.bones.size()) chain.joints.push_back(tree_.tip[bone]);
    merge_short(chain);
    if (chain.bones.size() > 0) chains_.push_back(std::move(chain));
    for (const int limb : limbs) follow(limb);
  }

  /// What leaves a limb and is short beside the limb up to there is a finger, and no limb of its own.
  double shortest_branch(const StickChain& chain, int branch) const {
    const double least = options_.shortest_limb * tree_.size;
    const double so_far = length_of(chain) + (tree_.at[branch] - chain.joints.back()).norm();
    return chains_.empty() ? least : std::max(least, kFinger * so_far);
  }

  /// Of small things at the end of a limb (fingers and a thumb) the one that goes straight on; else what comes once
  /// before what comes in pairs, and of these the larger.
  int continuation(const StickChain& chain, const std::vector<int>& next) const {
    const bool small = std::all_of(next.begin(), next.end(), [&](int c) {
      return (tree_.at[c] - chain.joints.back()).norm() + tree_.length[c] < kSmall * tree_.size;
    });
    if (small && chain.joints.size() > 1) {
      const Vec3 way = chain.joints.back() - chain.joints[chain.joints.size() - 2];
      const auto ahead = [&](int c) { return way.dot(tree_.farthest[c] - chain.joints.back()); };
      return *std::max_element(next.begin(), next.end(), [&](int a, int b) { return ahead(a) < ahead(b); });
    }
    int best = -1;
    bool best_single = false;
    for (const int c : next) {
      const bool single = !paired(tree_, next, c);
      if (best < 0 || (single && !best_single) || (single == best_single && tree_.mass[c] > tree_.mass[best]))
        best = c, best_single = single;
    }
    return best;
  }

  /// Joints that lie on the one before are one with it: the segment ahead belongs to the later bone, which feels both.
  void merge_short(StickChain& chain) const {
    const double least = options_.shortest_bone * tree_.size;
    for (std::size_t k = 0; k + 1 < chain.joints.size() && chain.bones.size() > 1;) {
      if ((chain.joints[k + 1] - chain.joints[k]).norm() >= least) {
        ++k;
        continue;
      }
      if (k + 1 == chain.bones.size()) {  // a tip that is no way from its joint
        chain.bones.pop_back(), chain.joints.pop_back();
        break;
      }
      chain.bones.erase(chain.bones.begin() + static_cast<std::ptrdiff_t>(k));
      chain.joints.erase(chain.joints.begin() + static_cast<std::ptrdiff_t>(k));
    }
    double length = 0;
    for (std::size_t k = 1; k < chain.joints.size(); ++k) length += (chain.joints[k] - chain.joints[k - 1]).norm();
    if (length < least) chain = {};
  }

  const Character& character_;
  const BoneTree& tree_;
  const StickOptions& options_;
  std::vector<StickChain> chains_;
};

/// The bone and the place at a length from the chain's beginning.
PlacePart at_length(const StickChain& chain, double length) {
  for (std::size_t k = 0;; ++k) {
    const double segment = (chain.joints[k + 1] - chain.joints[k]).norm();
    if (length > segment && k + 1 < chain.bones.size()) {
      length -= segment;
      continue;
    }
    const double t = segment > 0 ? std::min(1.0, length / segment) : 0;
    return {.bone = chain.bones[k], .rest = (1 - t) * chain.joints[k] + t * chain.joints[k + 1]};
  }
}

}  // namespace

std::vector<StickChain> stick_chains(const Character& character, const StickOptions& options) {
  if (const auto nested = nest_joints(character)) return stick_chains(nested->character, options);
  const BoneTree tree = bone_tree(character);
  std::vector<StickChain> chains = ChainFinder(character, tree, options).find();
  if (chains.empty())
    throw Error({.file = character.name,
                 .element = "stick figure",
                 .problem = "finds no chain of joints",
                 .remedy = "use the abstraction \"outline\""});
  return chains;
}

SketchAbstraction stick_figure(const Character& character, const StickOptions& options) {
  SketchAbstraction figure{.name = "stick"};
  const std::vector<StickChain> chains = stick_chains(character, options);
  double whole = 0;
  for (const StickChain& chain : chains) whole += length_of(chain);
  for (const StickChain& chain : chains) {
    SketchCurve curve{.name = chain.name};
    const double length = length_of(chain);
    const int places = std::max(8, static_cast<int>(std::lround(options.places * length / whole)));
    for (int i = 0; i < places; ++i) curve.places.push_back({at_length(chain, length * i / (places - 1))});
    figure.curves.push_back(std::move(curve));
  }
  return figure;
}

SketchAbstraction line_of_action(const Character& character, const StickOptions& options) {
  const std::vector<StickChain> chains = stick_chains(character, options);
  const StickChain& trunk = chains.front();
  SketchCurve curve{.name = "action"};
  const double length = length_of(trunk);
  const int places = std::max(16, options.places / 4);
  for (int i = 0; i < places; ++i) curve.places.push_back({at_length(trunk, length * (places - 1 - i) / (places - 1))});
  // The lowest pair of limbs of about one length; without a pair, the limb that goes on where the trunk begins.
  const StickChain *first = nullptr, *second = nullptr;
  double lowest = trunk.joints.front().y();
  for (std::size_t a = 1; a < chains.size(); ++a)
    for (std::size_t b = a + 1; b < chains.size(); ++b) {
      const double la = length_of(chains[a]), lb = length_of(chains[b]);
      const double low = std::max(chains[a].joints.back().y(), chains[b].joints.back().y());
      if (std::abs(la - lb) < 0.05 * la && low < lowest) lowest = low, first = &chains[a], second = &chains[b];
    }
  if (first != nullptr) {
    const int more = std::max(4, static_cast<int>(std::lround(places * length_of(*first) / length)));
    for (int i = 1; i <= more; ++i) {
      PlacePart left = at_length(*first, length_of(*first) * i / more),
                right = at_length(*second, length_of(*second) * i / more);
      left.weight = right.weight = 0.5;
      curve.places.push_back({left, right});
    }
  }
  return {.name = "action", .curves = {std::move(curve)}};
}

}  // namespace rigspace
