#pragma once
// What the tests of pages share.

#include "rigspace/base/error.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

inline std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

/// What stands after `before` and up to `after`.
inline std::string between(const std::string& page, std::string_view before, std::string_view after) {
  const std::size_t from = page.find(before) + before.size();
  return page.substr(from, page.find(after, from) - from);
}

}  // namespace rigspace

/// The page that a call writes, or a skip where the program was built without it.
#define RIGSPACE_PAGE_OR_SKIP(variable, call)       \
  std::string variable;                             \
  try {                                             \
    variable = call;                                \
  } catch (const Error& error) {                    \
    if (error.code() != ErrorCode::internal) throw; \
    GTEST_SKIP() << error.what();                   \
  }
