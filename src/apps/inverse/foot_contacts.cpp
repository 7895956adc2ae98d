#include "foot_contacts.h"

#include "rigspace/base/decompositions.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

using enum BodyRole;

constexpr std::array<char, 2> kSides{'l', 'r'};
constexpr double kSlow = 0.4;       // leg lengths a second
constexpr double kLow = 0.12;       // leg lengths
constexpr double kShortest = 0.05;  // seconds
constexpr double kFade = 0.12;      // seconds
constexpr double kStretch = 0.999;  // of a leg

double smooth(double u) { return u <= 0 ? 0 : u >= 1 ? 1 : u * u * (3 - 2 * u); }

/// Runs of true, as [first, last].
std::vector<std::pair<std::size_t, std::size_t>> runs(const std::vector<bool>& on) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t k = 0; k < on.size(); ++k) {
    if (!on[k]) continue;
    const std::size_t first = k;
    while (k + 1 < on.size() && on[k + 1]) ++k;
    found.emplace_back(first, k);
  }
  return found;
}

/// Turns thigh and shin so that the ankle is at `ankle`.
void reach(const BodyCarrier& carrier, const BodyJoints& body, char side, Vec3 ankle, CarriedPose& pose) {
  const auto hip = static_cast<std::size_t>(body.find(thigh, side)->bone),
             knee = static_cast<std::size_t>(body.find(shin, side)->bone),
             foot_bone = static_cast<std::size_t>(body.find(foot, side)->bone);
  const Vec3 h = pose.at[hip], k = pose.at[knee], a = pose.at[foot_bone];
  const double first = (k - h).norm(), second = (a - k).norm();
  const double longest = kStretch * (first + second), shortest = 1.001 * std::abs(first - second);
  Vec3 along = ankle - h;
  const double distance = std::clamp(along.norm(), shortest, longest);
  along.normalize();
  // The knee stays on its side of the line from hip to ankle.
  const Vec3 old = (a - h).normalized();
  Vec3 bend = (k - h) - old * old.dot(k - h);
  if (bend.norm() < 1e-6 * first) bend = pose.turn[hip] * body.left.cross(Vec3::UnitY());
  bend = (bend - along * along.dot(bend)).normalized();
  const double cosine =
      std::clamp((first * first + distance * distance - second * second) / (2 * first * distance), -1.0, 1.0);
  const Vec3 knee_at = h + first * (cosine * along + std::sqrt(1 - cosine * cosine) * bend);
  const Vec3 ankle_at = h + distance * along;
  pose.turn[hip] = turn_between(k - h, knee_at - h).toRotationMatrix() * pose.turn[hip];
  pose.turn[knee] = turn_between(a - k, ankle_at - knee_at).toRotationMatrix() * pose.turn[knee];
  carrier.place(pose);
}

}  // namespace

int FootContacts::count() const {
  return static_cast<int>(std::ranges::count(stands[0], true) + std::ranges::count(stands[1], true));
}

int standing_joint(const BodyJoints& body, char side) {
  const BodyJoint* tip = body.find(toe, side);
  return (tip != nullptr ? tip : body.find(foot, side))->bone;
}

FootContacts find_contacts(const BodyCarrier& carrier, const BodyJoints& body, std::span<const double> times,
                           std::span<const std::vector<Affine>> source) {
  const std::size_t frames = times.size();
  FootContacts contacts;
  const double leg = carrier.source_leg();
  std::array<std::vector<Vec3>, 2> at;
  std::vector<double> lowest(frames, INFINITY);
  for (const std::size_t side : {0, 1}) {
    const auto bone = static_cast<std::size_t>(standing_joint(body, kSides[side]));
    const Vec3 reference = translation(carrier.source_reference()[bone]);
    for (std::size_t k = 0; k < frames; ++k) {
      at[side].push_back(translation(source[k][bone]) - Vec3(0, reference.y(), 0));
      lowest[k] = std::min(lowest[k], at[side].back().y());
    }
  }
  const auto find = [&] {
    for (const std::size_t side : {0, 1}) {
      auto& stands = contacts.stands[side];
      stands.assign(frames, false);
      for (std::size_t k = 0; k < frames; ++k) {
        std::size_t before = k, after = k;  // 0.02 s on both sides: captured motion is noisy
        while (before > 0 && times[k] - times[before] < 0.02) --before;
        while (after + 1 < frames && times[after] - times[k] < 0.02) ++after;
        const double span = times[after] - times[before];
        const double speed = span > 0 ? (at[side][after] - at[side][before]).norm() / span : 0;
        stands[k] = speed < kSlow * leg && at[side][k].y() - contacts.floor < kLow * leg;
      }
      for (const auto& [first, last] : runs(stands))
        if (times[last] - times[first] < kShortest)
          for (std::size_t k = first; k <= last; ++k) stands[k] = false;
    }
  };
  std::vector<double> sorted = lowest;
  std::ranges::sort(sorted);
  const double low = sorted[sorted.size() / 50];
  if (std::abs(low) > 0.1 * leg) {
    contacts.floor = low;
    find();
    // Toes that push off are lower than those that stand.
    std::vector<double> standing;
    for (const std::size_t side : {0, 1})
      for (std::size_t k = 0; k < frames; ++k)
        if (contacts.stands[side][k]) standing.push_back(at[side][k].y());
    std::ranges::sort(standing);
    if (!standing.empty()) contacts.floor = standing[standing.size() / 2];
  }
  find();
  return contacts;
}

namespace {

/// Where ankles have to be so that feet stay where they stand; not finite where they are free.
std::vector<Vec3> ankle_targets(const BodyCarrier& carrier, const BodyJoints& body, char side,
                                std::span<const double> times, const std::vector<bool>& stands,
                                const std::vector<CarriedPose>& poses) {
  const int tip = standing_joint(body, side);
  const auto bone = static_cast<std::size_t>(tip), ankle = static_cast<std::size_t>(body.find(foot, side)->bone);
  // Corrections of runs, held before and after, weighed by how near they are.
  std::vector<Vec3> sum(times.size(), Vec3::Zero());
  std::vector<double> weight(times.size(), 0);
  for (const auto& [first, last] : runs(stands)) {
    Vec3 anchor = Vec3::Zero();
    for (std::size_t k = first; k <= last; ++k) anchor += poses[k].at[bone] / double(last - first + 1);
    anchor.y() = carrier.own_reference(tip).y();
    for (std::size_t k = 0; k < times.size(); ++k) {
      const double off = k < first ? times[first] - times[k] : k > last ? times[k] - times[last] : 0;
      const double share = smooth(1 - off / kFade);
      if (share <= 0) continue;
      sum[k] += share * share * (anchor - poses[std::clamp(k, first, last)].at[bone]), weight[k] += share;
    }
  }
  std::vector<Vec3> targets;
  for (std::size_t k = 0; k < times.size(); ++k)
    targets.push_back(weight[k] > 0 ? Vec3(poses[k].at[ankle] + sum[k] / weight[k]) : Vec3(Vec3::Constant(NAN)));
  return targets;
}

/// How far hips have to sink for a leg to reach: the least d >= 0 with |hip - d up - ankle| <= length.
double sinking(const Vec3& hip, const Vec3& ankle, double length) {
  const double across = std::hypot(hip.x() - ankle.x(), hip.z() - ankle.z()), up = hip.y() - ankle.y();
  if (across * across + up * up <= length * length) return 0;
  return across < length ? std::max(0.0, up - std::sqrt(length * length - across * across)) : 0;
}

/// The largest within a window, then the mean: smooth, and nowhere less than it was.
std::vector<double> widened(std::span<const double> times, const std::vector<double>& values, double window) {
  const auto over = [&](const std::vector<double>& from, bool mean) {
    std::vector<double> to(from.size());
    for (std::size_t k = 0; k < from.size(); ++k) {
      double most = 0, sum = 0, count = 0;
      for (std::size_t j = 0; j < from.size(); ++j)
        if (std::abs(times[j] - times[k]) <= window) most = std::max(most, from[j]), sum += from[j], ++count;
      to[k] = mean ? sum / count : most;
    }
    return to;
  };
  return over(over(values, false), true);
}

}  // namespace

void plant_feet(const BodyCarrier& carrier, const BodyJoints& body, std::span<const double> times,
                const FootContacts& contacts, std::vector<CarriedPose>& poses) {
  std::array<std::vector<Vec3>, 2> ankles;
  std::vector<double> sink(times.size(), 0);
  for (const std::size_t side : {0, 1}) {
    ankles[side] = ankle_targets(carrier, body, kSides[side], times, contacts.stands[side], poses);
    const auto hip = static_cast<std::size_t>(body.find(thigh, kSides[side])->bone),
               knee = static_cast<std::size_t>(body.find(shin, kSides[side])->bone),
               ankle = static_cast<std::size_t>(body.find(foot, kSides[side])->bone);
    for (std::size_t k = 0; k < times.size(); ++k) {
      const auto& at = poses[k].at;
      const double length = kStretch * ((at[knee] - at[hip]).norm() + (at[ankle] - at[knee]).norm());
      if (ankles[side][k].allFinite()) sink[k] = std::max(sink[k], sinking(at[hip], ankles[side][k], length));
    }
  }
  sink = widened(times, sink, kFade);
  const auto hips_bone = static_cast<std::size_t>(body.find(hips)->bone);
  for (std::size_t k = 0; k < times.size(); ++k) {
    poses[k].at[hips_bone].y() -= sink[k];
    carrier.place(poses[k]);
    for (const std::size_t side : {0, 1})
      if (ankles[side][k].allFinite()) reach(carrier, body, kSides[side], ankles[side][k], poses[k]);
  }
}

double sliding(const FootContacts& contacts, std::span<const double> times, const Mat& toes, double leg) {
  double way = 0, span = 0;
  for (const std::size_t side : {0, 1})
    for (std::size_t k = 0; k + 1 < times.size(); ++k) {
      if (!contacts.stands[side][k] || !contacts.stands[side][k + 1]) continue;
      const Vec3 step = toes.block<3, 1>(3 * static_cast<Eigen::Index>(side), static_cast<Eigen::Index>(k + 1)) -
                        toes.block<3, 1>(3 * static_cast<Eigen::Index>(side), static_cast<Eigen::Index>(k));
      way += std::hypot(step.x(), step.z()), span += times[k + 1] - times[k];
    }
  return span > 0 ? way / span / leg : 0;
}

}  // namespace rigspace
