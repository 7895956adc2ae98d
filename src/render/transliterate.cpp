// Names in other scripts, in the letters that the strokes of text.cpp have.
#include "rigspace/render/drawable_text.h"

#include <array>
#include <optional>

namespace rigspace {
namespace {

using Letters = std::string_view;

// U+00C0 .. U+00FF.
constexpr std::array<Letters, 64> kLatin1 = {
    "A", "A", "A", "A", "A", "A", "AE", "C", "E",  "E",  "E", "E", "I", "I", "I", "I", "D",  "N", "O",  "O", "O", "O",
    "O", "x", "O", "U", "U", "U", "U",  "Y", "Th", "ss", "a", "a", "a", "a", "a", "a", "ae", "c", "e",  "e", "e", "e",
    "i", "i", "i", "i", "d", "n", "o",  "o", "o",  "o",  "o", "/", "o", "u", "u", "u", "u",  "y", "th", "y"};
// U+0100 .. U+017F, capital and small letter in turn but for the exceptions below; one letter each.
constexpr Letters kLatinA =
    "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiJjJjKkkLlLlLlLlLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUu"
    "UuUuWwYyYZzZzZzs";
// U+0410 .. U+044F without the capitals, which are these in capitals.
constexpr std::array<Letters, 32> kCyrillic = {"a",  "b",  "v",  "g",    "d", "e", "zh", "z", "i",  "y", "k",
                                               "l",  "m",  "n",  "o",    "p", "r", "s",  "t", "u",  "f", "kh",
                                               "ts", "ch", "sh", "shch", "",  "y", "",   "e", "yu", "ya"};
// U+03B1 .. U+03C9.
constexpr std::array<Letters, 25> kGreek = {"a", "v", "g", "d", "e", "z", "i", "th", "i", "k",  "l",  "m", "n",
                                            "x", "o", "p", "r", "s", "s", "t", "y",  "f", "ch", "ps", "o"};
// U+3041 .. U+3096, hiragana; katakana are 0x60 further. Small letters have a leading `-`.
constexpr std::array<Letters, 86> kKana = {
    "-a", "a",  "-i", "i",  "-u",  "u",   "-e", "e",  "-o", "o",  "ka", "ga", "ki",  "gi", "ku",  "gu", "ke",  "ge",
    "ko", "go", "sa", "za", "shi", "ji",  "su", "zu", "se", "ze", "so", "zo", "ta",  "da", "chi", "ji", "-t",  "tsu",
    "zu", "te", "de", "to", "do",  "na",  "ni", "nu", "ne", "no", "ha", "ba", "pa",  "hi", "bi",  "pi", "fu",  "bu",
    "pu", "he", "be", "pe", "ho",  "bo",  "po", "ma", "mi", "mu", "me", "mo", "-ya", "ya", "-yu", "yu", "-yo", "yo",
    "ra", "ri", "ru", "re", "ro",  "-wa", "wa", "i",  "e",  "o",  "n",  "vu", "-ka", "-ke"};
// Hangul: initials, vowels, finals.
constexpr std::array<Letters, 19> kInitials = {"g",  "kk", "n", "d",  "tt", "r", "m", "b", "pp", "s",
                                               "ss", "",   "j", "jj", "ch", "k", "t", "p", "h"};
constexpr std::array<Letters, 21> kVowels = {"a",  "ae", "ya", "yae", "eo", "e",  "yeo", "ye", "o",  "wa", "wae",
                                             "oe", "yo", "u",  "wo",  "we", "wi", "yu",  "eu", "ui", "i"};
constexpr std::array<Letters, 28> kFinals = {"",  "k", "k", "k", "n", "n", "n", "t",  "l", "k", "m", "l", "l", "l",
                                             "p", "l", "m", "p", "p", "t", "t", "ng", "t", "t", "k", "t", "p", "t"};

/// The next character of a text in UTF-8; bytes that are none are taken as Latin-1.
char32_t next_character(Letters& text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(0);
  const std::size_t more = first < 0xC0 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : first < 0xF8 ? 3 : 0;
  char32_t code = more == 0 ? first : first & (0x3Fu >> more);
  bool whole = more < text.size();
  for (std::size_t k = 1; whole && k <= more; ++k) {
    whole = (byte(k) & 0xC0) == 0x80;
    code = (code << 6) | (byte(k) & 0x3Fu);
  }
  text.remove_prefix(whole ? more + 1 : 1);
  return whole ? code : first;
}

std::string in_capitals(Letters letters) {
  std::string text(letters);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::optional<std::string> punctuation(char32_t c) {
  if (c == 0xA0 || c == 0x3000 || (c >= 0x2000 && c <= 0x200A)) return " ";
  if (c >= 0x2010 && c <= 0x2015) return "-";
  if (c == 0x2018 || c == 0x2019 || c == 0xB4) return "'";
  if (c == 0x201C || c == 0x201D || c == 0xAB || c == 0xBB || c == 0x201E) return "\"";
  if (c == 0x2026) return "..";
  if (c == 0x30FB || c == 0xB7 || c == 0x3001 || c == 0x3002) return ".";
  if (c == 0x30FC) return "";                 // a long vowel
  if (c >= 0x300 && c <= 0x36F) return "";    // accents of the letter before
  if (c == 0x3099 || c == 0x309A) return "";  // voicing marks, likewise
  if (c == 0xFEFF || c == 0x200B) return "";  // no width
  return std::nullopt;
}

/// One letter in Latin ones; none if it is of a script that is not known here.
std::optional<std::string> in_latin(char32_t c) {
  if (c >= 32 && c < 127) return std::string(1, static_cast<char>(c));
  if (c < 32 || c == 127) return "";
  if (auto sign = punctuation(c)) return sign;
  if (c >= 0xC0 && c <= 0xFF) return std::string(kLatin1[c - 0xC0]);
  if (c == 0x152) return "OE";
  if (c == 0x153) return "oe";
  if (c == 0x130) return "I";
  if (c >= 0x100 && c <= 0x17F && c - 0x100 < kLatinA.size()) return std::string(1, kLatinA[c - 0x100]);
  if (c >= 0x218 && c <= 0x21B) return std::string(1, "SsTt"[c - 0x218]);
  if (c == 0x401) return "Yo";
  if (c == 0x451) return "yo";
  if (c == 0x404 || c == 0x454) return c == 0x404 ? "Ye" : "ye";
  if (c == 0x406 || c == 0x456 || c == 0x407 || c == 0x457) return c < 0x410 ? "I" : "i";
  if (c == 0x490 || c == 0x491) return c == 0x490 ? "G" : "g";
  if (c >= 0x410 && c < 0x430) return in_capitals(kCyrillic[c - 0x410]);
  if (c >= 0x430 && c < 0x450) return std::string(kCyrillic[c - 0x430]);
  static constexpr char32_t kAccented[] = {0x3AC, 0x3AD, 0x3AE, 0x3AF, 0x3CC, 0x3CD, 0x3CE};
  for (std::size_t k = 0; k < std::size(kAccented); ++k)
    if (c == kAccented[k]) return std::string(1, "aeiioyo"[k]);
  if (c >= 0x391 && c <= 0x3A9) return in_capitals(kGreek[c - 0x391]);
  if (c >= 0x3B1 && c <= 0x3C9) return std::string(kGreek[c - 0x3B1]);
  if (c >= 0xFF01 && c <= 0xFF5E) return std::string(1, static_cast<char>(c - 0xFF01 + '!'));
  if (c >= 0xAC00 && c < 0xAC00 + 19 * 21 * 28) {
    const auto k = static_cast<std::size_t>(c - 0xAC00);
    return std::string(kInitials[k / 588]) + std::string(kVowels[k / 28 % 21]) + std::string(kFinals[k % 28]);
  }
  return std::nullopt;
}

/// Kana, which depend on what stands before them; empty for other letters.
Letters kana(char32_t c) {
  if (c >= 0x30A1 && c <= 0x30F6) c -= 0x60;
  return c >= 0x3041 && c <= 0x3096 ? kKana[c - 0x3041] : Letters();
}

}  // namespace

std::string drawable_text(std::string_view text) {
  std::string plain;
  bool skips = false, doubled = false;
  std::size_t word = 0;  // where the present word, of letters that are not ASCII, begins
  for (Letters rest = text; !rest.empty();) {
    const char32_t c = next_character(rest);
    if (c < 0x80) skips = false;
    if (skips) continue;  // half a word says nothing
    if (const Letters syllable = kana(c); !syllable.empty()) {
      if (syllable == "-t") {  // doubles the next consonant
        doubled = true;
        continue;
      }
      if (syllable[0] == '-') {  // ki + small ya: kya; shi + small ya: sha; fu + small a: fa
        Letters small = syllable.substr(1);
        if (!plain.empty() && (plain.back() == 'i' || plain.back() == 'u' || plain.back() == 'e')) plain.pop_back();
        if (small.size() == 2 && (plain.ends_with("sh") || plain.ends_with("ch") || plain.ends_with('j')))
          small.remove_prefix(1);
        plain += small;
        continue;
      }
      if (doubled) plain += syllable.starts_with("ch") ? 't' : syllable[0];
      doubled = false;
      plain += syllable;
      continue;
    }
    const std::optional<std::string> letters = in_latin(c);
    skips = !letters;
    if (skips) {
      plain.resize(word);
      plain += "..";
      continue;
    }
    plain += *letters;
    if (c < 0x80) word = plain.size();
  }
  const bool any = plain.find_first_not_of(". ") != std::string::npos;
  return any || text.empty() || text.find_first_not_of(". ") == std::string_view::npos ? plain
                                                                                       : "(a name in another script)";
}

}  // namespace rigspace
