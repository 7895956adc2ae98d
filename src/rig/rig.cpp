#include "rigspace/rig/rig.h"

#include "picked_rig.h"
#include "rig_arguments.h"
#include "rigspace/rig/differences.h"

#include <numeric>

namespace rigspace {

void Rig::evaluate_batch(Workspace& workspace, const Mat& P, Mat& S) const {
  S.resize(3 * point_count(), P.cols());
  Vec s;
  for (Eigen::Index k = 0; k < P.cols(); ++k) {
    evaluate(workspace, P.col(k), s);
    S.col(k) = s;
  }
}

void Rig::jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const {
  difference_jacobian(*this, workspace, p, free, J);
}

void Rig::pull(Workspace& workspace, In p, In g, Vec& g_p) const {
  require_forces(g, point_count());
  std::vector<int> all(controls().size());
  std::iota(all.begin(), all.end(), 0);
  BlockJacobian J;
  jacobian(workspace, p, all, J);
  J.pull(g, g_p);
}

bool Rig::rest_jacobian(Workspace&, In, std::vector<Mat3>&) const { return false; }

std::unique_ptr<Rig> Rig::restricted(std::span<const int> points) const {
  // Not owned: the caller keeps the whole.
  return std::make_unique<PickedRig>(std::shared_ptr<const Rig>(std::shared_ptr<const Rig>(), this), points);
}

Vec Rig::rest() const {
  Vec p(static_cast<Eigen::Index>(controls().size()));
  for (std::size_t i = 0; i < controls().size(); ++i) p[static_cast<Eigen::Index>(i)] = controls()[i].rest;
  return p;
}

}  // namespace rigspace
