#include "rigspace/jobs/arguments.h"

#include "rigspace/base/error.h"
#include "rigspace/io/formats.h"
#include "rigspace/jobs/clip_names.h"
#include "rigspace/jobs/content.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

namespace rigspace {

double number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : std::numeric_limits<double>::quiet_NaN();
}

void refuse_usage(std::string element, std::string problem, std::string remedy) {
  throw Error({.code = ErrorCode::usage,
               .element = std::move(element),
               .problem = std::move(problem),
               .remedy = std::move(remedy)});
}

void refuse_file(std::string file, std::string problem, std::string remedy) {
  throw Error(
      {.code = ErrorCode::usage, .file = std::move(file), .problem = std::move(problem), .remedy = std::move(remedy)});
}

void require_frame_rate(double rate, const std::string& option) {
  if (!(rate >= kLeastFrameRate && rate <= kMostFrameRate))
    refuse_usage(fmt::format("{} {:g}", option, rate), "is out of range",
                 fmt::format("give {:g} to {:g} frames a second", kLeastFrameRate, kMostFrameRate));
}

const Animation* clip_named(const Character& character, const std::string& file, const std::string& clip) {
  if (clip.empty()) return nullptr;
  std::vector<std::string> names;
  for (const Animation& each : character.clips) names.push_back(each.name);
  const std::vector<int> found = clips_meant(names, clip, file);
  if (found.size() == 1) return &character.clips[found.front()];
  std::string candidates;
  for (const int k : found) candidates += (candidates.empty() ? "" : ", ") + shell_quoted(names[k]);
  throw Error({.code = ErrorCode::usage,
               .file = file,
               .element = "clip \"" + clip + "\"",
               .value = clip,
               .problem = "means " + std::to_string(found.size()) + " clips, and one is needed",
               .remedy = "write one of " + candidates});
}

double parse_time(const std::string& text, double fps, std::string_view option) {
  std::string_view digits = text;
  double unit = 1;
  if (digits.ends_with('f'))
    digits.remove_suffix(1), unit = 1 / fps;
  else if (digits.ends_with('s'))
    digits.remove_suffix(1);
  const double value = number_in(digits);
  if (!std::isfinite(value))
    refuse_usage(fmt::format("{} \"{}\"", option, text), "is not a time", "give seconds (0.5) or frames (12f)");
  return value * unit;
}

void check_writable(const std::filesystem::path& output) {
  namespace fs = std::filesystem;
  const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
  const auto refuse = [&](std::string problem, std::string remedy) {
    throw Error({.file = output.string(), .problem = std::move(problem), .remedy = std::move(remedy)});
  };
  if (!fs::is_directory(folder)) refuse("cannot be written: its folder does not exist", "create " + folder.string());
  if (fs::is_directory(output)) refuse("is a folder", "name a file in it");
  if (::access(folder.c_str(), W_OK) != 0) refuse("cannot be written: its folder is read-only", "choose another one");
}

void check_apart(const std::filesystem::path& input, const std::filesystem::path& output, std::string_view what) {
  std::error_code ignored;
  if (!input.empty() && !output.empty() && std::filesystem::equivalent(input, output, ignored))
    throw Error({.code = ErrorCode::usage,
                 .file = output.string(),
                 .problem = fmt::format("is the {} itself", what),
                 .remedy = "give the output another name: the artist's file is never overwritten"});
}

void check_input(const std::string& file, const std::filesystem::path& output) {
  require_format_of(file);
  check_apart(file, output, "input");
  if (file.ends_with(".rig.json")) check_apart(mesh_of_rig(file), output, "mesh of " + file);
}

double parse_number(std::string_view text, const std::string& what) {
  const double value = number_in(text);
  if (!std::isfinite(value)) refuse_usage(what, "has no number behind the =", "give one, such as 0.6");
  return value;
}

void check_extension(const std::filesystem::path& output, std::string_view extensions) {
  std::string extension = output.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  std::string list;
  std::size_t begin = 0;
  while (begin <= extensions.size()) {
    const std::size_t end = std::min(extensions.find(' ', begin), extensions.size());
    std::string each(1, '.');
    each += extensions.substr(begin, end - begin);
    if (each == extension) return;
    list += (list.empty() ? "" : ", ") + each;
    begin = end + 1;
  }
  throw Error({.code = ErrorCode::usage,
               .file = output.string(),
               .value = extension,
               .problem = extension.empty() ? "has no extension" : "has the extension " + extension,
               .remedy = "this command writes " + list});
}

}  // namespace rigspace
