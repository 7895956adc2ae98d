#include "skin.h"

#include <algorithm>
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

/// The joints of some entries, ascending.
std::vector<int> joints_of(std::vector<int> joint) {
  std::sort(joint.begin(), joint.end());
  joint.erase(std::unique(joint.begin(), joint.end()), joint.end());
  return joint;
}

/// Each value's place in an ascending list.
std::vector<int> places(std::vector<int> values, const std::vector<int>& list) {
  for (int& value : values) value = static_cast<int>(std::lower_bound(list.begin(), list.end(), value) - list.begin());
  return values;
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
    : Skin(whole, selection, new_first, joints_of(pick(whole.entry_slot_, selection.entries))) {}

Skin::Skin(const Skin& whole, const Selection& selection, int new_first, const std::vector<int>& joints)
    : Deformer(new_first, pick(whole.slots_, joints), pick(whole.slot_sizes_, joints), selection.entry_start,
               places(pick(whole.entry_slot_, selection.entries), joints)),
      inverse_bind_(pick(whole.inverse_bind_, joints)),
      weights_(pick(whole.weights_, selection.entries)) {}

const SkinDescription* skin_description(const Deformer& deformer) {
  const auto* skin = dynamic_cast<const Skin*>(&deformer);
  return skin != nullptr ? skin->description() : nullptr;
}

}  // namespace rigspace
