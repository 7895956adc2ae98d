#include "posable.h"

#include "flesh/flesh_region.h"
#include "rigspace/apps/physics/pose.h"
#include "rigspace/base/error.h"
#include "rigspace/parts/part.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/rig_health.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace rigspace {
namespace {

constexpr double kCarries = 0.8;    // share of the points that a node must move to count as carrying the whole body
constexpr double kNoEffect = 1e-9;  // of the size: a control that moves no point farther by a typical change is ignored

/// The effect of a typical change of a control: the largest displacement of a point, and the share of points it moves.
struct Effect {
  double most = 0, share = 0;
};

std::vector<Effect> effects(const Rig& rig, In p, std::span<const int> controls) {
  BlockJacobian J;
  rig.jacobian(*rig.make_workspace(), p, controls, J);
  Mat motion = Mat::Zero(J.points(), static_cast<Eigen::Index>(controls.size()));
  for (int i = 0; i < J.points(); ++i)
    for (int e = J.start[i]; e < J.start[i + 1]; ++e)
      motion(i, J.column[e]) = J.value.col(e).norm() * rig.controls()[controls[J.column[e]]].typical;
  std::vector<Effect> result(controls.size());
  for (std::size_t k = 0; k < controls.size() && J.points() > 0; ++k) {
    const auto column = motion.col(static_cast<Eigen::Index>(k));
    result[k].most = column.maxCoeff();
    // Points count as moved above a thousandth of the largest displacement: points near the axis of a turn move little.
    result[k].share = static_cast<double>((column.array() > 1e-3 * result[k].most).count()) / J.points();
  }
  return result;
}

double extent(const Rig& rig, In p) {
  Vec s;
  rig.evaluate(*rig.make_workspace(), p, s);
  return bounding_box(s).diagonal();
}

/// The rig restricted to at most `most` points, evenly chosen.
std::unique_ptr<Rig> sampled(const Rig& rig, int most) {
  const int stride = std::max(1, (rig.point_count() + most - 1) / most);
  std::vector<int> points;
  for (int i = 0; i < rig.point_count(); i += stride) points.push_back(i);
  return rig.restricted(points);
}

/// Pairs of bones that are far from each other along the skeleton: by at least four joints and a fifth of the size. A
/// hand that touches the thigh at rest is no part of it.
std::vector<char> far_apart(const Character& character, double size) {
  constexpr int kJoints = 4;
  constexpr double kPath = 0.2;
  const auto& rig = dynamic_cast<const BuiltInRig&>(*character.rig);
  const std::size_t n = character.bones.size();
  Vec u;
  rig.evaluate_slots(*rig.make_workspace(), rig.rest(), u);
  const auto head = [&](int bone) -> Vec3 {
    return translation(transform_at(u, rig.graph().slots()[character.bones[bone].slot]));
  };
  const auto above = [&](int bone) {
    std::vector<int> chain;
    for (; bone >= 0; bone = character.bones[bone].parent) chain.push_back(bone);
    return chain;
  };
  std::vector<char> apart(n * n, 0);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const std::vector<int> from = above(static_cast<int>(a)), to = above(static_cast<int>(b));
      std::size_t i = from.size(), j = to.size();  // both chains without what they share
      while (i > 0 && j > 0 && from[i - 1] == to[j - 1]) --i, --j;
      double path = 0;
      const auto add = [&](const std::vector<int>& chain, std::size_t own) {
        for (std::size_t k = 0; k < own && k + 1 < chain.size(); ++k)
          path += (head(chain[k]) - head(chain[k + 1])).norm();
      };
      add(from, i), add(to, j);
      apart[a * n + b] = apart[b * n + a] = static_cast<int>(i + j) >= kJoints && path > kPath * size;
    }
  return apart;
}

/// Names of the joints that carry these points: those that hold them most, and all above. Of points that no skin holds,
/// and of rigs without a known skin, the joints that move them at all.
std::set<std::string> chain_joints(const Character& character, std::span<const int> bones, In p,
                                   std::span<const int> points) {
  std::set<std::string> names;
  std::vector<int> unheld(points.begin(), points.end());
  std::erase_if(unheld, [&](int i) {
    if (bones.empty() || bones[i] < 0) return false;
    for (int bone = bones[i]; bone >= 0; bone = character.bones[bone].parent) names.insert(character.bones[bone].name);
    return true;
  });
  if (unheld.empty()) return names;
  std::vector<int> all(character.rig->controls().size());
  std::iota(all.begin(), all.end(), 0);
  BlockJacobian J;
  const auto picked = character.rig->restricted(unheld);
  picked->jacobian(*picked->make_workspace(), p, all, J);
  for (int e = 0; e < J.value.cols(); ++e)
    if (J.value.col(e).norm() > 0) names.insert(character.rig->controls()[J.column[e]].node);
  return names;
}

/// Names of the pieces that a bone moves: helmets, swords.
std::set<std::string> hanging_pieces(const Character& character, In p) {
  std::set<std::string> names, bones;
  for (const Bone& bone : character.bones) bones.insert(bone.name);
  std::vector<int> firsts, controls;
  std::vector<const Piece*> pieces;
  for (const Piece& piece : character.pieces)
    if (piece.point_count > 0) firsts.push_back(piece.first_point), pieces.push_back(&piece);
  const std::span<const Control> all = character.rig->controls();
  for (int c = 0; c < static_cast<int>(all.size()); ++c)
    if (bones.contains(all[c].node)) controls.push_back(c);
  if (firsts.empty() || !std::is_sorted(firsts.begin(), firsts.end())) return names;
  BlockJacobian J;
  const auto picked = character.rig->restricted(firsts);
  picked->jacobian(*picked->make_workspace(), p, controls, J);
  for (int i = 0; i < J.points(); ++i)
    if (J.value.middleCols(J.start[i], J.start[i + 1] - J.start[i]).norm() > 0) names.insert(pieces[i]->name);
  return names;
}

/// Sorts the controls that posing may turn.
class Choice {
 public:
  Choice(const Character& character, In p) : rig_(*character.rig), shown_(shown_controls(rig_.controls())) {
    const auto sample = sampled(rig_, 2000);
    const double size = extent(*sample, p);
    const std::vector<Effect> moved = effects(*sample, p, shown_);
    for (const Control& control : rig_.controls())
      if (control.unit == Unit::angle && !control.node.empty()) turning_.insert(control.node);
    for (const Bone& bone : character.bones) {
      bones_.insert(bone.name);
      if (bone.parent >= 0) joints_.insert(bone.name);
    }
    has_bones_ = !joints_.empty();
    for (const Part& part : find_control_parts(character))
      if (part.preset == "belly" || part.preset == "chest" || part.preset == "cheek")
        flesh_.insert(part.controls.begin(), part.controls.end());
    for (std::size_t k = 0; k < shown_.size(); ++k) {
      if (!(moved[k].most > kNoEffect * size)) continue;
      effective_.push_back(shown_[k]);
      const Control& control = rig_.controls()[shown_[k]];
      // Only nodes with translations of their own carry the body, not a slider that happens to move all points.
      if (moved[k].share >= kCarries && turning_.contains(control.node) && control.unit == Unit::length) {
        carriers_.insert(control.node);
        hips_ = control.node;
      }
    }
  }

  std::vector<int> within(bool held) const {
    std::vector<int> result;
    for (const int c : effective_)
      if (!flesh_.contains(c) && posable(rig_.controls()[c], held)) result.push_back(c);
    return result.empty() ? effective_ : result;
  }

  /// Of those, the ones on the chains of some points, and all that turn neither a joint nor a piece that hangs on one.
  std::vector<int> within(bool held, const std::set<std::string>& chain, const std::set<std::string>& hanging) const {
    const std::vector<int> all = within(held);
    const auto off_chain = [&](int c) {
      const std::string& node = rig_.controls()[c].node;
      if (bones_.contains(node)) return !chain.contains(node);
      return turning_.contains(node) && hanging.contains(node);
    };
    std::vector<int> result = all;
    std::erase_if(result, off_chain);
    if (!result.empty() || hips_.empty()) return result.empty() ? all : result;
    for (const int c : effective_)
      if (const Control& control = rig_.controls()[c];
          control.node == hips_ && (control.unit == Unit::angle || control.unit == Unit::length))
        result.push_back(c);
    return result;
  }

 private:
  bool posable(const Control& control, bool held) const {
    const bool node = turning_.contains(control.node);
    if (carriers_.contains(control.node))
      return held && control.node == hips_ && (control.unit == Unit::angle || control.unit == Unit::length);
    if (control.unit == Unit::angle || control.unit == Unit::scalar) return true;
    if (control.unit != Unit::length) return false;
    return !node || (has_bones_ && !joints_.contains(control.node));
  }

  const Rig& rig_;
  std::vector<int> shown_, effective_;
  std::set<int> flesh_;
  std::set<std::string> turning_, bones_, joints_, carriers_;  // names of nodes; joints_: bones below another
  std::string hips_;
  bool has_bones_ = false;
};

}  // namespace

void require_points(std::span<const int> points, const Rig& rig, const std::string& name) {
  for (const int point : points)
    if (point < 0 || point >= rig.point_count())
      throw Error({.code = ErrorCode::usage,
                   .file = name,
                   .element = "vertex " + std::to_string(point),
                   .value = std::to_string(point),
                   .problem = "is not there",
                   .remedy = "the character has " + std::to_string(rig.point_count()) + ", counted from 0"});
}

std::vector<int> main_bones(const Character& character) {
  std::vector<int> bones;
  if (dynamic_cast<const BuiltInRig*>(character.rig.get()) == nullptr) return bones;
  for (const auto& weights : rigged_surface(character).weights) {
    const auto most = std::max_element(weights.begin(), weights.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    bones.push_back(most == weights.end() ? -1 : most->first);
  }
  return bones;
}

std::function<bool(int, int)> apart_in(const Character& character, std::vector<int> bones) {
  if (bones.empty() || character.bones.empty()) return {};
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), character.rig->rest(), s);
  return [bones = std::move(bones), apart = far_apart(character, bounding_box(s).diagonal()),
          n = character.bones.size()](int a, int b) {
    return bones[a] >= 0 && bones[b] >= 0 && apart[static_cast<std::size_t>(bones[a]) * n + bones[b]] != 0;
  };
}

std::vector<int> effective(const Rig& rig, In p, const std::vector<int>& controls) {
  const double size = extent(rig, p);
  const std::vector<Effect> moved = effects(rig, p, controls);
  std::vector<int> result;
  for (std::size_t k = 0; k < controls.size(); ++k)
    if (moved[k].most > kNoEffect * size) result.push_back(controls[k]);
  return result;
}

std::vector<int> posable_with(const Character& character, std::span<const int> bones, In p, bool points_are_held,
                              std::span<const int> points) {
  require_points(points, *character.rig, character.name);
  const Choice choice(character, p);
  if (points.empty() || character.bones.empty()) return choice.within(points_are_held);
  return choice.within(points_are_held, chain_joints(character, bones, p, points), hanging_pieces(character, p));
}

std::vector<int> posable_controls(const Character& character, In p, bool points_are_held, std::span<const int> points) {
  return posable_with(character, main_bones(character), p, points_are_held, points);
}

}  // namespace rigspace
