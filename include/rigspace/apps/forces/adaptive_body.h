#pragma once
// Force bodies whose cells are split where rigs need it (PBR 4.5).

#include "rigspace/apps/forces/force_rig.h"
#include "rigspace/geometry/winding_number.h"

#include <map>
#include <memory>
#include <vector>

namespace rigspace {

/// Makes bodies of one whole body with more or fewer of its cells split. What a split body has of the whole one stays:
/// stiffness of cells that are not split, joints of vertices, points of the skin. New vertices take the mean of their
/// parents' joints, and are held where all their parents are by one bone.
class AdaptiveBody {
 public:
  explicit AdaptiveBody(std::shared_ptr<const ForceBody> whole);

  const std::shared_ptr<const ForceBody>& whole() const { return whole_; }
  /// With no cell split.
  SplitLattice lattice() const { return SplitLattice(whole_->elements.lattice); }
  std::shared_ptr<const ForceBody> body(const SplitLattice& lattice) const;
  /// The leaf that holds a point of the skin, and where.
  HexPlace leaf_of(const SplitLattice& lattice, int point) const { return lattice.leaf_at(places_[point]); }

  /// Throws Error for a cell that is not there or is split already. `what` begins the sentence.
  SplitLattice split(std::span<const int> cells, std::string_view what) const;

 private:
  void integrate(const HexLattice& leaves, const std::vector<int>& numbers, const SplitLattice& lattice,
                 std::vector<LatticeSample>& samples) const;

  std::shared_ptr<const ForceBody> whole_;
  WindingTree winding_;
  std::vector<HexPlace> places_;  // of the skin's points, in the whole body
};

/// What the parts marked in `active` (empty: all) have split.
SplitLattice lattice_of(const AdaptiveBody& bodies, std::span<const ForceRigPart> parts,
                        const std::vector<char>& active = {});

/// A rig of all parts on a body of this lattice. Forces go to the functions that they were made for; those of functions
/// that the lattice lacks are left out. Throws Error for forces that are not of their own splits' lattice.
std::shared_ptr<const ForceRig> adaptive_rig(const AdaptiveBody& bodies, std::span<const ForceRigPart> parts,
                                             const SplitLattice& lattice);

}  // namespace rigspace
