#pragma once
// Private to io: a cache of evaluated poses and their points. Rigs are functions of p; passes over one clip, and the
// rest pose, come again and again.

#include "rigspace/base/types.h"

#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace rigspace {

/// Drops the least recently used pose. One thread at a time.
class ProcessMemory {
 public:
  explicit ProcessMemory(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// s, or null if this very pose is not known. Good until the next `add`.
  const Vec* find(In p);
  void add(In p, In s);

 private:
  struct Known {
    std::string pose;  ///< its bytes
    Vec s;
    std::size_t bytes() const { return pose.size() + static_cast<std::size_t>(s.size()) * sizeof(double); }
  };

  std::size_t most_bytes_, bytes_ = 0;
  std::list<Known> known_;  ///< most recently used first
  std::unordered_map<std::string_view, std::list<Known>::iterator> places_;
};

}  // namespace rigspace
