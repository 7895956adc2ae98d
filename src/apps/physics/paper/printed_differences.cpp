#include "rigspace/apps/physics/paper.h"

namespace rigspace {
namespace {

class PrintedDifferences final : public Rig {
 public:
  PrintedDifferences(std::shared_ptr<const Rig> base, double step) : base_(std::move(base)), step_(step) {
    controls_.assign(base_->controls().begin(), base_->controls().end());
    for (Control& control : controls_) control.typical = 1;  // steps of second differences are proportional to it
  }

  std::span<const Control> controls() const override { return controls_; }
  int point_count() const override { return base_->point_count(); }
  Traits traits() const override {
    Traits traits = base_->traits();
    traits.noise = 0;  // noise would enlarge the difference steps
    return traits;
  }
  std::unique_ptr<Workspace> make_workspace() const override { return base_->make_workspace(); }
  void evaluate(Workspace& workspace, In p, Vec& s) const override { base_->evaluate(workspace, p, s); }
  void evaluate_batch(Workspace& workspace, const Mat& P, Mat& S) const override {
    base_->evaluate_batch(workspace, P, S);
  }

  void jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const override {
    const auto columns = static_cast<Eigen::Index>(free.size());
    Mat P = p.replicate(1, 2 * columns), S;
    for (Eigen::Index k = 0; k < columns; ++k) {
      P(free[static_cast<std::size_t>(k)], 2 * k) += step_;
      P(free[static_cast<std::size_t>(k)], 2 * k + 1) -= step_;
    }
    base_->evaluate_batch(workspace, P, S);
    J.columns = static_cast<int>(columns);
    J.start.assign(1, 0);
    J.column.clear();
    std::vector<Vec3> values;
    for (Eigen::Index i = 0; i < point_count(); ++i) {
      for (Eigen::Index k = 0; k < columns; ++k) {
        const Vec3 d = (S.col(2 * k) - S.col(2 * k + 1)).segment<3>(3 * i) / (2 * step_);
        if (d.isZero(0)) continue;
        J.column.push_back(static_cast<int>(k));
        values.push_back(d);
      }
      J.start.push_back(static_cast<int>(J.column.size()));
    }
    J.value.resize(3, static_cast<Eigen::Index>(values.size()));
    for (std::size_t e = 0; e < values.size(); ++e) J.value.col(static_cast<Eigen::Index>(e)) = values[e];
  }

 private:
  std::shared_ptr<const Rig> base_;
  double step_;
  std::vector<Control> controls_;
};

}  // namespace

std::shared_ptr<const Rig> with_printed_differences(std::shared_ptr<const Rig> rig, double step) {
  return std::make_shared<PrintedDifferences>(std::move(rig), step);
}

}  // namespace rigspace
