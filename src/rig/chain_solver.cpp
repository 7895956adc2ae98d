// The solver of chain IK: projected Newton from several starts, the same for the same inputs.

#include "chain_problem.h"
#include "rigspace/rig/skeleton.h"

#include <Eigen/Cholesky>

namespace rigspace {
namespace {

constexpr int kStarts = 32;

ChainVec within(const ChainSetup& setup, const ChainVec& q) { return q.cwiseMax(setup.lower).cwiseMin(setup.upper); }

ChainVec gradient_at(const ChainSetup& setup, const ChainPose<double>& pose, double bias, const ChainVec& q) {
  ChainVec g(setup.unknowns());
  chain_gradient<double>(setup, pose, bias, q.data(), g.data());
  return g;
}

double tip_distance(const ChainSetup& setup, const ChainPose<double>& pose, const ChainVec& q) {
  ChainFrames<double> frames;
  chain_forward<double>(setup, pose, q.data(), frames);
  return (frames.x[setup.count()] - pose.target).norm();
}

/// Unknowns that no limit holds.
struct FreeSet {
  std::array<int, kMostChainUnknowns> list;
  int count = 0;

  void add(int k) { list[count++] = k; }
  const int* begin() const { return list.data(); }
  const int* end() const { return list.data() + count; }
};

/// Minimises  g . s + s (H + damping) s / 2  within the limits: on the free unknowns, and where that passes a limit the
/// step ends there and the others are solved again, so that they make up for it. False if not positive definite.
bool newton_step(const ChainSetup& setup, const ChainMat& H, const ChainVec& g, const ChainVec& q, FreeSet free,
                 double damping, ChainVec& step) {
  step.setZero();
  while (free.count > 0) {
    ChainMat H_free(free.count, free.count);
    ChainVec s(free.count);
    for (int a = 0; a < free.count; ++a) {
      const int k = free.list[a];
      s[a] = -g[k] - H.row(k).dot(step);  // `step` holds only what limits have fixed so far
      for (int b = 0; b < free.count; ++b) H_free(a, b) = H(k, free.list[b]);
      H_free(a, a) += damping;
    }
    const Eigen::LLT<ChainMat> llt(H_free);
    if (llt.info() != Eigen::Success) return false;
    llt.solveInPlace(s);
    if (!s.allFinite()) return false;
    FreeSet inside;
    for (int a = 0; a < free.count; ++a) {
      const int k = free.list[a];
      const double to = q[k] + s[a];
      if (to < setup.lower[k])
        step[k] = setup.lower[k] - q[k];
      else if (to > setup.upper[k])
        step[k] = setup.upper[k] - q[k];
      else
        inside.add(k);
    }
    if (inside.count == free.count) {
      for (int a = 0; a < free.count; ++a) step[free.list[a]] = s[a];
      break;
    }
    free = inside;
  }
  return true;
}

/// Brings the tip back to the target by the smallest turn of free unknowns: where poses that reach form a narrow
/// curved valley, steps along it leave it, and would have to be tiny without this.
ChainVec corrected(const ChainSetup& setup, const ChainPose<double>& pose, const ChainJacobian& J, const FreeSet& free,
                   const ChainVec& q) {
  ChainFrames<double> frames;
  ChainVec result = q;
  FreeSet inside;
  for (const int c : free)
    if (q[c] > setup.lower[c] && q[c] < setup.upper[c]) inside.add(c);
  Mat3 JJt = 1e-12 * setup.length * setup.length * Mat3::Identity();
  for (const int c : inside) JJt += J.col(c) * J.col(c).transpose();
  for (int k = 0; k < 2; ++k) {
    chain_forward<double>(setup, pose, result.data(), frames);
    const Vec3 pull = JJt.ldlt().solve(pose.target - frames.x[setup.count()]);
    for (const int c : inside) result[c] += J.col(c).dot(pull);
    result = within(setup, result);
  }
  return result;
}

/// Newton with Levenberg's damping, projected on the limits, with the limits that hold taken anew in each iteration.
class Descent {
 public:
  Descent(const ChainSetup& setup, const ChainPose<double>& pose, double bias, ChainVec& q)
      : setup_(setup), pose_(pose), bias_(bias), q_(q), H_(q.size(), q.size()), J_(3, q.size()), step_(q.size()) {
    f_ = chain_value(setup, pose, bias, q);
    g_ = gradient_at(setup, pose, bias, q);
  }

  void run(int iterations) {
    double last = 1;  // the largest turn of the last Newton step
    for (int k = 0; k < iterations; ++k) {
      if (find_free()) last = 1;
      if (free_.count == 0) return;
      chain_hessian(setup_, pose_, bias_, q_, H_, J_);
      // Near the end values no longer differ beyond rounding, nor does the gradient along the valley, but Newton's
      // steps do: they are taken until they shrink no more. (The first may grow: a turn of 1e-7 across a valley of
      // curvature 1e-8 changes the slope along it by its tenfold.)
      if (newton_step(setup_, H_, g_, q_, free_, 0, step_)) {
        const double largest = step_.cwiseAbs().maxCoeff();
        if (largest < 1e-5) {
          if (largest < 1e-11 && largest > 0.5 * last) return;
          accept(within(setup_, q_ + step_));
          if (largest < 1e-15) return;
          last = largest;
          continue;
        }
      }
      last = 1;
      if (!descend_once()) return;
    }
  }

 private:
  /// True if the set is another than before.
  bool find_free() {
    const FreeSet before = free_;
    free_.count = 0;
    for (int k = 0; k < setup_.unknowns(); ++k)
      if (!chain_held(setup_, q_, g_, k)) free_.add(k);
    return !std::equal(before.begin(), before.end(), free_.begin(), free_.end());
  }
  void accept(const ChainVec& q) {
    q_ = q;
    f_ = chain_value(setup_, pose_, bias_, q_);
    g_ = gradient_at(setup_, pose_, bias_, q_);
  }

  /// A step that lowers f, with as much damping as that takes.
  bool descend_once() {
    for (int attempt = 0; attempt < 30; ++attempt) {
      if (newton_step(setup_, H_, g_, q_, free_, damping_, step_)) {
        const double largest = step_.cwiseAbs().maxCoeff();
        if (largest > 1) step_ /= largest;  // a radian: further the model means nothing
        const ChainVec trial = within(setup_, q_ + step_);
        const ChainVec back = corrected(setup_, pose_, J_, free_, trial);
        const double f_trial = chain_value(setup_, pose_, bias_, trial),
                     f_back = chain_value(setup_, pose_, bias_, back);
        if (std::min(f_trial, f_back) < f_) {
          accept(f_back < f_trial ? back : trial);
          damping_ = damping_ < 1e-9 ? 0 : damping_ / 8;
          return true;
        }
        if (largest < 1e-12) return false;
      }
      damping_ = std::max(8 * damping_, 1e-10);
    }
    return false;
  }

  const ChainSetup& setup_;
  const ChainPose<double>& pose_;
  double bias_, f_, damping_ = 0;
  ChainVec& q_;
  ChainMat H_;
  ChainJacobian J_;
  ChainVec g_, step_;
  FreeSet free_;
};

/// By stages from the first bias down: with a strong one the pose stays near FK, with the last the tip reaches.
void descend(const ChainSetup& setup, const ChainPose<double>& pose, double first_bias, ChainVec& q) {
  for (double bias = first_bias; bias > 0.99 * kChainBias;
       bias = bias > kChainBias ? std::max(kChainBias, bias / 100) : 0)
    Descent(setup, pose, bias, q).run(bias > kChainBias ? 25 : 60);
}

/// Number `index` of the van der Corput sequence in this base: evenly spread in (0, 1).
double spread(int index, int base) {
  double result = 0, part = 1;
  for (; index > 0; index /= base) {
    part /= base;
    result += part * (index % base);
  }
  return result;
}

/// Where the search begins: FK, rest, bent either way, FK mirrored, then spread over what the limits allow.
ChainVec start(const ChainSetup& setup, const ChainPose<double>& pose, int number) {
  static constexpr int kPrimes[12] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  const int count = setup.unknowns();
  ChainVec q(count);
  for (int k = 0; k < count; ++k) {
    switch (number) {
      case 0: q[k] = pose.q_fk[k]; break;
      case 1: q[k] = 0; break;
      case 2: q[k] = 0.4; break;
      case 3: q[k] = -0.4; break;
      case 4: q[k] = -pose.q_fk[k]; break;
      default: {
        // Unlimited joints bend up to 1.5 radians: with more, chains only curl up.
        const double low = std::max(setup.lower[k], -1.5), high = std::min(setup.upper[k], 1.5);
        const double share = spread(1 + (number - 5) + 7 * (k / 12), kPrimes[k % 12]);
        q[k] = low <= high ? low + share * (high - low) : 0.5 * (setup.lower[k] + setup.upper[k]);
      }
    }
  }
  return within(setup, q);
}

/// No pose reaches further from the root than the sum of lengths (of joints without uneven scale; then a few starts
/// are lost, no more).
bool beyond_reach(const ChainSetup& setup, const ChainPose<double>& pose) {
  ChainFrames<double> frames;
  const ChainVec q = start(setup, pose, 1);
  chain_forward<double>(setup, pose, q.data(), frames);
  double reach = 0;
  for (int j = 0; j < setup.count(); ++j) reach += (frames.x[j + 1] - frames.x[j]).norm();
  return (pose.target - frames.x[0]).norm() > reach;
}

}  // namespace

double chain_value(const ChainSetup& setup, const ChainPose<double>& pose, double bias, const ChainVec& q) {
  ChainFrames<double> frames;
  chain_forward<double>(setup, pose, q.data(), frames);
  const int n = setup.count();
  double stay = 0, lean = 0;
  for (int k = 0; k < setup.unknowns(); ++k) {
    const double d = q[k] - pose.q_fk[k];
    stay += 0.5 * setup.stiffness[k] * d * d;
  }
  for (int j = 1; j < n; ++j) lean += (frames.x[j] - frames.x[0]).dot(pose.pole);
  return 0.5 * (frames.x[n] - pose.target).squaredNorm() / (setup.length * setup.length) +
         bias * (stay - setup.pole_strength * lean / setup.length);
}

void chain_hessian(const ChainSetup& setup, const ChainPose<double>& pose, double bias, const ChainVec& q, ChainMat& H,
                   ChainJacobian& J) {
  const int n = setup.count(), count = setup.unknowns();
  ChainFrames<double> frames;
  Mat3 moments[kMostChainJoints];
  chain_forward<double>(setup, pose, q.data(), frames);
  chain_moments<double>(setup, pose, bias, frames, q.data(), moments);

  // By unknown u of joint i the transform of joint i changes by B_u, and everything beyond by G_u = B_u A_i^-1. So for
  // a later joint's v:  d2 f = <G_u^T, B_v M^T> + J_u . J_v / L^2.
  Mat3 G[kMostChainUnknowns], D[kMostChainUnknowns];
  for (int j = 0; j < n; ++j) {
    const ChainJoint& joint = setup.joints[j];
    const Mat3& before = j > 0 ? frames.A[j - 1] : pose.parent.A;
    const Mat3 base = before * setup.rest[j], back = inverse<double>(frames.A[j]);
    const Vec3 r = rotation_vector<double>(setup, j, q.data()), tip = back * (frames.x[n] - frames.x[j]);
    Mat3 turns[3];
    for (int k = 0; k < 3; ++k) turns[k] = rotation_exp_derivative(r, k);
    // Within the joint: the second derivative of <exp(r), Z>, three lanes of its gradient.
    const Mat3 Z = base.transpose() * moments[j] * pose.K[j].transpose();
    V3<Dual> moving = r.cast<Dual>();
    for (int k = 0; k < 3; ++k) moving[k].d[k] = 1;
    const V3<Dual> g_r = exp_gradient<Dual>(moving, Z.cast<Dual>());
    Mat3 own;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) own(a, b) = g_r[a].d[b];

    const int first = setup.first[j], mine = setup.first[j + 1] - first;
    for (int k = 0; k < mine; ++k) {
      const Mat3 turn =
          joint.hinge ? Mat3(turns[0] * joint.axis[0] + turns[1] * joint.axis[1] + turns[2] * joint.axis[2]) : turns[k];
      const Mat3 B = base * turn * pose.K[j];
      G[first + k] = B * back;
      D[first + k] = moments[j] * B.transpose();
      J.col(first + k) = B * tip;
      for (int u = 0; u < first; ++u) H(u, first + k) = G[u].cwiseProduct(D[first + k]).sum();
      for (int l = 0; l <= k; ++l) H(first + l, first + k) = joint.hinge ? joint.axis.dot(own * joint.axis) : own(l, k);
    }
  }
  const double over = 1 / (setup.length * setup.length);
  for (int v = 0; v < count; ++v) {
    for (int u = 0; u <= v; ++u) {
      H(u, v) += over * J.col(u).dot(J.col(v));
      H(v, u) = H(u, v);
    }
    H(v, v) += bias * setup.stiffness[v];
  }
}

bool chain_held(const ChainSetup& setup, const ChainVec& q, const ChainVec& g, int k) {
  return (q[k] <= setup.lower[k] && g[k] >= 0) || (q[k] >= setup.upper[k] && g[k] <= 0) ||
         setup.lower[k] >= setup.upper[k];
}

ChainSolution solve_chain(const ChainSetup& setup, const ChainPose<double>& pose, double tolerance) {
  const double near = 0.5 * tolerance * setup.length;
  ChainSolution best;
  best.distance = std::numeric_limits<double>::infinity();
  const int starts = beyond_reach(setup, pose) ? 5 : kStarts;
  for (int number = 0; number < starts && !(best.distance <= near); ++number) {
    // From FK by all stages; from elsewhere the bias must not lead back to where that failed.
    ChainVec q = start(setup, pose, number);
    descend(setup, pose, number == 0 ? 0.1 : 1e-5, q);
    const double distance = tip_distance(setup, pose, q);
    if (distance < (1 - 1e-6) * best.distance) best = {q, distance};  // of equals the first
  }
  return best;
}

}  // namespace rigspace
