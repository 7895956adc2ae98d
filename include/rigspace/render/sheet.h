#pragma once
// Many pictures on one page: a clip at a glance, a character from all sides.

#include "rigspace/base/progress.h"
#include "rigspace/render/motion.h"

#include <functional>

namespace rigspace {

struct SheetOptions {
  RenderOptions cell{.width = 320, .height = 320};  ///< each picture
  FramingOptions framing;
  int columns = 0;      ///< 0: chosen for a page a little wider than high
  bool follow = false;  ///< the camera travels with the character; otherwise it frames the whole way
  std::function<Camera(double time)> camera = {};  ///< of a contact sheet, in place of the framing; or empty
  bool labels = true;                              ///< title above, time or angle in each picture
  int gap = 8;                                     ///< pixels between pictures and around them; 0 to 1000

  void validate() const;
};

/// One picture for each moment, row by row, all from one camera. Throws Cancelled if the callback returns false.
Picture contact_sheet(const Renderer& renderer, const Motion& motion, const SheetOptions& options = {},
                      const ProgressCallback& progress = {});

/// One moment from `views` sides, evenly around, beginning at the framing's own azimuth.
Picture turntable_sheet(const Renderer& renderer, const Snapshot& snapshot, int views, const SheetOptions& options = {},
                        const ProgressCallback& progress = {});

/// The cameras of a turntable: `views` of them, evenly around the vertical line through the middle of the points.
std::vector<Camera> turntable(In points, int views, double aspect, const FramingOptions& options = {});

}  // namespace rigspace
