// The soft torso: which bodies have one, and which stay firm.

#include "part_chains.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigspace {
namespace {

constexpr double kShells = 0.5;       // of the surface: that much in separate rigid pieces is hard
constexpr double kRigidBody = 0.9;    // of the surface: that much on one bone alone is hard
constexpr double kCovered = 0.3;      // of the torso: more in pieces of cloth or plate is covered
constexpr double kSquash = 0.1;       // a solid that clips scale that much more in height than in width is soft
constexpr double kSmallTorso = 0.03;  // of the surface
constexpr double kRound = 0.30;       // of the height: an upright body that thick has a belly

/// Whether the character, or a mesh or material of it, is called after something that is all jelly.
bool names_jelly(const Character& character) {
  static constexpr std::string_view kWords[] = {"slime", "jelly", "blob", "pudding", "gelatin", "ooze", "schleim"};
  const auto says = [](std::string_view name) {
    return std::any_of(std::begin(kWords), std::end(kWords),
                       [&](std::string_view word) { return has_word(name, word); });
  };
  return says(character.name) ||
         std::any_of(character.pieces.begin(), character.pieces.end(),
                     [&](const Piece& piece) { return says(piece.name); }) ||
         std::any_of(character.materials.begin(), character.materials.end(),
                     [&](const SurfaceMaterial& material) { return says(material.name); });
}

/// One joint that holds everything, and that clips squash and stretch, or whose name says it: a slime, a bouncing ball
/// of jelly.
void add_blob(const FinderInput& input, std::vector<PartCandidate>& candidates) {
  const BodyFacts& body = input.body;
  const bool named = names_jelly(input.character);
  for (int b = 0; b < static_cast<int>(body.bones.size()); ++b) {
    if (body[b].skin < kRigidBody || (body[b].squash < kSquash && !named)) continue;
    std::erase_if(candidates,
                  [&](const PartCandidate& each) { return each.score == 0 && each.part.bones.front() == b; });
    PartCandidate made{.part = make_found_part({b}, "jelly", "jelly"), .score = 0.65};
    made.reasons_for.push_back(
        body[b].squash < kSquash
            ? std::string("one piece, called after what is all jelly")
            : fmt::format("one piece that clips squash and stretch, by {:.0f} %", 100 * body[b].squash));
    candidates.push_back(std::move(made));
  }
}

}  // namespace

void add_torso(const FinderInput& input, std::vector<PartCandidate>& candidates) {
  const BodyFacts& body = input.body;
  const BodyPlan& plan = input.plan;
  if (plan.torso.empty()) return add_blob(input, candidates);
  std::vector<int> bones;
  for (const int b : plan.torso)
    if (std::none_of(candidates.begin(), candidates.end(), [&](const PartCandidate& each) {
          return each.score > 0.5 &&
                 std::find(each.part.bones.begin(), each.part.bones.end(), b) != each.part.bones.end();
        }))
      bones.push_back(b);
  if (bones.empty()) return;
  const double skin = skin_of(body, bones);
  const bool named = std::any_of(bones.begin(), bones.end(), [&](int b) { return body[b].name.role == Role::belly; });
  const bool tail = std::any_of(candidates.begin(), candidates.end(), [](const PartCandidate& each) {
    return each.score > 0.5 && each.part.name.starts_with("tail");
  });
  PartCandidate made{.part = make_found_part(std::move(bones), "belly", "belly")};
  const auto in_favour = [&](std::string why) { made.reasons_for.push_back(std::move(why)); };
  const auto against = [&](std::string why) { made.reasons_against.push_back(std::move(why)); };
  // Hard or clothed.
  if (body.shells > kShells) against(fmt::format("{:.0f} % of the skin are separate hard shells", 100 * body.shells));
  if (body.one_bone > kRigidBody)
    against(fmt::format("{:.0f} % of the skin follow one bone each", 100 * body.one_bone));
  double cloth = 0, plate = 0;
  for (const int b : made.part.bones) cloth += body[b].cloth * body[b].skin, plate += body[b].plate * body[b].skin;
  const bool winged = std::any_of(body.bones.begin(), body.bones.end(), [](const BoneFacts& bone) {
    return bone.name.role == Role::wing && bone.name.word->part == "wing" && bone.skin > 0;
  });
  const bool round = plan.leg_pairs == 1 && plan.roundness > kRound && !winged;  // a bird is round, and firm
  if (body.hard_words && plan.leg_pairs <= 1) against("the file's name speaks of armour or machines");
  if (plate > kCovered * skin) against("names of meshes or materials on it speak of armour or machines");
  if (cloth > (round ? 0.8 : kCovered) * skin) against("names of meshes or materials on it speak of clothes");
  if (plan.person && !round) against("a person, and people are dressed");
  if (plan.insect) against("insects and spiders have a hard coat");
  if (skin < kSmallTorso) against(fmt::format("it holds {:.1f} % of the skin", 100 * skin));
  const bool firm = !made.reasons_against.empty();
  // Soft.
  if (named) in_favour("a joint is called belly");
  if (plan.leg_pairs >= 2 && !plan.insect) in_favour("a body on four legs hangs between them");
  if (plan.leg_pairs == 1 && tail && !plan.person && !winged) in_favour("an animal, by its tail, on two legs");
  if (round) in_favour(fmt::format("round: {:.0f} % of the height thick", 100 * plan.roundness));
  made.score = firm ? 0 : made.reasons_for.empty() ? 0.4 : 0.65;
  if (made.score == 0.4) {
    if (plan.leg_pairs == 0 && !plan.floating) against("a body without legs lies on the ground and would slide");
    if (plan.leg_pairs == 0 && plan.floating) against("fish are firm");
    if (plan.leg_pairs == 0) made.score = plan.floating ? 0 : 0.2;
    if (plan.leg_pairs == 1 && winged)
      against("it has wings, and a body that flies is firm");
    else if (plan.leg_pairs == 1)
      against(fmt::format("slim: {:.0f} % of the height thick, and nothing says flesh", 100 * plan.roundness));
  }
  candidates.push_back(std::move(made));
}

}  // namespace rigspace
