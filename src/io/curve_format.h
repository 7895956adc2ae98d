#pragma once
// What the writers of curve files share. A new format is a function `std::vector<CurveText> NAME(CurveJob&)` in a file
// of its own, a line in the list of curve_file.cpp, and a test.

#include "rigspace/io/curve_file.h"
#include "rigspace/rig/rig.h"

#include <array>
#include <set>

namespace rigspace {

struct CurveJob {
  const Character& character;
  const Animation& animation;
  double fps;                      ///< 1/s, decided
  const Animation* base;           ///< or nullptr
  std::vector<std::string> notes;  ///< sentences for the user
};

/// A file to be written: at the output's path with `suffix` appended.
struct CurveText {
  std::string suffix;
  std::string text;
};

std::vector<CurveText> curves_rigspace_json(CurveJob&);
std::vector<CurveText> curves_csv(CurveJob&);
std::vector<CurveText> curves_atom(CurveJob&);
std::vector<CurveText> curves_chan(CurveJob&);
std::vector<CurveText> curves_usda(CurveJob&);
std::vector<CurveText> curves_bvh(CurveJob&);

/// 0, 1/fps .. up to the first frame that is not before the end, in seconds.
std::vector<double> whole_frames(double duration, double fps);

/// As people write it, with this many significant digits; 17 read back as the same bits.
std::string number_text(double value, int digits = 12);
/// With as few digits as read back as the same bits.
std::string exact_text(double value);
constexpr double kDegrees = 57.295779513082320876798154814105;  // per radian

/// The controls of one node that a clip animates, in a pose vector; -1 where the rig has none.
struct NodeChannels {
  std::string node;
  std::array<int, 3> t{-1, -1, -1}, r{-1, -1, -1}, s{-1, -1, -1};
  std::array<int, 4> q{-1, -1, -1, -1};
  bool moves = false, turns = false, scales = false;  ///< whether any of t; q and r; s is animated

  /// R = R(q) exp(r) of a glTF node as angles about x, y, z in radians, x first (R = R_z R_y R_x), near to others; of a
  /// node without q, its r as they are.
  Vec3 angles(In p, const Vec3& near) const;
};

struct ClipChannels {
  std::vector<NodeChannels> nodes;  ///< those that are animated, in the rig's order
  std::vector<int> others;          ///< animated controls of no node's transform, ascending
};
ClipChannels clip_channels(std::span<const Control> controls, std::span<const int> animated);

/// True if a format allows this character in a name, as its first one.
using AllowedInName = bool (*)(char c, bool first);
/// Letters, digits and _, no digit first.
bool allowed_in_identifier(char c, bool first);

/// Names as a format allows them, each given once; other characters become _.
class NameMap {
 public:
  /// `format` is for sentences.
  NameMap(std::string format, AllowedInName allowed) : format_(std::move(format)), allowed_(allowed) {}

  std::string operator()(const std::string& name);
  /// Adds a sentence if any name was changed.
  void tell(std::vector<std::string>& notes) const;

 private:
  std::string format_;
  AllowedInName allowed_;
  std::map<std::string, std::string> given_;
  std::set<std::string> taken_;
  std::vector<std::string> changed_;
};

}  // namespace rigspace
