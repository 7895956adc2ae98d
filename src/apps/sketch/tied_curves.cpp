#include "tied_curves.h"

#include "rigspace/base/error.h"
#include "rigspace/body/joint_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr double kLeastMotion = 1e-4;  // share of the size: what a large change of a control must move a curve by
constexpr double kFarUndrawn = 50;     // times the distance prior, where nothing of the curves was drawn

/// Points that bones carry: each one rest place, skinned to one bone or several.
struct Carried {
  Vec3 rest;
  std::vector<std::pair<int, double>> slots;
};

bool one_rest(const CurvePlace& place) {
  return std::all_of(place.begin(), place.end(),
                     [&](const PlacePart& part) { return part.point < 0 && part.rest == place.front().rest; });
}

std::shared_ptr<const BuiltInRig> with_carried(const BuiltInRig& rig, const std::vector<Carried>& carried) {
  if (carried.empty()) return with_joint_points(rig, {});
  Vec u;
  rig.evaluate_slots(*rig.make_workspace(), rig.rest(), u);
  SkinDescription skin{.first_point = rig.point_count()};
  Vec rest(rig.points_rest().size() + 3 * static_cast<Eigen::Index>(carried.size()));
  rest.head(rig.points_rest().size()) = rig.points_rest();
  for (std::size_t k = 0; k < carried.size(); ++k) {
    auto& influences = skin.influences.emplace_back();
    for (const auto& [slot, weight] : carried[k].slots) {
      const auto known = std::find(skin.joint_slots.begin(), skin.joint_slots.end(), slot);
      influences.push_back({static_cast<int>(known - skin.joint_slots.begin()), weight});
      if (known != skin.joint_slots.end()) continue;
      const Affine world = slot_transform(rig, u, slot);
      Affine inverse;
      linear(inverse) = Mat3(linear(world)).inverse();
      translation(inverse) = -linear(inverse) * translation(world);
      skin.joint_slots.push_back(slot), skin.inverse_bind.push_back(inverse);
    }
    point(rest, rig.point_count() + static_cast<int>(k)) = carried[k].rest;
  }
  std::vector<std::shared_ptr<const Deformer>> deformers(rig.deformers().begin(), rig.deformers().end());
  deformers.push_back(make_linear_blend_skin(skin));
  return std::make_shared<BuiltInRig>(rig.shared_graph(), std::move(rest), std::move(deformers));
}

}  // namespace

// A place that bones carry becomes one point, if all of its parts rest in one place; else a point for each part.
void TiedCurves::add_places(const Character& character, const SketchAbstraction& abstraction) {
  const auto* built_in = dynamic_cast<const BuiltInRig*>(character.rig.get());
  std::vector<Carried> carried;
  const int own = character.rig->point_count();
  for (const SketchCurve& each : abstraction.curves) {
    CharacterCurve& curve = curves.emplace_back(CharacterCurve{.closed = each.closed});
    for (const CurvePlace& place : each.places) {
      Anchor anchor{.points = {0, 0, 0, 0}, .weights = {0, 0, 0, 0}};
      const bool together = one_rest(place);
      for (std::size_t a = 0; a < place.size(); ++a) {
        const PlacePart& part = place[a];
        if (part.point < 0 &&
            (built_in == nullptr || part.bone < 0 || part.bone >= static_cast<int>(character.bones.size())))
          throw Error({.file = character.name,
                       .element = "curve \"" + each.name + "\"",
                       .problem = "is tied to a joint that this character does not have",
                       .remedy = "use an abstraction of this character"});
        if (part.point < 0 && (!together || a == 0)) carried.push_back({part.rest, {}});
        if (part.point < 0)
          carried.back().slots.emplace_back(character.bones[static_cast<std::size_t>(part.bone)].slot,
                                            together ? part.weight : 1.0);
        if (a >= 4 || (together && a > 0)) continue;
        anchor.points[a] = part.point >= 0 ? part.point : own + static_cast<int>(carried.size()) - 1;
        anchor.weights[a] = together ? 1.0 : part.weight;
        points.push_back(anchor.points[a]);
      }
      curve.places.push_back(anchor);
    }
  }
  rig = built_in != nullptr ? with_carried(*built_in, carried) : character.rig;
}

TiedCurves::TiedCurves(const Character& character, const SketchAbstraction& abstraction, In p,
                       const SketchOptions& options, const TiedCurves* former) {
  add_places(character, abstraction);
  const auto in_order = [](std::vector<int>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  in_order(points);
  controls = sketch_controls(character, *rig, points, p, options.controls);
  const auto refuse_still = [&] {
    throw Error({.file = character.name,
                 .element = "abstraction \"" + abstraction.name + "\"",
                 .problem = "is moved by no control",
                 .remedy = "use another abstraction, or free other controls"});
  };
  if (controls.free.empty()) refuse_still();
  if (options.plane > 0 || options.distance > 0)
    surface_ = former != nullptr ? former->surface_ : representatives(rest_surface(character), options.representatives);
  const bool black = !rig->traits().exact_jacobian;
  std::vector<int> of_surface;
  for (const Representative& each : surface_) of_surface.push_back(each.point);
  if (black) {  // one evaluation gives both
    points.insert(points.end(), of_surface.begin(), of_surface.end());
    in_order(points);
    box = std::make_shared<KeptJacobianRig>(rig->restricted(points));
  }
  const auto row_of = [](const std::vector<int>& list, int point) {
    return static_cast<int>(std::lower_bound(list.begin(), list.end(), point) - list.begin());
  };
  in_order(of_surface);
  for (const Representative& each : surface_) surface_rows_.push_back(row_of(black ? points : of_surface, each.point));
  if (!black && !surface_.empty()) surface_rig_ = rig->restricted(of_surface);
  for (CharacterCurve& curve : curves)
    for (Anchor& anchor : curve.places)
      for (int a = 0; a < 4; ++a)
        if (anchor.weights[a] != 0) anchor.points[a] = row_of(points, anchor.points[a]);
  std::shared_ptr<const Rig> seen = box;
  if (!black) seen = rig->restricted(points);
  solver = std::make_unique<MatchSolver>(std::move(seen), controls.free);
  if (former != nullptr) counted = former->evaluations();
  start_at(p);
  if (black && !moves_curves()) refuse_still();
}

bool TiedCurves::moves_curves() const {
  const BlockJacobian& J = surface_jacobian_;  // of a black box the rows of all points
  const double least = kLeastMotion * bounding_box(surface_start_).diagonal();
  for (const CharacterCurve& curve : curves)
    for (const Anchor& anchor : curve.places)
      for (int a = 0; a < 4; ++a)
        if (anchor.weights[a] != 0)
          for (int e = J.start[anchor.points[a]]; e < J.start[anchor.points[a] + 1]; ++e)
            if (J.value.col(e).norm() * controls.unit[J.column[e]] > least) return true;
  return false;
}

void TiedCurves::start_at(In p) {
  solver->set_key(p);
  if (p_start_.size() == p.size() && p_start_ == p) {
    if (box) box->start_at(*box->make_workspace(), p);
    return;
  }
  p_start_ = p;
  prior_drawn_.clear();
  if (box) {
    const auto workspace = box->make_workspace();
    box->jacobian(*workspace, p, controls.free, surface_jacobian_);
    box->start_at(*workspace, p);
    box->jacobian(*workspace, p, controls.free, surface_jacobian_);
    box->evaluate(*workspace, p, surface_start_);
  } else if (surface_rig_) {
    const auto workspace = surface_rig_->make_workspace();
    surface_rig_->evaluate(*workspace, p, surface_start_);
    surface_rig_->jacobian(*workspace, p, controls.free, surface_jacobian_);
  }
}

const Mat& TiedCurves::surface_prior(const std::vector<char>& drawn, const Camera& camera, double size,
                                     const SketchOptions& options) {
  if (!prior_drawn_.empty() && prior_drawn_ == drawn) return prior_;
  prior_drawn_ = drawn;
  prior_ = Mat::Zero(solver->size(), solver->size());
  if (surface_.empty()) return prior_;
  const Vec x = points_at(p_start_);
  const ViewPlane view(camera);
  // What was not drawn stays: where strokes stand for some of the curves only, the surface far from these is held more
  // firmly, by the share of all curves' length that was not drawn.
  double length = 0, undrawn = 0;
  for (std::size_t c = 0; c < curves.size(); ++c)
    for (std::size_t k = 1; k < curves[c].places.size(); ++k) {
      const double piece = (anchored(x, curves[c].places[k]) - anchored(x, curves[c].places[k - 1])).norm();
      length += piece, undrawn += drawn[c] ? 0 : piece;
    }
  const double held = options.distance * (1 + kFarUndrawn * (length > 0 ? undrawn / length : 0));
  double area = 0, farthest = 0;
  std::vector<double> distances;
  for (std::size_t k = 0; k < surface_.size(); ++k) {
    area += surface_[k].area;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < curves.size(); ++c)
      if (drawn[c])
        for (const Anchor& anchor : curves[c].places)
          nearest = std::min(nearest, (anchored(x, anchor) - point(surface_start_, surface_rows_[k])).squaredNorm());
    distances.push_back(std::sqrt(nearest));
    farthest = std::max(farthest, distances.back());
  }
  const BlockJacobian& J = surface_jacobian_;
  for (std::size_t k = 0; k < surface_.size(); ++k) {
    const int row = surface_rows_[k];
    const Vec3 v = view.direction(point(surface_start_, row));
    const double far = farthest > 0 ? distances[k] / farthest : 0, share = surface_[k].area / (area * size * size);
    const Mat3 M = share * (options.plane * v * v.transpose() + held * far * Mat3::Identity());
    for (int a = J.start[row]; a < J.start[row + 1]; ++a) {
      const Vec3 Mj = M * J.value.col(a);
      for (int b = J.start[row]; b <= a; ++b) prior_(J.column[a], J.column[b]) += Mj.dot(J.value.col(b));
    }
  }
  prior_.triangularView<Eigen::StrictlyUpper>() = prior_.transpose();
  return prior_;
}

}  // namespace rigspace
