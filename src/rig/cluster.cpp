#include "rigspace/rig/cluster.h"

#include "automatic_deformer.h"
#include "linear_blend.h"

#include "rigspace/base/require.h"

#include <cmath>
#include <optional>

namespace rigspace {
namespace {

/// x <- x + sum_j w_j (C_j - I) x; State::C holds C_j - I.
class Clusters final : public LinearBlend {
 public:
  Clusters(const SkinDescription& entries, const ClusterDescription& clusters)
      : LinearBlend(entries), description_(clusters) {}
  Clusters(const Clusters& whole, const Selection& selection, int new_first)
      : LinearBlend(whole, selection, new_first) {}

  const ClusterDescription* description() const { return description_ ? &*description_ : nullptr; }

  void prepare(In u, std::span<const Slot> graph_slots, DeformerState& base) const override {
    LinearBlend::prepare(u, graph_slots, base);
    for (Affine& move : static_cast<State&>(base).C) move -= Affine::Identity();
  }

  void deform(const DeformerState& base, int begin, int end, double* x) const override {
    const auto& state = static_cast<const State&>(base);
    for (int k = begin; k < end; ++k, x += 3) {
      if (entry_start_[k] == entry_start_[k + 1]) continue;
      Eigen::Map<Vec3> point(x);
      point += apply(blend(state, k), Vec3(point));
    }
  }

  void deform(const DeformerState& base, int k, double* x, const PointRow& row) const override {
    if (entry_start_[k] == entry_start_[k + 1]) return;
    const auto& state = static_cast<const State&>(base);
    const Affine move = blend(state, k);
    transform_row(Mat3::Identity() + linear(move), row);
    add_columns(state, k, x, row);
    Eigen::Map<Vec3> point(x);
    point += apply(move, Vec3(point));
  }

  Mat3 spatial_jacobian(const DeformerState& base, int k, const Vec3&) const override {
    return Mat3::Identity() + linear(blend(static_cast<const State&>(base), k));
  }

  Vec3 pull(const DeformerState& base, int k, const Vec3& x, const Vec3& g, double* g_slots) const override {
    pull_transforms(k, x, g, g_slots);
    return spatial_jacobian(base, k, x).transpose() * g;
  }

  std::unique_ptr<Deformer> restricted(std::span<const int> points, int new_first) const override {
    return std::make_unique<Clusters>(*this, select(points), new_first);
  }

 private:
  std::optional<ClusterDescription> description_;
};

}  // namespace

void ClusterDescription::validate() const {
  require_option(first_point >= 0, "clusters' first point", first_point, "number points from 0");
  require_option(inverse_rest.size() == transform_slots.size(), "clusters' number of rest transforms",
                 static_cast<double>(inverse_rest.size()),
                 "give one per cluster, " + std::to_string(transform_slots.size()));
  for (const auto& list : influences)
    for (const Influence& influence : list) {
      require_option(influence.joint >= 0 && influence.joint < static_cast<int>(transform_slots.size()),
                     "cluster of a point", influence.joint,
                     "there are " + std::to_string(transform_slots.size()) + ", numbered from 0");
      require_option(std::isfinite(influence.weight), "cluster's weight", influence.weight,
                     "weights are finite numbers");
    }
}

std::unique_ptr<Deformer> make_clusters(const ClusterDescription& clusters) {
  clusters.validate();
  SkinDescription entries{.first_point = clusters.first_point,
                          .joint_slots = clusters.transform_slots,
                          .inverse_bind = clusters.inverse_rest,
                          .influences = clusters.influences};
  for (auto& list : entries.influences)
    std::erase_if(list, [](const Influence& influence) { return influence.weight == 0; });
  return std::make_unique<Clusters>(entries, clusters);
}

const ClusterDescription* cluster_description(const Deformer& deformer) {
  const auto* clusters = dynamic_cast<const Clusters*>(&deformer);
  return clusters != nullptr ? clusters->description() : nullptr;
}

}  // namespace rigspace
