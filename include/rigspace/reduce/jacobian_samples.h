#pragma once
// Private to physics: what a black box is asked in training about its Jacobian, so that steps need not ask (LinearRig).

#include "rigspace/base/bytes.h"
#include "rigspace/base/progress.h"
#include "rigspace/rig/jacobian_sample.h"
#include "rigspace/rig/rig.h"

#include <span>
#include <vector>

namespace rigspace {

/// J at each pose, then at some of the poses what it becomes as each free control goes by half of its typical change.
/// The latter is told by second differences of points, which are symmetric and cost half of Jacobians:
///   T_ic = [s(p + a_i + a_c) - s(p + a_i) - s(p + a_c) + s(p)] / a_i a_c,   J(p + a_c) ~ J(p) + a_c T_c,
/// the mean of both signs where limits leave room for both. Every control's columns are as good as any other's: those
/// that move little, as a twist does, too.
std::vector<JacobianSample> sample_jacobians(const Rig& rig, std::span<const int> free, std::span<const Vec> poses,
                                             const ProgressCallback& progress = {});

/// J at p, about the keyed pose p_key.
JacobianSample sample_jacobian(const Rig& rig, std::span<const int> free, const Vec& p_key, const Vec& p);

void write(const BlockJacobian& J, ByteWriter& out);
BlockJacobian read_jacobian(ByteReader& in);
void write(std::span<const JacobianSample> lessons, ByteWriter& out);
std::vector<JacobianSample> read_jacobian_samples(ByteReader& in);

}  // namespace rigspace
