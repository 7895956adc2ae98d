#pragma once
// Pictures of poses with red balls where points are pulled to.

#include "command.h"

#include "rigspace/render/sheet.h"

#include <functional>
#include <string>
#include <vector>

namespace rigspace::tools {

struct PosePicture {
  int size = 480;                       ///< pixels of a side of each moment
  double azimuth = 32, elevation = 11;  ///< degrees, see FramingOptions
  double ball = 0;                      ///< radius, scene units
  std::string title;                    ///< of a page of several moments
};

/// All control values, and the targets, at a moment.
struct PosedMoment {
  double time = 0;  ///< s
  Vec p;
  std::vector<Vec3> targets;
};

/// One picture, or a page with all moments from one camera. All moments have as many targets as the first.
Picture draw_poses(const Character& character, const std::vector<PosedMoment>& moments, const PosePicture& options);

}  // namespace rigspace::tools
