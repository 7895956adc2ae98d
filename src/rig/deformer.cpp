#include "rigspace/rig/deformer.h"

namespace rigspace {

Deformer::Deformer(int first, std::vector<int> slots, std::vector<int> slot_sizes, std::vector<int> entry_start,
                   std::vector<int> entry_slot)
    : first_(first),
      slots_(std::move(slots)),
      slot_sizes_(std::move(slot_sizes)),
      entry_start_(std::move(entry_start)),
      entry_slot_(std::move(entry_slot)) {
  slot_offset_.push_back(0);
  for (const int size : slot_sizes_) slot_offset_.push_back(slot_offset_.back() + size);
}

Deformer::Selection Deformer::select(std::span<const int> points) const {
  Selection selection{{0}, {}};
  for (const int k : points) {
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) selection.entries.push_back(e);
    selection.entry_start.push_back(static_cast<int>(selection.entries.size()));
  }
  return selection;
}

}  // namespace rigspace
