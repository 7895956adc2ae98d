#pragma once
// The typical force on each coordinate of a body in rig space, so that a residual does not depend on the units of its
// controls, nor on which method solves for them.

#include "rigspace/body/rig_space.h"
#include "rigspace/rig/jacobian.h"

namespace rigspace {

/// For Objective::set_row_scale: f_most / f_i, where f_i is the force on coordinate i while every node that it moves is
/// accelerated by one unit along its own motion,
///   f_n = m_n of an interior node,   f_c = sum_k m_k |db_k / dp_c| of a control,
/// and f_most the largest f_c: a gradient keeps its unit on the control that moves most mass, and on all others it is
/// that of as large an acceleration. A control that moves next to nothing counts as one that moves a millionth of the
/// body, an interior node without mass as one with the mean mass. `ds_dp`: of the rig's points by the free controls, at
/// rest. `masses`: one a node. `response`: what controls that move no point move (SteppedBody::response). Empty, which
/// is 1, where no control moves any mass.
Vec row_scale(const RigSpaceDescription& map, const BlockJacobian& ds_dp, In masses,
              const BlockJacobian& response = {});

}  // namespace rigspace
