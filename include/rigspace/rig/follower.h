#pragma once
// Deformers whose points follow other points of the same rig.

#include "rigspace/rig/deformer.h"

namespace rigspace {

constexpr int kMaxFollowed = 192;  ///< points that one point may follow

/// A deformer of points that follow others,  y_k = a_k x_k + f_k(c_1, c_2 ..),  where x_k is where the deformers before
/// it left the point itself, and c are where they left the points that it follows: none of its own. So a row of the
/// Jacobian becomes  J_k <- a_k J_k + sum_c (df_k/dc) J_c,  of which `deform` does the first term. It reads no slots.
class Follower : public Deformer {
 public:
  /// Points of the rig that point k follows, each once.
  virtual std::span<const int> followed(int k) const = 0;
  /// Once per pose, before any point is computed: s are all points of the rig as the deformers before left them.
  virtual void pose(In s, DeformerState&) const = 0;
  /// df_k/dc for each of followed(k).
  virtual void by_followed(const DeformerState&, int k, Mat3* D) const = 0;
  /// What f_k adds to the derivative of the point by its own rest position (Rig::rest_jacobian).
  virtual Mat3 rest_slope(const DeformerState&, int k) const = 0;

  /// `kept`: the points that stay in the rig, ascending, by their old numbers; all that `points` follow are among them.
  virtual std::unique_ptr<Deformer> restricted(std::span<const int> points, int new_first,
                                               std::span<const int> kept) const = 0;

 protected:
  using Deformer::Deformer;
};

}  // namespace rigspace
