#include "cage_body.h"

#include "message.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/rig/cage_plan.h"

#include <algorithm>
#include <numeric>

namespace rigspace::studio {
namespace {

constexpr int kAround = 48;  // points of the skin that a point of the cage goes along with

const plan::Cage* cage_of(const plan::Deformer& deformer) {
  const auto* own = std::get_if<std::shared_ptr<const plan::OwnDeformer>>(&deformer.kind);
  return own == nullptr ? nullptr : dynamic_cast<const plan::Cage*>(own->get());
}

}  // namespace

CageBody::CageBody(CagedCharacter caged, CageRequest request) : caged_(std::move(caged)), request_(std::move(request)) {
  for (const plan::Deformer& deformer : caged_.rigged.plan.deformers)
    if (deformer.name == request_.name && cage_of(deformer) != nullptr) prepare(deformer);
}

std::unique_ptr<const CageBody> CageBody::of_file(RiggedCharacter rigged) {
  std::unique_ptr<CageBody> body(new CageBody);
  body->caged_.rigged = std::move(rigged);
  const RigPlan& plan = body->caged_.rigged.plan;
  for (const plan::Deformer& deformer : plan.deformers) {
    const plan::Cage* const cage = cage_of(deformer);
    if (cage == nullptr) continue;
    TriMesh& mesh = body->caged_.cage.mesh;
    mesh.triangles = cage->faces;
    mesh.points.resize(3 * std::ssize(cage->points));
    for (int j = 0; j < std::ssize(cage->points); ++j) {
      const plan::CagePoint& each = cage->points[static_cast<std::size_t>(j)];
      const auto known = std::find_if(plan.points.begin(), plan.points.end(),
                                      [&](const plan::Point& point) { return point.name == each.node; });
      if (!each.node.empty() && (known == plan.points.end() || !known->parent.empty()))
        return nullptr;  // carried by nodes: those move it
      point(mesh.points, j) = each.node.empty() ? each.position : known->position;
    }
    body->request_.name = deformer.name, body->request_.coordinates = cage->coordinates.family;
    for (int k = 0; k < std::ssize(plan.pieces); ++k)
      if (deformer.pieces.empty() ||
          std::any_of(deformer.pieces.begin(), deformer.pieces.end(), [&](const std::string& pattern) {
            return matches_pattern(plan.pieces[static_cast<std::size_t>(k)].name, pattern);
          }))
        body->caged_.pieces.push_back(k);
    body->prepare(deformer);
    return body;
  }
  return nullptr;
}

void CageBody::prepare(const plan::Deformer& cage) {
  const RigPlan& plan = caged_.rigged.plan;
  for (const plan::CagePoint& each : cage_of(cage)->points) nodes_.push_back(each.node);
  RigPlan bare;
  bare.points_rest = plan.points_rest, bare.pieces = plan.pieces;
  for (const plan::Point& point : plan.points)
    if (std::find(nodes_.begin(), nodes_.end(), point.name) != nodes_.end()) bare.points.push_back(point);
  bare.deformers.push_back(cage);
  bare_ = build(bare).rig;
  std::vector<int> skin;
  for (const int k : caged_.pieces) {
    const plan::PointRun& run = plan.pieces[static_cast<std::size_t>(k)];
    for (int i = run.first; i < run.first + run.count; ++i) skin.push_back(i);
  }
  const auto most = std::min<std::ptrdiff_t>(kAround, std::ssize(skin));
  for (int j = 0; j < point_count(); ++j) {
    const Vec3 c = point(caged_.cage.mesh.points, j);
    std::nth_element(skin.begin(), skin.begin() + std::max<std::ptrdiff_t>(0, most - 1), skin.end(), [&](int a, int b) {
      return (point(plan.points_rest, a) - c).squaredNorm() < (point(plan.points_rest, b) - c).squaredNorm();
    });
    around_.emplace_back(skin.begin(), skin.begin() + most);
  }
}

void CageBody::shape(In offsets, Vec& points) const {
  Vec p = bare_->rest();
  for (int j = 0; j < point_count(); ++j)
    if (const int control = node(j).empty() ? -1 : bare_->find(node(j) + ".tx"); control >= 0)
      p.segment<3>(control) += offsets.segment<3>(3 * j);
  bare_->evaluate(*bare_->make_workspace(), p, points);
}

Vec CageBody::pose_with(std::span<const Control> from, In pose, In offsets) const {
  const Rig& rig = *caged_.rigged.character.rig;
  Vec p = rig.rest();
  for (std::size_t c = 0; c < from.size() && static_cast<Eigen::Index>(c) < pose.size(); ++c)
    if (const int own = rig.find(from[c].name); own >= 0) p[own] = pose[static_cast<Eigen::Index>(c)];
  for (int j = 0; j < point_count(); ++j)
    if (const int control = node(j).empty() ? -1 : rig.find(node(j) + ".tx"); control >= 0)
      p.segment<3>(control) = offsets.segment<3>(3 * j);
  return p;
}

/// min sum |s R x + t - y|^2 over the points around.
std::vector<CageFrame> CageBody::frames(In skin) const {
  std::vector<CageFrame> frames;
  const Vec& bound = caged_.rigged.plan.points_rest;
  for (const std::vector<int>& around : around_) {
    Vec3 x_mean = Vec3::Zero(), y_mean = Vec3::Zero();
    for (const int i : around) x_mean += point(bound, i), y_mean += point(skin, i);
    const double count = std::max<double>(1, static_cast<double>(around.size()));
    x_mean /= count, y_mean /= count;
    Mat3 A = Mat3::Zero();
    double x_size = 0, y_size = 0;
    for (const int i : around) {
      const Vec3 x = point(bound, i) - x_mean, y = point(skin, i) - y_mean;
      A += y * x.transpose(), x_size += x.squaredNorm(), y_size += y.squaredNorm();
    }
    CageFrame frame;
    const double scale = x_size > 0 && y_size > 0 ? std::sqrt(y_size / x_size) : 1;
    frame.turn = scale * nearest_rotation(A);
    frame.shift = y_mean - frame.turn * x_mean;
    frames.push_back(frame);
  }
  return frames;
}

}  // namespace rigspace::studio
