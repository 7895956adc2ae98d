#pragma once
// The page of `rigspace studio`: holds no character, and connects to its own server only.

#include <string>

namespace rigspace {

/// Throws Error where the program was built without the page.
std::string studio_page();

}  // namespace rigspace
