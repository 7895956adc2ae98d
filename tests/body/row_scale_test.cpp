// The residual of a step compares each row with its own typical force, whatever its unit.

#include "rigspace/body/row_scale.h"

#include "rigspace/body/rig_space_simulation.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace {
namespace {

/// The same rig with one control in another unit: p = factor * the rig's own.
class OtherUnit final : public Rig {
 public:
  OtherUnit(std::shared_ptr<const Rig> rig, int control, double factor)
      : rig_(std::move(rig)),
        control_(control),
        factor_(factor),
        controls_(rig_->controls().begin(), rig_->controls().end()) {
    Control& changed = controls_[static_cast<std::size_t>(control)];
    for (double* each : {&changed.rest, &changed.min, &changed.max, &changed.typical}) *each *= factor;
  }
  std::span<const Control> controls() const override { return controls_; }
  int point_count() const override { return rig_->point_count(); }
  Traits traits() const override { return rig_->traits(); }
  std::unique_ptr<Workspace> make_workspace() const override { return rig_->make_workspace(); }
  void evaluate(Workspace& workspace, In p, Vec& s) const override { rig_->evaluate(workspace, own(p), s); }
  void jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const override {
    rig_->jacobian(workspace, own(p), free, J);
    for (std::size_t e = 0; e < J.column.size(); ++e)
      if (free[static_cast<std::size_t>(J.column[e])] == control_) J.value.col(static_cast<Eigen::Index>(e)) /= factor_;
  }

 private:
  Vec own(In p) const {
    Vec q = p;
    q[control_] /= factor_;
    return q;
  }
  std::shared_ptr<const Rig> rig_;
  int control_;
  double factor_;
  std::vector<Control> controls_;
};

/// Steps of the bar let go from a bend; the residual after one iteration of each, which is not yet small.
std::vector<double> residuals(double factor, bool scale_rows, Interior interior) {
  const Character bar = make_character("bar");
  RigBody body = make_rig_body(bar, {.cell = 0.1, .use_cache = true});
  std::vector<int> free;
  for (int c = 0; c < static_cast<int>(bar.rig->controls().size()); ++c)
    if (bar.rig->controls()[c].unit == Unit::angle && bar.rig->controls()[c].node.starts_with("right"))
      free.push_back(c);
  body.rig = std::make_shared<OtherUnit>(body.rig, free[2], factor);
  RigSpaceSimulation simulation(body, free,
                                {.step = 0.01,
                                 .material = {.young = 2e5},
                                 .gravity = {0, -9.81, 0},
                                 .interior = interior,
                                 .scale_rows = scale_rows,
                                 .forced_iterations = 1});
  Vec p = body.rig->rest();
  for (const int c : free) p[c] += c == free[2] ? 0.3 * factor : 0.3;
  simulation.restart(p);
  std::vector<double> found;
  for (int k = 0; k < 5; ++k) found.push_back(simulation.step(p).residual);
  return found;
}

TEST(RowScale, TheResidualDoesNotDependOnTheUnitsOfControls) {
  for (const Interior interior : {Interior::dynamic, Interior::carried}) {
    const std::vector<double> one = residuals(1, true, interior), other = residuals(180 / M_PI, true, interior);
    for (std::size_t k = 0; k < one.size(); ++k) {
      EXPECT_GT(one[k], 1e-9);
      EXPECT_NEAR(other[k] / one[k], 1, 1e-4);
    }
    const std::vector<double> plain = residuals(1, false, interior), mixed = residuals(180 / M_PI, false, interior);
    double apart = 0;
    for (std::size_t k = 0; k < plain.size(); ++k) apart = std::max(apart, std::abs(mixed[k] / plain[k] - 1));
    EXPECT_GT(apart, 0.02);  // or nothing was tested
  }
}

TEST(RowScale, IsTheInverseOfTheForceOfOneUnitOfAcceleration) {
  const Character bar = make_character("bar");
  const RigBody body = make_rig_body(bar, {.cell = 0.1, .use_cache = true});
  RigSpaceSimulation simulation(body, {0, 1, 2}, {});
  const RigSpaceDescription& map = simulation.mapping().description();
  BlockJacobian J;
  body.rig->jacobian(*body.rig->make_workspace(), body.rig->rest(), map.free, J);
  const Vec scale = row_scale(map, J, simulation.masses());
  ASSERT_EQ(scale.size(), simulation.mapping().size_q());
  EXPECT_DOUBLE_EQ(scale.tail(3).minCoeff(), 1);
  const int node = map.interior.front();
  const double most = scale[0] * simulation.masses()[node];  // kg: what the control that moves most moves
  EXPECT_NEAR(scale[3] * simulation.masses()[map.interior[1]], most, 1e-9 * most);
}

}  // namespace
}  // namespace rigspace
