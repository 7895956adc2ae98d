#include "clip_values.h"

#include "rigspace/base/error.h"
#include "rigspace/jobs/arguments.h"
#include "rigspace/jobs/clip_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

[[noreturn]] void refuse_range(const std::string& option, const std::string& range, std::string problem,
                               std::string remedy) {
  throw Error({.code = ErrorCode::usage,
               .element = option + " \"" + range + "\"",
               .value = range,
               .problem = std::move(problem),
               .remedy = std::move(remedy)});
}

/// Whether the text is a time: digits, with s or f behind them.
bool is_time(std::string_view text) {
  if (text.ends_with('s') || text.ends_with('f')) text.remove_suffix(1);
  return std::isfinite(number_in(text));
}

bool is_range(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && is_time(text.substr(0, colon)) && is_time(text.substr(colon + 1));
}

/// The options of one clip pattern and range.
struct Group {
  std::string clip, range;
  std::vector<std::string> sets = {}, hits = {};
};

std::vector<Group> grouped(const ClipValues& values) {
  std::vector<Group> groups;
  const auto add = [&](const char* option, const std::string& given, std::vector<std::string> Group::*list) {
    ScopedOption scope = scoped_option(option, given);
    if (!scope.is_scoped()) return;
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& g) { return g.clip == scope.clip && g.range == scope.range; });
    if (group == groups.end()) group = groups.insert(group, {.clip = scope.clip, .range = scope.range});
    ((*group).*list).push_back(std::move(scope.text));
  };
  for (const std::string& each : values.sets) add("--set", each, &Group::sets);
  for (const std::string& each : values.hits) add("--hit", each, &Group::hits);
  return groups;
}

/// The stretch of the clip that is simulated, s.
Stretch simulated_stretch(const RecipeClip& clip, const Character& character) {
  if (clip.has_motion()) return {clip.times.front(), clip.times.back()};
  return {clip.start, std::min(clip.end, character.clip(clip.base)->duration)};
}

std::vector<RecipeValue> parsed(const Group& group, const RecipeClip& clip, const ClipValues& values) {
  const Stretch whole = simulated_stretch(clip, values.character);
  ClipTimes times;
  times.include(clip.frame_rate, whole.from, whole.to);
  std::vector<RecipeValue> result = parse_sets(group.sets, values.parts, values.file, times);
  for (RecipeValue& hit : parse_hits(group.hits, values.parts, values.file, times)) result.push_back(std::move(hit));
  return result;
}

}  // namespace

ScopedOption scoped_option(const std::string& option, const std::string& given) {
  const std::size_t equals = given.find('=');
  const std::size_t at = equals == std::string::npos ? std::string::npos : given.find('@', equals);
  if (at == std::string::npos) return {.text = given};
  ScopedOption result{.text = given.substr(0, at), .clip = given.substr(at + 1)};
  const bool nameless = result.clip.empty() || result.clip.front() == '@' || result.clip.back() == '@';
  const std::size_t last = result.clip.rfind('@');
  if (const std::string behind = result.clip.substr(last == std::string::npos ? 0 : last + 1); is_range(behind)) {
    result.range = behind;
    result.clip.resize(last == std::string::npos ? 0 : last);
  }
  if (nameless)
    refuse_usage(
        option + " \"" + given + "\"", "has nothing behind its @",
        "name a clip, and perhaps frames or seconds of it: " + result.text + "@Walk, @Walk@10:20, @Walk@0.5s:1s");
  return result;
}

std::vector<std::string> for_all_clips(const std::vector<std::string>& given) {
  std::vector<std::string> all = given;
  std::erase_if(all, [](const std::string& each) { return scoped_option("--set", each).is_scoped(); });
  return all;
}

bool has_scoped(const std::vector<std::string>& given) { return for_all_clips(given).size() < given.size(); }

Stretch parse_range(const std::string& range, double frame_rate, const std::string& option) {
  const std::size_t colon = range.find(':');
  if (colon == std::string::npos)
    refuse_range(option, range, "is not FROM:TO", "give frames (1035:1050) or seconds (0.5s:1.2s)");
  const auto time = [&](std::string text) {
    if (!text.ends_with('s') && !text.ends_with('f')) text += 'f';
    return parse_time(text, frame_rate, option);
  };
  const Stretch stretch{time(range.substr(0, colon)), time(range.substr(colon + 1))};
  if (!(stretch.from < stretch.to))
    refuse_range(option, range, "ends before it begins", "give FROM:TO with FROM before TO");
  return stretch;
}

void merge_values(std::vector<RecipeValue>& values, const std::vector<RecipeValue>& given) {
  for (const RecipeValue& each : given) {
    std::erase_if(values, [&](const auto& v) { return v.part == each.part && v.control == each.control; });
    values.push_back(each);
  }
}

std::vector<int> tasks_meant(const std::vector<ClipTask>& tasks, const std::string& text, const std::string& file,
                             const char* where) {
  std::vector<std::string> bases, names;
  for (const ClipTask& task : tasks) bases.push_back(task.clip.base), names.push_back(task.clip.name);
  const bool by_own_name = matching_names(bases, text).empty() && !matching_names(names, text).empty();
  return clips_meant(by_own_name ? names : bases, text, file, where);
}

void add_edits(std::vector<ClipTask>& tasks, const std::vector<bool>& chosen, const RangeValues& given) {
  bool met = false;
  double longest = 0;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    if (!chosen[k]) continue;
    RecipeClip& clip = tasks[k].clip;
    const Stretch whole = simulated_stretch(clip, given.character);
    const auto [from, to] = parse_range(given.range, clip.frame_rate, given.option);
    longest = std::max(longest, whole.to);
    const double first = std::max(from, whole.from), last = std::min(to, whole.to);
    if (!(first < last)) continue;
    met = true;
    clip.edits.push_back({first, last, given.values(clip)});
  }
  if (!met)
    refuse_range(given.option, given.range, "meets no clip", fmt::format("the longest ends at {:.4g} s", longest));
}

std::vector<bool> set_in_clips(std::vector<ClipTask>& tasks, const ClipValues& values) {
  std::vector<bool> changed(tasks.size());
  for (const Group& group : grouped(values)) {
    std::vector<bool> chosen(tasks.size(), group.clip.empty());
    if (!group.clip.empty())
      for (const int k : tasks_meant(tasks, group.clip, values.file, values.where))
        chosen[static_cast<std::size_t>(k)] = true;
    if (!group.range.empty()) {
      add_edits(tasks, chosen,
                {.range = group.range,
                 .option = group.sets.empty() ? "--hit" : "--set",
                 .character = values.character,
                 .values = [&](const RecipeClip& clip) { return parsed(group, clip, values); }});
      continue;
    }
    for (std::size_t k = 0; k < tasks.size(); ++k)
      if (chosen[k]) merge_values(tasks[k].clip.set, parsed(group, tasks[k].clip, values)), changed[k] = true;
  }
  return changed;
}

}  // namespace rigspace
