#pragma once
// Checks of options, for their `validate`.

#include <string>
#include <string_view>

namespace rigspace {

/// The shortest text that reads back as the same number: "0.25", "1e-09"; whole ones without a point or exponent, "24".
std::string shortest_text(double value);

/// Throws Error (usage) that names the element and its value, "picture width is 0", unless ok. `remedy`: what was
/// expected. Whole numbers are shown as such.
void require_option(bool ok, std::string_view element, double value, const std::string& remedy);

}  // namespace rigspace
