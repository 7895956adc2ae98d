#include "markers.h"

#include "rigspace/parts/reference_pose.h"

namespace rigspace {

Marker read_marker(const std::string& feature) {
  const std::size_t n = feature.size();
  if (n < 3 || feature[n - 2] != '|') return {feature};
  const std::size_t axis = std::string("xyz").find(feature[n - 1]);
  if (axis == std::string::npos) return {feature};
  return {feature.substr(0, n - 2), Vec3::Unit(static_cast<int>(axis))};
}

double marker_length(const Character& character) {
  const std::vector<Affine> world = bone_transforms(character, character.rig->rest());
  Vec3 low = translation(world.front()), high = low;
  for (const Affine& each : world) low = low.cwiseMin(translation(each)), high = high.cwiseMax(translation(each));
  return 0.1 * (high - low).norm();
}

}  // namespace rigspace
