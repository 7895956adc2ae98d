// The controls of a part: numbers, or keys over time.

#include "rigspace/base/error.h"
#include "rigspace/parts/part.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace rigspace {
namespace {

/// As people write it.
std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

const SettingField& field_named(std::string_view name) {
  std::string names;
  for (const SettingField& each : setting_fields()) {
    if (each.name == name) return each;
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  throw Error({.code = ErrorCode::usage,
               .element = "control \"" + std::string(name) + "\"",
               .value = std::string(name),
               .problem = "is no control of a part",
               .remedy = "parts have " + names});
}

void require_in_range(const SettingField& field, double value) {
  if (value >= field.min && value <= field.max) return;
  throw Error({.code = ErrorCode::usage,
               .element = std::string(field.name),
               .value = short_number(value),
               .problem = "is " + short_number(value),
               .remedy = "expected " + short_number(field.min) + " to " + short_number(field.max)});
}

}  // namespace

Curve smooth_keys(std::vector<double> times, std::vector<double> values) {
  const std::vector<double> flat(times.size(), 0.0);
  return {.interpolation = Interpolation::hermite,
          .times = std::move(times),
          .values = std::move(values),
          .in_tangents = flat,
          .out_tangents = flat};
}

void PartSettings::set(std::string_view field, double value) {
  const SettingField& found = field_named(field);
  require_in_range(found, value);
  this->*found.value = value;
  std::erase_if(keys, [&](const SettingKeys& each) { return each.control == field; });
}

void PartSettings::key(std::string_view field, Curve curve) {
  const SettingField& found = field_named(field);
  const std::string name(field);
  curve.validate("control \"" + name + "\"");
  const auto refuse = [&](const char* problem, const char* remedy) {
    throw Error({.code = ErrorCode::usage, .element = name, .problem = problem, .remedy = remedy});
  };
  if (curve.values.empty()) refuse("has no key", "give a value, or TIME:VALUE for each key");
  for (const double value : curve.values) require_in_range(found, value);
  if (curve.values.size() == 1) return set(field, curve.values.front());
  if (!found.keyed) refuse("is keyed over time, but holds for a whole clip", "give one value");
  // Of these zero is "found by itself", which no moment can be.
  if ((name == "rate" || name == "settle") && *std::min_element(curve.values.begin(), curve.values.end()) <= 0)
    refuse("has a key of 0", "keys of it are above zero");
  set(field, curve.values.front());
  curve.before = curve.after = Extrapolation::hold;
  keys.push_back({name, std::move(curve)});
}

const Curve* PartSettings::keys_of(std::string_view field) const {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const SettingKeys& each) { return each.control == field; });
  return found == keys.end() ? nullptr : &found->curve;
}

double PartSettings::at(std::string_view field, double time) const {
  const Curve* curve = keys_of(field);
  if (curve == nullptr) return this->*field_named(field).value;
  const auto [least, most] = std::minmax_element(curve->values.begin(), curve->values.end());
  return std::clamp((*curve)(time), *least, *most);
}

std::string unrepeated_control(std::span<const Part> parts, double duration) {
  for (const Part& part : parts)
    for (const SettingKeys& each : part.settings.keys) {
      const double first = part.settings.at(each.control, 0), last = part.settings.at(each.control, duration);
      if (std::abs(last - first) > 1e-9 * std::max(1.0, std::abs(first))) return part.name + "." + each.control;
    }
  return "";
}

}  // namespace rigspace
