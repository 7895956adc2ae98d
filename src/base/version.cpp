#include "rigspace/base/version.h"

namespace rigspace {

const char* version() { return RIGSPACE_VERSION; }

}  // namespace rigspace
