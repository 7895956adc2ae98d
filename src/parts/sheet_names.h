#pragma once
// Private to parts: words for sheets in the names of meshes, materials and bones.

#include <string>
#include <string_view>

namespace rigspace {

/// The word for a sheet of cloth or hair in a name, as a part is called ("cape" for "Knight_Cape"); empty: none.
std::string_view sheet_word(std::string_view name);
/// The same, and dresses.
std::string_view drape_word(std::string_view name);
/// Whether such a word means hair.
bool is_hair_word(std::string_view word);
/// The word for something hard in a name: weapons, helmets, plates; empty: none.
std::string_view hard_word(std::string_view name);
/// The word for a limb, a hand, a face in the name of a bone: nothing hangs loosely there; empty: none.
std::string_view limb_word(std::string_view name);

}  // namespace rigspace
