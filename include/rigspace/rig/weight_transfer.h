#pragma once
// Skin weights of a body carried over to what is worn on it (Thesis 6.2.3, "kinematic cloth reference").
//
// The closest point of the body misleads where another part of the body is nearer than the one that is dressed: in
// armpits, between legs, under layers. So it counts only where it is near and faces the same way; weights elsewhere are
// the smoothest continuation over the garment (robust skin weights transfer via weight inpainting, Abdrashitov et al.
// 2023).

#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/rig/deformer.h"

#include <span>
#include <vector>

namespace rigspace {

struct WeightTransferOptions {
  double distance = 0.05;    ///< trusted closest points are nearer than this share of the garment's diagonal,
  double angle = 30;         ///< and the normals of garment and body differ by at most this, degrees
  bool either_side = false;  ///< true: opposite normals agree, too (a lining, cloth with two faces)
  bool inpaint = true;       ///< false: closest points alone, as the Thesis has it
  int smoothing = 6;         ///< rounds of Laplacian smoothing over the garment at the end (Thesis 6.2.3)
  int most_influences = 0;   ///< per point, the largest ones; 0: as many as there are
  double drop_below = 1e-4;  ///< smaller weights are left out, the others scaled to sum 1

  void validate() const;
};

struct TransferredWeights {
  std::vector<std::vector<Influence>> influences;  ///< one list per point of the garment, joints of the body's lists,
                                                   ///< ascending; not negative, sum 1
  std::vector<char> trusted;                       ///< per point: its closest point was used
  int turned = 0;            ///< pieces of the garment that face inward, taken the other way round
  int astray = 0;            ///< pieces without a trusted point: they follow the part of the body nearest to them
  double most_negative = 0;  ///< the largest violation that was cut off after the solve, as a positive weight
};

/// A skin of a body: its surface at rest and the weights of its points.
struct SkinnedSurface {
  const TriMesh& surface;
  std::span<const std::vector<Influence>> influences;  ///< one list per point; sum 1
};

/// Weights for the garment's points. Garment and body in the same rest pose, the body facing outward. Pieces of the
/// garment that are not connected are solved apart; points at the same place get the same weights. Throws Error if the
/// body has no triangles, or sizes differ.
TransferredWeights transfer_weights(const SkinnedSurface& body, const TriMesh& garment,
                                    const WeightTransferOptions& options = {});

}  // namespace rigspace
