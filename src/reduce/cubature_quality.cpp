#include "rigspace/reduce/cubature_quality.h"

#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

CubatureSetting with_quality(CubatureSetting setting, double quality) {
  require_option(quality >= 0 && quality <= 1, "quality", quality, "expected 0, coarse and quick, to 1, fine and slow");
  const double finer = 2 * (quality - kDefaultQuality);  // -1 .. 1
  setting.tolerance = std::min(0.9, setting.tolerance * std::pow(10, -finer));
  const double width = std::pow(2, -finer);
  setting.lowest = std::max(std::min(0.8, setting.lowest), 1 - width * (1 - setting.lowest));
  setting.highest = std::min(std::max(1.25, setting.highest), 1 + width * (setting.highest - 1));
  setting.most = static_cast<int>(std::lround(setting.most * std::pow(4, finer)));
  return setting;
}

int shapes_with_quality(double quality) {
  constexpr double kShapes = 24;  // at 1
  return static_cast<int>(std::ceil(std::max(0.0, 2 * kShapes * (quality - kDefaultQuality)) - 1e-9));
}

}  // namespace rigspace
