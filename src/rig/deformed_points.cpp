#include "rigspace/rig/deformed_points.h"

#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <cmath>

namespace rigspace {

void DeformedPoints::validate(std::string_view deformer) const {
  const std::string what(deformer);
  require_option(first >= 0, what + "'s first point", first, "number points from 0");
  require_option(count >= 0, what + "'s number of points", count, "give 0 or more");
  require_option(weights.empty() || weights.size() == static_cast<std::size_t>(count), what + "'s number of weights",
                 static_cast<double>(weights.size()), "give one per point, " + std::to_string(count) + ", or none");
  for (const double weight : weights)
    require_option(std::isfinite(weight), what + "'s weight", weight, "weights are finite numbers");
  require_option(rest.size() == 0 || rest.size() == 3 * count, what + "'s number of rest coordinates",
                 static_cast<double>(rest.size()), "give three per point, " + std::to_string(3 * count) + ", or none");
  require_option(drift >= 0, what + "'s drift", drift, "give a length of 0 or more");
}

}  // namespace rigspace
