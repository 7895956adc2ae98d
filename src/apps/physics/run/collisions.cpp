#include "rigspace/apps/physics/collisions.h"

#include "rigspace/base/require.h"

#include <cmath>

namespace rigspace {

void Collisions::validate() const {
  require_option(friction >= 0 && friction <= 10, "friction", friction, "expected 0 to 10");
  require_option(thickness >= 0 && std::isfinite(thickness), "thickness of contact", thickness, "expected metres");
}

}  // namespace rigspace
