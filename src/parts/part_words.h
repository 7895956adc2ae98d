#pragma once
// Private to parts: words in the names of joints, in many spellings and languages.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

/// The kind of thing that a word in a joint's name stands for.
enum class Role {
  none,   ///< nothing: Bone.012
  chain,  ///< moves by itself: tail, ear, hair
  wing,   ///< moves by itself unless the clips beat it
  belly,  ///< soft flesh
  chest,  ///< soft flesh that is left to the animator
  torso,
  ribs,  ///< of the torso, firm
  limb,
  head,
  neck,
  face,
  hard,  ///< props, horns, wheels
};

struct PartWord {
  std::string_view word;
  std::string_view part;    ///< the English word: the part's name
  std::string_view preset;  ///< of chains
  Role role;
  char match;  ///< 'w': a whole word; 'e': may end another word (foxtail); 'b': may begin or end one (tailbase)
};

/// The table (part_word_table.cpp).
std::span<const PartWord> part_words();

struct JointName {
  Role role = Role::none;
  const PartWord* word = nullptr;    ///< the word that gave the role
  char side = 0;                     ///< 'l' or 'r'; 0: the name has no side
  std::vector<std::string> words{};  ///< in lower case, without accents and digits
};

/// Reads `b_LeftEar_012` as left, ear; `yeti_tailbase` as a tail; `Schwanz.001`, `尻尾` as tails.
JointName read_joint_name(std::string_view name);

/// The words of a name: cut at signs, digits and capitals, in lower case, without accents.
std::vector<std::string> words_of(std::string_view name);

/// Whether one of the words stands for armour or machines; for clothes; for fish or swimming; for moving on the ground.
bool has_hard_word(std::span<const std::string> words);
bool has_clothes_word(std::span<const std::string> words);
bool has_fish_word(std::span<const std::string> words);
bool has_walk_word(std::span<const std::string> words);

/// The name with left and right exchanged: where the twin of a joint would be. Empty if the name has no side.
std::string mirrored_name(std::string_view name);

/// Leaves that other programs append to show where a bone ends: they carry no skin and move nothing.
bool is_end_marker(std::string_view name);

}  // namespace rigspace
