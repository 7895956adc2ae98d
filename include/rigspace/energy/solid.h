#pragma once
// Elastic solids of linear tetrahedra:  E(x) = sum_e k_e V_e psi(F_e),  F = (sum_a x_a grad N_a)  (Thesis 3.2, 3.3).

#include "rigspace/energy/material.h"
#include "rigspace/geometry/tet_mesh.h"
#include "rigspace/optimize/energy.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

/// Elements are evaluated four at a time and in parallel, and summed in a fixed order: the same bits on any number of
/// threads. Nothing is allocated after the first evaluation on a thread.
class Solid final : public Energy {
 public:
  /// x_bind holds 3n coordinates in metres; stiffness, a factor on the material for each tet, is 1 if empty. Tets
  /// without volume are left out and counted. Throws Error for a tet that is inverted or names a point that is not
  /// there, and for factors that are negative or not finite.
  Solid(In x_bind, std::span<const Tet> tets, const Material& material = {}, std::span<const double> stiffness = {});

  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;
  /// For materials that forbid inversion: no element inverts up to there.
  double max_step(const State&, In x_from, In x_trial) const override;
  int element_count() const override { return count_; }
  std::unique_ptr<Energy> sampled(std::span<const WeightedElement>) const override;
  std::span<const int> support() const override { return support_; }

  /// The same as sampled, as a Solid: with its own rest shape, to be set like this one's.
  Solid sample(std::span<const WeightedElement>) const;

  /// The shape without stress, for all points: the body follows an animation. Elements that are inverted there, or
  /// nearly (below 2 % of their bind volume), take the shape of the bind pose instead.
  void set_rest(In x_rest);
  /// Elements that took the bind shape in the last set_rest.
  int fallbacks() const { return fallbacks_; }
  /// Elements without volume at bind, which take no part.
  int degenerate() const { return degenerate_; }

  void set_material(const Material&);
  const Material& material() const { return material_; }
  /// One factor per element; replaces those of the constructor, and the weights of a sample stay.
  void set_stiffness(std::span<const double> stiffness);

  int point_count() const { return points_; }
  std::span<const int> corners() const { return {tets_.data(), 4 * static_cast<std::size_t>(count_)}; }
  Mat3 deformation_gradient(In x, int element) const;
  /// The smallest det F over the elements; 1 where all have their rest volume, +infinity without elements.
  double smallest_volume_ratio(In x) const;

 private:
  Solid() = default;
  void set_up();
  void compute_bind(In x_bind);
  void scale_volumes();
  int batches() const { return static_cast<int>(rest_.size()) / 40; }
  template <class PerBatch>
  double minimum(PerBatch&& per_batch) const;
  // Sums the forces of all batches, 12 lanes each, by point.
  void gather(const double* forces, double weight, Vec& g) const;
  // fill(batch, out) writes four blocks of 144; they go to the sink in order.
  template <class Fill>
  void for_each_block(BlockSink& sink, Fill&& fill) const {
    constexpr int kRound = 128, kBlocks = 4 * 144;  // what a round writes stays in the cache until it is taken
    const detail::BlockScratch scratch(static_cast<std::size_t>(std::min(kRound, batches())) * kBlocks);
    for (int first = 0; first < batches(); first += kRound) {
      const int round = std::min(kRound, batches() - first);
      parallel_ranges(round, 4, [&](int begin, int end) {
        for (int b = begin; b < end; ++b) fill(first + b, scratch.data() + static_cast<std::size_t>(b) * kBlocks);
      });
      const int taken = std::min(4 * round, count_ - 4 * first);
      sink.add_batch(4, corners().subspan(16 * static_cast<std::size_t>(first), 4 * static_cast<std::size_t>(taken)),
                     scratch.data());
    }
  }

  friend class Damping;  // the same elements, another integrand

  Material material_;
  int points_ = 0, count_ = 0, fallbacks_ = 0, degenerate_ = 0;
  std::vector<int> tets_;          // four corners an element, padded to whole batches by repeating the last element
  std::vector<double> stiffness_;  // one an element
  std::vector<double> weight_;     // one an element: of the sample
  // Batches of four elements, 40 doubles: gradients of the shape functions of corners 1 to 3, then the volume (in rest_
  // times stiffness and weight; 0 for padding and elements left out), lane by lane.
  std::vector<double> bind_, rest_;
  std::vector<double> rest_volume_;  // one an element
  // Where the forces on each point of the support stand among those of the elements.
  std::vector<int> support_, place_start_, places_;
};

}  // namespace rigspace
