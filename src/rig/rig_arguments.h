#pragma once
// Private to rig: wrong arguments of a caller throw Error, in every build. One comparison a control is nothing beside
// an evaluation.

#include "rigspace/base/error.h"
#include "rigspace/base/types.h"

#include <cstddef>
#include <span>
#include <string>

namespace rigspace {

/// Throws Error unless p has one number for each of `controls` controls.
inline void require_pose(In p, std::size_t controls) {
  if (p.size() == static_cast<Eigen::Index>(controls)) return;
  throw Error({.code = ErrorCode::usage,
               .element = "pose",
               .value = std::to_string(p.size()),
               .problem = "has " + std::to_string(p.size()) + " numbers",
               .remedy = "the rig has " + std::to_string(controls) + " controls; begin with rest()"});
}

/// Throws Error unless all of these are controls.
inline void require_controls(std::span<const int> free, std::size_t controls) {
  for (const int c : free)
    if (c < 0 || c >= static_cast<int>(controls))
      throw Error({.code = ErrorCode::usage,
                   .element = "control " + std::to_string(c),
                   .value = std::to_string(c),
                   .problem = "does not exist",
                   .remedy = c == -1 ? std::string("find() gives -1 for a name that no control has")
                                     : "there are " + std::to_string(controls) + ", counted from 0"});
}

/// Throws Error unless g has three numbers for each of `points` points.
inline void require_forces(In g, int points) {
  if (g.size() == 3 * static_cast<Eigen::Index>(points)) return;
  throw Error({.code = ErrorCode::usage,
               .element = "vector on the points",
               .value = std::to_string(g.size()),
               .problem = "has " + std::to_string(g.size()) + " numbers",
               .remedy = "the rig has " + std::to_string(points) + " points, three numbers each"});
}

}  // namespace rigspace
