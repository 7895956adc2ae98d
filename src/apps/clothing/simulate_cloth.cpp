#include "rigspace/apps/clothing/simulate_cloth.h"

#include "cloth_data.h"
#include "garment_checks.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/surface_crossings.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

void ClothOptions::validate() const {
  material.validate();
  contact.validate();
  constexpr double kMostWind = 1000;  // m/s
  require_option(wind.norm() <= kMostWind, "wind", wind.norm(), "expected three numbers, and at most 1000 m/s");
  require_option(step > 0 && std::isfinite(step), "time step", step, "expected more than zero seconds");
  require_option(tolerance > 0, "tolerance", tolerance, "expected more than zero m/s");
  require_option(air_density >= 0, "air density", air_density, "expected zero or more kg/m^3");
  require_option(pin_stiffness > 0, "stiffness of pins", pin_stiffness, "expected more than zero N/m");
  require_option(body_motion > 0, "motion of the body in a step", body_motion, "expected more than zero m");
  require_option(max_iterations > 0, "iterations", max_iterations, "expected one or more");
}

ClothSimulation::Data::Data(const Garment& g, const ClothBody& b, const ClothOptions& o, double start,
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
      free(identity),
      elastic(identity),
      integrator(o.integrator),
      time(start) {
  plane_forces = Vec::Zero(garment.mesh.point_count());
  for (Objective* f : {&objective, &free, &elastic}) {
    f->add("inertia", momentum);
    f->add("stretch", stretch);
    f->add("bending", bend);
    f->add("weight and wind", load);
    if (!garment.pins.empty()) f->add("pins", pins);
  }
  objective.add("contact", contact);
  objective.add("outside the body", outside);
  free.add("outside the body", outside);
  const auto impulses_with = [&](const ImpulseOptions& settings) {
    return std::make_unique<ImpulseContact>(g.rest.size() > 0 ? TriMesh{g.rest, g.mesh.triangles} : g.mesh, b.mesh,
                                            settings);
  };
  ImpulseOptions settings{.distance = o.contact.distance, .friction = o.contact.friction, .self = o.contact.self};
  // All points at a body that closes on them seldom come free in more tries; few directions need them.
  if (!reduction) settings.zone_rounds = 10, settings.cuts = 3;
  if (options.contact_method == ContactMethod::impulses || reduction) {
    impulses = impulses_with(settings);
  } else if (b.points) {
    settings.friction = 0, settings.rounds = 10;
    carrier = impulses_with(settings);
  }
  if (reduction)
    reducer = std::make_unique<ClothReducer>(std::move(reduction), b.mesh,
                                             BodyPlanesOptions{.distance = o.contact.distance,
                                                               .reach = 20 * o.contact.distance,
                                                               .friction = o.contact.friction,
                                                               .slip = o.contact.slip_speed * o.step});
  body_at(start, body_now);
  edges = edge_table(garment.mesh);
  if (!body.mesh.triangles.empty()) {
    body_tree = TriangleTree({body_now, body.mesh.triangles});
    body_crossings = SelfCrossingFinder(body.mesh);
  }
  integrator.restart(garment.mesh.points, Vec::Zero(garment.mesh.points.size()));
  report.nearest = options.contact.distance;
  find_worn();
  if (options.start_crossing)
    start_contact();
  else
    find_absent(body_now);
  contact.place(body_now);
}

// Whatever the garment passes through is out of contact.
void ClothSimulation::Data::start_contact() {
  stiffening = solved_stiffening = 1;
  absent.assign(body.mesh.triangles.size(), 1);
  find_absent(body_now);
}

int ClothSimulation::Data::steps_for(double from, double to) {
  int steps = std::max(1, static_cast<int>(std::ceil((to - from) / options.step - 1e-9)));
  if (!body.points) return steps;
  // Sampled at the steps: what moves to and fro between them is not seen. Only the body near the cloth counts: hands
  // that swing far from a skirt do not; few directions follow the pose of all of it.
  constexpr double kNear = 0.1;  // m
  Box near = bounding_box(integrator.x());
  near.low.array() -= kNear, near.high.array() += kNear;
  const auto inside = [&](const Vec3& p) {
    return reducer || ((p.array() >= near.low.array()).all() && (p.array() <= near.high.array()).all());
  };
  Vec a, b;
  body_at(from, a);
  double most = 0;
  for (int k = 1; k <= steps; ++k) {
    body_at(from + (to - from) * k / steps, b);
    for (int i = 0; i < a.size() / 3; ++i)
      if (inside(point(a, i)) || inside(point(b, i))) most = std::max(most, (point(b, i) - point(a, i)).squaredNorm());
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
  data_->workspace = {}, data_->full = {};
  data_->plane_forces.setZero();
  data_->start_contact();
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
