#include "quaternion.h"
#include "rigspace/base/affine.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/rig/volume_skin.h"
#include "skin.h"

namespace rigspace {
namespace {

using Vec8 = Eigen::Matrix<double, 8, 1>;
using Mat38 = Eigen::Matrix<double, 3, 8>;
using Vec17 = Eigen::Matrix<double, 17, 1>;

/// Which of the two skins, and so how C x = R (S (x - c) + c) + t is split into R and S.
enum class Split {
  polar,      ///< S symmetric; about c = 0
  joint_axes  ///< R the joint's y axis and, made orthogonal, its x axis; c where the joint rests
};

/// A joint's C as the unit dual quaternion (q, t q / 2) of its rigid part, and its stretch S about c, `offset` being
/// c - S c; and the linear map from a change of the joint's world transform to changes of these 8 + 9 numbers.
struct JointMotion {
  Vec8 dual;
  Mat3 stretch;
  Vec3 offset;
  Eigen::Matrix<double, 17, 12> by_world;
};

Vec3 vee(const Mat3& K) { return {K(2, 1), K(0, 2), K(1, 0)}; }

/// y as it is, then z orthogonal to x and y, then x.
Mat3 axes_rotation(const Mat3& M) {
  Mat3 R;
  R.col(1) = M.col(1).stableNormalized();
  R.col(2) = M.col(0).cross(R.col(1)).stableNormalized();
  R.col(0) = R.col(1).cross(R.col(2));
  return R;
}

/// w of dR = R [w]x for R the rotation of M and N = R^T dM. From N = [w]x T + dT, T = R^T M: polar, T is symmetric, and
/// the skew part gives (tr(T) I - T) w = vee(N - N^T); singular only where two stretches cancel, and then no rotation
/// is defined: the pseudo-inverse gives a finite answer. In the joint's axes T keeps its zeros, T01 = T21 = T20 = 0.
class Twist {
 public:
  Twist(Split split, const Mat3& T) : split_(split), T_(T) {
    if (split == Split::polar) inverse_ = pseudo_inverse(T.trace() * Mat3::Identity() - T);
  }

  Vec3 of(const Mat3& N) const {
    if (split_ == Split::polar) return inverse_ * vee(N - N.transpose());
    const double x = N(2, 1) / T_(1, 1);
    return {x, (x * T_(1, 0) - N(2, 0)) / T_(0, 0), -N(0, 1) / T_(1, 1)};
  }

 private:
  Split split_;
  Mat3 T_, inverse_;
};

/// `rest`: the joint's frame in which R and S are separated, rigid; the identity for polar.
JointMotion joint_motion(const Affine& world, const Affine& inverse_bind, const Affine& rest, Split split) {
  const Affine C = compose(world, inverse_bind);
  const Mat3 B = linear(rest);
  const Vec3 c = translation(rest);
  const Mat3 M = linear(C) * B;
  const Mat3 frame = split == Split::polar ? nearest_rotation(M) : axes_rotation(M);
  const Mat3 R = frame * B.transpose();
  JointMotion motion;
  motion.stretch = R.transpose() * linear(C);
  motion.offset = c - motion.stretch * c;
  const Quat rotation(R);
  const Vec4 q = rotation.coeffs();
  const Vec3 moved = translation(C) + (linear(C) * c - R * c);
  const Vec4 t(moved[0], moved[1], moved[2], 0);
  motion.dual << q, 0.5 * quaternion_product(t, q);

  const Twist twist(split, frame.transpose() * M);
  for (int k = 0; k < 12; ++k) {
    Affine d_world = Affine::Zero();
    d_world(k % 3, k / 3) = 1;
    const Affine dC = compose_derivative_left(d_world, inverse_bind);
    const Vec3 w = B * twist.of(frame.transpose() * linear(dC) * B);
    const Vec4 dq = 0.5 * quaternion_product(q, Vec4(w[0], w[1], w[2], 0));
    const Vec3 d_moved = translation(dC) + (linear(dC) * c - R * w.cross(c));
    const Vec4 dt(d_moved[0], d_moved[1], d_moved[2], 0);
    const Mat3 dS = R.transpose() * linear(dC) - cross_matrix(w) * motion.stretch;
    motion.by_world.col(k) << dq, 0.5 * (quaternion_product(dt, q) + quaternion_product(t, dq)),
        Eigen::Map<const Eigen::Matrix<double, 9, 1>>(dS.data());
  }
  return motion;
}

class DualQuaternionSkin final : public Skin {
 public:
  DualQuaternionSkin(const SkinDescription& skin, Split split) : Skin(skin), split_(split) {
    describe(skin);
    rest_.assign(skin.inverse_bind.size(), Affine::Identity());
    if (split == Split::polar) return;
    for (std::size_t j = 0; j < rest_.size(); ++j) {
      rest_[j] = inverse(skin.inverse_bind[j]);
      linear(rest_[j]) = axes_rotation(linear(rest_[j]));  // Blender's bones are rigid to some 1e-4 only
    }
  }
  DualQuaternionSkin(const DualQuaternionSkin& whole, const Selection& selection, int new_first)
      : Skin(whole, selection, new_first), split_(whole.split_), rest_(whole.rest_) {}

  struct State : DeformerState {
    std::vector<JointMotion> joints;
    std::vector<Mat> derivative;  ///< per joint: 17 x m
  };

  std::unique_ptr<DeformerState> make_state() const override { return std::make_unique<State>(); }

  void prepare(In u, std::span<const Slot> graph_slots, DeformerState& base) const override {
    auto& state = static_cast<State&>(base);
    state.joints.resize(joint_count());
    for (int j = 0; j < joint_count(); ++j)
      state.joints[j] = joint_motion(transform_at(u, graph_slots[slots_[j]]), inverse_bind_[j], rest_[j], split_);
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
    const Mat38 by_dual = blend.by_dual(blend.stretched(before));
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) {
      const Mat& d = state.derivative[joint(e)];
      const Eigen::Matrix<double, 3, 17> by_joint =
          blend.by_joint(by_dual, from_pivot(before, e), weights_[e], sign(state, k, e));
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
    const Mat38 by_dual = blend.by_dual(blend.stretched(x));
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) {
      const Vec17 g_joint = blend.by_joint(by_dual, from_pivot(x, e), weights_[e], sign(state, k, e)).transpose() * g;
      Eigen::Map<Eigen::Matrix<double, 12, 1>>(g_slots + slot_offset(joint(e))) +=
          state.joints[joint(e)].by_world.transpose() * g_joint;
    }
    return (blend.rotation() * blend.stretch).transpose() * g;
  }

  std::unique_ptr<Deformer> restricted(std::span<const int> points, int new_first) const override {
    return std::make_unique<DualQuaternionSkin>(*this, select(points), new_first);
  }

 private:
  Vec3 from_pivot(const Vec3& x, int entry) const { return x - translation(rest_[joint(entry)]); }

  /// q and -q turn alike; blended are those on the side of the joint that weighs most, or of the sum so far.
  double sign(const State& state, int k, int entry) const {
    const auto real = [&](int e) -> Vec4 { return state.joints[joint(e)].dual.head<4>(); };
    if (split_ == Split::joint_axes) {
      Vec4 sum = Vec4::Zero();
      for (int e = entry_start_[k]; e < entry; ++e)
        sum += (real(e).dot(sum) < 0 ? -weights_[e] : weights_[e]) * real(e);
      return real(entry).dot(sum) < 0 ? -1 : 1;
    }
    int heaviest = entry_start_[k];
    for (int e = heaviest; e < entry_start_[k + 1]; ++e)
      if (weights_[e] > weights_[heaviest]) heaviest = e;
    return real(entry).dot(real(heaviest)) < 0 ? -1 : 1;
  }

  struct Blend {
    Blend(const DualQuaternionSkin& skin, const State& state, int k) {
      for (int e = skin.entry_start_[k]; e < skin.entry_start_[k + 1]; ++e) {
        const JointMotion& motion = state.joints[skin.joint(e)];
        dual += skin.weights_[e] * skin.sign(state, k, e) * motion.dual;
        stretch += skin.weights_[e] * motion.stretch;
        offset += skin.weights_[e] * motion.offset;
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
    Vec3 stretched(const Vec3& x) const { return stretch * x + offset; }
    Vec3 deform(const Vec3& x) const { return turn(stretched(x)); }

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

    /// d s / d (dual, stretch) of one joint of this weight and sign; x from its pivot.
    Eigen::Matrix<double, 3, 17> by_joint(const Mat38& by_dual, const Vec3& x, double weight, double sign) const {
      Eigen::Matrix<double, 3, 17> D;
      D.leftCols<8>() = weight * sign * by_dual;
      const Mat3 R = rotation();
      for (int c = 0; c < 3; ++c) D.middleCols<3>(8 + 3 * c) = weight * x[c] * R;  // stretch is stored by columns
      return D;
    }

    Vec8 dual = Vec8::Zero();
    Mat3 stretch = Mat3::Zero();
    Vec3 offset = Vec3::Zero();
    double length2 = 0;
  };

  Split split_;
  std::vector<Affine> rest_;  // of each joint
};

}  // namespace

std::unique_ptr<Deformer> make_dual_quaternion_skin(const SkinDescription& skin) {
  return std::make_unique<DualQuaternionSkin>(skin, Split::polar);
}

std::unique_ptr<Deformer> make_volume_skin(const SkinDescription& skin) {
  return std::make_unique<DualQuaternionSkin>(skin, Split::joint_axes);
}

}  // namespace rigspace
