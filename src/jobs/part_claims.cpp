#include "rigspace/jobs/part_claims.h"

namespace rigspace {
namespace {

std::vector<PartClaim>& claims() {
  static std::vector<PartClaim> registered;
  return registered;
}

}  // namespace

void register_part_claim(PartClaim claim) {
  std::erase_if(claims(), [&](const PartClaim& known) { return known.application == claim.application; });
  claims().push_back(std::move(claim));
}

std::vector<std::string> part_offers(const Character& character, std::span<const Part> parts, const std::string& file) {
  std::vector<std::string> offers;
  for (const Part& part : parts)
    for (const PartClaim& claim : claims())
      if (std::string offer = claim.offer(character, part, file); !offer.empty()) offers.push_back(std::move(offer));
  return offers;
}

}  // namespace rigspace
