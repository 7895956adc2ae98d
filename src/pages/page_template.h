#pragma once
// What the pages share: a template of studio/viewer inside the program, with slots for title, options and character.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace rigspace {

enum class PageKind {
  viewer,  ///< of `rigspace view`
  soft,    ///< of `rigspace simulate`
};

/// The page with its slots filled. `title` is plain text, `options` is JSON that may stand in a <script> element (see
/// json_string). Throws Error where `glb` is no binary glTF file, and where the program was built without the page.
std::string filled_page(PageKind kind, std::string_view title, std::string_view options,
                        std::span<const std::byte> glb);

/// A JSON string that may stand in a <script> element: no quote, no control character, and no '<', since "</script"
/// and "<!--" mean something there.
std::string json_string(std::string_view text);

}  // namespace rigspace
