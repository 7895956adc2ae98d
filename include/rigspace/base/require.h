#pragma once
// Checks of options, for their `validate`.

#include <string>
#include <string_view>

namespace rigspace {

/// Throws Error (usage) that names the element and its value, "picture width is 0", unless ok. `remedy`: what was
/// expected. Whole numbers are shown as such.
void require_option(bool ok, std::string_view element, double value, const std::string& remedy);

}  // namespace rigspace
