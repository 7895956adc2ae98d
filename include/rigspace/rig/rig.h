#pragma once
// A rig is a map s(p) from the few controls p that an animator turns to the many points s of a shape.

#include "rigspace/base/types.h"
#include "rigspace/rig/control.h"
#include "rigspace/rig/jacobian.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

struct Traits {
  bool exact_jacobian = false;  ///< analytic, as against differences
  bool concurrent = true;       ///< may be evaluated from several threads, each with its own workspace
  double noise = 0;  ///< standard deviation of a coordinate when p is repeated or barely changed, scene units
  bool remembers_poses = false;  ///< caches evaluated poses: give poses that will be needed as one batch
};

/// Scratch memory of one thread of evaluation; results do not depend on it. Made by the rig that uses it.
class Workspace {
 public:
  virtual ~Workspace() = default;
};

/// Laws, checked by testing::check_rig: evaluate is a function of p alone; jacobian is its derivative; pull is the
/// transpose of the Jacobian over all controls; restricted agrees with the whole at its points. A black box needs only
/// controls, point_count and evaluate.
class Rig {
 public:
  virtual ~Rig() = default;

  virtual std::span<const Control> controls() const = 0;
  virtual int point_count() const = 0;
  virtual Traits traits() const { return {}; }
  virtual std::unique_ptr<Workspace> make_workspace() const { return std::make_unique<Workspace>(); }

  /// s(p), flattened, resized to 3 * point_count().
  virtual void evaluate(Workspace&, In p, Vec& s) const = 0;

  /// Column k of S is s(column k of P). One call, for rigs in other processes.
  virtual void evaluate_batch(Workspace&, const Mat& P, Mat& S) const;

  /// ds/dp for the controls `free`, ascending. By central differences, scaled by each control's `typical`, unless the
  /// rig has its own.
  virtual void jacobian(Workspace&, In p, std::span<const int> free, BlockJacobian&) const;

  /// g_p = (ds/dp)^T g over all controls.
  virtual void pull(Workspace&, In p, In g, Vec& g_p) const;

  /// ds_i/dX_i, the derivative of each point by its own rest position (Thesis 3.58, 3.61, 3.70). False if the rig has
  /// no notion of it.
  virtual bool rest_jacobian(Workspace&, In p, std::vector<Mat3>& B) const;

  /// The same rig for a few of its points, given ascending and without repeats, at a cost that depends on those alone
  /// where the rig allows it. The default evaluates everything and picks; the original must then outlive it.
  virtual std::unique_ptr<Rig> restricted(std::span<const int> points) const;

  /// Of rigs that can fail and recover, such as those in other processes: one sentence for each time that one did.
  virtual std::vector<std::string> incidents() const { return {}; }
  /// Poses, and columns of Jacobians, that were evaluated so far, where the rig counts them: restricted rigs included,
  /// cached poses not.
  virtual std::optional<long> evaluation_count() const { return std::nullopt; }

  Vec rest() const;
  int find(std::string_view control) const { return find_control(controls(), control); }
};

}  // namespace rigspace
