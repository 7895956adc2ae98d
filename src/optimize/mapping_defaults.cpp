#include "rigspace/optimize/mapping.h"

namespace rigspace {

void Mapping::pull_each(const State& state, std::span<const Vec> g, std::span<Vec> g_q) const {
  for (std::size_t k = 0; k < g.size(); ++k) pull(state, g[k], g_q[k]);
}

}  // namespace rigspace
