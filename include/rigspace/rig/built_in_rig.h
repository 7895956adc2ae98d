#pragma once
// A rig made of our own parts: control graph, then deformers. Exact derivatives of any stack. Pointwise deformers run
// in one pass; a Follower, whose points follow others, waits until all points are where the ones before it leave them.

#include "rigspace/rig/deformer.h"
#include "rigspace/rig/graph.h"
#include "rigspace/rig/rig.h"

#include <memory>
#include <vector>

namespace rigspace {

class Follower;

class BuiltInRig final : public Rig {
 public:
  /// `points_rest`: flattened. Deformers apply in order; each point may be moved by several.
  BuiltInRig(std::shared_ptr<const ControlGraph> graph, Vec points_rest,
             std::vector<std::shared_ptr<const Deformer>> deformers);

  const ControlGraph& graph() const { return *graph_; }
  const std::shared_ptr<const ControlGraph>& shared_graph() const { return graph_; }
  const Vec& points_rest() const { return points_rest_; }
  std::span<const std::shared_ptr<const Deformer>> deformers() const { return deformers_; }

  std::span<const Control> controls() const override { return graph_->controls(); }
  int point_count() const override { return static_cast<int>(points_rest_.size() / 3); }
  Traits traits() const override { return {.exact_jacobian = true}; }
  std::unique_ptr<Workspace> make_workspace() const override;
  void evaluate(Workspace&, In p, Vec& s) const override;
  void jacobian(Workspace&, In p, std::span<const int> free, BlockJacobian&) const override;
  void pull(Workspace&, In p, In g, Vec& g_p) const override;
  bool rest_jacobian(Workspace&, In p, std::vector<Mat3>& B) const override;
  std::unique_ptr<Rig> restricted(std::span<const int> points) const override;

  /// The graph's slots at p: joint transforms and the like.
  void evaluate_slots(Workspace&, In p, Vec& u) const;

 private:
  struct Memory;
  struct Plan;
  /// Points begin .. end, moved by these deformers, in this order.
  struct Segment {
    int begin, end;
    std::vector<int> deformers;
  };
  void prepare(Memory&, In p) const;
  void plan(Memory&, std::span<const int> free) const;

  // Stage 0 is what comes before the first follower, stage f + 1 what comes after follower f and before the next.
  int follower_count() const { return static_cast<int>(followers_.size()); }
  const Follower& follower(int f) const;
  std::span<const int> in_stage(const Segment&, int stage) const;
  void run_stage(Memory&, int stage, Vec& s) const;
  void pull_chunk(Memory&, int chunk, int stage, In g) const;
  /// Columns of each point; empty without followers, where they follow from the point's slots.
  std::vector<std::vector<int>> reaching(const GraphJacobian& du) const;
  void place_followed(Plan&) const;
  void follow(Memory&, int f, Vec& s) const;
  void follow_rows(Memory&, int f, BlockJacobian&) const;
  void pull_followed(Memory&, int f) const;
  /// Points and all that they follow, ascending.
  std::vector<int> with_followed(std::span<const int> points) const;

  std::shared_ptr<const ControlGraph> graph_;
  Vec points_rest_;
  std::vector<std::shared_ptr<const Deformer>> deformers_;
  std::vector<int> followers_;   // of deformers_
  std::vector<Segment> chunks_;  // of bounded size: the pieces of parallel work; without the followers
};

}  // namespace rigspace
