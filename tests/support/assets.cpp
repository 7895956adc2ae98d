#include "support/assets.h"

#include <cstdlib>

namespace rigspace::testing {

std::filesystem::path assets_folder() {
  if (const char* named = std::getenv("RIGSPACE_ASSETS")) return named;
  return std::filesystem::path(RIGSPACE_SOURCE_DIR) / "../shared/assets";
}

std::filesystem::path source_folder() { return RIGSPACE_SOURCE_DIR; }

}  // namespace rigspace::testing
