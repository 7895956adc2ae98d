#pragma once
// What of a lattice lies inside, and where its edges leave the inside.

#include "bcc_lattice.h"
#include "solids.h"

#include "rigspace/base/progress.h"

#include <limits>

namespace rigspace {

enum class Label : std::uint8_t {
  outside,
  inside,
  thickened,  ///< outside, but near a part hardly thicker than a cell: counts as inside
};

/// Labels any point of space.
class Classifier {
 public:
  Classifier(const Solids& solids, double cell, double dilation)
      : solids_(solids), cell_(cell), reach_(dilation * cell) {}

  Label operator()(const Vec3& x) const {
    if (solids_.inside(x)) return Label::inside;
    return thickened(x) ? Label::thickened : Label::outside;
  }
  const Solids& solids() const { return solids_; }

 private:
  static constexpr double kKept = 1.3;

  bool thickened(const Vec3& x) const;
  double thickness(const Vec3& from, const Vec3& inward) const;

  const Solids& solids_;
  double cell_, reach_;
};

class LatticeField {
 public:
  static constexpr double kNoExit = 2;

  LatticeField(const Solids& solids, double cell, double dilation, const ProgressCallback& progress);

  const BccLattice& lattice() const { return lattice_; }
  /// Lattice points that are inside, or have a neighbour that is; ascending.
  const std::vector<int>& active() const { return active_; }
  int active_index(int v) const { return index_[v]; }

  bool filled(int v) const { return label_[v] != Label::outside; }
  /// Distance to the skin, scene units; infinite beyond a cell.
  double depth(int v) const { return distance_[v]; }

  /// Where the edge from filled v first leaves the inside, as a fraction of it, or kNoExit.
  double exit(int v, int direction) const { return exit_[slot(v, direction)]; }
  /// Both ends are filled, but not all between them.
  bool blocked(int v, int direction) const { return exit_[slot(v, direction)] <= 1; }
  void unblock(int v, int direction) {
    exit_[slot(v, direction)] = exit_[slot(lattice_.neighbour(v, direction), opposite(direction))] = kNoExit;
  }
  void give_up(int v) { label_[v] = Label::outside; }

 private:
  std::size_t slot(int v, int direction) const {
    return static_cast<std::size_t>(index_[v]) * kDirections + static_cast<std::size_t>(direction);
  }
  void lay_out(const Box& box, double cell);
  void label_row(const Classifier& classify, int first, int count);
  void label_points(const Classifier& classify, const ProgressCallback& progress);
  void find_active();
  void find_exits(const Classifier& classify, const ProgressCallback& progress);

  BccLattice lattice_;
  std::vector<Label> label_;
  std::vector<float> distance_;
  std::vector<int> index_, active_;
  std::vector<double> exit_;  // per active point and direction
};

}  // namespace rigspace
