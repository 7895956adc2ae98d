#include "rigspace/base/require.h"

#include "rigspace/base/error.h"

#include <cmath>

namespace rigspace {

void require_option(bool ok, std::string_view element, double value, const std::string& remedy) {
  if (ok) return;
  const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
  const std::string shown = whole ? std::to_string(static_cast<long long>(value)) : std::to_string(value);
  throw Error({.code = ErrorCode::usage,
               .element = std::string(element),
               .value = shown,
               .problem = "is " + shown,
               .remedy = remedy});
}

}  // namespace rigspace
