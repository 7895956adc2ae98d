#pragma once
// What studios write by hand for one rig (IRM 5.1): controls put where joints are, and aimed along them.

#include "rigspace/apps/inverse/inverse_model.h"

namespace rigspace::bench {

/// The hound's alone. Places of its 78 joints in, its controls out.
class HoundScript {
 public:
  explicit HoundScript(const Character& hound);
  /// `x` as InverseModel::Seen::target has it: where the rest pose stands and faces.
  Vec controls(In x) const;

 private:
  void aim(int joint, int child, In x, std::vector<Mat3>& turned, Vec& p) const;
  int control(const std::string& name) const;

  const Character& hound_;
  std::vector<Mat3> axes_;  // of the joints at rest
  Vec rest_;                // places of the joints
};

}  // namespace rigspace::bench
