#include "rigspace/parts/part.h"

#include "part_words.h"

#include "rigspace/base/error.h"
#include "rigspace/parts/sheet.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

namespace rigspace {
namespace {

// Chains: k = 1.2, damping ratio 0.35, lag 0.08 s; the other words differ by what they mean: hair trails, antennae are
// quick.
constexpr Preset kPresets[] = {
    {"tail", false, 1.2, 0.35, 0.08},    {"ear", false, 1.4, 0.35, 0.06},        {"hair", false, 1.0, 0.45, 0.10},
    {"antenna", false, 2.0, 0.15, 0.02}, {"belly", true, 2.0, 0.25, 0},          {"flesh", true, 2.0, 0.25, 0},
    {"chest", true, 2.2, 0.28, 0},       {"cheek", true, 2.0, 0.30, 0},          {"rubber", true, 3.0, 0.12, 0},
    {"jelly", true, 1.3, 0.10, 0},       {"cape", false, 1.0, 0.45, 0.10, 0.12},
};

constexpr SettingField kFields[] = {
    {"amount", &PartSettings::amount, 0, 10},   {"rate", &PartSettings::rate, 0, 60},
    {"settle", &PartSettings::settle, 0, 60},   {"lag", &PartSettings::lag, 0, 5},
    {"overlap", &PartSettings::overlap, 0, 1},  {"sag", &PartSettings::sag, -100, 100},
    {"limit", &PartSettings::limit, 0.001, 10}, {"hold", &PartSettings::hold, 0, 1, false},
    {"travel", &PartSettings::travel, 0, 2},    {"push", &PartSettings::push, 0, 2},
    {"mix", &PartSettings::mix, 0, 1},
};

constexpr std::string_view kProtected[] = {"palm", "index", "middle", "ring",   "pinky",   "knuckle", "metacarpal",
                                           "foot", "toe",   "hand",   "finger", "thumb",   "lip",     "lid",
                                           "jaw",  "eye",   "ik",     "pole",   "control", "slot",    "weapon",
                                           "prop", "sword", "shield", "target", "heel"};
std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

/// The word stands in the name as a word: not inside another, so that "ear" is not found in "forearm" or "gear".
bool contains_word(std::string_view name, std::string_view word) {
  const std::string text = lower(name);
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    // A capital letter begins a new word too: LeftEar.
    const bool begins = at == 0 || !std::isalpha(static_cast<unsigned char>(text[at - 1])) ||
                        std::isupper(static_cast<unsigned char>(name[at]));
    const std::size_t end = at + word.size();
    const bool ends = end >= text.size() || !std::isalpha(static_cast<unsigned char>(text[end])) ||
                      std::isupper(static_cast<unsigned char>(name[end])) ||
                      (text[end] == 's' && end + 1 == text.size());
    if (begins && ends) return true;
  }
  return false;
}

std::vector<std::vector<int>> children_of(const Character& character) {
  std::vector<std::vector<int>> children(character.bones.size());
  for (std::size_t b = 0; b < character.bones.size(); ++b)
    if (character.bones[b].parent >= 0) children[character.bones[b].parent].push_back(static_cast<int>(b));
  return children;
}

/// Splits a set of bones into trees: each bone whose parent is not in the set starts one.
std::vector<std::vector<int>> trees(const Character& character, const std::set<int>& chosen) {
  std::vector<std::vector<int>> result;
  const auto children = children_of(character);
  for (const int b : chosen) {
    if (chosen.contains(character.bones[b].parent)) continue;
    std::vector<int> below{b};
    for (std::size_t i = 0; i < below.size(); ++i)
      below.insert(below.end(), children[below[i]].begin(), children[below[i]].end());
    std::erase_if(below, [&](int each) { return !chosen.contains(each); });
    result.push_back(std::move(below));
  }
  return result;
}

/// "tail" for tail_01, "ear_l" for Ear1.L: the root's name without digits, made ASCII.
std::string part_name(std::string_view bone) {
  std::string name;
  for (const char c : lower(bone)) {
    if (std::isdigit(static_cast<unsigned char>(c))) continue;
    const bool plain = std::isalpha(static_cast<unsigned char>(c)) != 0;
    if (plain)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  if (name.starts_with("b_")) name.erase(0, 2);  // a prefix of some exporters
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name.empty() ? "part" : name;
}

Part make_part(const Character& character, std::vector<int> bones, const Preset& preset, std::vector<Part>& others) {
  std::string name = part_name(character.bones[bones.front()].name);
  const std::string stem = name;
  for (int k = 2; std::any_of(others.begin(), others.end(), [&](const Part& part) { return part.name == name; }); ++k)
    name = stem + "_" + std::to_string(k);
  Part part{.name = name, .preset = std::string(preset.name), .bones = std::move(bones)};
  part.settings.lag = preset.lag;
  part.settings.limit = preset.limit;
  part.settings.settle = 0;  // from the preset's damping ratio once the rate is known
  return part;
}

}  // namespace

bool is_protected(std::string_view name) {
  return std::any_of(std::begin(kProtected), std::end(kProtected),
                     [&](auto word) { return contains_word(name, word); });
}

std::span<const SettingField> setting_fields() { return kFields; }

std::span<const Preset> presets() { return kPresets; }

const Preset& preset_named(std::string_view name) {
  std::string names;
  for (const Preset& preset : kPresets) {
    if (preset.name == name) return preset;
    names += (names.empty() ? "" : ", ") + std::string(preset.name);
  }
  throw Error({.code = ErrorCode::usage,
               .element = "preset \"" + std::string(name) + "\"",
               .value = std::string(name),
               .problem = "does not exist",
               .remedy = "presets are " + names});
}

std::vector<Part> parts_from_pattern(const Character& character, std::string_view text) {
  const auto equals = text.rfind('=');
  const std::string_view pattern = text.substr(0, equals);
  const Preset& preset = preset_named(equals == std::string_view::npos ? "tail" : text.substr(equals + 1));
  std::set<int> chosen;
  std::vector<Part> parts;
  for (std::string_view rest = pattern;;) {  // several, with commas
    const auto comma = rest.find(',');
    const std::string_view each = rest.substr(0, comma);
    bool met = false;
    for (int b = 0; b < static_cast<int>(character.bones.size()); ++b)
      if (matches_pattern(character.bones[b].name, each) && !is_end_marker(character.bones[b].name))
        chosen.insert(b), met = true;
    if (!met && !preset.flesh) {
      std::vector<Part> sheets = sheet_parts_from_pattern(character, each, preset.name);
      parts.insert(parts.end(), sheets.begin(), sheets.end());
      met = !sheets.empty();
    }
    if (!met)
      throw Error({.file = character.name,
                   .element = "part \"" + std::string(text) + "\"",
                   .value = std::string(each),
                   .problem = "matches no joint and no mesh with \"" + std::string(each) + "\"",
                   .remedy = "`rigspace info --controls` lists them"});
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (preset.flesh) {  // flesh of all these bones together
    parts.push_back(make_part(character, std::vector<int>(chosen.begin(), chosen.end()), preset, parts));
    parts.back().name = preset.name;
    return parts;
  }
  for (auto& tree : trees(character, chosen)) parts.push_back(make_part(character, std::move(tree), preset, parts));
  return parts;
}

}  // namespace rigspace
