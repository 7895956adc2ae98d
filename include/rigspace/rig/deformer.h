#pragma once
// The second stage of a built-in rig: a stack of pointwise deformers  s_i <- D(s_i; u). Each turns a point and its
// Jacobian row into the next,  J <- A J + B du/dp  with A 3x3, so any stack has exact derivatives in one pass, and
// restriction to a few points is free.

#include "rigspace/base/types.h"
#include "rigspace/rig/graph.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

/// Where the columns of a slot go in the Jacobian row of a point: `length` consecutive columns from `from` to `to`.
struct ColumnRun {
  int from, to, length;
};

/// The Jacobian row of one point, under construction: 3 x columns, and for each entry of the deformer its runs.
struct PointRow {
  double* values;  ///< 3 per column
  int columns;
  const std::span<const ColumnRun>* runs;  ///< per entry of the point, in the deformer's order
  bool zero;                               ///< nothing was added yet: A row need not be computed
};

/// What a deformer computes once per pose, before its points. Made by the deformer.
class DeformerState {
 public:
  virtual ~DeformerState() = default;
};

/// Points that a deformer moves are `first .. first + count`. Point k among them reads the slots of its entries
/// `entry_start[k] .. entry_start[k+1]`; entry e reads slots[entry_slot[e]].
class Deformer {
 public:
  virtual ~Deformer() = default;

  int first() const { return first_; }
  int count() const { return static_cast<int>(entry_start_.size()) - 1; }
  std::span<const int> slots() const { return slots_; }
  std::span<const int> entry_start() const { return entry_start_; }
  std::span<const int> entry_slot() const { return entry_slot_; }

  virtual std::unique_ptr<DeformerState> make_state() const = 0;
  /// Once per pose; `graph_slots` are all slots of the graph.
  virtual void prepare(In u, std::span<const Slot> graph_slots, DeformerState&) const = 0;
  virtual void prepare_derivatives(In u, std::span<const Slot> graph_slots, const GraphJacobian& du,
                                   DeformerState&) const = 0;

  /// x: the coordinates of points begin..end (counted within the deformer), changed in place.
  virtual void deform(const DeformerState&, int begin, int end, double* x) const = 0;
  /// The same for one point, with its row: row <- A row + B du/dp.
  virtual void deform(const DeformerState&, int k, double* x, const PointRow& row) const = 0;
  /// The derivative of one point's output by its input, at input x.
  virtual Mat3 spatial_jacobian(const DeformerState&, int k, const Vec3& x) const = 0;
  /// Adjoint of one point at input x: adds to g_slots (all this deformer's slots, see slot_offset) and returns A^T g.
  virtual Vec3 pull(const DeformerState&, int k, const Vec3& x, const Vec3& g, double* g_slots) const = 0;

  /// Where slot number k of this deformer begins in g_slots, and the total.
  int slot_offset(int k) const { return slot_offset_[k]; }
  int slot_total() const { return slot_offset_.back(); }

  /// The same deformer for some of its points (counted within the deformer, ascending), placed at new_first.
  virtual std::unique_ptr<Deformer> restricted(std::span<const int> points, int new_first) const = 0;

 protected:
  Deformer(int first, std::vector<int> slots, std::vector<int> slot_sizes, std::vector<int> entry_start,
           std::vector<int> entry_slot);
  /// For some of the points: their entries, as numbers of ours, and where each point's begin.
  struct Selection {
    std::vector<int> entry_start, entries;
  };
  Selection select(std::span<const int> points) const;

  int first_;
  std::vector<int> slots_, slot_offset_, slot_sizes_;
  std::vector<int> entry_start_, entry_slot_;
};

/// The influence of a joint on a point.
struct Influence {
  int joint;  ///< into the skin's joints
  double weight;
};

/// What a skin is made of. Weights are used as they are: normalise before.
struct SkinDescription {
  int first_point = 0;
  std::vector<int> joint_slots;                    ///< transforms in the graph
  std::vector<Affine> inverse_bind;                ///< one per joint
  std::vector<std::vector<Influence>> influences;  ///< one list per point, any length
};

/// Linear blend skinning (Thesis 3.62):  s = sum_j w_j C_j X,  C_j = world_j * inverse_bind_j.
std::unique_ptr<Deformer> make_linear_blend_skin(const SkinDescription&);

/// Dual quaternion skinning (Kavan et al. 2008) of the rotations and translations of C_j = R_j S_j + t_j (polar
/// decomposition); the stretches S_j are blended linearly before it.
std::unique_ptr<Deformer> make_dual_quaternion_skin(const SkinDescription&);

/// What a deformer was made from, or nullptr if it is another kind (restricted ones keep none): for writers of files.
const SkinDescription* skin_description(const Deformer&);
/// True of what make_linear_blend_skin and make_rigid gave.
bool is_linear_skin(const Deformer&);

/// All points follow one transform:  s = C X.
std::unique_ptr<Deformer> make_rigid(int first_point, int count, int transform_slot);

/// One morph target: offsets of some points.
struct MorphTarget {
  int weight_slot = -1;
  std::vector<int> points;  ///< counted within the deformer, ascending
  std::vector<Vec3> offsets;
};

/// Blend shapes with stored offsets:  s = X + sum_m w_m d_m.
std::unique_ptr<Deformer> make_blend_shapes(int first_point, int count, std::span<const MorphTarget> targets);
/// As above; empty if the deformer is another kind.
std::span<const MorphTarget> morph_targets(const Deformer&);

}  // namespace rigspace
