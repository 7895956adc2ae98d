#pragma once
// Private to parts: chains that could move by themselves, with the evidence for and against each.

#include "body_plan.h"

#include "rigspace/parts/part_finder.h"

namespace rigspace {

/// What all kinds of candidates are made from.
struct PartSight {
  const Character& character;
  const BodyFacts& body;
  const BodyPlan& plan;
};

/// A part with its preset's settings. The name is made unique by who chooses.
Part make_found_part(std::vector<int> bones, std::string name, std::string_view preset);

/// Chains that a word names, the rear of fish, pairs of fins, tails by their place, chains that no clip turns. May
/// overlap: earlier ones are better.
void add_chains(const PartSight& sight, std::vector<PartCandidate>& candidates);

/// The soft torso, or why it is firm: at most one.
void add_torso(const PartSight& sight, std::vector<PartCandidate>& candidates);

}  // namespace rigspace
