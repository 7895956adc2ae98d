#pragma once
// Jacobians of a black box that are evaluated in training, so that steps need not evaluate them (RigPredictor).

#include "rigspace/base/bytes.h"
#include "rigspace/base/progress.h"
#include "rigspace/rig/jacobian_sample.h"
#include "rigspace/rig/rig.h"

#include <span>
#include <vector>

namespace rigspace {

/// J at each pose, then at some of the poses J with each free control moved by half of its typical change. The latter
/// come from second differences of points, which are symmetric and cost half as much as Jacobians:
///   T_ic = [s(p + a_i + a_c) - s(p + a_i) - s(p + a_c) + s(p)] / a_i a_c,   J(p + a_c) ~ J(p) + a_c T_c,
/// the mean of both signs where limits leave room for both. The error of a column is relative to that column, also of
/// controls that move the points little, as a twist does.
std::vector<JacobianSample> sample_jacobians(const Rig& rig, std::span<const int> free, std::span<const Vec> poses,
                                             const ProgressCallback& progress = {});

/// J and points at p, with the points at its keyed pose p_key.
JacobianSample sample_jacobian(const Rig& rig, std::span<const int> free, const Vec& p_key, const Vec& p);

void write(const BlockJacobian& J, ByteWriter& out);
BlockJacobian read_jacobian(ByteReader& in);
void write(std::span<const JacobianSample> samples, ByteWriter& out);
std::vector<JacobianSample> read_jacobian_samples(ByteReader& in);

}  // namespace rigspace
