#pragma once
// Soft bodies that fall, slide and meet: what the tests of contact share.

#include "energy/bodies.h"
#include "geometry/solid_shapes.h"
#include "rigspace/energy/contact.h"
#include "rigspace/energy/damping.h"
#include "rigspace/energy/gravity.h"
#include "rigspace/energy/integrator.h"
#include "rigspace/geometry/stuffing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace rigspace::testing {

/// A ball of tetrahedra.
inline testing::TetBody soft_ball(const Vec3& center, double radius, double cell) {
  const TetMesh mesh = stuff(ball(
                                 center, [&](const Vec3&) { return radius; }, 24),
                             {.cell = cell})
                           .mesh;
  return {mesh.points, mesh.tets};
}

inline testing::TetBody together(const testing::TetBody& a, const testing::TetBody& b) {
  testing::TetBody both{Vec(a.x.size() + b.x.size()), a.tets};
  both.x << a.x, b.x;
  for (Tet tet : b.tets) {
    for (int& corner : tet) corner += a.points();
    both.tets.push_back(tet);
  }
  return both;
}

/// A thin plate of two sides, closed at its rim, in the plane y = 0.
inline TriMesh plate(double half_width, double half_thickness) {
  TriMesh mesh;
  mesh.points.resize(24);
  for (int i = 0; i < 8; ++i)
    point(mesh.points, i) = Vec3(i & 1 ? half_width : -half_width, i & 2 ? half_thickness : -half_thickness,
                                 i & 4 ? half_width : -half_width);
  mesh.triangles = {{2, 6, 7}, {2, 7, 3}, {0, 1, 5}, {0, 5, 4}, {0, 4, 6}, {0, 6, 2},
                    {1, 3, 7}, {1, 7, 5}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  orient_outward(mesh);
  return mesh;
}

struct WorldOptions {
  double young = 2e4;  // Pa
  ContactOptions contact = {};
  IntegratorKind integrator = IntegratorKind::bdf2;
};

/// A body of 1000 kg/m^3 in full space, with gravity, contact and whatever moves the colliders.
class World {
 public:
  World(const testing::TetBody& body, std::vector<Collider> colliders, const WorldOptions& options)
      : solid(body.x, body.tets, {.young = options.young, .poisson = 0.4}),
        masses(lumped_masses(body.x, body.tets, 1000)),
        momentum(masses),
        damping(solid),
        weight(gravity(masses)),
        contact(contact_body(body.x, body.tets, options.young), std::move(colliders), options.contact),
        integrator(options.integrator),
        identity_(static_cast<int>(body.x.size())),
        objective_(identity_) {
    objective_.add("momentum", momentum);
    objective_.add("solid", solid);
    objective_.add("damping", damping);
    objective_.add("weight", weight);
    objective_.add("contact", contact);
    start(Vec::Zero(body.x.size()), body.x);
  }

  void start(In v, In x) {
    integrator.restart(x, v);
    if (move) move(contact, time, time);
    contact.accept(x);
  }

  /// Steps of h, each cut to the safe fraction of contact.
  void run(double seconds, double h, const std::function<void()>& each = {}) {
    const int steps = static_cast<int>(std::lround(seconds / h));
    for (int k = 0; k < steps; ++k) {
      const double end = time + h;
      while (end - time > 1e-9 * h) {
        if (move) move(contact, time, end);
        const double left = end - time;
        Vec ahead = integrator.x() + left * integrator.v();
        const int parts = static_cast<int>(std::ceil(1 / contact.safe_fraction(integrator.x(), ahead) - 1e-9));
        step(left / parts);
        if (::testing::Test::HasFatalFailure()) return;
      }
      if (each) each();
    }
  }

  Vec3 center() const { return mean(integrator.x()); }
  Vec3 velocity() const { return mean(integrator.v()); }
  double kinetic() const {
    double sum = 0;
    for (int i = 0; i < masses.size(); ++i) sum += 0.5 * masses(i) * point(integrator.v(), i).squaredNorm();
    return sum;
  }
  /// Kinetic, elastic, of weight and of contact.
  double energy() const {
    return kinetic() + value(solid, integrator.x()) - weight.forces().dot(integrator.x()) + contact.report().energy;
  }
  void set_gravity(const Vec3& g) { weight.set_forces(gravity_forces(masses, g)); }

  Solid solid;
  Vec masses;
  Momentum momentum;
  Damping damping;
  Load weight;
  Contact contact;
  Integrator integrator;
  std::function<void(Contact&, double from, double to)> move;
  double time = 0, beta = 0, mass_damping = 0;
  int substeps = 0, iterations = 0;

 private:
  Vec3 mean(In y) const {
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < masses.size(); ++i) sum += masses(i) * point(y, i);
    return sum / masses.sum();
  }

  void step(double h) {
    if (move) move(contact, time, time + h);
    contact.begin_step(h);
    integrator.begin(h);
    Vec target, drift;
    integrator.momentum_target(mass_damping, Vec::Zero(masses.size() * 3), target);
    momentum.set_target(target, integrator.momentum_scale(mass_damping));
    integrator.drift(Vec::Zero(target.size()), drift);
    damping.set_target(drift, beta / integrator.step().tau);
    weight.set_reference(integrator.x());
    Vec x = integrator.x() + h * integrator.v();
    const Summary summary = newton_.solve(objective_, x, workspace_);
    ASSERT_TRUE(summary.converged()) << describe(summary) << " at " << time;
    const int touched = contact.report().touching;
    integrator.accept(x);
    contact.accept(x);
    if (touched == 0 && contact.report().touching > 0) integrator.forget();
    time += h, ++substeps, iterations += summary.iterations;
  }

  IdentityMapping identity_;
  Objective objective_;
  Newton newton_{{.gradient_tolerance = 1e-7, .gradient_floor = 1e-9, .max_iterations = 60}};
  NewtonWorkspace workspace_;
};

}  // namespace rigspace::testing
