#include "automatic_operator.h"

#include "rigspace/base/error.h"
#include "rigspace/rig/points.h"

#include <algorithm>

namespace rigspace {
namespace {

/// place of `what` in `list`, appended if it is not there.
int place_of(std::vector<int>& list, int what) {
  const auto found = std::find(list.begin(), list.end(), what);
  if (found != list.end()) return static_cast<int>(found - list.begin());
  list.push_back(what);
  return static_cast<int>(list.size()) - 1;
}

class PartOperator final : public GraphOperator {
 public:
  PartOperator(int slot, int first, int size) : slot_{slot}, first_(first), size_(size) {}
  int output_size() const override { return size_; }
  std::span<const int> input_slots() const override { return slot_; }
  void evaluate(In, std::span<const double* const> inputs, double* output) const override {
    std::copy_n(inputs[0] + first_, size_, output);
  }
  void linearize(In, std::span<const double* const>, LocalJacobian& J) const override {
    J.by_slot[0].setZero();
    J.by_slot[0].middleCols(first_, size_).setIdentity();
  }

 private:
  std::array<int, 1> slot_;
  int first_, size_;
};

}  // namespace

void require_slot(const ControlGraph& graph, int slot, bool point_allowed, const std::string& who, const char* what) {
  const int count = static_cast<int>(graph.slots().size());
  const int size = slot >= 0 && slot < count ? graph.slots()[slot].size : 0;
  if (size == kTransformSlot || (point_allowed && size == kPointSlot)) return;
  throw Error({.element = who,
               .value = std::to_string(slot),
               .problem = std::string("has no ") + what + (slot < 0 || slot >= count ? "" : " of this kind"),
               .remedy = point_allowed ? "give a transform or a point" : "give a transform"});
}

int FormulaInputs::variable_of(const Source& source) {
  Variable v;
  if (source.slot >= 0) {
    if (source.slot >= static_cast<int>(graph_->slots().size()) || source.entry < 0 ||
        source.entry >= graph_->slots()[source.slot].size)
      throw Error({.element = "source",
                   .value = std::to_string(source.slot),
                   .problem = "reads a slot that is not there",
                   .remedy = "add what it reads before"});
    v = {place_of(slots_, source.slot), source.entry};
  } else {
    if (source.control >= static_cast<int>(graph_->controls().size()))
      throw Error({.element = "source",
                   .value = std::to_string(source.control),
                   .problem = "reads a control that is not there",
                   .remedy = "add it before"});
    v = {-1, place_of(controls_, source.control)};
  }
  const auto same = [&](const Variable& other) { return other.input == v.input && other.index == v.index; };
  const auto found = std::find_if(variables_.begin(), variables_.end(), same);
  if (found != variables_.end()) return static_cast<int>(found - variables_.begin());
  variables_.push_back(v);
  return static_cast<int>(variables_.size()) - 1;
}

int FormulaInputs::add(const Source& source) {
  if (size() >= kMost)
    throw Error({.element = "operator",
                 .problem = "reads more than " + std::to_string(kMost) + " numbers",
                 .remedy = "split it"});
  reads_.push_back({source.is_constant() ? -1 : variable_of(source), source.scale, source.value});
  return size() - 1;
}

int FormulaInputs::add_entries(int slot, int first, int count) {
  const int place = size();
  for (int k = 0; k < count; ++k) add({.slot = slot, .entry = first + k});
  return place;
}

int FormulaInputs::add_transform(int slot, const std::string& who, const char* what) {
  require_slot(*graph_, slot, false, who, what);
  return add_entries(slot, 0, kTransformSlot);
}

int FormulaInputs::add_position(int slot, const std::string& who, const char* what) {
  require_slot(*graph_, slot, true, who, what);
  return add_entries(slot, graph_->slots()[slot].size - 3, 3);  // a transform's translation comes last
}

void FormulaInputs::gather(In p, std::span<const double* const> inputs, double* numbers) const {
  for (const Read& read : reads_)
    *numbers++ = read.variable < 0 ? read.value : read.value + read.scale * value_of_variable(read.variable, p, inputs);
}

void FormulaInputs::gather_at_rest(double* numbers) const {
  const Vec u = rest_slots(*graph_);
  Vec p(static_cast<Eigen::Index>(graph_->controls().size()));
  for (Eigen::Index k = 0; k < p.size(); ++k) p[k] = graph_->controls()[k].rest;
  std::vector<const double*> values;
  for (const int slot : slots_) values.push_back(u.data() + graph_->slots()[slot].offset);
  gather(p, values, numbers);
}

void FormulaInputs::gather(In p, std::span<const double* const> inputs, int first, Dual* numbers) const {
  for (const Read& read : reads_) {
    Dual& number = *numbers++;
    number = read.value;
    if (read.variable < 0) continue;
    number.v += read.scale * value_of_variable(read.variable, p, inputs);
    const int lane = read.variable - first;
    if (lane >= 0 && lane < Dual::kLanes) number.d[lane] = read.scale;
  }
}

void FormulaInputs::scatter(const Dual* output, int count, int first, LocalJacobian& J) const {
  for (int lane = 0; lane < Dual::kLanes && first + lane < variable_count(); ++lane) {
    const Variable& v = variables_[first + lane];
    auto column = v.input >= 0 ? J.by_slot[v.input].col(v.index) : J.by_control.col(v.index);
    for (int i = 0; i < count; ++i) column[i] = output[i].d[lane];
  }
}

void set_zero(LocalJacobian& J) {
  for (Mat& D : J.by_slot) D.setZero();
  J.by_control.setZero();
}

int add_part(ControlGraph& graph, int slot, int first, int size) {
  return graph.add(std::make_unique<PartOperator>(slot, first, size));
}

std::vector<int> add_transform_parts(ControlGraph& graph, int slot, int count) {
  std::vector<int> parts;
  for (int k = 0; k < count; ++k) parts.push_back(add_part(graph, slot, kTransformSlot * k, kTransformSlot));
  return parts;
}

}  // namespace rigspace
