#include "rigspace/rig/rig_bytes.h"

#include "blend_shapes.h"
#include "rigspace/rig/skeleton.h"
#include "skin.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

template <class Archive, Like<Control> T>
void fields(Archive& archive, T& control) {
  archive(control.name, control.node, control.unit, control.rest, control.min, control.max, control.group,
          control.typical);
}

template <class Archive, Like<Source> T>
void fields(Archive& archive, T& source) {
  archive(source.control, source.slot, source.entry, source.scale, source.value);
}

template <class Archive, Like<DrivenChannel> T>
void fields(Archive& archive, T& driven) {
  archive(driven.channel, driven.source);
}

template <class Archive, Like<NodeDescription> T>
void fields(Archive& archive, T& node) {
  archive(node.name, node.parent_slot, node.translation, node.rotation, node.scale, node.constant, node.typical_length,
          node.driven);
}

namespace {

enum class SlotKind { node, number };
enum class DeformerKind { skin, shapes };

bool same(const Control& a, const Control& b) {
  return a.name == b.name && a.node == b.node && a.unit == b.unit && a.rest == b.rest && a.min == b.min &&
         a.max == b.max && a.group == b.group && a.typical == b.typical;
}

[[noreturn]] void refuse(const std::string& element) {
  throw Error({.element = element,
               .problem = "is of a kind that a packed rig does not hold",
               .remedy = "only nodes, plain numbers, linear skins and blend shapes are"});
}

/// The graph that the slots alone make: what unpack_graph has before it sets the controls.
class GraphBuilder {
 public:
  int add(const NodeDescription& node) { return add_node(*graph_, node); }
  /// A control that comes next, or one that is there.
  int add(int control, const Control& as) {
    return control == static_cast<int>(graph_->controls().size()) ? add_scalar(*graph_, as)
                                                                  : pass_control(*graph_, control);
  }
  const std::shared_ptr<ControlGraph>& graph() const { return graph_; }

 private:
  std::shared_ptr<ControlGraph> graph_ = std::make_shared<ControlGraph>();
};

/// Entries of points as a description of influences.
std::vector<std::vector<Influence>> influences_of(Unpacker& in, std::size_t joints) {
  const auto starts = in.next<std::vector<std::int32_t>>(), of = in.next<std::vector<std::int32_t>>();
  const auto weights = in.next<std::vector<double>>();
  in.require(!starts.empty() && starts.front() == 0 && std::is_sorted(starts.begin(), starts.end()) &&
                 static_cast<std::size_t>(starts.back()) == of.size() && of.size() == weights.size(),
             "a skin");
  std::vector<std::vector<Influence>> influences(starts.size() - 1);
  for (std::size_t k = 0; k < influences.size(); ++k)
    for (int e = starts[k]; e < starts[k + 1]; ++e) {
      in.require(of[e] >= 0 && static_cast<std::size_t>(of[e]) < joints, "a skin");
      influences[k].push_back({of[e], weights[e]});
    }
  return influences;
}

void require_slots(Unpacker& in, const ControlGraph& graph, std::span<const std::int32_t> slots, int size) {
  for (const int slot : slots)
    in.require(slot >= 0 && slot < static_cast<int>(graph.slots().size()) && graph.slots()[slot].size == size,
               "a slot of a deformer");
}

void require_run(Unpacker& in, int first, std::size_t count, int points) {
  in.require(first >= 0 && first <= points && count <= static_cast<std::size_t>(points - first),
             "the points of a deformer");
}

std::shared_ptr<const Deformer> unpack_skin(Unpacker& in, const ControlGraph& graph, int points) {
  SkinDescription skin;
  in(skin.first_point, skin.joint_slots, skin.inverse_bind);
  require_slots(in, graph, skin.joint_slots, kTransformSlot);
  in.require(skin.inverse_bind.size() == skin.joint_slots.size(), "a skin");
  skin.influences = influences_of(in, skin.joint_slots.size());
  require_run(in, skin.first_point, skin.influences.size(), points);
  return make_linear_blend_skin(skin);
}

std::shared_ptr<const Deformer> unpack_shapes(Unpacker& in, const ControlGraph& graph, int points) {
  const auto first = in.next<std::int32_t>(), count = in.next<std::int32_t>();
  in.require(count >= 0, "blend shapes");
  require_run(in, first, static_cast<std::size_t>(count), points);
  const auto slots = in.next<std::vector<std::int32_t>>();
  require_slots(in, graph, slots, kScalarSlot);
  std::vector<MorphTarget> targets;
  for (const int slot : slots) {
    MorphTarget target{.weight_slot = slot};
    in(target.points, target.offsets);
    in.require(target.points.size() == target.offsets.size() &&
                   std::is_sorted(target.points.begin(), target.points.end()) &&
                   (target.points.empty() || (target.points.front() >= 0 && target.points.back() < count)),
               "a blend shape");
    targets.push_back(std::move(target));
  }
  return make_blend_shapes(first, count, targets);
}

/// The targets that make_blend_shapes made the entries of, less those without a point here.
std::vector<MorphTarget> targets_of(const Deformer& shapes, std::span<const Vec3> offsets) {
  std::vector<MorphTarget> targets;
  for (const int slot : shapes.slots()) targets.push_back({.weight_slot = slot});
  for (int k = 0; k < shapes.count(); ++k)
    for (int e = shapes.entry_start()[k]; e < shapes.entry_start()[k + 1]; ++e) {
      MorphTarget& target = targets[static_cast<std::size_t>(shapes.entry_slot()[e])];
      target.points.push_back(k), target.offsets.push_back(offsets[e]);
    }
  return targets;
}

template <class T>
std::vector<T> list(std::span<const T> span) {
  return {span.begin(), span.end()};
}

}  // namespace

void pack_graph(Packer& out, const ControlGraph& graph) {
  GraphBuilder builder;
  const int slots = static_cast<int>(graph.slots().size());
  out(slots);
  for (int s = 0; s < slots; ++s) {
    if (const NodeDescription* node = node_description(graph, s)) {
      out(SlotKind::node, *node);
      builder.add(*node);
      continue;
    }
    const int control = passed_control(graph, s);
    if (control < 0) refuse("slot " + std::to_string(s) + " of the control graph");
    out(SlotKind::number, control, graph.controls()[control]);
    builder.add(control, graph.controls()[control]);
  }
  // Most controls are as their nodes make them: only others are written.
  const ControlGraph& made = *builder.graph();
  if (made.controls().size() != graph.controls().size()) refuse("a control that no node has");
  std::vector<std::int32_t> others;
  for (std::size_t c = 0; c < graph.controls().size(); ++c) {
    if (made.controls()[c].name != graph.controls()[c].name)
      refuse("control \"" + graph.controls()[c].name + "\", which is not where its node would put it,");
    if (!same(made.controls()[c], graph.controls()[c])) others.push_back(static_cast<int>(c));
  }
  out(others);
  for (const int c : others) out(graph.controls()[c]);
}

std::shared_ptr<const ControlGraph> unpack_graph(Unpacker& in) {
  GraphBuilder builder;
  const auto slots = in.next<std::int32_t>();
  in.require(slots >= 0, "the control graph");
  for (int s = 0; s < slots; ++s) {
    const auto kind = in.next<SlotKind>();
    if (kind == SlotKind::node) {
      const auto node = in.next<NodeDescription>();
      const ControlGraph& graph = *builder.graph();
      in.require(node.parent_slot >= -1 && node.parent_slot < s &&
                     (node.parent_slot < 0 || graph.slots()[node.parent_slot].size == kTransformSlot),
                 "a node");
      for (const DrivenChannel& each : node.driven)
        in.require(each.source.control < static_cast<int>(graph.controls().size()) && each.source.slot < s,
                   "a driven channel");
      builder.add(node);
      continue;
    }
    in.require(kind == SlotKind::number, "a slot of the control graph");
    const auto control = in.next<std::int32_t>();
    in.require(control >= 0 && control <= static_cast<int>(builder.graph()->controls().size()), "a plain number");
    builder.add(control, in.next<Control>());
  }
  const auto others = in.next<std::vector<std::int32_t>>();
  for (const int c : others) {
    in.require(c >= 0 && c < static_cast<int>(builder.graph()->controls().size()), "a control");
    const auto as = in.next<Control>();
    Control& control = builder.graph()->control(c);
    in.require(as.name == control.name && as.typical > 0 && std::isfinite(as.typical), "a control");
    control = as;
  }
  for (const Control& control : builder.graph()->controls()) in.require(std::isfinite(control.rest), "a control");
  return builder.graph();
}

void pack_points(Packer& out, const BuiltInRig& rig) {
  out(rig.points_rest(), static_cast<std::int32_t>(rig.deformers().size()));
  for (const auto& deformer : rig.deformers()) {
    if (is_linear_skin(*deformer)) {
      const auto& skin = dynamic_cast<const Skin&>(*deformer);
      out(DeformerKind::skin, skin.first(), list(skin.slots()), list(skin.inverse_binds()), list(skin.entry_start()),
          list(skin.entry_slot()), list(skin.weights()));
    } else if (const auto offsets = shape_offsets(*deformer)) {
      out(DeformerKind::shapes, deformer->first(), deformer->count(), list(deformer->slots()));
      for (const MorphTarget& target : targets_of(*deformer, *offsets)) out(target.points, target.offsets);
    } else {
      refuse("a deformer of the rig");
    }
  }
}

std::shared_ptr<const BuiltInRig> unpack_points(Unpacker& in, std::shared_ptr<const ControlGraph> graph) {
  Vec rest = in.next<Vec>();
  in.require(rest.size() % 3 == 0 && rest.allFinite(), "the points of a rig");
  const int points = static_cast<int>(rest.size() / 3);
  std::vector<std::shared_ptr<const Deformer>> deformers;
  const auto count = in.next<std::int32_t>();
  in.require(count >= 0, "the deformers of a rig");
  for (int d = 0; d < count; ++d) {
    const auto kind = in.next<DeformerKind>();
    in.require(kind == DeformerKind::skin || kind == DeformerKind::shapes, "a deformer");
    deformers.push_back(kind == DeformerKind::skin ? unpack_skin(in, *graph, points)
                                                   : unpack_shapes(in, *graph, points));
  }
  return std::make_shared<const BuiltInRig>(std::move(graph), std::move(rest), std::move(deformers));
}

}  // namespace rigspace
