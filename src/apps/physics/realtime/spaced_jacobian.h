#pragma once
// Private to physics: a Jacobian of the rig that serves a fixed number of steps.

#include "rigspace/body/rig_lineariser.h"

namespace rigspace {

/// x~ touches x at the expected end of every step; J is evaluated in every `every`-th step, and after a restart, and
/// turns with the keyed pose between. So the matrix of inertia, J^T M J, is summed in those steps alone. Where a step
/// ends is evaluated: an old J bends forces a little, never places.
class SpacedJacobian final : public RigLineariser {
 public:
  SpacedJacobian(const RigSpaceDescription& map, In x_rest, int every, BlockJacobian response = {})
      : RigLineariser(map, x_rest, {}, {.regions = LinearRigOptions{}.frames}, std::move(response)), every_(every) {
    restart();
  }

  void begin(In p, In p_key, In x_key) override {
    linear_.set_key(p_key);
    linear_.turn(x_key);
    linear_.evaluate(p, y_);
    linear_.set_point(p, y_);
    if (age_ >= every_) renew();
  }
  /// Always true: a newer J would be nearly the same.
  bool check_linearisation(In p, Vec& y) override {
    linear_.evaluate(p, y);
    return true;
  }
  void renew() override {
    linear_.evaluate_jacobian();
    age_ = 0;
  }
  void accept(In) override { ++age_; }
  void restart() override { age_ = every_; }
  std::vector<Vec> saved_state() const override {
    std::vector<Vec> all = linear_.saved_state();
    all[0][1] = age_;
    return all;
  }
  void restore(std::span<const Vec> state) override {
    linear_.restore(state);
    age_ = static_cast<int>(state[0][1]);
  }

 private:
  int every_, age_ = 0;
  Vec y_;
};

}  // namespace rigspace
