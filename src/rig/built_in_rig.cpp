#include "rigspace/rig/built_in_rig.h"

#include "rigspace/base/parallel.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace rigspace {
namespace {

constexpr int kChunk = 512;    // points per piece of parallel work
constexpr int kMaxStack = 64;  // deformers that may move one point

}  // namespace

/// The sparsity of ds/dp for one set of free controls: a point's columns are those that reach any slot it reads.
struct BuiltInRig::Plan {
  std::vector<int> free;
  std::vector<int> start, column;                                   // of the Jacobian
  std::vector<std::vector<std::span<const ColumnRun>>> entry_runs;  // per deformer, per entry
  std::vector<ColumnRun> runs;                                      // what the spans point into
};

struct BuiltInRig::Memory : Workspace {
  ControlGraph::Memory graph;
  Vec u, g_u;
  std::vector<std::unique_ptr<DeformerState>> states;
  GraphJacobian du;
  Plan plan;
  std::vector<std::vector<double>> g_slots;  // adjoint: per chunk, the slots of all deformers
  std::vector<int> slot_begin;               // of each deformer in those
};

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
  return memory;
}

void BuiltInRig::prepare(Memory& memory, In p) const {
  graph_->evaluate(p, memory.u, memory.graph);
  for (std::size_t d = 0; d < deformers_.size(); ++d)
    deformers_[d]->prepare(memory.u, graph_->slots(), *memory.states[d]);
}

void BuiltInRig::evaluate_slots(Workspace& workspace, In p, Vec& u) const {
  auto& memory = static_cast<Memory&>(workspace);
  graph_->evaluate(p, memory.u, memory.graph);
  u = memory.u;
}

void BuiltInRig::evaluate(Workspace& workspace, In p, Vec& s) const {
  auto& memory = static_cast<Memory&>(workspace);
  prepare(memory, p);
  s.resize(points_rest_.size());
  parallel_ranges(static_cast<int>(chunks_.size()), 1, [&](int from, int to) {
    for (int c = from; c < to; ++c) {
      const Segment& chunk = chunks_[c];
      double* x = s.data() + 3 * chunk.begin;
      std::copy(points_rest_.data() + 3 * chunk.begin, points_rest_.data() + 3 * chunk.end, x);
      for (const int d : chunk.deformers) {
        const int first = deformers_[d]->first();
        deformers_[d]->deform(*memory.states[d], chunk.begin - first, chunk.end - first, x);
      }
    }
  });
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
  std::vector<int> slots;
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
      auto [found, is_new] = patterns.try_emplace(slots);
      Pattern& pattern = found->second;
      if (is_new) {
        for (const int slot : slots) {
          const auto& columns = memory.du.slots[slot].columns;
          pattern.columns.insert(pattern.columns.end(), columns.begin(), columns.end());
        }
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
}

void BuiltInRig::jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const {
  auto& memory = static_cast<Memory&>(workspace);
  prepare(memory, p);
  graph_->jacobian(p, memory.u, free, memory.du, memory.graph);
  for (std::size_t d = 0; d < deformers_.size(); ++d)
    deformers_[d]->prepare_derivatives(memory.u, graph_->slots(), memory.du, *memory.states[d]);
  plan(memory, free);
  const Plan& plan = memory.plan;

  J.columns = static_cast<int>(free.size());
  J.start = plan.start;
  J.column = plan.column;
  J.value.resize(3, static_cast<Eigen::Index>(plan.column.size()));
  parallel_ranges(static_cast<int>(chunks_.size()), 1, [&](int from, int to) {
    for (int c = from; c < to; ++c) {
      const Segment& chunk = chunks_[c];
      for (int i = chunk.begin; i < chunk.end; ++i) {
        Vec3 x = points_rest_.segment<3>(3 * i);
        const int columns = plan.start[i + 1] - plan.start[i];
        double* values = J.value.data() + 3 * static_cast<std::ptrdiff_t>(plan.start[i]);
        std::fill(values, values + 3 * columns, 0.0);
        bool zero = true;
        for (const int d : chunk.deformers) {
          const Deformer& deformer = *deformers_[d];
          const int k = i - deformer.first();
          deformer.deform(*memory.states[d], k, x.data(),
                          {values, columns, plan.entry_runs[d].data() + deformer.entry_start()[k], zero});
          zero = false;
        }
      }
    }
  });
}

void BuiltInRig::pull(Workspace& workspace, In p, In g, Vec& g_p) const {
  auto& memory = static_cast<Memory&>(workspace);
  prepare(memory, p);
  int total = 0;
  std::vector<int>& begin_of = memory.slot_begin;
  begin_of.clear();
  for (const auto& deformer : deformers_) {
    begin_of.push_back(total);
    total += deformer->slot_total();
  }
  // Each chunk gathers for itself; chunks are added in order, so that the sum does not depend on threads.
  memory.g_slots.resize(chunks_.size());
  parallel_ranges(static_cast<int>(chunks_.size()), 1, [&](int from, int to) {
    for (int c = from; c < to; ++c) {
      const Segment& chunk = chunks_[c];
      std::vector<double>& g_slots = memory.g_slots[c];
      g_slots.assign(static_cast<std::size_t>(total), 0.0);
      Vec3 before[kMaxStack];
      assert(chunk.deformers.size() <= kMaxStack);
      for (int i = chunk.begin; i < chunk.end; ++i) {
        Vec3 x = points_rest_.segment<3>(3 * i);
        const int stack = static_cast<int>(chunk.deformers.size());
        for (int layer = 0; layer < stack; ++layer) {
          const int d = chunk.deformers[layer], k = i - deformers_[d]->first();
          before[layer] = x;
          deformers_[d]->deform(*memory.states[d], k, k + 1, x.data());
        }
        Vec3 g_x = g.segment<3>(3 * i);
        for (int layer = stack - 1; layer >= 0; --layer) {
          const int d = chunk.deformers[layer], k = i - deformers_[d]->first();
          g_x = deformers_[d]->pull(*memory.states[d], k, before[layer], g_x, g_slots.data() + begin_of[d]);
        }
      }
    }
  });
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
  parallel_ranges(static_cast<int>(chunks_.size()), 1, [&](int from, int to) {
    for (int c = from; c < to; ++c)
      for (int i = chunks_[c].begin; i < chunks_[c].end; ++i) {
        Vec3 x = points_rest_.segment<3>(3 * i);
        B[i].setIdentity();
        for (const int d : chunks_[c].deformers) {
          const int k = i - deformers_[d]->first();
          B[i] = deformers_[d]->spatial_jacobian(*memory.states[d], k, x) * B[i];
          deformers_[d]->deform(*memory.states[d], k, k + 1, x.data());
        }
      }
  });
  return true;
}

std::unique_ptr<Rig> BuiltInRig::restricted(std::span<const int> points) const {
  assert(std::is_sorted(points.begin(), points.end()));
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
    deformers.push_back(deformer->restricted(own, static_cast<int>(begin - points.begin())));
  }
  return std::make_unique<BuiltInRig>(graph_, std::move(rest), std::move(deformers));
}

}  // namespace rigspace
