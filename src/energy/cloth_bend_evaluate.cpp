// Value and gradient of bending together, four hinges at a time.
#include "cloth_memory.h"
#include "lanes.h"
#include "rigspace/energy/cloth_bend.h"

namespace rigspace {
namespace {

constexpr int kBendBatches = 64;  // of one range

}  // namespace

void ClothBend::make_batches() {
  batches_.assign((hinges_.size() + kLanes - 1) / kLanes, Batch{});
  for (std::size_t k = 0; k < kLanes * batches_.size(); ++k) {
    const bool real = k < hinges_.size();
    const Hinge& h = hinges_[real ? k : hinges_.size() - 1];
    Batch& batch = batches_[k / kLanes];
    const std::size_t lane = k % kLanes;
    for (int c = 0; c < 4; ++c) batch.points[c][lane] = h.points[c];
    batch.scale[lane] = real ? h.weight : 0, batch.rest[lane] = h.rest, batch.start[lane] = h.start;
  }
  ++version_;
}

std::unique_ptr<State> ClothBend::make_state() const { return std::make_unique<ClothMemory>(); }

// Forces of a batch, by point and axis; returns its energy. The formulas are those of angle_gradient.
double ClothBend::evaluate(const Batch& batch, const double* x, double* forces) const {
  Lanes e[3], a[3], b[3], c[3], n_a[3], n_b[3], both[3];
  for (int i = 0; i < 3; ++i) {
    const auto at = [&](const int* p) {
      return Lanes{x[3 * p[0] + i], x[3 * p[1] + i], x[3 * p[2] + i], x[3 * p[3] + i]};
    };
    const Lanes x0 = at(batch.points[0]), x1 = at(batch.points[1]), x2 = at(batch.points[2]), x3 = at(batch.points[3]);
    e[i] = x1 - x0, a[i] = x2 - x0, b[i] = x3 - x0, c[i] = x3 - x1;
  }
  cross(e, a, n_a), cross(c, e, n_b), cross(n_a, n_b, both);
  const Lanes ee = dot(e, e), length = square_root(ee), sine = dot(both, e) / length, cosine = dot(n_a, n_b);
  Lanes angle;
  for (int k = 0; k < kLanes; ++k) angle[k] = continued(std::atan2(sine[k], cosine[k]), batch.start[k]);
  const Lanes bent = angle - load(batch.rest), moved = angle - load(batch.start);
  const Lanes K = fill<Lanes>(stiffness_) * load(batch.scale), damping = fill<Lanes>(damping_);
  const Lanes force = K * madd(damping, moved, bent);
  const Lanes scale_a = -force * length / dot(n_a, n_a), scale_b = -force * length / dot(n_b, n_b);
  const Lanes t_a = dot(a, e) / ee, t_b = dot(b, e) / ee;
  for (int i = 0; i < 3; ++i) {
    const Lanes f_a = scale_a * n_a[i], f_b = scale_b * n_b[i], f_1 = -(t_a * f_a + t_b * f_b);
    store(forces + kLanes * i, -(f_a + f_b) - f_1);
    store(forces + kLanes * (3 + i), f_1);
    store(forces + kLanes * (6 + i), f_a);
    store(forces + kLanes * (9 + i), f_b);
  }
  const Lanes energy = fill<Lanes>(0.5) * K * madd(damping * moved, moved, bent * bent);
  return energy[0] + energy[1] + energy[2] + energy[3];
}

void ClothBend::evaluate(const ClothMemory& memory, In x) const {
  if (memory.holds(version_, x)) return;
  memory.x = x, memory.version = version_;
  const detail::BlockScratch scratch(12 * kLanes * batches_.size());
  double* forces = scratch.data();
  memory.value = parallel_sum(static_cast<int>(batches_.size()), kBendBatches, [&](int begin, int end) {
    double sum = 0;
    for (int k = begin; k < end; ++k) {
      const auto at = static_cast<std::size_t>(k);
      sum += evaluate(batches_[at], x.data(), forces + 12 * kLanes * at);
    }
    return sum;
  });
  memory.g.setZero(x.size());
  for (std::size_t k = 0; k < hinges_.size(); ++k) {
    const double* f = forces + 12 * kLanes * (k / kLanes) + k % kLanes;
    for (int c = 0; c < 4; ++c)
      for (int i = 0; i < 3; ++i) memory.g[3 * hinges_[k].points[c] + i] += f[kLanes * (3 * c + i)];
  }
}

double ClothBend::value(const State& state, In x) const {
  ClothMemory own;
  const ClothMemory& memory = cloth_memory(state, own);
  evaluate(memory, x);
  return memory.value;
}

void ClothBend::add_gradient(const State& state, In x, double weight, Vec& g) const {
  ClothMemory own;
  const ClothMemory& memory = cloth_memory(state, own);
  evaluate(memory, x);
  g += weight * memory.g;
}

}  // namespace rigspace
