#include "rigspace/body/row_scale.h"

#include <algorithm>

namespace rigspace {

Vec row_scale(const RigSpaceDescription& map, const BlockJacobian& ds_dp, In masses, const BlockJacobian& response) {
  constexpr double kLeast = 1e-6;
  const auto controls = static_cast<Eigen::Index>(map.free.size());
  const Eigen::Index inside = 3 * std::ssize(map.interior);
  BlockJacobian J;
  map.ties.jacobian(ds_dp, J);
  Vec force = Vec::Zero(controls), typical(controls);
  std::vector<char> moves_points(map.free.size(), 0);
  for (const int c : J.column) moves_points[static_cast<std::size_t>(c)] = 1;
  for (std::size_t k = 0; k < map.bound.size(); ++k)
    for (int e = J.start[k]; e < J.start[k + 1]; ++e)
      force[J.column[e]] += masses[map.bound[k]] * J.value.col(e).norm();
  for (const int i : map.bound)  // controls that move nodes by their response alone
    for (int e = response.start.empty() ? 0 : response.start[i]; !response.start.empty() && e < response.start[i + 1];
         ++e)
      if (!moves_points[response.column[e]]) force[response.column[e]] += masses[i] * response.value.col(e).norm();
  for (Eigen::Index c = 0; c < controls; ++c) typical[c] = std::max(1e-12, map.rig->controls()[map.free[c]].typical);
  const double most_moved = controls > 0 ? force.cwiseProduct(typical).maxCoeff() : 0;
  if (!(most_moved > 0)) return {};
  force = force.cwiseMax(kLeast * most_moved * typical.cwiseInverse());
  Vec scale(inside + controls);
  double mean = 0;
  for (const int node : map.interior) mean += masses[node] / static_cast<double>(map.interior.size());
  if (!(mean > 0)) mean = masses.sum() / static_cast<double>(masses.size());
  for (std::size_t k = 0; k < map.interior.size(); ++k) {
    const double mass = masses[map.interior[k]];
    scale.segment<3>(3 * static_cast<Eigen::Index>(k)).setConstant(1 / (mass > 0 ? mass : mean));
  }
  scale.tail(controls) = force.cwiseInverse();
  return force.maxCoeff() * scale;
}

}  // namespace rigspace
