#include "rigspace/jobs/clip_names.h"

#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/rig/control.h"

#include <algorithm>
#include <cctype>

namespace rigspace {
namespace {

bool is_pattern(const std::string& text) { return text.find_first_of("*?") != std::string::npos; }

std::string behind_last_mark(const std::string& name) { return name.substr(name.find_last_of("|:/") + 1); }

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

template <class Rule>
std::vector<int> all_that(std::span<const std::string> names, const Rule& rule) {
  std::vector<int> found;
  for (int k = 0; k < static_cast<int>(names.size()); ++k)
    if (rule(names[k])) found.push_back(k);
  return found;
}

std::vector<int> matching_case(std::span<const std::string> names, const std::string& text) {
  if (auto found = all_that(names, [&](const std::string& name) { return name == text; }); !found.empty()) return found;
  if (auto found = all_that(names, [&](const std::string& name) { return behind_last_mark(name) == text; });
      !found.empty())
    return found;
  if (!is_pattern(text)) return {};
  return all_that(names, [&](const std::string& name) {
    return matches_pattern(name, text) || matches_pattern(behind_last_mark(name), text);
  });
}

}  // namespace

std::vector<int> matching_names(std::span<const std::string> names, const std::string& text) {
  if (text.empty()) return {};
  if (auto found = matching_case(names, text); !found.empty()) return found;
  std::vector<std::string> lowered;
  for (const std::string& name : names) lowered.push_back(lower(name));
  return matching_case(lowered, lower(text));
}

std::vector<int> clips_meant(std::span<const std::string> names, const std::string& text, const std::string& file,
                             const char* where) {
  if (text.empty())
    throw Error({.code = ErrorCode::usage,
                 .file = file,
                 .element = "--clip \"\"",
                 .problem = "is empty",
                 .remedy = names.empty() ? std::string("leave it out")
                                         : "name a clip, as " + shell_quoted(names.front()) + ", or leave it out"});
  std::vector<int> found = matching_names(names, text);
  if (found.empty())
    throw Error({.file = file,
                 .element = "clip \"" + text + "\"",
                 .value = text,
                 .problem = std::string("is not in the ") + where,
                 .remedy = names.empty()
                               ? "it has no clips"
                               : suggestion(text, {names.begin(), names.end()}, "`rigspace info` lists them")});
  if (std::all_of(found.begin(), found.end(), [&](int k) { return names[k] == names[found.front()]; }))
    found.erase(found.begin() + 1, found.end());
  if (found.size() > 1 && !is_pattern(text)) {
    std::string candidates;
    for (const int k : found) candidates += (candidates.empty() ? "" : ", ") + shell_quoted(names[k]);
    throw Error({.code = ErrorCode::usage,
                 .file = file,
                 .element = "clip \"" + text + "\"",
                 .value = text,
                 .problem = "could be " + std::to_string(found.size()) + " clips",
                 .remedy = "write one of " + candidates});
  }
  return found;
}

std::string shell_quoted(const std::string& text) {
  constexpr const char* kSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!text.empty() && text.find_first_not_of(kSafe) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'')
      quoted.append("'\\''");
    else
      quoted.push_back(c);
  }
  quoted.push_back('\'');
  return quoted;
}

}  // namespace rigspace
