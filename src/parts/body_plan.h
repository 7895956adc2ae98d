#pragma once
// Private to parts: what a character is, as far as its parts are concerned: legs, head, torso.

#include "body_facts.h"

namespace rigspace {

struct BodyPlan {
  std::vector<std::string> guarded;  ///< per bone: why it never moves by default; empty if it may
  std::vector<char> limb;            ///< per bone: of an arm or a leg
  std::vector<char> on_head;         ///< per bone: the head, or below it
  int head = -1;
  bool head_named = false;
  std::vector<int> torso;  ///< bones that hold the body together, parents first
  int leg_pairs = 0;
  bool upright = false;   ///< the head stands above the torso
  bool person = false;    ///< upright, with fingers or a face of joints: people are dressed
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

/// A bone and all that hang on it, parents first.
std::vector<int> below(const BodyFacts& body, int root);
/// Skin that hangs on some bones, of all.
double skin_of(const BodyFacts& body, std::span<const int> bones);

}  // namespace rigspace
