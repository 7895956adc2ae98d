#include "rigspace/apps/inverse/root_motion.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/body/joint_points.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>
#include <utility>

namespace rigspace {
namespace {

constexpr double kExact = 1e-6, kMeasured = 2e-3;  // shares of the size; the latter of rigs known by points alone

/// T with J T = [I; I; ..], of those columns of J that are lengths; zero where there is none.
Mat translations(const Mat& J, const std::vector<int>& lengths) {
  Mat chosen(J.rows(), static_cast<Eigen::Index>(lengths.size()));
  for (std::size_t k = 0; k < lengths.size(); ++k) chosen.col(static_cast<Eigen::Index>(k)) = J.col(lengths[k]);
  const Mat all = Mat3::Identity().replicate(J.rows() / 3, 1);
  Mat gram = chosen.transpose() * chosen;
  gram.diagonal().array() += 1e-12 * gram.trace();
  const Mat found = solve_ldlt(gram, chosen.transpose() * all);
  Mat T = Mat::Zero(J.cols(), 3);
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    if (found.row(row).cwiseAbs().maxCoeff() > 1e-6 * found.cwiseAbs().maxCoeff()) T.row(lengths[k]) = found.row(row);
  }
  return T;
}

/// The same, by the first bone that moves all features alone; empty if none does.
Mat bone_translation(const Character& character, const Mat& J, const PoseCoordinates& coordinates) {
  for (const Bone& bone : character.bones) {
    std::vector<int> places;
    for (const char* axis : {".tx", ".ty", ".tz"}) {
      const auto at = std::ranges::find(coordinates.chosen(), character.rig->find(bone.name + axis));
      if (at != coordinates.chosen().end()) places.push_back(static_cast<int>(at - coordinates.chosen().begin()));
    }
    if (places.size() != 3) continue;
    Mat T = translations(J, places);
    const Mat all = Mat3::Identity().replicate(J.rows() / 3, 1);
    if ((J * T - all).norm() < kExact * all.norm()) return T;
  }
  return {};
}

/// The places in y of `node`'s controls of this kind, -1 where they are not used.
std::array<int, 3> places_of(const Character& character, const PoseCoordinates& coordinates, const std::string& node,
                             const std::string& kind) {
  std::array<int, 3> places{};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto at = std::ranges::find(coordinates.chosen(), character.rig->find(node + kind + "xyz"[k]));
    places[k] = at == coordinates.chosen().end() ? -1 : static_cast<int>(at - coordinates.chosen().begin());
  }
  return places;
}

/// The first node that moves all features by `way` as they are, measured by that long a step; T is set. "" if none.
std::string node_that_moves_all(const Character& character, const FeatureRig& features,
                                const PoseCoordinates& coordinates, double way, Mat& T) {
  Vec x, x_moved;
  features.evaluate(coordinates.pose(Vec::Zero(coordinates.size())), x);
  std::string before;
  for (const int control : coordinates.chosen()) {
    const std::string& node = character.rig->controls()[control].node;
    if (node == std::exchange(before, node)) continue;
    const std::array<int, 3> places = places_of(character, coordinates, node, ".t");
    if (std::ranges::count(places, -1) > 0) continue;
    Mat3 D;  // how far all go for each of the three
    bool together = true;
    for (int k = 0; k < 3 && together; ++k) {
      const int place = places[static_cast<std::size_t>(k)];
      const double step = way / coordinates.typical()[place];
      features.evaluate(coordinates.pose(step * Vec::Unit(coordinates.size(), place)), x_moved);
      const Mat moved = (x_moved - x).reshaped(3, features.count()) / step;
      D.col(k) = moved.rowwise().mean();
      together = (moved.colwise() - Vec3(D.col(k))).norm() < kMeasured * D.col(k).norm();
    }
    if (!together || std::abs(D.determinant()) < 1e-9 * std::pow(D.norm(), 3)) continue;
    T = Mat::Zero(coordinates.size(), 3);
    const Mat3 inverse = D.inverse();
    for (int k = 0; k < 3; ++k) T.row(places[static_cast<std::size_t>(k)]) = inverse.row(k);
    return node;
  }
  return {};
}

/// Axes and centre of three turns whose derivatives are these columns, radians:  dx_i = a_k x (x_i - c). Least squares.
std::pair<Mat3, Vec3> axes_and_centre(const Mat& columns, In x) {
  Mat A(x.size(), 6), about(9, 3);
  const auto cross = [](const Vec3& v) { return Mat3{{0, -v.z(), v.y()}, {v.z(), 0, -v.x()}, {-v.y(), v.x(), 0}}; };
  for (int i = 0; i < x.size() / 3; ++i)
    A.block<3, 3>(3 * i, 0) = -cross(point(x, i)), A.block<3, 3>(3 * i, 3) = Mat3::Identity();
  const Mat found = solve_ldlt(A.transpose() * A, A.transpose() * columns);  // a_k, then -a_k x c
  for (int k = 0; k < 3; ++k) about.block<3, 3>(3 * k, 0) = -cross(found.block<3, 1>(0, k));
  const Vec b = found.bottomRows<3>().reshaped();
  return {nearest_rotation(found.topRows<3>()), solve_ldlt(about.transpose() * about, about.transpose() * b)};
}

}  // namespace

Mat3 heading_rotation(double heading) { return Eigen::AngleAxisd(heading, Vec3::UnitY()).toRotationMatrix(); }

RootMotion::RootMotion(const Character& character, const FeatureRig& features, const PoseCoordinates& coordinates)
    : T_(Mat::Zero(coordinates.size(), 3)), typical_(coordinates.typical()) {
  const Vec rest = character.rig->rest();
  const Mat J = features.jacobian(rest, coordinates.chosen()) * typical_.asDiagonal();
  std::vector<int> lengths;
  for (int k = 0; k < coordinates.size(); ++k)
    if (character.rig->controls()[coordinates.chosen()[static_cast<std::size_t>(k)]].unit == Unit::length)
      lengths.push_back(k);
  if (lengths.empty()) return;
  Vec x;
  features.evaluate(rest, x);
  const double size =
      std::max(1e-12, (x.reshaped(3, x.size() / 3).colwise() - point(x, 0)).colwise().norm().maxCoeff());
  if (features.rig().traits().noise > 0) {
    measure(character, features, coordinates, J, size);
    return;
  }
  T_ = bone_translation(character, J, coordinates);
  if (T_.size() == 0 || !law_holds(features, coordinates, size)) T_ = translations(J, lengths);
  moves_ = law_holds(features, coordinates, size);
  if (!moves_) T_.setZero();
  // The root is the first bone whose own translation moves all; its rotation vector turns all, about where it is.
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr || !moves_) return;
  Vec slots;
  rig->evaluate_slots(*rig->make_workspace(), rest, slots);
  const auto place_of = [&](int control) {
    const auto at = std::ranges::find(coordinates.chosen(), control);
    return at == coordinates.chosen().end() ? -1 : static_cast<int>(at - coordinates.chosen().begin());
  };
  for (const Bone& bone : character.bones) {
    if (bone.slot < 0 || first_control(rig->graph(), bone.slot) < 0) continue;
    const auto moved = translation_controls(rig->graph(), bone.slot),
               turned = rotation_controls(rig->graph(), bone.slot);
    Mat3 own = Mat3::Zero();
    for (int k = 0; k < 3; ++k)
      if (const int place = place_of(moved[k]); place >= 0) own.row(k) = T_.row(place);
    if (std::abs(own.squaredNorm() - T_.squaredNorm()) > 1e-9 * T_.squaredNorm()) continue;
    const Affine world = slot_transform(*rig, slots, bone.slot);
    axes_ = nearest_rotation(linear(world));
    root_ = translation(world);
    std::array<int, 3> its_places{}, its_turns{};
    for (int k = 0; k < 3; ++k)
      its_places[static_cast<std::size_t>(k)] = place_of(moved[k]),
      its_turns[static_cast<std::size_t>(k)] = place_of(turned[k]);
    set_root(its_places, its_turns);
    if (std::ranges::count(turn_, -1) == 0 && law_holds(features, coordinates, size)) return;
    turn_ = {-1, -1, -1};
  }
}

void RootMotion::measure(const Character& character, const FeatureRig& features, const PoseCoordinates& coordinates,
                         const Mat& J, double size) {
  exact_ = kMeasured;
  const std::string node = node_that_moves_all(character, features, coordinates, size, T_);
  moves_ = !node.empty() && law_holds(features, coordinates, size);
  if (!moves_) {
    T_.setZero();
    return;
  }
  const std::array<int, 3> turned = places_of(character, coordinates, node, ".r");
  if (std::ranges::count(turned, -1) > 0) return;
  Vec x;
  features.evaluate(character.rig->rest(), x);
  Mat columns(J.rows(), 3);
  for (int k = 0; k < 3; ++k) {
    const int place = turned[static_cast<std::size_t>(k)];
    columns.col(k) = J.col(place) / typical_[place];
  }
  std::tie(axes_, root_) = axes_and_centre(columns, x);
  set_root(places_of(character, coordinates, node, ".t"), turned);
  if (!law_holds(features, coordinates, size)) turn_ = {-1, -1, -1};
}

void RootMotion::set_root(const std::array<int, 3>& moved, const std::array<int, 3>& turned) {
  Mat3 own = Mat3::Zero();
  for (int k = 0; k < 3; ++k)
    if (const int place = moved[static_cast<std::size_t>(k)]; place >= 0) own.row(k) = T_.row(place);
  const Mat3 inverse = own.inverse();
  M_ = Mat::Zero(3, T_.rows());
  for (int k = 0; k < 3; ++k)
    if (const int place = moved[static_cast<std::size_t>(k)]; place >= 0) M_.col(place) = inverse.col(k);
  turn_ = turned;
}

bool RootMotion::law_holds(const FeatureRig& features, const PoseCoordinates& coordinates, double size) const {
  std::mt19937 random(1);
  const auto number = [&] { return 2 * (random() / 4294967295.0) - 1; };
  for (int pose = 0; pose < 3; ++pose) {
    Vec y(coordinates.size()), x, x_moved;
    for (double& each : y) each = 0.3 * number();
    y = y.cwiseMax(coordinates.lower()).cwiseMin(coordinates.upper());
    features.evaluate(coordinates.pose(y), x);
    const Placement from{.origin = point(x, 0)};
    const Placement to{.origin = size * Vec3(number(), number(), number()), .heading = turns() ? 2 * number() : 0};
    Vec y_moved;
    // moves_ is not known yet when translations alone are checked.
    y_moved = turns() ? moved(y, from, to) : Vec(y + T_ * (to.origin - from.origin));
    features.evaluate(coordinates.pose(y_moved), x_moved);
    const Mat3 R = heading_rotation(to.heading);
    for (int k = 0; k < features.count(); ++k)
      if ((R * (point(x, k) - from.origin) + to.origin - point(x_moved, k)).norm() > exact_ * size) return false;
  }
  return true;
}

Vec RootMotion::moved(In y, const Placement& from, const Placement& to) const {
  Vec result = y;
  if (!moves_) return result;
  if (!turns()) return result += T_ * (to.origin - from.origin), result;
  // exp(r') = B^T R B exp(r) turns about the root itself, at x_r; what is left is a translation.
  const Mat3 R = heading_rotation(to.heading - from.heading);
  Vec3 r;
  for (int k = 0; k < 3; ++k)
    r[k] = y[turn_[static_cast<std::size_t>(k)]] * typical_[turn_[static_cast<std::size_t>(k)]];
  const Vec3 turned = rotation_log(axes_.transpose() * R * axes_ * rotation_exp(r));
  for (int k = 0; k < 3; ++k)
    result[turn_[static_cast<std::size_t>(k)]] = turned[k] / typical_[turn_[static_cast<std::size_t>(k)]];
  const Vec3 root = root_ + M_ * y;
  result += T_ * (R * (root - from.origin) + to.origin - root);
  return result;
}

}  // namespace rigspace
