#include "rigspace/cast/cast.h"

#include "members.h"
#include "rigspace/base/error.h"

#include <algorithm>
#include <array>
#include <string>

namespace rigspace {
namespace {

struct Entry {
  CastMember member;
  RiggedCharacter (*make)(Version);
};

// Without the abstractions.
template <CastSketch (*make)(Version)>
RiggedCharacter plain(Version version) {
  return make(version);
}

template <int part>
RiggedCharacter dragon_part(Version version) {
  return make_dragon_part(part, version);
}

constexpr std::array kEntries{
    Entry{{"bobbin", "a plump little dragon with a round belly, floppy ears and a tail; walks, hops and idles", 0},
          make_bobbin},
    Entry{{"peanut", "an elephant on two legs with a round belly, big ears and a trunk; walks, dances and works out",
           0.0622},
          make_peanut},
    Entry{{"flower", "a sunflower in a pot, with leaves and soft petals; the pot is pushed about", 0.036}, make_flower},
    Entry{{"sphere", "a ball that scales and travels; bounces", 0.04}, make_sphere},
    Entry{{"bar", "a rubber bar bent by four modes of its joints; swings", 0.053}, make_bar},
    Entry{{"sumo", "a sumo wrestler, soft all over; stomps and shakes his head", 0.086}, make_sumo},
    Entry{{"squirrel", "a squirrel that squashes, with front teeth close to its chest; nods, sways and plays", 0},
          make_squirrel},
    Entry{{"toon", "a cartoon man with limits on his joints and a build to choose; walks and runs", 0},
          plain<make_toon>},
    Entry{{"elephant", "peanut's body on joints alone, to be drawn over; walks, dances and works out", 0},
          make_elephant},
    Entry{{"hound", "a dog with 642 controls in groups; walks, trots, gallops, sits, stretches, shakes, jumps and begs",
           0},
          make_hound},
    Entry{{"mannequin", "a plain figure to dress; twists, bends, leans, raises its arms and turns a cartwheel", 0},
          make_mannequin},
    Entry{{"arm", "a slender arm with a biceps that can be flexed; curls", 0}, make_arm},
    Entry{{"stout_arm", "a short, fat arm with a biceps that can be flexed; curls", 0}, make_stout_arm},
    Entry{{"torso", "a lean torso with arms, chest and biceps that can be tensed; flexes and hops", 0}, make_torso},
    Entry{{"stout_torso", "a round torso with short arms, chest and biceps that can be tensed; flexes and hops", 0},
          make_stout_torso},
    Entry{{"head", "a head on its neck, to make faces on with force templates; nods", 0}, make_head},
    Entry{{"face", "a face of soft shapes, bones, bend and twist; looks around", 0}, plain<make_face>},
    Entry{{"dragon", "a dragon of six parts with 25 controls; flies and walks", 0}, plain<make_dragon>},
    Entry{{"dragon_torso", "a dragon's torso, to be posed and shaped by itself; breathes", 0}, dragon_part<0>},
    Entry{{"dragon_wings", "a dragon's wings; they flap", 0}, dragon_part<1>},
    Entry{{"dragon_head", "a dragon's head and neck; it nods", 0}, dragon_part<2>},
    Entry{{"dragon_tail", "a dragon's tail; it wags", 0}, dragon_part<3>},
    Entry{{"dragon_front_legs", "a dragon's front legs; they step", 0}, dragon_part<4>},
    Entry{{"dragon_hind_legs", "a dragon's hind legs; they step", 0}, dragon_part<5>},
};

constexpr auto kMembers = [] {
  std::array<CastMember, kEntries.size()> members{};
  for (std::size_t k = 0; k < members.size(); ++k) members[k] = kEntries[k].member;
  return members;
}();

const Entry& member(std::string_view name) {
  std::string names;
  for (const Entry& entry : kEntries) {
    if (entry.member.name == name) return entry;
    names += (names.empty() ? "" : ", ") + std::string(entry.member.name);
  }
  throw Error({.code = ErrorCode::usage,
               .element = "character \"" + std::string(name) + "\"",
               .value = std::string(name),
               .problem = "is not in the cast",
               .remedy = "choose from: " + names});
}

}  // namespace

std::span<const CastMember> cast() { return kMembers; }

Character make_character(std::string_view name, Version version) { return member(name).make(version).character; }

RiggedCharacter make_rigged_character(std::string_view name) { return member(name).make(Version::rig); }

const Piece* proxy_of(const Character& character) {
  const auto found = std::find_if(character.pieces.begin(), character.pieces.end(),
                                  [](const Piece& piece) { return piece.name == "proxy"; });
  return found == character.pieces.end() ? nullptr : &*found;
}

}  // namespace rigspace
