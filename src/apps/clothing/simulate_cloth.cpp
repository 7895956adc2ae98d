#include "rigspace/apps/clothing/simulate_cloth.h"

#include "cloth_reducer.h"
#include "garment_checks.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/energy/cloth_bend.h"
#include "rigspace/energy/momentum.h"
#include "rigspace/energy/pull.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/surface_crossings.h"
#include "rigspace/optimize/newton.h"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace rigspace {
namespace {

std::vector<std::array<double, 6>> rest_triangles(const Garment& garment) {
  if (!garment.panel_corners.empty()) return flat_triangles(garment.panels, garment.panel_corners);
  return flat_triangles(garment.rest.size() > 0 ? garment.rest : garment.mesh.points, garment.mesh.triangles,
                        garment.warp);
}

Pulls pulls_of(const Garment& garment, const ClothOptions& options) {
  std::vector<Pull> pulls;
  for (const ClothPin& pin : garment.pins) {
    if (pin.point < 0 || pin.point >= garment.mesh.point_count())
      throw Error({.code = ErrorCode::usage,
                   .element = "pin",
                   .value = std::to_string(pin.point),
                   .problem = "holds point " + std::to_string(pin.point),
                   .remedy = "the garment has " + std::to_string(garment.mesh.point_count()) + " points"});
    Pull pull{.target = point(garment.mesh.points, pin.point),
              .stiffness = pin.stiffness > 0 ? pin.stiffness : options.pin_stiffness};
    pull.anchor.points[0] = pin.point;
    pulls.push_back(pull);
  }
  return {garment.mesh.point_count(), std::move(pulls)};
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

void ClothOptions::validate() const {
  material.validate();
  contact.validate();
  require_option(step > 0 && std::isfinite(step), "time step", step, "expected more than zero seconds");
  require_option(tolerance > 0, "tolerance", tolerance, "expected more than zero m/s");
  require_option(air_density >= 0, "air density", air_density, "expected zero or more kg/m^3");
  require_option(pin_stiffness > 0, "stiffness of pins", pin_stiffness, "expected more than zero N/m");
  require_option(body_motion > 0, "motion of the body in a step", body_motion, "expected more than zero m");
  require_option(max_iterations > 0, "iterations", max_iterations, "expected one or more");
  require_option(max_pushes > 0, "pushes", max_pushes, "expected one or more");
}

struct ClothSimulation::Data {
  Garment garment;
  ClothBody body;
  ClothOptions options;
  std::vector<std::array<double, 6>> flat;
  Vec masses;
  ClothStretch stretch;
  ClothBend bend;
  Momentum momentum;
  Load load;
  Pulls pins;
  BarrierContact contact;
  IdentityMapping identity;
  Objective objective;       // of all points
  Momentum keep;             // in place of all but contact, where the garment is reduced
  Objective free, touching;  // what is then solved in few directions, and what keeps the result from the body
  std::unique_ptr<ClothReducer> reducer;
  Integrator integrator;
  NewtonWorkspace workspace;
  TriangleTree body_tree;
  double time = 0;
  Vec body_now, body_next, forces, target;
  std::vector<char> absent, released;  // triangles of the body
  ClothReport report;

  Data(const Garment& g, const ClothBody& b, const ClothOptions& o, double start,
       std::shared_ptr<const ClothReduction> reduction)
      : garment(g),
        body(b),
        options(o),
        flat(rest_triangles(g)),
        masses(cloth_masses(g.mesh.point_count(), g.mesh.triangles, flat, o.material.density)),
        stretch(g.mesh.point_count(), g.mesh.triangles, flat, o.material),
        bend(g.rest.size() > 0 ? g.rest : g.mesh.points, hinges_of(g.mesh), o.material.bending),
        momentum(masses),
        load(gravity_forces(masses, o.gravity)),
        pins(pulls_of(g, o)),
        contact(g.rest.size() > 0 ? TriMesh{g.rest, g.mesh.triangles} : g.mesh, b.mesh, o.contact),
        identity(3 * g.mesh.point_count()),
        objective(identity),
        keep(masses),
        free(identity),
        touching(identity),
        integrator(o.integrator),
        time(start) {
    for (Objective* f : {&objective, &free}) {
      f->add("inertia", momentum);
      f->add("stretch", stretch);
      f->add("bending", bend);
      f->add("weight and wind", load);
      if (!garment.pins.empty()) f->add("pins", pins);
    }
    objective.add("contact", contact);
    touching.add("where it would go", keep);
    touching.add("contact", contact);
    if (reduction) reducer = std::make_unique<ClothReducer>(
          std::move(reduction), b.mesh,
          BodyPlanesOptions{.distance = o.contact.distance,
                            .reach = 20 * o.contact.distance,
                            .friction = o.contact.friction * (getenv("FR") ? atof(getenv("FR")) : 1),
                            .slip = o.contact.slip_speed * o.step});
    body_at(start, body_now);
    if (!body.mesh.triangles.empty()) body_tree = TriangleTree({body_now, body.mesh.triangles});
    integrator.restart(garment.mesh.points, Vec::Zero(garment.mesh.points.size()));
    report.nearest = options.contact.distance;
    find_absent(body_now);
    contact.place(body_now);
  }

  void body_at(double at, Vec& points) const {
    points = body.mesh.points;
    if (body.points) body.points(at, points);
    if (points.size() != body.mesh.points.size() || !points.allFinite())
      throw Error({.element = "body", .problem = "has no finite points at " + std::to_string(at) + " s"});
  }

  // Triangles where the body passes through itself leave contact for the step: cloth between them could not be kept
  // apart from both. Only those near the cloth are looked at.
  void find_absent(In points) {
    constexpr double kNear = 0.1;  // m
    Box near = bounding_box(integrator.x());
    near.low.array() -= kNear, near.high.array() += kNear;
    absent = self_crossing_triangles({points, body.mesh.triangles}, near);
    report.absent = std::max(report.absent, static_cast<int>(std::count(absent.begin(), absent.end(), 1)));
    contact.set_absent(absent);
  }

  double decrease() const { return masses.sum() * options.tolerance * options.tolerance; }

  // What caught cloth stays out of contact while cloth passes through it.
  void keep_released() {
    if (released.empty()) return;
    const TriMesh cloth{integrator.x(), garment.mesh.triangles}, shape{body_now, body.mesh.triangles};
    const EdgeTable edges = edge_table(cloth), body_edges = edge_table(shape);
    std::vector<char> crossed(released.size(), 0);
    for (const Crossing& c : edge_crossings(cloth.points, edges.edges, shape, false))
      crossed[static_cast<std::size_t>(c.triangle)] = 1;
    for (const Crossing& c : edge_crossings(shape.points, body_edges.edges, cloth, false))
      for (const int half_edge : body_edges.uses(c.edge)) crossed[static_cast<std::size_t>(half_edge / 3)] = 1;
    bool any = false;
    for (std::size_t t = 0; t < released.size(); ++t) {
      released[t] = released[t] && crossed[t];
      any = any || released[t];
      if (released[t]) absent[t] = 1;
    }
    if (!any) released.clear();
  }

  // Triangles that stop the body, with those around them, leave contact: counted.
  void release(const SurfaceMotion& motion) {
    const std::vector<char> blocking = contact.blocking_points(motion);
    released.resize(body.mesh.triangles.size(), 0);
    for (std::size_t t = 0; t < body.mesh.triangles.size(); ++t)
      for (const int i : body.mesh.triangles[t])
        if (blocking[static_cast<std::size_t>(i)] && !absent[t]) released[t] = absent[t] = 1, ++report.released;
    contact.set_absent(absent);
  }

  void set_loads(double h);
  Vec reduced_step(In x, double h);
  void carry(In x, In body_from, In body_to, Vec& moved);
  void step(double h, const ProgressCallback&);
  void solve(Vec& x, const ProgressCallback&);
  int steps_for(double from, double to);
};

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

// Where the points go if those at the body move along with it: at the surface fully, less with the distance, so that
// the cloth is not crumpled by more than a third.
void ClothSimulation::Data::carry(In x, In body_from, In body_to, Vec& moved) {
  moved = x;
  double most = 0;
  for (int i = 0; i < body_from.size() / 3; ++i)
    most = std::max(most, (point(body_to, i) - point(body_from, i)).squaredNorm());
  most = std::sqrt(most);
  if (most == 0) return;
  body_tree.refit(body_from);
  const double full = 2 * options.contact.distance, reach = full + std::max(10 * options.contact.distance, 3 * most);
  parallel_ranges(garment.mesh.point_count(), 32, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const SurfacePoint near = body_tree.closest(point(x, i), reach);
      if (near.triangle < 0) continue;
      const Triangle& t = body.mesh.triangles[static_cast<std::size_t>(near.triangle)];
      Vec3 by = Vec3::Zero();
      for (int k = 0; k < 3; ++k) by += near.barycentric[k] * (point(body_to, t[k]) - point(body_from, t[k]));
      point(moved, i) += std::clamp((reach - near.distance) / (reach - full), 0.0, 1.0) * by;
    }
  });
}

// The promised decrease bounds |dx|^2_M / tau^2, since the Hessian is at least that of inertia.
void ClothSimulation::Data::solve(Vec& x, const ProgressCallback& callback) {
  const Newton newton(
      {.gradient_tolerance = 1e-6, .decrease_tolerance = decrease(), .max_iterations = options.max_iterations});
  const Summary summary = newton.solve(reducer ? touching : objective, x, workspace, callback);
  if (summary.termination == Termination::cancelled) throw Cancelled();
  if (summary.termination == Termination::failed)
    throw Error({.code = ErrorCode::not_converged,
                 .element = "cloth at " + std::to_string(time) + " s",
                 .problem = std::string("could not be solved: ") + summary.reason,
                 .remedy = "use a shorter step"});
  report.iterations += summary.iterations;
  if (!summary.converged()) ++report.unfinished;
}

// Where the garment goes in few directions, which feel the body as planes.
Vec ClothSimulation::Data::reduced_step(In x, double h) {
  const double kStiffer = getenv("ST") ? atof(getenv("ST")) : 40;  // planes than inertia
  const double begin = processor_seconds();
  const HalfSpaces& planes =
      reducer->planes().find(x, body_now, body_next, absent, kStiffer * integrator.momentum_scale() * masses);
  const double found = processor_seconds();
  Vec proposed = reducer->solve(free, planes, time, time + h, x, decrease());
  report.contact_seconds += found - begin, report.solve_seconds += processor_seconds() - found;
  return proposed;
}

void ClothSimulation::Data::step(double h, const ProgressCallback& callback) {
  body_at(time + h, body_next);
  if (body.points) find_absent(body_next);
  const double tau = integrator.begin(h).tau;
  integrator.momentum_target(target);
  momentum.set_target(target, integrator.momentum_scale());
  if (options.automatic_stiffness) contact.set_stiffness(std::max(10 * masses.mean() / (tau * tau), 1e-12));
  set_loads(h);
  Vec x = integrator.x(), moved, body_at_stop = body_now;
  stretch.begin_step(x, h);
  bend.begin_step(x, h, options.material.damping);
  contact.begin_step(x, h);
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
  // A reduced garment is solved for without contact, all points of it are then kept off the body and each other.
  if (reducer) keep.set_target(reduced_step(x, h), integrator.momentum_scale());
  // The body goes as far as the cloth lets it; the cloth is solved for, which pushes it away, and the body goes on.
  // Cloth caught between parts of the body cannot be pushed away: what catches it leaves contact.
  const double touched = processor_seconds();
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
    solve(x, callback);
  }
  report.contact_seconds += processor_seconds() - touched;
  integrator.accept(x);
  if (reducer) report.subspace = reducer->report();
  body_now = body_next;
  time += h;
  ++report.steps;
  report.nearest = std::min(report.nearest, contact.report(x).nearest);
  for (int t = 0; t < stretch.element_count(); ++t)
    report.worst_stretch = std::max(report.worst_stretch, stretch.strain(x, t).head<2>().maxCoeff());
}

int ClothSimulation::Data::steps_for(double from, double to) {
  int steps = std::max(1, static_cast<int>(std::ceil((to - from) / options.step - 1e-9)));
  if (!body.points) return steps;
  // Sampled at the steps: what moves to and fro between them is not seen.
  Vec a, b;
  body_at(from, a);
  double most = 0;
  for (int k = 1; k <= steps; ++k) {
    body_at(from + (to - from) * k / steps, b);
    for (int i = 0; i < a.size() / 3; ++i) most = std::max(most, (point(b, i) - point(a, i)).squaredNorm());
    a.swap(b);
  }
  const int pieces = static_cast<int>(std::ceil(std::sqrt(most) / options.body_motion));
  if (pieces <= 1) return steps;
  report.extra_steps += steps * (pieces - 1);
  return steps * pieces;
}

ClothSimulation::ClothSimulation(const Garment& garment, const ClothBody& body, const ClothOptions& options,
                                 double start, std::shared_ptr<const ClothReduction> reduction) {
  options.validate();
  check_garment(garment);
  body.mesh.validate("body");
  data_ = std::make_unique<Data>(garment, body, options, start, std::move(reduction));
  check_start(garment, {data_->body_now, body.mesh.triangles}, data_->absent, options.contact.self);
}
ClothSimulation::~ClothSimulation() = default;
ClothSimulation::ClothSimulation(ClothSimulation&&) noexcept = default;

void ClothSimulation::advance(double time, const ProgressCallback& callback) {
  Data& d = *data_;
  if (!(time > d.time)) return;
  const double from = d.time;
  const int steps = d.steps_for(from, time);
  for (int k = 1; k <= steps; ++k) {
    rigspace::report(callback, "cloth", static_cast<double>(k - 1) / steps);
    d.step(from + (time - from) * k / steps - d.time, callback);
  }
  d.time = time;
}

double ClothSimulation::time() const { return data_->time; }
const Vec& ClothSimulation::points() const { return data_->integrator.x(); }
const Vec& ClothSimulation::velocities() const { return data_->integrator.v(); }
const Vec& ClothSimulation::body_points() const { return data_->body_now; }
const ClothReport& ClothSimulation::report() const { return data_->report; }
void ClothSimulation::restart(In points, In velocities) {
  data_->integrator.restart(points, velocities);
  data_->workspace = {};
  if (data_->reducer) data_->reducer->restart();
}

ClothMotion simulate_cloth(const Garment& garment, const ClothBody& body, const ClothClip& clip,
                           const ClothOptions& options, const ProgressCallback& callback,
                           std::shared_ptr<const ClothReduction> reduction) {
  require_option(clip.rate > 0 && clip.end >= clip.start, "frame rate", clip.rate, "expected more than zero");
  ClothSimulation simulation(garment, body, options, clip.start, std::move(reduction));
  ClothMotion motion{.times = {clip.start}, .frames = {simulation.points()}};
  const int frames = static_cast<int>(std::ceil((clip.end - clip.start) * clip.rate - 1e-9));
  for (int k = 1; k <= frames; ++k) {
    const double time = clip.start + k / clip.rate;
    const auto within = [&](const Progress& p) {
      return !callback || callback({"simulating cloth", (k - 1 + p.fraction) / frames});
    };
    simulation.advance(time, within);
    motion.times.push_back(time);
    motion.frames.push_back(simulation.points());
  }
  motion.report = simulation.report();
  return motion;
}

}  // namespace rigspace
