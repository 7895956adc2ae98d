#pragma once
// One self-contained HTML page that plays a character: opens from disk, needs no network.

#include <cstddef>
#include <span>
#include <string>

namespace rigspace {

struct ViewPageOptions {
  std::string title;  ///< plain text, UTF-8: usually the file's name
  std::string clip;   ///< shown first; empty, or a name that the file does not have: its first clip
};

/// The page for a binary glTF file. The bytes go into it as they are; what they hold is checked when it opens, so read
/// them with the library first. Throws Error where they are no GLB, and where the program was built without the page.
std::string view_page(std::span<const std::byte> glb, const ViewPageOptions& options);

}  // namespace rigspace
