#pragma once
// The bar let go from a bend: what a rig that is linear within a step is compared with.

#include "rigspace/body/rig_space_simulation.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace {

struct LetGo {
  bool linear;
  double step;  ///< s
  LinearRigOptions jacobian;
};

/// After 0.1 s: where its free joints are.
inline Vec let_go(const LetGo& how) {
  const Character bar = make_character("bar");
  const RigBody body = make_rig_body(bar, {.cell = 0.1, .use_cache = true});
  std::vector<int> free;
  for (int c = 0; c < static_cast<int>(bar.rig->controls().size()); ++c)
    if (bar.rig->controls()[c].unit == Unit::angle && bar.rig->controls()[c].node.starts_with("right"))
      free.push_back(c);
  RigSpaceSimulation simulation(body, free,
                                {.step = how.step,
                                 .material = {.young = 2e5},
                                 .gravity = {0, -9.81, 0},
                                 .linear = how.linear,
                                 .jacobian = how.jacobian});
  Vec p = bar.rig->rest();
  for (const int c : free) p[c] += 0.3;
  simulation.restart(p);
  for (int k = 0; k < static_cast<int>(std::lround(0.1 / how.step)); ++k) EXPECT_TRUE(simulation.step(p).converged);
  Vec end(std::ssize(free));
  for (std::size_t k = 0; k < free.size(); ++k) end[static_cast<Eigen::Index>(k)] = simulation.controls()[free[k]];
  return end;
}

}  // namespace rigspace
