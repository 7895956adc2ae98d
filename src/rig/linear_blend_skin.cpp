#include "automatic_deformer.h"
#include "linear_blend.h"

namespace rigspace {
namespace {

class LinearBlendSkin final : public LinearBlend {
 public:
  using LinearBlend::LinearBlend;

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
    transform_row(linear(A), row);
    add_columns(state, k, x, row);
    Eigen::Map<Vec3> point(x);
    point = apply(A, Vec3(point));
  }

  Mat3 spatial_jacobian(const DeformerState& base, int k, const Vec3&) const override {
    return linear(blend(static_cast<const State&>(base), k));  // Thesis (3.70), right-multiplied by [I; 0]
  }

  Vec3 pull(const DeformerState& base, int k, const Vec3& x, const Vec3& g, double* g_slots) const override {
    pull_transforms(k, x, g, g_slots);
    return spatial_jacobian(base, k, x).transpose() * g;
  }

  std::unique_ptr<Deformer> restricted(std::span<const int> points, int new_first) const override {
    return std::make_unique<LinearBlendSkin>(*this, select(points), new_first);
  }
};

}  // namespace

std::unique_ptr<Deformer> make_linear_blend_skin(const SkinDescription& skin) {
  auto deformer = std::make_unique<LinearBlendSkin>(skin);
  deformer->describe(skin);
  return deformer;
}

bool is_linear_skin(const Deformer& deformer) { return dynamic_cast<const LinearBlendSkin*>(&deformer) != nullptr; }

std::unique_ptr<Deformer> make_rigid(int first_point, int count, int transform_slot) {
  return make_linear_blend_skin({.first_point = first_point,
                                 .joint_slots = {transform_slot},
                                 .inverse_bind = {Affine::Identity()},
                                 .influences = std::vector<std::vector<Influence>>(count, {{0, 1.0}})});
}

}  // namespace rigspace
