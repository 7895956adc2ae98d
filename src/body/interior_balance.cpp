#include "rigspace/body/interior_balance.h"

#include "rigspace/body/rig_space.h"
#include "rigspace/energy/gravity.h"
#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/optimize/newton.h"

namespace rigspace {
namespace {

constexpr double kStill = 1e-5;  // of the body's diagonal: converged when a step moves no node farther than this

/// A rig without controls and points. Skin nodes are held, so that the solve for the interior nodes needs no rig.
class NoRig final : public Rig {
 public:
  std::span<const Control> controls() const override { return {}; }
  int point_count() const override { return 0; }
  void evaluate(Workspace&, In, Vec& s) const override { s.resize(0); }
  void jacobian(Workspace&, In, std::span<const int>, BlockJacobian& J) const override {
    J.columns = 0;
    J.start.assign(1, 0);
    J.column.clear();
    J.value.resize(3, 0);
  }
};

RigSpaceDescription inside_of(const RigBody& body) {
  RigSpaceDescription d{.rig = std::make_shared<NoRig>(), .node_count = body.node_count()};
  for (int i = 0; i < body.node_count(); ++i)
    if (!body.skin[i]) d.interior.push_back(i);
  return d;
}

}  // namespace

struct InteriorBalance::Data {
  Data(const RigBody& body, const Material& material)
      : mapping(inside_of(body)),
        solid(body.mesh.points, body.mesh.tets, material),
        stress(Vec::Zero(body.mesh.points.size())),
        objective(mapping) {
    objective.add("solid", solid);
    objective.add("stress of the rest shape", stress);
    const double size = bounding_box(body.mesh.points).diagonal();
    // With a single term the gradient is compared with itself, so the relative tolerance is never met; the absolute
    // floor is the force of a strain of 1e-9.
    newton = Newton({.gradient_floor = 1e-9 * material.young * size * size, .step_tolerance = kStill * size});
  }

  RigSpaceMapping mapping;
  Solid solid;
  Load stress;  // balances that of elements that the rest shape inverts (Solid::set_rest)
  Objective objective;
  Newton newton;
  NewtonWorkspace workspace;
};

InteriorBalance::InteriorBalance(const RigBody& body, const Material& material)
    : data_(std::make_unique<Data>(body, material)) {}
InteriorBalance::~InteriorBalance() = default;
InteriorBalance::InteriorBalance(InteriorBalance&&) noexcept = default;
InteriorBalance& InteriorBalance::operator=(InteriorBalance&&) noexcept = default;

void InteriorBalance::set_rest(In x_rest) {
  const Solid& solid = data_->solid;
  data_->solid.set_rest(x_rest);
  Vec forces = Vec::Zero(x_rest.size());
  if (solid.fallbacks() > 0) solid.add_gradient(*solid.make_state(), x_rest, 1, forces);
  data_->stress.set_forces(forces);
  data_->stress.set_reference(x_rest);
}

const Solid& InteriorBalance::solid() const { return data_->solid; }

Summary InteriorBalance::solve(Vec& x) {
  if (data_->mapping.size_q() == 0) {
    Summary nothing;
    nothing.termination = Termination::converged;
    nothing.reason = "no node is inside";
    return nothing;
  }
  data_->mapping.set_key(Vec(), x);
  Vec q = data_->mapping.coordinates(x, Vec());
  const Summary summary = data_->newton.solve(data_->objective, q, data_->workspace);
  x = data_->workspace.x();
  return summary;
}

}  // namespace rigspace
