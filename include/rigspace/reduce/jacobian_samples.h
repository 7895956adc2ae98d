#pragma once
// Jacobians of a black box that are evaluated in training, so that steps need not evaluate them (RigPredictor).

#include "rigspace/base/bytes.h"
#include "rigspace/base/progress.h"
#include "rigspace/rig/jacobian_sample.h"
#include "rigspace/rig/rig.h"

#include <span>
#include <vector>

namespace rigspace {

/// J at each pose; then, at some of the poses, one more J for each free control, moved by half of its typical change.
/// These are made from second differences of points, which are symmetric in the two controls and so cost half as many
/// evaluations as differences of Jacobians:
///   T_ic = [s(p + a_i + a_c) - s(p + a_i) - s(p + a_c) + s(p)] / a_i a_c,   J(p + a_c) ~ J(p) + a_c T_c,
/// the mean over both signs of a_i and a_c where the limits leave room for both. Each column has an error relative to
/// its own length, so that controls that move points little, such as a twist, are as exact as the others.
std::vector<JacobianSample> sample_jacobians(const Rig& rig, std::span<const int> free, std::span<const Vec> poses,
                                             const ProgressCallback& progress = {});

/// J and the points at p, and the points at the keyed pose p_key.
JacobianSample sample_jacobian(const Rig& rig, std::span<const int> free, const Vec& p_key, const Vec& p);

void write(const BlockJacobian& J, ByteWriter& out);
BlockJacobian read_jacobian(ByteReader& in);
void write(std::span<const JacobianSample> samples, ByteWriter& out);
std::vector<JacobianSample> read_jacobian_samples(ByteReader& in);

}  // namespace rigspace
