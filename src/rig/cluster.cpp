#include "rigspace/rig/cluster.h"

#include "automatic_deformer.h"

#include "rigspace/base/require.h"

#include <cmath>
#include <optional>

namespace rigspace {
namespace {

class Clusters final : public Deformer {
 public:
  struct Layout {
    std::vector<int> entry_start{0}, entry_slot;
    std::vector<double> weights;  // one per entry
  };

  Clusters(int first, std::vector<int> slots, std::vector<Affine> inverse_rest, Layout layout)
      : Deformer(first, slots, std::vector<int>(slots.size(), kTransformSlot), std::move(layout.entry_start),
                 std::move(layout.entry_slot)),
        inverse_rest_(std::move(inverse_rest)),
        weights_(std::move(layout.weights)) {}

  void describe(const ClusterDescription& clusters) { description_ = clusters; }
  const ClusterDescription* description() const { return description_ ? &*description_ : nullptr; }

  struct State : DeformerState {
    std::vector<Affine> moves;  ///< C_j - I
    std::vector<Mat> d_moves;   ///< 3m x 4: rows 3k .. 3k+2 are dC_j / dp_k
  };

  std::unique_ptr<DeformerState> make_state() const override { return std::make_unique<State>(); }

  void prepare(In u, std::span<const Slot> graph_slots, DeformerState& base) const override {
    auto& state = static_cast<State&>(base);
    state.moves.resize(slots_.size());
    for (std::size_t j = 0; j < slots_.size(); ++j)
      state.moves[j] = compose(transform_at(u, graph_slots[slots_[j]]), inverse_rest_[j]) - Affine::Identity();
  }

  void prepare_derivatives(In, std::span<const Slot>, const GraphJacobian& du, DeformerState& base) const override {
    auto& state = static_cast<State&>(base);
    state.d_moves.resize(slots_.size());
    for (std::size_t j = 0; j < slots_.size(); ++j) {
      const Mat& d_world = du.slots[slots_[j]].value;
      Mat& d_move = state.d_moves[j];
      d_move.resize(3 * d_world.cols(), 4);
      for (Eigen::Index k = 0; k < d_world.cols(); ++k)
        d_move.middleRows<3>(3 * k) =
            compose_derivative_left(Eigen::Map<const Affine>(d_world.col(k).data()), inverse_rest_[j]);
    }
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
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) {
      const Mat& d_move = state.d_moves[entry_slot_[e]];
      const double w = weights_[e], wx = w * x[0], wy = w * x[1], wz = w * x[2];
      const Eigen::Index rows = d_move.rows();
      for (const ColumnRun& run : row.runs[e - entry_start_[k]]) {
        const double* __restrict__ d0 = d_move.data() + 3 * run.from;
        const double* __restrict__ d1 = d0 + rows;
        const double* __restrict__ d2 = d1 + rows;
        const double* __restrict__ d3 = d2 + rows;
        double* __restrict__ out = row.values + 3 * run.to;
        for (int r = 0; r < 3 * run.length; ++r) out[r] += wx * d0[r] + wy * d1[r] + wz * d2[r] + w * d3[r];
      }
    }
    Eigen::Map<Vec3> point(x);
    point += apply(move, Vec3(point));
  }

  Mat3 spatial_jacobian(const DeformerState& base, int k, const Vec3&) const override {
    return Mat3::Identity() + linear(blend(static_cast<const State&>(base), k));
  }

  Vec3 pull(const DeformerState& base, int k, const Vec3& x, const Vec3& g, double* g_slots) const override {
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) {
      const Vec3 bound = apply(inverse_rest_[entry_slot_[e]], x);
      Eigen::Map<Affine> g_world(g_slots + slot_offset(entry_slot_[e]));
      g_world.leftCols<3>() += weights_[e] * g * bound.transpose();
      g_world.col(3) += weights_[e] * g;
    }
    return spatial_jacobian(base, k, x).transpose() * g;
  }

  std::unique_ptr<Deformer> restricted(std::span<const int> points, int new_first) const override {
    const Selection selection = select(points);
    Layout layout{selection.entry_start, {}, {}};
    for (const int e : selection.entries) {
      layout.entry_slot.push_back(entry_slot_[e]);
      layout.weights.push_back(weights_[e]);
    }
    return std::make_unique<Clusters>(new_first, slots_, inverse_rest_, std::move(layout));
  }

 private:
  /// sum_j w_j (C_j - I)
  Affine blend(const State& state, int k) const {
    Affine sum = Affine::Zero();
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) sum += weights_[e] * state.moves[entry_slot_[e]];
    return sum;
  }

  std::vector<Affine> inverse_rest_;
  std::vector<double> weights_;
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
  Clusters::Layout layout;
  for (const auto& list : clusters.influences) {
    for (const Influence& influence : list) {
      if (influence.weight == 0) continue;
      layout.entry_slot.push_back(influence.joint);
      layout.weights.push_back(influence.weight);
    }
    layout.entry_start.push_back(static_cast<int>(layout.entry_slot.size()));
  }
  auto deformer = std::make_unique<Clusters>(clusters.first_point, clusters.transform_slots, clusters.inverse_rest,
                                             std::move(layout));
  deformer->describe(clusters);
  return deformer;
}

const ClusterDescription* cluster_description(const Deformer& deformer) {
  const auto* clusters = dynamic_cast<const Clusters*>(&deformer);
  return clusters != nullptr ? clusters->description() : nullptr;
}

}  // namespace rigspace
