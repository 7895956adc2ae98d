#include "rigspace/reduce/cubature_quality.h"

#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

CubatureOptions with_quality(CubatureOptions options, double quality) {
  require_option(quality >= 0 && quality <= 1, "quality", quality, "expected 0, coarse and quick, to 1, fine and slow");
  const double finer = 2 * (quality - kDefaultQuality);  // -1 .. 1
  options.tolerance = std::min(0.9, options.tolerance * std::pow(10, -finer));
  const double width = std::pow(2, -finer);
  options.lowest = std::max(std::min(0.8, options.lowest), 1 - width * (1 - options.lowest));
  options.highest = std::min(std::max(1.25, options.highest), 1 + width * (options.highest - 1));
  options.most = static_cast<int>(std::lround(options.most * std::pow(4, finer)));
  return options;
}

}  // namespace rigspace
