#pragma once
// A deformer from one function: its move of a point, to first order in the point and in the slots that the point reads.
// Row form, spatial Jacobian and adjoint follow from it.

#include "dual.h"

#include "rigspace/rig/deformer.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace rigspace {

/// The slots of a deformer at one pose.
struct SlotState : DeformerState {
  std::vector<double> u;       ///< packed, see Deformer::slot_offset
  std::vector<const Mat*> du;  ///< slot by slot: size x columns
};

/// y(x, u), A = dy/dx, and B = dy/du: three numbers a column, the entries of the point one after another.
struct LocalMove {
  static constexpr int kMaxColumns = 200;

  Vec3 y;
  Mat3 A;
  double B[3 * kMaxColumns];
  bool moved;  ///< false: y = x whatever the slots do, and the rest is not set
};

/// The value and the derivative (3 columns-major rows by `count`) of a formula, templated over its scalar:
/// formula(const S* inputs) -> 3-vector of S.
template <class Formula>
Vec3 differentiate(const Formula& formula, const double* inputs, int count, double* derivative) {
  constexpr int kMaxInputs = 16;
  assert(count <= kMaxInputs);
  Dual in[kMaxInputs];
  Vec3 value;
  for (int from = 0; from < count; from += Dual::kLanes) {
    const int lanes = std::min(Dual::kLanes, count - from);
    for (int i = 0; i < count; ++i) in[i] = Dual(inputs[i]);
    for (int lane = 0; lane < lanes; ++lane) in[from + lane].d[lane] = 1;
    const Eigen::Matrix<Dual, 3, 1> out = formula(static_cast<const Dual*>(in));
    for (int r = 0; r < 3; ++r) {
      value[r] = out[r].v;
      for (int lane = 0; lane < lanes; ++lane) derivative[3 * (from + lane) + r] = out[r].d[lane];
    }
  }
  return value;
}

/// row <- A row.
inline void transform_row(const Mat3& A, const PointRow& row) {
  if (row.zero) return;
  Eigen::Map<Eigen::Matrix3Xd> J(row.values, 3, row.columns);
  for (int c = 0; c < row.columns; ++c) J.col(c) = (A * J.col(c)).eval();
}

/// row += B du for one entry whose slot has `size` numbers.
inline void add_entry(const double* B, int size, const Mat& du, std::span<const ColumnRun> runs, double* row) {
  if (std::all_of(B, B + 3 * size, [](double b) { return b == 0; })) return;
  for (const ColumnRun& run : runs)
    for (int c = 0; c < run.length; ++c) {
      const double* d = du.data() + static_cast<std::ptrdiff_t>(size) * (run.from + c);
      double* out = row + 3 * (run.to + c);
      for (int s = 0; s < size; ++s)
        for (int r = 0; r < 3; ++r) out[r] += B[3 * s + r] * d[s];
    }
}

/// `Own` is the class that derives from it and has
///   using State = SlotState, or something derived from it;
///   void pose(State&) const;                                          once per pose, after state.u is there
///   Vec3 move(const State&, int k, const Vec3& x) const;              the value alone
///   void linearize(const State&, int k, const Vec3& x, LocalMove&) const;
template <class Own>
class AutomaticDeformer : public Deformer {
 public:
  std::unique_ptr<DeformerState> make_state() const override { return std::make_unique<typename Own::State>(); }

  void prepare(In u, std::span<const Slot> graph_slots, DeformerState& base) const override {
    auto& state = static_cast<typename Own::State&>(base);
    state.u.resize(slot_total());
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      const Slot& slot = graph_slots[slots_[s]];
      assert(slot.size == slot_sizes_[s]);
      std::copy_n(u.data() + slot.offset, slot.size, state.u.data() + slot_offset(static_cast<int>(s)));
    }
    own().pose(state);
  }

  void prepare_derivatives(In, std::span<const Slot>, const GraphJacobian& du, DeformerState& base) const override {
    auto& state = static_cast<SlotState&>(base);
    state.du.resize(slots_.size());
    for (std::size_t s = 0; s < slots_.size(); ++s) state.du[s] = &du.slots[slots_[s]].value;
  }

  void deform(const DeformerState& base, int begin, int end, double* x) const override {
    const auto& state = static_cast<const typename Own::State&>(base);
    for (int k = begin; k < end; ++k, x += 3) {
      Eigen::Map<Vec3> point(x);
      point = own().move(state, k, Vec3(point));
    }
  }

  void deform(const DeformerState& base, int k, double* x, const PointRow& row) const override {
    const auto& state = static_cast<const typename Own::State&>(base);
    Eigen::Map<Vec3> point(x);
    LocalMove local;
    own().linearize(state, k, Vec3(point), local);
    if (!local.moved) return;
    transform_row(local.A, row);
    const double* B = local.B;
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) {
      const int slot = entry_slot_[e], size = slot_sizes_[slot];
      add_entry(B, size, *state.du[slot], row.runs[e - entry_start_[k]], row.values);
      B += 3 * size;
    }
    point = local.y;
  }

  Mat3 spatial_jacobian(const DeformerState& base, int k, const Vec3& x) const override {
    LocalMove local;
    own().linearize(static_cast<const typename Own::State&>(base), k, x, local);
    return local.moved ? local.A : Mat3(Mat3::Identity());
  }

  Vec3 pull(const DeformerState& base, int k, const Vec3& x, const Vec3& g, double* g_slots) const override {
    LocalMove local;
    own().linearize(static_cast<const typename Own::State&>(base), k, x, local);
    if (!local.moved) return g;
    const double* B = local.B;
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) {
      double* out = g_slots + slot_offset(entry_slot_[e]);
      for (int s = 0; s < slot_sizes_[entry_slot_[e]]; ++s, B += 3) out[s] += Eigen::Map<const Vec3>(B).dot(g);
    }
    return local.A.transpose() * g;
  }

 protected:
  using Deformer::Deformer;

 private:
  const Own& own() const { return static_cast<const Own&>(*this); }
};

}  // namespace rigspace
