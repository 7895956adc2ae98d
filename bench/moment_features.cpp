#include "moment_features.h"

#include "rigspace/rig/follower.h"
#include "rigspace/rig/points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>

namespace rigspace::bench {
namespace {

constexpr int kTestedPoses = 4;  // random poses at which x = Phi y is tested, beside the rest pose
constexpr double kExact = 1e-9;  // largest error of x = Phi y in these, as a share of the size of the rig

/// What a joint of the skin transforms into a feature: the origin, the tip of a fixed axis, a column of a transform
/// slot, a point slot, or the weight of a shape times an axis.
struct Input {
  int slot = -1;   // of the control graph; -1: origin and axes
  int column = 0;  // of the slot; where slot is -1: 0 the origin, 1 + a the tip of axis a

  auto operator<=>(const Input&) const = default;
};

/// A joint of one of the rig's skins; -1: none, for points without a skin.
struct Joint {
  int deformer = -1, joint = -1;

  auto operator<=>(const Joint&) const = default;
};

using Affinity = std::map<Input, double>;  // factors c_f of x' = a + sum_f c_f v_f over inputs that are slots

/// A random pose: each control within its typical change of rest, and within its limits.
Vec somewhere(std::span<const Control> controls, std::mt19937& random) {
  std::uniform_real_distribution<double> unit(-1, 1);
  Vec p(static_cast<Eigen::Index>(controls.size()));
  for (std::size_t c = 0; c < controls.size(); ++c)
    p[static_cast<Eigen::Index>(c)] =
        std::clamp(controls[c].rest + controls[c].typical * unit(random), controls[c].min, controls[c].max);
  return p;
}

class FeatureMaker {
 public:
  FeatureMaker(const BuiltInRig& rig, const std::vector<char>& needed) : rig_(rig), needed_(needed) {}

  MomentFeatures make(int most);

 private:
  bool walk(int point, Affinity& before, Vec3& x, int& skin);
  bool add_slots(const Deformer& deformer, const DeformerState& state, int k, const Vec3& x, Affinity& sum);
  void add_row(int point, const Affinity& before, const Vec3& x, int skin);
  int feature(const Joint& joint, const Input& input);
  Affine bind_of(const Joint& joint) const;
  bool constant(int slot, int column, Vec3& value) const;
  std::shared_ptr<const Rig> make_rig() const;
  bool agrees(const Rig& features) const;
  /// The value of an input at pose k of poses_; 0 is the rest pose.
  Vec3 column_at(int pose, int slot, int column) const;

  const BuiltInRig& rig_;
  const std::vector<char>& needed_;
  std::string reason_;
  std::vector<Vec> poses_, slots_;                      // rest and the tested poses; the values of all slots there
  std::vector<std::unique_ptr<DeformerState>> states_;  // at rest
  std::map<std::pair<Joint, Input>, int> numbers_;
  std::vector<std::pair<Joint, Input>> features_;
  std::vector<std::vector<std::pair<int, double>>> rows_;
};

Vec3 FeatureMaker::column_at(int pose, int slot, int column) const {
  const Slot& at = rig_.graph().slots()[slot];
  const Vec& u = slots_[pose];
  if (at.size == kScalarSlot) return u[at.offset] * Vec3::Unit(column);
  return u.segment<3>(at.offset + 3 * column);
}

bool FeatureMaker::constant(int slot, int column, Vec3& value) const {
  value = column_at(0, slot, column);
  for (int k = 1; k <= kTestedPoses; ++k)
    if ((column_at(k, slot, column) - value).cwiseAbs().maxCoeff() > 1e-13 * (1 + value.norm())) return false;
  return true;
}

// Adds the derivatives dx'/du at rest, slot by slot: c (x) I_3 for transforms and points, an offset for a shape. False
// if a derivative has another form.
bool FeatureMaker::add_slots(const Deformer& deformer, const DeformerState& state, int k, const Vec3& x,
                             Affinity& sum) {
  const int total = deformer.slot_total();
  Mat B = Mat::Zero(total, 3);
  for (int c = 0; c < 3; ++c) deformer.pull(state, k, x, Vec3::Unit(c), B.col(c).data());
  std::vector<int> slots;
  for (int e = deformer.entry_start()[k]; e < deformer.entry_start()[k + 1]; ++e)
    slots.push_back(deformer.entry_slot()[e]);
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  for (const int number : slots) {
    const int slot = deformer.slots()[number], first = deformer.slot_offset(number);
    const int size = rig_.graph().slots()[slot].size;
    if (size == kScalarSlot) {
      for (int a = 0; a < 3; ++a)
        if (B(first, a) != 0) sum[{slot, a}] += B(first, a);
      continue;
    }
    if (size % 3 != 0) return false;
    for (int column = 0; column < size / 3; ++column) {
      const Mat3 block = B.block<3, 3>(first + 3 * column, 0);
      const double share = block.trace() / 3;
      if ((block - share * Mat3::Identity()).norm() > 1e-10 * (1e-6 + block.norm())) return false;
      if (share != 0) sum[{slot, column}] += share;
    }
  }
  return true;
}

/// Passes a point through all deformers before its skin. Sets its position x at rest behind them, its derivatives
/// `before` by their slots, and the number of the skin, -1 if none. False, with reason_, where the point is not linear.
bool FeatureMaker::walk(int point, Affinity& before, Vec3& x, int& skin) {
  x = rig_.points_rest().segment<3>(3 * static_cast<Eigen::Index>(point));
  skin = -1;
  for (int d = 0; d < static_cast<int>(rig_.deformers().size()); ++d) {
    const Deformer& deformer = *rig_.deformers()[d];
    const int k = point - deformer.first();
    if (k < 0 || k >= deformer.count()) continue;
    const bool follows = dynamic_cast<const Follower*>(&deformer) != nullptr;
    if (!follows && deformer.entry_start()[k] == deformer.entry_start()[k + 1] && !is_linear_skin(deformer)) continue;
    if (follows || skin >= 0) {
      reason_ = follows ? "has points that follow others" : "moves points after their skin";
      return false;
    }
    if (is_linear_skin(deformer)) {
      skin = d;
      continue;
    }
    if (!add_slots(deformer, *states_[d], k, x, before)) {
      reason_ = "has a deformer (number " + std::to_string(d) + ") that is not linear in what moves it";
      return false;
    }
    deformer.deform(*states_[d], k, k + 1, x.data());
  }
  return true;
}

int FeatureMaker::feature(const Joint& joint, const Input& input) {
  const auto [place, added] = numbers_.try_emplace({joint, input}, static_cast<int>(features_.size()));
  if (added) features_.emplace_back(joint, input);
  return place->second;
}

// x' = x_rest + sum_f c_f (v_f - v_f at rest). The constant part is a sum of origin and axis tips; inputs that have the
// same value in all tested poses belong to it.
void FeatureMaker::add_row(int point, const Affinity& before, const Vec3& x, int skin) {
  Vec3 fixed = x;
  Affinity moving;
  double moving_sum = 0;
  for (const auto& [input, share] : before) {
    Vec3 value;
    if (constant(input.slot, input.column, value)) continue;
    fixed -= share * value;
    moving[input] = share, moving_sum += share;
  }
  const auto add = [&](const Joint& joint, double weight) {
    auto& row = rows_[point];
    const double left = 1 - fixed.sum() - moving_sum;  // of the origin: C_j is affine, so all shares must sum to 1
    row.emplace_back(feature(joint, {-1, 0}), weight * left);
    for (int a = 0; a < 3; ++a) row.emplace_back(feature(joint, {-1, 1 + a}), weight * fixed[a]);
    for (const auto& [input, share] : moving) row.emplace_back(feature(joint, input), weight * share);
  };
  if (skin < 0) return add({}, 1);
  const Deformer& deformer = *rig_.deformers()[skin];
  const int k = point - deformer.first();
  Vec g = Vec::Zero(deformer.slot_total());
  deformer.pull(*states_[skin], k, x, Vec3::UnitX(), g.data());
  std::vector<int> joints;
  for (int e = deformer.entry_start()[k]; e < deformer.entry_start()[k + 1]; ++e)
    joints.push_back(deformer.entry_slot()[e]);
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  for (const int j : joints)  // the derivative of the point by the joint's translation is its skin weight
    if (const double weight = g[deformer.slot_offset(j) + 9]; weight != 0) add({skin, j}, weight);
}

// G_j, the inverse bind transform, recovered from a point that the joint moves: the derivative of w T_j G_j x by T_j is
// w G_j x.
Affine FeatureMaker::bind_of(const Joint& joint) const {
  const Deformer& deformer = *rig_.deformers()[joint.deformer];
  int best = -1;
  double most = 0;
  for (int k = 0; k < deformer.count(); ++k) {
    Vec g = Vec::Zero(deformer.slot_total());
    const auto begin = deformer.entry_slot().begin() + deformer.entry_start()[k];
    const auto end = deformer.entry_slot().begin() + deformer.entry_start()[k + 1];
    if (std::find(begin, end, joint.joint) == end) continue;
    deformer.pull(*states_[joint.deformer], k, Vec3::Zero(), Vec3::UnitX(), g.data());
    const double weight = std::abs(g[deformer.slot_offset(joint.joint) + 9]);
    if (weight > most) most = weight, best = k;
    if (most >= 0.5) break;
  }
  const auto image = [&](const Vec3& x) -> Vec3 {
    Vec g = Vec::Zero(deformer.slot_total());
    deformer.pull(*states_[joint.deformer], best, x, Vec3::UnitX(), g.data());
    const double* at = g.data() + deformer.slot_offset(joint.joint);
    return Vec3(at[0], at[3], at[6]) / at[9];
  };
  Affine G;
  translation(G) = image(Vec3::Zero());
  for (int a = 0; a < 3; ++a) G.col(a) = image(Vec3::Unit(a)) - translation(G);
  return G;
}

/// A deformer that moves point f, which is in the origin at rest, to the value of an input.
std::shared_ptr<const Deformer> input_deformer(ControlGraph& graph, const Input& input, int f,
                                               std::map<int, int>& transform_of_point) {
  const int size = graph.slots()[input.slot].size;
  if (size == kScalarSlot) {
    const MorphTarget target{input.slot, {0}, {Vec3::Unit(input.column)}};
    return make_blend_shapes(f, 1, {&target, 1});
  }
  if (size == kPointSlot) {
    const auto [slot, added] = transform_of_point.try_emplace(input.slot, -1);
    if (added) slot->second = add_transform_of_point(graph, input.slot);
    return make_rigid(f, 1, slot->second);
  }
  if (input.column == 3) return make_rigid(f, 1, input.slot);
  // A column of the linear part: the image of the tip of the axis minus the image of the origin.
  Affine axis = Affine::Zero();
  translation(axis) = Vec3::Unit(input.column);
  return make_linear_blend_skin({.first_point = f,
                                 .joint_slots = {input.slot, input.slot},
                                 .inverse_bind = {axis, Affine::Zero()},
                                 .influences = {{{0, 1.0}, {1, -1.0}}}});
}

std::shared_ptr<const Rig> FeatureMaker::make_rig() const {
  auto graph = std::make_shared<ControlGraph>(rig_.graph());
  const int count = static_cast<int>(features_.size());
  Vec rest = Vec::Zero(3 * static_cast<Eigen::Index>(count));
  std::vector<std::shared_ptr<const Deformer>> deformers;
  std::map<int, int> transform_of_point;
  for (int f = 0; f < count; ++f) {
    const Input& input = features_[f].second;
    if (input.slot >= 0)
      deformers.push_back(input_deformer(*graph, input, f, transform_of_point));
    else if (input.column > 0)
      rest[3 * static_cast<Eigen::Index>(f) + input.column - 1] = 1;
  }
  std::map<Joint, Affine> binds;
  for (int f = 0; f < count; ++f) {
    const Joint& joint = features_[f].first;
    if (joint.deformer < 0) continue;
    const auto [bind, added] = binds.try_emplace(joint);
    if (added) bind->second = bind_of(joint);
    deformers.push_back(make_linear_blend_skin({.first_point = f,
                                                .joint_slots = {rig_.deformers()[joint.deformer]->slots()[joint.joint]},
                                                .inverse_bind = {bind->second},
                                                .influences = {{{0, 1.0}}}}));
  }
  return std::make_shared<BuiltInRig>(graph, rest, std::move(deformers));
}

bool FeatureMaker::agrees(const Rig& features) const {
  const auto workspace = rig_.make_workspace(), own = features.make_workspace();
  const double size = 1e-9 + rig_.points_rest().cwiseAbs().maxCoeff();
  for (const Vec& p : poses_) {
    Vec s, y;
    rig_.evaluate(*workspace, p, s);
    features.evaluate(*own, p, y);
    for (int i = 0; i < rig_.point_count(); ++i) {
      if (!needed_[i]) continue;
      Vec3 sum = Vec3::Zero();
      for (const auto& [f, share] : rows_[i]) sum += share * y.segment<3>(3 * static_cast<Eigen::Index>(f));
      if (!((sum - s.segment<3>(3 * static_cast<Eigen::Index>(i))).norm() <= kExact * size)) return false;
    }
  }
  return true;
}

MomentFeatures FeatureMaker::make(int most) {
  std::mt19937 random(1);
  const auto workspace = rig_.make_workspace();
  for (int k = 0; k <= kTestedPoses; ++k) {
    poses_.push_back(k == 0 ? rig_.rest() : somewhere(rig_.controls(), random));
    rig_.evaluate_slots(*workspace, poses_.back(), slots_.emplace_back());
  }
  for (const auto& deformer : rig_.deformers()) {
    states_.push_back(deformer->make_state());
    if (dynamic_cast<const Follower*>(deformer.get()) == nullptr)
      deformer->prepare(slots_.front(), rig_.graph().slots(), *states_.back());
  }
  rows_.resize(rig_.point_count());
  for (int i = 0; i < rig_.point_count(); ++i) {
    if (!needed_[i]) continue;
    Affinity before;
    Vec3 x;
    int skin = -1;
    if (!walk(i, before, x, skin)) return {.reason = reason_};
    add_row(i, before, x, skin);
    if (static_cast<int>(features_.size()) > most)
      return {.reason = "needs more than " + std::to_string(most) + " features"};
  }
  MomentFeatures result{.rig = make_rig()};
  if (!agrees(*result.rig)) return {.reason = "moves points by products that features do not have"};
  result.rows = std::move(rows_);
  return result;
}

}  // namespace

MomentFeatures moment_features(const BuiltInRig& rig, const std::vector<char>& needed, int most) {
  return FeatureMaker(rig, needed).make(most);
}

}  // namespace rigspace::bench
