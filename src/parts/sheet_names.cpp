#include "sheet_names.h"

#include "rigspace/parts/sheet.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <vector>

namespace rigspace {
namespace {

constexpr std::string_view kCloth[] = {"cape",  "cloak", "scarf",    "sash",   "tabard", "mantle",    "poncho",
                                       "shawl", "veil",  "ribbon",   "banner", "flag",   "loincloth", "apron",
                                       "skirt", "robe",  "coattail", "tassel", "umhang", "schal",     "mantel"};
constexpr std::string_view kHair[] = {"ponytail", "pigtail", "braid", "plait", "dreadlock",
                                      "beard",    "hair",    "bart",  "zopf"};
constexpr std::string_view kDress[] = {"dress", "gown",  "kilt",  "tunic",   "kimono", "toga",
                                       "sari",  "robes", "kleid", "vestido", "jupe",   "falda"};
constexpr std::string_view kHard[] = {
    "weapon", "sword",  "shield",  "axe",     "bow",    "arrow",  "quiver", "gun",      "rifle",    "pistol", "blade",
    "dagger", "knife",  "staff",   "wand",    "spear",  "mace",   "hammer", "helmet",   "helm",     "visor",  "hat",
    "cap",    "mask",   "glasses", "goggles", "armor",  "armour", "plate",  "pauldron", "backpack", "bag",    "pouch",
    "belt",   "buckle", "boot",    "shoe",    "glove",  "eye",    "eyes",   "teeth",    "tooth",    "tongue", "brow",
    "lash",   "nail",   "horn",    "crown",   "lamp",   "wheel",  "door",   "metal",    "steel",    "iron",   "book",
    "mug",    "bottle", "badge",   "jewel",   "button", "shell",  "spoke",  "engine"};
constexpr std::string_view kLimb[] = {
    "arm",   "forearm", "upperarm", "lowerarm", "elbow", "wrist",    "hand",     "palm",  "finger", "thumb", "handslot",
    "index", "middle",  "ring",     "pinky",    "leg",   "upperleg", "lowerleg", "thigh", "upleg",  "calf",  "shin",
    "knee",  "ankle",   "foot",     "feet",     "toe",   "toes",     "heel",     "paw",   "hoof",   "jaw",   "lip",
    "lid",   "eye",     "tongue",   "wing",     "fin",   "weapon",   "prop",     "slot",  "shield", "sword", "wheel"};

/// "Knight_Cape.001" is knight, cape; "leftForeArm" left, fore, arm.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool begins = std::isupper(c) && i > 0 && std::islower(static_cast<unsigned char>(name[i - 1]));
    if ((begins || !std::isalpha(c)) && !words.back().empty()) words.emplace_back();
    if (std::isalpha(c)) words.back() += static_cast<char>(std::tolower(c));
  }
  return words;
}

/// The first of the list that is a word of the name, or its plural, or, from five letters on, stands anywhere in it.
template <std::size_t N>
std::string_view first_of(const std::string_view (&list)[N], std::string_view name) {
  constexpr std::size_t kAnywhere = 5;
  const std::vector<std::string> words = words_of(name);
  const auto says = [&](std::string_view word) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& each) {
      return each == word || (each.size() == word.size() + 1 && each.starts_with(word) && each.back() == 's') ||
             (word.size() >= kAnywhere && each.find(word) != std::string::npos);
    });
  };
  const auto found = std::find_if(std::begin(list), std::end(list), says);
  return found == std::end(list) ? std::string_view() : *found;
}

constexpr std::string_view kArm[] = {"arm",  "forearm", "upperarm", "lowerarm", "elbow",   "wrist",
                                     "hand", "palm",    "finger",   "thumb",    "handslot"};

}  // namespace

std::string_view sheet_word(std::string_view name) {
  const std::string_view cloth = first_of(kCloth, name);
  return cloth.empty() ? first_of(kHair, name) : cloth;
}
std::string_view drape_word(std::string_view name) {
  const std::string_view word = sheet_word(name);
  return word.empty() ? first_of(kDress, name) : word;
}
bool is_hair_word(std::string_view word) {
  return std::find(std::begin(kHair), std::end(kHair), word) != std::end(kHair);
}
std::string_view hard_word(std::string_view name) { return first_of(kHard, name); }
std::string_view limb_word(std::string_view name) { return first_of(kLimb, name); }
bool is_arm(std::string_view bone) { return !first_of(kArm, bone).empty(); }

}  // namespace rigspace
