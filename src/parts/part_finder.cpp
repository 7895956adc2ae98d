#include "rigspace/parts/part_finder.h"

#include "part_chains.h"
#include "rigspace/parts/scenery.h"
#include "rigspace/parts/sheet.h"

#include <algorithm>
#include <map>
#include <set>

namespace rigspace {
namespace {

constexpr std::size_t kMostParts = 6;    // a family of chains counts as two of them
constexpr std::size_t kMostChains = 24;  // all in all
constexpr std::size_t kFamily = 3;       // chains of one word, and more
constexpr double kObvious = 0.5;         // of a score
constexpr double kGentle = 0.5;          // the amount where nothing obvious was found

/// Mirror images are judged together: the worse score counts for both.
void pair_up(const BodyFacts& body, std::vector<PartCandidate>& candidates) {
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const int twin = body[candidates[k].part.bones.front()].twin;
    const bool single = !candidates[k].part.points.empty() || preset_named(candidates[k].part.preset).flesh;
    if (twin < 0 || single) continue;
    for (std::size_t other = k + 1; other < candidates.size(); ++other) {
      PartCandidate &a = candidates[k], &b = candidates[other];
      if (b.part.bones.front() != twin || !b.part.points.empty()) continue;
      a.twin = static_cast<int>(other), b.twin = static_cast<int>(k);
      if ((a.score > kObvious) != (b.score > kObvious))
        (a.score > b.score ? a : b).reasons_against.push_back("its mirror image may not move");
      a.score = b.score = std::min(a.score, b.score);
      if (a.score > 0)
        for (PartCandidate* each : {&a, &b}) each->reasons_for.push_back("one of a mirrored pair");
    }
  }
}

/// Capes, sashes and hair without joints of their own. A character whose cape moves keeps its torso firm: a belly that
/// moves under a cape is hardly seen.
void add_sheets(const Character& character, std::vector<PartCandidate>& candidates) {
  constexpr double kCertain = 0.9;
  for (const Sheet& sheet : sheet_candidates(character)) {
    PartCandidate candidate{.part = sheet_part(sheet), .score = sheet.accepted() ? kCertain : 0};
    candidate.part.found = true;
    candidate.reasons_for = sheet.reasons, candidate.reasons_against = sheet.against;
    candidates.push_back(std::move(candidate));
  }
}

/// Garments without those on joints of their own (panels of a skirt, strands of hair) and those that are sheets.
std::vector<Drape> drapes_without_joints(const Character& character, const std::vector<PartCandidate>& candidates) {
  std::vector<Drape> drapes = find_drapes(character);
  const auto holds = [&](const PartCandidate& each, const std::string& name) {
    return std::any_of(character.pieces.begin(), character.pieces.end(), [&](const Piece& piece) {
      const int first = each.part.points.front() - piece.first_point;
      return piece.name == name && first >= 0 && first < piece.point_count;
    });
  };
  std::erase_if(drapes, [&](const Drape& drape) {
    return std::any_of(candidates.begin(), candidates.end(), [&](const PartCandidate& each) {
      return !each.part.points.empty() && each.score > kObvious && holds(each, drape.piece);
    });
  });
  std::erase_if(drapes, [&](const Drape& drape) {
    return std::any_of(candidates.begin(), candidates.end(), [&](const PartCandidate& each) {
      const bool chain = each.part.points.empty() && !preset_named(each.part.preset).flesh && each.score > kObvious;
      return chain && std::any_of(drape.bones.begin(), drape.bones.end(), [&](int bone) {
               return std::find(each.part.bones.begin(), each.part.bones.end(), bone) != each.part.bones.end();
             });
    });
  });
  return drapes;
}

void keep_torso_firm_under_sheets(std::vector<PartCandidate>& candidates, const std::vector<Drape>& drapes) {
  const auto is_sheet = [](const PartCandidate& each) { return !each.part.points.empty() && each.score > kObvious; };
  if (drapes.empty() && std::none_of(candidates.begin(), candidates.end(), is_sheet)) return;
  for (PartCandidate& each : candidates)
    if (preset_named(each.part.preset).flesh && each.score > 0)
      each.score = 0, each.reasons_against.push_back("a sheet hangs there, and that is what moves");
}

/// Names are unique among all candidates: ear_l, hair, hair_2.
void make_names_unique(std::vector<PartCandidate>& candidates) {
  std::set<std::string> names;
  for (PartCandidate& each : candidates) {
    const std::string stem = each.part.name;
    for (int k = 2; !names.insert(each.part.name).second; ++k) each.part.name = stem + "_" + std::to_string(k);
  }
}

/// Larger before smaller among equals: of thirty strands of hair those that are seen.
void sort_by_score(const BodyFacts& body, std::vector<PartCandidate>& candidates) {
  std::vector<int> order(candidates.size()), place(candidates.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  const auto key = [&](int k) {
    const PartCandidate& each = candidates[static_cast<std::size_t>(k)];
    const double twin = each.twin < 0 ? 0 : skin_of(body, candidates[static_cast<std::size_t>(each.twin)].part.bones);
    return std::pair(each.score, skin_of(body, each.part.bones) + twin);
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) > key(b); });
  for (std::size_t k = 0; k < order.size(); ++k) place[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  std::vector<PartCandidate> sorted;
  for (const int k : order) {
    sorted.push_back(std::move(candidates[static_cast<std::size_t>(k)]));
    if (sorted.back().twin >= 0) sorted.back().twin = place[static_cast<std::size_t>(sorted.back().twin)];
  }
  candidates = std::move(sorted);
}

/// Per candidate the word that it shares with others, empty where fewer than three do: tentacles, the panels of a
/// skirt, strands of hair. They move all together: two dead tentacles of eight are seen before the six that swing. To
/// be called before names are made unique.
std::vector<std::string> families_of(const std::vector<PartCandidate>& candidates) {
  std::vector<std::string> families;
  std::map<std::string, std::size_t> members;
  for (const PartCandidate& each : candidates) {
    std::string word = each.part.name;
    if (word.ends_with("_l") || word.ends_with("_r")) word.resize(word.size() - 2);
    const bool chain = each.part.points.empty() && !preset_named(each.part.preset).flesh && each.score > kObvious;
    families.push_back(chain ? word : "");
    if (chain) ++members[word];
  }
  for (std::string& each : families)
    if (members[each] < kFamily) each.clear();
  return families;
}

class Choice {
 public:
  Choice(std::vector<PartCandidate>& candidates, std::vector<std::string> families)
      : candidates_(candidates), families_(std::move(families)) {}

  /// The candidate, and its mirror image with it. False if there is no room, or a joint is taken.
  bool take(std::size_t k) {
    std::vector<std::size_t> both{k};
    if (candidates_[k].twin >= 0) both.push_back(static_cast<std::size_t>(candidates_[k].twin));
    for (const std::size_t each : both)
      for (const int bone : candidates_[each].part.bones)
        if (taken_.contains(bone))
          return candidates_[k].reasons_against.push_back("a better part has its joints"), false;
    const std::string& family = families_[k];
    const std::size_t room = family.empty() ? both.size() : taken_families_.contains(family) ? 0 : 2;
    if (count_ + room > kMostParts)
      return candidates_[k].reasons_against.push_back("there are six parts already"), false;
    if (chains_ + both.size() > kMostChains)
      return candidates_[k].reasons_against.push_back("there are 24 chains already"), false;
    count_ += room, chains_ += both.size();
    if (!family.empty()) taken_families_.insert(family);
    for (const std::size_t each : both) {
      candidates_[each].chosen = true;
      if (!candidates_[each].part.points.empty()) continue;  // it follows its bone and leaves that to others
      taken_.insert(candidates_[each].part.bones.begin(), candidates_[each].part.bones.end());
    }
    return true;
  }
  std::size_t count() const { return count_; }

 private:
  std::vector<PartCandidate>& candidates_;
  std::vector<std::string> families_;
  std::set<int> taken_;
  std::set<std::string> taken_families_;
  std::size_t count_ = 0, chains_ = 0;
};

/// "called Tail1, a word for tail; keyed, but only as far as a tail trails".
std::string sentence_of(const std::vector<std::string>& reasons) {
  std::string text;
  for (const std::string& each : reasons) text += (text.empty() ? "" : "; ") + each;
  return text;
}

std::string remark_without_parts(const Character& character, const PartSearch& search, const BodyFacts& body) {
  if (!body.has_skin)
    return search.movable ? "no part moves by itself: there are morphs alone, and no joints with skin"
                          : "no part moves by itself: there are no joints with skin";
  int joints = 0;
  std::string joint;
  for (std::size_t b = 0; b < body.bones.size(); ++b)
    if (body.bones[b].skin > 0) ++joints, joint = character.bones[b].name;
  if (joints == 1) return "no part moves by itself: all of it follows " + joint + ", in one piece";
  for (const PartCandidate& each : search.candidates)
    if (each.part.name == "belly" && !each.reasons_against.empty())
      return "no part moves by itself: limbs, head and face are the animator's, and the torso is firm (" +
             each.reasons_against.front() + ")";
  return "no part moves by itself: all that ends loose is a limb, a head, a face or hard";
}

}  // namespace

namespace {

PartSearch search_without_scenery(const Character& character) {
  const BodyFacts body = measure_body(character);
  const BodyPlan plan = plan_of(character, body);
  PartSearch search{.body = plan.in_words()};
  for (const BoneFacts& bone : body.bones) search.movable |= bone.skin > 0;
  for (const Control& control : character.rig->controls())
    search.movable |= control.unit == Unit::scalar && control.name.find(':') != std::string::npos;
  std::vector<PartCandidate>& candidates = search.candidates;
  const FinderInput input{character, body, plan};
  add_chains(input, candidates);
  add_sheets(character, candidates);
  add_torso(input, candidates);
  const std::vector<Drape> drapes = drapes_without_joints(character, candidates);
  keep_torso_firm_under_sheets(candidates, drapes);
  pair_up(body, candidates);
  sort_by_score(body, candidates);
  std::vector<std::string> families = families_of(candidates);
  make_names_unique(candidates);

  Choice choice(candidates, std::move(families));
  for (std::size_t k = 0; k < candidates.size(); ++k)
    if (candidates[k].score > kObvious && !candidates[k].chosen) choice.take(k);
  if (choice.count() == 0) {  // gentle motion on the best that is left
    for (std::size_t k = 0; k < candidates.size() && choice.count() == 0; ++k)
      if (candidates[k].score > 0) choice.take(k);
    for (PartCandidate& each : candidates) {
      if (!each.chosen) continue;
      each.part.settings.amount = kGentle;
      each.reasons_for.push_back(preset_named(each.part.preset).flesh
                                     ? "the largest soft mass, gently, since nothing obvious was found"
                                     : "the best that is left, gently, since nothing obvious was found");
      search.remark = "nothing obvious moves by itself here, so " + each.part.name +
                      " moves gently, at half the amount; --part names another";
    }
  }
  if (choice.count() == 0) search.remark = remark_without_parts(character, search, body);
  for (const Drape& drape : drapes)
    search.remark += (search.remark.empty() ? "" : "; ") + sentence_of(character, drape);
  for (PartCandidate& each : candidates)
    if (each.chosen) each.part.reason = sentence_of(each.reasons_for);
  std::stable_partition(candidates.begin(), candidates.end(), [](const PartCandidate& each) { return each.chosen; });
  for (PartCandidate& each : candidates) each.twin = -1;  // indices have moved
  for (std::size_t a = 0; a < candidates.size(); ++a)
    for (std::size_t b = 0; b < candidates.size(); ++b)
      if (body[candidates[a].part.bones.front()].twin == candidates[b].part.bones.front() && a != b)
        candidates[a].twin = static_cast<int>(b);
  return search;
}

}  // namespace

PartSearch find_part_candidates(const Character& character) {
  return scenery_of(character).empty() ? search_without_scenery(character)
                                       : search_without_scenery(without_scenery(character));
}

std::vector<Part> find_parts(const Character& character) {
  std::vector<Part> parts;
  for (PartCandidate& each : find_part_candidates(character).candidates)
    if (each.chosen) parts.push_back(std::move(each.part));
  return parts;
}

std::string part_pattern(const Character& character, const Part& part) {
  if (!part.points.empty()) {  // by the mesh that holds it
    for (const Piece& piece : character.pieces)
      if (part.points.front() >= piece.first_point && part.points.front() < piece.first_point + piece.point_count)
        return piece.name + "=" + part.preset;
  }
  // A pattern with * where it meets these joints and no others; else their names.
  const auto escaped = [](std::string name) {
    for (char& c : name)
      if (c == ',' || c == '=') c = '?';
    return name;
  };
  std::string prefix = character.bones[static_cast<std::size_t>(part.bones.front())].name, suffix = prefix;
  std::size_t shortest = prefix.size();
  for (const int b : part.bones) {
    const std::string& name = character.bones[static_cast<std::size_t>(b)].name;
    std::size_t head = 0, tail = 0;
    while (head < std::min(prefix.size(), name.size()) && prefix[head] == name[head]) ++head;
    while (tail < std::min(suffix.size(), name.size()) &&
           suffix.rbegin()[static_cast<std::ptrdiff_t>(tail)] == name.rbegin()[static_cast<std::ptrdiff_t>(tail)])
      ++tail;
    prefix.resize(head), suffix.erase(0, suffix.size() - tail);
    shortest = std::min(shortest, name.size());
  }
  if (prefix.size() + suffix.size() > shortest) suffix.clear();
  const std::set<int> mine(part.bones.begin(), part.bones.end());
  const std::string short_one = escaped(prefix) + "*" + escaped(suffix);
  bool exact = part.bones.size() > 1 && prefix.size() > 1;
  std::string list;
  for (std::size_t b = 0; b < character.bones.size(); ++b) {
    const bool in = mine.contains(static_cast<int>(b));
    exact &= matches_pattern(character.bones[b].name, short_one) == in || is_end_marker(character.bones[b].name);
    if (in) list += (list.empty() ? "" : ",") + escaped(character.bones[b].name);
  }
  return (exact ? short_one : list) + "=" + part.preset;
}

}  // namespace rigspace
