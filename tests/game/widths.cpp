// widths HERO.rigmodel: plays a character with the kernels of the least processor and with those for AVX2, in one
// process, and says how far apart they end. Fails above the bound that docs/realtime.md states, and where the character
// lies still.
#include <rigspace/apps/physics/realtime_file.h>
#include <rigspace/base/wide.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

using namespace rigspace;

namespace {

constexpr double kBound = 1e-8;  // of the largest deviation; 1e-10 on five characters of the assets

/// Deviations of all frames: the first control goes to and fro, as a root that walks does.
std::vector<double> play(const std::shared_ptr<const RealtimeModel>& model) {
  RealtimeRig rig(model);
  Vec pose = model->character().rig->rest();
  const Vec rest = pose;
  std::vector<double> all;
  for (int k = 0; k < 600; ++k) {
    pose[0] = rest[0] + 0.1 * std::sin(0.08 * k);
    pose[1] = rest[1] + 0.03 * std::abs(std::sin(0.11 * k));
    rig.set_keyed({pose.data(), static_cast<std::size_t>(pose.size())});
    rig.step(1.0 / 60);
    all.insert(all.end(), rig.deviation().begin(), rig.deviation().end());
  }
  return all;
}

}  // namespace

int main(int, char** arguments) {
  std::ifstream file(arguments[1], std::ios::binary);
  const std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
  const auto model = read_realtime_model(std::as_bytes(std::span(text)), arguments[1]);
#if defined(__x86_64__) && !defined(__AVX2__)
  if (!wide_kernels) return std::printf("this processor has no AVX2: nothing to compare\n"), 0;
  const std::vector<double> wide = play(model);
  wide_kernels = false;
  const std::vector<double> narrow = play(model);
  double apart = 0, largest = 0;
  for (std::size_t k = 0; k < wide.size(); ++k) {
    apart = std::max(apart, std::abs(wide[k] - narrow[k]));
    largest = std::max(largest, std::abs(wide[k]));
  }
  std::printf("AVX2 and x86-64-v2 are apart by %.2g of the largest deviation, %.3f\n", apart / largest, largest);
  return largest > 1e-3 && apart <= kBound * largest ? 0 : 1;
#else
  return model->free().empty() ? 1 : 0;
#endif
}
