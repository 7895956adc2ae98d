#pragma once
// What `pose` is told about points: which vertex, and where it shall go.

#include "command.h"

#include "rigspace/apps/physics/pose_path.h"
#include "rigspace/render/renderer.h"

#include <string>
#include <string_view>
#include <vector>

namespace rigspace::tools {

/// Finds vertices in a pose of a character.
class VertexFinder {
 public:
  VertexFinder(const Character& character, std::string file, In p);

  /// `12`, `nearest:x,y,z`, or the name of a joint: the vertex of a drawn surface that is nearest to it, and that its
  /// own controls move where any do. Throws Error.
  int find(const std::string& text) const;
  Vec3 position(int vertex) const { return point(snapshot_.points, vertex); }

 private:
  int nearest(const Vec3& place, const std::string& node) const;

  const Character& character_;
  std::string file_;
  Vec p_;
  Snapshot snapshot_;
};

struct PullArgument {
  std::string vertex;  ///< as it was written
  int point = 0;
  PullPath path;
  bool moves = false;  ///< it came from a file
};

/// `VERTEX=x,y,z`, `VERTEX=+x,y,z` (by that much), `VERTEX=FILE.csv` (time,x,y,z in each line). Throws Error.
PullArgument parse_pull(const std::string& text, const VertexFinder& finder);

/// Which controls turn: patterns on controls, their nodes or their groups.
struct FreeArguments {
  std::vector<std::string> free;  ///< these alone; none: see posable_controls
  std::vector<std::string> also;  ///< beside what turns anyway
  std::vector<std::string> keep;  ///< these stay
};

struct PosedPoints {
  std::vector<int> pulled, held;
  bool swing = false;  ///< with momentum: joints off the chains of these points are free as well
};

/// Ascending. Throws Error if a pattern meets nothing, or nothing is left.
std::vector<int> free_controls(const Character& character, In p, const FreeArguments& arguments,
                               const PosedPoints& points);

}  // namespace rigspace::tools
