// One step in time.

#include "cloth_data.h"
#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace rigspace {
namespace {

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

// Air drags on each triangle along its normal with 1/2 rho |v_n| v_n per area, v_n the normal part of the air's
// velocity against it at the start of the step; divided by 1 + h rho |v_n| / (2 density), so that no step blows the
// cloth faster than the wind.
void ClothSimulation::Data::set_loads(double h) {
  forces = gravity_forces(masses, options.gravity);
  const Vec &x = integrator.x(), &v = integrator.v();
  if (options.air_density > 0)
    for (const Triangle& t : garment.mesh.triangles) {
      const Vec3 n = (point(x, t[1]) - point(x, t[0])).cross(point(x, t[2]) - point(x, t[0]));
      const double twice_area = n.norm();
      if (!(twice_area > 0)) continue;
      const Vec3 mean = (point(v, t[0]) + point(v, t[1]) + point(v, t[2])) / 3;
      const double v_n = (options.wind - mean).dot(n) / twice_area, drag = 0.5 * options.air_density * std::abs(v_n);
      const Vec3 f = (drag * v_n / (1 + h * drag / options.material.density) / 6) * n;
      for (const int i : t) point(forces, i) += f;
    }
  load.set_forces(forces);
  load.set_reference(x);
}

void ClothSimulation::Data::set_pins(double h) {
  for (std::size_t k = 0; k < garment.pins.size(); ++k) {
    const ClothPin& pin = garment.pins[k];
    if (pin.position) pins.set_target(static_cast<int>(k), pin.position(time + h));
    if (pin.triangle < 0) continue;
    const Triangle& t = body.mesh.triangles[static_cast<std::size_t>(pin.triangle)];
    Vec3 place = Vec3::Zero();
    for (int c = 0; c < 3; ++c) place += pin.barycentric[c] * point(body_next, t[c]);
    const Vec3 corner = point(body_next, t[0]);
    place += pin.offset * (point(body_next, t[1]) - corner).cross(point(body_next, t[2]) - corner).normalized();
    pins.set_target(static_cast<int>(k), place);
  }
}

// The promised decrease bounds |dx|^2_M / tau^2, since the Hessian is at least that of inertia.
void ClothSimulation::Data::solve(const Objective& of, Vec& x, const ProgressCallback& callback) {
  // Without contact the Hessian changes little from step to step: a factor serves while the gradient falls.
  const bool kept = &of == &free;
  const Newton newton({.gradient_tolerance = 1e-6,
                       .decrease_tolerance = decrease(),
                       .max_iterations = options.max_iterations,
                       .keep_factor = kept ? 0.5 : 0,
                       .keep_over_solves = kept});
  const Summary summary = newton.solve(of, x, workspace, callback);
  if (summary.termination == Termination::cancelled) throw Cancelled();
  if (summary.termination == Termination::failed)
    throw Error({.code = ErrorCode::not_converged,
                 .element = "cloth at " + std::to_string(time) + " s",
                 .problem = std::string("could not be solved: ") + summary.reason,
                 .remedy = "use a shorter step"});
  report.iterations += summary.iterations;
  if (!summary.converged()) ++report.unfinished;
}

void ClothSimulation::Data::solve_with_barrier(Vec& x, const ProgressCallback& callback) {
  // The body goes as far as the cloth lets it; the cloth is solved for, which pushes it away, and the body goes on.
  // Cloth caught between parts of the body cannot be pushed away: what catches it leaves contact.
  Vec moved, body_at_stop = body_now;
  bool arrived = false;
  for (int push = 0; !arrived; ++push) {
    carry(x, body_at_stop, body_next, moved);
    if (push >= options.max_pushes) {
      moved = x;
      release({x, moved, body_at_stop, body_next});
    }
    const double part = contact.safe_fraction({x, moved, body_at_stop, body_next});
    arrived = part >= 1;
    x += part * (moved - x);
    body_at_stop = arrived ? body_next : Vec(body_at_stop + part * (body_next - body_at_stop));
    contact.place(body_at_stop);
    if (push > 0) ++report.pushes;
    if (push >= 2 * options.max_pushes)
      throw Error({.code = ErrorCode::not_converged,
                   .element = "cloth at " + std::to_string(time) + " s",
                   .problem = "is caught by the body, which cannot move on without passing through it",
                   .remedy = "use shorter steps or a smaller contact distance"});
    solve(objective, x, callback);
  }
}

// Solved for as if the body were planes and nothing else were near; impulses then keep apart what would meet.
void ClothSimulation::Data::solve_with_impulses(Vec& x, const ProgressCallback& callback) {
  if (!reducer) solve(free, x, callback);
  const double begin = processor_seconds();
  for (const HalfSpaces::Plane& plane : outside.planes()) plane_forces(plane.point) = outside.force(plane, x);
  const Vec proposed = x;
  impulses->resolve({integrator.x(), proposed, body_now, body_next}, masses, x);
  if (reducer) reducer->planes().keep(proposed, x, integrator.momentum_scale() * masses);
  report.contact_seconds += processor_seconds() - begin;
  report.impulses = impulses->report();
  report.nearest = std::min(report.nearest, report.impulses.nearest);
  if (impulses->released().empty()) return;
  released.resize(body.mesh.triangles.size(), 0);
  for (std::size_t t = 0; t < released.size(); ++t)
    if (impulses->released()[t] && !released[t]) released[t] = 1, ++report.released;
}

// Where the garment goes in few directions, which feel the body as planes.
Vec ClothSimulation::Data::reduced_step(In x, double h) {
  constexpr double kStiffer = 200;  // planes than inertia
  const double begin = processor_seconds();
  const HalfSpaces& planes =
      reducer->planes().find(x, body_now, body_next, absent, kStiffer * integrator.momentum_scale() * masses);
  const double found = processor_seconds();
  Vec proposed = reducer->solve(elastic, planes, time, time + h, x, decrease());
  report.contact_seconds += found - begin, report.solve_seconds += processor_seconds() - found;
  const SubspaceReport& solved = reducer->report();
  if (solved.distance > report.farthest) report.farthest = solved.distance, report.farthest_time = time + h;
  return proposed;
}

void ClothSimulation::Data::step(double h, const ProgressCallback& callback) {
  body_at(time + h, body_next);
  const double begin = processor_seconds();
  if (body.points) find_absent(body_next);
  report.contact_seconds += processor_seconds() - begin;
  const double tau = integrator.begin(h).tau;
  integrator.momentum_target(target);
  momentum.set_target(target, integrator.momentum_scale());
  set_loads(h);
  Vec x = integrator.x();
  stretch.begin_step(x, h);
  bend.begin_step(x, h, options.material.damping);
  if (!impulses) {
    if (options.automatic_stiffness) contact.set_stiffness(std::max(10 * masses.mean() / (tau * tau), 1e-12));
    contact.begin_step(x, h);
  }
  set_pins(h);
  // A reduced garment is solved for without contact, all points of it are then kept off the body and each other.
  if (reducer)
    x = reduced_step(x, h);
  else if (impulses)
    find_outside(x, integrator.momentum_scale());
  if (impulses) {
    solve_with_impulses(x, callback);
  } else {
    solve_with_barrier(x, callback);
    report.nearest = std::min(report.nearest, contact.report(x).nearest);
  }
  integrator.accept(x);
  if (reducer) report.subspace = reducer->report();
  body_now = body_next;
  time += h;
  ++report.steps;
  for (int t = 0; t < stretch.element_count(); ++t)
    report.worst_stretch = std::max(report.worst_stretch, stretch.strain(x, t).head<2>().maxCoeff());
}

}  // namespace rigspace
