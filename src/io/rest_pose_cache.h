#pragma once
// Private to io: a cache, kept between runs, of the points of a rig in another process at rest and with a single
// control moved. Jacobians at rest are made of these; every part of every run needs them.

#include "rigspace/base/types.h"
#include "rigspace/rig/control.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace rigspace {

/// A rig is identified by its points, to the bit, in three poses: rest, and two with all controls a little off rest. So
/// the cache stays valid if a file is saved again, moved or renamed, and is not used if a file that it links to changes
/// the rig. Not to be used by two threads at a time.
class RestPoseCache {
 public:
  /// Evaluates the rig: s of each column of P, all points; may throw.
  using Ask = std::function<void(const Mat& P, Mat& S)>;

  explicit RestPoseCache(std::span<const Control> controls);
  /// Writes new entries to the cache.
  ~RestPoseCache();
  RestPoseCache(const RestPoseCache&) = delete;
  RestPoseCache& operator=(const RestPoseCache&) = delete;

  /// Whether the cache may hold p: rest, or one control a little off rest, no farther than in the identifying poses.
  bool is_near(In p) const { return moved(p).has_value(); }
  /// Evaluates the three identifying poses and reads the entries of that rig. If one of them fails, nothing is cached.
  void open(const Ask& ask);
  bool opened() const { return opened_; }
  /// Sets s to the points of an entry; false if there is none. `points`: s is of these; empty: of all.
  bool find(In p, std::span<const int> points, Eigen::Ref<Vec> s) const;
  void add(In p, std::span<const int> points, In s);

 private:
  struct Moved {
    int control = -1;  ///< -1: none
    double value = 0;
    auto operator<=>(const Moved&) const = default;
  };
  /// The points of an entry that differ from those at rest.
  struct Answer {
    std::vector<int> place;
    Vec s;
  };
  std::optional<Moved> moved(In p) const;
  Vec at_rest(std::span<const int> points) const;
  void read(std::span<const std::byte> bytes);

  std::vector<std::byte> names_;
  Vec rest_, low_, high_, typical_;
  bool opened_ = false, keeps_ = false, changed_ = false;
  Vec s_rest_;
  std::vector<std::byte> identity_;
  std::map<std::vector<int>, std::map<Moved, Answer>> known_;  ///< by the points
  std::size_t numbers_ = 0;
};

}  // namespace rigspace
