#pragma once
// Force fields in a frame of their own (PBR 4.2): local, of class C1, closed forms with derivatives.
//
// With x the place in the frame, divided by the radius r, and w = (1 - |x|^2)^2 inside the unit ball, 0 outside, a
// force per volume is  A h(x),  A = strength * E / r  with Young's modulus E: strength 1 moves flesh by something like
// a tenth of the radius, whatever the size and the stiffness of the body.
//
//   bump    h = z w                   pushes along z
//   radial  h = 3.5 x w               pushes away from the middle; 3.5: |h| is at most 1
//   bulge   h = 3.5 (x, y, -2 z) w    a muscle: shorter along z, thicker across
//   torus   h = 3.5 d (1 - |d|^2)^2   d: from the circle of radius `ring` about z, divided by the tube's radius r <
//   ring;
//                                    a ring that swells
//
// These are our own: of the paper's forms only names and pictures are left.

#include "rigspace/base/types.h"

#include <span>
#include <string_view>
#include <vector>

namespace rigspace {

enum class ForceTemplate { bump, bulge, radial, torus };

constexpr ForceTemplate kAllForceTemplates[] = {ForceTemplate::bump, ForceTemplate::bulge, ForceTemplate::radial,
                                                ForceTemplate::torus};

std::string_view name(ForceTemplate);
/// Throws Error with the list of names.
ForceTemplate force_template(std::string_view name);

/// "strength", "radius" and, of the torus, "ring": lengths in scene units.
std::span<const std::string_view> parameters(ForceTemplate);

/// Farthest from the origin of the frame that there is a force.
double reach(ForceTemplate, std::span<const double> parameters);

struct LocalForce {
  Vec3 force = Vec3::Zero();
  Mat3 by_place = Mat3::Zero();
  Mat3 by_parameter = Mat3::Zero();  ///< a column for each parameter, as many as there are
};

/// At a place in the frame, scene units. The parameters must be valid: see check_parameters.
LocalForce local_force(ForceTemplate, std::span<const double> parameters, double young, const Vec3& place);

/// Throws Error unless all are finite, radii positive and a torus' radius less than its ring. `what` begins the
/// sentence.
void check_parameters(ForceTemplate, std::span<const double> parameters, std::string_view what);

}  // namespace rigspace
