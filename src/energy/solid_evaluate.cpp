// Values, forces and Hessians of Solid, in batches of four elements.

#include "rigspace/base/wide.h"
#include "rigspace/energy/solid.h"
#include "tet_batch.h"

namespace rigspace {
namespace {

constexpr int kSolidChunk = 32;  // batches

TetBatch batch_at(const std::vector<int>& tets, const std::vector<double>& rest, int batch) {
  return {tets.data() + 4 * kLanes * batch, rest.data() + static_cast<std::size_t>(batch) * kBatchDoubles};
}

template <MaterialKind kind>
double batch_value(const Coefficients& c, const TetBatch& tet, const double* x) {
  const Lanes energy = tet.volume() * density<kind>(c, deformation(tet, x));
  return (energy[0] + energy[1]) + (energy[2] + energy[3]);
}

template <MaterialKind kind>
void batch_forces(const Coefficients& c, const TetBatch& tet, const double* x, double* out) {
  corner_forces(tet, first_piola<kind>(c, deformation(tet, x)), out);
}

template <MaterialKind kind>
void batch_blocks(const Coefficients& c, const TetBatch& tet, const double* x, double weight, HessianMode mode,
                  double* out) {
  const Svd3<Lanes> svd = decompose(deformation(tet, x));
  PrincipalSystem<Lanes> system = principal_system<kind>(c, svd.s);
  if (mode == HessianMode::projected) clamp(system);
  BlockLanes K;
  corner_blocks(tet, svd, system, fill<Lanes>(weight) * tet.volume(), K);
  unpack(K, out);
}

}  // namespace

double Solid::value(const State&, In x) const {
  const Coefficients c = coefficients(material_);
  return dispatch(material_.kind, [&]<MaterialKind kind>() {
    return parallel_sum(batches(), kSolidChunk, [&](int begin, int end) {
      double sum = 0;
      widest([&] {
        for (int b = begin; b < end; ++b) sum += batch_value<kind>(c, batch_at(tets_, rest_, b), x.data());
      });
      return sum;
    });
  });
}

// Forces by element first, then a sum by point in the order of its elements: parallel, and always the same sum.
void Solid::add_gradient(const State&, In x, double weight, Vec& g) const {
  const Coefficients c = coefficients(material_);
  const detail::BlockScratch scratch(static_cast<std::size_t>(batches()) * 12 * kLanes);
  double* forces = scratch.data();
  dispatch(material_.kind, [&]<MaterialKind kind>() {
    parallel_ranges(batches(), kSolidChunk, [&](int begin, int end) {
      widest([&] {
        for (int b = begin; b < end; ++b)
          batch_forces<kind>(c, batch_at(tets_, rest_, b), x.data(),
                             forces + static_cast<std::size_t>(b) * 12 * kLanes);
      });
    });
  });
  gather(forces, weight, g);
}

void Solid::gather(const double* forces, double weight, Vec& g) const {
  parallel_ranges(static_cast<int>(support_.size()), 256, [&](int begin, int end) {
    for (int s = begin; s < end; ++s) {
      double sum[3] = {0, 0, 0};
      for (int k = place_start_[s]; k < place_start_[s + 1]; ++k)
        for (int i = 0; i < 3; ++i) sum[i] += forces[places_[k] + kLanes * i];
      for (int i = 0; i < 3; ++i) g(3 * support_[s] + i) += weight * sum[i];
    }
  });
}

void Solid::add_hessian(const State&, In x, double weight, HessianMode mode, BlockSink& sink) const {
  const Coefficients c = coefficients(material_);
  dispatch(material_.kind, [&]<MaterialKind kind>() {
    for_each_block(sink, [&](int b, double* out) {
      widest([&] { batch_blocks<kind>(c, batch_at(tets_, rest_, b), x.data(), weight, mode, out); });
    });
  });
}

}  // namespace rigspace
