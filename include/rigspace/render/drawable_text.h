#pragma once
// Names in any script, in the letters that text on pictures has.

#include <string>
#include <string_view>

namespace rigspace {

/// What draw_text draws of a text in UTF-8, in printable ASCII: accents are dropped, Greek, Cyrillic, kana and Hangul
/// are written in Latin letters, words with letters of other scripts are left out as "..". A text with nothing to draw becomes "(a name in
/// another script)".
std::string drawable_text(std::string_view text);

}  // namespace rigspace
