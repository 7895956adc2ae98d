#include "rigspace/jobs/folder_settings.h"

#include "rigspace/base/files.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/io/json_text.h"
#include "rigspace/jobs/arguments.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace rigspace {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 7> kFields = {"unit", "amount", "protect", "never", "set", "loop", "once"};

struct ListField {
  std::string_view name;
  std::vector<std::string> FolderSettings::*value;
};
constexpr ListField kLists[] = {{"protect", &FolderSettings::protect},
                                {"never", &FolderSettings::never},
                                {"loop", &FolderSettings::loop},
                                {"once", &FolderSettings::once}};

/// Adds the settings of a file to those of nearer ones.
void add_text(std::string json, const fs::path& file, FolderSettings& settings) {
  const JsonText text(std::move(json), file.string());
  const Field root = text.root();
  root.allow(kFields);
  if (const auto unit = root.find("unit"); unit && settings.unit == 0) settings.unit = unit->number(1e-6, 1e6);
  if (const auto amount = root.find("amount")) settings.amount *= amount->number(0, 10);
  for (const ListField& list : kLists)
    if (const auto items = root.find(list.name))
      for (const std::string& each : items->texts()) (settings.*list.value).push_back(each);
  if (const auto set = root.find("set"))
    for (const auto& [name, value] : set->members()) {
      const auto said = [&, &control = name](const auto& each) { return each.first == control; };
      if (name.find('.') == std::string::npos) value.fail("is no PART.CONTROL", "for example \"tail.rate\": 2");
      if (std::none_of(settings.set.begin(), settings.set.end(), said))
        settings.set.emplace_back(name, value.is_number() ? fmt::format("{}", value.number()) : value.text());
    }
  settings.files.push_back(file);
}

void add_file(const fs::path& file, FolderSettings& settings) {
  add_text(read_text(file, JsonText::kLargest), file, settings);
}

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& each : list) text += (text.empty() ? "" : ",") + each;
  return text;
}

}  // namespace

std::string FolderSettings::in_words() const {
  if (files.empty()) return {};
  std::string text;
  const auto say = [&](const std::string& phrase) { text += (text.empty() ? " " : ", ") + phrase; };
  if (unit > 0) say(fmt::format("unit {:g}", unit));
  if (amount != 1) say(fmt::format("amount {:g}", amount));
  for (const ListField& list : kLists)
    if (!(this->*list.value).empty()) say(fmt::format("{} {}", list.name, joined(this->*list.value)));
  for (const auto& [name, value] : set) say(fmt::format("{}={}", name, value));
  return files.front().string() + ":" + (text.empty() ? " nothing" : text);
}

FolderSettings folder_settings(const fs::path& input) {
  FolderSettings settings;
  std::error_code failed;
  fs::path folder = fs::absolute(input, failed).lexically_normal();
  if (failed) return settings;
  if (!fs::is_directory(folder, failed) || !folder.has_filename()) folder = folder.parent_path();
  for (;; folder = folder.parent_path()) {
    if (const fs::path file = folder / kSettingsFile; fs::is_regular_file(file, failed)) add_file(file, settings);
    if (folder == folder.parent_path()) break;
  }
  if (const char* studio = std::getenv("RIGSPACE_SETTINGS"); studio != nullptr && *studio != '\0')
    add_file(studio, settings);
  return settings;
}

bool is_never(const FolderSettings& settings, const Part& part) {
  return std::any_of(settings.never.begin(), settings.never.end(), [&](const std::string& word) {
    return part.name == word || part.preset == word || part.name.starts_with(word + "_");
  });
}

void leave_out(const FolderSettings& settings, PartSearch& search) {
  if (settings.never.empty()) return;
  for (PartCandidate& each : search.candidates)
    if (each.chosen && is_never(settings, each.part)) {
      each.chosen = false, each.score = 0;
      each.reasons_against.push_back(settings.files.front().string() + " says never");
    }
  std::stable_partition(search.candidates.begin(), search.candidates.end(),
                        [](const PartCandidate& each) { return each.chosen; });
  for (PartCandidate& each : search.candidates) each.twin = -1;  // indices have moved
}

fs::path change_folder_settings(const fs::path& folder,
                                const std::vector<std::pair<std::string, std::string>>& changes) {
  const fs::path file = folder / kSettingsFile;
  Json json = Json::object();
  if (fs::exists(file)) json = JsonText(read_text(file, JsonText::kLargest), file.string()).root().json();
  for (const auto& [field, value] : changes) {
    if (std::find(kFields.begin(), kFields.end(), field) == kFields.end())
      throw Error({.code = ErrorCode::usage,
                   .element = "setting \"" + field + "\"",
                   .value = field,
                   .problem = "does not exist",
                   .remedy = suggestion(field, std::vector<std::string>(kFields.begin(), kFields.end()),
                                        "there are unit, amount, protect, never, set, loop, once")});
    const bool is_list = std::any_of(std::begin(kLists), std::end(kLists),
                                     [&, &name = field](const ListField& list) { return list.name == name; });
    if (value.empty()) {
      json.erase(field);
    } else if (is_list) {
      Json& list = json[field];
      if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
    } else if (field == "set") {
      const std::size_t equals = value.find('=');
      if (equals == std::string::npos)
        refuse_usage("set \"" + value + "\"", "is no PART.CONTROL=V", "give tail.rate=2");
      const double number = number_in(value.substr(equals + 1));
      json[field][value.substr(0, equals)] = std::isfinite(number) ? Json(number) : Json(value.substr(equals + 1));
    } else {
      json[field] = parse_number(value, field);
    }
  }
  const std::string text = json.dump(2) + "\n";
  FolderSettings checked;
  add_text(text, file, checked);  // throws before anything is written
  write_file(file, text);
  return file;
}

}  // namespace rigspace
