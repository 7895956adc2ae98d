#include "rigspace/anim/worn_piece.h"

#include "principal_shapes.h"
#include "rigspace/anim/bake.h"
#include "rigspace/base/affine.h"
#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace {
namespace {

[[noreturn]] void refuse_worn(const WornPiece& piece, std::string problem, std::string remedy) {
  throw Error(
      {.element = "piece \"" + piece.look.name + "\"", .problem = std::move(problem), .remedy = std::move(remedy)});
}

/// The largest `most` weights of each point, scaled to sum 1.
std::vector<std::vector<Influence>> strongest(std::vector<std::vector<Influence>> lists, int most) {
  for (auto& list : lists) {
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });
    if (std::ssize(list) > most) list.resize(static_cast<std::size_t>(most));
    double sum = 0;
    for (const Influence& each : list) sum += each.weight;
    for (Influence& each : list) each.weight /= sum;
  }
  return lists;
}

class Wearing {
 public:
  Wearing(const Character& character, const WornPiece& piece, std::span<const PlayedPoints> motions,
          const WornOptions& options)
      : from_(character),
        piece_(piece),
        motions_(motions),
        options_(options),
        rig_(dynamic_cast<const BuiltInRig*>(character.rig.get())) {
    options.validate();
    check();
    influences_ = strongest(piece.influences, options.max_influences);
    workspace_ = rig_->make_workspace();
    for (const Affine& world : bones_at(rig_->rest())) inverse_bind_.push_back(inverse(world));
    result_.size = bounding_box(piece.rest).size().maxCoeff();
  }

  Worn make() {
    for (const PlayedPoints& motion : motions_) untransform(motion);
    const PrincipalShapes shapes =
        principal_shapes(offsets_, options_.tolerance * result_.size, options_.most_shapes, result_.size);
    result_.shapes = static_cast<int>(shapes.offsets.cols());
    build(shapes);
    return std::move(result_);
  }

 private:
  int point_count() const { return static_cast<int>(piece_.rest.size() / 3); }

  void check() const {
    if (rig_ == nullptr)
      refuse_worn(piece_, "cannot be worn by a character whose rig is not built in",
                  "play that out first: plain_character");
    for (const Piece& other : from_.pieces)
      if (other.name == piece_.look.name)
        refuse_worn(piece_, "has the name of another piece of the character", "name it otherwise");
    if (std::ssize(piece_.influences) != point_count() || !piece_.rest.allFinite())
      refuse_worn(
          piece_,
          "has " + std::to_string(point_count()) + " points and joints for " + std::to_string(piece_.influences.size()),
          "give each point its joints");
    for (const auto& list : piece_.influences) {
      double sum = 0;
      for (const Influence& each : list) {
        if (each.joint < 0 || each.joint >= std::ssize(from_.bones) || from_.bones[each.joint].slot < 0)
          refuse_worn(piece_, "is held by bone " + std::to_string(each.joint) + ", which the character lacks",
                      "take joints of its own bones");
        sum += each.weight;
      }
      if (!(std::abs(sum - 1) < 1e-6))
        refuse_worn(piece_, "has joints whose weights do not sum to 1", "normalise them");
    }
    for (const PlayedPoints& motion : motions_) {
      if (from_.clip(motion.clip) == nullptr)
        refuse_worn(piece_, "moves in a clip \"" + motion.clip + "\" that the character lacks",
                    "name one of its clips");
      if (motion.points.size() != motion.times.size())
        refuse_worn(piece_,
                    "has " + std::to_string(motion.points.size()) + " frames for " +
                        std::to_string(motion.times.size()) + " times",
                    "give one for each");
      for (const Vec& x : motion.points)
        if (x.size() != piece_.rest.size() || !x.allFinite())
          refuse_worn(piece_, "has a frame of other points, or with numbers that are not finite",
                      "check the simulation");
    }
  }

  /// World transforms of all bones at p.
  std::vector<Affine> bones_at(In p) {
    Vec u;
    rig_->evaluate_slots(*workspace_, p, u);
    std::vector<Affine> world;
    for (const Bone& bone : from_.bones)
      world.push_back(bone.slot < 0 ? identity_affine() : transform_at(u, rig_->graph().slots()[bone.slot]));
    return world;
  }

  Affine blended_at(int i, const std::vector<Affine>& world) const {
    Affine A = Affine::Zero();
    for (const Influence& each : influences_[static_cast<std::size_t>(i)])
      A += each.weight *
           compose(world[static_cast<std::size_t>(each.joint)], inverse_bind_[static_cast<std::size_t>(each.joint)]);
    return A;
  }

  /// u = A^-1 x - X at each time. Where joints that turn apart leave A nearly singular, the joint that holds the point
  /// most stands in: u is then not quite what the skin needs, and the error that is measured in the end says so.
  void untransform(const PlayedPoints& motion) {
    const Sampler sampler(*from_.clip(motion.clip), rig_->controls());
    for (std::size_t t = 0; t < motion.times.size(); ++t) {
      Vec p = rig_->rest();
      sampler.sample(motion.times[t], p);
      const std::vector<Affine> world = bones_at(p);
      Vec u(piece_.rest.size());
      parallel_ranges(point_count(), 256, [&](int from, int to) {
        for (int i = from; i < to; ++i) {
          Affine A = blended_at(i, world);
          if (!(std::abs(linear(A).determinant()) > 1e-3)) linear(A) = strongest_turn(i, world);
          point(u, i) = apply(inverse(A), point(motion.points[t], i)) - point(piece_.rest, i);
        }
      });
      offsets_.push_back(std::move(u));
    }
  }

  Mat3 strongest_turn(int i, const std::vector<Affine>& world) const {
    const auto joint = static_cast<std::size_t>(influences_[static_cast<std::size_t>(i)].front().joint);
    return linear(compose(world[joint], inverse_bind_[joint]));
  }

  void build(const PrincipalShapes& shapes) {
    Character& to = result_.character;
    to = from_;
    auto graph = std::make_shared<ControlGraph>(rig_->graph());
    const int first = rig_->point_count(), old_controls = static_cast<int>(rig_->controls().size());
    std::vector<MorphTarget> targets;
    for (Eigen::Index m = 0; m < shapes.offsets.cols(); ++m) {
      const std::string number = std::to_string(m + 1);
      MorphTarget target;
      target.weight_slot = add_scalar(*graph, {.name = piece_.look.name + ":fold_" + (m < 9 ? "0" : "") + number,
                                               .node = piece_.look.name,
                                               .min = -1,
                                               .max = 1});
      for (int i = 0; i < point_count(); ++i) {
        const Vec3 offset = shapes.offsets.col(m).segment<3>(3 * i);
        if (offset.norm() <= 1e-6 * result_.size) continue;
        target.points.push_back(i);
        target.offsets.push_back(offset);
      }
      targets.push_back(std::move(target));
    }
    std::vector<std::shared_ptr<const Deformer>> deformers(rig_->deformers().begin(), rig_->deformers().end());
    if (!targets.empty()) deformers.push_back(make_blend_shapes(first, point_count(), targets));
    deformers.push_back(make_linear_blend_skin(skin(first)));
    Vec points(rig_->points_rest().size() + piece_.rest.size());
    points << rig_->points_rest(), piece_.rest;
    auto rig = std::make_shared<BuiltInRig>(graph, std::move(points), std::move(deformers));
    to.rig = rig;
    add_piece(first);
    Eigen::Index before = 0;
    for (const PlayedPoints& motion : motions_) {
      key_weights(motion, shapes.weights.middleCols(before, std::ssize(motion.times)), old_controls);
      before += std::ssize(motion.times);
    }
    measure(*rig, first);
  }

  SkinDescription skin(int first) const {
    SkinDescription skin{.first_point = first};
    std::map<int, int> joint_of;
    for (const auto& list : influences_) {
      skin.influences.emplace_back();
      for (const Influence& each : list) {
        const auto [found, is_new] = joint_of.try_emplace(each.joint, static_cast<int>(joint_of.size()));
        if (is_new) {
          skin.joint_slots.push_back(from_.bones[each.joint].slot);
          skin.inverse_bind.push_back(inverse_bind_[static_cast<std::size_t>(each.joint)]);
        }
        skin.influences.back().push_back({found->second, each.weight});
      }
    }
    return skin;
  }

  void add_piece(int first) {
    Piece look = piece_.look;
    look.first_point = first, look.point_count = point_count();
    for (auto& triangle : look.triangles)
      for (int& corner : triangle) corner += first;
    result_.character.pieces.push_back(std::move(look));
  }

  void key_weights(const PlayedPoints& motion, const Mat& weights, int first_control) {
    Character& to = result_.character;
    const auto clip =
        std::find_if(to.clips.begin(), to.clips.end(), [&](const auto& c) { return c.name == motion.clip; });
    for (Eigen::Index m = 0; m < weights.rows(); ++m) {
      const Vec row = weights.row(m);
      clip->tracks.push_back({to.rig->controls()[static_cast<std::size_t>(first_control + m)].name,
                              {.times = motion.times, .values = std::vector<double>(row.begin(), row.end())}});
    }
    if (!motion.times.empty()) clip->duration = std::max(clip->duration, motion.times.back());
  }

  /// Through the finished rig, as a player would.
  void measure(const BuiltInRig& rig, int first) {
    const auto workspace = rig.make_workspace();
    double square = 0;
    Vec p, s;
    for (const PlayedPoints& motion : motions_) {
      const Sampler sampler(*result_.character.clip(motion.clip), rig.controls());
      for (std::size_t t = 0; t < motion.times.size(); ++t) {
        p = rig.rest();
        sampler.sample(motion.times[t], p);
        rig.evaluate(*workspace, p, s);
        for (int i = 0; i < point_count(); ++i)
          square = std::max(square, (point(s, first + i) - point(motion.points[t], i)).squaredNorm());
      }
    }
    result_.error = std::sqrt(square);
  }

  const Character& from_;
  const WornPiece& piece_;
  std::span<const PlayedPoints> motions_;
  const WornOptions& options_;
  const BuiltInRig* rig_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<std::vector<Influence>> influences_;
  std::vector<Affine> inverse_bind_;  // per bone
  std::vector<Vec> offsets_;          // u, per time of all motions
  Worn result_;
};

}  // namespace

void WornOptions::validate() const {
  require_option(tolerance > 0 && std::isfinite(tolerance), "error of morph targets", tolerance,
                 "expected a positive share");
  require_option(most_shapes >= 0, "WornOptions.most_shapes", most_shapes, "expected none or more");
  require_option(max_influences >= 1, "WornOptions.max_influences", max_influences, "expected at least one");
}

Worn with_worn_piece(const Character& character, const WornPiece& piece, std::span<const PlayedPoints> motions,
                     const WornOptions& options) {
  return Wearing(character, piece, motions, options).make();
}

}  // namespace rigspace
