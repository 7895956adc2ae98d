#include "rigspace/rig/rig_plan.h"

#include "plan_graph.h"
#include "plan_lattice.h"
#include "rigspace/base/affine.h"
#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/rig/cluster.h"
#include "rigspace/rig/points.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

class Builder {
 public:
  explicit Builder(const RigPlan& plan) : plan_(with_lattice_points(plan)), graph_(plan_) {
    const double size = plan_.points_rest.size() > 0 ? bounding_box(plan_.points_rest).size().maxCoeff() : 1;
    drift_ = 0.1 * size;
    for (const plan::Deformer& each : plan_.deformers)
      if (const auto* skin = std::get_if<plan::Skin>(&each.kind)) collect_weights(each, *skin);
  }

  BuiltRig build() {
    touched_.assign(static_cast<std::size_t>(plan_.points_rest.size() / 3), Touched::no);
    for (const plan::Deformer& each : plan_.deformers) {
      bool any = false;
      if (const auto* wrap = std::get_if<plan::Wrap>(&each.kind)) find_surface(*wrap, each);
      for (const plan::PointRun& run : runs_of(each))
        if (auto deformer = with_origin(who(each), [&] { return make(each, run); })) {
          any = true;
          deformers_.push_back(std::move(deformer));
        }
      if (!any) PlanGraph::fail(who(each), "moves no point", "look at its pieces and at where it acts");
    }
    apply_rules();
    return {std::make_shared<BuiltInRig>(graph_.shared_graph(), plan_.points_rest, std::move(deformers_)),
            graph_.transforms()};
  }

 private:
  enum class Touched : char { no, nearby, anywhere };

  std::vector<plan::PointRun> runs_of(const plan::Deformer& deformer) const {
    std::vector<plan::PointRun> runs;
    const auto takes = [&](const plan::PointRun& run) {
      return deformer.pieces.empty() || std::any_of(deformer.pieces.begin(), deformer.pieces.end(),
                                                    [&](const auto& p) { return matches_pattern(run.name, p); });
    };
    for (const plan::PointRun& run : plan_.pieces)
      if (takes(run)) runs.push_back(run);
    for (const std::string& pattern : deformer.pieces)
      if (std::none_of(plan_.pieces.begin(), plan_.pieces.end(),
                       [&](const auto& run) { return matches_pattern(run.name, pattern); }))
        PlanGraph::fail(who(deformer), "names the piece \"" + pattern + "\", which is not there",
                        known_pieces(pattern));
    return runs;
  }

  std::string known_pieces(const std::string& asked) const {
    std::vector<std::string> names;
    for (const plan::PointRun& run : plan_.pieces) names.push_back(run.name);
    return suggestion(asked, names, "`rigspace info --json` lists them");
  }

  void collect_weights(const plan::Deformer& deformer, const plan::Skin& skin) {
    for (const plan::PointRun& run : runs_of(deformer)) {
      if (static_cast<int>(skin.influences.size()) != run.count)
        PlanGraph::fail(
            who(deformer),
            "has weights for " + std::to_string(skin.influences.size()) + " points of piece \"" + run.name + "\"",
            "expected " + std::to_string(run.count));
      for (int k = 0; k < run.count; ++k) skin_of_[run.first + k] = {&skin, k};
    }
  }

  double skin_weight(int point, const std::vector<std::string>& joints) const {
    const auto found = skin_of_.find(point);
    if (found == skin_of_.end()) return 0;
    const auto& [skin, k] = found->second;
    double sum = 0;
    for (const Influence& each : skin->influences[k])
      if (std::any_of(joints.begin(), joints.end(),
                      [&](const auto& pattern) { return matches_pattern(skin->joints[each.joint], pattern); }))
        sum += each.weight;
    return sum;
  }

  /// One factor per point of the run.
  std::vector<double> weights(const plan::Mask& mask, const plan::PointRun& run, const Who& user) const {
    std::vector<double> result(run.count, 1.0);
    if (!mask.points.empty()) {
      if (mask.weights.size() != mask.points.size())
        PlanGraph::fail(user, "has " + std::to_string(mask.points.size()) + " points and " +
                                  std::to_string(mask.weights.size()) + " weights");
      result.assign(run.count, 0.0);
      for (std::size_t i = 0; i < mask.points.size(); ++i) {
        if (mask.points[i] < 0 || mask.points[i] >= run.count)
          PlanGraph::fail(user, "weighs point " + std::to_string(mask.points[i]) + " of piece \"" + run.name + "\"",
                          "it has " + std::to_string(run.count) + " points");
        result[mask.points[i]] = mask.weights[i];
      }
    }
    for (int k = 0; k < run.count && !mask.joints.empty(); ++k) result[k] *= skin_weight(run.first + k, mask.joints);
    for (int k = 0; k < run.count && !mask.balls.empty(); ++k) {
      double strongest = 0;
      for (const plan::Mask::Ball& ball : mask.balls) {
        const double d = (point(plan_.points_rest, run.first + k) - ball.center).norm();
        const double share = std::clamp((ball.outer - d) / std::max(ball.outer - ball.inner, 1e-300), 0.0, 1.0);
        strongest = std::max(strongest, share * share * (3 - 2 * share));
      }
      result[k] *= strongest;
    }
    return result;
  }

  /// Nothing if the mask is zero on all of the run. What an earlier deformer moved may be found within the drift.
  std::optional<DeformedPoints> deformed(const plan::Mask& mask, const plan::PointRun& run, const Who& user) {
    DeformedPoints points{.first = run.first, .count = run.count, .weights = {}, .rest = {}};
    if (!mask.is_everywhere()) {
      points.weights = weights(mask, run, user);
      if (std::all_of(points.weights.begin(), points.weights.end(), [](double w) { return w == 0; }))
        return std::nullopt;
    }
    const auto begin = touched_.begin() + run.first, end = begin + run.count;
    const Touched most = run.count > 0 ? *std::max_element(begin, end) : Touched::no;
    if (most != Touched::anywhere) {
      points.rest = plan_.points_rest.segment(3 * run.first, 3 * run.count);
      points.drift = most == Touched::no ? 0 : drift_;
    }
    std::replace(begin, end, Touched::no, Touched::nearby);
    return points;
  }

  std::unique_ptr<Deformer> make(const plan::Deformer& deformer, const plan::PointRun& run) {
    return std::visit([&](const auto& kind) { return make(kind, deformer, run); }, deformer.kind);
  }

  std::unique_ptr<Deformer> make(const std::shared_ptr<const plan::OwnDeformer>& own, const plan::Deformer& deformer,
                                 const plan::PointRun& run) {
    const Who user = who(deformer);
    std::fill_n(touched_.begin() + run.first, run.count, Touched::anywhere);
    return own->make({.graph = graph_.graph(),
                      .points_rest = plan_.points_rest,
                      .run = run,
                      .transform = [&](const std::string& node) { return graph_.transform(node, user); },
                      .scalar = [&](const plan::Value& v, Unit unit) { return graph_.scalar_slot(v, unit, user); }});
  }

  std::unique_ptr<Deformer> make(const plan::Skin& skin, const plan::Deformer& deformer, const plan::PointRun& run) {
    SkinDescription description{
        .first_point = run.first, .joint_slots = {}, .inverse_bind = skin.inverse_bind, .influences = skin.influences};
    if (skin.inverse_bind.size() != skin.joints.size())
      PlanGraph::fail(who(deformer), "has " + std::to_string(skin.inverse_bind.size()) + " bind matrices for " +
                                         std::to_string(skin.joints.size()) + " joints");
    for (const std::string& joint : skin.joints)
      description.joint_slots.push_back(graph_.transform(joint, who(deformer)));
    std::fill_n(touched_.begin() + run.first, run.count, Touched::anywhere);
    return skin.dual_quaternion ? make_dual_quaternion_skin(description) : make_linear_blend_skin(description);
  }

  std::unique_ptr<Deformer> make(const plan::Shapes& shapes, const plan::Deformer& deformer,
                                 const plan::PointRun& run) {
    std::vector<MorphTarget> targets;
    for (const plan::Shape& shape : shapes.targets) {
      for (const int k : shape.points)
        if (k < 0 || k >= run.count)
          PlanGraph::fail(who(deformer), "moves point " + std::to_string(k) + " of piece \"" + run.name + "\"",
                          "it has " + std::to_string(run.count) + " points");
      targets.push_back({graph_.scalar_slot(shape.weight, Unit::scalar, who(deformer)), shape.points, shape.offsets});
    }
    std::replace(touched_.begin() + run.first, touched_.begin() + run.first + run.count, Touched::no, Touched::nearby);
    return make_blend_shapes(run.first, run.count, targets);
  }

  std::unique_ptr<Deformer> make(const plan::Lattice& lattice, const plan::Deformer& deformer,
                                 const plan::PointRun& run) {
    if (!reaches(lattice, run)) return nullptr;
    const auto points = deformed(lattice.where, run, who(deformer));
    if (!points) return nullptr;
    LatticeDescription description = shape_of(lattice);
    description.points = *points;
    const std::vector<Vec3> at_rest = lattice_points(description);
    for (int k = 0; k < static_cast<int>(at_rest.size()); ++k) {
      const std::array<int, 3> at = lattice_place(lattice.size, k);
      description.point_slots.push_back(is_free(lattice, at)
                                            ? graph_.slot(lattice_point_name(deformer.name, at), who(deformer))
                                            : add_fixed_point(graph_.graph(), at_rest[k]));
    }
    return make_lattice(description);
  }

  /// True if a point of the run rests within the lattice, or where it fades.
  bool reaches(const plan::Lattice& lattice, const plan::PointRun& run) const {
    if (lattice.outside == LatticeOutside::extend) return true;
    const Affine to_box = inverse(lattice.frame);
    const Vec3 margin = lattice.outside == LatticeOutside::fade ? lattice.margin : Vec3(Vec3::Zero());
    for (int k = 0; k < run.count; ++k) {
      const Vec3 local = apply(to_box, point(plan_.points_rest, run.first + k));
      if (((local + margin).array() >= 0).all() && ((local - margin).array() <= 1).all()) return true;
    }
    return false;
  }

  std::unique_ptr<Deformer> make(const plan::Wire& wire, const plan::Deformer& deformer, const plan::PointRun& run) {
    const Who user = who(deformer);
    const auto points = deformed(wire.where, run, user);
    if (!points) return nullptr;
    WireDescription description{.points = *points,
                                .curve = wire.curve,
                                .point_slots = {},
                                .points_rest = {},
                                .radius = wire.radius,
                                .thinning = wire.thinning};
    for (const std::string& name : wire.points) {
      const int slot = graph_.slot(name, user);
      description.point_slots.push_back(graph_.graph().slots()[slot].size == kPointSlot
                                            ? slot
                                            : add_point_of_transform(graph_.graph(), slot, Vec3::Zero()));
    }
    const Vec rest = rest_slots(graph_.graph());
    for (const int slot : description.point_slots)
      description.points_rest.push_back(rest.segment<3>(graph_.graph().slots()[slot].offset));
    const auto slot_unless = [&](const plan::Value& value, double plain, Unit unit) {
      return value == plan::Value(plain) ? -1 : graph_.scalar_slot(value, unit, user);
    };
    description.roll_start_slot = slot_unless(wire.start_roll, 0, Unit::angle);
    description.roll_end_slot = slot_unless(wire.end_roll, 0, Unit::angle);
    description.thickness_slot = slot_unless(wire.thickness, 1, Unit::scalar);
    description.strength_slot = slot_unless(wire.strength, 1, Unit::scalar);
    return make_wire(description);
  }

  std::unique_ptr<Deformer> make(const plan::Nonlinear& nonlinear, const plan::Deformer& deformer,
                                 const plan::PointRun& run) {
    const Who user = who(deformer);
    const auto points = deformed(nonlinear.where, run, user);
    if (!points) return nullptr;
    NonlinearDescription description{.points = *points,
                                     .kind = nonlinear.kind,
                                     .frame = nonlinear.frame,
                                     .handle_slot = -1,
                                     .low = nonlinear.low,
                                     .high = nonlinear.high,
                                     .rounding = nonlinear.rounding};
    if (!nonlinear.handle.empty()) {
      description.handle_slot = graph_.transform(nonlinear.handle, user);
      // The frame is given in the rig's space at rest; the deformer takes it in the handle's.
      const Vec rest = rest_slots(graph_.graph());
      const Affine world = transform_at(rest, graph_.graph().slots()[description.handle_slot]);
      description.frame = compose(inverse(world), nonlinear.frame);
    }
    for (const auto& [name, value] : nonlinear.parameters)
      if (std::none_of(parameters(nonlinear.kind).begin(), parameters(nonlinear.kind).end(),
                       [&](const NonlinearParameter& p) { return p.name == name; })) {
        std::string known;
        for (const NonlinearParameter& p : parameters(nonlinear.kind))
          known += (known.empty() ? "" : ", ") + std::string(p.name);
        PlanGraph::fail(user, "has no parameter \"" + name + "\"", "expected " + known);
      }
    for (const NonlinearParameter& parameter : parameters(nonlinear.kind)) {
      const auto found = nonlinear.parameters.find(std::string(parameter.name));
      const bool given = found != nonlinear.parameters.end();
      const bool turned = given && !found->second.expression.empty();
      description.parameter_slots.push_back(turned ? graph_.scalar_slot(found->second, parameter.unit, user) : -1);
      description.parameter_values.push_back(
          !given || turned ? parameter.rest : found->second.number * (parameter.unit == Unit::angle ? kDegree : 1));
    }
    return make_nonlinear(description);
  }

  std::unique_ptr<Deformer> make(const plan::Clusters& clusters, const plan::Deformer& deformer,
                                 const plan::PointRun& run) {
    const Who user = who(deformer);
    ClusterDescription description{.first_point = run.first,
                                   .transform_slots = {},
                                   .inverse_rest = {},
                                   .influences = std::vector<std::vector<Influence>>(run.count)};
    bool any = false;
    for (const plan::Cluster& cluster : clusters.clusters) {
      const int index = static_cast<int>(description.transform_slots.size());
      description.transform_slots.push_back(graph_.transform(cluster.node, user));
      const std::vector<double> weight = weights(cluster.where, run, user);
      for (int k = 0; k < run.count; ++k)
        if (weight[k] != 0) {
          description.influences[k].push_back({index, weight[k]});
          any = true;
        }
    }
    if (!any) return nullptr;
    const Vec rest = rest_slots(graph_.graph());
    for (const int slot : description.transform_slots) {
      description.inverse_rest.push_back(inverse(transform_at(rest, graph_.graph().slots()[slot])));
    }
    std::replace(touched_.begin() + run.first, touched_.begin() + run.first + run.count, Touched::no, Touched::nearby);
    return make_clusters(description);
  }

  /// Where all points rest as far as the stack goes, and the triangles of the pieces to follow.
  void find_surface(const plan::Wrap& wrap, const plan::Deformer& deformer) {
    const BuiltInRig so_far(graph_.shared_graph(), plan_.points_rest, deformers_);
    const auto workspace = so_far.make_workspace();
    so_far.evaluate(*workspace, so_far.rest(), surface_.points);
    so_far.rest_jacobian(*workspace, so_far.rest(), rest_slopes_);
    surface_.triangles.clear();
    followed_.assign(touched_.size(), 0);
    if (wrap.to.empty()) PlanGraph::fail(who(deformer), "follows no piece", "name some with \"to\"");
    for (const plan::PointRun& run :
         runs_of({.name = deformer.name, .pieces = wrap.to, .kind = {}, .origin = deformer.origin}))
      std::fill_n(followed_.begin() + run.first, run.count, 1);
    TriMesh{plan_.points_rest, plan_.triangles}.validate("the rig's surface");
    for (const Triangle& triangle : plan_.triangles) {
      const Vec3 a = point(surface_.points, triangle[0]), b = point(surface_.points, triangle[1]) - a,
                 c = point(surface_.points, triangle[2]) - a;
      const double longest = std::max({b.norm(), c.norm(), (b - c).norm()});
      if (followed_[triangle[0]] && b.cross(c).norm() > 1e-8 * longest * longest)
        surface_.triangles.push_back(triangle);
    }
    if (surface_.triangles.empty())
      PlanGraph::fail(who(deformer), "follows pieces without triangles", "name pieces that have a surface");
  }

  std::unique_ptr<Deformer> make(const plan::Wrap& wrap, const plan::Deformer& deformer, const plan::PointRun& run) {
    if (run.count > 0 && followed_[run.first]) {
      if (deformer.pieces.empty()) return nullptr;
      PlanGraph::fail(who(deformer), "wraps the piece \"" + run.name + "\", which it follows",
                      "name other pieces, or others to follow");
    }
    WrapDescription description{
        .first_point = run.first,
        .weights = weights(wrap.where, run, who(deformer)),
        .surface = surface_,
        .rest_slopes = {rest_slopes_.begin() + run.first, rest_slopes_.begin() + run.first + run.count},
        .options = {.blend = wrap.blend, .max_triangles = wrap.max_triangles}};
    const auto& weight = description.weights;
    if (std::all_of(weight.begin(), weight.end(), [](double w) { return w == 0; })) return nullptr;
    std::fill_n(touched_.begin() + run.first, run.count, Touched::anywhere);
    return make_wrap(description);
  }

  void apply_rules() {
    for (const plan::ControlRule& rule : plan_.rules) {
      bool any = false;
      for (int i = 0; i < static_cast<int>(graph_.graph().controls().size()); ++i) {
        Control& control = graph_.graph().control(i);
        if (control.unit == Unit::quaternion || !matches(control, rule.pattern)) continue;
        any = true;
        const double unit = control.unit == Unit::angle ? kDegree : 1;
        if (!rule.group.empty()) control.group = rule.group;
        if (std::isfinite(rule.min)) control.min = rule.min * unit;
        if (std::isfinite(rule.max)) control.max = rule.max * unit;
        if (rule.typical > 0) control.typical = rule.typical * unit;
        if (control.min > control.rest || control.max < control.rest)
          throw Error({.file = rule.origin,
                       .element = "control \"" + control.name + "\"",
                       .problem = "rests outside its limits",
                       .remedy = "widen them, or move its rest"});
      }
      if (!any)
        throw Error({.file = rule.origin,
                     .element = "control rule \"" + rule.pattern + "\"",
                     .problem = "matches no control",
                     .remedy = "`rigspace info --controls` lists them"});
    }
  }

  RigPlan plan_;
  PlanGraph graph_;
  double drift_ = 0;
  std::vector<std::shared_ptr<const Deformer>> deformers_;
  std::vector<Touched> touched_;
  // Of the wrap that is being made:
  TriMesh surface_;
  std::vector<Mat3> rest_slopes_;
  std::vector<char> followed_;
  std::map<int, std::pair<const plan::Skin*, int>> skin_of_;  // per point
};

}  // namespace

BuiltRig build(const RigPlan& plan) { return Builder(plan).build(); }

}  // namespace rigspace
