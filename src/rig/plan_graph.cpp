#include "plan_graph.h"

#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/rig/constraints.h"
#include "rigspace/rig/foot_roll.h"
#include "rigspace/rig/helper_joint.h"
#include "rigspace/rig/ik.h"
#include "rigspace/rig/points.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {}  // namespace

void PlanGraph::fail(const Who& who, const std::string& problem, const std::string& remedy) {
  throw Error({.file = who.origin,
               .element = std::string(who.what) + " " + quoted(who.name),
               .problem = problem,
               .remedy = remedy});
}

PlanGraph::Visit::Visit(PlanGraph& builder, const std::string& what, const Who& user) : builder_(builder), what_(what) {
  if (!builder_.open_.insert(what).second) {
    std::string circle;
    const auto begin = std::find(builder_.path_.begin(), builder_.path_.end(), what);
    for (auto step = begin; step != builder_.path_.end(); ++step) circle += *step + " -> ";
    fail(user, "depends on itself: " + circle + what, "break the circle");
  }
  builder_.path_.push_back(what);
  if (builder_.path_.size() > 4096) fail(user, "depends on more than 4096 things in a row");
}

PlanGraph::Visit::~Visit() {
  builder_.open_.erase(what_);
  builder_.path_.pop_back();
}

PlanGraph::PlanGraph(const RigPlan& plan) : plan_(plan) {
  for (const plan::Constraint& each : plan.constraints) constraints_[each.name].push_back(&each);
  for (const Control& each : plan.controls) own_controls_.emplace(each.name, &each);
  for (std::size_t k = 0; k < plan.nodes.size(); ++k)
    enter(who(plan.nodes[k]), {Entry::Kind::node, static_cast<int>(k)});
  for (std::size_t k = 0; k < plan.points.size(); ++k)
    enter(who(plan.points[k]), {Entry::Kind::point, static_cast<int>(k)});
  for (std::size_t k = 0; k < plan.helpers.size(); ++k)
    enter(who(plan.helpers[k]), {Entry::Kind::helper, static_cast<int>(k)});
  for (std::size_t k = 0; k < plan.foot_rolls.size(); ++k)
    for (const char* part : {".ankle", ".toe"})
      enter(who(plan.foot_rolls[k]), {Entry::Kind::foot_roll, static_cast<int>(k)}, part);
  name_controls();
  for (const plan::Driver& driver : plan.drivers) {
    if (driver.mode == plan::Driver::Mode::value) {
      if (graph_->find(driver.name) >= 0)
        fail(who(driver), "has the name of a control", "give it another, or drive the control with \"set\" or \"add\"");
      if (!values_.emplace(driver.name, &driver).second) fail(who(driver), "stands twice", "rename one");
      continue;
    }
    const int control = graph_->find(driver.name);
    if (control < 0) {
      std::vector<std::string> names;
      for (const Control& each : graph_->controls())
        if (each.name.size() < 3 || each.name.substr(each.name.size() - 3, 2) != ".q") names.push_back(each.name);
      fail(who(driver), "drives a channel that is not there",
           suggestion(driver.name, names, "expected a channel of a node or point, like hips.ty"));
    }
    const std::string node = driver.name.substr(0, driver.name.rfind('.'));
    if (own_controls_.contains(driver.name)) {
      if (driver.mode == plan::Driver::Mode::set)
        fail(who(driver), "sets a control that stands alone",
             "\"add\" to it, or use an expression where the control is used");
      additions_[driver.name].push_back(&driver);
      continue;
    }
    for (const plan::Driver* other : drives_[node])
      if (other->name == driver.name && other->mode == driver.mode && driver.mode == plan::Driver::Mode::set)
        fail(who(driver), "is set twice", "one of them may \"add\"");
    drives_[node].push_back(&driver);
  }
  for (std::size_t k = 0; k < plan.pose_weights.size(); ++k)
    for (std::size_t e = 0; e < plan.pose_weights[k].examples.size(); ++e)
      pose_values_[plan.pose_weights[k].name + "." + std::to_string(e + 1)] = {static_cast<int>(k),
                                                                               static_cast<int>(e)};
  for (const plan::Ik& ik : plan.ik)
    if (ik.chain.size() < 2)
      fail(who(ik), "has a chain of " + std::to_string(ik.chain.size()) + " nodes", "name at least 2");
  for (const plan::SplineChain& chain : plan.spline_chains)
    if (chain.joints.empty()) fail(who(chain), "carries no joints", "name at least one");
  for (std::size_t k = 0; k < plan.ik.size(); ++k)
    for (const std::string& node : plan.ik[k].chain) claim(node, who(plan.ik[k]), Chain::ik, static_cast<int>(k));
  for (std::size_t k = 0; k < plan.spline_chains.size(); ++k)
    for (const std::string& node : plan.spline_chains[k].joints)
      claim(node, who(plan.spline_chains[k]), Chain::spline, static_cast<int>(k));
  for (const plan::Constraint& each : plan.constraints) {
    const Entry& owner = entry(each.name, who(each));
    if (owner.kind != Entry::Kind::node) fail(who(each), "is not on a node", "constraints act on nodes");
  }

  for (const Control& control : plan.controls) graph_->add_control(control);
  for (const plan::Node& node : plan.nodes) last(node.name, who(node));
  for (const plan::Point& point : plan.points) last(point.name, who(point));
  for (const plan::HelperJoint& helper : plan.helpers) last(helper.name, who(helper));
  for (const plan::FootRoll& roll : plan.foot_rolls) last(roll.name + ".ankle", who(roll));
  for (const plan::Driver& driver : plan.drivers)
    if (driver.mode == plan::Driver::Mode::value) value_slot(driver.name, who(driver));
  for (const auto& [name, drivers] : additions_) added_slot(name, who(*drivers.front()));
  for (const plan::PoseWeights& poses : plan.pose_weights) {
    if (poses.examples.empty()) fail(who(poses), "has no examples");
    value_slot(poses.name + ".1", who(poses));
  }
}

/// All controls have their places before anything is made, so that a parent may be driven by its child's control.
void PlanGraph::name_controls() {
  const auto promise = [&](const std::string& name, const Who& user) {
    if (graph_->find(name) >= 0) fail(user, "has a control " + quoted(name) + " that is there already", "rename one");
    graph_->promise_control(name);
  };
  for (const Control& control : plan_.controls) promise(control.name, {"control", control.name, {}});
  for (const plan::Node& node : plan_.nodes)
    for (const char* channel : kNodeChannels) promise(node.name + "." + channel, who(node));
  for (const plan::Point& point : plan_.points)
    for (const char* channel : {".tx", ".ty", ".tz"}) promise(point.name + channel, who(point));
}

void PlanGraph::enter(const Who& part, Entry entry, const std::string& suffix) {
  if (part.name.empty()) fail(part, "has no name");
  if (!entries_.emplace(part.name + suffix, entry).second)
    fail(part, "has the name of another node, point or transform", "rename one");
}

void PlanGraph::claim(const std::string& node, const Who& by, Chain chain, int index) {
  Entry& joint = entry(node, by);
  if (joint.kind != Entry::Kind::node) fail(by, "has " + quoted(node) + " in its chain, which is no node");
  if (joint.chain != Chain::none)
    fail(by, "moves the node " + quoted(node) + ", which another chain moves already", "take it out of one of them");
  joint.chain = chain;
  joint.chain_index = index;
}

PlanGraph::Entry& PlanGraph::entry(const std::string& name, const Who& user) {
  const auto found = entries_.find(name);
  if (found != entries_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [each, entry] : entries_) names.push_back(each);
  fail(user, "refers to " + quoted(name) + ", which is no node, point or transform",
       suggestion(name, names, "names are those of nodes and points"));
}

int PlanGraph::slot(const std::string& name, const Who& user) { return last(name, user); }

int PlanGraph::transform(const std::string& name, const Who& user) {
  const int slot = last(name, user);
  return entry(name, user).kind == Entry::Kind::point ? add_transform_of_point(*graph_, slot) : slot;
}

int PlanGraph::stage(const std::string& name, const Who& user) {
  Entry& each = entry(name, user);
  if (each.stage_slot >= 0) return each.stage_slot;
  const Visit visit(*this, name, user);
  switch (each.kind) {
    case Entry::Kind::node: {
      int slot = make_node(each);
      for (const plan::Constraint* constraint : constraints_[name])
        slot = with_origin(who(*constraint), [&] { return constrained(slot, *constraint, each); });
      each.stage_slot = slot;
      break;
    }
    case Entry::Kind::point: each.stage_slot = make_point(plan_.points[each.index]); break;
    case Entry::Kind::helper: each.stage_slot = make_helper(plan_.helpers[each.index]); break;
    case Entry::Kind::foot_roll: make_foot_roll(each.index); break;
  }
  return each.stage_slot;
}

int PlanGraph::last(const std::string& name, const Who& user) {
  Entry& each = entry(name, user);
  if (each.last_slot >= 0) return each.last_slot;
  if (each.chain == Chain::none) return each.last_slot = stage(name, user);
  if (each.chain == Chain::ik)
    make_ik(each.chain_index);
  else
    make_spline(each.chain_index);
  return each.last_slot;
}

/// Within a chain the transforms before IK count; everywhere else those after it.
int PlanGraph::parent_for(const std::string& parent, const Entry& child, const Who& user) {
  if (parent.empty()) return -1;
  const Entry& above = entry(parent, user);
  if (above.kind == Entry::Kind::point) fail(user, "has the point " + quoted(parent) + " for parent", "name a node");
  const bool same_chain =
      child.chain != Chain::none && above.chain == child.chain && above.chain_index == child.chain_index;
  return same_chain ? stage(parent, user) : last(parent, user);
}

int PlanGraph::make_node(const Entry& each) {
  const plan::Node& node = plan_.nodes[each.index];
  NodeDescription description{.name = node.name,
                              .parent_slot = parent_for(node.parent, each, who(node)),
                              .translation = node.translation,
                              .rotation = node.rotation,
                              .scale = node.scale,
                              .constant = node.constant,
                              .typical_length = node.typical_length,
                              .driven = {}};
  description.driven = driven(node.name, 13);
  return with_origin(who(node), [&] { return add_node(*graph_, description); });
}

int PlanGraph::make_point(const plan::Point& point) {
  const int parent = point.parent.empty() ? -1 : last(point.parent, who(point));
  PointDescription description{.name = point.name,
                               .parent_slot = parent,
                               .position = point.position,
                               .typical_length = point.typical_length,
                               .driven = {}};
  description.driven = driven(point.name, 3);
  return with_origin(who(point), [&] { return add_point(*graph_, description); });
}

int PlanGraph::constrained(int slot, const plan::Constraint& constraint, const Entry& owner) {
  using Kind = plan::Constraint::Kind;
  const Who user = who(constraint);
  const bool is_limit = constraint.kind == Kind::limit_translation || constraint.kind == Kind::limit_rotation;
  if (constraint.targets.empty() && !is_limit) fail(user, "has no target");
  std::vector<ConstraintTarget> targets;
  for (const plan::Target& target : constraint.targets)
    targets.push_back({this->slot(target.node, user), source(target.weight, Unit::scalar, user)});
  const Source influence = source(constraint.influence, Unit::scalar, user);
  const plan::Node& node = plan_.nodes[owner.index];
  const FollowConstraint follow{slot, targets, influence, constraint.keep_offset};
  switch (constraint.kind) {
    case Kind::point: return add_point_constraint(*graph_, follow);
    case Kind::orient: return add_orient_constraint(*graph_, follow);
    case Kind::parent: return add_parent_constraint(*graph_, follow);
    case Kind::scale: return add_scale_constraint(*graph_, follow);
    case Kind::aim:
      return add_aim_constraint(*graph_, {.owner_slot = slot,
                                          .targets = targets,
                                          .axis = constraint.axis,
                                          .up_axis = constraint.up_axis,
                                          .up_slot = constraint.up.empty() ? -1 : this->slot(constraint.up, user),
                                          .influence = influence,
                                          .keep_offset = constraint.keep_offset});
    case Kind::limit_translation:
      return add_translation_limit(*graph_, {.owner_slot = slot,
                                             .parent_slot = parent_for(node.parent, owner, user),
                                             .min = constraint.low,
                                             .max = constraint.high,
                                             .influence = influence});
    case Kind::limit_rotation:
      return add_rotation_limit(*graph_, {.owner_slot = slot,
                                          .parent_slot = parent_for(node.parent, owner, user),
                                          .min = constraint.low * kDegree,
                                          .max = constraint.high * kDegree,
                                          .influence = influence});
    case Kind::limit_distance:
      return add_distance_limit(*graph_, {.owner_slot = slot,
                                          .target_slot = targets[0].slot,
                                          .min = constraint.nearest,
                                          .max = constraint.farthest,
                                          .influence = influence});
  }
  return slot;
}

void PlanGraph::make_ik(int index) {
  const plan::Ik& ik = plan_.ik[index];
  const Who user = who(ik);
  const Visit visit(*this, "ik " + ik.name, user);
  std::vector<int> slots;
  for (std::size_t k = 0; k < ik.chain.size(); ++k) {
    const plan::Node& node = plan_.nodes[entry(ik.chain[k], user).index];
    if (k > 0 && node.parent != ik.chain[k - 1])
      fail(user, "has " + quoted(ik.chain[k]) + " after " + quoted(ik.chain[k - 1]) + ", which is not its parent",
           "name every node of the chain, root to tip");
    slots.push_back(stage(ik.chain[k], user));
  }
  const int target = slot(ik.target, user);
  const int pole = ik.pole.empty() ? -1 : slot(ik.pole, user);
  const Source blend = source(ik.blend, Unit::scalar, user), orient = source(ik.orient, Unit::scalar, user);
  std::vector<int> moved;
  if (slots.size() == 3 && ik.limits.empty()) {
    const TwoBoneSlots bones = with_origin(user, [&] {
      return add_two_bone_ik(*graph_, {.name = ik.name,
                                       .root_slot = slots[0],
                                       .mid_slot = slots[1],
                                       .tip_slot = slots[2],
                                       .target_slot = target,
                                       .pole_slot = pole,
                                       .blend = blend,
                                       .stretch = source(ik.stretch, Unit::scalar, user),
                                       .orient = orient,
                                       .soft_distance = ik.soft});
    });
    moved = {bones.root, bones.mid, bones.tip};
  } else {
    if (ik.stretch != plan::Value(0))
      fail(user, "stretches a chain", "only two bones (three nodes) without limits can");
    if (!ik.limits.empty() && ik.limits.size() != slots.size() - 1)
      fail(user, "has " + std::to_string(ik.limits.size()) + " limits",
           "expected one per node but the tip: " + std::to_string(slots.size() - 1));
    ChainIk chain{.name = ik.name, .parent_slot = -1, .joint_slots = slots, .joints = {}, .target_slot = target};
    const Entry& root = entry(ik.chain[0], user);
    chain.parent_slot = parent_for(plan_.nodes[root.index].parent, root, user);
    for (const plan::JointLimit& limit : ik.limits)
      chain.joints.push_back({.hinge = limit.hinge,
                              .axis = limit.axis,
                              .min = limit.low * kDegree,
                              .max = limit.high * kDegree,
                              .stiffness = limit.stiffness});
    chain.pole_slot = pole;
    chain.blend = blend;
    chain.orient = orient;
    moved = with_origin(user, [&] { return add_chain_ik(*graph_, chain); });
  }
  for (std::size_t k = 0; k < moved.size(); ++k) entry(ik.chain[k], user).last_slot = moved[k];
}

void PlanGraph::make_spline(int index) {
  const plan::SplineChain& chain = plan_.spline_chains[index];
  const Who user = who(chain);
  const Visit visit(*this, "spline chain " + chain.name, user);
  SplineChain description{.name = chain.name, .point_slots = {}, .kind = chain.kind, .joints_rest = {}};
  for (const std::string& point : chain.points) description.point_slots.push_back(slot(point, user));
  std::vector<int> stages;
  for (const std::string& joint : chain.joints) stages.push_back(stage(joint, user));
  const Vec rest = rest_slots(*graph_);
  for (const int slot : stages) description.joints_rest.push_back(transform_at(rest, graph_->slots()[slot]));
  description.up_slot = chain.up.empty() ? -1 : slot(chain.up, user);
  description.up_axis = chain.up_axis;
  description.stretch = source(chain.stretch, Unit::scalar, user);
  description.start_twist = source(chain.start_twist, Unit::angle, user);
  description.end_twist = source(chain.end_twist, Unit::angle, user);
  const std::vector<int> moved = with_origin(user, [&] { return add_spline_chain(*graph_, description); });
  for (std::size_t k = 0; k < moved.size(); ++k) entry(chain.joints[k], user).last_slot = moved[k];
}

void PlanGraph::make_foot_roll(int index) {
  const plan::FootRoll& roll = plan_.foot_rolls[index];
  const Who user = who(roll);
  const auto angle = [&](const plan::Value& value) { return source(value, Unit::angle, user); };
  const FootRollSlots slots = with_origin(user, [&] {
    return add_foot_roll(*graph_, {.name = roll.name,
                                   .foot_slot = slot(roll.foot, user),
                                   .heel = roll.heel,
                                   .ball = roll.ball,
                                   .toe = roll.toe,
                                   .inner = roll.inner,
                                   .outer = roll.outer,
                                   .ankle = roll.ankle,
                                   .roll = angle(roll.roll),
                                   .bank = angle(roll.bank),
                                   .heel_twist = angle(roll.heel_twist),
                                   .toe_twist = angle(roll.toe_twist),
                                   .ball_break = angle(roll.ball_break),
                                   .toe_straight = angle(roll.toe_straight)});
  });
  entries_.at(roll.name + ".ankle").stage_slot = slots.ankle;
  entries_.at(roll.name + ".toe").stage_slot = slots.toe;
}

int PlanGraph::make_helper(const plan::HelperJoint& helper) {
  const Who user = who(helper);
  return with_origin(user, [&] {
    return add_helper_joint(*graph_, {.name = helper.name,
                                      .parent_slot = slot(helper.parent, user),
                                      .child_slot = slot(helper.child, user),
                                      .axis = helper.axis,
                                      .twist = source(helper.twist, Unit::scalar, user),
                                      .swing = source(helper.swing, Unit::scalar, user),
                                      .along = helper.along});
  });
}

std::map<std::string, int> PlanGraph::transforms() {
  std::map<std::string, int> result;
  for (const auto& [name, each] : entries_)
    if (each.kind != Entry::Kind::point) result[name] = each.last_slot >= 0 ? each.last_slot : each.stage_slot;
  return result;
}

}  // namespace rigspace
