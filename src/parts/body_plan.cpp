#include "body_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace rigspace {
namespace {

constexpr double kFootApart = 0.05;   // of the size: patches of skin that are nearer are one foot
constexpr double kLittleSkin = 1e-4;  // of all skin
constexpr double kKeyed = 0.5;        // degrees

bool has_side(const BoneFacts& bone) { return bone.twin >= 0 || bone.name.side != 0; }

/// The joints with skin from here on, if each has one such joint below it at most; else none.
std::vector<int> unbranched(const BodyFacts& body, int root) {
  std::vector<int> chain;
  for (int b = root; b >= 0;) {
    chain.push_back(b);
    int next = -1;
    for (const int c : body[b].children) {
      if (body[c].end_marker || body[c].skin < kLittleSkin) continue;
      if (next >= 0) return {};
      next = c;
    }
    b = next;
  }
  return chain;
}

/// Five chains and more on one joint, of four joints and more, or three and more of six joints, and nearly as many in
/// each, whose outer halves no clip turns. Legs have feet that clips turn, and words; arms come in pairs. Words of
/// parts say more than places.
void find_tentacles(const BodyFacts& body, BodyPlan& plan) {
  constexpr std::size_t kLeastChains = 5, kLeastJoints = 4, kFewChains = 3, kManyJoints = 6;
  plan.tentacle.assign(body.bones.size(), 0);
  if (!body.has_clips) return;
  for (const BoneFacts& carrier : body.bones) {
    std::vector<std::vector<int>> chains;
    for (const int root : carrier.children) {
      std::vector<int> chain = body[root].skin > kLittleSkin ? unbranched(body, root) : std::vector<int>();
      const auto spoken_for = [&](int b) {
        const JointName& name = body[b].name;
        return name.role != Role::none && !(name.role == Role::limb && name.word->part == "arm");
      };
      const auto turned = [&](int b) { return body[b].keyed > kKeyed; };
      if (chain.size() < kLeastJoints || std::any_of(chain.begin(), chain.end(), spoken_for)) continue;
      if (std::any_of(chain.begin() + static_cast<std::ptrdiff_t>((chain.size() + 1) / 2), chain.end(), turned))
        continue;
      chains.push_back(std::move(chain));
    }
    if (chains.size() < kFewChains) continue;
    const auto [fewest, most] = std::minmax_element(chains.begin(), chains.end(),
                                                    [](const auto& a, const auto& b) { return a.size() < b.size(); });
    if (chains.size() < kLeastChains && fewest->size() < kManyJoints) continue;
    if (most->size() > 2 * fewest->size()) continue;
    for (std::vector<int>& chain : chains) {
      for (const int b : chain) plan.tentacle[b] = 1;
      plan.tentacles.push_back(std::move(chain));
    }
  }
}

/// Limbs by name, and whatever hangs on them but parts of their own.
void guard_named(const Character& character, const BodyFacts& body, BodyPlan& plan) {
  for (int b = 0; b < static_cast<int>(body.bones.size()); ++b) {  // parents first
    const BoneFacts& bone = body[b];
    if (plan.tentacle[b]) continue;
    const int parent = character.bones[b].parent;
    const bool own_part = bone.name.role == Role::chain || bone.name.role == Role::wing;
    std::string& why = plan.guarded[b];
    const std::string& name = character.bones[b].name;
    if (bone.name.role == Role::limb && (has_side(bone) || bone.name.word->part != "arm")) {
      plan.limb[b] = 1, why = "a limb by its name, " + name;
    } else if (bone.name.role == Role::torso && has_side(bone)) {
      plan.limb[b] = 1, why = "the root of a limb, " + name;
    } else if (parent >= 0 && plan.limb[parent] && !own_part) {
      plan.limb[b] = 1, why = "hangs on a limb, " + character.bones[parent].name;
    } else if (bone.name.role == Role::hard) {
      why = "a hard thing by its name, " + name;
    } else if (bone.name.role == Role::face) {
      why = "of the face, which is off unless it is named";
    } else if (bone.name.role == Role::head || bone.name.role == Role::neck) {
      why = std::string(bone.name.role == Role::head ? "a head" : "a neck") + " by its name, " + name;
    } else if (bone.name.role == Role::chest) {
      why = "a chest, which is left to you";
    } else if (parent >= 0 && !own_part &&
               (body[parent].name.role == Role::hard || body[parent].name.role == Role::face)) {
      why = "hangs on " + character.bones[parent].name;
    }
  }
}

/// Whether a chain of a mirrored pair stands up from an end of the body that has nothing else below it but such pairs
/// and is no root: ears on a head without a name.
bool stands_on_an_end(const Character& character, const BodyFacts& body, int root, std::span<const int> chain) {
  const int carrier = character.bones[root].parent;
  if (carrier < 0 || character.bones[carrier].parent < 0 || body[carrier].twin >= 0) return false;
  for (const int c : body[carrier].children)
    if (body[c].twin < 0 && !body[c].end_marker && body[c].skin > kLittleSkin) return false;
  double low = body[root].rest.y(), high = low;
  Vec3 way = Vec3::Zero();
  for (const int b : chain) {
    const Vec3 end = body[b].box.empty() ? body[b].rest : body[b].box.center();
    if (end.y() > high) high = end.y(), way = end - body[root].rest;
  }
  return high - low > 0.5 * way.norm() && high > low;
}

/// Arms of what swims upright, as a mermaid does, and of no fish: a fish lies along its line.
bool swims_upright(const BodyFacts& body) {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const BoneFacts& bone : body.bones)
    if (bone.skin > kLittleSkin && bone.twin < 0) low = low.cwiseMin(bone.rest), high = high.cwiseMax(bone.rest);
  const Vec3 spread = high - low;
  return spread.y() > 2 * std::max(spread.x(), spread.z());
}

/// Roots of mirrored chains on the body that no name explains: arms and legs, unless the clips leave them alone while
/// they turn others of the kind.
void guard_mirrored(const Character& character, const BodyFacts& body, BodyPlan& plan) {
  constexpr int kArmJoints = 3;
  const bool fish = body.fish_words && std::none_of(plan.limb.begin(), plan.limb.end(), [](char c) { return c != 0; });
  const bool upright = fish && swims_upright(body);
  if (fish && !upright) return;  // fins
  int turned_limbs = 0, turned_pairs = 0;
  for (int b = 0; b < static_cast<int>(body.bones.size()); ++b) {
    const bool turned = body[b].keyed > kKeyed && body[b].twin >= 0;
    turned_limbs += turned && plan.limb[b] ? 1 : 0;
    turned_pairs += turned && (plan.limb[b] || body[b].name.role == Role::none) ? 1 : 0;
  }
  for (int b = 0; b < static_cast<int>(body.bones.size()); ++b) {
    const BoneFacts& bone = body[b];
    const int parent = character.bones[b].parent;
    if (bone.name.role != Role::none || bone.twin < 0 || plan.limb[b] || plan.on_head[b] || plan.tentacle[b]) continue;
    if (parent >= 0 && body[parent].twin >= 0 && body[parent].twin != parent) continue;  // a root only
    const std::vector<int> all = below(body, b);
    int skinned = 0;
    double keyed = 0, grounded = 0;
    for (const int each : all) {
      skinned += body[each].skin > kLittleSkin ? 1 : 0;
      keyed = std::max(keyed, body[each].keyed), grounded = std::max(grounded, body[each].grounded);
    }
    const bool stands = grounded > 0.3 && !plan.floating;
    if (upright && (skinned < kArmJoints || keyed < kKeyed)) continue;  // a fin
    const bool unturned = keyed < kKeyed && body.has_clips && !stands;
    const bool loose =
        unturned && (turned_limbs >= 4 || (turned_pairs >= 4 && stands_on_an_end(character, body, b, all)));
    if (skinned == 0 || loose || (skinned < 2 && !stands)) continue;
    for (const int each : all) {
      if (body[each].name.role == Role::chain || body[each].name.role == Role::wing) continue;
      plan.limb[each] = 1;
      plan.guarded[each] = stands ? "one of a mirrored pair that stands on the ground: a leg"
                                  : "one of a mirrored pair on the body: a limb";
    }
  }
}

/// Whether a joint continues the spine above the shoulders: it has its parent's word, and nothing below it is a limb,
/// while limbs hang on the spine below (spine.006 of Blender's Rigify is a head).
bool above_shoulders(const Character& character, const BodyFacts& body, const BodyPlan& plan, int b) {
  const int parent = character.bones[b].parent;
  const JointName& name = body[b].name;
  if (parent < 0 || name.role != Role::torso || body[parent].name.word != name.word || name.word->part != "torso")
    return false;
  const auto carries_limb = [&](int root) {
    const std::vector<int> all = below(body, root);
    return std::any_of(all.begin(), all.end(), [&](int each) { return plan.limb[each] != 0; });
  };
  if (carries_limb(b)) return false;
  int root = parent;
  while (character.bones[root].parent >= 0 && body[character.bones[root].parent].name.word == name.word)
    root = character.bones[root].parent;
  return carries_limb(root);
}

/// The topmost bone that is called a head; else the thickest end of the middle line, the highest of an upright body.
void find_head(const Character& character, const BodyFacts& body, BodyPlan& plan) {
  for (int b = 0; b < static_cast<int>(body.bones.size()) && plan.head < 0; ++b)
    if (body[b].name.role == Role::head && (body[b].skin > kLittleSkin || !body[b].children.empty()))
      plan.head = b, plan.head_named = true;
  for (int b = 0; b < static_cast<int>(body.bones.size()) && !plan.head_named; ++b)  // else the end of the neck
    if (body[b].name.role == Role::neck && body[b].skin > kLittleSkin) plan.head = b;
  plan.head_named |= plan.head >= 0;
  double best = 0;
  if (plan.head < 0)
    for (int b = 0; b < static_cast<int>(body.bones.size()); ++b) {
      const BoneFacts& bone = body[b];
      const bool leaf = std::all_of(bone.children.begin(), bone.children.end(), [&](int c) {
        return body[c].end_marker || body[c].twin >= 0 || body[c].skin < kLittleSkin;
      });
      const bool wordless = bone.name.role == Role::none || above_shoulders(character, body, plan, b);
      if (!leaf || bone.twin >= 0 || bone.skin < kLittleSkin || !wordless || plan.limb[b] || plan.tentacle[b]) continue;
      if (character.bones[b].parent < 0 || bone.box.empty()) continue;
      const double score = bone.skin + 0.3 * (bone.box.center().y() - body.ground) / std::max(1e-9, body.height);
      if (score > best) best = score, plan.head = b;
    }
  // One end alone is a head only where there are limbs: ropes, posts and fish of one chain have none.
  const bool limbs = std::any_of(plan.limb.begin(), plan.limb.end(), [](char c) { return c != 0; });
  if (!plan.head_named && plan.head >= 0 && !limbs) plan.head = -1;
  if (plan.head < 0) return;
  for (const int b : below(body, plan.head)) plan.on_head[b] = 1;
  for (int b = character.bones[plan.head].parent; b >= 0 && above_shoulders(character, body, plan, b);
       b = character.bones[b].parent)
    plan.guarded[b] = "between shoulders and head: a neck";
  if (plan.guarded[plan.head].empty()) plan.guarded[plan.head] = "the thick end of the body's middle line: a head";
}

/// Whether two patches of skin on the ground are one foot: toes and heel.
bool one_foot(const BodyFacts& body, const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  const auto side = [&](const Vec3& x) { return (x - body.middle).dot(body.across) > 0; };
  const std::size_t skip_a = 1 + a.size() / 64, skip_b = 1 + b.size() / 64;
  if (side(a.front()) != side(b.front())) return false;
  for (std::size_t i = 0; i < a.size(); i += skip_a)
    for (std::size_t j = 0; j < b.size(); j += skip_b)
      if (std::hypot(a[i].x() - b[j].x(), a[i].z() - b[j].z()) < kFootApart * body.size) return true;
  return false;
}

/// Pairs of feet on the ground at rest; of those who fly or swim, pairs of legs by name.
void count_legs(const Character& character, const BodyFacts& body, BodyPlan& plan) {
  std::vector<int> patches;  // bones
  for (int b = 0; b < static_cast<int>(body.bones.size()); ++b) {
    const BoneFacts& bone = body[b];
    if (bone.twin >= 0 && !bone.soles.empty() && !plan.floating && bone.name.role != Role::wing &&
        bone.name.role != Role::chain && !plan.tentacle[b] && body.off_middle(bone.box.center()) > 0.01)
      patches.push_back(b);
  }
  const auto hangs_on = [&](int b, int above) {
    for (; b >= 0; b = character.bones[b].parent)
      if (b == above) return true;
    return false;
  };
  std::vector<int> foot(patches.size());
  int feet = 0;
  for (std::size_t k = 0; k < patches.size(); ++k) {  // joined with all earlier ones that it touches
    foot[k] = feet++;
    for (std::size_t other = 0; other < k; ++other) {
      const int a = patches[k], b = patches[other];
      if (foot[other] == foot[k] || !(hangs_on(a, b) || one_foot(body, body[a].soles, body[b].soles))) continue;
      std::replace(foot.begin(), foot.begin() + static_cast<std::ptrdiff_t>(k) + 1, foot[k], foot[other]);
    }
  }
  feet = static_cast<int>(std::set<int>(foot.begin(), foot.end()).size());
  int roots = 0;  // by name
  for (int b = 0; b < static_cast<int>(body.bones.size()); ++b) {
    const int parent = character.bones[b].parent;
    const auto is_leg = [&](int c) { return body[c].name.role == Role::limb && body[c].name.word->part == "leg"; };
    if (is_leg(b) && has_side(body[b]) && body[b].skin + skin_of(body, below(body, b)) > kLittleSkin &&
        (parent < 0 || !is_leg(parent)) && body[b].name.word->word != "foot")
      ++roots;
  }
  plan.leg_pairs = feet > 1 ? (feet + 1) / 2 : (roots + 1) / 2;
}

bool below_any(const Character& character, int bone, const std::vector<char>& of) {
  for (int b = bone; b >= 0; b = character.bones[b].parent)
    if (of[b]) return true;
  return false;
}

/// Of a body on four legs and more, joints of the torso with limbs that all end high above the ground: a rider on a
/// horse, the upper half of a centaur. They, and what hangs on them, are no belly between legs.
void drop_riders(const Character& character, const BodyFacts& body, BodyPlan& plan) {
  constexpr double kHigh = 0.2;  // of the height
  if (plan.leg_pairs < 2 || plan.floating) return;
  std::vector<char> rides(body.bones.size(), 0);
  for (const int b : plan.torso) {  // parents first
    const int parent = character.bones[b].parent;
    double lowest = std::numeric_limits<double>::infinity();
    for (const int each : below(body, b))
      if (plan.limb[each] && !body[each].box.empty()) lowest = std::min(lowest, body[each].box.low.y());
    rides[b] = (parent >= 0 && rides[parent]) || (std::isfinite(lowest) && lowest > body.ground + kHigh * body.height);
  }
  std::erase_if(plan.torso, [&](int b) { return rides[b] != 0; });
}

/// By name, of one joint alone with wordless joints above (a root that holds skin); else what carries limbs, and where
/// there are none what carries the head. A neck carries a head alone.
void find_torso(const Character& character, const BodyFacts& body, BodyPlan& plan) {
  for (int b = 0; b < static_cast<int>(body.bones.size()); ++b) {
    const Role role = body[b].name.role;
    if ((role == Role::torso || role == Role::belly) && plan.guarded[b].empty() &&
        !below_any(character, b, plan.on_head) && body[b].skin > kLittleSkin)
      plan.torso.push_back(b);
  }
  const std::vector<int> named = plan.torso;
  const auto carries = [&](int b, const auto& what) {
    const std::vector<int> all = below(body, b);
    return std::any_of(all.begin(), all.end(), [&](int each) { return each != b && what(each); });
  };
  const auto add_what_carries = [&](const auto& what) {
    for (int b = 0; b < static_cast<int>(body.bones.size()); ++b) {
      if (body[b].twin >= 0 || body[b].name.role != Role::none || !plan.guarded[b].empty() || plan.on_head[b] ||
          plan.tentacle[b])
        continue;
      if (body[b].skin > kLittleSkin && carries(b, what)) plan.torso.push_back(b);
    }
  };
  if (named.size() > 1) return;
  if (!named.empty())
    add_what_carries([&](int each) { return std::find(named.begin(), named.end(), each) != named.end(); });
  else
    add_what_carries([&](int each) { return plan.limb[each] != 0; });
  if (plan.torso.empty()) add_what_carries([&](int each) { return each == plan.head; });
  std::sort(plan.torso.begin(), plan.torso.end());
}

}  // namespace

bool is_near_floor(double low, double height, double size) {
  return std::abs(low) <= 0.06 * std::max(height, 0.25 * size);
}

std::vector<int> below(const BodyFacts& body, int root) {
  std::vector<int> all{root};
  for (std::size_t i = 0; i < all.size(); ++i)
    all.insert(all.end(), body[all[i]].children.begin(), body[all[i]].children.end());
  return all;
}

double skin_of(const BodyFacts& body, std::span<const int> bones) {
  double sum = 0;
  for (const int b : bones) sum += body[b].skin;
  return sum;
}

std::string BodyPlan::in_words() const {
  if (solid) return "a thing of solid pieces";
  if (insect) return "an insect or a spider";
  if (leg_pairs == 0) return "a body without legs";
  if (leg_pairs == 1) return person ? "a person" : upright ? "an upright body on two legs" : "a body on two legs";
  return "a body on " + std::string(leg_pairs == 2 ? "four" : "many") + " legs";
}

BodyPlan plan_of(const Character& character, const BodyFacts& body) {
  BodyPlan plan;
  plan.guarded.resize(body.bones.size());
  plan.limb.assign(body.bones.size(), 0);
  plan.on_head.assign(body.bones.size(), 0);
  plan.floating = body.fish_words || !is_near_floor(body.ground, body.height, body.size);
  find_tentacles(body, plan);
  guard_named(character, body, plan);
  for (int b = 0; b < static_cast<int>(body.bones.size()); ++b)
    if (body[b].name.role == Role::head)
      for (const int each : below(body, b)) plan.on_head[each] = 1;
  guard_mirrored(character, body, plan);
  find_head(character, body, plan);
  count_legs(character, body, plan);
  find_torso(character, body, plan);
  drop_riders(character, body, plan);

  int fingers = 0, features = 0;
  bool thorax = false, abdomen = false, animal = false;
  for (const BoneFacts& bone : body.bones) {
    if (bone.name.word == nullptr) continue;
    fingers += bone.name.word->word == "finger" || bone.name.word->word == "thumb" || bone.name.word->word == "index" ||
                       bone.name.word->word == "pinky"
                   ? 1
                   : 0;
    features += bone.name.role == Role::face ? 1 : 0;
    animal |= bone.name.role == Role::chain && bone.skin > kLittleSkin &&
              (bone.name.word->part == "tail" || bone.name.word->part == "ear" || bone.name.word->part == "trunk");
    thorax |= bone.name.word->word == "thorax", abdomen |= bone.name.word->part == "abdomen";
  }
  const bool limbs_by_name = std::any_of(body.bones.begin(), body.bones.end(),
                                         [](const BoneFacts& bone) { return bone.name.role == Role::limb; });
  plan.solid = body.one_bone > 0.99 && plan.leg_pairs >= 3 && !limbs_by_name;
  plan.insect = (plan.leg_pairs >= 3 && !plan.solid) || (thorax && abdomen);
  Box box;
  Vec3 centre = Vec3::Zero();
  for (const int b : plan.torso) {
    centre += body[b].rest / static_cast<double>(plan.torso.size());
    if (!body[b].box.empty()) box.include(body[b].box.low), box.include(body[b].box.high);
  }
  plan.roundness = std::min(box.size().x(), box.size().z()) / std::max(1e-9, body.height);
  if (plan.head >= 0 && !plan.torso.empty()) {
    const Vec3 up = body[plan.head].rest - centre;
    plan.upright = up.y() > 1.2 * std::hypot(up.x(), up.z());
  }
  plan.person = plan.leg_pairs == 1 && plan.upright && !animal && (fingers >= 6 || features >= 4);
  return plan;
}

}  // namespace rigspace
