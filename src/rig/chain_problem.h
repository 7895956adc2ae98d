#pragma once
// The problem that chain IK solves: joints 0 .. n-1 turn by rotation vectors r_j, counted from rest,
//   A_j = A_(j-1) B_j exp(r_j) K_j,   x_(j+1) = x_j + A_j t_(j+1),
// B_j the rest rotation relative to the joint before, K_j its stretch, t its translation, and the tip x_n is to reach a
// target. Minimised over q, one number per hinge (r = q axis) and three per ball joint, within limits:
//   f = |x_n - target|^2 / (2 L^2) + bias ( sum_j w_j |q_j - q_j(FK)|^2 / 2 - c sum_(0<j<n) (x_j - x_0) . pole / L )
// with `bias` small: among poses that reach, the one nearest to FK, leaning to the pole.

#include "rigspace/rig/ik.h"
#include "rotation_formulas.h"

namespace rigspace {

constexpr int kMostChainJoints = 24;                      // that turn
constexpr int kMostChainUnknowns = 3 * kMostChainJoints;  // q

/// Vectors and matrices of the unknowns, without allocation.
using ChainVec = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostChainUnknowns, 1>;
using ChainMat = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostChainUnknowns, kMostChainUnknowns>;

/// What does not change with the pose.
struct ChainSetup {
  std::vector<ChainJoint> joints;
  std::vector<Mat3> rest;  // B_j
  std::vector<int> first;  // of joint j's unknowns; ends with their number
  ChainVec lower, upper, stiffness;
  double length = 1;         // L, at rest
  double pole_strength = 0;  // c
  bool has_pole = false;

  int count() const { return static_cast<int>(joints.size()); }
  int unknowns() const { return first.back(); }
};

/// What the pose gives.
template <class S>
struct ChainPose {
  Frame<S> parent;  // of the root; its origin is the root's
  M3<S> K[kMostChainJoints];
  M3<S> R[kMostChainJoints];      // FK rotation relative to the joint before
  V3<S> t[kMostChainJoints + 1];  // t[j + 1]: of joint j + 1 in the space of joint j
  V3<S> target, pole;             // pole: unit, across the line to the target, or 0
  S q_fk[kMostChainUnknowns];
};

/// exp(r) applied, and derivatives: sin t / t and so on, with da, db by t^2 / 2 (see rotations.cpp).
template <class S>
struct ExpCoefficients {
  S a, b, c, da, db;  // c = cos t

  explicit ExpCoefficients(const V3<S>& r) {
    using std::cos;
    using std::sin;
    const S t2 = dot(r, r);
    if (value_of(t2) < 1e-2) {
      a = S(1) - t2 * (S(1.0 / 6) - t2 * (S(1.0 / 120) - t2 * (S(1.0 / 5040) - t2 * S(1.0 / 362880))));
      b = S(0.5) - t2 * (S(1.0 / 24) - t2 * (S(1.0 / 720) - t2 * (S(1.0 / 40320) - t2 * S(1.0 / 3628800))));
      da = S(-1.0 / 3) + t2 * (S(1.0 / 30) - t2 * (S(1.0 / 840) - t2 * S(1.0 / 45360)));
      db = S(-1.0 / 12) + t2 * (S(1.0 / 180) - t2 * (S(1.0 / 6720) - t2 * S(1.0 / 453600)));
      c = S(1) - b * t2;
    } else {
      const S t = safe_sqrt(t2);
      c = cos(t);
      a = sin(t) / t;
      b = (S(1) - c) / t2;
      da = (c - a) / t2;
      db = (a - S(2) * b) / t2;
    }
  }
};

/// r_j of q.
template <class S>
V3<S> rotation_vector(const ChainSetup& setup, int j, const S* q) {
  const S* mine = q + setup.first[j];
  if (!setup.joints[j].hinge) return vector_at(mine);
  return constant<S>(setup.joints[j].axis) * mine[0];
}

/// Linear parts and origins of all joints and the tip (origins only).
template <class S>
struct ChainFrames {
  M3<S> A[kMostChainJoints];
  V3<S> x[kMostChainJoints + 1];
};

template <class S>
void chain_forward(const ChainSetup& setup, const ChainPose<S>& pose, const S* q, ChainFrames<S>& frames) {
  M3<S> A = pose.parent.A;
  V3<S> x = pose.parent.t;
  for (int j = 0; j < setup.count(); ++j) {
    A = A * constant<S>(setup.rest[j]) * exp_of<S>(rotation_vector(setup, j, q)) * pose.K[j];
    frames.A[j] = A;
    frames.x[j] = x;
    x = x + A * pose.t[j + 1];
  }
  frames.x[setup.count()] = x;
}

/// M_j = sum over the origins m > j of f_m y_m^T: f_m = df/dx_m, y_m the origin in the space of joint j.
template <class S>
void chain_moments(const ChainSetup& setup, const ChainPose<S>& pose, double bias, const ChainFrames<S>& frames,
                   const S* q, M3<S>* moments) {
  const int n = setup.count();
  const double over = 1 / setup.length;
  const V3<S> lean = pose.pole * S(-bias * setup.pole_strength * over);
  V3<S> F = (frames.x[n] - pose.target) * S(over * over);
  moments[n - 1] = F * pose.t[n].transpose();
  for (int j = n - 1; j > 0; --j) {
    F += lean;  // on joint j's own origin
    const M3<S> local = constant<S>(setup.rest[j]) * exp_of<S>(rotation_vector(setup, j, q)) * pose.K[j];
    moments[j - 1] = moments[j] * local.transpose() + F * pose.t[j].transpose();
  }
}

/// d/dr of <exp(r), Z>,  exp(r) = c I + a [r]x + b r r^T.
template <class S>
V3<S> exp_gradient(const V3<S>& r, const M3<S>& Z) {
  const ExpCoefficients<S> e(r);
  const V3<S> axial(Z(2, 1) - Z(1, 2), Z(0, 2) - Z(2, 0), Z(1, 0) - Z(0, 1));
  const V3<S> Zr = Z * r, Ztr = Z.transpose() * r;
  const S along = dot(r, axial) * e.da + dot(r, Zr) * e.db - (Z(0, 0) + Z(1, 1) + Z(2, 2)) * e.a;
  return axial * e.a + r * along + (Zr + Ztr) * e.b;
}

/// df/dq: by joint j, f changes as <A_(j-1) B_j exp(r_j) K_j, M_j>.
template <class S>
void chain_gradient(const ChainSetup& setup, const ChainPose<S>& pose, double bias, const S* q, S* g) {
  ChainFrames<S> frames;
  M3<S> moments[kMostChainJoints];
  chain_forward(setup, pose, q, frames);
  chain_moments(setup, pose, bias, frames, q, moments);
  for (int j = 0; j < setup.count(); ++j) {
    const M3<S>& before = j > 0 ? frames.A[j - 1] : pose.parent.A;
    const M3<S> outer = before.transpose() * moments[j] * pose.K[j].transpose();
    const M3<S> Z = constant<S>(setup.rest[j]).transpose() * outer;
    const V3<S> g_r = exp_gradient<S>(rotation_vector(setup, j, q), Z);
    S* mine = g + setup.first[j];
    if (setup.joints[j].hinge) {
      mine[0] = dot(g_r, constant<S>(setup.joints[j].axis));
    } else {
      for (int k = 0; k < 3; ++k) mine[k] = g_r[k];
    }
  }
  for (int k = 0; k < setup.unknowns(); ++k) g[k] += (q[k] - pose.q_fk[k]) * S(bias * setup.stiffness[k]);
}

struct ChainSolution {
  ChainVec q;
  double distance = 0;  // scene units
};

double chain_value(const ChainSetup&, const ChainPose<double>&, double bias, const ChainVec& q);
/// dx_n/dq.
using ChainJacobian = Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, kMostChainUnknowns>;
/// d2f/dq2, exact, and dx_n/dq.
void chain_hessian(const ChainSetup&, const ChainPose<double>&, double bias, const ChainVec& q, ChainMat& H,
                   ChainJacobian& J);
/// True where q is held by a limit, given the gradient there.
bool chain_held(const ChainSetup&, const ChainVec& q, const ChainVec& g, int k);

constexpr double kChainBias = 1e-8;
ChainSolution solve_chain(const ChainSetup&, const ChainPose<double>&, double tolerance);

}  // namespace rigspace
