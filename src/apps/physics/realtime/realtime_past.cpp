// The animation as a body in real time has seen it: its last poses, in rings.

#include "realtime_body.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

double RealtimeBody::observe(In p_key, double spacing) {
  p_seen_ = p_key, spacing_seen_ = spacing;
  body_.rig->evaluate(*workspace_, p_seen_, s_seen_);
  const Vec& last = drive_[static_cast<std::size_t>(newest_)];
  double farthest = 0;
  for (int i = 0; i < body_.node_count(); ++i) {
    const Vec3 node = body_.ties.row(i, s_seen_);
    point(x_seen_, i) = node;
    farthest = std::max(farthest, (node - point(last, i)).squaredNorm());
  }
  return std::sqrt(farthest);
}

void RealtimeBody::pass() {
  const auto mean = [](const Vec& points) {
    Vec3 sum = Vec3::Zero();
    for (Eigen::Index i = 0; i < points.size(); i += 3) sum += points.segment<3>(i);
    return Vec3(sum / std::max<double>(1, static_cast<double>(points.size()) / 3));
  };
  const Vec3 nodes = mean(x_seen_), points = mean(s_seen_);
  absorb_snap(nodes);
  newest_ = (newest_ + 1) % past_poses();
  const auto at = static_cast<std::size_t>(newest_);
  controls_[at] = p_seen_, points_[at] = s_seen_, drive_[at] = x_seen_, spacing_[at] = spacing_seen_;
  newest_mean_ = (newest_mean_ + 1) % static_cast<int>(node_means_.size());
  node_means_[static_cast<std::size_t>(newest_mean_)] = nodes;
  point_means_[static_cast<std::size_t>(newest_mean_)] = points;
  if (fresh_ > 0) go_on_backward();
}

/// Moves the past along with a snap of the animation: what the mean moves beyond its last velocity. Of a root that goes
/// on at another velocity the first 1/20 s is absorbed, the rest is motion.
void RealtimeBody::absorb_snap(const Vec3& mean) {
  constexpr double kLongest = 0.05;  // s: a frame at 24 a second, and a grid step
  const Vec3 beyond = mean - 2 * past_mean(node_means_, 0) + past_mean(node_means_, 1);
  const bool snapped = snap_speed_ > 0 && fresh_ == 0 && beyond.norm() > snap_speed_ * h_;
  snapping_ = snapped ? snapping_ + 1 : 0;
  if (!snapped || snapping_ * h_ > kLongest) return;
  ++snaps_;
  for (Vec& nodes : drive_)
    for (Eigen::Index i = 0; i < nodes.size(); i += 3) nodes.segment<3>(i) += beyond;
  for (std::vector<Vec3>* means : {&node_means_, &point_means_})
    for (Vec3& each : *means) each += beyond;
}

/// Extrapolates the past linearly from the first two different poses, so that a character that appears in mid-walk is
/// not jolted. Games repeat the first pose for a frame or two, so equal poses are passed over for 0.05 s.
void RealtimeBody::go_on_backward() {
  --fresh_;
  const Vec &now = drive_[past(0)], &last = drive_[past(1)];
  if (now == last) return;
  fresh_ = 0;
  for (int k = 2; k < past_poses(); ++k) drive_[past(k)] = now + k * (last - now);
  const int count = static_cast<int>(node_means_.size());
  for (std::vector<Vec3>* means : {&node_means_, &point_means_}) {
    const Vec3 at_last = past_mean(*means, 1), at_now = past_mean(*means, 0);
    for (int k = 2; k < count; ++k)
      (*means)[static_cast<std::size_t>((newest_mean_ - k + count) % count)] = at_now + k * (at_last - at_now);
  }
}

/// The index in the rings of the pose `steps` grid steps before the newest.
std::size_t RealtimeBody::past(int steps) const {
  return static_cast<std::size_t>((newest_ - steps + past_poses()) % past_poses());
}

const Vec3& RealtimeBody::past_mean(const std::vector<Vec3>& means, int steps) const {
  const int count = static_cast<int>(means.size());
  return means[static_cast<std::size_t>((newest_mean_ - steps + count) % count)];
}

/// Takes the keyed pose of this body from the rings, `steps` before the newest.
void RealtimeBody::select(int steps) {
  p_key_ = controls_[past(steps)], s_key_ = points_[past(steps)];
  for (int i = 0; i < body_.node_count(); ++i) point(x_key_, i) = body_.ties.row(i, s_key_);
  for (std::size_t k = 0; k < body_.free.size(); ++k) free_key_[static_cast<Eigen::Index>(k)] = p_key_[body_.free[k]];
}

}  // namespace rigspace
