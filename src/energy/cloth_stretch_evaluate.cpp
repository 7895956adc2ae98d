// Value and gradient of stretch together, four triangles at a time.
#include "cloth_memory.h"
#include "lanes.h"
#include "rigspace/energy/cloth_stretch.h"

namespace rigspace {
namespace {

constexpr int kStretchBatches = 64;  // of one range

struct LimitOf {
  double limit, width;
};

/// limit(e) of the header for one axis: K is the gain times its stiffness.
RIGSPACE_INLINE void add_limit(const LimitOf& of, const Lanes& K, const Lanes& strain, Lanes& psi, Lanes& stress) {
  const Lanes zero = fill<Lanes>(0), w = fill<Lanes>(of.width), t = larger(strain - fill<Lanes>(of.limit), zero);
  if (!any(t > zero)) return;
  const Lanes beyond = t - w;
  const LaneMask soft = t < w;
  psi += select(soft, K * t * t * t / (6 * w), K * (w * w / 6 + w * beyond / 2 + beyond * beyond / 2));
  stress += select(soft, K * t * t / (2 * w), K * (t - w / 2));
}

}  // namespace

void ClothStretch::make_batches() {
  batches_.assign((elements_.size() + kLanes - 1) / kLanes, Batch{});
  for (std::size_t k = 0; k < kLanes * batches_.size(); ++k) {
    const bool real = k < elements_.size();
    const Element& e = elements_[real ? k : elements_.size() - 1];
    Batch& batch = batches_[k / kLanes];
    const std::size_t lane = k % kLanes;
    batch.scale[lane] = real ? e.weight * e.area : 0;
    for (int c = 0; c < 3; ++c) {
      batch.corners[c][lane] = e.corners[c];
      batch.start[c][lane] = e.start[c];
      for (int a = 0; a < 2; ++a) batch.b[c][a][lane] = e.b[c][a];
    }
  }
  ++version_;
}

std::unique_ptr<State> ClothStretch::make_state() const { return std::make_unique<ClothMemory>(); }

// Forces of a batch, by corner and axis; returns its energy.
double ClothStretch::evaluate(const Batch& batch, const double* x, double* forces) const {
  Lanes F[2][3];
  for (int i = 0; i < 3; ++i) {
    F[0][i] = F[1][i] = fill<Lanes>(0);
    for (int c = 0; c < 3; ++c) {
      const int* p = batch.corners[c];
      const Lanes at{x[3 * p[0] + i], x[3 * p[1] + i], x[3 * p[2] + i], x[3 * p[3] + i]};
      for (int a = 0; a < 2; ++a) F[a][i] = madd(load(batch.b[c][a]), at, F[a][i]);
    }
  }
  const Lanes half = fill<Lanes>(0.5), one = fill<Lanes>(1), damping = fill<Lanes>(damping_);
  const Lanes E[3] = {half * (dot(F[0], F[0]) - one), half * (dot(F[1], F[1]) - one), half * dot(F[0], F[1])};
  const double k[3] = {material_.warp, material_.weft, 4 * material_.shear};
  Lanes psi = fill<Lanes>(0), stress[3];
  for (int a = 0; a < 3; ++a) {
    const Lanes rate = E[a] - load(batch.start[a]), K = fill<Lanes>(k[a]);
    stress[a] = K * madd(damping, rate, E[a]);
    psi += half * K * madd(damping * rate, rate, E[a] * E[a]);
  }
  if (material_.limit > 0)
    for (int a = 0; a < 2; ++a)
      add_limit({material_.limit, material_.limit / 2}, fill<Lanes>(material_.limit_gain * k[a]), E[a], psi, stress[a]);
  const Lanes scale = load(batch.scale), shear = half * scale * stress[2];
  for (int i = 0; i < 3; ++i) {
    const Lanes p0 = madd(scale * stress[0], F[0][i], shear * F[1][i]),
                p1 = madd(scale * stress[1], F[1][i], shear * F[0][i]);
    for (int c = 0; c < 3; ++c)
      store(forces + kLanes * (3 * c + i), madd(load(batch.b[c][0]), p0, load(batch.b[c][1]) * p1));
  }
  const Lanes energy = scale * psi;
  return energy[0] + energy[1] + energy[2] + energy[3];
}

void ClothStretch::evaluate(const ClothMemory& memory, In x) const {
  if (memory.holds(version_, x)) return;
  memory.x = x, memory.version = version_;
  const detail::BlockScratch scratch(9 * kLanes * batches_.size());
  double* forces = scratch.data();
  memory.value = parallel_sum(static_cast<int>(batches_.size()), kStretchBatches, [&](int begin, int end) {
    double sum = 0;
    for (int k = begin; k < end; ++k) {
      const auto at = static_cast<std::size_t>(k);
      sum += evaluate(batches_[at], x.data(), forces + 9 * kLanes * at);
    }
    return sum;
  });
  memory.g.setZero(x.size());
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    const double* f = forces + 9 * kLanes * (e / kLanes) + e % kLanes;
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < 3; ++i) memory.g[3 * elements_[e].corners[c] + i] += f[kLanes * (3 * c + i)];
  }
}

double ClothStretch::value(const State& state, In x) const {
  ClothMemory own;
  const ClothMemory& memory = cloth_memory(state, own);
  evaluate(memory, x);
  return memory.value;
}

void ClothStretch::add_gradient(const State& state, In x, double weight, Vec& g) const {
  ClothMemory own;
  const ClothMemory& memory = cloth_memory(state, own);
  evaluate(memory, x);
  g += weight * memory.g;
}

}  // namespace rigspace
