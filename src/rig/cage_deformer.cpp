#include "rigspace/rig/cage.h"

#include "automatic_deformer.h"

#include "rigspace/base/require.h"

#include <cmath>

namespace rigspace {
namespace {

/// Green's faces at one pose: N_t = s_t n_t - n_t0, and its derivatives by the corners.
struct FaceMove {
  Vec3 N;
  std::array<Mat3, 3> by_corner;
};

/// s = sqrt(Q / 2) / |u x v|,  Q = |a|^2 |v|^2 - 2 (a.b)(u.v) + |b|^2 |u|^2,  n = a x b / |a x b|:
///   ds/da = (|v|^2 a - (u.v) b) / (2 |u x v|^2 s),  ds/db likewise;  dn = (I - n n^T) d(a x b) / |a x b|.
/// A face that is pressed flat has no normal: its N stays as at rest, without derivatives.
FaceMove face_move(const Vec3& u, const Vec3& v, const Vec3& a, const Vec3& b) {
  FaceMove move{Vec3::Zero(), {Mat3::Zero(), Mat3::Zero(), Mat3::Zero()}};
  const Vec3 rest = u.cross(v), now = a.cross(b);
  const double twice_area = now.norm(), stretch = green_stretch(u, v, a, b);
  if (!(twice_area > 1e-14 * rest.norm())) return move;
  const Vec3 n = now / twice_area;
  move.N = stretch * n - rest.normalized();
  const double by = 1 / (2 * rest.squaredNorm() * stretch);
  const Vec3 ds_da = by * (v.squaredNorm() * a - u.dot(v) * b), ds_db = by * (u.squaredNorm() * b - u.dot(v) * a);
  const Mat3 normal = stretch / twice_area * (Mat3::Identity() - n * n.transpose());
  move.by_corner[1] = n * ds_da.transpose() - normal * cross_matrix(b);  // d(a x b) = -b x da + a x db
  move.by_corner[2] = n * ds_db.transpose() + normal * cross_matrix(a);
  move.by_corner[0] = -move.by_corner[1] - move.by_corner[2];
  return move;
}

/// What does not depend on the points.
struct CageShape {
  TriMesh cage;
  std::vector<int> slot_of;   ///< of each point of the cage: which of the deformer's slots, or -1
  std::vector<int> size;      ///< of the slots: 3, or 12 of a transform
  std::vector<int> point_of;  ///< of each slot: the point of the cage

  /// Where the position is within slot k.
  int origin(int k) const { return size[static_cast<std::size_t>(k)] == kTransformSlot ? 9 : 0; }
};

class Cage final : public Deformer {
 public:
  struct Layout {
    std::vector<int> entry_start{0}, entry_slot;
    std::vector<double> weight;  // per entry
    std::vector<Vec3> gradient;
    CageRows faces;  // Green's
    std::vector<Vec3> bound;

    /// A point of row `row`, by `factor`, of Green coordinates with all slots, since faces read them; -1: one that
    /// nothing moves.
    void add(const CageCoordinates& at, int row, double factor, const Vec3& x, const CageShape& shape) {
      bound.push_back(x);
      if (row >= 0 && at.points.start[row] < at.points.start[row + 1]) {
        add_points(at, row, factor, shape);
        for (int e = at.faces.start[row]; e < at.faces.start[row + 1]; ++e) {
          faces.index.push_back(at.faces.index[e]);
          faces.weight.push_back(factor * at.faces.weight[e]);
          faces.gradient.push_back(factor * at.faces.gradient[e]);
        }
      }
      entry_start.push_back(static_cast<int>(entry_slot.size()));
      faces.start.push_back(static_cast<int>(faces.index.size()));
    }

   private:
    void add_points(const CageCoordinates& at, int row, double factor, const CageShape& shape) {
      std::vector<double> w(shape.size.size(), 0);
      std::vector<Vec3> g(shape.size.size(), Vec3::Zero());
      std::vector<char> used(shape.size.size(), at.family == CageFamily::green);
      const CageRows& rows = at.points;
      for (int e = rows.start[row]; e < rows.start[row + 1]; ++e)
        if (const int k = shape.slot_of[rows.index[e]]; k >= 0)
          used[k] = 1, w[k] = factor * rows.weight[e], g[k] = factor * rows.gradient[e];
      for (std::size_t k = 0; k < used.size(); ++k) {
        if (!used[k]) continue;
        entry_slot.push_back(static_cast<int>(k));
        weight.push_back(w[k]);
        gradient.push_back(g[k]);
      }
    }
  };

  Cage(int first, std::vector<int> slots, std::shared_ptr<const CageShape> shape, Layout layout)
      : Deformer(first, std::move(slots), shape->size, std::move(layout.entry_start), std::move(layout.entry_slot)),
        shape_(std::move(shape)),
        weight_(std::move(layout.weight)),
        gradient_(std::move(layout.gradient)),
        faces_(std::move(layout.faces)),
        bound_(std::move(layout.bound)) {}

  struct State : DeformerState {
    std::vector<Vec3> moves;      ///< of the slots: c - c0
    std::vector<FaceMove> faces;  ///< Green's
    std::vector<Mat> du;          ///< of the slots: 3 x columns
  };

  std::unique_ptr<DeformerState> make_state() const override { return std::make_unique<State>(); }

  void prepare(In u, std::span<const Slot> graph_slots, DeformerState& base) const override {
    auto& state = static_cast<State&>(base);
    const CageShape& shape = *shape_;
    state.moves.resize(slots_.size());
    for (int k = 0; k < static_cast<int>(slots_.size()); ++k)
      state.moves[k] =
          u.segment<3>(graph_slots[slots_[k]].offset + shape.origin(k)) - point(shape.cage.points, shape.point_of[k]);
    if (faces_.index.empty()) return;
    state.faces.resize(shape.cage.triangles.size());
    for (std::size_t f = 0; f < state.faces.size(); ++f) {
      const Triangle& t = shape.cage.triangles[f];
      Vec3 rest[3], now[3];
      for (int c = 0; c < 3; ++c) {
        rest[c] = point(shape.cage.points, t[c]);
        now[c] = rest[c];
        if (const int k = shape.slot_of[t[c]]; k >= 0) now[c] += state.moves[k];
      }
      state.faces[f] = face_move(rest[1] - rest[0], rest[2] - rest[0], now[1] - now[0], now[2] - now[0]);
    }
  }

  void prepare_derivatives(In, std::span<const Slot>, const GraphJacobian& du, DeformerState& base) const override {
    auto& state = static_cast<State&>(base);
    state.du.resize(slots_.size());
    for (int k = 0; k < static_cast<int>(slots_.size()); ++k)
      state.du[k] = du.slots[slots_[k]].value.middleRows(shape_->origin(k), 3);
  }

  void deform(const DeformerState& base, int begin, int end, double* x) const override {
    for (int k = begin; k < end; ++k, x += 3) {
      Eigen::Map<Vec3> at(x);
      at += move(static_cast<const State&>(base), k, at);
    }
  }

  void deform(const DeformerState& base, int k, double* x, const PointRow& row) const override {
    const auto& state = static_cast<const State&>(base);
    Eigen::Map<Vec3> at(x);
    const Vec3 d = at - bound_[k];
    if (!row.zero) transform_row(slope(state, k), row);
    const std::vector<Mat3>& by_slot = faces_by_slot(state, k, d);
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) {
      const int slot = entry_slot_[e];
      const double w = weight_[e] + gradient_[e].dot(d);
      const Mat3 B = by_slot.empty() ? Mat3(w * Mat3::Identity()) : Mat3(w * Mat3::Identity() + by_slot[slot]);
      const Mat& du = state.du[slot];
      for (const ColumnRun& run : row.runs[e - entry_start_[k]]) {
        Eigen::Map<Eigen::Matrix3Xd> out(row.values + 3 * run.to, 3, run.length);
        if (by_slot.empty())
          out += w * du.middleCols(run.from, run.length);
        else
          out.noalias() += B.lazyProduct(du.middleCols(run.from, run.length));
      }
    }
    at += move(state, k, at);
  }

  Mat3 spatial_jacobian(const DeformerState& base, int k, const Vec3&) const override {
    return slope(static_cast<const State&>(base), k);
  }

  Vec3 pull(const DeformerState& base, int k, const Vec3& x, const Vec3& g, double* g_slots) const override {
    const auto& state = static_cast<const State&>(base);
    const Vec3 d = x - bound_[k];
    const std::vector<Mat3>& by_slot = faces_by_slot(state, k, d);
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) {
      const int slot = entry_slot_[e];
      Eigen::Map<Vec3> out(g_slots + slot_offset(slot) + shape_->origin(slot));
      out += (weight_[e] + gradient_[e].dot(d)) * g;
      if (!by_slot.empty()) out += by_slot[slot].transpose() * g;
    }
    return slope(state, k).transpose() * g;
  }

  std::unique_ptr<Deformer> restricted(std::span<const int> points, int new_first) const override {
    const Selection selection = select(points);
    Layout layout;
    layout.entry_start = selection.entry_start;
    for (const int e : selection.entries) {
      layout.entry_slot.push_back(entry_slot_[e]);
      layout.weight.push_back(weight_[e]);
      layout.gradient.push_back(gradient_[e]);
    }
    for (const int k : points) {
      layout.bound.push_back(bound_[k]);
      for (int e = faces_.start[k]; e < faces_.start[k + 1]; ++e) {
        layout.faces.index.push_back(faces_.index[e]);
        layout.faces.weight.push_back(faces_.weight[e]);
        layout.faces.gradient.push_back(faces_.gradient[e]);
      }
      layout.faces.start.push_back(static_cast<int>(layout.faces.index.size()));
    }
    return std::make_unique<Cage>(new_first, slots_, shape_, std::move(layout));
  }

 private:
  Vec3 move(const State& state, int k, const Vec3& x) const {
    const Vec3 d = x - bound_[k];
    Vec3 y = Vec3::Zero();
    if (d.isZero(0)) {  // nothing moved the point before
      for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e) y += weight_[e] * state.moves[entry_slot_[e]];
      for (int e = faces_.start[k]; e < faces_.start[k + 1]; ++e)
        y += faces_.weight[e] * state.faces[faces_.index[e]].N;
      return y;
    }
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e)
      y += (weight_[e] + gradient_[e].dot(d)) * state.moves[entry_slot_[e]];
    for (int e = faces_.start[k]; e < faces_.start[k + 1]; ++e)
      y += (faces_.weight[e] + faces_.gradient[e].dot(d)) * state.faces[faces_.index[e]].N;
    return y;
  }

  Mat3 slope(const State& state, int k) const {
    Mat3 A = Mat3::Identity();
    for (int e = entry_start_[k]; e < entry_start_[k + 1]; ++e)
      A += state.moves[entry_slot_[e]] * gradient_[e].transpose();
    for (int e = faces_.start[k]; e < faces_.start[k + 1]; ++e)
      A += state.faces[faces_.index[e]].N * faces_.gradient[e].transpose();
    return A;
  }

  /// What moves through normals and stretches: dy / dc, per slot. Empty unless the coordinates are Green's.
  const std::vector<Mat3>& faces_by_slot(const State& state, int k, const Vec3& d) const {
    thread_local std::vector<Mat3> by_slot;
    by_slot.clear();
    if (faces_.start[k] == faces_.start[k + 1]) return by_slot;
    by_slot.assign(slots_.size(), Mat3::Zero());
    for (int e = faces_.start[k]; e < faces_.start[k + 1]; ++e) {
      const double psi = faces_.weight[e] + faces_.gradient[e].dot(d);
      const Triangle& t = shape_->cage.triangles[faces_.index[e]];
      for (int c = 0; c < 3; ++c)
        if (const int slot = shape_->slot_of[t[c]]; slot >= 0)
          by_slot[slot] += psi * state.faces[faces_.index[e]].by_corner[c];
    }
    return by_slot;
  }

  std::shared_ptr<const CageShape> shape_;
  std::vector<double> weight_;  // per entry
  std::vector<Vec3> gradient_;
  CageRows faces_;
  std::vector<Vec3> bound_;
};

}  // namespace

std::unique_ptr<Deformer> make_cage(const CageDescription& description) {
  const DeformedPoints& points = description.points;
  points.validate("cage");
  const int cage_points = description.cage.point_count();
  require_option(points.rest_known() || points.count == 0, "cage's number of rest coordinates", 0,
                 "a cage binds points where they rest");
  require_option(description.point_slots.size() == static_cast<std::size_t>(cage_points), "cage's number of slots",
                 static_cast<double>(description.point_slots.size()),
                 "give one per point of the cage, " + std::to_string(cage_points));
  CageOptions options = description.coordinates;
  options.gradients = true;
  std::vector<int> moved;  // points that the cage moves
  for (int k = 0; k < points.count; ++k)
    if (points.weight(k) != 0) moved.push_back(k);
  Vec at(3 * static_cast<Eigen::Index>(moved.size()));
  for (std::size_t i = 0; i < moved.size(); ++i)
    at.segment<3>(3 * static_cast<Eigen::Index>(i)) = point(points.rest, moved[i]);
  const auto solver =
      description.solver ? description.solver : std::make_shared<const CageSolver>(description.cage, options);
  const CageCoordinates coordinates = solver->coordinates(at);

  auto shape = std::make_shared<CageShape>();
  shape->cage = coordinates.cage;
  std::vector<int> slots;
  for (int j = 0; j < cage_points; ++j) {
    const int slot = description.point_slots[j];
    shape->slot_of.push_back(slot < 0 ? -1 : static_cast<int>(slots.size()));
    if (slot < 0) continue;
    slots.push_back(slot);
    shape->size.push_back(description.transforms ? kTransformSlot : kPointSlot);
    shape->point_of.push_back(j);
  }
  Cage::Layout layout;
  std::size_t next = 0;
  for (int k = 0; k < points.count; ++k) {
    const bool here = next < moved.size() && moved[next] == k;
    layout.add(coordinates, here ? static_cast<int>(next) : -1, points.weight(k), point(points.rest, k), *shape);
    next += here;
  }
  return std::make_unique<Cage>(points.first, std::move(slots), std::move(shape), std::move(layout));
}

}  // namespace rigspace
