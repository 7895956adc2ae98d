#include "rigspace/rig/built_in_rig.h"

#include "built_in_rig_parts.h"
#include "picked_rig.h"
#include "rig_arguments.h"
#include "rigspace/base/parallel.h"
#include "rigspace/rig/graph_slots.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace rigspace {
namespace {

constexpr int kChunk = 512;    // points per piece of parallel work
constexpr int kMaxStack = 64;  // deformers that may move one point

std::vector<int> needed_slots(const ControlGraph& graph, std::span<const std::shared_ptr<const Deformer>> deformers) {
  std::vector<int> read;
  for (const auto& deformer : deformers) read.insert(read.end(), deformer->slots().begin(), deformer->slots().end());
  return slots_with_inputs(graph, read);
}

}  // namespace

BuiltInRig::BuiltInRig(std::shared_ptr<const ControlGraph> graph, Vec points_rest,
                       std::vector<std::shared_ptr<const Deformer>> deformers)
    : graph_(std::move(graph)), points_rest_(std::move(points_rest)), deformers_(std::move(deformers)) {
  // Segments: runs of points that the same deformers move.
  std::vector<int> cuts{0, point_count()};
  for (const auto& deformer : deformers_) {
    assert(deformer->first() >= 0 && deformer->first() + deformer->count() <= point_count());
    cuts.push_back(deformer->first());
    cuts.push_back(deformer->first() + deformer->count());
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<std::vector<int>> movers(cuts.size() - 1);
  for (std::size_t d = 0; d < deformers_.size(); ++d) {
    if (dynamic_cast<const Follower*>(deformers_[d].get()) != nullptr) {
      followers_.push_back(static_cast<int>(d));
      continue;
    }
    const int first = deformers_[d]->first(), last = first + deformers_[d]->count();
    for (auto c = std::lower_bound(cuts.begin(), cuts.end(), first); *c < last; ++c)
      movers[c - cuts.begin()].push_back(static_cast<int>(d));
  }
  for (std::size_t c = 0; c < movers.size(); ++c)
    for (int begin = cuts[c]; begin < cuts[c + 1]; begin += kChunk)
      chunks_.push_back({begin, std::min(begin + kChunk, cuts[c + 1]), movers[c]});
}

std::unique_ptr<Workspace> BuiltInRig::make_workspace() const {
  auto memory = std::make_unique<Memory>();
  for (const auto& deformer : deformers_) memory->states.push_back(deformer->make_state());
  memory->needed = needed_slots(*graph_, deformers_);
  return memory;
}

void BuiltInRig::prepare(Memory& memory, In p) const {
  if (memory.u.size() == 0)
    graph_->evaluate(p, memory.u, memory.graph);  // all of them once, so that none is left undefined
  else
    rigspace::evaluate_slots(*graph_, memory.needed, p, memory.inputs, memory.u);
  for (std::size_t d = 0; d < deformers_.size(); ++d)
    deformers_[d]->prepare(memory.u, graph_->slots(), *memory.states[d]);
}

void BuiltInRig::evaluate_slots(Workspace& workspace, In p, Vec& u) const {
  auto& memory = static_cast<Memory&>(workspace);
  graph_->evaluate(p, memory.u, memory.graph);
  u = memory.u;
}

std::span<const int> BuiltInRig::in_stage(const Segment& chunk, int stage) const {
  const auto& all = chunk.deformers;
  const auto from = stage == 0 ? all.begin() : std::lower_bound(all.begin(), all.end(), followers_[stage - 1]);
  const auto to = stage == follower_count() ? all.end() : std::lower_bound(all.begin(), all.end(), followers_[stage]);
  return {from, to};
}

void BuiltInRig::run_stage(Memory& memory, int stage, Vec& s) const {
  parallel_ranges(static_cast<int>(chunks_.size()), 1, [&](int from, int to) {
    for (int c = from; c < to; ++c) {
      const Segment& chunk = chunks_[c];
      double* x = s.data() + 3 * chunk.begin;
      if (stage == 0) std::copy(points_rest_.data() + 3 * chunk.begin, points_rest_.data() + 3 * chunk.end, x);
      for (const int d : in_stage(chunk, stage)) {
        const int first = deformers_[d]->first();
        deformers_[d]->deform(*memory.states[d], chunk.begin - first, chunk.end - first, x);
      }
    }
  });
}

void BuiltInRig::evaluate(Workspace& workspace, In p, Vec& s) const {
  require_pose(p, controls().size());
  auto& memory = static_cast<Memory&>(workspace);
  prepare(memory, p);
  s.resize(points_rest_.size());
  run_stage(memory, 0, s);
  for (int f = 0; f < follower_count(); ++f) {
    follow(memory, f, s);
    run_stage(memory, f + 1, s);
  }
}

void BuiltInRig::plan(Memory& memory, std::span<const int> free) const {
  Plan& plan = memory.plan;
  if (!plan.start.empty() && std::equal(free.begin(), free.end(), plan.free.begin(), plan.free.end())) return;
  plan.free.assign(free.begin(), free.end());
  plan.start.assign(1, 0);
  plan.column.clear();
  plan.runs.clear();
  plan.entry_runs.assign(deformers_.size(), {});
  std::vector<std::vector<std::pair<int, int>>> entry_ranges(deformers_.size());  // into runs, until it stops growing
  for (std::size_t d = 0; d < deformers_.size(); ++d) entry_ranges[d].resize(deformers_[d]->entry_slot().size());

  // Points that read the same slots share a pattern, and a slot's runs in it.
  struct Pattern {
    std::vector<int> columns;
    std::map<int, std::pair<int, int>> runs_of_slot;
  };
  std::map<std::vector<int>, Pattern> patterns;
  const std::vector<std::vector<int>> reaching = this->reaching(memory.du);
  std::vector<int> slots, key;
  for (const Segment& chunk : chunks_) {
    for (int i = chunk.begin; i < chunk.end; ++i) {
      slots.clear();
      const auto for_entries = [&](auto&& body) {
        for (const int d : chunk.deformers) {
          const Deformer& deformer = *deformers_[d];
          const int k = i - deformer.first();
          for (int e = deformer.entry_start()[k]; e < deformer.entry_start()[k + 1]; ++e)
            body(d, e, deformer.slots()[deformer.entry_slot()[e]]);
        }
      };
      for_entries([&](int, int, int slot) { slots.push_back(slot); });
      std::sort(slots.begin(), slots.end());
      slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
      key = slots;
      if (!reaching.empty()) key.push_back(-1), key.insert(key.end(), reaching[i].begin(), reaching[i].end());
      auto [found, is_new] = patterns.try_emplace(key);
      Pattern& pattern = found->second;
      if (is_new) {
        for (const int slot : slots) {
          const auto& columns = memory.du.slots[slot].columns;
          pattern.columns.insert(pattern.columns.end(), columns.begin(), columns.end());
        }
        if (!reaching.empty()) pattern.columns = reaching[i];
        std::sort(pattern.columns.begin(), pattern.columns.end());
        pattern.columns.erase(std::unique(pattern.columns.begin(), pattern.columns.end()), pattern.columns.end());
        for (const int slot : slots) {
          const int begin = static_cast<int>(plan.runs.size());
          const auto& columns = memory.du.slots[slot].columns;
          for (int from = 0; from < static_cast<int>(columns.size()); ++from) {
            const int to =
                static_cast<int>(std::lower_bound(pattern.columns.begin(), pattern.columns.end(), columns[from]) -
                                 pattern.columns.begin());
            ColumnRun* last = static_cast<int>(plan.runs.size()) > begin ? &plan.runs.back() : nullptr;
            if (last != nullptr && last->from + last->length == from && last->to + last->length == to)
              ++last->length;
            else
              plan.runs.push_back({from, to, 1});
          }
          pattern.runs_of_slot[slot] = {begin, static_cast<int>(plan.runs.size())};
        }
      }
      for_entries([&](int d, int e, int slot) { entry_ranges[d][e] = pattern.runs_of_slot[slot]; });
      plan.column.insert(plan.column.end(), pattern.columns.begin(), pattern.columns.end());
      plan.start.push_back(static_cast<int>(plan.column.size()));
    }
  }
  for (std::size_t d = 0; d < deformers_.size(); ++d)
    for (const auto& [begin, end] : entry_ranges[d])
      plan.entry_runs[d].emplace_back(plan.runs.data() + begin, static_cast<std::size_t>(end - begin));
  place_followed(plan);
}

void BuiltInRig::jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const {
  require_pose(p, controls().size());
  require_controls(free, controls().size());
  auto& memory = static_cast<Memory&>(workspace);
  prepare(memory, p);
  graph_->jacobian(p, memory.u, free, memory.du, memory.graph);
  for (std::size_t s = 0, k = 0; s < memory.du.slots.size(); ++s) {
    while (k < memory.needed.size() && memory.needed[k] < static_cast<int>(s)) ++k;
    const bool needed = k < memory.needed.size() && memory.needed[k] == static_cast<int>(s);
    if (!needed) memory.du.slots[s].columns.clear();  // the graph leaves it out from now on
  }
  for (std::size_t d = 0; d < deformers_.size(); ++d)
    deformers_[d]->prepare_derivatives(memory.u, graph_->slots(), memory.du, *memory.states[d]);
  plan(memory, free);
  const Plan& plan = memory.plan;

  J.columns = static_cast<int>(free.size());
  J.start = plan.start;
  J.column = plan.column;
  J.value.resize(3, static_cast<Eigen::Index>(plan.column.size()));
  const bool staged = follower_count() > 0;
  if (staged) memory.x = points_rest_;
  for (int stage = 0; stage <= follower_count(); ++stage) {
    if (stage > 0) follow_rows(memory, stage - 1, J);
    parallel_ranges(static_cast<int>(chunks_.size()), 1, [&](int from, int to) {
      for (int c = from; c < to; ++c) {
        const Segment& chunk = chunks_[c];
        const std::span<const int> stack = in_stage(chunk, stage);
        if (stage > 0 && stack.empty()) continue;
        for (int i = chunk.begin; i < chunk.end; ++i) {
          Vec3 x = (stage == 0 ? points_rest_ : memory.x).segment<3>(3 * i);
          const int columns = plan.start[i + 1] - plan.start[i];
          double* values = J.value.data() + 3 * static_cast<std::ptrdiff_t>(plan.start[i]);
          if (stage == 0) std::fill(values, values + 3 * columns, 0.0);
          bool zero = stage == 0;
          for (const int d : stack) {
            const Deformer& deformer = *deformers_[d];
            const int k = i - deformer.first();
            deformer.deform(*memory.states[d], k, x.data(),
                            {values, columns, plan.entry_runs[d].data() + deformer.entry_start()[k], zero});
            zero = false;
          }
          if (staged) memory.x.segment<3>(3 * i) = x;
        }
      }
    });
  }
}

void BuiltInRig::pull_chunk(Memory& memory, int c, int stage, In g) const {
  const Segment& chunk = chunks_[c];
  std::vector<double>& g_slots = memory.g_slots[c];
  const std::span<const int> layers = in_stage(chunk, stage);
  const int stack = static_cast<int>(layers.size());
  Vec3 before[kMaxStack];
  assert(stack <= kMaxStack);
  for (int i = chunk.begin; i < chunk.end; ++i) {
    Vec3 x = (stage == 0 ? points_rest_ : memory.starts[stage]).segment<3>(3 * i);
    for (int layer = 0; layer < stack; ++layer) {
      const int d = layers[layer], k = i - deformers_[d]->first();
      before[layer] = x;
      deformers_[d]->deform(*memory.states[d], k, k + 1, x.data());
    }
    Vec3 g_x = g.segment<3>(3 * i);
    for (int layer = stack - 1; layer >= 0; --layer) {
      const int d = layers[layer], k = i - deformers_[d]->first();
      g_x = deformers_[d]->pull(*memory.states[d], k, before[layer], g_x, g_slots.data() + memory.slot_begin[d]);
    }
    if (stage > 0) memory.g.segment<3>(3 * i) = g_x;
  }
}

void BuiltInRig::pull(Workspace& workspace, In p, In g, Vec& g_p) const {
  require_pose(p, controls().size());
  require_forces(g, point_count());
  auto& memory = static_cast<Memory&>(workspace);
  prepare(memory, p);
  int total = 0;
  std::vector<int>& begin_of = memory.slot_begin;
  begin_of.clear();
  for (const auto& deformer : deformers_) {
    begin_of.push_back(total);
    total += deformer->slot_total();
  }
  if (follower_count() > 0) {
    memory.g = g;
    memory.x.resize(points_rest_.size());
    memory.starts.resize(followers_.size() + 1);
    run_stage(memory, 0, memory.x);
    for (int f = 0; f < follower_count(); ++f) {
      follow(memory, f, memory.x);
      memory.starts[f + 1] = memory.x;
      run_stage(memory, f + 1, memory.x);
    }
  }
  // Each chunk gathers for itself; chunks are added in order, so that the sum does not depend on threads.
  memory.g_slots.resize(chunks_.size());
  for (auto& g_slots : memory.g_slots) g_slots.assign(static_cast<std::size_t>(total), 0.0);
  for (int stage = follower_count(); stage >= 0; --stage) {
    parallel_ranges(static_cast<int>(chunks_.size()), 1, [&](int from, int to) {
      for (int c = from; c < to; ++c)
        if (follower_count() > 0)
          pull_chunk(memory, c, stage, memory.g);
        else
          pull_chunk(memory, c, stage, g);
    });
    if (stage > 0) pull_followed(memory, stage - 1);
  }
  memory.g_u.setZero(graph_->size());
  for (std::size_t c = 0; c < chunks_.size(); ++c)
    for (const int d : chunks_[c].deformers) {
      const Deformer& deformer = *deformers_[d];
      for (std::size_t k = 0; k < deformer.slots().size(); ++k) {
        const Slot& slot = graph_->slots()[deformer.slots()[k]];
        memory.g_u.segment(slot.offset, slot.size) += Eigen::Map<const Vec>(
            memory.g_slots[c].data() + begin_of[d] + deformer.slot_offset(static_cast<int>(k)), slot.size);
      }
    }
  graph_->pull(p, memory.u, memory.g_u, g_p, memory.graph);
}

bool BuiltInRig::rest_jacobian(Workspace& workspace, In p, std::vector<Mat3>& B) const {
  auto& memory = static_cast<Memory&>(workspace);
  prepare(memory, p);
  B.resize(point_count());
  memory.x = points_rest_;
  std::fill(B.begin(), B.end(), Mat3::Identity());
  for (int stage = 0; stage <= follower_count(); ++stage) {
    if (stage > 0) {
      const Follower& moved = follower(stage - 1);
      const DeformerState& state = *memory.states[followers_[stage - 1]];
      follow(memory, stage - 1, memory.x);
      for (int k = 0; k < moved.count(); ++k) {
        Mat3& own = B[moved.first() + k];
        own = Mat3(moved.spatial_jacobian(state, k, Vec3::Zero()) * own + moved.rest_slope(state, k));
      }
    }
    parallel_ranges(static_cast<int>(chunks_.size()), 1, [&](int from, int to) {
      for (int c = from; c < to; ++c)
        for (int i = chunks_[c].begin; i < chunks_[c].end; ++i) {
          Vec3 x = memory.x.segment<3>(3 * i);
          for (const int d : in_stage(chunks_[c], stage)) {
            const int k = i - deformers_[d]->first();
            B[i] = deformers_[d]->spatial_jacobian(*memory.states[d], k, x) * B[i];
            deformers_[d]->deform(*memory.states[d], k, k + 1, x.data());
          }
          memory.x.segment<3>(3 * i) = x;
        }
    });
  }
  return true;
}

std::unique_ptr<Rig> BuiltInRig::restricted(std::span<const int> asked) const {
  assert(std::is_sorted(asked.begin(), asked.end()));
  const std::vector<int> points = with_followed(asked);
  Vec rest(3 * static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i)
    rest.segment<3>(3 * static_cast<Eigen::Index>(i)) = points_rest_.segment<3>(3 * points[i]);
  std::vector<std::shared_ptr<const Deformer>> deformers;
  for (const auto& deformer : deformers_) {
    const auto begin = std::lower_bound(points.begin(), points.end(), deformer->first());
    const auto end = std::lower_bound(begin, points.end(), deformer->first() + deformer->count());
    if (begin == end) continue;
    std::vector<int> own;
    for (auto i = begin; i != end; ++i) own.push_back(*i - deformer->first());
    const int first = static_cast<int>(begin - points.begin());
    const auto* following = dynamic_cast<const Follower*>(deformer.get());
    deformers.push_back(following != nullptr ? following->restricted(own, first, points)
                                             : deformer->restricted(own, first));
  }
  auto part = std::make_unique<BuiltInRig>(graph_, std::move(rest), std::move(deformers));
  if (points.size() == asked.size()) return part;
  std::vector<int> shown;
  for (const int i : asked)
    shown.push_back(static_cast<int>(std::lower_bound(points.begin(), points.end(), i) - points.begin()));
  return std::make_unique<PickedRig>(std::move(part), shown);
}

}  // namespace rigspace
