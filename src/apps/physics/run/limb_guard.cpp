#include "limb_guard.h"

#include "flesh/flesh_region.h"
#include "rigspace/anim/character_frame.h"
#include "rigspace/base/parallel.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/signed_distance.h"
#include "rigspace/geometry/winding_number.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace rigspace {
namespace {

constexpr double kMostDepth = 0.0035;  // additional depth that is allowed, of the character's largest extent
constexpr double kSpacing = 1.0 / 60;  // s between measurements
constexpr double kSlope = 0.25;        // s over which the share changes before and after a contact
constexpr double kSoft = 0.01;         // points with more than this weight on soft joints are measured
constexpr int kHalvings = 12;          // of the bisection for the share: to 0.02 %

/// Measures one part's flesh against the rest of the character.
class LimbGuard {
 public:
  LimbGuard(const Character& character, const Part& part) : character_(character) {
    const RiggedSurface surface = rigged_surface(character);
    std::vector<char> own(character.bones.size(), 0), joints = own;
    for (const int bone : part.bones) own[bone] = 1;
    for (const int bone : part.flesh->joints) own[bone] = joints[bone] = 1;
    for (const Triangle& triangle : surface.mesh.triangles)
      if (std::all_of(triangle.begin(), triangle.end(),
                      [&](int i) { return weight_of(surface.weights[i], own) < kLimb; }))
        limbs_.push_back(triangle);
    for (int i = 0; i < surface.mesh.point_count(); ++i)
      if (weight_of(surface.weights[i], joints) > kSoft) soft_.push_back(i);
    most_depth_ = kMostDepth * character_frame(character, surface.mesh).extent();
  }

  bool has_limbs() const { return !limbs_.empty() && !soft_.empty(); }

  /// In one pose, the largest share of the deviation `d` of some controls at which no measured point is more than
  /// most_depth_ deeper in the limbs than in the keyed pose.
  double allowed(In p_key, std::span<const int> controls, In d) const {
    const auto workspace = character_.rig->make_workspace();
    Vec key, moved, p;
    character_.rig->evaluate(*workspace, p_key, key);
    const auto move = [&](double share) {
      p = p_key;
      for (std::size_t c = 0; c < controls.size(); ++c) p[controls[c]] += share * d[static_cast<Eigen::Index>(c)];
      character_.rig->evaluate(*workspace, p, moved);
    };
    const auto at = [](const Vec& points, int i) { return Vec3(points.segment<3>(3 * i)); };
    move(1);
    // A point cannot get deeper than it moves, so points that move less than most_depth_ are skipped. (The limb mesh is
    // open where it joins the body; there the winding number can cross a half without a surface in between.)
    const auto is_far = [&](int i) { return (at(moved, i) - at(key, i)).norm() > most_depth_; };
    std::vector<int> far;
    std::copy_if(soft_.begin(), soft_.end(), std::back_inserter(far), is_far);
    if (far.empty() || !key.allFinite() || !moved.allFinite()) return 1;
    const TriMesh limbs{.points = key, .triangles = limbs_};
    const WindingTree winding(limbs);
    const TriangleTree tree(limbs);
    const auto depth = [&](const Vec3& x) { return winding(x) > 0.5 ? tree.closest(x).distance : 0; };
    std::vector<double> depth_in_key(far.size(), -1);  // not yet measured
    const auto keeps_the_rule = [&] {
      for (std::size_t k = 0; k < far.size(); ++k) {
        if (!is_far(far[k])) continue;
        const double now = depth(at(moved, far[k]));
        if (now <= most_depth_) continue;
        if (depth_in_key[k] < 0) depth_in_key[k] = depth(at(key, far[k]));
        if (now - depth_in_key[k] > most_depth_) return false;
      }
      return true;
    };
    if (keeps_the_rule()) return 1;
    double low = 0, high = 1;
    for (int k = 0; k < kHalvings; ++k) {
      const double middle = 0.5 * (low + high);
      move(middle);
      (keeps_the_rule() ? low : high) = middle;
    }
    return low;
  }

 private:
  const Character& character_;
  std::vector<Triangle> limbs_;
  std::vector<int> soft_;  // points that soft joints move
  double most_depth_ = 0;  // scene units
};

}  // namespace

Vec shares_beside_limbs(const Character& character, const KeyedMotion& key, const Part& part,
                        const Deviations& deviations) {
  const Eigen::Index count = deviations.values.cols();
  Vec shares = Vec::Ones(count);
  const LimbGuard guard(character, part);
  if (count < 2 || !guard.has_limbs()) return shares;
  const double h = deviations.times[1] - deviations.times[0], whole = static_cast<double>(count - 1) * h;
  const Eigen::Index stride = std::max<Eigen::Index>(1, std::lround(kSpacing / h));
  const int samples = static_cast<int>((count - 1) / stride) + 1;
  std::vector<double> needed(static_cast<std::size_t>(samples), 1);
  parallel_ranges(samples, 1, [&](int begin, int end) {
    Vec p;
    for (int i = begin; i < end; ++i) {
      key.controls(deviations.times[static_cast<std::size_t>(i * stride)], p);
      needed[i] = guard.allowed(p, deviations.controls, deviations.values.col(i * stride));
    }
  });
  for (int i = 0; i < samples; ++i) {
    if (needed[i] == 1) continue;
    for (Eigen::Index k = 0; k < count; ++k) {
      double away = std::abs(static_cast<double>(k - i * stride)) * h;
      if (deviations.looped) away = std::min(away, whole - away);
      const double hold = 1.5 * static_cast<double>(stride) * h;
      shares[k] = std::min(shares[k], needed[i] + (1 - needed[i]) * smooth_step(hold, hold + kSlope, away));
    }
  }
  if (deviations.looped) shares[count - 1] = shares[0];
  return shares;
}

}  // namespace rigspace
