#include "picked_rig.h"
#include "rig_arguments.h"

namespace rigspace {

struct PickedRig::Memory : Workspace {
  std::unique_ptr<Workspace> whole;
  Vec s, g;
  Mat S;
  BlockJacobian J;
  std::vector<Mat3> B;
};

std::unique_ptr<Workspace> PickedRig::make_workspace() const {
  auto memory = std::make_unique<Memory>();
  memory->whole = whole_->make_workspace();
  return memory;
}

void PickedRig::evaluate(Workspace& workspace, In p, Vec& s) const {
  auto& memory = static_cast<Memory&>(workspace);
  whole_->evaluate(*memory.whole, p, memory.s);
  s.resize(3 * point_count());
  for (int i = 0; i < point_count(); ++i) s.segment<3>(3 * i) = memory.s.segment<3>(3 * points_[i]);
}

void PickedRig::evaluate_batch(Workspace& workspace, const Mat& P, Mat& S) const {
  auto& memory = static_cast<Memory&>(workspace);
  whole_->evaluate_batch(*memory.whole, P, memory.S);
  S.resize(3 * point_count(), P.cols());
  for (int i = 0; i < point_count(); ++i) S.middleRows<3>(3 * i) = memory.S.middleRows<3>(3 * points_[i]);
}

void PickedRig::jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const {
  auto& memory = static_cast<Memory&>(workspace);
  const BlockJacobian& all = memory.J;
  whole_->jacobian(*memory.whole, p, free, memory.J);
  J.columns = all.columns;
  J.start.assign(1, 0);
  J.column.clear();
  for (const int i : points_) {
    J.column.insert(J.column.end(), all.column.begin() + all.start[i], all.column.begin() + all.start[i + 1]);
    J.start.push_back(static_cast<int>(J.column.size()));
  }
  J.value.resize(3, static_cast<Eigen::Index>(J.column.size()));
  for (int i = 0; i < point_count(); ++i) {
    const int count = J.start[i + 1] - J.start[i];
    J.value.middleCols(J.start[i], count) = all.value.middleCols(all.start[points_[i]], count);
  }
}

void PickedRig::pull(Workspace& workspace, In p, In g, Vec& g_p) const {
  require_forces(g, point_count());
  auto& memory = static_cast<Memory&>(workspace);
  memory.g.setZero(3 * whole_->point_count());
  for (int i = 0; i < point_count(); ++i) memory.g.segment<3>(3 * points_[i]) = g.segment<3>(3 * i);
  whole_->pull(*memory.whole, p, memory.g, g_p);
}

bool PickedRig::rest_jacobian(Workspace& workspace, In p, std::vector<Mat3>& B) const {
  auto& memory = static_cast<Memory&>(workspace);
  if (!whole_->rest_jacobian(*memory.whole, p, memory.B)) return false;
  B.resize(point_count());
  for (int i = 0; i < point_count(); ++i) B[i] = memory.B[points_[i]];
  return true;
}

std::unique_ptr<Rig> PickedRig::restricted(std::span<const int> points) const {
  std::vector<int> of_whole;
  for (const int i : points) of_whole.push_back(points_[i]);
  return whole_->restricted(of_whole);
}

}  // namespace rigspace
