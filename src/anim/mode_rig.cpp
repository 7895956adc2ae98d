#include "rigspace/anim/mode_rig.h"

#include "rigspace/base/error.h"

#include <algorithm>

namespace rigspace {

struct ModeRig::Memory : Workspace {
  std::unique_ptr<Workspace> base;
  Vec p, g;
  BlockJacobian J;
  std::vector<int> wanted;    // controls of the base
  std::vector<int> column;    // of each wanted one: in the answer, -1 if only the modes need it
  std::vector<int> mode_row;  // of each wanted one: in U, -1
  Eigen::Matrix3Xd row;       // of one point: a column for each free mode

  /// The controls to differentiate the base by: its own free ones, and those of the modes if any mode is free.
  void want(std::span<const int> own, std::span<const int> of_modes);
};

void ModeRig::Memory::want(std::span<const int> own, std::span<const int> of_modes) {
  wanted.assign(own.begin(), own.end());
  wanted.insert(wanted.end(), of_modes.begin(), of_modes.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  const auto place = [](std::span<const int> list, int control) {
    const auto found = std::lower_bound(list.begin(), list.end(), control);
    return found != list.end() && *found == control ? static_cast<int>(found - list.begin()) : -1;
  };
  column.clear(), mode_row.clear();
  for (const int control : wanted) {
    column.push_back(place(own, control));
    mode_row.push_back(place(of_modes, control));
  }
}

ModeRig::ModeRig(std::shared_ptr<const Rig> base, ControlModes modes, const SliderOptions& options)
    : base_(std::move(base)), modes_(std::move(modes)) {
  controls_.assign(base_->controls().begin(), base_->controls().end());
  for (Control& slider : mode_controls(modes_, options)) {
    if (base_->find(slider.name) >= 0)
      throw Error({.element = "mode \"" + slider.name + "\"",
                   .value = slider.name,
                   .problem = "has the name of a control of the rig",
                   .remedy = "give the modes another name"});
    controls_.push_back(std::move(slider));
  }
}

ModeRig::ModeRig(std::shared_ptr<const Rig> base, const ModeRig& whole)
    : base_(std::move(base)), modes_(whole.modes_), controls_(whole.controls_) {}

void ModeRig::expand(In p, Vec& p_base) const {
  p_base = p.head(first_mode());
  const auto r = p.tail(modes_.count());
  if (r.isZero(0)) return;
  for (std::size_t i = 0; i < modes_.controls.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    p_base[modes_.controls[i]] += modes_.scale[row] * modes_.U.row(row).dot(r);
  }
}

std::unique_ptr<Workspace> ModeRig::make_workspace() const {
  auto memory = std::make_unique<Memory>();
  memory->base = base_->make_workspace();
  return memory;
}

void ModeRig::evaluate(Workspace& workspace, In p, Vec& s) const {
  auto& memory = static_cast<Memory&>(workspace);
  expand(p, memory.p);
  base_->evaluate(*memory.base, memory.p, s);
}

void ModeRig::evaluate_batch(Workspace& workspace, const Mat& P, Mat& S) const {
  auto& memory = static_cast<Memory&>(workspace);
  Mat expanded(first_mode(), P.cols());
  for (Eigen::Index k = 0; k < P.cols(); ++k) {
    expand(P.col(k), memory.p);
    expanded.col(k) = memory.p;
  }
  base_->evaluate_batch(*memory.base, expanded, S);
}

// ds/dr = ds/dp D U
void ModeRig::jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const {
  if (!base_->traits().exact_jacobian) return Rig::jacobian(workspace, p, free, J);
  auto& memory = static_cast<Memory&>(workspace);
  expand(p, memory.p);
  const auto first_slider = std::lower_bound(free.begin(), free.end(), first_mode());
  const int own = static_cast<int>(first_slider - free.begin()), sliders = static_cast<int>(free.size()) - own;
  memory.want(free.first(static_cast<std::size_t>(own)),
              sliders > 0 ? std::span<const int>(modes_.controls) : std::span<const int>());
  base_->jacobian(*memory.base, memory.p, memory.wanted, memory.J);

  const BlockJacobian& base = memory.J;
  J.columns = static_cast<int>(free.size());
  J.start.assign(1, 0);
  for (int i = 0; i < base.points(); ++i) {
    int entries = 0, by_modes = 0;
    for (int e = base.start[i]; e < base.start[i + 1]; ++e) {
      entries += memory.column[base.column[e]] >= 0;
      if (memory.mode_row[base.column[e]] >= 0) by_modes = sliders;
    }
    J.start.push_back(J.start.back() + entries + by_modes);
  }
  J.column.clear();
  J.value.resize(3, J.start.back());
  memory.row.resize(3, sliders);
  for (int i = 0; i < base.points(); ++i) {
    memory.row.setZero();
    for (int e = base.start[i]; e < base.start[i + 1]; ++e) {
      const int c = base.column[e];
      if (memory.column[c] >= 0) {
        J.value.col(static_cast<Eigen::Index>(J.column.size())) = base.value.col(e);
        J.column.push_back(memory.column[c]);
      }
      if (const int row = memory.mode_row[c]; row >= 0)
        for (int k = 0; k < sliders; ++k)
          memory.row.col(k) += modes_.scale[row] * modes_.U(row, free[own + k] - first_mode()) * base.value.col(e);
    }
    for (int k = 0; static_cast<int>(J.column.size()) < J.start[i + 1]; ++k) {
      J.value.col(static_cast<Eigen::Index>(J.column.size())) = memory.row.col(k);
      J.column.push_back(own + k);
    }
  }
}

// g_r = U^T D g_p
void ModeRig::pull(Workspace& workspace, In p, In g, Vec& g_p) const {
  if (!base_->traits().exact_jacobian) return Rig::pull(workspace, p, g, g_p);
  auto& memory = static_cast<Memory&>(workspace);
  expand(p, memory.p);
  base_->pull(*memory.base, memory.p, g, memory.g);
  g_p.resize(static_cast<Eigen::Index>(controls_.size()));
  g_p.head(first_mode()) = memory.g;
  g_p.tail(modes_.count()) = modes_.U.transpose() * modes_.scale.cwiseProduct(memory.g(modes_.controls));
}

bool ModeRig::rest_jacobian(Workspace& workspace, In p, std::vector<Mat3>& B) const {
  auto& memory = static_cast<Memory&>(workspace);
  expand(p, memory.p);
  return base_->rest_jacobian(*memory.base, memory.p, B);
}

std::unique_ptr<Rig> ModeRig::restricted(std::span<const int> points) const {
  // What a base picks out of itself refers to it: it must live as long.
  const std::shared_ptr<const Rig> part(base_->restricted(points).release(),
                                        [whole = base_](const Rig* picked) { delete picked; });
  return std::unique_ptr<Rig>(new ModeRig(part, *this));
}

}  // namespace rigspace
