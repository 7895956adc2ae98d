#pragma once
// Private to energy: what Contact lags, from refresh to refresh.

#include "rigspace/energy/contact.h"

#include <vector>

namespace rigspace {

struct Contact::Memory final : State {
  std::vector<Pair> pairs, found;  // the pairs, by slot; those of the refresh under way
  std::vector<char> is_found;      // per slot
  std::vector<double> levels;      // per slot; not a number: not yet known in this step
  TriangleTree surface;            // the body's own, as it is
  Vec normals;                     // of its points
  int iteration = 0;
};

}  // namespace rigspace
