#include "plan_lattice.h"

#include "plan_graph.h"

#include <algorithm>

namespace rigspace {
namespace {

class FixedPoint final : public GraphOperator {
 public:
  explicit FixedPoint(const Vec3& position) : position_(position) {}
  int output_size() const override { return kPointSlot; }
  void evaluate(In, std::span<const double* const>, double* output) const override {
    Eigen::Map<Vec3> point(output);
    point = position_;
  }
  void linearize(In, std::span<const double* const>, LocalJacobian&) const override {}

 private:
  Vec3 position_;
};

}  // namespace

std::string lattice_point_name(const std::string& lattice, const std::array<int, 3>& at) {
  std::string name = lattice + "_";
  const bool wide = std::any_of(at.begin(), at.end(), [](int i) { return i > 8; });
  for (int axis = 0; axis < 3; ++axis) {
    if (wide && axis > 0) name += '_';
    name += std::to_string(at[static_cast<std::size_t>(axis)] + 1);
  }
  return name;
}

LatticeDescription shape_of(const plan::Lattice& lattice) {
  return {.points = {},
          .size = lattice.size,
          .frame = lattice.frame,
          .basis = lattice.basis,
          .outside = lattice.outside,
          .margin = lattice.margin,
          .point_slots = {},
          .points_rest = {}};
}

std::array<int, 3> lattice_place(const std::array<int, 3>& size, int index) {
  return {index % size[0], index / size[0] % size[1], index / (size[0] * size[1])};
}

bool is_free(const plan::Lattice& lattice, const std::array<int, 3>& at) {
  return lattice.free.empty() || std::find(lattice.free.begin(), lattice.free.end(), at) != lattice.free.end();
}

RigPlan with_lattice_points(RigPlan plan) {
  for (const plan::Deformer& deformer : plan.deformers) {
    const auto* lattice = std::get_if<plan::Lattice>(&deformer.kind);
    if (lattice == nullptr) continue;
    for (const int n : lattice->size)
      if (n < 2 || n > kMaxLatticeSize)
        PlanGraph::fail(who(deformer), "has a size of " + std::to_string(n), "expected 2 to 16 points along each axis");
    for (const auto& at : lattice->free)
      for (int axis = 0; axis < 3; ++axis)
        if (at[axis] < 0 || at[axis] >= lattice->size[axis])
          PlanGraph::fail(who(deformer), "frees a point outside its size", "count from 1 up to the size");
    const std::vector<Vec3> at_rest = lattice_points(shape_of(*lattice));
    for (int k = 0; k < static_cast<int>(at_rest.size()); ++k) {
      const std::array<int, 3> at = lattice_place(lattice->size, k);
      if (!is_free(*lattice, at)) continue;
      plan.points.push_back({.name = lattice_point_name(deformer.name, at),
                             .parent = {},
                             .position = at_rest[k],
                             .typical_length = lattice->typical_length,
                             .origin = deformer.origin});
    }
  }
  return plan;
}

int add_fixed_point(ControlGraph& graph, const Vec3& position) {
  return graph.add(std::make_unique<FixedPoint>(position));
}

}  // namespace rigspace
