#pragma once
// The few directions in which a garment may move in one iteration (Thesis 6.2.3, algorithm 5): the vectors of sites
// near the pose that are best aligned with the gradient. The solver adds the way back to the skinned shape, and the
// gradient.

#include "rigspace/apps/clothing/pose_space_database.h"

#include <span>
#include <vector>

namespace rigspace {

struct ClothBasisOptions {
  int size = 12;                ///< vectors of the database
  double radius = 0;            ///< in pose space, of the sites that are looked at; 0: the database's own
  bool undo = true;             ///< add the displacement that the garment has
  double least_distance = 0.1;  ///< of the radius: nearer sites count as if they were so far
  bool adaptive = true;  ///< false: the `size` first vectors of all sites in turn, whatever the pose (figure 6.5)

  void validate() const;
};

struct ClothBasis {
  std::vector<int> vectors;  ///< of the database, the best aligned first
  int sites = 0;             ///< from so many sites
};

/// The vectors that come into question at a pose, and the choice among them.
class ClothBasisPool {
 public:
  /// `B`: the turn of each point by the skin.
  ClothBasisPool(const PoseSpaceDatabase& database, In place, std::span<const Mat3> B,
                 const ClothBasisOptions& options = {});

  /// Chooses by |a^T B^T g| / (|B a| max(d, least)), d the distance of the site; `pulled` is B^T g.
  ClothBasis choose(const Eigen::VectorXf& pulled) const;

  bool far() const { return far_; }            ///< no site is near: the pose was not trained
  double nearest() const { return nearest_; }  ///< distance of the nearest site, as a share of the radius

 private:
  struct Candidate {
    int vector, site;
    double factor;  // 1 / (|B a| max(d, least))
  };

  const PoseSpaceDatabase& database_;
  ClothBasisOptions options_;
  std::vector<Candidate> pool_;
  double nearest_ = 0;
  bool far_ = false;
};

}  // namespace rigspace
