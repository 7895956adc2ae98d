#pragma once
// Private to parts: legs, head and torso of a character, and its kind.

#include "body_facts.h"

namespace rigspace {

struct BodyPlan {
  std::vector<std::string> guarded;  ///< per bone: why it never moves by default; empty if it may
  std::vector<char> limb;            ///< per bone: of an arm or a leg
  std::vector<char> on_head;         ///< per bone: the head, or below it
  /// Whole chains around one joint that hang from it alike: arms of an octopus, threads of a jellyfish.
  std::vector<std::vector<int>> tentacles;
  std::vector<char> tentacle;  ///< per bone: of one of them
  int head = -1;
  bool head_named = false;
  std::vector<int> torso;  ///< bones of pelvis, spine and chest, parents first
  int leg_pairs = 0;
  bool upright = false;   ///< the head stands above the torso
  bool person = false;    ///< upright, with fingers or joints in the face: taken to wear clothes
  bool insect = false;    ///< three pairs of legs and more, or a thorax with an abdomen
  bool floating = false;  ///< swims or flies: the lowest point is no floor
  bool solid = false;     ///< a thing of solid pieces without limbs by name: a vehicle
  double roundness = 0;   ///< width or depth of the torso's skin, the smaller, of the height

  std::string in_words() const;  ///< "a body on four legs"
};

BodyPlan plan_of(const Character& character, const BodyFacts& body);

/// Whether the lowest point of a body is where files put their floor: within 6 % of the height of y = 0. Of what lies
/// flat, as a snake does, within 6 % of a quarter of its size.
bool is_near_floor(double low, double height, double size);

/// A bone and all its descendants, parents first.
std::vector<int> below(const BodyFacts& body, int root);
/// Share of the surface with weight on these bones.
double skin_of(const BodyFacts& body, std::span<const int> bones);

}  // namespace rigspace
