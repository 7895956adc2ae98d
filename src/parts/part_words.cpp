#include "part_words.h"

#include "rigspace/parts/part.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace rigspace {
namespace {

/// Ordinary words that begin or end in one of the table.
constexpr std::string_view kNoWords[] = {"detail", "retail",   "curtail",   "cocktail",  "taillight",  "tailgate",
                                         "tailor", "chair",    "charm",     "alarm",     "swarm",      "farm",
                                         "ahead",  "overhead", "arrowhead", "bodyguard", "beforehand", "tulip",
                                         "clip",   "flip",     "slip",      "bottleneck"};
/// What may stand before or behind a word in one: tailbase, upperarm.
constexpr std::string_view kBits[] = {"base", "root", "tip",   "end",   "mid",   "start", "bone", "joint",
                                      "jnt",  "jt",   "top",   "upper", "lower", "up",    "low",  "front",
                                      "back", "left", "right", "inner", "outer", "ctrl",  "def",  "b",
                                      "c",    "a",    "x",     "l",     "r"};

// Roles that win over others in one name: hair on a head is hair, a cape on the shoulder a cape, the arm of a wing a
// limb.
int rank_of(const PartWord& word) {
  using enum Role;
  switch (word.role) {
    case chain: return 9;
    case hard: return 8;
    case limb: return 7;
    case wing: return 6;
    case face: return 5;
    case head: return 4;
    case neck: return 3;
    case belly:
    case chest: return 2;
    case torso: return 1;
    default: return 0;
  }
}

bool is_bit(std::string_view text) {
  return text.empty() || std::find(std::begin(kBits), std::end(kBits), text) != std::end(kBits);
}

bool meets(std::string_view token, const PartWord& entry) {
  const std::string_view word = entry.word;
  if (token == word || (token.size() == word.size() + 1 && token.starts_with(word) && token.back() == 's')) return true;
  if (token.size() < word.size() || std::find(std::begin(kNoWords), std::end(kNoWords), token) != std::end(kNoWords))
    return false;
  if (static_cast<unsigned char>(word[0]) >= 0x80) return token.find(word) != std::string_view::npos;
  const bool ends = token.ends_with(word), begins = token.starts_with(word);
  if (entry.match != 'w' && ends) return true;
  if (entry.match == 'b' && begins) return true;
  if (word.size() < 3) return false;
  // rear is no right ear.
  if (ends && token.size() > word.size() + 1 && is_bit(token.substr(0, token.size() - word.size()))) return true;
  return begins && is_bit(token.substr(word.size())) && (word.size() > 3 || token.size() > word.size() + 1);
}

char side_of(std::string_view token) {
  constexpr std::string_view left[] = {"l",        "left",     "lt",        "lft",       "links",
                                       "gauche",   "izq",      "izquierda", "izquierdo", "sx",
                                       "sinistra", "sinistro", "esq",       "esquerda",  "hidari"};
  constexpr std::string_view right[] = {"r",       "right",   "rt", "rgt",    "rechts", "droite", "droit",   "der",
                                        "derecha", "derecho", "dx", "destra", "destro", "dir",    "direita", "migi"};
  if (std::find(std::begin(left), std::end(left), token) != std::end(left) || token.find("左") != token.npos)
    return 'l';
  if (std::find(std::begin(right), std::end(right), token) != std::end(right) || token.find("右") != token.npos)
    return 'r';
  if (token.starts_with("left") || token.ends_with("left")) return 'l';
  if ((token.starts_with("right") || token.ends_with("right")) && token != "upright" && token != "bright") return 'r';
  return 0;
}

/// The plain letter of an accented one, by the second byte of its UTF-8 behind 0xC3.
std::string_view plain_letter(unsigned char second) {
  static constexpr std::string_view kPlain[] = {"a", "a", "a", "a", "a", "a", "ae", "c", "e",  "e", "e",
                                                "e", "i", "i", "i", "i", "d", "n",  "o", "o",  "o", "o",
                                                "o", "",  "o", "u", "u", "u", "u",  "y", "th", "ss"};
  return kPlain[second & 0x1f];
}

bool any_of(std::span<const std::string> words, std::span<const std::string_view> list) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return std::find(list.begin(), list.end(), word) != list.end(); });
}

}  // namespace

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  const auto flush = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  const auto upper = [&](std::size_t i) {
    return i < name.size() && std::isupper(static_cast<unsigned char>(name[i]));
  };
  const auto lower = [&](std::size_t i) {
    return i < name.size() && std::islower(static_cast<unsigned char>(name[i]));
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (c >= 0x80) {
      if (c == 0xC3 && i + 1 < name.size())
        word += plain_letter(static_cast<unsigned char>(name[++i]));
      else
        word += name[i];
    } else if (!std::isalpha(c)) {
      flush();
    } else {
      if (upper(i) && i > 0 && (lower(i - 1) || (upper(i - 1) && lower(i + 1)))) flush();
      word += static_cast<char>(std::tolower(c));
    }
  }
  flush();
  return words;
}

bool has_word(std::string_view name, std::string_view word) {
  for (const std::string& each : words_of(name)) {
    if (each == word || (each.size() == word.size() + 1 && each.starts_with(word) && each.back() == 's')) return true;
    if (word.size() >= 4 && (each.starts_with(word) || each.ends_with(word)) &&
        std::find(std::begin(kNoWords), std::end(kNoWords), each) == std::end(kNoWords))
      return true;
  }
  return false;
}

JointName read_joint_name(std::string_view name) {
  JointName result{.words = words_of(name)};
  std::vector<std::string> tokens = result.words;
  for (std::size_t k = 0; k + 1 < result.words.size(); ++k) tokens.push_back(result.words[k] + result.words[k + 1]);
  const std::size_t single = result.words.size();
  for (const std::string& token : result.words)
    if (result.side == 0) result.side = side_of(token);
  for (std::size_t t = 0; t < tokens.size(); ++t)
    for (const PartWord& word : part_words()) {
      // Two words in one stand only for themselves: PonyTail, but not Tail Ear.
      const bool met = t < single ? meets(tokens[t], word) : tokens[t] == word.word;
      if (!met) continue;
      // A pony tail is no tail: among words of one rank the longest counts.
      const auto weight = [](const PartWord& each) { return std::pair(rank_of(each), each.word.size()); };
      if (result.word == nullptr || weight(word) > weight(*result.word)) result.word = &word;
    }
  if (result.word != nullptr) result.role = result.word->role;
  return result;
}

bool has_hard_word(std::span<const std::string> words) {
  static constexpr std::string_view kHard[] = {"armor",    "armour",  "knight", "robot", "mech",   "mecha", "droid",
                                               "cyborg",   "metal",   "steel",  "iron",  "chrome", "brass", "golem",
                                               "skeleton", "machine", "tank",   "car",   "truck",  "drone", "mannequin",
                                               "rustung",  "metall",  "panzer", "turret"};
  return any_of(words, kHard);
}

bool has_clothes_word(std::span<const std::string> words) {
  static constexpr std::string_view kCloth[] = {
      "cloth",     "clothes", "clothing", "garment",  "shirt",  "tshirt", "dress",   "suit",
      "sportsuit", "jacket",  "pants",    "trousers", "jeans",  "hoodie", "uniform", "coat",
      "robe",      "outfit",  "sweater",  "vest",     "blouse", "skirt",  "shorts",  "kleid",
      "hemd",      "hose",    "tops",     "bottoms",  "tie",    "socks",  "shoes",   "boots"};
  return any_of(words, kCloth);
}

bool has_fish_word(std::span<const std::string> words) {
  static constexpr std::string_view kFish[] = {"fish",    "swim", "swimming", "shark", "koi",   "whale",
                                               "dolphin", "eel",  "tuna",     "ray",   "orca",  "trout",
                                               "salmon",  "carp", "piranha",  "nage",  "nadar", "manta"};
  return any_of(words, kFish) || std::any_of(words.begin(), words.end(), [](const std::string& word) {
           return word.ends_with("fish") || word.starts_with("schwimm");  // goldfish
         });
}

bool has_walk_word(std::span<const std::string> words) {
  static constexpr std::string_view kWalk[] = {"walk",   "walking", "walkcycle", "trot",    "jog",   "run",  "running",
                                               "gallop", "sprint",  "crawl",     "slither", "march", "hop",  "sneak",
                                               "gehen",  "laufen",  "marche",    "caminar", "walks", "runs", "canter"};
  return any_of(words, kWalk);
}

std::string mirrored_name(std::string_view name) {
  std::string result(name);
  const auto other = [&](std::string_view from, std::string_view to) {
    const std::size_t at = result.find(from);
    if (at == std::string::npos) return false;
    result.replace(at, from.size(), to);
    return true;
  };
  for (const auto& [a, b] : {std::pair<std::string_view, std::string_view>{"Left", "Right"},
                             {"left", "right"},
                             {"LEFT", "RIGHT"},
                             {"左", "右"}})
    if (other(a, b) || other(b, a)) return result;
  // A single letter between signs, digits or a change of case: ear_l, Ear.L, LThumb.
  const auto letter = [&](std::size_t i) {
    return i < result.size() && std::isalpha(static_cast<unsigned char>(result[i])) != 0;
  };
  const auto upper = [&](std::size_t i) {
    return letter(i) && std::isupper(static_cast<unsigned char>(result[i])) != 0;
  };
  for (std::size_t i = result.size(); i-- > 0;) {
    const std::size_t which = std::string_view("lrLR").find(result[i]);
    if (which == std::string_view::npos) continue;
    const bool alone = (i == 0 || !letter(i - 1)) && (!letter(i + 1) || (upper(i) && upper(i + 1)));
    const bool behind = upper(i) && i > 0 && letter(i - 1) && !upper(i - 1) && !letter(i + 1);
    if (!alone && !behind) continue;
    result[i] = "rlRL"[which];
    return result;
  }
  return "";
}

bool is_end_marker(std::string_view name) {
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text.ends_with("_end") || text.ends_with("_nub") || text.ends_with("nub") || text.ends_with("_leaf") ||
         text.ends_with(".end");
}

}  // namespace rigspace
