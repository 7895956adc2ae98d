#pragma once
// Curves in files: our own `.rigspace.json`, in and out, and what other programs read, out only. docs/curves.md shows
// each of them.

#include "rigspace/anim/character.h"

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

/// What a `.rigspace.json` holds: clips by the names of controls, without the character that they move.
struct CurveFile {
  std::string name;
  std::vector<Animation> clips;
  /// Of controls whose unit is not that of their name, see unit_by_name.
  std::map<std::string, Unit, std::less<>> units;

  Unit unit_of(std::string_view control) const;
  /// The clip with this name, or nullptr.
  const Animation* clip(std::string_view clip_name) const;
};

/// `<node>.tx|ty|tz` is a length, `.rx|ry|rz` an angle, `.sx|sy|sz` a scale, anything else a scalar.
Unit unit_by_name(std::string_view control);

/// Throws Error if a curve is in another unit than the control that it is for.
void check_units(const CurveFile& file, std::span<const Control> controls);

/// Throws Error naming file, line and field.
CurveFile read_curves(const std::filesystem::path& path);
/// The same from memory; `name` stands for the file in messages.
CurveFile parse_curves(std::string text, const std::string& name);

/// Reads back as the same bits, but for angles, which are degrees there: those may move by one unit in the last place
/// the first time they are written, and never again.
std::string to_curves_json(const CurveFile& file);

/// The clips of a character, or some of them, with the units of its controls.
CurveFile curve_file(const Character& character, std::span<const Animation> clips);

struct CurveOptions {
  double fps = 0;                   ///< frames per second of what is sampled, 1 to 1000; 0: key_rate
  const Animation* base = nullptr;  ///< CSV: the artist's clip that `delta` counts from; none: delta is zero

  void validate() const;
};

/// Writes a clip of a character, by the ending of `path`: one of curve_endings(). Returns sentences about what the
/// format cannot hold or had to rename. Throws Error for any other ending, and for a rig that has no nodes where the
/// format needs them. Nothing is left half-written.
std::vector<std::string> write_curves(const std::filesystem::path& path, const Character& character,
                                      const Animation& animation, const CurveOptions& options = {});

/// What write_curves writes, without the leading dot: "rigspace.json csv atom chan usda bvh".
std::string_view curve_endings();
/// True if write_curves has a format with the ending of `path`.
bool is_curve_file(const std::filesystem::path& path);

}  // namespace rigspace
