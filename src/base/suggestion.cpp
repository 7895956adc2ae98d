#include "rigspace/base/suggestion.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace rigspace {
namespace {

/// Edits (insertions, deletions, replacements) between two words.
int distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int above = row[j];
      row[j] =
          std::min({above + 1, row[j - 1] + 1, diagonal + (std::tolower(a[i - 1]) == std::tolower(b[j - 1]) ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string suggestion(const std::string& wrong, const std::vector<std::string>& known, std::string_view otherwise) {
  std::vector<std::pair<int, std::string>> near;
  for (const std::string& name : known) near.emplace_back(distance(wrong, name), name);
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (std::size_t k = 0; k < near.size() && k < 3; ++k) {
    if (near[k].first > 1 + static_cast<int>(wrong.size()) / 3) break;
    text += (text.empty() ? "did you mean \"" : "\" or \"") + near[k].second;
  }
  if (!text.empty()) return text + "\"?";
  return std::string(otherwise);
}

}  // namespace rigspace
