#pragma once
// A tree of places that becomes joints: thinned where it is straight, rooted in its middle, named by side.

#include "rigspace/rig/skeleton_extraction.h"

#include <vector>

namespace rigspace {

class JointTree {
 public:
  int count() const { return static_cast<int>(place_.size()); }
  /// `depth`: how thick the body is there. Neighbours of a node are its parent and those that name it as theirs.
  void add(const Vec3& place, double depth, int parent);

  struct Thinning {
    double bend = 0;     ///< scene units: how far a bone may be from what it stands for
    double longest = 0;  ///< bones are not longer
    double merge = 0;    ///< branchings nearer than this to each other become one
  };
  /// Leaves branchings, tips, and on the way between them joints where it bends, or where a bone would be too long.
  void simplify(const Thinning& thinning);

  /// Rooted at the branching from which the farthest tip is nearest. `axis`: of the plane of symmetry through `middle`,
  /// or -1.
  std::vector<JointPlace> joints(int axis, const Vec3& middle, int& branches) const;

 private:
  using Path = std::vector<int>;
  std::vector<Path> paths() const;
  void smooth(const Path& path);
  std::vector<int> kept_of(const Path& path, const Thinning& thinning) const;
  void divide(const Path& path, int begin, int end, double bend, std::vector<char>& keep) const;
  void merge_branchings(double distance);
  int root() const;
  Vec lengths_from(int node) const;

  std::vector<Vec3> place_;
  std::vector<double> depth_;
  std::vector<std::vector<int>> next_;
};

}  // namespace rigspace
