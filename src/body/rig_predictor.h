#pragma once
// Private to physics: what a frugal LinearRig knows of the states before, so that it need not ask the rig.

#include "rigspace/base/types.h"
#include "rigspace/geometry/region_frames.h"
#include "rigspace/rig/jacobian_memory.h"
#include "rigspace/rig/jacobian_model.h"

#include <deque>
#include <optional>

namespace rigspace {

class RigPredictor {
 public:
  /// A state that a step ended in, about the keyed pose of its own time.
  struct State {
    double step = 1;  ///< that led to it
    Vec controls;     ///< free ones, less the keyed ones
    Vec nodes;        ///< bound ones, less the keyed ones, in the frames of the rest pose
  };

  /// Bound nodes at rest.
  explicit RigPredictor(const Vec& rest) : frames(rest, 1), nodes(rest) {}

  /// One region is best here: frames of small ones turn with limbs that J has no part in.
  RegionFrames frames;
  Vec key;    ///< bound nodes in the keyed pose
  Vec place;  ///< what the rig has of them there, which is the same where they go by the rig alone

  /// The latest first; three are kept.
  std::deque<State> states;
  /// Where something was taught: what looked-up states are beside that, the latest first, three of them. Those that
  /// were not looked up tell nothing new.
  struct Seen {
    double time = 0;
    Vec nodes;  ///< as those of a state
  };
  std::deque<Seen> seen;
  double time = 0;  ///< of the latest state
  /// The path through those, after another step.
  Vec beside(double step) const;
  int trust = 0;  ///< steps for which the last look at the rig speaks for J
  std::optional<JacobianMemory> known;
  int unseen = 0;  ///< steps since the last whose end was looked up
  int credit = 0;  ///< how many there may be
  std::optional<JacobianModel> taught;
  Eigen::Matrix3Xd told;  ///< what that says of the present J

  // Of the step under way.
  enum class Fault { none, start, jacobian };
  Fault fault = Fault::none;  ///< why the last `holds` refused
  bool sound = false;         ///< then: J tells all the same what the states did
  bool carried = false;       ///< y0 is not looked up
  bool stayed = false;        ///< y_stay is looked up
  double missed = 0;          ///< then: how far J missed, of the way
  bool recalled = false;      ///< J is made of known ones in this step
  bool end_unseen = false;    ///< the end is not looked up
  Vec p_end;                  ///< of the last `holds`
  Vec p_stay, y_stay;  ///< the last state's deviation of controls about the keyed pose of now, and there the nodes
  Vec nodes, way, linear, scratch;  ///< bound nodes

  /// What was before is nothing to go by.
  void forget();
  void remember(State state);
  /// The path through the states, a polynomial in time of one degree less than there are, after another step.
  State next(double step) const;

  Vec saved_state() const;
  void restore(In state);
};

}  // namespace rigspace
