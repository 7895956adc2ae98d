#include "rigspace/base/require.h"

#include "rigspace/base/error.h"

#include <array>
#include <charconv>
#include <cmath>

namespace rigspace {

std::string shortest_text(double value) {
  if (std::abs(value) < 1e15 && value == std::floor(value)) return std::to_string(static_cast<long long>(value));
  std::array<char, 32> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

void require_option(bool ok, std::string_view element, double value, const std::string& remedy) {
  if (ok) return;
  const std::string shown = shortest_text(value);
  throw Error({.code = ErrorCode::usage,
               .element = std::string(element),
               .value = shown,
               .problem = "is " + shown,
               .remedy = remedy});
}

}  // namespace rigspace
