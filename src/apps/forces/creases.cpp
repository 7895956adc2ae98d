#include "rigspace/apps/forces/creases.h"

#include "rigspace/base/require.h"
#include "rigspace/geometry/closest_point.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace {
namespace {

constexpr double kIndependent = 0.05;  // share of a row that those held before it do not give
constexpr int kLetGo = 2;              // times a contact may be let go in one solve: sets must not go round

/// A u = g on the free vertices.
struct FreeSystem {
  Vec load;
  std::function<void(In, Vec&)> multiply, precondition;

  FreeSystem(PosedLattice& lattice, In g, bool factored) : load(g) {
    lattice.body().levels.fold(load);
    SparseSystem& A = lattice.assembled();
    Vec inverse;
    A.diagonal(inverse);
    for (Eigen::Index i = 0; i < load.size(); ++i) {
      const bool held = lattice.held_mask()[i] != 0;
      if (held) load[i] = 0;
      inverse[i] = held ? 0 : 1 / inverse[i];
    }
    multiply = [&A](In v, Vec& Av) { A.multiply(v, Av); };
    if (factored)
      precondition = [&lattice](In r, Vec& z) { lattice.solve_free(r, z); };
    else
      precondition = [inverse](In r, Vec& z) { z = r.cwiseProduct(inverse); };
  }
};

}  // namespace

void CreaseOptions::validate() const {
  require_option(margin > 0 && deepest > margin, "depth of contacts", deepest, "expected more than the margin, edges");
  require_option(recovery >= 0 && recovery < 1, "share of a depth left", recovery, "expected 0 to 1");
  require_option(tolerance > 0 && rounds > 0, "tolerance of gaps", tolerance, "expected more than 0");
}

CreaseSurface::CreaseSurface(const ForceBody& body) : number_(body.surface.count(), -1) {
  std::map<std::array<double, 3>, int> places;
  for (int i = 0; i < body.surface.count(); ++i) {
    const Vec3 x = point(body.points_rest, i);
    const auto [found, is_new] = places.try_emplace({x.x(), x.y(), x.z()}, count());
    if (is_new) points_.push_back(i);
    number_[i] = found->second;
  }
  triangles_at_.resize(points_.size()), neighbours_.resize(points_.size()), near_.resize(points_.size());
  double sum = 0;
  for (const Triangle& given : body.triangles) {
    const Triangle t{number_[given[0]], number_[given[1]], number_[given[2]]};
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    for (int k = 0; k < 3; ++k) {
      triangles_at_[t[k]].push_back(static_cast<int>(triangles_.size()));
      for (const int j : {t[(k + 1) % 3], t[(k + 2) % 3]})
        if (std::find(neighbours_[t[k]].begin(), neighbours_[t[k]].end(), j) == neighbours_[t[k]].end())
          neighbours_[t[k]].push_back(j);
      sum += (point(body.points_rest, given[k]) - point(body.points_rest, given[(k + 1) % 3])).norm();
    }
    triangles_.push_back(t);
  }
  mean_edge_ = triangles_.empty() ? 0 : sum / (3.0 * static_cast<double>(triangles_.size()));
  for (int i = 0; i < count(); ++i) {
    near_[i] = neighbours_[i];
    for (const int j : neighbours_[i]) near_[i].insert(near_[i].end(), neighbours_[j].begin(), neighbours_[j].end());
    std::sort(near_[i].begin(), near_[i].end());
    near_[i].erase(std::unique(near_[i].begin(), near_[i].end()), near_[i].end());
  }
}

bool CreaseSurface::is_near(int i, int triangle) const {
  for (const int j : triangles_[triangle])
    if (j == i || std::binary_search(near_[i].begin(), near_[i].end(), j)) return true;
  return false;
}

Creases::Creases(std::shared_ptr<const CreaseSurface> surface, CreaseSeeds seeds, CreaseOptions options)
    : surface_(std::move(surface)), options_(options), contact_of_(surface_->count(), -1) {
  options_.validate();
  for (const auto& [i, j] : seeds.pairs) seeds_.push_back({surface_->number(i), surface_->number(j)});
}

Vec3 Creases::normal_at(int i) const {
  Vec3 sum = Vec3::Zero();
  for (const int t : surface_->triangles_at(i)) {
    const Triangle& c = surface_->triangles()[t];
    sum += (point(x_, c[1]) - point(x_, c[0])).cross(point(x_, c[2]) - point(x_, c[0]));
  }
  return sum;
}

/// Over the triangle, facing it, neither far above nor deep below.
bool Creases::measure(int i, int triangle, CreaseContact& contact) const {
  const Triangle& t = surface_->triangles()[triangle];
  const Vec3 a = point(x_, t[0]), e1 = point(x_, t[1]) - a, e2 = point(x_, t[2]) - a, d = point(x_, i) - a;
  const Vec3 area = e1.cross(e2);
  const double twice = area.norm(), edge = surface_->mean_edge();
  if (!(twice > 0)) return false;
  const Vec3 n = area / twice;
  const double gap = n.dot(d);
  if (gap > options_.margin * edge || gap < -options_.deepest * edge) return false;
  const double v = n.dot(d.cross(e2)) / twice, w = n.dot(e1.cross(d)) / twice;
  if (v < -0.02 || w < -0.02 || v + w > 1.02) return false;
  if (surface_->is_near(i, triangle) || normal_at(i).dot(n) >= 0) return false;
  contact = {.point = i, .triangle = triangle, .barycentric = Vec3(1 - v - w, v, w), .normal = n, .gap = gap};
  return true;
}

/// Keeps of each point the contact with the nearest triangle.
void Creases::consider(int i, int triangle) {
  CreaseContact found;
  if (!measure(i, triangle, found)) return;
  int& at = contact_of_[i];
  if (at < 0) {
    at = static_cast<int>(contacts_.size());
    contacts_.push_back(found);
  } else if (std::abs(found.gap) < std::abs(contacts_[at].gap)) {
    found.active = contacts_[at].active;
    contacts_[at] = found;
  }
}

void Creases::update(const ForceBody& body, In y) {
  x_.resize(3 * surface_->count());
  for (int i = 0; i < surface_->count(); ++i) point(x_, i) = body.surface.evaluate(y, surface_->skin_point(i));
  const std::vector<CreaseContact> old = std::move(contacts_);
  contacts_.clear();
  std::fill(contact_of_.begin(), contact_of_.end(), -1);
  const auto consider_around = [&](int i, int j) {
    for (const int t : surface_->triangles_at(j)) consider(i, t);
  };
  for (const CreaseContact& each : old) {  // first those that there were, in their order
    for (const int j : surface_->triangles()[each.triangle]) consider_around(each.point, j);
    if (const int at = contact_of_[each.point]; at >= 0) contacts_[at].active = each.active;
  }
  std::vector<std::array<int, 2>> front = seeds_;  // the other way round, too
  for (const auto& [i, j] : seeds_) front.push_back({j, i});
  for (const CreaseContact& each : old)
    for (const int j : surface_->triangles()[each.triangle]) {
      front.push_back({j, each.point});
      for (const int i : surface_->neighbours(each.point)) front.push_back({i, j}), front.push_back({j, i});
    }
  std::sort(front.begin(), front.end());
  front.erase(std::unique(front.begin(), front.end()), front.end());
  for (const auto& [i, j] : front) consider_around(i, j);
}

Creases::Row Creases::row_of(const PosedLattice& lattice, const CreaseContact& contact, In y) const {
  const ForceBody& body = lattice.body();
  std::vector<std::pair<int, double>> weights;
  double gap = 0;
  const auto add = [&](int vertex, double weight) {
    const auto found =
        std::find_if(weights.begin(), weights.end(), [vertex](const auto& w) { return w.first == vertex; });
    if (found == weights.end())
      weights.emplace_back(vertex, weight);
    else
      found->second += weight;
  };
  const auto count = [&](int i, double factor) {
    const int skin = surface_->skin_point(i);
    gap += factor * contact.normal.dot(body.surface.evaluate(y, skin));
    for (int c = 0; c < 8; ++c) {
      const int vertex = body.surface.corners[skin][c];
      const double weight = factor * body.surface.weights[skin][c];
      const HangingVertex* hangs = body.levels.find(vertex);
      if (hangs == nullptr) add(vertex, weight);
      if (hangs != nullptr)
        for (const auto& [other, share] : hangs->others) add(other, share * weight);
    }
  };
  count(contact.point, 1);
  for (int k = 0; k < 3; ++k) count(surface_->triangles()[contact.triangle][k], -contact.barycentric[k]);
  Row row;
  for (const auto& [vertex, weight] : weights)
    for (int a = 0; a < 3 && lattice.held_mask()[3 * vertex] == 0; ++a)
      row.coordinates.push_back(3 * vertex + a), row.values.push_back(weight * contact.normal[a]);
  row.least = (contact.gap < 0 ? options_.recovery * contact.gap : 0) - gap;
  return row;
}

double Creases::Row::along(In u) const {
  double sum = 0;
  for (std::size_t k = 0; k < coordinates.size(); ++k) sum += values[k] * u[coordinates[k]];
  return sum;
}

// Active set. What is below its bound is held, the worst first, then what was held and does not pull. Rows that depend
// on those held before them need none of their own: there may be more contacts than the lattice has freedom, and the
// order decides.
Creases::Solve Creases::solve(PosedLattice& lattice, In y, In g, bool factored, Vec& u) {
  Solve result;
  const FreeSystem system(lattice, g, factored);
  std::vector<Row> rows;
  for (const CreaseContact& each : contacts_) rows.push_back(row_of(lattice, each, y));
  if (u.size() != g.size() || factored) u.setZero(g.size());
  for (Eigen::Index i = 0; i < u.size(); ++i)
    if (lattice.held_mask()[i] != 0) u[i] = 0;
  if (factored && rows.empty()) lattice.solve_free(system.load, u);
  const double loose = options_.tolerance * surface_->mean_edge();
  std::vector<int> order, times_let_go(rows.size(), 0);
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (contacts_[k].active) order.push_back(static_cast<int>(k));
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return contacts_[i].gap < contacts_[j].gap; });
  Vec product;
  system.precondition(system.load, product);
  const double cold = system.load.dot(product);  // the residual's norm, squared, without a start
  const double enough = options_.solver.tolerance * options_.solver.tolerance * cold;
  while (result.rounds < options_.rounds && !result.complete) {
    ++result.rounds;
    ConstraintBasis basis = lattice.belts();
    const int belts = basis.count();
    std::vector<int> held;
    std::vector<std::pair<double, int>> below;
    for (CreaseContact& each : contacts_) each.active = false, each.force = 0;
    for (const int k : order)
      if (basis.add(rows[k].coordinates, rows[k].values, rows[k].least, kIndependent)) held.push_back(k);
    ProjectedCgOptions solver = options_.solver;
    solver.floor = enough;  // steps and rounds go on from each other
    result.iterations +=
        minimize_projected(system.multiply, system.precondition, basis, system.load, u, solver).iterations;
    system.multiply(u, product);
    const Vec forces = basis.multipliers(product - system.load).tail(basis.count() - belts);
    const double pulls = held.empty() ? 0 : -1e-3 * forces.cwiseAbs().maxCoeff();
    order.clear(), result.complete = true;
    for (std::size_t k = 0; k < held.size(); ++k) {
      CreaseContact& each = contacts_[held[k]];
      each.active = true, each.force = forces[static_cast<Eigen::Index>(k)];
      if (each.force >= pulls || times_let_go[held[k]]++ >= kLetGo)
        order.push_back(held[k]);
      else
        result.complete = false;
    }
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (const double short_of = rows[k].least - rows[k].along(u); !contacts_[k].active && short_of > loose)
        below.emplace_back(-short_of, static_cast<int>(k)), result.complete = false;
    std::sort(below.begin(), below.end());
    std::vector<int> next;
    for (const auto& [depth, k] : below) next.push_back(k);
    next.insert(next.end(), order.begin(), order.end());
    order = std::move(next);
  }
  result.active =
      static_cast<int>(std::count_if(contacts_.begin(), contacts_.end(), [](const auto& c) { return c.active; }));
  lattice.body().levels.spread(u);
  return result;
}

Creases::Solve settle_creases(PosedLattice& lattice, In Q, Creases& creases, Vec& y) {
  Vec right, force, change;
  creases.update(lattice.body(), y);
  lattice.place_held(y);
  lattice.residual(y, right);
  lattice.turned(Q, force);
  const Creases::Solve result = creases.solve(lattice, y, force - right, true, change);
  y += change;
  return result;
}

}  // namespace rigspace
