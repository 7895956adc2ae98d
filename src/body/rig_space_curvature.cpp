// The second derivatives of the rig in Newton's Hessian: learned by BFGS, or from differences.

#include "rig_space_memory.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/body/linear_rig.h"
#include "rigspace/optimize/bfgs.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

// Structured BFGS: B = J^T H J + S. With d the step of the controls and g the forces of now,
//     y = J^T H J d + (J - J_before)^T g,      B+ = BFGS(J^T H J + S, d, y),      S+ = B+ - J^T H J.
// Plain, for all of H_pp:  y = change of J^T g - H_pn dn,  B+ = BFGS(B, d, y)  (the printed update does not
// converge: docs/corrections.md, "BFGS update").
void RigSpaceMapping::learn(Memory& memory, In g, const Mat& border) const {
  const bool structured = curvature_ == RigCurvature::learned;
  const Eigen::Index controls = control_size(), inside = interior_size();
  const Mat GN = memory.gauss_newton.selfadjointView<Eigen::Lower>();
  Memory::Iterate& here = memory.here;
  here.q = memory.q;
  here.J = memory.J;
  here.g_b.resize(memory.J.rows());
  for (std::size_t k = 0; k < d_.bound.size(); ++k)
    here.g_b.segment<3>(3 * static_cast<Eigen::Index>(k)) = g.segment<3>(3 * d_.bound[k]);
  here.g_p.noalias() = here.J.transpose() * here.g_b;
  if (memory.learned.rows() != controls) memory.learned = structured ? Mat(Mat::Zero(controls, controls)) : GN;
  if (!memory.has_before && !structured) memory.learned = GN;  // at no cost, and a better start than the last step's B
  if (memory.has_before) {
    const Memory::Iterate& before = memory.before;
    const Vec d = here.q.tail(controls) - before.q.tail(controls);
    Vec y = structured ? Vec(GN * d + (here.J - before.J).transpose() * here.g_b) : Vec(here.g_p - before.g_p);
    if (!structured && inside > 0) y.noalias() -= border.transpose() * (here.q.head(inside) - before.q.head(inside));
    BfgsBlock block(structured ? Mat(GN + memory.learned) : memory.learned);
    block.update(d, y);
    memory.learned = structured ? Mat(block.matrix() - GN) : block.matrix();
  } else if (structured && memory.learned.norm() > 0) {
    // S of the last step is kept if B = J^T H J + S is positive definite. Otherwise it is halved up to three times,
    // then dropped.
    for (int tries = 0; tries < 4 && !cholesky(GN + memory.learned); ++tries) memory.learned *= tries < 3 ? 0.5 : 0.0;
  }
  std::swap(memory.before, memory.here);
  memory.has_before = true;
}

// (T : g)_jk = d/dp_k (J_j . g), by differences of exact Jacobians. For a black box by second differences of
// phi(p) = g . s(p),
//   [phi(p + h_j + h_k) - phi(p + h_j) - phi(p + h_k) + phi(p)] / (h_j h_k).
// The steps are proportional to each control's typical change and grow with the rig's noise. One step for all controls
// (Thesis 3.51: 0.001) would give only noise on single-precision rigs.
void RigSpaceMapping::second_derivatives(Memory& memory, In g, Mat& T) const {
  Vec g_s = Vec::Zero(3 * static_cast<Eigen::Index>(d_.rig->point_count()));
  for (std::size_t k = 0; k < d_.bound.size(); ++k)
    d_.ties.pull_row(static_cast<int>(k), g.segment<3>(3 * d_.bound[k]), g_s);
  const int n = control_size();
  const Traits traits = d_.rig->traits();
  T.setZero(n, n);
  const auto typical = [&](int k) { return d_.rig->controls()[d_.free[k]].typical; };
  if (traits.exact_jacobian) {
    Vec here, there;
    memory.ds_dp.pull(g_s, here);
    BlockJacobian J;
    for (int k = 0; k < n; ++k) {
      const double h = 1e-5 * typical(k);
      Vec p = memory.p;
      p[d_.free[k]] += h;
      d_.rig->jacobian(*memory.workspace, p, d_.free, J);
      ++rig_jacobians_;
      J.pull(g_s, there);
      T.col(k) = (there - here) / h;
    }
  } else {
    const double relative =
        std::max(1e-3, std::pow(traits.noise / std::max(1e-12, memory.s.cwiseAbs().maxCoeff()), 0.25));
    Mat P = memory.p.replicate(1, 1 + n + n * (n + 1) / 2), S;
    int column = 1 + n;
    for (int k = 0; k < n; ++k) {
      P(d_.free[k], 1 + k) += relative * typical(k);
      for (int j = 0; j <= k; ++j, ++column) {
        P(d_.free[k], column) += relative * typical(k);
        P(d_.free[j], column) += relative * typical(j);
      }
    }
    d_.rig->evaluate_batch(*memory.workspace, P, S);
    rig_evaluations_ += P.cols();
    const Vec phi = S.transpose() * g_s;
    column = 1 + n;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j <= k; ++j, ++column)
        T(j, k) = T(k, j) =
            (phi[column] - phi[1 + k] - phi[1 + j] + phi[0]) / (relative * relative * typical(k) * typical(j));
  }
  T = 0.5 * (T + T.transpose()).eval();
}

bool RigSpaceMapping::add_curvature(State& state, In g, System& system) const {
  auto& memory = state_as<Memory>(state);
  auto& bordered = dynamic_cast<BorderedSystem&>(system);
  if (curvature_ == RigCurvature::none || linear_ != nullptr) return false;
  if (curvature_ == RigCurvature::exact) {
    Mat T;
    second_derivatives(memory, g, T);
    bordered.corner() += T;
    return true;
  }
  learn(memory, g, bordered.border());
  bordered.corner() += memory.learned;
  if (curvature_ == RigCurvature::bfgs) bordered.corner() -= Mat(memory.gauss_newton.selfadjointView<Eigen::Lower>());
  return true;
}

}  // namespace rigspace
