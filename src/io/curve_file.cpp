#include "rigspace/io/curve_file.h"

#include "curve_format.h"
#include "rigspace/anim/key_rate.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

struct CurveFormat {
  std::string_view ending;
  std::vector<CurveText> (*write)(CurveJob&);
};

constexpr CurveFormat kFormats[] = {{"rigspace.json", curves_rigspace_json},
                                    {"csv", curves_csv},
                                    {"atom", curves_atom},
                                    {"chan", curves_chan},
                                    {"usda", curves_usda},
                                    {"bvh", curves_bvh}};

const CurveFormat* curve_format_of(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const CurveFormat& format : kFormats)
    if (name.ends_with(format.ending) && name.size() > format.ending.size() &&
        name[name.size() - format.ending.size() - 1] == '.')
      return &format;
  return nullptr;
}

}  // namespace

void check_units(const CurveFile& file, std::span<const Control> controls) {
  for (const Control& control : controls) {
    if (control.unit == Unit::quaternion) continue;
    for (const Animation& clip : file.clips)
      for (const Track& track : clip.tracks)
        if (track.control == control.name && file.unit_of(control.name) != control.unit)
          throw Error({.element = "clip \"" + clip.name + "\": control \"" + control.name + "\"",
                       .value = std::string(name(file.unit_of(control.name))),
                       .problem = "is in the unit " + std::string(name(file.unit_of(control.name))),
                       .remedy = "the rig has it as " + std::string(name(control.unit))});
  }
}

Unit unit_by_name(std::string_view control) {
  if (control.size() < 4 || control[control.size() - 3] != '.') return Unit::scalar;
  if (std::string_view("xyz").find(control.back()) == std::string_view::npos) return Unit::scalar;
  switch (control[control.size() - 2]) {
    case 't': return Unit::length;
    case 'r': return Unit::angle;
    case 's': return Unit::scale;
    default: return Unit::scalar;
  }
}

Unit CurveFile::unit_of(std::string_view control) const {
  const auto found = units.find(control);
  return found == units.end() ? unit_by_name(control) : found->second;
}

const Animation* CurveFile::clip(std::string_view clip_name) const {
  const auto found =
      std::find_if(clips.begin(), clips.end(), [&](const Animation& clip) { return clip.name == clip_name; });
  return found == clips.end() ? nullptr : &*found;
}

CurveFile curve_file(const Character& character, std::span<const Animation> clips) {
  CurveFile file{.name = character.name, .clips = {clips.begin(), clips.end()}};
  for (const Control& control : character.rig->controls())
    if (control.unit != Unit::quaternion && control.unit != unit_by_name(control.name))
      file.units[control.name] = control.unit;
  return file;
}

void CurveOptions::validate() const {
  require_option(fps == 0 || (fps >= 1 && fps <= 1000), "frames per second", fps, "expected 1 to 1000");
}

std::vector<std::string> write_curves(const std::filesystem::path& path, const Character& character,
                                      const Animation& animation, const CurveOptions& options) {
  options.validate();
  const CurveFormat* format = curve_format_of(path);
  if (!format)
    throw Error({.code = ErrorCode::usage,
                 .file = path.string(),
                 .problem = "is no kind of curve file",
                 .remedy = "its name must end in one of " + std::string(curve_endings())});
  CurveJob job{.character = character,
               .animation = animation,
               .fps = options.fps > 0 ? options.fps : key_rate(animation),
               .base = options.base,
               .notes = {}};
  if (!(animation.duration >= 0 && animation.duration * job.fps < 1e7))
    throw Error({.file = path.string(),
                 .element = "clip \"" + animation.name + "\"",
                 .value = number_text(animation.duration),
                 .problem = "lasts " + number_text(animation.duration) + " s",
                 .remedy = "expected fewer than ten million frames"});
  try {
    for (const CurveText& part : format->write(job)) write_file(path.string() + part.suffix, part.text);
  } catch (const Error& error) {
    if (!error.info().file.empty()) throw;
    throw error.in_file(path.string());
  }
  return std::move(job.notes);
}

std::string_view curve_endings() {
  static const std::string endings = [] {
    std::string text;
    for (const CurveFormat& format : kFormats) text += (text.empty() ? "" : " ") + std::string(format.ending);
    return text;
  }();
  return endings;
}

bool is_curve_file(const std::filesystem::path& path) { return curve_format_of(path) != nullptr; }

}  // namespace rigspace
