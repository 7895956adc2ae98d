#include "quaternion.h"
#include "skin.h"

#include <Eigen/LU>
#include <Eigen/SVD>

namespace rigspace {
namespace {

using Vec8 = Eigen::Matrix<double, 8, 1>;
using Mat38 = Eigen::Matrix<double, 3, 8>;
using Vec17 = Eigen::Matrix<double, 17, 1>;

/// A joint's C = (R S | t) as the unit dual quaternion (q, t q / 2) of its rigid part, and its stretch S; and the
/// linear map from a change of the joint's world transform to changes of these 8 + 9 numbers.
struct JointMotion {
  Vec8 dual;
  Mat3 stretch;
  Eigen::Matrix<double, 17, 12> by_world;
};

/// M = R S with det R = +1; S is symmetric, and indefinite for a mirrored M.
Mat3 polar_rotation(const Mat3& M) {
  const Eigen::JacobiSVD<Mat3> svd(M, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Mat3 U = svd.matrixU();
  if (U.determinant() * svd.matrixV().determinant() < 0) U.col(2) = -U.col(2);
  return U * svd.matrixV().transpose();
}

Vec3 vee(const Mat3& K) { return {K(2, 1), K(0, 2), K(1, 0)}; }

Mat3 cross_matrix(const Vec3& v) {
  Mat3 K;
  K << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return K;
}

JointMotion joint_motion(const Affine& world, const Affine& inverse_bind, bool with_derivative) {
  const Affine C = compose(world, inverse_bind);
  const Mat3 R = polar_rotation(linear(C));
  JointMotion motion;
  motion.stretch = R.transpose() * linear(C);
  const Quat rotation(R);
  const Vec4 q = rotation.coeffs();
  const Vec4 t(C(0, 3), C(1, 3), C(2, 3), 0);
  motion.dual << q, 0.5 * quaternion_product(t, q);
  if (!with_derivative) return motion;

  // From R^T dM = [w]x S + dS, the skew part gives (tr(S) I - S) w = vee(R^T dM - dM^T R). Singular only where two
  // stretches cancel, and then no rotation is defined; the pseudo-inverse gives a finite answer.
  const Mat3 twist_matrix = motion.stretch.trace() * Mat3::Identity() - motion.stretch;
  const Mat3 twist_inverse = twist_matrix.completeOrthogonalDecomposition().pseudoInverse();
  for (int k = 0; k < 12; ++k) {
    Affine d_world = Affine::Zero();
    d_world(k % 3, k / 3) = 1;
    const Affine dC = compose_derivative_left(d_world, inverse_bind);
    const Mat3 Rt_dM = R.transpose() * linear(dC);
    const Vec3 w = twist_inverse * vee(Rt_dM - Rt_dM.transpose());
    const Vec4 dq = 0.5 * quaternion_product(q, Vec4(w[0], w[1], w[2], 0));
    const Vec4 dt(dC(0, 3), dC(1, 3), dC(2, 3), 0);
    const Mat3 dS = Rt_dM - cross_matrix(w) * motion.stretch;
    motion.by_world.col(k) << dq, 0.5 * (quaternion_product(dt, q) + quaternion_product(t, dq)),
        Eigen::Map<const Eigen::Matrix<double, 9, 1>>(dS.data());
  }
  return motion;
}

class DualQuaternionSkin final : public Skin {
 public:
  using Skin::Skin;

  struct State : DeformerState {
    std::vector<JointMotion> joints;
    std::vector<Mat> derivative;  ///< per joint: 17 x m
  };

  std::unique_ptr<DeformerState> make_state() const override { return std::make_unique<State>(); }

  void prepare(In u, std::span<const Slot> graph_slots, DeformerState& base) const override {
    auto& state = static_cast<State&>(base);
    state.joints.resize(joint_count());
    for (int j = 0; j < joint_count(); ++j)
      state.joints[j] = joint_motion(transform_at(u, graph_slots[slots_[j]]), inverse_bind_[j], true);
  }

  void prepare_derivatives(In, std::span<const Slot>, const GraphJacobian& du, DeformerState& base) const override {
    auto& state = static_cast<State&>(base);
    state.derivative.resize(joint_count());
    for (int j = 0; j < joint_count(); ++j)
      state.derivative[j] = state.joints[j].by_world.lazyProduct(du.slots[slots_[j]].value);
  }

  void deform(const DeformerState& base, int begin, int end, double* x) const override {
    const auto& state = static_cast<const State&>(base);
    for (int k = begin; k < end; ++k, x += 3) {
      Eigen::Map<Vec3> point(x);
      point = Blend(*this, state, k).deform(Vec3(point));
    }
  }

  void deform(const DeformerState& base, int k, double* x, const PointRow& row) const override {
    const auto& state = static_cast<const State&>(base);
    const Blend blend(*this, state, k);
    Eigen::Map<Vec3> point(x);
    const Vec3 before = point;
    const Mat3 A = blend.rotation() * blend.stretch;
    if (!row.zero) {
      Eigen::Map<Eigen::Matrix3Xd> J(row.values, 3, row.columns);
      for (int c = 0; c < row.columns; ++c) J.col(c) = (A * J.col(c)).eval();
    }
    const Mat38 by_dual = blend.by_dual(blend.stretch * before);
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) {
      const Mat& d = state.derivative[joint(e)];
      const Eigen::Matrix<double, 3, 17> by_joint = blend.by_joint(by_dual, before, weights_[e], sign(state, k, e));
      for (const ColumnRun& run : row.runs[e - entry_start_[k]]) {
        Eigen::Map<Eigen::Matrix3Xd> out(row.values + 3 * run.to, 3, run.length);
        for (int c = 0; c < run.length; ++c) out.col(c) += by_joint * d.col(run.from + c);
      }
    }
    point = blend.deform(before);
  }

  Mat3 spatial_jacobian(const DeformerState& base, int k, const Vec3&) const override {
    const Blend blend(*this, static_cast<const State&>(base), k);
    return blend.rotation() * blend.stretch;
  }

  Vec3 pull(const DeformerState& base, int k, const Vec3& x, const Vec3& g, double* g_slots) const override {
    const auto& state = static_cast<const State&>(base);
    const Blend blend(*this, state, k);
    const Mat38 by_dual = blend.by_dual(blend.stretch * x);
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) {
      const Vec17 g_joint = blend.by_joint(by_dual, x, weights_[e], sign(state, k, e)).transpose() * g;
      Eigen::Map<Eigen::Matrix<double, 12, 1>>(g_slots + slot_offset(joint(e))) +=
          state.joints[joint(e)].by_world.transpose() * g_joint;
    }
    return (blend.rotation() * blend.stretch).transpose() * g;
  }

  std::unique_ptr<Deformer> restricted(std::span<const int> points, int new_first) const override {
    return std::make_unique<DualQuaternionSkin>(*this, select(points), new_first);
  }

 private:
  /// q and -q turn alike; blended are those on the side of the joint that weighs most.
  double sign(const State& state, int k, int entry) const {
    int heaviest = entry_start_[k];
    for (int e = heaviest; e < entry_start_[k + 1]; ++e)
      if (weights_[e] > weights_[heaviest]) heaviest = e;
    const auto& pivot = state.joints[joint(heaviest)].dual;
    return state.joints[joint(entry)].dual.head<4>().dot(pivot.head<4>()) < 0 ? -1 : 1;
  }

  struct Blend {
    Blend(const DualQuaternionSkin& skin, const State& state, int k) {
      for (int e = skin.entry_start_[k]; e < skin.entry_start_[k + 1]; ++e) {
        const JointMotion& motion = state.joints[skin.joint(e)];
        dual += skin.weights_[e] * skin.sign(state, k, e) * motion.dual;
        stretch += skin.weights_[e] * motion.stretch;
      }
      length2 = dual.head<4>().squaredNorm();
      if (length2 < 1e-300) {  // no weights, or rotations that cancel: stay
        dual << 0, 0, 0, 1, 0, 0, 0, 0;
        length2 = 1;
      }
    }

    Vec4 real() const { return dual.head<4>(); }
    Vec4 moment() const { return dual.tail<4>(); }
    Mat3 rotation() const { return quaternion_matrix(real()) / length2; }
    Vec3 turn(const Vec3& y) const {
      return (quaternion_matrix(real()) * y + 2 * times_conjugate(moment(), real())) / length2;
    }
    Vec3 deform(const Vec3& x) const { return turn(stretch * x); }

    /// d turn(y) / d dual: turn is N(dual) / |real|^2 with N quadratic.
    Mat38 by_dual(const Vec3& y) const {
      const Vec3 turned = turn(y);
      Mat38 D;
      for (int c = 0; c < 4; ++c) {
        const Vec4 unit = Vec4::Unit(c);
        D.col(c) =
            (quaternion_matrix_derivative(real(), c) * y + 2 * times_conjugate(moment(), unit) - 2 * dual[c] * turned) /
            length2;
        D.col(4 + c) = 2 * times_conjugate(unit, real()) / length2;
      }
      return D;
    }

    /// d s / d (dual, stretch) of one joint of this weight and sign.
    Eigen::Matrix<double, 3, 17> by_joint(const Mat38& by_dual, const Vec3& x, double weight, double sign) const {
      Eigen::Matrix<double, 3, 17> D;
      D.leftCols<8>() = weight * sign * by_dual;
      const Mat3 R = rotation();
      for (int c = 0; c < 3; ++c) D.middleCols<3>(8 + 3 * c) = weight * x[c] * R;  // stretch is stored by columns
      return D;
    }

    Vec8 dual = Vec8::Zero();
    Mat3 stretch = Mat3::Zero();
    double length2 = 0;
  };
};

}  // namespace

std::unique_ptr<Deformer> make_dual_quaternion_skin(const SkinDescription& skin) {
  return std::make_unique<DualQuaternionSkin>(skin);
}

}  // namespace rigspace
