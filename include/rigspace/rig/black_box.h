#pragma once
// Any C++ callable as a rig.

#include "rigspace/rig/rig.h"

#include <atomic>
#include <functional>
#include <string>

namespace rigspace {

struct BlackBoxDescription {
  std::vector<Control> controls;
  int point_count = 0;
  std::function<void(In p, Vec& s)> evaluate;  ///< fills s, which has 3 * point_count entries
  bool concurrent = false;                     ///< may be called from several threads at once
  double noise = -1;                   ///< standard deviation of a coordinate, scene units; negative: measure it
  std::string name = "black-box rig";  ///< for messages

  /// Throws Error if a control has no room between its limits, a step that is not positive, or there is no callable.
  void validate() const;
};

/// Derivatives by scaled central differences. Each answer is checked: a wrong size or a value that is not finite is an
/// Error that names the rig and the first such point.
class BlackBoxRig final : public Rig {
 public:
  explicit BlackBoxRig(BlackBoxDescription description);

  std::span<const Control> controls() const override { return description_.controls; }
  int point_count() const override { return description_.point_count; }
  Traits traits() const override { return {.concurrent = description_.concurrent, .noise = description_.noise}; }
  void evaluate(Workspace&, In p, Vec& s) const override;

  /// How often the callable was called.
  long evaluations() const { return evaluations_; }

 private:
  BlackBoxDescription description_;
  mutable std::atomic<long> evaluations_ = 0;
};

}  // namespace rigspace
