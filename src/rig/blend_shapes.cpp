#include "blend_shapes.h"

#include <cassert>

namespace rigspace {
namespace {

class BlendShapes final : public Deformer {
 public:
  struct Layout {
    std::vector<int> slots, entry_start, entry_slot;
    std::vector<Vec3> offsets;
  };

  BlendShapes(int first_point, Layout layout, std::vector<MorphTarget> targets)
      : Deformer(first_point, layout.slots, std::vector<int>(layout.slots.size(), kScalarSlot), layout.entry_start,
                 layout.entry_slot),
        offsets_(std::move(layout.offsets)),
        targets_(std::move(targets)) {}

  struct State : DeformerState {
    std::vector<double> weights;
    std::vector<const GraphJacobian::Block*> d_weights;
  };

  std::unique_ptr<DeformerState> make_state() const override { return std::make_unique<State>(); }

  void prepare(In u, std::span<const Slot> graph_slots, DeformerState& base) const override {
    auto& state = static_cast<State&>(base);
    state.weights.resize(slots_.size());
    for (std::size_t m = 0; m < slots_.size(); ++m) state.weights[m] = u[graph_slots[slots_[m]].offset];
  }

  void prepare_derivatives(In, std::span<const Slot>, const GraphJacobian& du, DeformerState& base) const override {
    auto& state = static_cast<State&>(base);
    state.d_weights.resize(slots_.size());
    for (std::size_t m = 0; m < slots_.size(); ++m) state.d_weights[m] = &du.slots[slots_[m]];
  }

  void deform(const DeformerState& base, int begin, int end, double* x) const override {
    const auto& state = static_cast<const State&>(base);
    for (int k = begin; k < end; ++k, x += 3) move(state, k, x);
  }

  void deform(const DeformerState& base, int k, double* x, const PointRow& row) const override {
    const auto& state = static_cast<const State&>(base);
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) {
      const Mat& d = state.d_weights[entry_slot_[e]]->value;
      for (const ColumnRun& run : row.runs[e - entry_start_[k]])
        for (int c = 0; c < run.length; ++c)
          Eigen::Map<Vec3>(row.values + 3 * (run.to + c)) += d(0, run.from + c) * offsets_[e];
    }
    move(state, k, x);
  }

  /// Identity: offsets are stored, not absolute targets (Thesis 3.61 is for those).
  Mat3 spatial_jacobian(const DeformerState&, int, const Vec3&) const override { return Mat3::Identity(); }

  Vec3 pull(const DeformerState&, int k, const Vec3&, const Vec3& g, double* g_slots) const override {
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) g_slots[entry_slot_[e]] += offsets_[e].dot(g);
    return g;
  }

  std::unique_ptr<Deformer> restricted(std::span<const int> points, int new_first) const override {
    const Selection selection = select(points);
    Layout layout{slots_, selection.entry_start, {}, {}};
    for (const int e : selection.entries) {
      layout.entry_slot.push_back(entry_slot_[e]);
      layout.offsets.push_back(offsets_[e]);
    }
    return std::make_unique<BlendShapes>(new_first, std::move(layout), std::vector<MorphTarget>{});
  }

  std::span<const MorphTarget> targets() const { return targets_; }
  std::span<const Vec3> offsets() const { return offsets_; }

 private:
  void move(const State& state, int k, double* x) const {
    Eigen::Map<Vec3> point(x);
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) point += state.weights[entry_slot_[e]] * offsets_[e];
  }

  std::vector<Vec3> offsets_;  // one per entry
  std::vector<MorphTarget> targets_;
};

}  // namespace

std::unique_ptr<Deformer> make_blend_shapes(int first_point, int count, std::span<const MorphTarget> targets) {
  BlendShapes::Layout layout;
  layout.entry_start.assign(count + 1, 0);
  for (const MorphTarget& target : targets) {
    layout.slots.push_back(target.weight_slot);
    assert(target.points.size() == target.offsets.size());
    for (const int k : target.points) ++layout.entry_start[k + 1];
  }
  for (int k = 0; k < count; ++k) layout.entry_start[k + 1] += layout.entry_start[k];
  std::vector<int> next(layout.entry_start.begin(), layout.entry_start.end() - 1);
  layout.entry_slot.resize(layout.entry_start.back());
  layout.offsets.resize(layout.entry_start.back());
  for (std::size_t m = 0; m < targets.size(); ++m)
    for (std::size_t i = 0; i < targets[m].points.size(); ++i) {
      const int e = next[targets[m].points[i]]++;
      layout.entry_slot[e] = static_cast<int>(m);
      layout.offsets[e] = targets[m].offsets[i];
    }
  return std::make_unique<BlendShapes>(first_point, std::move(layout),
                                       std::vector<MorphTarget>(targets.begin(), targets.end()));
}

std::span<const MorphTarget> morph_targets(const Deformer& deformer) {
  const auto* shapes = dynamic_cast<const BlendShapes*>(&deformer);
  return shapes != nullptr ? shapes->targets() : std::span<const MorphTarget>{};
}

std::optional<std::span<const Vec3>> shape_offsets(const Deformer& deformer) {
  const auto* shapes = dynamic_cast<const BlendShapes*>(&deformer);
  return shapes != nullptr ? std::optional(shapes->offsets()) : std::nullopt;
}

}  // namespace rigspace
