#include "part_chains.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

namespace rigspace {
namespace {

constexpr double kAllRigid = 0.99;  // of the surface on one bone each: a toy of solid pieces has no tail without a word

constexpr double kNoSkin = 1e-4;   // of all skin
constexpr double kBeaten = 12;     // degrees: wings that clips turn by more are the animator's
constexpr double kUnkeyed = 0.5;   // degrees
constexpr double kOnGround = 0.5;  // of the moments
constexpr double kMiddle = 0.06;   // of the size: joints that are nearer to the mirror plane are on it
constexpr double kThick = 0.2;     // of the size: skin that is thicker in all directions is a body and no cloth
constexpr std::size_t kFinJoints = 4;
constexpr int kCarried = 3;  // chains of another word that hang on a body

/// Whether a word stands for cloth.
bool is_cloth(std::string_view part) {
  constexpr std::string_view kCloth[] = {"cape", "scarf", "sash", "ribbon", "skirt", "flag", "veil"};
  return std::find(std::begin(kCloth), std::end(kCloth), part) != std::end(kCloth);
}

class ChainFinder {
 public:
  ChainFinder(const FinderInput& input, std::vector<PartCandidate>& candidates)
      : character_(input.character), body_(input.body), plan_(input.plan), candidates_(candidates) {}

  void run() {
    named();
    tentacles();
    if (body_.one_bone < kAllRigid) {
      fish_tail();
      fins();
      tails_by_place();
    }
    unkeyed();
    single_ends();
  }

 private:
  const std::string& name(int b) const { return character_.bones[b].name; }
  int parent(int b) const { return character_.bones[b].parent; }
  int count() const { return static_cast<int>(body_.bones.size()); }
  bool is_part_word(int b) const {
    const JointName& joint = body_[b].name;
    return joint.role == Role::chain || joint.role == Role::wing ||
           (plan_.insect && joint.role == Role::torso && joint.word->part == "abdomen" && !carries_body(b));
  }
  /// Whether head or limbs hang below: then it is the body.
  bool carries_body(int b) const {
    for (const int each : below(body_, b))
      if (each != b && body_[each].skin > kNoSkin &&
          (plan_.limb[each] || each == plan_.head || body_[each].name.role == Role::head))
        return true;
    return false;
  }
  bool used(int b) const { return used_.contains(b); }
  /// Whether there is more than a head: a tadpole's tail hangs on its head and is no hair.
  bool has_body() const { return !plan_.torso.empty() || plan_.leg_pairs > 0; }

  PartCandidate& add(std::vector<int> bones, std::string part, std::string_view preset, double score) {
    for (const int b : bones) used_.insert(b);
    candidates_.push_back({.part = make_found_part(std::move(bones), std::move(part), preset), .score = score});
    return candidates_.back();
  }

  /// "ear_l": the side by name, else by place where there is a twin.
  std::string with_side(std::string_view part, int root) const {
    char side = body_[root].name.side;
    if (side == 0 && body_[root].twin >= 0) side = (body_[root].rest - body_.middle).dot(body_.across) > 0 ? 'l' : 'r';
    std::string result(part);
    if (side != 0) result += std::string("_") + side;
    return result;
  }

  /// Chains by name: from each joint whose word its parent lacks, down to joints with another word.
  void named() {
    for (int b = 0; b < count(); ++b) {
      if (used(b) || !is_part_word(b) || body_[b].end_marker) continue;
      const PartWord& word = *body_[b].name.word;
      std::vector<int> bones{b};
      bool carries = false;
      for (std::size_t i = 0; i < bones.size(); ++i)
        for (const int c : body_[bones[i]].children) {
          if (body_[c].end_marker || used(c)) continue;
          const bool same = is_part_word(c) ? body_[c].name.word->part == word.part
                                            : body_[c].name.role == Role::none && plan_.guarded[c].empty();
          if (same)
            bones.push_back(c);
          else
            carries |= !is_part_word(c) && body_[c].skin > kNoSkin && body_[c].name.role != Role::hard &&
                       (plan_.limb[c] || body_[c].name.role != Role::face);
        }
      std::sort(bones.begin(), bones.end());
      const double skin = skin_of(body_, bones);
      const bool ponytail = word.part == "tail" && plan_.on_head[b] && has_body();
      PartCandidate& made = add(bones, with_side(ponytail ? "ponytail" : word.part, b), ponytail ? "hair" : word.preset,
                                word.part == "tail" ? 0.95 : 0.9);
      made.reasons_for.push_back("called " + name(b) + ", a word for " + std::string(word.part));
      if (ponytail) made.reasons_for.push_back("it hangs on the head, where a tail is hair");
      weigh_named(made, word, carries || carries_body(b), skin);
    }
  }

  /// Chains around one joint, whole: alike, whatever their names.
  void tentacles() {
    for (const std::vector<int>& chain : plan_.tentacles) {
      if (std::any_of(chain.begin(), chain.end(), [&](int b) { return used(b); })) continue;
      const int carrier = parent(chain.front());
      const auto around = std::count_if(plan_.tentacles.begin(), plan_.tentacles.end(),
                                        [&](const auto& each) { return parent(each.front()) == carrier; });
      std::vector<int> bones = chain;
      std::sort(bones.begin(), bones.end());
      PartCandidate& made = add(std::move(bones), with_side("tentacle", chain.front()), "tail", 0.85);
      made.reasons_for.push_back("one of " + std::to_string(around) + " chains on " + name(carrier) +
                                 " that are alike, and whose ends no clip turns");
      trim_ground(made);
    }
  }

  void weigh_named(PartCandidate& made, const PartWord& word, bool carries, double skin) {
    double keyed = 0;
    for (const int b : made.part.bones) keyed = std::max(keyed, body_[b].keyed);
    const auto against = [&](std::string why) { made.reasons_against.push_back(std::move(why)), made.score = 0; };
    if (carries) against("the body hangs on it");
    if (skin < kNoSkin && body_.has_skin) against("it holds no skin");
    if (is_cloth(word.part) && is_thick(made.part.bones)) against("its skin is as thick as a body, and no cloth");
    if (is_cloth(word.part) && chains_on(made.part.bones) >= kCarried) against("other chains hang on it: a body");
    if (is_vehicle() && (word.role == Role::wing || word.part == "tail"))
      against("of a vehicle of solid pieces, whose wings and tails are hard");
    const bool fish_fin = word.part == "fin" && plan_.leg_pairs == 0;
    if (word.role == Role::wing && keyed > kBeaten && !fish_fin)
      against("the clips beat it, by " + std::to_string(std::lround(keyed)) + " degrees");
    else if (keyed > kUnkeyed)
      made.reasons_for.push_back("keyed, and trails all the same");
    else if (body_.has_clips)
      made.reasons_for.push_back("no clip turns it");
    trim_ground(made);
  }

  /// Whether the skin of one of these joints is thicker than cloth in all directions.
  bool is_thick(std::span<const int> bones) const {
    return std::any_of(bones.begin(), bones.end(), [&](int b) {
      return !body_[b].box.empty() && body_[b].box.size().minCoeff() > kThick * body_.size;
    });
  }

  /// The number of chains with a word of their own that hang on these joints.
  int chains_on(std::span<const int> bones) const {
    int chains = 0;
    for (const int b : bones)
      for (const int c : body_[b].children)
        chains += is_part_word(c) && std::find(bones.begin(), bones.end(), c) == bones.end() ? 1 : 0;
    return chains;
  }

  /// Solid pieces with a wheel, a rotor or a propeller among them, and no limbs and no head by name.
  bool is_vehicle() const {
    if (body_.one_bone < kAllRigid) return false;
    bool wheel = false;
    for (const BoneFacts& bone : body_.bones) {
      if (bone.name.role == Role::limb || bone.name.role == Role::head) return false;  // an animal on wheels
      wheel |= bone.name.role == Role::hard && bone.name.word->part == "wheel";
    }
    return wheel;
  }

  /// What lies on the ground would slide: a chain of a body without legs begins where it leaves the ground.
  void trim_ground(PartCandidate& made) {
    if (plan_.leg_pairs > 0 || plan_.floating) return;
    std::vector<int>& bones = made.part.bones;
    std::vector<int> off;
    for (const int b : bones)
      if (body_[b].grounded < kOnGround && !body_[b].grounded_at_rest) off.push_back(b);
    if (off.size() == bones.size()) return;
    if (off.empty()) off.push_back(bones.back());
    for (const int b : bones)
      if (b > off.front() && std::find(off.begin(), off.end(), b) == off.end()) off.push_back(b);  // below the first
    std::sort(off.begin(), off.end());
    if (off.size() < bones.size()) made.reasons_for.push_back("from " + name(off.front()) + " on it is off the ground");
    bones = std::move(off);
  }

  /// The middle line of a body without legs, from its first joint with skin to its far end.
  std::vector<int> middle_line() const {
    std::vector<int> best;
    for (int leaf = 0; leaf < count(); ++leaf) {
      std::vector<int> path;
      for (int b = leaf; b >= 0; b = parent(b)) {
        const Role role = body_[b].name.role;
        const bool fits = body_[b].skin > kNoSkin && !body_[b].end_marker && !plan_.limb[b] && !plan_.tentacle[b] &&
                          (role == Role::none || role == Role::torso || role == Role::ribs || role == Role::belly ||
                           (role == Role::chain && body_[b].name.word->part == "tail"));
        if (!fits && (body_[b].skin > kNoSkin)) {
          path.clear();
          break;
        }
        if (fits) path.push_back(b);
      }
      std::reverse(path.begin(), path.end());
      if (path.size() > best.size()) best = std::move(path);
    }
    return best;
  }

  /// Whether a line goes straight down from its first joint, and clips move what it hangs on.
  bool hangs_down(std::span<const int> line) const {
    if (!body_.has_clips || body_[line.back()].keyed > kUnkeyed) return false;
    double length = 0;
    for (std::size_t k = 1; k < line.size(); ++k) length += (body_[line[k]].rest - body_[line[k - 1]].rest).norm();
    return body_[line.front()].rest.y() - body_[line.back()].rest.y() > 0.9 * length;
  }

  /// Fish, worms, ropes: the rear half of the middle line, keyed or not.
  void fish_tail() {
    if (plan_.leg_pairs > 0 || plan_.insect) return;
    int limbs = 0;
    for (int b = 0; b < count(); ++b) limbs += plan_.limb[b] && body_[b].skin > kNoSkin ? 1 : 0;
    if (limbs > 0 && !body_.fish_words) return;
    const std::vector<int> line = middle_line();
    if (line.size() < 3) return;
    std::size_t first = line.size() - line.size() / 2;
    std::size_t named_joints = 0;
    for (std::size_t k = line.size(); k-- > 0;)
      if (body_[line[k]].name.word != nullptr && body_[line[k]].name.word->part == "tail")
        first = std::min(first, k), ++named_joints;
    if (named_joints > 1) return;  // a tail of its own
    if (named_joints == 1)         // it grows by the rear of the spine
      std::erase_if(candidates_, [&](const PartCandidate& each) { return each.part.bones.front() == line.back(); });
    const bool hangs = named_joints == 0 && !body_.fish_words && hangs_down(line);
    if (hangs)  // a lamp on its chain, a rope: from below its last joint that a clip turns
      for (first = line.size() - 1; first > 1 && body_[line[first - 1]].keyed < kUnkeyed; --first) {
      }
    std::vector<int> bones(line.begin() + static_cast<std::ptrdiff_t>(first), line.end());
    const std::string root = name(bones.front());
    PartCandidate& made = add(std::move(bones), hangs ? "strand" : "tail", "tail", 0.85);
    if (hangs)
      made.reasons_for.push_back("it hangs from " + name(line[first - 1]) + ", and no clip turns it");
    else
      made.reasons_for.push_back("the rear half of a middle line of " + std::to_string(line.size()) + " joints, from " +
                                 root + ", on a body without legs");
    if (body_.fish_words) made.reasons_for.push_back("file or clips speak of fish or swimming");
    trim_ground(made);
  }

  /// A mirrored pair of joints, or of short chains, on a body without legs.
  void fins() {
    if (plan_.leg_pairs > 0 || plan_.insect || !plan_.floating) return;
    for (int b = 0; b < count(); ++b) {
      const int twin = body_[b].twin;
      if (twin < 0 || used(b) || body_[b].skin < kNoSkin || body_[twin].skin < kNoSkin) continue;
      if (body_[b].name.role != Role::none || !plan_.guarded[b].empty() || plan_.on_head[b]) continue;
      std::vector<int> bones;
      for (const int each : below(body_, b))
        if (!body_[each].end_marker) bones.push_back(each);
      const bool plain = std::all_of(bones.begin(), bones.end(), [&](int each) {
        return body_[each].name.role == Role::none && plan_.guarded[each].empty() && !used(each);
      });
      if (!plain || bones.size() > (body_.fish_words ? kFinJoints : 1)) continue;
      const char* const what = bones.size() == 1 ? "a single joint" : "a short chain";
      PartCandidate& made = add(std::move(bones), with_side("fin", b), "ear", 0.7);
      made.reasons_for.push_back(what + std::string(" at the side of a body without legs: a fin"));
    }
  }

  /// Up from a leaf while a joint has one child and no word; not into the body.
  std::vector<int> loose_end(int leaf, bool resting) const {
    std::vector<int> chain;
    for (int b = leaf; b >= 0; b = parent(b)) {
      const auto real = std::count_if(body_[b].children.begin(), body_[b].children.end(),
                                      [&](int c) { return !body_[c].end_marker; });
      const bool torso = std::find(plan_.torso.begin(), plan_.torso.end(), b) != plan_.torso.end();
      if (used(b) || body_[b].end_marker || body_[b].name.role != Role::none || !plan_.guarded[b].empty() || torso ||
          b == plan_.head || real > (b == leaf ? 0 : 1) || (resting && body_[b].keyed > kUnkeyed))
        break;
      chain.insert(chain.begin(), b);
    }
    return chain;
  }

  /// Whether the skin of a joint of an animal on four legs lies behind that of torso and limbs: a stub of a tail.
  bool stands_out_behind(int b, const Vec3& ahead) const {
    if (plan_.leg_pairs < 2 || plan_.insect || body_[b].box.empty()) return false;
    const Vec3 forward = Vec3(ahead.x(), 0, ahead.z()).normalized();
    double rear = std::numeric_limits<double>::infinity();
    for (int other = 0; other < count(); ++other) {
      const bool torso = std::find(plan_.torso.begin(), plan_.torso.end(), other) != plan_.torso.end();
      if (other == b || body_[other].box.empty() || !(torso || plan_.limb[other])) continue;
      rear = std::min(rear, forward.dot(body_[other].box.center()));
    }
    return forward.dot(body_[b].box.center()) < rear - kMiddle * body_.size;
  }

  /// A loose end without a word, on the middle line, away from the head.
  void tails_by_place() {
    if (plan_.head < 0 || plan_.torso.empty()) return;
    Vec3 centre = Vec3::Zero();
    for (const int b : plan_.torso) centre += body_[b].rest / static_cast<double>(plan_.torso.size());
    const Vec3 ahead = body_[plan_.head].rest - centre;
    for (int b = 0; b < count(); ++b) {
      const std::vector<int> chain = loose_end(b, false);
      if (chain.empty() || plan_.on_head[b] || body_[chain.front()].twin >= 0) continue;
      if (chain.size() < 2 && !stands_out_behind(b, ahead)) continue;
      if (body_.off_middle(body_[chain.front()].rest) > kMiddle || skin_of(body_, chain) < kNoSkin) continue;
      const Vec3 behind = body_[b].rest - centre;
      const Vec3 flat_ahead(ahead.x(), 0, ahead.z()), flat_behind(behind.x(), 0, behind.z());
      const bool away = plan_.upright ? behind.y() < 0.5 * ahead.y() : flat_ahead.dot(flat_behind) < 0;
      if (!away) continue;
      PartCandidate& made = add(chain, "tail", "tail", 0.75);
      made.reasons_for.push_back("a chain of " + std::to_string(chain.size()) +
                                 (chain.size() == 1 ? " joint" : " joints") +
                                 " on the middle line that ends away from the head");
    }
  }

  /// Whether a chain rises by more than half of its length.
  bool points_up(const std::vector<int>& chain) const {
    const Vec3 way = body_[chain.back()].rest - body_[chain.front()].rest;
    return way.y() > 0.5 * way.norm();
  }

  /// Chains that no clip turns.
  void unkeyed() {
    if (!body_.has_clips) return;
    int turned = 0;
    for (const BoneFacts& bone : body_.bones) turned += bone.keyed > kUnkeyed ? 1 : 0;
    for (int b = 0; b < count(); ++b) {
      std::vector<int> chain = loose_end(b, true);
      if (chain.size() < 2 || turned < 2 || parent(chain.front()) < 0) continue;
      // A solid piece on a node of its own is one joint, and its node is no second one.
      if (body_.one_bone >= kAllRigid &&
          std::count_if(chain.begin(), chain.end(), [&](int each) { return body_[each].skin > kNoSkin; }) < 2)
        continue;
      const bool on_head = plan_.on_head[b];
      const bool ear = on_head && body_[chain.front()].twin >= 0 && points_up(chain);
      const double skin = skin_of(body_, chain);
      PartCandidate& made = add(chain,
                                with_side(ear       ? "ear"
                                          : on_head ? "hair"
                                                    : "strand",
                                          chain.front()),
                                ear       ? "ear"
                                : on_head ? "hair"
                                          : "tail",
                                0.6);
      if (ear) made.reasons_for.push_back("one of a pair that stands up on the head: an ear");
      made.reasons_for.push_back("no clip turns it, though clips turn " + std::to_string(turned) + " other joints");
      if (on_head) made.reasons_for.push_back("it hangs on the head");
      if (skin < kNoSkin) made.reasons_against.push_back("it holds no skin"), made.score = 0;
      if (on_head && body_.shells > 0.5) made.reasons_against.push_back("the skin is hard shells"), made.score = 0;
      trim_ground(made);
    }
  }

  /// Whatever else ends loose: gentle, if there is nothing better.
  void single_ends() {
    for (int b = 0; b < count(); ++b) {
      const bool leaf =
          std::all_of(body_[b].children.begin(), body_[b].children.end(), [&](int c) { return body_[c].end_marker; });
      if (!leaf || used(b) || body_[b].end_marker || body_[b].skin < kNoSkin || is_part_word(b)) continue;
      std::vector<int> chain = loose_end(b, false);
      if (!chain.empty() && parent(chain.front()) < 0) chain.erase(chain.begin());
      const bool guarded = chain.empty();
      if (guarded) chain.push_back(b);
      const bool torso = std::find(plan_.torso.begin(), plan_.torso.end(), b) != plan_.torso.end();
      if (torso) continue;
      std::string why = plan_.guarded[b];
      if (why.empty() && guarded) why = body_[b].name.role == Role::ribs ? "of the ribs" : "it is the body's own root";
      if (why.empty() && plan_.on_head[b]) why = "of the head";
      if (why.empty() && body_.one_bone >= kAllRigid) why = "a solid piece, and no word says that it would swing";
      if (why.empty() && body_[b].twin >= 0 && plan_.leg_pairs > 0) why = "one of a mirrored pair on a body with legs";
      const std::string part = with_side("end", chain.front());
      PartCandidate& made = add(std::move(chain), part, "tail", why.empty() ? 0.3 : 0);
      if (why.empty())
        made.reasons_for.push_back("a loose end, " + name(b) + ", that no word and no place explains");
      else
        made.reasons_against.push_back(std::move(why));
    }
  }

  const Character& character_;
  const BodyFacts& body_;
  const BodyPlan& plan_;
  std::vector<PartCandidate>& candidates_;
  std::set<int> used_;
};

}  // namespace

Part make_found_part(std::vector<int> bones, std::string name, std::string_view preset) {
  Part part{.name = std::move(name), .preset = std::string(preset), .bones = std::move(bones)};
  part.settings.lag = preset_named(preset).lag;
  part.settings.settle = 0;  // from the preset's damping ratio once the rate is known
  part.found = true;
  return part;
}

void add_chains(const FinderInput& input, std::vector<PartCandidate>& candidates) {
  ChainFinder(input, candidates).run();
}

}  // namespace rigspace
