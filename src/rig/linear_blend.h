#pragma once
// What linear skinning and clusters share: weighted sums of transforms C_j = world_j * inverse_bind_j, and their
// derivatives.

#include "skin.h"

namespace rigspace {

class LinearBlend : public Skin {
 public:
  using Skin::Skin;

  struct State : DeformerState {
    std::vector<Affine> C;
    std::vector<Mat> dC;  ///< 3m x 4: rows 3k .. 3k+2 are dC_j / dp_k, so that all of a point's columns are one product
  };

  std::unique_ptr<DeformerState> make_state() const override { return std::make_unique<State>(); }

  void prepare(In u, std::span<const Slot> graph_slots, DeformerState& base) const override {
    auto& state = static_cast<State&>(base);
    state.C.resize(joint_count());
    for (int j = 0; j < joint_count(); ++j)
      state.C[j] = compose(transform_at(u, graph_slots[slots_[j]]), inverse_bind_[j]);
  }

  void prepare_derivatives(In, std::span<const Slot>, const GraphJacobian& du, DeformerState& base) const override {
    auto& state = static_cast<State&>(base);
    state.dC.resize(joint_count());
    for (int j = 0; j < joint_count(); ++j) {
      const Mat& d_world = du.slots[slots_[j]].value;
      Mat& dC = state.dC[j];
      dC.resize(3 * d_world.cols(), 4);
      for (Eigen::Index k = 0; k < d_world.cols(); ++k)
        dC.middleRows<3>(3 * k) =
            compose_derivative_left(Eigen::Map<const Affine>(d_world.col(k).data()), inverse_bind_[j]);
    }
  }

 protected:
  /// sum_j w_j C_j
  Affine blend(const State& state, int k) const {
    Affine A = Affine::Zero();
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) A += weights_[e] * state.C[joint(e)];
    return A;
  }

  /// row += B du/dp = sum_j w_j dC_j X
  void add_columns(const State& state, int k, const double* x, const PointRow& row) const {
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) {
      const Mat& dC = state.dC[joint(e)];
      const double w = weights_[e], wx = w * x[0], wy = w * x[1], wz = w * x[2];
      const Eigen::Index rows = dC.rows();
      for (const ColumnRun& run : row.runs[e - entry_start_[k]]) {
        const double* __restrict__ d0 = dC.data() + 3 * run.from;
        const double* __restrict__ d1 = d0 + rows;
        const double* __restrict__ d2 = d1 + rows;
        const double* __restrict__ d3 = d2 + rows;
        double* __restrict__ out = row.values + 3 * run.to;
        for (int r = 0; r < 3 * run.length; ++r) out[r] += wx * d0[r] + wy * d1[r] + wz * d2[r] + w * d3[r];
      }
    }
  }

  /// Adds the derivative by the transforms, B^T g.
  void pull_transforms(int k, const Vec3& x, const Vec3& g, double* g_slots) const {
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) {
      const Vec3 bound = apply(inverse_bind_[joint(e)], x);
      Eigen::Map<Affine> g_world(g_slots + slot_offset(joint(e)));
      g_world.leftCols<3>() += weights_[e] * g * bound.transpose();
      g_world.col(3) += weights_[e] * g;
    }
  }
};

}  // namespace rigspace
