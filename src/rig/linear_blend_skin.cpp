#include "skin.h"

#include <algorithm>

namespace rigspace {
namespace {

class LinearBlendSkin final : public Skin {
 public:
  using Skin::Skin;

  struct State : DeformerState {
    std::vector<Affine> C;  ///< world_j * inverse_bind_j
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

  void deform(const DeformerState& base, int begin, int end, double* x) const override {
    const auto& state = static_cast<const State&>(base);
    for (int k = begin; k < end; ++k, x += 3) {
      const Affine A = blend(state, k);
      Eigen::Map<Vec3> point(x);
      point = apply(A, Vec3(point));
    }
  }

  void deform(const DeformerState& base, int k, double* x, const PointRow& row) const override {
    const auto& state = static_cast<const State&>(base);
    const Affine A = blend(state, k);
    if (!row.zero) {
      Eigen::Map<Eigen::Matrix3Xd> J(row.values, 3, row.columns);
      for (int c = 0; c < row.columns; ++c) J.col(c) = (linear(A) * J.col(c)).eval();
    }
    // B du/dp = sum_j w_j dC_j X.
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) {
      const Mat& dC = state.dC[joint(e)];
      const double w = weights_[e], wx = w * x[0], wy = w * x[1], wz = w * x[2];
      const double* d = dC.data();
      const Eigen::Index rows = dC.rows();
      for (const ColumnRun& run : row.runs[e - entry_start_[k]]) {
        const double* __restrict__ d0 = d + 3 * run.from;
        const double* __restrict__ d1 = d0 + rows;
        const double* __restrict__ d2 = d1 + rows;
        const double* __restrict__ d3 = d2 + rows;
        double* __restrict__ out = row.values + 3 * run.to;
        for (int r = 0; r < 3 * run.length; ++r) out[r] += wx * d0[r] + wy * d1[r] + wz * d2[r] + w * d3[r];
      }
    }
    Eigen::Map<Vec3> point(x);
    point = apply(A, Vec3(point));
  }

  Mat3 spatial_jacobian(const DeformerState& base, int k, const Vec3&) const override {
    return linear(blend(static_cast<const State&>(base), k));  // Thesis (3.70), right-multiplied by [I; 0]
  }

  Vec3 pull(const DeformerState& base, int k, const Vec3& x, const Vec3& g, double* g_slots) const override {
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) {
      const Vec3 bound = apply(inverse_bind_[joint(e)], x);
      Eigen::Map<Affine> g_world(g_slots + slot_offset(joint(e)));
      g_world.leftCols<3>() += weights_[e] * g * bound.transpose();
      g_world.col(3) += weights_[e] * g;
    }
    return spatial_jacobian(base, k, x).transpose() * g;
  }

  std::unique_ptr<Deformer> restricted(std::span<const int> points, int new_first) const override {
    return std::make_unique<LinearBlendSkin>(*this, select(points), new_first);
  }

 private:
  Affine blend(const State& state, int k) const {
    Affine A = Affine::Zero();
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) A += weights_[e] * state.C[joint(e)];
    return A;
  }
};

}  // namespace

std::unique_ptr<Deformer> make_linear_blend_skin(const SkinDescription& skin) {
  return std::make_unique<LinearBlendSkin>(skin);
}

bool is_linear_skin(const Deformer& deformer) { return dynamic_cast<const LinearBlendSkin*>(&deformer) != nullptr; }

std::unique_ptr<Deformer> make_rigid(int first_point, int count, int transform_slot) {
  return make_linear_blend_skin({.first_point = first_point,
                                 .joint_slots = {transform_slot},
                                 .inverse_bind = {Affine::Identity()},
                                 .influences = std::vector<std::vector<Influence>>(count, {{0, 1.0}})});
}

}  // namespace rigspace
