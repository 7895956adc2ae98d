// One step in time.

#include "cloth_data.h"
#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace rigspace {
namespace {

constexpr double kMostStiff = 1e3;  // of the barrier against its own, which follows the masses

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
bool ClothSimulation::Data::solve(const Objective& of, Vec& x, int iterations, const ProgressCallback& callback) {
  const Newton newton({.gradient_tolerance = 1e-6, .decrease_tolerance = decrease(), .max_iterations = iterations});
  const Summary summary = newton.solve(of, x, workspace, callback);
  if (summary.termination == Termination::cancelled) throw Cancelled();
  if (summary.termination == Termination::failed)
    throw Error({.code = ErrorCode::not_converged,
                 .element = "cloth at " + std::to_string(time) + " s",
                 .problem = std::string("could not be solved: ") + summary.reason,
                 .remedy = "use a shorter step"});
  report.iterations += summary.iterations;
  return summary.converged();
}

// The body moves whole: the cloth near it goes along, impulses keep apart what would meet on the way, and from there
// the step is solved for. Where even that is not enough, what catches the cloth leaves contact.
void ClothSimulation::Data::solve_with_barrier(Vec& x, const ProgressCallback& callback) {
  if (carrier && body_now != body_next) {
    Vec moved;
    carry(x, body_now, body_next, moved);
    carrier->set_absent(absent);
    carrier->resolve({integrator.x(), moved, body_now, body_next}, masses, x);
    report.impulses = carrier->report();
    count_released(carrier->released());
    contact.set_absent(absent);
    contact.place(body_next);
  }
  if (!solve(objective, x, options.max_iterations, callback)) ++report.unfinished;
}

void ClothSimulation::Data::count_released(std::span<const char> released) {
  for (std::size_t t = 0; t < released.size(); ++t)
    if (released[t] && !absent[t]) absent[t] = 1, ++report.released;
}

// Cloth that presses on the body comes far nearer than the distance: there the barrier is steep, and both body and
// Newton's steps can go on by little only. A stiffer barrier holds it farther off.
void ClothSimulation::Data::stiffen(double nearest) {
  constexpr double kClose = 0.1, kFar = 0.3;
  if (nearest < kClose * options.contact.distance)
    stiffening = std::min(2 * stiffening, std::max(stiffening, kMostStiff));
  else if (nearest > kFar * options.contact.distance)
    stiffening = std::max(0.8 * stiffening, 1.0);
}

// One full step of Newton's, as in the linearly implicit method of Baraff and Witkin (1998): inertia and damping keep
// it stable. A line search would shorten the motion of all points for the few that come upon a plane. False, and
// nothing done, where it raises the energy by more than it promised to lower it.
bool ClothSimulation::Data::solve_at_once(Vec& x) {
  FullStep& f = full;
  if (!f.system) {
    f.state = free.make_state();
    f.system = identity.make_system(*f.state.mapping);
  }
  f.q = x;
  free.evaluate(f.state, f.q, f.x);
  free.refresh(f.state, f.q, f.x, Phase::step);
  const double before = free.value(f.state, f.q, f.x).value;
  free.gradient(f.state, f.q, f.x, f.g);
  free.assemble(f.state, f.q, f.x, HessianMode::projected, false, *f.system);
  if (!f.system->factor(0)) return false;
  f.g = -f.g;
  f.system->solve(f.g, f.direction);
  f.q += f.direction;
  free.evaluate(f.state, f.q, f.x);
  const double after = free.value(f.state, f.q, f.x).value;
  if (!(after <= before + f.g.dot(f.direction))) return false;
  x = f.q;
  ++report.iterations;
  return true;
}

// Solved for as if the body were planes and nothing else were near; impulses then keep apart what would meet.
void ClothSimulation::Data::solve_with_impulses(Vec& x, const ProgressCallback& callback) {
  if (!reducer && !solve_at_once(x)) {
    ++report.searched;
    if (!solve(free, x, options.max_iterations, callback)) ++report.unfinished;
  }
  const double begin = processor_seconds();
  for (const HalfSpaces::Plane& plane : outside.planes()) plane_forces(plane.point) = outside.force(plane, x);
  const Vec proposed = x;
  impulses->resolve({integrator.x(), proposed, body_now, body_next}, masses, x);
  if (reducer) reducer->planes().keep(proposed, x, integrator.momentum_scale() * masses);
  report.contact_seconds += processor_seconds() - begin;
  report.impulses = impulses->report();
  report.nearest = std::min(report.nearest, report.impulses.nearest);
  count_released(impulses->released());
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
    const double stiffness = std::max(10 * masses.mean() / (tau * tau), 1e-12);
    if (options.automatic_stiffness) contact.set_stiffness(solved_stiffening * stiffness);
    contact.begin_step(x, h);  // friction of the force that was solved for
    if (options.automatic_stiffness && stiffening != solved_stiffening) contact.set_stiffness(stiffening * stiffness);
  }
  set_pins(h);
  // A reduced garment is solved for without contact, all points of it are then kept off the body and each other.
  if (reducer)
    x = reduced_step(x, h);
  else
    find_outside(x, integrator.momentum_scale());
  if (impulses) {
    solve_with_impulses(x, callback);
  } else {
    solve_with_barrier(x, callback);
    const double nearest = contact.report(x).nearest;
    report.nearest = std::min(report.nearest, nearest);
    solved_stiffening = stiffening;
    stiffen(nearest);
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
