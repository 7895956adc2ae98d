#include "rigspace/rig/lattice.h"

#include "automatic_deformer.h"
#include "lattice_box.h"

#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <Eigen/LU>

#include <cmath>
#include <optional>

namespace rigspace {
namespace {

/// Linear in its slots, so everything is written out by hand.
class Lattice final : public Deformer {
 public:
  struct Layout {
    std::vector<BoxRange> ranges;  // one per point
    std::vector<double> weights;
    std::vector<int> entry_start{0}, entry_slot;
    std::vector<Vec3> bound;           // where points are before any lattice: one per point; empty: not known
    std::vector<double> entry_weight;  // there, one per entry: weight f B_ijk

    void add(const BoxRange& range, double weight, const std::array<int, 3>& size) {
      ranges.push_back(range);
      weights.push_back(weight);
      for (int k = range.lo[2]; k <= range.hi[2]; ++k)
        for (int j = range.lo[1]; j <= range.hi[1]; ++j)
          for (int i = range.lo[0]; i <= range.hi[0]; ++i) entry_slot.push_back(i + size[0] * (j + size[1] * k));
      entry_start.push_back(static_cast<int>(entry_slot.size()));
    }
  };

  Lattice(int first, std::vector<int> slots, LatticeBox box, Layout layout)
      : Deformer(first, slots, std::vector<int>(slots.size(), kPointSlot), std::move(layout.entry_start),
                 std::move(layout.entry_slot)),
        box_(std::move(box)),
        ranges_(std::move(layout.ranges)),
        weights_(std::move(layout.weights)),
        bound_(std::move(layout.bound)),
        entry_weight_(std::move(layout.entry_weight)) {}

  /// Points that nothing moves before the lattice, as they come: their weights are the same in every pose.
  void keep_weights(In rest) {
    BoxWeights box;
    entry_weight_.assign(entry_slot_.size(), 0);
    for (int k = 0; k < count(); ++k) {
      bound_.emplace_back(rest.segment<3>(3 * k));
      if (ranges_[k].empty() || !box_.weights(apply(box_.to_box(), bound_[k]), box)) continue;
      for_entries(ranges_[k], box,
                  [&](int e, double b) { entry_weight_[entry_start_[k] + e] = weights_[k] * box.fade * b; });
    }
  }

  void describe(const LatticeDescription& lattice) {
    description_ = lattice;
    points_rest_ = lattice.points_rest.empty() ? lattice_points(lattice) : lattice.points_rest;
  }
  const LatticeDescription* description() const { return description_ ? &*description_ : nullptr; }

  struct State : DeformerState {
    std::vector<Vec3> moves;     ///< P - P0
    std::vector<const Mat*> du;  ///< 3 x columns
  };

  std::unique_ptr<DeformerState> make_state() const override { return std::make_unique<State>(); }

  void prepare(In u, std::span<const Slot> graph_slots, DeformerState& base) const override {
    auto& state = static_cast<State&>(base);
    state.moves.resize(slots_.size());
    for (std::size_t s = 0; s < slots_.size(); ++s)
      state.moves[s] = u.segment<3>(graph_slots[slots_[s]].offset) - points_rest_[s];
  }

  void prepare_derivatives(In, std::span<const Slot>, const GraphJacobian& du, DeformerState& base) const override {
    auto& state = static_cast<State&>(base);
    state.du.resize(slots_.size());
    for (std::size_t s = 0; s < slots_.size(); ++s) state.du[s] = &du.slots[slots_[s]].value;
  }

  void deform(const DeformerState& base, int begin, int end, double* x) const override {
    const auto& state = static_cast<const State&>(base);
    BoxWeights box;
    for (int k = begin; k < end; ++k, x += 3) {
      Eigen::Map<Vec3> point(x);
      if (is_as_bound(k, point)) {
        for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e)
          point += entry_weight_[e] * state.moves[entry_slot_[e]];
        continue;
      }
      if (ranges_[k].empty() || !box_.weights(apply(box_.to_box(), Vec3(point)), box)) continue;
      point += weights_[k] * box.fade * sum(state, ranges_[k], box);
    }
  }

  void deform(const DeformerState& base, int k, double* x, const PointRow& row) const override {
    const auto& state = static_cast<const State&>(base);
    BoxWeights box;
    Eigen::Map<Vec3> point(x);
    const auto add_entry = [&](int e, double factor) {
      const double* du = state.du[entry_slot_[entry_start_[k] + e]]->data();
      for (const ColumnRun& run : row.runs[e]) {
        const double* __restrict__ d = du + 3 * run.from;
        double* __restrict__ out = row.values + 3 * run.to;
        for (int r = 0; r < 3 * run.length; ++r) out[r] += factor * d[r];
      }
    };
    if (row.zero && is_as_bound(k, point)) {
      for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) {
        if (entry_weight_[e] == 0) continue;
        add_entry(e - entry_start_[k], entry_weight_[e]);
        point += entry_weight_[e] * state.moves[entry_slot_[e]];
      }
      return;
    }
    const BoxRange& range = ranges_[k];
    if (range.empty() || !box_.weights(apply(box_.to_box(), Vec3(point)), box)) return;
    Vec3 move;
    if (row.zero) {
      move = sum(state, range, box);
    } else {
      Mat3 A;
      move = sum(state, range, box, weights_[k], A);
      transform_row(A, row);
    }
    for_entries(range, box, [&](int e, double b) { add_entry(e, weights_[k] * box.fade * b); });
    point += weights_[k] * box.fade * move;
  }

  Mat3 spatial_jacobian(const DeformerState& base, int k, const Vec3& x) const override {
    BoxWeights box;
    Mat3 A = Mat3::Identity();
    if (!ranges_[k].empty() && box_.weights(apply(box_.to_box(), x), box))
      sum(static_cast<const State&>(base), ranges_[k], box, weights_[k], A);
    return A;
  }

  Vec3 pull(const DeformerState& base, int k, const Vec3& x, const Vec3& g, double* g_slots) const override {
    BoxWeights box;
    if (ranges_[k].empty() || !box_.weights(apply(box_.to_box(), x), box)) return g;
    for_entries(ranges_[k], box, [&](int e, double b) {
      Eigen::Map<Vec3>(g_slots + slot_offset(entry_slot_[entry_start_[k] + e])) += weights_[k] * box.fade * b * g;
    });
    Mat3 A;
    sum(static_cast<const State&>(base), ranges_[k], box, weights_[k], A);
    return A.transpose() * g;
  }

  std::unique_ptr<Deformer> restricted(std::span<const int> points, int new_first) const override {
    Layout layout;
    for (const int k : points) {
      layout.add(ranges_[k], weights_[k], box_.size());
      if (bound_.empty()) continue;
      layout.bound.push_back(bound_[k]);
      layout.entry_weight.insert(layout.entry_weight.end(), entry_weight_.begin() + entry_start_[k],
                                 entry_weight_.begin() + entry_start_[k + 1]);
    }
    auto part = std::make_unique<Lattice>(new_first, slots_, box_, std::move(layout));
    part->points_rest_ = points_rest_;
    return part;
  }

 private:
  /// Calls body(entry within the point, B_ijk) for all weights that are not zero and that the point is bound to.
  template <class Body>
  void for_entries(const BoxRange& range, const BoxWeights& box, Body&& body) const {
    const auto& [u, v, w] = box.axis;
    for (int k = std::max(w.lo, range.lo[2]); k <= std::min(w.hi, range.hi[2]); ++k)
      for (int j = std::max(v.lo, range.lo[1]); j <= std::min(v.hi, range.hi[1]); ++j) {
        const double b_jk = v.b[j] * w.b[k];
        const int line = range.length(0) * (j - range.lo[1] + range.length(1) * (k - range.lo[2])) - range.lo[0];
        for (int i = std::max(u.lo, range.lo[0]); i <= std::min(u.hi, range.hi[0]); ++i) body(line + i, u.b[i] * b_jk);
      }
  }

  /// sum_ijk B_ijk (P_ijk - P0_ijk), axis by axis.
  Vec3 sum(const State& state, const BoxRange& range, const BoxWeights& box) const {
    const auto& [u, v, w] = box.axis;
    const int i_lo = std::max(u.lo, range.lo[0]), i_hi = std::min(u.hi, range.hi[0]);
    Vec3 all = Vec3::Zero();
    for (int k = std::max(w.lo, range.lo[2]); k <= std::min(w.hi, range.hi[2]); ++k)
      for (int j = std::max(v.lo, range.lo[1]); j <= std::min(v.hi, range.hi[1]); ++j) {
        const Vec3* moves = state.moves.data() + box_.size()[0] * (j + box_.size()[1] * k);
        Vec3 line = Vec3::Zero();
        for (int i = i_lo; i <= i_hi; ++i) line += u.b[i] * moves[i];
        all += (v.b[j] * w.b[k]) * line;
      }
    return all;
  }

  /// The same, and A = I + weight d(f sum)/dl dl/dx.
  Vec3 sum(const State& state, const BoxRange& range, const BoxWeights& box, double weight, Mat3& A) const {
    const auto& [u, v, w] = box.axis;
    const int i_lo = std::max(u.lo, range.lo[0]), i_hi = std::min(u.hi, range.hi[0]);
    Vec3 all = Vec3::Zero();
    Mat3 slope = Mat3::Zero();
    for (int k = std::max(w.lo, range.lo[2]); k <= std::min(w.hi, range.hi[2]); ++k)
      for (int j = std::max(v.lo, range.lo[1]); j <= std::min(v.hi, range.hi[1]); ++j) {
        const Vec3* moves = state.moves.data() + box_.size()[0] * (j + box_.size()[1] * k);
        Vec3 line = Vec3::Zero(), line_slope = Vec3::Zero();
        for (int i = i_lo; i <= i_hi; ++i) line += u.b[i] * moves[i], line_slope += u.d[i] * moves[i];
        all += (v.b[j] * w.b[k]) * line;
        slope.col(0) += (v.b[j] * w.b[k]) * line_slope;
        slope.col(1) += (v.d[j] * w.b[k]) * line;
        slope.col(2) += (v.b[j] * w.d[k]) * line;
      }
    const Mat3 by_box = box.fade * slope + all * box.fade_slope.transpose();
    A = Mat3::Identity() + weight * by_box * box_.to_box().leftCols<3>();
    return all;
  }

  bool is_as_bound(int k, const Vec3& x) const { return !bound_.empty() && bound_[k] == x; }

  LatticeBox box_;
  std::vector<Vec3> points_rest_;
  std::vector<BoxRange> ranges_;
  std::vector<double> weights_;
  std::vector<Vec3> bound_;           // as in Layout
  std::vector<double> entry_weight_;  // likewise
  std::optional<LatticeDescription> description_;
};

}  // namespace

void LatticeDescription::validate() const {
  points.validate("lattice");
  std::size_t total = 1;
  for (const int along : size) {
    require_option(along >= 2 && along <= kMaxLatticeSize, "lattice size", along,
                   "give 2 to " + std::to_string(kMaxLatticeSize) + " points along each axis");
    total *= static_cast<std::size_t>(along);
  }
  require_option(point_slots.size() == total, "lattice's number of points", static_cast<double>(point_slots.size()),
                 "its size asks for " + std::to_string(total));
  require_option(points_rest.empty() || points_rest.size() == total, "lattice's number of points at rest",
                 static_cast<double>(points_rest.size()), "its size asks for " + std::to_string(total));
  for (int axis = 0; axis < 3; ++axis)
    require_option(margin[axis] > 0 || outside != LatticeOutside::fade, "lattice margin", margin[axis],
                   "give a positive share of the box's edge");
  const Mat3 edges = frame.leftCols<3>();
  const double volume = std::abs(edges.determinant());
  const double lengths = edges.colwise().norm().prod();
  require_option(frame.allFinite() && volume > 1e-12 * lengths, "lattice box's volume", volume,
                 "give three edges that span a box");
}

std::vector<Vec3> lattice_points(const LatticeDescription& lattice) {
  std::array<std::vector<double>, 3> along;
  for (int axis = 0; axis < 3; ++axis) {
    const int n = lattice.size[axis];
    along[axis] = SplineBasis::greville(n, std::min(3, n - 1));
    if (lattice.basis == LatticeBasis::bezier)
      for (int i = 0; i < n; ++i) along[axis][i] = i / (n - 1.0);
  }
  std::vector<Vec3> points;
  for (const double w : along[2])
    for (const double v : along[1])
      for (const double u : along[0]) points.push_back(apply(lattice.frame, Vec3(u, v, w)));
  return points;
}

std::unique_ptr<Deformer> make_lattice(const LatticeDescription& lattice) {
  lattice.validate();
  const LatticeBox box(lattice);
  const DeformedPoints& points = lattice.points;
  // A ball of radius drift in the scene reaches this far along the axes of the box.
  const Vec3 radius = points.drift * box.to_box().leftCols<3>().rowwise().norm();
  Lattice::Layout layout;
  for (int k = 0; k < points.count; ++k) {
    BoxRange range;
    if (points.weight(k) != 0) {
      if (points.rest_known()) {
        range = box.range(apply(box.to_box(), points.rest.segment<3>(3 * k)), radius);
      } else {
        for (int axis = 0; axis < 3; ++axis) range.hi[axis] = lattice.size[axis] - 1;
      }
    }
    layout.add(range, points.weight(k), lattice.size);
  }
  auto deformer = std::make_unique<Lattice>(points.first, lattice.point_slots, box, std::move(layout));
  deformer->describe(lattice);
  if (points.rest_known() && points.drift == 0) deformer->keep_weights(points.rest);
  return deformer;
}

const LatticeDescription* lattice_description(const Deformer& deformer) {
  const auto* lattice = dynamic_cast<const Lattice*>(&deformer);
  return lattice != nullptr ? lattice->description() : nullptr;
}

}  // namespace rigspace
