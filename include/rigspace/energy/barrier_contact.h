#pragma once
// Contact of a surface with itself and with an obstacle whose motion is given, as a barrier (Li et al. 2020,
// "Incremental potential contact"): every pair of a point and a triangle, or of two edges, nearer than `distance` has
//   E = k d^2 m(c) f(s),   f(s) = -(s - 1)^2 ln s,   s = D / d^2,   D the squared distance, d = `distance`,
// twice continuously differentiable at s = 1 and infinite at s = 0. m makes edges smooth where they are parallel:
// m = c/e (2 - c/e) for c = |u x v|^2 < e = 1e-3 |U|^2 |V|^2 (lengths at rest), 1 beyond; 1 for points and triangles.
// Pairs of the surface that are nearer than d at rest have their rest distance in place of d.
//
// Friction is Coulomb's, smoothed and lagged, as in contact.h: with the normal force N and direction n of a pair at the
// start of the step and u its sliding over the step across n,  D = mu N f0(|u|),  f0' = y/e (2 - y/e) up to
// y = e = slip_speed h, 1 beyond.
//
// max_step tests the whole path, so that a solve that starts without intersections ends without.

#include "rigspace/geometry/collision_pairs.h"
#include "rigspace/optimize/energy.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

struct BarrierOptions {
  double distance = 0.002;   ///< m: d, contact begins this far from a surface
  double stiffness = 1;      ///< N/m: k
  double friction = 0.3;     ///< Coulomb's mu
  double slip_speed = 0.01;  ///< m/s: what is held by friction creeps, but slower than this
  bool self = true;          ///< contact of the surface with itself

  void validate() const;
};

/// Contact at one state.
struct BarrierReport {
  int touching = 0;                    ///< pairs with a force between them
  int own = 0;                         ///< of these, pairs of the surface with itself
  double nearest = 0;                  ///< m: the smallest distance of any of them; `distance` without
  Vec3 obstacle_force = Vec3::Zero();  ///< N: of the obstacle on the surface, without friction
};

/// A step is: begin_step, place the obstacle, solve; where the obstacle has not arrived, place and solve again.
class BarrierContact final : public Energy {
 public:
  /// The surface at rest, m, and the obstacle; either may have points that no triangle uses.
  BarrierContact(const TriMesh& surface, const TriMesh& obstacle, const BarrierOptions& = {});

  const BarrierOptions& options() const { return options_; }
  void set_stiffness(double stiffness) { options_.stiffness = stiffness, ++version_; }
  /// Triangles of the obstacle that take no part: see CollisionPairFinder.
  void set_absent(std::span<const char> triangles);
  /// Where the obstacle is.
  void place(In obstacle);
  const Vec& obstacle() const { return obstacle_; }

  /// Friction of a step of h seconds that starts with the surface at x_start, the obstacle as placed now. h = 0: none.
  void begin_step(In x_start, double h);

  BarrierReport report(In x) const;

  std::unique_ptr<State> make_state() const override;
  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;
  double max_step(const State&, In x_from, In x_trial) const override;

 private:
  struct Memory;  // a State: the pairs near the present path
  struct Active {
    CollisionPair pair;
    PairPoints x;
    PairDistance at;
    double level;                                   // squared distance where the barrier of this pair begins
    double f, f_1, f_2;                             // f and its derivatives by s
    double parallel = -1, m = 1, m_1 = 0, m_2 = 0;  // e, and m with its derivatives by c; e < 0: no mollifier
  };
  struct Slip {
    CollisionPair pair;
    Vec4 weights;
    Vec3 normal, start;  // start: sum_k w_k x_k at the start of the step
    double force;        // N, times mu
  };
  using Vec12 = Eigen::Matrix<double, 12, 1>;
  using Mat12 = Eigen::Matrix<double, 12, 12>;

  Vec3 at(In x, int i) const;
  PairPoints gather(In x, const CollisionPair&) const;
  bool activate(In x, const CollisionPair&, Active&) const;
  void collect(In x, std::span<const CollisionPair>, std::vector<Active>&) const;
  const std::vector<Active>& active(const Memory&, In x) const;
  const std::vector<CollisionPair>& near(const Memory&, In from, In to) const;
  Vec12 gradient(const Active&) const;
  Mat12 hessian(const Active&, HessianMode) const;
  Vec3 sliding(const Slip&, In x) const;
  double least_fraction(std::span<const CollisionPair>, const SurfaceMotion&, double rest) const;

  TriMesh surface_, made_;  // both as at rest
  BarrierOptions options_;
  std::vector<char> absent_;
  Vec obstacle_;
  std::uint64_t version_ = 0;  // of what else the energy depends on
  std::vector<Slip> slips_;
  double slip_ = 0;             // m: e of friction
  std::unique_ptr<State> own_;  // memory for begin_step and report
};

}  // namespace rigspace
