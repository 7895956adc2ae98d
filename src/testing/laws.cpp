#include "rigspace/testing/laws.h"

#include <cstdio>

namespace rigspace::testing {

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

}  // namespace rigspace::testing
