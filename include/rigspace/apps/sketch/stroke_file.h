#pragma once
// Drawings in files: strokes as JSON, and paths of SVG files, so that any drawing program will do.

#include "rigspace/apps/sketch/stroke.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rigspace {

struct StrokeFile {
  std::vector<Stroke> strokes;
  int width = 0, height = 0;  ///< pixels of the drawing; 0: the strokes were given in view units
  std::string camera;         ///< as --camera takes it; empty: none given

  double aspect() const { return height > 0 ? static_cast<double>(width) / height : 1; }
};

/// By the ending: .svg, otherwise JSON. Throws Error naming file, line and field.
StrokeFile read_strokes(const std::filesystem::path& path);
/// {"width", "height", "camera", "strokes": [{"points": [[x, y], ..], "closed", "name", "curve", "time", "to", "part",
/// "camera", "abstraction"}, ..]}. A stroke may also be its list of points alone. `to` is the name of another stroke.
StrokeFile parse_strokes(std::string text, const std::string& name);
/// Paths (M L H V C S Q T Z, capital or not), polylines, polygons and lines, with transforms of groups. An id is a
/// stroke's name; the innermost group that holds it is its part: the group's id, or "group 3". What else is drawn is
/// left out.
StrokeFile parse_svg_strokes(const std::string& text, const std::string& name);

/// Pixels of a picture of this size, from the top left.
std::string to_strokes_json(const StrokeFile& file);
std::string to_strokes_svg(const StrokeFile& file);

}  // namespace rigspace
