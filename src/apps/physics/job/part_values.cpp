#include "part_values.h"

#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/jobs/arguments.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigspace {
namespace {

std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> pieces{""};
  for (const char c : text) {
    if (c == mark)
      pieces.emplace_back();
    else
      pieces.back() += c;
  }
  return pieces;
}

double time_of(const std::string& text, const ClipTimes& times, const std::string& option) {
  if (text.ends_with('f') && times.frame_rate == 0)
    refuse_usage(option, "counts frames, and the clips have different rates", "give seconds, or name one --clip");
  return parse_time(text, times.frame_rate, option);
}

/// Parses `0:1,24f:0.3,2.0:1`, with an optional last word for the interpolation.
Curve parse_keys(const std::string& text, const ClipTimes& times, const std::string& option) {
  constexpr Interpolation kinds[] = {Interpolation::step, Interpolation::linear, Interpolation::catmull_rom,
                                     Interpolation::natural};
  Curve keys = smooth_keys({}, {});
  for (const std::string& piece : split(text, ',')) {
    const auto colon = piece.find(':');
    if (colon == std::string::npos) {
      const auto kind = std::find_if(std::begin(kinds), std::end(kinds), [&](auto k) { return name(k) == piece; });
      if (kind == std::end(kinds) && piece != "smooth")
        refuse_usage(option, "has \"" + piece + "\" among its keys",
                     "keys are TIME:VALUE, with commas; behind them smooth, linear, step, catmull_rom or natural");
      if (kind != std::end(kinds)) keys.interpolation = *kind;
      continue;
    }
    keys.times.push_back(time_of(piece.substr(0, colon), times, option));
    keys.values.push_back(parse_number(piece.substr(colon + 1), option));
    if (keys.times.size() > 1 && !(keys.times.back() > keys.times[keys.times.size() - 2]))
      refuse_usage(option, "has a key that is not later than the one before", "give keys in the order of their times");
  }
  const bool smooth = keys.interpolation == Interpolation::hermite;
  keys.in_tangents.assign(smooth ? keys.times.size() : 0, 0.0);
  keys.out_tangents = keys.in_tangents;
  return keys;
}

/// The parts whose names match the pattern. Throws Error if there is none.
std::vector<const Part*> parts_matching(const std::string& pattern, std::span<const Part> parts,
                                        const std::string& file) {
  std::vector<const Part*> met;
  std::vector<std::string> names;
  for (const Part& part : parts) {
    names.push_back(part.name);
    if (matches_pattern(part.name, pattern)) met.push_back(&part);
  }
  if (met.empty())
    throw Error({.file = file,
                 .element = "part \"" + pattern + "\"",
                 .value = pattern,
                 .problem = "does not exist",
                 .remedy = suggestion(pattern, names, "parts are listed when the command runs without --set")});
  return met;
}

}  // namespace

void ClipTimes::include(double clip_frame_rate, double start, double end) {
  frame_rate = !any_ || frame_rate == clip_frame_rate ? clip_frame_rate : 0;
  first = any_ ? std::min(first, start) : start;
  last = any_ ? std::max(last, end) : end;
  any_ = true;
}

std::vector<RecipeValue> parse_sets(const std::vector<std::string>& sets, std::span<const Part> parts,
                                    const std::string& file, const ClipTimes& times) {
  std::vector<RecipeValue> values;
  for (const std::string& set : sets) {
    const std::string option = "--set \"" + set + "\"";
    const auto equals = set.find('='), dot = set.rfind('.', equals);  // names of parts may have dots
    if (dot == std::string::npos || equals == std::string::npos)
      refuse_usage(option, "is not PART.CONTROL=VALUE", "for example --set tail.amount=0.6");
    RecipeValue value{.control = set.substr(dot + 1, equals - dot - 1)};
    const std::string text = set.substr(equals + 1);
    if (value.control == "hit") refuse_usage(option, "is no value", "moments are given as --hit PART=TIME");
    if (text.find(':') != std::string::npos)
      value.keys = parse_keys(text, times, option);
    else
      value.value = parse_number(text, option);
    PartSettings scratch;
    value.apply_to(scratch);  // throws if there is no such control or the value is out of range
    for (const Part* part : parts_matching(set.substr(0, dot), parts, file)) {
      value.part = part->name;
      values.push_back(value);
    }
  }
  return values;
}

std::vector<RecipeValue> parse_hits(const std::vector<std::string>& hits, std::span<const Part> parts,
                                    const std::string& file, const ClipTimes& times) {
  std::vector<RecipeValue> values;
  for (const std::string& hit : hits) {
    const std::string option = "--hit \"" + hit + "\"";
    const auto equals = hit.find('=');
    if (equals == std::string::npos || equals == 0)
      refuse_usage(option, "is not PART=TIME", "for example --hit belly=24f");
    std::vector<double> moments;
    if (hit.substr(equals + 1) != "none")
      for (const std::string& piece : split(hit.substr(equals + 1), ',')) {
        moments.push_back(time_of(piece, times, option));
        if (moments.back() < times.first - 1e-6 || moments.back() > times.last + 1e-6)
          refuse_usage(option, "is outside of what is simulated of the clip",
                       fmt::format("that is {:.4g} to {:.4g} s", times.first, times.last));
      }
    for (const Part* part : parts_matching(hit.substr(0, equals), parts, file)) {
      auto known = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.part == part->name; });
      if (known == values.end()) known = values.insert(known, {.part = part->name, .control = "hit"});
      known->moments.insert(known->moments.end(), moments.begin(), moments.end());
    }
  }
  return values;
}

std::string keys_in_words(const Curve& keys) {
  std::string text;
  for (std::size_t k = 0; k < keys.times.size(); ++k)
    text += fmt::format("{}{:.4g} at {:.4g} s", k > 0 ? ", " : "", keys.values[k], keys.times[k]);
  return text;
}

std::string moments_in_words(const std::vector<double>& moments) {
  std::string text;
  for (const double moment : moments) text += fmt::format("{}{:.4g} s", text.empty() ? "at " : ", ", moment);
  return text.empty() ? "none" : text;
}

std::string value_in_words(const RecipeValue& value) {
  if (value.control == "hit") return moments_in_words(value.moments);
  return value.keys.times.empty() ? fmt::format("{:.4g}", value.value) : keys_in_words(value.keys);
}

}  // namespace rigspace
