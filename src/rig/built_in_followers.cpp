// The part of a built-in rig that rigs without followers never enter.

#include "built_in_rig_parts.h"
#include "rigspace/base/parallel.h"

#include <algorithm>
#include <cassert>

namespace rigspace {
namespace {

constexpr int kFollowerChunk = 256;

void sort_unique(std::vector<int>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

const Follower& BuiltInRig::follower(int f) const { return static_cast<const Follower&>(*deformers_[followers_[f]]); }

std::vector<std::vector<int>> BuiltInRig::reaching(const GraphJacobian& du) const {
  std::vector<std::vector<int>> columns(followers_.empty() ? 0 : point_count());
  if (followers_.empty()) return columns;
  for (const Segment& chunk : chunks_)
    for (int i = chunk.begin; i < chunk.end; ++i) {
      for (const int d : chunk.deformers) {
        const Deformer& deformer = *deformers_[d];
        const int k = i - deformer.first();
        for (int e = deformer.entry_start()[k]; e < deformer.entry_start()[k + 1]; ++e) {
          const auto& own = du.slots[deformer.slots()[deformer.entry_slot()[e]]].columns;
          columns[i].insert(columns[i].end(), own.begin(), own.end());
        }
      }
      sort_unique(columns[i]);
    }
  // What is followed may follow others, before or after: until nothing grows.
  for (bool grown = true; grown;) {
    grown = false;
    for (int f = 0; f < follower_count(); ++f)
      for (int k = 0; k < follower(f).count(); ++k) {
        std::vector<int>& own = columns[follower(f).first() + k];
        const std::size_t before = own.size();
        for (const int c : follower(f).followed(k)) own.insert(own.end(), columns[c].begin(), columns[c].end());
        sort_unique(own);
        grown = grown || own.size() > before;
      }
  }
  return columns;
}

void BuiltInRig::place_followed(Plan& plan) const {
  plan.places.assign(followers_.size(), {});
  for (int f = 0; f < follower_count(); ++f)
    for (int k = 0; k < follower(f).count(); ++k) {
      const int i = follower(f).first() + k;
      plan.places[f].start.push_back(static_cast<int>(plan.places[f].place.size()));
      const auto begin = plan.column.begin() + plan.start[i], end = plan.column.begin() + plan.start[i + 1];
      for (const int c : follower(f).followed(k))
        for (int e = plan.start[c]; e < plan.start[c + 1]; ++e)
          plan.places[f].place.push_back(static_cast<int>(std::lower_bound(begin, end, plan.column[e]) - begin));
    }
}

void BuiltInRig::follow(Memory& memory, int f, Vec& s) const {
  DeformerState& state = *memory.states[followers_[f]];
  follower(f).pose(s, state);
  parallel_ranges(follower(f).count(), kFollowerChunk, [&](int begin, int end) {
    follower(f).deform(state, begin, end, s.data() + 3 * static_cast<std::ptrdiff_t>(follower(f).first() + begin));
  });
}

void BuiltInRig::follow_rows(Memory& memory, int f, BlockJacobian& J) const {
  DeformerState& state = *memory.states[followers_[f]];
  const Plan::Places& places = memory.plan.places[f];
  follower(f).pose(memory.x, state);
  parallel_ranges(follower(f).count(), kFollowerChunk, [&](int begin, int end) {
    Mat3 D[kMaxFollowed];
    for (int k = begin; k < end; ++k) {
      const int i = follower(f).first() + k, row = J.start[i];
      follower(f).deform(state, k, memory.x.data() + 3 * static_cast<std::ptrdiff_t>(i),
                         {J.value.data() + 3 * static_cast<std::ptrdiff_t>(row), J.start[i + 1] - row, nullptr, false});
      const std::span<const int> followed = follower(f).followed(k);
      assert(followed.size() <= kMaxFollowed);
      follower(f).by_followed(state, k, D);
      const int* place = places.place.data() + places.start[k];
      for (std::size_t c = 0; c < followed.size(); ++c)
        for (int e = J.start[followed[c]]; e < J.start[followed[c] + 1]; ++e, ++place)
          J.value.col(row + *place).noalias() += D[c] * J.value.col(e);
    }
  });
}

void BuiltInRig::pull_followed(Memory& memory, int f) const {
  const DeformerState& state = *memory.states[followers_[f]];
  Mat3 D[kMaxFollowed];
  for (int k = 0; k < follower(f).count(); ++k) {  // in order: neighbours follow the same points
    auto own = memory.g.segment<3>(3 * (follower(f).first() + k));
    const std::span<const int> followed = follower(f).followed(k);
    follower(f).by_followed(state, k, D);
    for (std::size_t c = 0; c < followed.size(); ++c)
      memory.g.segment<3>(3 * followed[c]).noalias() += D[c].transpose() * own;
    own = follower(f).pull(state, k, Vec3::Zero(), own, nullptr);
  }
}

std::vector<int> BuiltInRig::with_followed(std::span<const int> points) const {
  std::vector<int> all(points.begin(), points.end());
  if (followers_.empty()) return all;
  for (std::size_t before = 0; before != all.size();) {
    const std::vector<int> known = all;
    before = known.size();
    for (int f = 0; f < follower_count(); ++f) {
      const int first = follower(f).first();
      for (const int i : known)
        if (i >= first && i < first + follower(f).count())
          all.insert(all.end(), follower(f).followed(i - first).begin(), follower(f).followed(i - first).end());
    }
    sort_unique(all);
  }
  return all;
}

}  // namespace rigspace
