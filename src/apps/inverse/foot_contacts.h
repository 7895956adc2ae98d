#pragma once
// Private to inverse: when feet stand on the floor, and how to keep them there on another body.

#include "body_carrier.h"

#include <array>
#include <span>
#include <vector>

namespace rigspace {

/// Of the left and the right foot, at each frame.
struct FootContacts {
  std::array<std::vector<bool>, 2> stands;
  double floor = 0;  ///< of the motion, above that of the source's reference pose

  int count() const;
};

/// Toes (feet without) that are lower than 0.12 leg lengths above the floor and slower than 0.4 leg lengths a second,
/// for at least 0.05 s. The floor is that of the reference pose, or, where the lowest foot of the motion is farther
/// than a tenth of a leg from it, the middle height of feet that stand.
FootContacts find_contacts(const BodyCarrier& carrier, const BodyJoints& body, std::span<const double> times,
                           std::span<const std::vector<Affine>> source);

/// While a foot stands, its toe is held where it is on average, at the height of the reference pose; before and after,
/// over 0.12 s, this fades. Thigh and shin turn in the plane of the knee, the foot keeps its turn; where a leg is too
/// short the hips sink, smoothly, until it is stretched to 99.9 %.
void plant_feet(const BodyCarrier& carrier, const BodyJoints& body, std::span<const double> times,
                const FootContacts& contacts, std::vector<CarriedPose>& poses);

/// Mean level speed of toes while they stand, in leg lengths a second. x: column k, the two toes of frame k.
double sliding(const FootContacts& contacts, std::span<const double> times, const Mat& toes, double leg);

/// The joint that stands on the floor: the toe, else the foot.
int standing_joint(const BodyJoints& body, char side);

}  // namespace rigspace
