#include "rigspace/energy/damping.h"

#include "rigspace/base/wide.h"
#include "tet_batch.h"

namespace rigspace {
namespace {

constexpr int kDampingChunk = 32;  // batches

// The rest data of the batches with turned shape gradients.
struct DampingState final : State {
  std::vector<double> turned;
};

// The stress of linear elasticity for the displacement gradient G: mu (G + G^T) + lambda tr G.
RIGSPACE_INLINE Matrix3<Lanes> linear_stress(const Lame& l, const Matrix3<Lanes>& G) {
  Matrix3<Lanes> P;
  const Lanes pressure = fill<Lanes>(l.lambda) * (G(0, 0) + G(1, 1) + G(2, 2));
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      P(i, j) = fill<Lanes>(l.mu) * (G(i, j) + G(j, i));
      if (i == j) P(i, j) += pressure;
    }
  return P;
}

void turn_batch(const TetBatch& tet, const double* x, double* out) {
  const Svd3<Lanes> svd = decompose(deformation(tet, x));
  Matrix3<Lanes> R;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      R(i, j) = madd(svd.U(i, 2), svd.V(j, 2), madd(svd.U(i, 1), svd.V(j, 1), svd.U(i, 0) * svd.V(j, 0)));
  for (int a = 0; a < 3; ++a)
    for (int i = 0; i < 3; ++i)
      store(out + kLanes * (3 * a + i),
            madd(R(i, 2), tet.gradient(a, 2), madd(R(i, 1), tet.gradient(a, 1), R(i, 0) * tet.gradient(a, 0))));
  store(out + kLanes * 9, tet.volume());
}

double damping_value(const Lame& l, const TetBatch& tet, const double* d) {
  const Matrix3<Lanes> G = times_gradients(edges(tet, d), tet), P = linear_stress(l, G);
  Lanes work = fill<Lanes>(0.0);
  for (int k = 0; k < 9; ++k) work = madd(P.m[k], G.m[k], work);
  work *= fill<Lanes>(0.5) * tet.volume();
  return (work[0] + work[1]) + (work[2] + work[3]);
}

void damping_blocks(const Lame& l, const TetBatch& tet, double scale, double* out) {
  BlockLanes K;
  const Lanes mu = fill<Lanes>(scale * l.mu) * tet.volume(), lambda = fill<Lanes>(scale * l.lambda) * tet.volume();
  for (int b = 0; b < 3; ++b)
    for (int a = 0; a <= b; ++a) {
      Lanes dots = fill<Lanes>(0.0);
      for (int k = 0; k < 3; ++k) dots = madd(tet.gradient(a, k), tet.gradient(b, k), dots);
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
          if (a == b && i > j) continue;
          Lanes k =
              madd(lambda, tet.gradient(a, i) * tet.gradient(b, j), mu * (tet.gradient(b, i) * tet.gradient(a, j)));
          if (i == j) k = madd(mu, dots, k);
          K(3 + 3 * a + i, 3 + 3 * b + j) = K(3 + 3 * b + j, 3 + 3 * a + i) = k;
        }
    }
  complete_block(K);
  unpack(K, out);
}

}  // namespace

Damping::Damping(const Solid& solid) : solid_(&solid), target_(Vec::Zero(3 * solid.point_count())) {}

void Damping::set_target(In x_drift, double scale) {
  assert(x_drift.size() == target_.size());
  target_ = x_drift;
  scale_ = scale;
}

std::unique_ptr<State> Damping::make_state() const {
  auto state = std::make_unique<DampingState>();
  state->turned = solid_->rest_;
  return state;
}

Change Damping::refresh(State& state, In x, Phase phase) const {
  if (phase != Phase::step) return Change::none;
  std::vector<double>& turned = state_as<DampingState>(state).turned;
  parallel_ranges(solid_->batches(), kDampingChunk, [&](int begin, int end) {
    widest([&] {
      for (int b = begin; b < end; ++b) {
        const std::size_t at = static_cast<std::size_t>(b) * kBatchDoubles;
        turn_batch({solid_->tets_.data() + 16 * b, solid_->rest_.data() + at}, x.data(), turned.data() + at);
      }
    });
  });
  return Change::values;
}

// K is linear, so what counts is the displacement from the target, made once for all elements.
double Damping::value(const State& state, In x) const {
  const std::vector<double>& turned = state_as<DampingState>(state).turned;
  const Lame l = lame(solid_->material_.young, solid_->material_.poisson);
  const detail::BlockScratch scratch(static_cast<std::size_t>(x.size()));
  Eigen::Map<Vec> d(scratch.data(), x.size());
  d = x - target_;
  return scale_ * parallel_sum(solid_->batches(), kDampingChunk, [&](int begin, int end) {
           double sum = 0;
           widest([&] {
             for (int b = begin; b < end; ++b)
               sum += damping_value(
                   l, {solid_->tets_.data() + 16 * b, turned.data() + static_cast<std::size_t>(b) * kBatchDoubles},
                   scratch.data());
           });
           return sum;
         });
}

void Damping::add_gradient(const State& state, In x, double weight, Vec& g) const {
  const std::vector<double>& turned = state_as<DampingState>(state).turned;
  const Lame l = lame(solid_->material_.young, solid_->material_.poisson);
  const detail::BlockScratch displacement(static_cast<std::size_t>(x.size()));
  Eigen::Map<Vec>(displacement.data(), x.size()) = x - target_;
  const detail::BlockScratch scratch(static_cast<std::size_t>(solid_->batches()) * 12 * kLanes);
  parallel_ranges(solid_->batches(), kDampingChunk, [&](int begin, int end) {
    widest([&] {
      for (int b = begin; b < end; ++b) {
        const TetBatch tet{solid_->tets_.data() + 16 * b, turned.data() + static_cast<std::size_t>(b) * kBatchDoubles};
        corner_forces(tet, linear_stress(l, times_gradients(edges(tet, displacement.data()), tet)),
                      scratch.data() + static_cast<std::size_t>(b) * 12 * kLanes);
      }
    });
  });
  solid_->gather(scratch.data(), weight * scale_, g);
}

void Damping::add_hessian(const State& state, In, double weight, HessianMode, BlockSink& sink) const {
  const std::vector<double>& turned = state_as<DampingState>(state).turned;
  const Lame l = lame(solid_->material_.young, solid_->material_.poisson);
  solid_->for_each_block(sink, [&](int b, double* out) {
    const TetBatch tet{solid_->tets_.data() + 16 * b, turned.data() + static_cast<std::size_t>(b) * kBatchDoubles};
    widest([&] { damping_blocks(l, tet, weight * scale_, out); });
  });
}

std::unique_ptr<Energy> Damping::sampled(std::span<const WeightedElement> elements) const {
  auto part = std::make_shared<const Solid>(solid_->sample(elements));
  auto damping = std::make_unique<Damping>(*part);
  damping->owned_ = std::move(part);
  damping->set_target(target_, scale_);
  return damping;
}

}  // namespace rigspace
