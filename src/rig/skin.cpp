#include "skin.h"

#include <cassert>

namespace rigspace {
namespace {

std::vector<int> starts(const SkinDescription& skin) {
  std::vector<int> start{0};
  for (const auto& influences : skin.influences) start.push_back(start.back() + static_cast<int>(influences.size()));
  return start;
}

std::vector<int> joints(const SkinDescription& skin) {
  std::vector<int> joint;
  for (const auto& influences : skin.influences)
    for (const Influence& influence : influences) joint.push_back(influence.joint);
  return joint;
}

template <class T>
std::vector<T> pick(const std::vector<T>& all, const std::vector<int>& which) {
  std::vector<T> some;
  some.reserve(which.size());
  for (const int i : which) some.push_back(all[i]);
  return some;
}

}  // namespace

Skin::Skin(const SkinDescription& skin)
    : Deformer(skin.first_point, skin.joint_slots, std::vector<int>(skin.joint_slots.size(), kTransformSlot),
               starts(skin), joints(skin)),
      inverse_bind_(skin.inverse_bind) {
  assert(skin.inverse_bind.size() == skin.joint_slots.size());
  for (const auto& influences : skin.influences)
    for (const Influence& influence : influences) {
      assert(influence.joint >= 0 && influence.joint < joint_count());
      weights_.push_back(influence.weight);
    }
}

Skin::Skin(const Skin& whole, const Selection& selection, int new_first)
    : Deformer(new_first, whole.slots_, whole.slot_sizes_, selection.entry_start,
               pick(whole.entry_slot_, selection.entries)),
      inverse_bind_(whole.inverse_bind_),
      weights_(pick(whole.weights_, selection.entries)) {}

const SkinDescription* skin_description(const Deformer& deformer) {
  const auto* skin = dynamic_cast<const Skin*>(&deformer);
  return skin != nullptr ? skin->description() : nullptr;
}

}  // namespace rigspace
