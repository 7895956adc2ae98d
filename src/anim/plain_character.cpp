#include "rigspace/anim/plain_character.h"

#include "plain_skin.h"
#include "principal_shapes.h"
#include "rigspace/anim/bake.h"
#include "rigspace/base/affine.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace rigspace {
namespace {

struct LocalTransform {
  Vec3 translation;
  Quat rotation;
  Vec3 scale;

  Affine affine() const {
    Affine A;
    linear(A) = rotation.toRotationMatrix() * scale.asDiagonal();
    A.col(3) = translation;
    return A;
  }
};

/// The rotation nearest to L and the lengths of its columns; what is sheared is left to the shapes.
LocalTransform decompose(const Affine& A) {
  const Mat3 L = linear(A);
  const Mat3 R = nearest_rotation(L);
  return {translation(A), Quat(R), (R.transpose() * L).diagonal()};
}

/// The keys of one clip: where every bone is, and all points.
struct Frames {
  std::vector<double> times;
  std::vector<std::vector<LocalTransform>> bones;  // per key
};

class Plainer {
 public:
  Plainer(const Character& character, const PlainOptions& options)
      : from_(character), options_(options), rig_(dynamic_cast<const BuiltInRig*>(character.rig.get())) {
    options.validate();
    evaluation_ = character.rig->make_workspace();
    Vec rest;
    character.rig->evaluate(*evaluation_, character.rig->rest(), rest);
    size_ = bounding_box(rest).size().maxCoeff();
    if (rig_ == nullptr) {  // a black box: points at rest, and all that they do is left to the shapes
      shell_ = std::make_shared<BuiltInRig>(std::make_shared<ControlGraph>(), rest,
                                            std::vector<std::shared_ptr<const Deformer>>());
      rig_ = shell_.get();
    }
    workspace_ = rig_->make_workspace();
  }

  Plain make() {
    find_bones();
    skins_.emplace(from_, *rig_, bones_, rest_world_, size_);
    sample_clips();
    build();
    return std::move(result_);
  }

 private:
  void find_bones() {
    if (!shell_) bones_ = from_.bones;
    // Joints of skins that no bone names, and a root for what no joint holds.
    for (const auto& deformer : rig_->deformers())
      if (const SkinDescription* skin = skin_description(*deformer))
        for (const int slot : skin->joint_slots)
          if (bone_at_slot(bones_, slot) < 0) {
            const NodeDescription* node = node_description(rig_->graph(), slot);
            bones_.push_back({node != nullptr ? node->name : "joint" + std::to_string(slot), -1, slot});
          }
    if (bones_.empty()) bones_.push_back({"root", -1, -1});
    rest_world_ = worlds(bones_at(rig_->rest()));
  }

  /// Local transforms of all bones at p.
  std::vector<LocalTransform> bones_at(In p) const {
    Vec u;
    if (!shell_) rig_->evaluate_slots(*workspace_, p, u);
    std::vector<Affine> world(bones_.size(), Affine::Identity());
    std::vector<LocalTransform> local;
    for (std::size_t b = 0; b < bones_.size(); ++b) {
      if (bones_[b].slot >= 0) world[b] = transform_at(u, rig_->graph().slots()[bones_[b].slot]);
      const int parent = bones_[b].parent;
      local.push_back(decompose(parent < 0 ? world[b] : compose(inverse(world[parent]), world[b])));
      // What follows counts from what the file will hold.
      world[b] = parent < 0 ? local.back().affine() : compose(world[parent], local.back().affine());
    }
    return local;
  }

  std::vector<Affine> worlds(const std::vector<LocalTransform>& local) const {
    std::vector<Affine> world;
    for (std::size_t b = 0; b < bones_.size(); ++b)
      world.push_back(bones_[b].parent < 0 ? local[b].affine() : compose(world[bones_[b].parent], local[b].affine()));
    return world;
  }

  void sample_clips() {
    for (const Piece& piece : from_.pieces) {
      const int k = static_cast<int>(&piece - from_.pieces.data());
      if (!(*skins_)[k].exact && piece.drawn) inexact_.push_back(k);
    }
    left_.resize(inexact_.size());
    for (const Animation& clip : from_.clips) {
      const Sampler sampler(clip, from_.rig->controls());
      Frames frames{.times = frame_times(clip.duration, options_.rate), .bones = {}};
      Vec p = from_.rig->rest(), s;
      for (const double time : frames.times) {
        sampler.sample(time, p);
        poses_.push_back(p);
        frames.bones.push_back(bones_at(p));
        from_.rig->evaluate(*evaluation_, p, s);
        const std::vector<Affine> world = worlds(frames.bones.back());
        for (std::size_t i = 0; i < inexact_.size(); ++i) left_[i].push_back(left_over(inexact_[i], world, s));
      }
      frames_.push_back(std::move(frames));
    }
  }

  /// A^-1 s - X of each point: what shapes under the skin have to do.
  Vec left_over(int k, const std::vector<Affine>& world, const Vec& s) const {
    const Piece& piece = from_.pieces[k];
    Vec d(3 * piece.point_count);
    parallel_ranges(piece.point_count, 256, [&](int from, int to) {
      for (int i = from; i < to; ++i) {
        const int v = piece.first_point + i;
        point(d, i) = apply(inverse(blended((*skins_)[k], i, world)), point(s, v)) - point(rig_->points_rest(), v);
      }
    });
    return d;
  }

  void build() {
    auto graph = std::make_shared<ControlGraph>();
    const std::vector<LocalTransform> rest = bones_at(rig_->rest());
    Character& to = result_.character;
    to = from_;
    to.bones = bones_;
    for (std::size_t b = 0; b < bones_.size(); ++b)
      to.bones[b].slot = add_node(*graph, {.name = bones_[b].name,
                                           .parent_slot = bones_[b].parent < 0 ? -1 : to.bones[bones_[b].parent].slot,
                                           .translation = rest[b].translation,
                                           .rotation = rest[b].rotation,
                                           .scale = rest[b].scale,
                                           .typical_length = 0.1 * size_});
    std::vector<std::shared_ptr<const Deformer>> deformers;
    std::vector<std::pair<int, Vec>> weights;  // control, value at every key of all clips
    for (std::size_t k = 0; k < from_.pieces.size(); ++k) {
      add_shapes(static_cast<int>(k), *graph, deformers, weights);
      deformers.push_back(make_linear_blend_skin(skin_description_of(static_cast<int>(k))));
    }
    Vec points = rig_->points_rest();
    to.rig = std::make_shared<BuiltInRig>(graph, std::move(points), std::move(deformers));
    write_clips(weights);
  }

  SkinDescription skin_description_of(int k) const {
    const PieceSkin& skin = (*skins_)[k];
    SkinDescription description{.first_point = from_.pieces[k].first_point};
    std::map<int, int> joint_of;
    const auto joint = [&](int bone) {
      const auto [found, is_new] = joint_of.try_emplace(bone, static_cast<int>(joint_of.size()));
      if (is_new) {
        description.joint_slots.push_back(result_.character.bones[bone].slot);
        description.inverse_bind.push_back(skin.inverse_bind.at(bone));
      }
      return found->second;
    };
    for (const auto& list : skin.influences) {
      description.influences.emplace_back();
      for (const Influence& each : list) description.influences.back().push_back({joint(each.joint), each.weight});
    }
    return description;
  }

  /// How names of a piece's shapes begin: with the node that shows it, which is its own unless it follows one rigidly.
  std::string shape_owner(int k) const {
    const PieceSkin& skin = (*skins_)[k];
    const int bone = skin.influences.empty() ? -1 : skin.influences.front().front().joint;
    const bool rigid = bone >= 0 && skin.inverse_bind.at(bone) == identity_affine() &&
                       std::all_of(skin.influences.begin(), skin.influences.end(), [&](const auto& list) {
                         return list.size() == 1 && list[0].joint == bone && list[0].weight == 1;
                       });
    return rigid ? bones_[bone].name + ":" + from_.pieces[k].name + "_" : from_.pieces[k].name + ":";
  }

  void add_shapes(int k, ControlGraph& graph, std::vector<std::shared_ptr<const Deformer>>& deformers,
                  std::vector<std::pair<int, Vec>>& weights) {
    const Piece& piece = from_.pieces[k];
    std::vector<MorphTarget> targets;
    if ((*skins_)[k].shapes != nullptr)
      for (const MorphTarget& target : morph_targets(*(*skins_)[k].shapes)) {
        const auto reached = rig_->graph().controls_of(target.weight_slot);
        Control control{.name = piece.name + ":shape", .node = piece.name};
        if (reached.size() == 1) control = rig_->controls()[reached[0]];
        targets.push_back(target);
        targets.back().weight_slot = add_scalar(graph, control);
        weights.emplace_back(static_cast<int>(graph.controls().size()) - 1, slot_over_time(target.weight_slot));
      }
    const auto found = std::find(inexact_.begin(), inexact_.end(), k);
    if (found != inexact_.end()) {
      const std::string owner = shape_owner(k);
      const PrincipalShapes shapes =
          principal_shapes(left_[found - inexact_.begin()], options_.tolerance * size_, options_.most_shapes, size_);
      result_.error = std::max(result_.error, shapes.error / size_);
      result_.shapes += static_cast<int>(shapes.offsets.cols());
      for (Eigen::Index m = 0; m < shapes.offsets.cols(); ++m) {
        const std::string number = std::to_string(m + 1);
        MorphTarget target;
        target.weight_slot = add_scalar(graph, {.name = owner + "motion_" + (m < 9 ? "0" : "") + number,
                                                .node = owner.substr(0, owner.find(':')),
                                                .min = -1,
                                                .max = 1});
        weights.emplace_back(static_cast<int>(graph.controls().size()) - 1, shapes.weights.row(m).transpose());
        for (int i = 0; i < piece.point_count; ++i) {
          const Vec3 offset = shapes.offsets.col(m).segment<3>(3 * i);
          if (offset.norm() <= 1e-6 * size_) continue;
          target.points.push_back(i);
          target.offsets.push_back(offset);
        }
        targets.push_back(std::move(target));
      }
    }
    if (!targets.empty()) deformers.push_back(make_blend_shapes(piece.first_point, piece.point_count, targets));
  }

  Vec slot_over_time(int slot) const {
    Vec values(static_cast<Eigen::Index>(poses_.size())), u;
    for (std::size_t k = 0; k < poses_.size(); ++k) {
      rig_->evaluate_slots(*workspace_, poses_[k], u);
      values[static_cast<Eigen::Index>(k)] = u[rig_->graph().slots()[slot].offset];
    }
    return values;
  }

  void write_clips(const std::vector<std::pair<int, Vec>>& weights) {
    const Rig& rig = *result_.character.rig;
    Eigen::Index before = 0;
    for (std::size_t c = 0; c < from_.clips.size(); ++c) {
      const Frames& frames = frames_[c];
      const Vec rest = rig.rest();
      Mat P(rest.size(), static_cast<Eigen::Index>(frames.times.size()));
      for (Eigen::Index t = 0; t < P.cols(); ++t) {
        P.col(t) = rest;
        for (std::size_t b = 0; b < bones_.size(); ++b) {
          const LocalTransform& local = frames.bones[t][b];
          const int first =
              first_control(dynamic_cast<const BuiltInRig&>(rig).graph(), result_.character.bones[b].slot);
          P.col(t).segment<3>(first) = local.translation;
          P.col(t).segment<4>(first + 3) = local.rotation.coeffs();
          P.col(t).segment<3>(first + 10) = local.scale;
        }
        for (const auto& [control, values] : weights) P(control, t) = values[before + t];
      }
      before += P.cols();
      Animation clip = keys_from_poses(rig.controls(), moving(rig, P), frames.times, P);
      clip.name = from_.clips[c].name;
      result_.character.clips[c] = std::move(clip);
    }
  }

  /// Controls that leave their rest by more than rounding at some key; rotations whole.
  static std::vector<int> moving(const Rig& rig, const Mat& P) {
    std::vector<int> result;
    const Vec rest = rig.rest();
    for (Eigen::Index i = 0; i < P.rows(); ++i) {
      const Control& control = rig.controls()[i];
      const bool turns = control.unit == Unit::quaternion;
      const auto moves = [&](Eigen::Index row) {
        return (P.row(row).array() - rest[row]).abs().maxCoeff() > 1e-9 * std::max(1.0, std::abs(rest[row]));
      };
      if (!turns && moves(i)) result.push_back(static_cast<int>(i));
      if (turns && control.name.ends_with(".qx") && (moves(i) || moves(i + 1) || moves(i + 2) || moves(i + 3)))
        for (int c = 0; c < 4; ++c) result.push_back(static_cast<int>(i) + c);
    }
    return result;
  }

  const Character& from_;
  const PlainOptions& options_;
  const BuiltInRig* rig_;
  std::shared_ptr<const BuiltInRig> shell_;            // stands for a rig that is not built in
  std::unique_ptr<Workspace> workspace_, evaluation_;  // of rig_, and of the character's own
  double size_ = 1;
  std::vector<Affine> rest_world_;  // of the bones
  std::vector<Bone> bones_;
  std::optional<PieceSkins> skins_;
  std::vector<int> inexact_;            // pieces
  std::vector<std::vector<Vec>> left_;  // per inexact piece, per key of all clips
  std::vector<Frames> frames_;          // per clip
  std::vector<Vec> poses_;              // per key of all clips
  Plain result_;
};

}  // namespace

void PlainOptions::validate() const {
  require_option(tolerance > 0 && std::isfinite(tolerance), "PlainOptions.tolerance", tolerance,
                 "expected a positive share");
  require_option(rate > 0 && std::isfinite(rate), "PlainOptions.rate", rate, "expected keys per second");
  require_option(most_shapes >= 0, "PlainOptions.most_shapes", most_shapes, "expected none or more");
}

bool is_plain(const Character& character) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr) return false;
  for (int slot = 0; slot < static_cast<int>(rig->graph().slots().size()); ++slot) {
    const NodeDescription* node = node_description(rig->graph(), slot);
    if (node != nullptr ? !node->driven.empty() : passed_control(rig->graph(), slot) < 0) return false;
  }
  return std::all_of(rig->deformers().begin(), rig->deformers().end(), [](const auto& deformer) {
    return (is_linear_skin(*deformer) && skin_description(*deformer) != nullptr) || !morph_targets(*deformer).empty();
  });
}

Plain plain_character(const Character& character, const PlainOptions& options) {
  return Plainer(character, options).make();
}

}  // namespace rigspace
