#pragma once
// Private to io: what a rig of another program answers at rest and with a single control moved, as Jacobians at rest
// are made of, kept between runs. Every part of every run asks for these, and they stay while the rig does.

#include "rigspace/base/types.h"
#include "rigspace/rig/control.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace rigspace {

/// A rig is the same if it answers the same, to the bit, to three poses: rest, and twice all controls a little aside.
/// So a file may be saved anew, moved and renamed; and what changes in the files that it links to is noticed. One
/// thread at a time.
class KeptAtRest {
 public:
  /// s of each column of P, all points; may throw.
  using Ask = std::function<void(const Mat& P, Mat& S)>;

  explicit KeptAtRest(std::span<const Control> controls);
  /// Writes what is new to the cache.
  ~KeptAtRest();
  KeptAtRest(const KeptAtRest&) = delete;
  KeptAtRest& operator=(const KeptAtRest&) = delete;

  /// Of rest, or one control a little away from it: no farther than those poses go.
  bool is_near(In p) const { return moved(p).has_value(); }
  /// Three poses, and what the cache has of a rig that answers so. Where one of them is not answered nothing is kept.
  void open(const Ask& ask);
  bool opened() const { return opened_; }
  /// False if it is not known. `points`: s is of these; empty: of all.
  bool find(In p, std::span<const int> points, Eigen::Ref<Vec> s) const;
  void add(In p, std::span<const int> points, In s);

 private:
  struct Moved {
    int control = -1;  ///< -1: none
    double value = 0;
    auto operator<=>(const Moved&) const = default;
  };
  /// Points that are not where they rest.
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
