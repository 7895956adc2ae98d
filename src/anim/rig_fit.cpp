#include "rigspace/anim/rig_fit.h"

#include "fitted_clips.h"
#include "fitted_nodes.h"
#include "rigspace/anim/skin_part.h"
#include "rigspace/base/affine.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/mirror.h"
#include "rigspace/rig/skeleton.h"
#include "rigspace/rig/weight_transfer.h"
#include "template_rig.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace rigspace {
namespace {

using Influences = std::vector<std::vector<Influence>>;

constexpr double kWeighty = 0.05;  // a joint carries the points of which it holds so much
constexpr double kFloor = 0.03;    // of the height: skin so near the lowest point stands on the floor
constexpr double kTurned = 0.5;    // degrees: a rest rotation that changed
constexpr const char* kFacing = "facing";

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

class Fitting {
 public:
  Fitting(const Character& source, const RigPlan& plan, const Character& shape, const RigFitOptions& options)
      : source_(source), shape_(shape), options_(options) {
    options.validate();
    if (!options.reference.empty() && options.reference.size() != source.bones.size())
      throw Error({.code = ErrorCode::usage,
                   .element = "RigFitOptions.reference",
                   .value = std::to_string(options.reference.size()),
                   .problem = "has " + std::to_string(options.reference.size()) + " transforms for " +
                              std::to_string(source.bones.size()) + " bones",
                   .remedy = "give one for each bone, or none"});
    read_template(plan);
    const TriMesh whole = rest_surface(shape);
    if (whole.triangles.empty())
      throw Error({.file = shape.name, .problem = "has no triangles", .remedy = "give a mesh with a surface"});
    mesh_ = whole_body(whole);
  }

  RigFit run() {
    RegistrationOptions registration = options_.registration;
    for (const auto& [name, place] : options_.places) registration.landmarks.emplace_back(node(name).place, place);
    registration.progress = part_of_progress(options_.registration.progress, 0, 0.7);
    registration_.emplace(body_.mesh, mesh_.mesh, registration);
    result_.residual = registration_->residual(), result_.scale = registration_->scale();
    result_.tips = static_cast<int>(registration_->matches().size());
    result_.template_tips = static_cast<int>(registration_->from_tips().tips.size());
    result_.mesh_tips = static_cast<int>(registration_->to_tips().tips.size());
    if (result_.residual > options_.most_residual)
      throw Error({.file = shape_.name,
                   .value = std::to_string(result_.residual),
                   .problem = "stays " + percent(result_.residual) +
                              " of its size away from the template's body, deformed to fit; at most " +
                              percent(options_.most_residual) + " are taken for a fit",
                   .remedy = "give a template of the same kind, or its heading and the places of some joints"});
    fit();
    report(options_.registration.progress, "carrying weights over", 0.8);
    build_rig();
    carry_clips();
    return std::move(result_);
  }

 private:
  void read_template(const RigPlan& plan) {
    const auto* rig = dynamic_cast<const BuiltInRig*>(source_.rig.get());
    influences_.resize(source_.rig->point_count());
    std::set<int> bones;
    for (const SkinPart& part : skin_parts(source_, true))
      for (std::size_t k = 0; k < part.points.size(); ++k)
        for (const Influence& each : part.influences[k])
          if (part.bones[each.joint] >= 0 && each.weight > 0) {
            influences_[part.points[k]].push_back({part.bones[each.joint], each.weight});
            bones.insert(part.bones[each.joint]);
          }
    TriMesh surface = rest_surface(source_);
    if (rig != nullptr && !options_.reference.empty()) pose_points(*rig, surface.points);
    std::erase_if(surface.triangles, [&](const Triangle& t) {
      return influences_[t[0]].empty() || influences_[t[1]].empty() || influences_[t[2]].empty();
    });
    if (rig == nullptr || bones.size() < 2 || surface.triangles.empty())
      throw Error({.file = source_.name,
                   .problem = "has no skin of two joints or more, so it is no template",
                   .remedy = "give a character whose joints move its surface"});
    body_ = whole_body(surface);
    plan_ = bare_plan(plan, result_.warnings);
    plan_.nodes = ordered(plan_.nodes);
    before_ = transforms_at_rest(build(plan_));
    for (int b = 0; b < std::ssize(source_.bones); ++b) name_of_.push_back(node_name(source_, rig->graph(), b));
    if (!options_.reference.empty()) pose_nodes();
    std::map<std::string, int> index;
    const auto add = [&](const std::string& name, const std::string& parent) {
      const auto above = index.find(parent);
      index[name] = static_cast<int>(nodes_.size());
      nodes_.push_back({.name = name,
                        .parent = above == index.end() ? -1 : above->second,
                        .place = before_.contains(name) ? Vec3(translation(before_.at(name))) : Vec3(Vec3::Zero())});
    };
    for (const plan::Node& each : plan_.nodes) add(each.name, each.parent);
    for (const int b : bones)
      if (const auto found = index.find(name_of_[b]); found != index.end()) nodes_[found->second].carries = true;
    const Box box = bounding_box(body_.mesh.points);
    for (int k = 0; k < body_.mesh.point_count(); ++k) {
      if (point(body_.mesh.points, k).y() > box.low.y() + kFloor * box.size().y()) continue;
      const auto& list = influences_[body_.source[k]];
      const auto most =
          std::max_element(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.weight < b.weight; });
      if (most == list.end() || most->weight < kWeighty) continue;
      if (const auto found = index.find(name_of_[most->joint]); found != index.end())
        nodes_[found->second].on_floor = true;
    }
    floor_ = box.low.y();
  }

  /// The skin on the bones of the reference pose.
  void pose_points(const BuiltInRig& rig, Vec& points) const {
    for (const auto& deformer : rig.deformers()) {
      const SkinDescription* skin = is_linear_skin(*deformer) ? skin_description(*deformer) : nullptr;
      if (skin == nullptr) continue;
      std::vector<Affine> move;
      for (std::size_t j = 0; j < skin->joint_slots.size(); ++j) {
        const auto bone = std::find_if(source_.bones.begin(), source_.bones.end(),
                                       [&](const Bone& each) { return each.slot == skin->joint_slots[j]; });
        move.push_back(bone == source_.bones.end()
                           ? identity_affine()
                           : compose(options_.reference[bone - source_.bones.begin()], skin->inverse_bind[j]));
      }
      for (int k = 0; k < deformer->count(); ++k) {
        Vec3 x = Vec3::Zero();
        double sum = 0;
        for (const Influence& each : skin->influences[k]) {
          x += each.weight * apply(move[each.joint], point(rig.points_rest(), deformer->first() + k));
          sum += each.weight;
        }
        if (sum > 0) point(points, deformer->first() + k) = x / sum;
      }
    }
  }

  /// Bones stand as in the reference pose; nodes that are no bones keep their place beside their parent.
  void pose_nodes() {
    const std::map<std::string, Affine> rest = before_;
    std::map<std::string, int> bone_of;
    for (int b = 0; b < std::ssize(name_of_); ++b) bone_of.emplace(name_of_[b], b);
    for (const plan::Node& each : plan_.nodes) {
      if (const auto bone = bone_of.find(each.name); bone != bone_of.end())
        before_[each.name] = options_.reference[bone->second];
      else if (rest.contains(each.parent))
        before_[each.name] =
            compose(before_.at(each.parent), compose(inverse(rest.at(each.parent)), rest.at(each.name)));
    }
  }

  const TemplateNode& node(const std::string& name) const {
    const auto found = std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& each) { return each.name == name; });
    if (found == nodes_.end())
      throw Error({.code = ErrorCode::usage,
                   .file = source_.name,
                   .element = "joint \"" + name + "\"",
                   .problem = "is not in the template",
                   .remedy = "`rigspace info` lists its joints"});
    return *found;
  }

  void fit() {
    NodeFitOptions options{.places = options_.places};
    if (options_.symmetric) options.mirror_axis = mirror_axis_of(mesh_.mesh);
    if (options.mirror_axis >= 0) options.mirror_middle = bounding_box(mesh_.mesh.points).center()[options.mirror_axis];
    const std::vector<FittedNode> fitted = fit_nodes(nodes_, *registration_, body_.mesh, mesh_.mesh, options);
    for (std::size_t j = 0; j < nodes_.size(); ++j) fitted_[nodes_[j].name] = fitted[j];
    place_nodes();
  }

  /// Where a frame goes that is no node: with the nearest joint that carries skin.
  Affine carried(const Affine& A) const {
    const TemplateNode* nearest = nullptr;
    double least = 0;
    for (const TemplateNode& each : nodes_)
      if (const double apart = (each.place - translation(A)).norm(); each.carries && (!nearest || apart < least))
        nearest = &each, least = apart;
    const FittedNode& there = fitted_.at(nearest->name);
    Affine result;
    linear(result) = there.turn * linear(A);
    translation(result) = there.place + registration_->scale() * (there.turn * (translation(A) - nearest->place));
    return result;
  }

  Affine new_world(const std::string& name) const {
    if (name.empty()) return identity_affine();
    const Affine& A = before_.at(name);
    const auto found = fitted_.find(name);
    if (found == fitted_.end()) return carried(A);
    Affine result;
    linear(result) = found->second.turn * linear(A);
    translation(result) = found->second.place;
    return result;
  }

  void place_nodes() {
    const bool turned = !registration_->facing().isIdentity(1e-9);
    const std::string top = turned ? kFacing : "";
    Affine above = identity_affine();
    linear(above) = registration_->facing();
    const auto parent_world = [&](const std::string& parent) { return parent.empty() ? above : new_world(parent); };
    double hips = 1;
    for (const TemplateNode& each : nodes_)  // the first joint
      if (each.carries) {
        const double own = each.place.y() - floor_,
                     now = fitted_.at(each.name).place.y() - bounding_box(mesh_.mesh.points).low.y();
        hips = own > 0.05 * bounding_box(body_.mesh.points).size().y() && now > 0 ? now / own : registration_->scale();
        break;
      }
    std::set<std::string> sheared;
    std::map<std::string, bool> within;  // a joint that carries skin, or below one
    for (plan::Node& each : plan_.nodes) {
      const Affine local = compose(inverse(parent_world(each.parent)), new_world(each.name));
      const Affine M = compose(local, inverse(each.constant));
      KeyChange& change = changes_[each.name];
      change.rest = each.translation, change.rotation = each.rotation;
      const Mat3 R = nearest_rotation(linear(M)), S = R.transpose() * linear(M);
      if ((S - Mat3(S.diagonal().asDiagonal())).norm() > 1e-3 * S.norm()) sheared.insert(each.name);
      each.translation = translation(M), each.rotation = Quat(R), each.scale = S.diagonal();
      change.new_rest = each.translation;
      change.turned = each.rotation.angularDistance(change.rotation) > kTurned * kDegree;
      const bool below = each.parent.empty() ? false : within[each.parent];
      within[each.name] = below || node(each.name).carries;
      const double length = change.rest.norm();
      change.scale = below && length > 1e-6 ? std::clamp(change.new_rest.norm() / length, 0.2 * hips, 5 * hips) : hips;
      each.typical_length *= registration_->scale();
      if (each.parent.empty()) each.parent = top;
    }
    for (const std::string& name : sheared)
      result_.warnings.push_back("node \"" + name + "\" would be sheared at its new place, which is left out");
    place_rest(parent_world, top);
    if (turned) {
      result_.warnings.emplace_back("the mesh has another heading than the template: node \"facing\" turns it");
      plan_.nodes.insert(plan_.nodes.begin(), {.name = kFacing,
                                               .parent = {},
                                               .rotation = Quat(registration_->facing()),
                                               .typical_length = registration_->size() / 10});
    }
  }

  /// Points, pivots and lengths of constraints.
  template <class ParentWorld>
  void place_rest(const ParentWorld& parent_world, const std::string& top) {
    for (plan::Point& each : plan_.points) {
      const Affine parent = each.parent.empty() ? identity_affine() : before_.at(each.parent);
      each.position = apply(inverse(parent_world(each.parent)), new_place(apply(parent, each.position)));
      each.typical_length *= registration_->scale();
      if (each.parent.empty()) each.parent = top;
    }
    for (plan::FootRoll& each : plan_.foot_rolls) {
      const Affine own = before_.at(each.foot), now = inverse(new_world(each.foot));
      for (Vec3* pivot : {&each.heel, &each.ball, &each.toe, &each.inner, &each.outer, &each.ankle})
        *pivot = apply(now, new_place(apply(own, *pivot)));
    }
    for (plan::Constraint& each : plan_.constraints) {
      each.nearest *= registration_->scale(), each.farthest *= registration_->scale();
      const auto change = changes_.find(each.name);
      if (each.kind != plan::Constraint::Kind::limit_translation || change == changes_.end()) continue;
      for (Vec3* limit : {&each.low, &each.high})
        *limit = change->second.new_rest + change->second.scale * (*limit - change->second.rest);
    }
  }

  Vec3 new_place(const Vec3& x) const {
    if (registration_->from_voxels().at(x) >= 0) return (*registration_)(x);
    Affine A = identity_affine();
    translation(A) = x;
    return translation(carried(A));
  }

  Influences new_weights(const TriMesh& surface) const {
    TriMesh deformed = body_.mesh;
    for (int k = 0; k < deformed.point_count(); ++k)
      point(deformed.points, k) = (*registration_)(point(body_.mesh.points, k));
    Influences own;
    for (const int v : body_.source) own.push_back(influences_[v]);
    const SkinnedSurface skin{deformed, own};
    return transfer_weights(skin, surface, {.angle = 45, .smoothing = 2, .most_influences = options_.keep}).influences;
  }

  void build_rig() {
    Character& character = result_.character;
    character.name = shape_.name;
    character.materials = shape_.materials, character.images = shape_.images;
    const TriMesh surface = rest_surface(shape_);
    const Influences weights = new_weights(surface);
    const std::map<std::string, Affine> world = transforms_at_rest(build(plan_));
    plan::Skin skin;
    std::map<int, int> joint_of;
    for (const auto& list : weights)
      for (const Influence& each : list)
        if (const auto [at, is_new] = joint_of.try_emplace(each.joint, static_cast<int>(skin.joints.size())); is_new) {
          skin.joints.push_back(name_of_[each.joint]);
          skin.inverse_bind.push_back(inverse(world.at(skin.joints.back())));
        }
    plan_.points_rest = surface.points;
    std::set<std::string> taken;
    for (const Piece& piece : shape_.pieces) {
      if (!piece.drawn) continue;
      Piece& own = character.pieces.emplace_back(piece);
      own.rest_normals.clear();  // in the space of the node that the mesh had
      std::erase_if(own.name, [](char c) { return c == '*' || c == '?'; });
      const std::string name = own.name.empty() ? "mesh" : own.name;
      own.name = name;
      for (int n = 2; !taken.insert(own.name).second; ++n) own.name = name + "#" + std::to_string(n);
      plan_.pieces.push_back({own.name, own.first_point, own.point_count});
      skin.influences.clear();
      for (int k = 0; k < own.point_count; ++k) {
        auto& list = skin.influences.emplace_back();
        for (const Influence& each : weights[own.first_point + k])
          list.push_back({joint_of.at(each.joint), each.weight});
      }
      plan_.deformers.push_back({.name = "skin_" + own.name, .pieces = {own.name}, .kind = skin});
    }
    const BuiltRig built = build(plan_);
    character.rig = built.rig;
    for (std::size_t b = 0; b < source_.bones.size(); ++b) {
      character.bones.push_back(source_.bones[b]);
      const auto slot = built.transforms.find(name_of_[b]);
      character.bones[b].slot = slot == built.transforms.end() ? -1 : slot->second;
    }
    result_.plan = plan_;
  }

  void carry_clips() {
    std::vector<std::string> dropped;
    for (const Animation& clip : source_.clips)
      result_.character.clips.push_back(fitted_clip(clip, changes_, result_.character.rig->controls(), dropped));
    std::sort(dropped.begin(), dropped.end());
    dropped.erase(std::unique(dropped.begin(), dropped.end()), dropped.end());
    if (!dropped.empty())
      result_.warnings.push_back("keys of " + std::to_string(dropped.size()) +
                                 " controls that the new rig does not have are left out: " + dropped.front() +
                                 (dropped.size() > 1 ? " .." : ""));
  }

  const Character &source_, &shape_;
  const RigFitOptions& options_;
  RigPlan plan_;
  Influences influences_;     // of the template's points, joints counted in its bones
  TemplateBody body_, mesh_;  // of the template, of the mesh
  double floor_ = 0;
  std::vector<std::string> name_of_;  // of each bone, in the plan
  std::vector<TemplateNode> nodes_;
  std::map<std::string, Affine> before_;  // transforms at rest
  std::map<std::string, FittedNode> fitted_;
  std::map<std::string, KeyChange> changes_;
  std::optional<BodyRegistration> registration_;
  RigFit result_;
};

}  // namespace

void RigFitOptions::validate() const {
  registration.validate();
  require_option(keep >= 1, "keep", keep, "give 1 or more");
  require_option(most_residual > 0, "most_residual", most_residual, "give a share of the size");
}

RigFit fit_rig(const Character& source, const RigPlan& plan, const Character& shape, const RigFitOptions& options) {
  return Fitting(source, plan, shape, options).run();
}

RigFit fit_rig(const Character& source, const Character& shape, const RigFitOptions& options) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(source.rig.get());
  if (rig == nullptr)
    throw Error({.file = source.name,
                 .problem = "has a rig that is not built of nodes and skins",
                 .remedy = "give a glTF or a rig file"});
  RigPlan plan = plan_of(*rig);
  return fit_rig(source, plan, shape, options);
}

}  // namespace rigspace
