#pragma once
// Contact of a body with colliders and with itself, and friction, as a potential (Thesis 3.1.3, 3.5.2).
//
// Every point i of the body and collider that come near make a pair with the gap
//   d(x) = n . (x_i - s),
// normal n and place s as found at the last refresh; against the body's own surface s = sum_k w_k x_k moves along, with
// lagged n and w (Barbic and James 2008). With the depth t = level - d below the level where contact begins,
//   E = k t^3 / (6 a)                             for 0 < t < a,
//   E = k (a^2/6 + a (t - a)/2 + (t - a)^2/2)     beyond,                      a = thickness,
// which is twice continuously differentiable and convex. The level is the thickness; where set_reference gives the
// shape that an artist made, it is no more than the gap there, so that contact does not fight the artist and acts on
// what comes deeper.
//
// Friction is Coulomb's, smoothed and lagged (Thesis (3.22) is no Coulomb friction: its force has no bound). With N the
// normal force of the pair at the end of the last step and u the sliding over this one, across n and against the motion
// of the collider,
//   D = mu N f(|u|),   f' = 2 y/e - y^2/e^2 up to y = e = slip_speed h, 1 beyond.
//
// Nothing tunnels as long as no point moves further than `reach` in a step against what it may touch: safe_fraction is
// the part of a step that keeps to that, and max_step holds iterations to it. The side of a mesh that a point is on is
// kept, so that a point pressed through a thin plate is pushed back to its own side.

#include "rigspace/energy/collider.h"
#include "rigspace/geometry/tet_mesh.h"
#include "rigspace/optimize/energy.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace rigspace {

struct ContactOptions {
  double thickness = 0.005;  ///< m: contact begins this far from a surface
  double reach = 0.02;       ///< m: how far a point may move in a step against what it may touch
  double friction = 0.3;     ///< Coulomb's mu
  double slip_speed = 0.01;  ///< m/s: what is held by friction creeps, but slower than this
  bool self = false;         ///< contact of the body's surface with itself

  void validate() const;
};

/// What of a body can touch.
struct ContactBody {
  Vec x_rest;                       ///< all points of the body, m
  std::vector<int> points;          ///< those that touch, ascending
  std::vector<double> stiffness;    ///< N/m, of each of those
  std::vector<Triangle> triangles;  ///< the surface, outward; for contact with itself only
};

/// The boundary of a solid of this Young's modulus, Pa: each point ten times as stiff as the cell of flesh behind it,
/// 10 E sqrt(A) with its share A of the surface.
ContactBody contact_body(In x_rest, std::span<const Tet> tets, double young);

/// Contact at the last accepted state.
struct ContactReport {
  int touching = 0;           ///< pairs with a force between them
  double deepest = 0;         ///< m: the largest penetration, beyond that of the reference
  double energy = 0;          ///< J: of the penalties, without friction, which stores none
  Vec3 force = Vec3::Zero();  ///< N: of the colliders on the body, without friction
};

/// A step is: place the colliders, begin_step, solve, accept. Motion begins with placing them and accept.
class Contact final : public Energy {
 public:
  /// Throws Error for points outside the body, or a bad stiffness.
  Contact(ContactBody body, std::vector<Collider> colliders, const ContactOptions& = {});

  const ContactOptions& options() const { return options_; }
  std::span<Collider> colliders() { return colliders_; }
  /// An artist's shape at the end of the step, all points; empty for none.
  void set_reference(In x_reference) { reference_ = x_reference; }
  /// Whether the reference counts against a collider: by default it does, and against the own surface.
  void set_referenced(int collider, bool referenced) { referenced_[static_cast<std::size_t>(collider)] = referenced; }

  /// A step of h seconds from the state that was accepted last; the colliders have been placed.
  void begin_step(double h);
  /// The state at the end of a step: the next step takes sides and normal forces from it.
  void accept(In x);
  const ContactReport& report() const { return report_; }

  /// Which part of the motion x_from -> x_to, with the motion of the colliders as placed, a step may cover: 1, or less
  /// where a point moves by more than `reach` and could meet something on the way.
  double safe_fraction(In x_from, In x_to) const;

  /// Clears the history: for another motion.
  void forget();

  /// All that later steps depend on, as numbers; restored, they come out to the bit.
  Vec saved_state() const;
  void restore(In state);

  std::unique_ptr<State> make_state() const override;
  Change refresh(State&, In x, Phase) const override;
  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;
  double max_step(const State&, In x_from, In x_trial) const override;
  std::span<const int> support() const override { return support_; }

  /// A point against a place of a collider, or of the body's own surface. For inspection.
  struct Pair {
    int slot = 0;  ///< collider times points, plus the number of the point in the list; the surface comes last
    int point = 0;
    std::array<int, 3> corners = {-1, -1, -1};  ///< of the own surface, else -1
    Vec3 weights = Vec3::Zero();                ///< of those
    Vec3 normal = Vec3::Zero();
    double offset = 0;  ///< n . s of a collider
    double level = 0, stiffness = 0;
    Touch touch;

    bool own() const { return corners[0] >= 0; }
    Vec3 apart(In x) const;
    double gap(In x) const { return normal.dot(apart(x)) - offset; }
    bool operator==(const Pair&) const;
  };

 private:
  struct Memory;  // a State
  struct Slip {
    Pair pair;
    double force = 0;           // N
    Vec3 start = Vec3::Zero();  // x_i - s when the step began
    Vec3 base = Vec3::Zero();   // the same, moved as the collider moves
  };
  struct Penalty {
    double value, slope, curvature;  // by the depth
  };

  Penalty penalty(double depth) const;
  bool find(int slot, In x, Memory&, Pair&) const;
  bool find_own(int k, In x, Memory&, Pair&) const;
  bool may_meet(int i, int triangle) const;
  double level(int slot, int i, const Touch&, Memory&) const;
  double own_level(const Pair&) const;
  template <class Visit>
  void for_each_slip(In x, Visit&& visit) const;

  ContactBody body_;
  std::vector<Collider> colliders_;
  ContactOptions options_;
  std::vector<int> support_;
  TriangleTree rest_;
  Vec reference_;
  std::vector<char> referenced_;  // per collider

  // Kept from step to step:
  std::vector<Vec3> facing_;  // per slot: the side of a collider that the point is on; zero: far from it
  std::vector<Slip> slips_;
  bool begun_ = false;
  double slip_ = 0;  // m: e
  ContactReport report_;
};

}  // namespace rigspace
