#include "rigspace/rig/display_skin.h"

#include "rigspace/base/parallel.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace rigspace {
namespace {

// GCC vector extensions: eight floats are two columns of a transform; lowered to what the machine has.
typedef float Float8 __attribute__((vector_size(32)));
typedef float Float4 __attribute__((vector_size(16)));
typedef int Int8 __attribute__((vector_size(32)));
typedef float LooseFloat8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float LooseFloat4 __attribute__((vector_size(16), aligned(4), may_alias));

// Through a pointer: GCC turns the same memcpy into a detour over the stack.
Float8 load(const float* from) { return *reinterpret_cast<const LooseFloat8*>(from); }

// Four floats in both halves.
Float8 twice(const float* from) {
  const Float4 x = *reinterpret_cast<const LooseFloat4*>(from);
  return __builtin_shufflevector(x, x, 0, 1, 2, 3, 0, 1, 2, 3);
}

}  // namespace

DisplayTransform display_transform(const Affine& C) {
  DisplayTransform transform;
  for (int c = 0; c < 4; ++c) {
    for (int r = 0; r < 3; ++r) transform.columns[c][r] = static_cast<float>(C(r, c));
    transform.columns[c][3] = 0;
  }
  return transform;
}

DisplaySkin::DisplaySkin(In points_rest, const SkinDescription& skin)
    : joints_(static_cast<int>(skin.joint_slots.size())) {
  const int count = static_cast<int>(skin.influences.size());
  assert(points_rest.size() == 3 * count);
  rest_.assign(4 * static_cast<std::size_t>(count), 1.0f);
  weights_.assign(4 * static_cast<std::size_t>(count), 0.0f);
  offsets_.assign(4 * static_cast<std::size_t>(count), 0);
  for (int i = 0; i < count; ++i) {
    for (int c = 0; c < 3; ++c) rest_[4 * i + c] = static_cast<float>(points_rest[3 * i + c]);
    std::vector<Influence> heaviest = skin.influences[i];
    std::sort(heaviest.begin(), heaviest.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });
    if (heaviest.size() > 4) heaviest.resize(4);
    double all = 0, kept = 0;
    for (const Influence& influence : skin.influences[i]) all += influence.weight;
    for (const Influence& influence : heaviest) kept += influence.weight;
    for (std::size_t k = 0; k < heaviest.size(); ++k) {
      weights_[4 * i + k] = static_cast<float>(kept > 0 ? heaviest[k].weight * all / kept : 0);
      offsets_[4 * i + k] = static_cast<std::uint32_t>(heaviest[k].joint * sizeof(DisplayTransform));
    }
  }
}

void DisplaySkin::deform(std::span<const DisplayTransform> joints, std::span<float> s) const {
  assert(static_cast<int>(joints.size()) == joints_);
  assert(static_cast<int>(s.size()) == 3 * point_count());
  parallel_ranges(point_count(), 4096, [&](int begin, int end) { deform_range(joints.data(), s.data(), begin, end); });
}

void DisplaySkin::deform_range(const DisplayTransform* joints, float* s, int begin, int end) const {
  const char* base = reinterpret_cast<const char*>(joints);
  const auto columns = [base](std::uint32_t offset) { return reinterpret_cast<const float*>(base + offset); };
  const float* weights = weights_.data();
  const float* rest = rest_.data();
  const std::uint32_t* offsets = offsets_.data();
  for (std::ptrdiff_t i = begin; i < end; ++i) {
    const float* w = weights + 4 * i;
    const std::uint32_t* j = offsets + 4 * i;
    const float *a = columns(j[0]), *b = columns(j[1]), *c = columns(j[2]), *d = columns(j[3]);
    // (columns 0 1) and (columns 2 3) of sum_j w_j C_j
    const Float8 left = w[0] * load(a) + w[1] * load(b) + w[2] * load(c) + w[3] * load(d);
    const Float8 right = w[0] * load(a + 8) + w[1] * load(b + 8) + w[2] * load(c + 8) + w[3] * load(d + 8);
    const Float8 x = twice(rest + 4 * i);
    const Float8 xy = __builtin_shuffle(x, Int8{0, 0, 0, 0, 5, 5, 5, 5});
    const Float8 z1 = __builtin_shuffle(x, Int8{2, 2, 2, 2, 7, 7, 7, 7});
    const Float8 sum = left * xy + right * z1;
    const Float4 moved = __builtin_shufflevector(sum, sum, 0, 1, 2, 3) + __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
    float* out = s + 3 * i;
    if (i + 1 < end) {
      *reinterpret_cast<LooseFloat4*>(out) = moved;  // the fourth float is the next vertex's first, written right after
    } else {
      std::memcpy(out, &moved, 12);
    }
  }
}

}  // namespace rigspace
