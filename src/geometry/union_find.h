#pragma once
// Private to geometry: sets that are joined one by one.

#include <vector>

namespace rigspace {

/// The member that stands for i's set; `parent[i] == i` for those. Paths are shortened on the way.
inline int root(std::vector<int>& parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

}  // namespace rigspace
