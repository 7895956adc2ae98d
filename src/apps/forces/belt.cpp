#include "rigspace/apps/forces/belt.h"

#include "rigspace/apps/forces/template_guide.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <cmath>
#include <map>

namespace rigspace {
namespace {

constexpr double kLeastSingular = 0.02;  // of the largest

struct Ring {
  std::vector<int> points;
  std::vector<Vec3> goals;  ///< at rest
};

Ring ring_of(const ForceBody& body, const BeltPlan& plan, const BoneLine& line) {
  const Vec3 axis = (line.to - line.from).normalized();
  const Vec3 middle = line.from + plan.along * (line.to - line.from);
  const double half = 0.5 * (plan.width > 0 ? plan.width : 0.5 * body.cell);
  const int joint = body.skeleton.find(plan.bone);
  Ring ring;
  for (int i = 0; i < body.surface.count(); ++i) {
    const Vec3 from = point(body.points_rest, i) - middle;
    const double along = from.dot(axis);
    if (std::abs(along) > half) continue;
    double held = 0;  // an arm that hangs beside the waist is not in the belt
    for (const Influence& of : body.skeleton.skin[i])
      if (of.joint == joint) held += of.weight;
    if (held < 0.1) continue;
    ring.points.push_back(i);
    ring.goals.push_back(middle + along * axis + plan.tight * (from - along * axis));
  }
  if (ring.points.size() < 3)
    throw Error({.element = "belt \"" + plan.name + "\"",
                 .value = std::to_string(ring.points.size()),
                 .problem = "goes round " + std::to_string(ring.points.size()) + " points of the skin",
                 .remedy = "make it wider, or move it along the bone"});
  return ring;
}

/// Weights of a point at vertices of the lattice that hang on none.
std::map<int, double> row_of_point(const ForceBody& body, int i) {
  std::map<int, double> row;
  for (int c = 0; c < 8; ++c) {
    const int vertex = body.surface.corners[i][c];
    const double weight = body.surface.weights[i][c];
    const HangingVertex* hangs = body.levels.find(vertex);
    if (hangs == nullptr) row[vertex] += weight;
    if (hangs != nullptr)
      for (const auto& [other, share] : hangs->others) row[other] += weight * share;
  }
  return row;
}

Vec4 with_one(const Vec3& x) { return {x.x(), x.y(), x.z(), 1}; }

}  // namespace

Belt make_belt(const ForceBody& body, const BeltPlan& plan) {
  const std::string what = "belt \"" + plan.name + "\": ";
  require_option(plan.along >= 0 && plan.along <= 1, what + "place along the bone", plan.along, "expected 0 to 1");
  require_option(plan.width >= 0 && std::isfinite(plan.width), what + "width", plan.width, "expected scene units");
  require_option(plan.tight > 0.2 && plan.tight <= 1.5, what + "tightness", plan.tight, "expected 0.2 to 1.5");
  const BoneLine line = bone_guide(body, plan.bone, false).line;
  const Ring ring = ring_of(body, plan, line);
  std::map<int, int> holder, column;
  for (const HeldVertex& each : body.held) holder[each.vertex] = each.bone;
  std::vector<std::map<int, double>> rows;
  for (const int i : ring.points) {
    rows.push_back(row_of_point(body, i));
    for (const auto& [vertex, weight] : rows.back())
      if (!holder.contains(vertex) && weight > 0) column.try_emplace(vertex, static_cast<int>(column.size()));
  }
  Belt belt{.plan = plan, .points = ring.points, .vertices = {}, .V = {}, .moments = {}};
  belt.vertices.resize(column.size());
  for (const auto& [vertex, c] : column) belt.vertices[c] = vertex;
  Mat E = Mat::Zero(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(column.size()));
  std::map<int, Eigen::Matrix<double, -1, 4>> goals;  // by joint, a row a point: (t, 1), less what held vertices give
  const auto of_joint = [&](int joint) -> Eigen::Matrix<double, -1, 4>& {
    return goals.try_emplace(joint, Eigen::Matrix<double, -1, 4>::Zero(E.rows(), 4)).first->second;
  };
  const int bone = body.skeleton.find(plan.bone);
  for (Eigen::Index k = 0; k < E.rows(); ++k) {
    of_joint(bone).row(k) += with_one(ring.goals[k]).transpose();
    for (const auto& [vertex, weight] : rows[k]) {
      if (const auto held = holder.find(vertex); held != holder.end())
        of_joint(held->second).row(k) -= weight * with_one(body.elements.lattice.vertices[vertex]).transpose();
      else if (weight > 0)
        E(k, column[vertex]) += weight;
    }
  }
  const SymmetricEigen eigen = symmetric_eigen(E.transpose() * E);
  const Vec& squares = eigen.values;  // ascending
  const double least = kLeastSingular * kLeastSingular * squares[squares.size() - 1];
  const auto kept = (squares.array() > least).count();
  belt.V = eigen.vectors.rightCols(kept);
  const Mat back = squares.tail(kept).cwiseInverse().asDiagonal() * (belt.V.transpose() * E.transpose());
  for (const auto& [joint, rows_of] : goals) belt.moments.push_back({joint, back * rows_of});
  return belt;
}

Eigen::Matrix<double, -1, 3> Belt::places(std::span<const Affine> joints) const {
  Eigen::Matrix<double, -1, 3> sum = Eigen::Matrix<double, -1, 3>::Zero(V.cols(), 3);
  for (const Moment& each : moments) sum += each.rows * joints[each.joint].transpose();
  return sum;
}

void Belt::satisfy(const Eigen::Matrix<double, -1, 3>& places, Vec& y) const {
  Eigen::Matrix<double, -1, 3> at(V.rows(), 3);
  for (Eigen::Index i = 0; i < V.rows(); ++i) at.row(i) = point(y, vertices[i]).transpose();
  const Eigen::Matrix<double, -1, 3> move = V * (places - V.transpose() * at);
  for (Eigen::Index i = 0; i < V.rows(); ++i) point(y, vertices[i]) += move.row(i).transpose();
}

void Belt::add_transform_gradient(In g_y, std::vector<Affine>& g_C) const {
  Eigen::Matrix<double, -1, 3> g(V.rows(), 3);
  for (Eigen::Index i = 0; i < V.rows(); ++i) g.row(i) = point(g_y, vertices[i]).transpose();
  const Eigen::Matrix<double, -1, 3> by_place = V.transpose() * g;
  for (const Moment& each : moments) g_C[each.joint] += by_place.transpose() * each.rows;
}

void check_belts(const ForceBody& body) {
  std::map<int, const Belt*> holder;
  for (const Belt& belt : body.belts)
    for (const int i : belt.vertices)
      if (const auto [found, is_new] = holder.try_emplace(i, &belt); !is_new)
        throw Error({.element = "belt \"" + belt.plan.name + "\"",
                     .value = found->second->plan.name,
                     .problem = "holds flesh that belt \"" + found->second->plan.name + "\" holds",
                     .remedy = "move one of them, or use smaller cells"});
}

ConstraintBasis basis_of_belts(const ForceBody& body) {
  ConstraintBasis basis(3 * body.vertex_count());
  std::vector<int> coordinates;
  for (const Belt& belt : body.belts)
    for (Eigen::Index k = 0; k < belt.V.cols(); ++k)
      for (int a = 0; a < 3; ++a) {
        coordinates.clear();
        for (const int i : belt.vertices) coordinates.push_back(3 * i + a);
        const Vec column = belt.V.col(k);
        basis.add(coordinates, {column.data(), static_cast<std::size_t>(column.size())}, 0);
      }
  return basis;
}

void solve_within_belts(SparseSystem& system, const ConstraintBasis& belts, In g, Vec& u) {
  if (belts.count() == 0) {
    system.solve(g, u);
    return;
  }
  u.setZero(g.size());
  minimize_projected([&](In x, Vec& y) { system.multiply(x, y); }, [&](In r, Vec& z) { system.solve(r, z); }, belts, g,
                     u, {.tolerance = 1e-12, .max_iterations = 400});
}

}  // namespace rigspace
