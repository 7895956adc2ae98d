#pragma once
// Private to body: what the mass of the inside of a body changes about its place while the body swings.

#include "rigspace/optimize/sparse_system.h"

namespace rigspace {

/// A body linearised about a state: x_b = J p on the skin and x_n = T p + e inside, with T = -K_nn^-1 K_nb J and e what
/// is missing to the static balance. In these coordinates the stiffness has no entries between p and e.
struct BalancedBody {
  SparseSystem& inside;  ///< K_nn, factored
  const Mat& balance;    ///< T
  Mat stiffness;         ///< of p: J^T K_bb J + J^T K_bn T
  Mat skin_inertia;      ///< J^T M_b J
  Mat skin_loads;        ///< J^T M_b r, a column for each of the accelerations r
  Vec masses;            ///< of the inside, one a coordinate
  Mat accelerations;     ///< r at the inside: of the body as a whole, three along the axes and three about them
};

/// D of e = D p, fitted to how the body answers vibrations of its ground: accelerations r sin(w t) with w from a
/// quarter to three and a half times its own rate, damped as flesh is. The inside lags behind its balance by its own
/// inertia there (Guyan's reduction leaves that out), which makes a body up to some percent slower than T alone would
/// have it. Of motions that no vibration of the ground makes D p is nothing.
Mat swing_of_inside(const BalancedBody& body);

}  // namespace rigspace
