#pragma once
// Strokes of the sketch panel and the poses that they led to, as the project keeps them.

#include "message.h"

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace rigspace::studio {

inline constexpr double kSameTime = 1.0 / 120;  ///< s: what is done so near to a key belongs to it

/// A key of a curve that is added to a clip. Degrees or the control's unit, slopes per second.
struct ProjectKey {
  double time = 0, value = 0, in = 0, out = 0;
  bool operator==(const ProjectKey&) const = default;
};
using KeysByControl = std::map<std::string, std::vector<ProjectKey>>;

struct DrawnStroke {
  std::string name;
  std::string abstraction;  ///< stick, outline, action, one of the rig file's own, or kDrawnAbstraction
  std::string curve;        ///< of the abstraction; of an outline empty
  std::string camera;       ///< JSON, as --camera takes it
  double aspect = 1;        ///< width over height of the picture that it was drawn in
  std::vector<std::array<double, 2>> points;  ///< view units
  bool closed = false;
  bool locked = false;  ///< stays when its curve is drawn again and when all is cleared
  bool from = false;    ///< drawn on the body: the next stroke says where this line goes
  double residual = 0;  ///< root mean square distance of the curve, as a share of the size
  bool reached = true;
  bool operator==(const DrawnStroke&) const = default;
};

/// The strokes of one time.
struct DrawnKey {
  double time = 0;  ///< s of the clip; without a clip, of the clip that the drawing makes
  std::vector<DrawnStroke> strokes;
  std::map<std::string, double> base;   ///< what other keys added at this time when the first stroke came
  std::map<std::string, double> moved;  ///< what this key adds: degrees or the control's unit, by control
  bool operator==(const DrawnKey&) const = default;

  int unreached() const;
};

/// What dragged effectors of the full-body IK left at one time.
struct DraggedKey {
  double time = 0;                      ///< s, as of a DrawnKey
  std::map<std::string, double> moved;  ///< what this key adds: degrees or the control's unit, by control
  bool operator==(const DraggedKey&) const = default;
};

Json to_json(const DrawnKey& key);
Json to_json(const DraggedKey& key);
/// Throws Error that names the field.
DrawnKey drawn_key_from(const Json& json);
DraggedKey dragged_key_from(const Json& json);

/// What the keys add to each control over time: cubic keys, as smooth as the times allow, level at both ends.
KeysByControl drawn_tracks(std::span<const DrawnKey> keys);
KeysByControl dragged_tracks(std::span<const DraggedKey> keys);

/// The drawing as the file that `rigspace sketch pose --strokes` takes.
std::string strokes_text(std::span<const DrawnKey> keys);

}  // namespace rigspace::studio
