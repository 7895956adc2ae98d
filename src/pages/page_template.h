#pragma once
// What the pages share: a template of studio/viewer inside the program, with slots for title, options and (where it
// shows one) character; and JSON.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace rigspace {

enum class PageKind {
  viewer,  ///< of `rigspace view`
  soft,    ///< of `rigspace simulate`
  batch,   ///< of `rigspace simulate` with many characters; holds none itself
  studio,  ///< of `rigspace studio`; holds none either
};

/// The page with its slots filled. `title` is plain text, `options` is JSON that may stand in a <script> element (see
/// json_string). Throws Error where `glb` is no binary glTF file, and where the program was built without the page.
std::string filled_page(PageKind kind, std::string_view title, std::string_view options,
                        std::span<const std::byte> glb);
/// The same for a page without a character.
std::string filled_page(PageKind kind, std::string_view title, std::string_view options);
/// A page without slots.
std::string filled_page(PageKind kind);

/// A JSON string that may stand in a <script> element: no quote, no control character, and no '<', since "</script"
/// and "<!--" mean something there.
std::string json_string(std::string_view text);
/// Nine significant digits; null for what is not finite, since JSON has no such numbers.
std::string json_number(double value);
/// `[a,b]` of what write(item) gives.
template <typename Items, typename Write>
std::string json_list(const Items& items, Write write) {
  std::string json = "[";
  for (const auto& item : items) {
    if (json.size() > 1) json += ',';
    json += write(item);
  }
  return json + "]";
}

}  // namespace rigspace
