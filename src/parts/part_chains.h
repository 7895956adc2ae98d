#pragma once
// Private to parts: candidates for parts, with the evidence for and against each.

#include "body_plan.h"

#include "rigspace/parts/part_finder.h"

namespace rigspace {

/// The input of all finders of candidates.
struct FinderInput {
  const Character& character;
  const BodyFacts& body;
  const BodyPlan& plan;
};

/// A part with its preset's settings. The caller makes the name unique.
Part make_found_part(std::vector<int> bones, std::string name, std::string_view preset);

/// Chains that a word names, the rear of fish, pairs of fins, tails by their place, chains that no clip turns. May
/// overlap: earlier ones are better.
void add_chains(const FinderInput& input, std::vector<PartCandidate>& candidates);

/// The soft torso, or why it is firm: at most one.
void add_torso(const FinderInput& input, std::vector<PartCandidate>& candidates);

}  // namespace rigspace
