#include "rest_pose_cache.h"

#include "rigspace/base/bytes.h"
#include "rigspace/base/cache.h"
#include "rigspace/base/progress.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace rigspace {
namespace {

constexpr int kAside = 2;                                   // poses beside rest that tell a rig
constexpr double kFar = 0.2;                                // typical changes
constexpr std::size_t kMostNumbers = std::size_t{4} << 20;  // 32 MiB
constexpr const char* kRestKind = "rest";

/// The same numbers on every machine, in [-1, 1].
double next_number(std::mt19937& random) { return 2.0 * random() / static_cast<double>(std::mt19937::max()) - 1; }

}  // namespace

RestPoseCache::RestPoseCache(std::span<const Control> controls)
    : rest_(std::ssize(controls)), low_(rest_.size()), high_(rest_.size()), typical_(rest_.size()) {
  ByteWriter names;
  for (std::size_t c = 0; c < controls.size(); ++c) {
    const auto k = static_cast<Eigen::Index>(c);
    rest_[k] = controls[c].rest, low_[k] = controls[c].min, high_[k] = controls[c].max,
    typical_[k] = controls[c].typical;
    names.raw(std::as_bytes(std::span(controls[c].name.c_str(), controls[c].name.size() + 1)));
  }
  names_ = names.bytes();
}

RestPoseCache::~RestPoseCache() {
  if (!keeps_ || !changed_) return;
  try {
    ByteWriter out;
    out.number(static_cast<double>(known_.size()));
    for (const auto& [points, answers] : known_) {
      out.integers(points);
      out.number(static_cast<double>(answers.size()));
      for (const auto& [moved, answer] : answers) {
        out.number(moved.control), out.number(moved.value);
        out.integers(answer.place), out.values(answer.s);
      }
    }
    to_cache(kRestKind, identity_, out.bytes());
  } catch (const std::exception&) {  // a cache that cannot be written is no cache
  }
}

std::optional<RestPoseCache::Moved> RestPoseCache::moved(In p) const {
  Moved moved;
  for (Eigen::Index c = 0; c < p.size(); ++c) {
    if (p[c] == rest_[c]) continue;
    if (moved.control >= 0 || std::abs(p[c] - rest_[c]) > 0.5 * kFar * typical_[c]) return std::nullopt;
    moved = {static_cast<int>(c), p[c]};
  }
  return moved;
}

void RestPoseCache::open(const Ask& ask) {
  opened_ = true;
  Mat P = rest_.replicate(1, 1 + kAside), S;
  std::mt19937 random(1);
  for (Eigen::Index c = 0; c < rest_.size(); ++c) {
    const double share = next_number(random), way = kFar * typical_[c] * (0.5 + 0.5 * std::abs(share));
    const bool up = rest_[c] + way <= high_[c], down = rest_[c] - way >= low_[c];
    // Both ways, or the one that has room: a shape key that is sculpted anew, or a driver of one side, shows.
    const double first = (share > 0 ? up : !down) ? way : -way;
    P(c, 1) += first;
    P(c, 2) += up && down ? -first : 0.7 * first;
  }
  for (Eigen::Index k = 1; k <= kAside; ++k)
    P.col(k) = P.col(k).cwiseMin(high_.cwiseMax(rest_)).cwiseMax(low_.cwiseMin(rest_));
  try {
    ask(P, S);
  } catch (const Cancelled&) {
    throw;
  } catch (const Error&) {  // these poses are of our choice: an error there may never concern the user
    return;
  }
  keeps_ = true;
  s_rest_ = S.col(0);
  ByteWriter identity;
  identity.raw(names_);
  identity.values(rest_), identity.matrix(S);
  identity_ = identity.bytes();
  if (const auto kept = from_cache(kRestKind, identity_)) read(*kept);
}

void RestPoseCache::read(std::span<const std::byte> bytes) {
  try {
    ByteReader in(bytes);
    for (int sets = in.integer(); sets > 0; --sets) {
      auto& answers = known_[in.integers()];
      for (int count = in.integer(); count > 0; --count) {
        Moved moved;
        moved.control = in.integer(), moved.value = in.number();
        Answer& answer = answers[moved];
        answer.place = in.integers(), answer.s = in.values();
        numbers_ += static_cast<std::size_t>(answer.s.size());
      }
    }
  } catch (const Error&) {  // checksummed, so it was whole: not one of ours
    known_.clear();
  }
}

Vec RestPoseCache::at_rest(std::span<const int> points) const {
  if (points.empty()) return s_rest_;
  Vec s(3 * std::ssize(points));
  for (std::size_t k = 0; k < points.size(); ++k) point(s, static_cast<int>(k)) = point(s_rest_, points[k]);
  return s;
}

bool RestPoseCache::find(In p, std::span<const int> points, Eigen::Ref<Vec> s) const {
  const auto moved = keeps_ ? this->moved(p) : std::nullopt;
  if (!moved) return false;
  if (moved->control < 0) {
    s = at_rest(points);
    return true;
  }
  const auto set = known_.find({points.begin(), points.end()});
  if (set == known_.end()) return false;
  const auto answer = set->second.find(*moved);
  if (answer == set->second.end()) return false;
  s = at_rest(points);
  for (std::size_t k = 0; k < answer->second.place.size(); ++k)
    s.segment<3>(3 * answer->second.place[k]) = answer->second.s.segment<3>(3 * static_cast<Eigen::Index>(k));
  return true;
}

void RestPoseCache::add(In p, std::span<const int> points, In s) {
  const auto moved = keeps_ ? this->moved(p) : std::nullopt;
  if (!moved || moved->control < 0 || numbers_ >= kMostNumbers) return;
  const Vec rest = at_rest(points);
  Answer answer;
  for (int k = 0; k < static_cast<int>(s.size() / 3); ++k)
    if (s.segment<3>(3 * k) != rest.segment<3>(3 * k)) answer.place.push_back(k);
  answer.s.resize(3 * std::ssize(answer.place));
  for (std::size_t k = 0; k < answer.place.size(); ++k)
    answer.s.segment<3>(3 * static_cast<Eigen::Index>(k)) = s.segment<3>(3 * answer.place[k]);
  numbers_ += static_cast<std::size_t>(answer.s.size());
  known_[{points.begin(), points.end()}][*moved] = std::move(answer);
  changed_ = true;
}

}  // namespace rigspace
