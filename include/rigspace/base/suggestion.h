#pragma once
// For messages: what a wrong word may have meant.

#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

/// `did you mean "a" or "b"?` with the up to three known words nearest to a wrong one, or `otherwise` if none is near.
std::string suggestion(const std::string& wrong, const std::vector<std::string>& known, std::string_view otherwise);

}  // namespace rigspace
