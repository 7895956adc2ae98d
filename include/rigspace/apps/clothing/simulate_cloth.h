#pragma once
// Cloth over an animated body, in full space (Thesis 3.1.2, 3.5): implicit steps in time, each the minimum of inertia,
// stretch, bending, weight, wind, pins and barrier contact with friction, by Newton's method with sparse Cholesky. A
// step that starts without intersections ends without, however fast the body moves.

#include "rigspace/apps/clothing/cloth_reduction.h"
#include "rigspace/base/progress.h"
#include "rigspace/energy/barrier_contact.h"
#include "rigspace/energy/cloth_stretch.h"
#include "rigspace/energy/gravity.h"
#include "rigspace/energy/impulse_contact.h"
#include "rigspace/energy/integrator.h"
#include "rigspace/geometry/tri_mesh.h"

#include <functional>
#include <memory>
#include <vector>

namespace rigspace {

/// What holds a point of the garment: a place of the body, or a place in space over time.
struct ClothPin {
  int point = 0;                              ///< of the garment
  int triangle = -1;                          ///< of the body, and
  Vec3 barycentric = Vec3::Zero();            ///< the place in it,
  double offset = 0;                          ///< m from there along the triangle's normal; or
  std::function<Vec3(double time)> position;  ///< metres; both empty: where the point is at the start
  double stiffness = 0;                       ///< N/m; 0: ClothOptions::pin_stiffness
};

struct Garment {
  TriMesh mesh;                              ///< metres, as worn at the start of the motion
  Vec rest = {};                             ///< the shape without stress, metres, same points; empty: as the mesh is
  std::vector<double> panels = {};           ///< or 2D panels: (u, v) in metres, u along the warp, and
  std::vector<Triangle> panel_corners = {};  ///< three of them a triangle; empty: `rest`
  Vec3 warp = Vec3::UnitY();                 ///< direction of the warp in `rest`
  std::vector<ClothPin> pins = {};
};

/// A mesh whose motion is given.
struct ClothBody {
  TriMesh mesh;                                               ///< metres, at the start
  std::function<void(double time, Vec& points)> points = {};  ///< metres; empty: it stands still
  /// Non-zero for triangles that the garment is worn on; empty: those near it at the start. Others, hands that come to
  /// a skirt, pass through cloth that they would pinch.
  std::vector<char> worn = {};
};

/// How cloth is kept from the body and from itself; both end every step without intersections.
enum class ContactMethod {
  barrier,   ///< contact is part of what is solved for (energy/barrier_contact.h): smooth and exact
  impulses,  ///< solved for without, then kept apart by impulses (energy/impulse_contact.h): several times faster
};

struct ClothOptions {
  ClothMaterial material = {};
  ContactMethod contact_method = ContactMethod::barrier;
  BarrierOptions contact = {};      ///< distance, friction and self hold for both methods
  bool automatic_stiffness = true;  ///< of the contact, from masses and the step; `contact.stiffness` is then ignored
  IntegratorKind integrator = IntegratorKind::euler;
  double step = 1.0 / 60;  ///< s: the longest; steps of a frame are equal
  Vec3 gravity = standard_gravity();
  Vec3 wind = Vec3::Zero();     ///< m/s
  double air_density = 1.2;     ///< kg/m^3; 0: no air
  double pin_stiffness = 5000;  ///< N/m
  double body_motion = 0.03;    ///< m: a step in which the body moves further is cut into shorter ones
  double tolerance = 0.03;  ///< m/s: a solve ends when Newton's step changes the mean velocity (RMS, by mass) by less
  int max_iterations = 60;  ///< of Newton, in one solve
  /// Triangles of the body that the garment passes through at the start leave contact until it is out of them, and are
  /// counted; false: such a start is refused.
  bool start_crossing = false;

  void validate() const;
};

/// What happened since the start.
struct ClothReport {
  int steps = 0;        ///< in time
  int extra_steps = 0;  ///< of these, because of fast motion of the body
  int iterations = 0;   ///< of Newton
  int unfinished = 0;   ///< solves that ended at max_iterations or without further decrease
  int searched = 0;     ///< steps of ContactMethod::impulses that one full step of Newton's did not solve
  int absent = 0;       ///< most triangles of the body out of contact at a time: parts that face each other meet there
  int released = 0;     ///< triangles of the body that left contact because they caught cloth, of all steps
  double nearest = 0;   ///< m: smallest distance at the end of a step, of anything in contact
  ImpulseReport
      impulses;  ///< how often each stage of them acted; with the barrier, as the body carried the cloth along
  SubspaceReport subspace;  ///< of a reduced garment
  /// Of a reduced garment: how far its poses were from the nearest trained one at most, as a share of the radius in
  /// which sites are looked for, and when, s. Beyond 1 nothing was trained there; train on a clip that has such poses.
  double farthest = 0, farthest_time = 0;
  double solve_seconds = 0, contact_seconds = 0;  ///< processor time, of a reduced garment
  double worst_stretch = 0;                       ///< largest Green strain along warp or weft at the end of a step
};

/// The solver object: one motion, step by step.
class ClothSimulation {
 public:
  /// The garment must be free of intersections with the body at `start` seconds, and with itself; throws Error
  /// otherwise, and for meshes that cannot be cloth: degenerate triangles, edges of more than two triangles.
  ClothSimulation(const Garment& garment, const ClothBody& body, const ClothOptions& options = {}, double start = 0,
                  std::shared_ptr<const ClothReduction> reduction = {});
  ~ClothSimulation();
  ClothSimulation(ClothSimulation&&) noexcept;

  /// Advances to a later time, in equal steps no longer than the option, and shorter where the body moves fast.
  /// Throws Cancelled where the callback returns false.
  void advance(double time, const ProgressCallback& callback = {});

  double time() const;
  const Vec& points() const;
  const Vec& velocities() const;
  /// Continues from another state, which must be free of intersections. What follows depends on it alone: the same
  /// bits whatever was simulated before.
  void restart(In points, In velocities);
  const Vec& body_points() const;
  const ClothReport& report() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

struct ClothClip {
  double start = 0, end = 1;  ///< s
  double rate = 24;           ///< frames a second
};

struct ClothMotion {
  std::vector<double> times;  ///< s
  std::vector<Vec> frames;    ///< points of the garment, metres; the first as given
  ClothReport report;
};

/// The short door: a garment over a clip.
ClothMotion simulate_cloth(const Garment& garment, const ClothBody& body, const ClothClip& clip,
                           const ClothOptions& options = {}, const ProgressCallback& callback = {},
                           std::shared_ptr<const ClothReduction> reduction = {});

}  // namespace rigspace
