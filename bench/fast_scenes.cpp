#include "fast_scenes.h"

#include <cmath>
#include <cstdlib>
#include <limits>

namespace rigspace::bench {

std::span<const FastScene> fast_scenes() {
  using Names = std::vector<std::string>;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const Names belly{"belly_*"}, trunk{"trunk_*", "trunk.twist"}, soft{"belly_*", "chest_*", "cheek_*", "hair_*"};
  const PaperRow wrestler{174, 3 * 967, 3 * 1302, 2.82};  // his first row is that of the static interior
  static const std::vector<FastScene> scenes = {
      {{"elephant trunk", "peanut", "Walk", trunk, {13, 3990, 2253, 7.24}, 2e5, true}, {7.24, 0.37, 0.39, 0.12, 0.13}},
      {{"elephant belly", "peanut", "Walk", belly, {36, 3990, 2253, 46.5}, 1e5, true}, {46.5, 0.53, 0.39, 0.27, 0.13}},
      {{"wrestler, stomp", "sumo", "Stomp", soft, wrestler, 1e5, true, false, 2.0}, {kNone, 2.82, 2.48, 1.04, 0.58}},
      {{"wrestler, head shake", "sumo", "HeadShake", soft, wrestler, 1e5, true, false, 0.4},
       {kNone, 2.82, 2.48, 1.04, 0.58}},
  };
  return scenes;
}

}  // namespace rigspace::bench
