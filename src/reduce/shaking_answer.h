#pragma once
// Private to physics: what the controls of a body can follow of an impulse, to first order.

#include "rigspace/body/rig_body.h"

#include <vector>

namespace rigspace {

/// Velocities v = t + A (x - c) / r, of about 1 within what controls move: c its centre, r half its diagonal.
struct Impulse {
  Vec3 t = Vec3::Zero();
  Mat3 A = Mat3::Zero();
};

/// Along and about the axes by turns, then linear fields of fixed seed; of either sign from round to round.
Impulse impulse_of(int number);

/// The largest length of a vector of a flattened field.
double largest_distance(In x);

class RigAnswer {
 public:
  RigAnswer() = default;
  RigAnswer(const RigBody& body, const std::vector<int>& free, In p, In masses);

  /// Scene units: the diagonal of the box around points that move; 0 if none does.
  double size() const { return size_; }
  /// How far control k of the free ones moves a point per unit, at most.
  double reach_of(int k) const { return reach_[k]; }
  /// The velocity of the nodes that is nearest to the impulse by mass: min over dp of |J dp - v|_M, the inside carried.
  Vec to(const Impulse& impulse) const;

 private:
  const RigBody* body_ = nullptr;
  BlockJacobian J_;
  Vec s_, masses_, diagonal_;  // masses: of points
  std::vector<double> reach_;
  Vec3 centre_ = Vec3::Zero();
  double size_ = 0;
};

}  // namespace rigspace
