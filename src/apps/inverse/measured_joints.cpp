#include "measured_joints.h"

#include <Eigen/LU>

#include <algorithm>
#include <set>

namespace rigspace {
namespace {

class CarriedPoints final : public Rig {
 public:
  CarriedPoints(const std::shared_ptr<const Rig>& whole, std::vector<CarriedPoint> points)
      : whole_(whole), points_(std::move(points)) {
    std::set<int> needed;
    for (const CarriedPoint& each : points_)
      for (int k = 0; k < (each.share.isZero() ? 1 : 4); ++k) needed.insert(each.first + k);
    const std::vector<int> list(needed.begin(), needed.end());
    rig_ = whole_->restricted(list);
    for (CarriedPoint& each : points_)
      each.first = static_cast<int>(std::ranges::lower_bound(list, each.first) - list.begin());
  }

  std::span<const Control> controls() const override { return rig_->controls(); }
  int point_count() const override { return static_cast<int>(points_.size()); }
  Traits traits() const override {
    Traits traits = rig_->traits();
    traits.exact_jacobian = false;
    return traits;
  }
  std::unique_ptr<Workspace> make_workspace() const override { return rig_->make_workspace(); }
  void evaluate(Workspace& workspace, In p, Vec& x) const override {
    Vec s;
    rig_->evaluate(workspace, p, s);
    x.resize(3 * point_count());
    carry(s, x);
  }
  void evaluate_batch(Workspace& workspace, const Mat& P, Mat& X) const override {
    Mat S;
    rig_->evaluate_batch(workspace, P, S);
    X.resize(3 * point_count(), P.cols());
    for (Eigen::Index k = 0; k < P.cols(); ++k) carry(S.col(k), X.col(k));
  }

 private:
  void carry(In s, Eigen::Ref<Vec> x) const {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const auto& [first, share] = points_[i];
      Vec3 at = point(s, first);
      if (!share.isZero())
        for (int k = 0; k < 3; ++k) at += share[k] * (point(s, first + 1 + k) - point(s, first));
      x.segment<3>(3 * static_cast<Eigen::Index>(i)) = at;
    }
  }

  std::shared_ptr<const Rig> whole_;
  std::unique_ptr<Rig> rig_;
  std::vector<CarriedPoint> points_;
};

}  // namespace

CarriedPoint carried_point(int first, In s, const Vec3& offset) {
  if (offset.isZero()) return {first};
  Mat3 axes;
  for (int k = 0; k < 3; ++k) axes.col(k) = point(s, first + 1 + k) - point(s, first);
  return {first, axes.partialPivLu().solve(offset)};
}

std::unique_ptr<Rig> carried_points(const std::shared_ptr<const Rig>& whole, std::vector<CarriedPoint> points) {
  return std::make_unique<CarriedPoints>(whole, std::move(points));
}

}  // namespace rigspace
