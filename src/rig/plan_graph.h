#pragma once
// The first half of building a plan: its control graph.

#include "plan_part.h"
#include "rigspace/rig/rig_plan.h"
#include "rigspace/rig/source.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace rigspace {

/// Adds operators in the order that they need each other. A node goes through three stages: its own transform (FK),
/// its constraints, and then IK or a spline that carries it; children, skins and targets see the last. Between nodes of
/// one chain the stage before IK counts.
class PlanGraph {
 public:
  explicit PlanGraph(const RigPlan& plan);

  ControlGraph& graph() { return *graph_; }
  const std::shared_ptr<ControlGraph>& shared_graph() const { return graph_; }
  const RigPlan& plan() const { return plan_; }

  /// The last transform, or the point, of this name; `user`: the part that reads it, for messages.
  int slot(const std::string& name, const Who& user);
  /// The same as a transform: a point's moves with it and does not turn.
  int transform(const std::string& name, const Who& user);
  /// A number in inner units; `unit` is the unit of the value.
  Source source(const plan::Value& value, Unit unit, const Who& user);
  /// The same as a scalar slot.
  int scalar_slot(const plan::Value& value, Unit unit, const Who& user);
  /// Every named transform.
  std::map<std::string, int> transforms();

  [[noreturn]] static void fail(const Who& who, const std::string& problem, const std::string& remedy = {});

 private:
  enum class Chain { none, ik, spline };
  struct Entry {
    enum class Kind { node, point, foot_roll, helper } kind;
    int index;
    int stage_slot = -1;  // FK and constraints
    int last_slot = -1;
    Chain chain = Chain::none;
    int chain_index = -1;
  };

  void name_controls();
  void enter(const Who& part, Entry entry, const std::string& suffix = {});
  void claim(const std::string& node, const Who& by, Chain chain, int index);
  Entry& entry(const std::string& name, const Who& user);
  int stage(const std::string& name, const Who& user);
  int last(const std::string& name, const Who& user);
  int parent_for(const std::string& parent, const Entry& child, const Who& user);

  int make_node(const Entry& entry);
  int constrained(int slot, const plan::Constraint& constraint, const Entry& owner);
  int make_point(const plan::Point& point);
  void make_foot_roll(int index);
  void make_ik(int index);
  void make_spline(int index);
  int make_helper(const plan::HelperJoint& helper);

  /// A driver, or a weight of a pose: the slot and the unit are plain numbers at the surface.
  int value_slot(const std::string& name, const Who& user);
  /// A control that stands alone and that drivers add to, in its inner unit.
  int added_slot(const std::string& name, const Who& user);
  Source variable(const std::string& name, const Who& user);
  std::vector<DrivenChannel> driven(const std::string& node, int channels);

  /// Marks a thing as under way; meeting it again before it is done is a circle.
  class Visit {
   public:
    Visit(PlanGraph& builder, const std::string& what, const Who& user);
    Visit(const Visit&) = delete;
    ~Visit();

   private:
    PlanGraph& builder_;
    std::string what_;
  };

  const RigPlan& plan_;
  std::shared_ptr<ControlGraph> graph_ = std::make_shared<ControlGraph>();
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::vector<const plan::Constraint*>> constraints_;
  std::map<std::string, const Control*> own_controls_;                 // those that stand alone
  std::map<std::string, std::vector<const plan::Driver*>> drives_;     // by node
  std::map<std::string, std::vector<const plan::Driver*>> additions_;  // by control that stands alone
  std::map<std::string, int> added_slots_;
  std::map<std::string, const plan::Driver*> values_;
  std::map<std::string, std::pair<int, int>> pose_values_;  // pose weights, example
  std::map<std::string, int> value_slots_;
  std::map<std::pair<std::string, Unit>, int> expression_slots_;
  std::map<std::string, std::vector<int>> made_poses_;
  std::vector<std::string> path_;  // of visits
  std::set<std::string> open_;
};

}  // namespace rigspace
