#include "rigspace/geometry/stuffing.h"

#include "sheet_lattice.h"
#include "solids.h"
#include "stencils.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/geometry/embedding.h"
#include "union_find.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rigspace {
namespace {

// A cut nearer to a corner than this fraction of the edge pulls the corner onto the surface. With these two, and any
// surface, all dihedral angles lie between 10.7 and 164.8 degrees (Labelle and Shewchuk 2007).
constexpr double kAlphaLong = 0.24999, kAlphaShort = 0.41189;
constexpr double kDefaultCell = 0.02;  // of the diagonal
constexpr int kRepairs = 12;           // rounds of putting corners back; two or three are usual
constexpr double kCrumb = 0.5;         // cubes: smaller components are left out

double alpha(int direction) { return is_long(direction) ? kAlphaLong : kAlphaShort; }

/// The twelve tetrahedra of a cube: two middles one long edge apart along an axis, and an edge of the face between
/// them.
struct TetShape {
  std::array<std::array<int, 3>, 4> offset;       ///< of the corners from the first middle, half cubes
  std::array<std::array<int, 4>, 4> direction{};  ///< from corner to corner
};

std::vector<TetShape> make_tet_shapes() {
  std::vector<TetShape> shapes;
  for (int axis = 0; axis < 3; ++axis) {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const int ring[5][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}, {1, 1}};
    for (int k = 0; k < 4; ++k) {
      TetShape shape;
      for (int end = 0; end < 2; ++end) {
        shape.offset[end][axis] = 1;
        shape.offset[end][b] = ring[k + end][0];
        shape.offset[end][c] = ring[k + end][1];
        shape.offset[2 + end] = {0, 0, 0};
        shape.offset[2 + end][axis] = 2 * end;
      }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          if (i != j)
            shape.direction[i][j] =
                direction_of(shape.offset[j][0] - shape.offset[i][0], shape.offset[j][1] - shape.offset[i][1],
                             shape.offset[j][2] - shape.offset[i][2]);
      shapes.push_back(shape);
    }
  }
  return shapes;
}

/// Isosurface stuffing of a split lattice. Nodes of the result are *raw* numbers: those of the sheet lattice, then one
/// for each cut (filled lattice point, direction).
class Stuffer {
 public:
  Stuffer(const LatticeField& field, const SheetLattice& sheets)
      : field_(field), sheets_(sheets), sign_(sheets.nodes().size()), x_(sheets.nodes().size()) {
    for (std::size_t n = 0; n < sign_.size(); ++n) put_back(static_cast<int>(n));
  }

  void warp() {
    for (int n = 0; n < static_cast<int>(sign_.size()); ++n) warp(n);
  }

  /// True if n is a corner that was pulled onto the surface; it is not any more.
  bool put_back_if_warped(int raw) {
    if (raw >= static_cast<int>(sign_.size()) || sign_[raw] != 0) return false;
    put_back(raw);
    return true;
  }

  std::vector<Tet> emit() const {
    static const std::vector<TetShape> kShapes = make_tet_shapes();
    std::vector<Tet> tets;
    for (const int v : field_.active()) {
      if (v < field_.lattice().corner_count()) continue;
      for (const TetShape& shape : kShapes) emit(v, shape, tets);
    }
    return tets;
  }

  Vec3 position(int raw) const {
    const int nodes = static_cast<int>(sign_.size());
    if (raw < nodes) return x_[raw];
    return cut_position(field_.active()[(raw - nodes) / kDirections], (raw - nodes) % kDirections);
  }

 private:
  void put_back(int n) {
    sign_[n] = sheets_.nodes()[n].filled ? 1 : -1;
    x_[n] = field_.lattice().position(sheets_.nodes()[n].vertex);
  }

  /// Where the flesh of v ends towards a direction, as a fraction of the edge. Beside a point that was given up there
  /// is no surface; the flesh goes on as far as it may.
  double cut(int v, int direction) const {
    const double t = field_.exit(v, direction);
    return t <= 1 ? t : 1 - alpha(direction);
  }
  Vec3 on_edge(int v, int direction, double t) const {
    const Vec3 from = field_.lattice().position(v),
               to = field_.lattice().position(field_.lattice().neighbour(v, direction));
    return (1 - t) * from + t * to;
  }
  Vec3 cut_position(int v, int direction) const {
    // Corners that were put back may have cuts nearer than the angles allow: those are moved.
    return on_edge(v, direction, std::clamp(cut(v, direction), alpha(direction), 1 - alpha(direction)));
  }
  int cut_number(int v, int direction) const {
    return static_cast<int>(sign_.size()) + field_.active_index(v) * kDirections + direction;
  }

  void warp(int n) {
    const auto [v, filled] = sheets_.nodes()[n];
    double nearest = std::numeric_limits<double>::infinity();
    for (int d = 0; d < kDirections; ++d) {
      const int u = field_.lattice().neighbour(v, d);
      if (u < 0 || field_.active_index(u) < 0) continue;
      double t = 0;  // of the cut, from v
      if (filled) {
        if (sheets_.joined(v, d) || sign_[sheets_.node_for(u, opposite(d))] >= 0) continue;
        t = cut(v, d);
      } else {
        if (!field_.filled(u) || sheets_.node_for(v, d) != n || sign_[sheets_.filled_node(u)] <= 0) continue;
        t = 1 - cut(u, opposite(d));
      }
      if (t >= alpha(d) || t * field_.lattice().length(d) >= nearest) continue;
      // What is only on the surface holds nothing together: a thin leg would come apart here.
      if (filled && sign_[n] > 0 && !sheets_.removable(v, sign_)) return;
      nearest = t * field_.lattice().length(d);
      x_[n] = filled ? on_edge(v, d, t) : on_edge(u, opposite(d), 1 - t);
      sign_[n] = 0;
    }
  }

  /// One lattice tetrahedron: filled once for each sheet among its corners.
  void emit(int middle, const TetShape& shape, std::vector<Tet>& tets) const {
    const auto c = field_.lattice().coordinates(middle);
    std::array<int, 4> v;
    bool any = false;
    for (int k = 0; k < 4; ++k) {
      v[k] = field_.lattice().at(c[0] + shape.offset[k][0], c[1] + shape.offset[k][1], c[2] + shape.offset[k][2]);
      if (v[k] < 0 || field_.active_index(v[k]) < 0) return;  // all corners of a tetrahedron with flesh are active
      any = any || field_.filled(v[k]);
    }
    if (!any) return;
    std::array<bool, 4> done{};
    for (int seed = 0; seed < 4; ++seed) {
      if (done[seed] || !field_.filled(v[seed])) continue;
      StencilInput in;
      for (int k = 0; k < 4; ++k) {
        const bool same = k == seed || (field_.filled(v[k]) && sheets_.joined(v[seed], shape.direction[seed][k]));
        done[k] = done[k] || same;
        in.node[k] = same ? sheets_.filled_node(v[k]) : sheets_.node_for(v[k], shape.direction[k][seed]);
        in.sign[k] = sign_[in.node[k]];
        in.x[k] = x_[in.node[k]];
        const auto at = field_.lattice().coordinates(v[k]);
        in.even[k] = ((at[0] / 2 + at[1] / 2 + at[2] / 2) & 1) == 0;
      }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          if (in.sign[i] > 0 && in.sign[j] < 0) {
            in.cut[i][j] = cut_number(v[i], shape.direction[i][j]);
            in.cut_x[i][j] = cut_position(v[i], shape.direction[i][j]);
          }
      const StencilOutput out = fill(in);
      tets.insert(tets.end(), out.tets.begin(), out.tets.begin() + out.count);
    }
  }

  const LatticeField& field_;
  const SheetLattice& sheets_;
  std::vector<std::int8_t> sign_;
  std::vector<Vec3> x_;
};

/// A mesh of raw tetrahedra in which nodes are split where the tetrahedra around them do not hang together by faces;
/// components smaller than a crumb are left out. `raw` gets the raw number of each point.
TetMesh assemble(const Stuffer& stuffer, const std::vector<Tet>& raw_tets, double crumb, std::vector<int>& raw,
                 int& dropped) {
  // Compact numbers first.
  TetMesh mesh;
  mesh.tets = raw_tets;
  int largest = -1;
  for (const Tet& t : raw_tets) largest = std::max(largest, *std::max_element(t.begin(), t.end()));
  std::vector<int> number(largest + 1, -1), raw_of;
  for (Tet& t : mesh.tets)
    for (int& c : t) {
      if (number[c] < 0) number[c] = static_cast<int>(raw_of.size()), raw_of.push_back(c);
      c = number[c];
    }
  mesh.points.resize(3 * static_cast<Eigen::Index>(raw_of.size()));

  // Corners of tetrahedra are the same node if they meet across a face.
  std::vector<int> parent(4 * mesh.tets.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto neighbours = tet_neighbours(mesh);
  for (int t = 0; t < mesh.tet_count(); ++t)
    for (int k = 0; k < 4; ++k) {
      const int other = neighbours[t][k];
      if (other < t) continue;
      for (const int corner : kTetFace[k])
        for (int e = 0; e < 4; ++e)
          if (mesh.tets[other][e] == mesh.tets[t][corner])
            parent[root(parent, 4 * other + e)] = root(parent, 4 * t + corner);
    }
  std::vector<int> node(parent.size(), -1), origin;
  for (int t = 0; t < mesh.tet_count(); ++t)
    for (int k = 0; k < 4; ++k) {
      int& n = node[root(parent, 4 * t + k)];
      if (n < 0) n = static_cast<int>(origin.size()), origin.push_back(raw_of[mesh.tets[t][k]]);
      mesh.tets[t][k] = n;
    }
  mesh.points.resize(3 * static_cast<Eigen::Index>(origin.size()));
  for (std::size_t i = 0; i < origin.size(); ++i) point(mesh.points, static_cast<int>(i)) = stuffer.position(origin[i]);

  const TetComponents parts = connected_components(mesh);
  dropped =
      static_cast<int>(std::count_if(parts.volumes.begin(), parts.volumes.end(), [&](double v) { return v < crumb; }));
  TetMesh kept;
  std::vector<int> final_number(origin.size(), -1);
  raw.clear();
  for (int t = 0; t < mesh.tet_count(); ++t) {
    if (parts.volumes[parts.of_tet[t]] < crumb) continue;
    Tet tet = mesh.tets[t];
    for (int& c : tet) {
      if (final_number[c] < 0) final_number[c] = static_cast<int>(raw.size()), raw.push_back(origin[c]);
      c = final_number[c];
    }
    kept.tets.push_back(tet);
  }
  kept.points.resize(3 * static_cast<Eigen::Index>(raw.size()));
  for (std::size_t i = 0; i < raw.size(); ++i) point(kept.points, static_cast<int>(i)) = stuffer.position(raw[i]);
  return kept;
}

Body stuff_with_cell(const Solids& solids, double cell, const StuffingOptions& options) {
  Body body;
  body.cell = cell;
  if (solids.skin().mesh().triangles.empty()) return body;
  LatticeField field(solids, cell, options.dilation, options.progress);
  report(options.progress, "filling cells", 0);
  const SheetLattice sheets(field);
  body.off_lattice = sheets.given_up();
  Stuffer stuffer(field, sheets);
  stuffer.warp();
  // Corners on the surface can pinch the boundary to a point or an edge; without any of them it is a manifold, as
  // every level set of a generic piecewise linear function is. So those that pinch are put back.
  std::vector<int> raw;
  for (int round = 0;; ++round) {
    report(options.progress, "filling cells", static_cast<double>(round) / (round + 2));
    body.mesh = assemble(stuffer, stuffer.emit(), kCrumb * cell * cell * cell, raw, body.dropped);
    const BoundaryDefects defects = boundary_defects(body.mesh.point_count(), boundary_triangles(body.mesh));
    body.boundary_defects = static_cast<int>(defects.points.size());
    bool changed = false;
    for (const int i : defects.points) changed = stuffer.put_back_if_warped(raw[i]) || changed;
    if (!changed || round == kRepairs) break;
  }
  return body;
}

/// Which part each point belongs to, and what of it the body represents.
void find_cover(const TriMesh& surface, Body& body) {
  const int count = surface.point_count();
  body.part_of_point.assign(count, -1);
  for (int t = 0; t < surface.triangle_count(); ++t)
    if (body.part_of_triangle[t] >= 0)
      for (const int corner : surface.triangles[t]) body.part_of_point[corner] = body.part_of_triangle[t];
  body.cover.assign(count, Cover::sheet);
  const TriangleTree boundary(boundary_surface(body.mesh));
  const TetTree tets(body.mesh);
  parallel_ranges(count, 256, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const int part = body.part_of_point[i];
      if (part < 0 || !body.parts[part].solid) continue;
      const Vec3 x = point(surface.points, i);
      const bool covered = boundary.closest(x, body.cell).triangle >= 0 || tets.containing(x) >= 0;
      body.cover[i] = covered ? Cover::body : Cover::thin;
    }
  });
  for (int i = 0; i < count; ++i) {
    if (body.part_of_point[i] < 0) continue;
    SkinPart& part = body.parts[body.part_of_point[i]];
    ++part.points;
    if (body.cover[i] == Cover::thin) ++part.thin_points;
  }
}

/// Cell sizes are tried until the number of nodes is within a twentieth: nodes grow like 1 / cell^3 in thick bodies and
/// 1 / cell^2 in thin ones, so a secant in logarithms converges in a few rounds.
Body stuff_to_count(const Solids& solids, double cell, const StuffingOptions& options) {
  Body best;
  double best_miss = std::numeric_limits<double>::infinity();
  double exponent = 2.7, last_cell = 0, last_count = 0;
  for (int round = 0; round < 6; ++round) {
    Body body = stuff_with_cell(solids, cell, options);
    const double count = std::max(1, body.mesh.point_count());
    const double miss = std::abs(std::log(count / options.vertices));
    if (miss < best_miss) best = std::move(body), best_miss = miss;
    if (best_miss < 0.05) break;
    if (last_count > 0 && count != last_count && cell != last_cell)
      exponent = std::clamp(std::log(count / last_count) / std::log(last_cell / cell), 1.5, 4.0);
    last_cell = cell, last_count = count;
    cell *= std::clamp(std::pow(count / options.vertices, 1 / exponent), 0.25, 4.0);
  }
  return best;
}

}  // namespace

void StuffingOptions::validate() const {
  const auto refuse = [](const char* field, const std::string& value, const char* expected) {
    throw Error(
        {.code = ErrorCode::usage, .element = field, .value = value, .problem = "is " + value, .remedy = expected});
  };
  if (!(cell >= 0) || !std::isfinite(cell))
    refuse("cell", std::to_string(cell), "expected a length, or 0 for the default");
  if (vertices < 0) refuse("vertices", std::to_string(vertices), "expected a count, or 0");
  if (!(dilation >= 0 && dilation <= 0.6)) refuse("dilation", std::to_string(dilation), "expected 0 to 0.6 cells");
}

Body stuff(const TriMesh& surface, const StuffingOptions& options) {
  options.validate();
  surface.validate("surface");
  report(options.progress, "reading the surface", 0);
  const Solids solids(surface);
  const double diagonal = bounding_box(surface.points).diagonal();
  const double cell = options.cell > 0 ? options.cell : kDefaultCell * diagonal;
  Body body;
  if (!(diagonal > 0))
    body.cell = cell;
  else
    body = options.vertices > 0 ? stuff_to_count(solids, cell, options) : stuff_with_cell(solids, cell, options);
  body.parts = solids.parts();
  body.part_of_triangle = solids.part_of_triangle();
  body.flipped_triangles = solids.flipped_triangles();
  find_cover(surface, body);
  return body;
}

}  // namespace rigspace
