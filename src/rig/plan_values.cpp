// Numbers of a plan: drivers, weights of poses, expressions wherever a value may be turned.
#include "plan_graph.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/rig/driver.h"
#include "rigspace/rig/pose_weights.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numbers>

namespace rigspace {
namespace {

double inner(Unit unit) { return unit == Unit::angle ? kDegree : 1; }

/// The shortest text that reads back as the same number.
std::string shortest(double number) {
  std::array<char, 32> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

}  // namespace

std::vector<DrivenChannel> PlanGraph::driven(const std::string& node, int channels) {
  std::vector<DrivenChannel> result;
  const auto found = drives_.find(node);
  if (found == drives_.end()) return result;
  for (const plan::Driver* driver : found->second) {
    const std::string channel = driver->name.substr(driver->name.rfind('.') + 1);
    const auto at = std::find(kNodeChannels.begin(), kNodeChannels.end(), channel);
    const int index = static_cast<int>(at - kNodeChannels.begin());
    if (index >= channels) fail(who(*driver), "drives a channel that is not there", "expected tx ty tz");
    if (index >= 3 && index < 7) fail(who(*driver), "drives a component of a quaternion", "drive rx, ry or rz");
    const Unit unit = index < 3 ? Unit::length : index < 10 ? Unit::angle : Unit::scale;
    Source source = this->source(driver->expression, unit, who(*driver));
    if (driver->mode == plan::Driver::Mode::set && channels == 13) {
      const plan::Node& owner = plan_.nodes[entries_.at(node).index];
      source.value -= index < 3 ? owner.translation[index] : index < 10 ? 0 : owner.scale[index - 10];
    }
    result.push_back({index, source});
  }
  return result;
}

int PlanGraph::value_slot(const std::string& name, const Who& user) {
  if (const auto made = value_slots_.find(name); made != value_slots_.end()) return made->second;
  const Visit visit(*this, "driver " + name, user);
  if (const auto found = values_.find(name); found != values_.end()) {
    const plan::Driver& driver = *found->second;
    DriverDescription description{.name = name, .expression = {}, .variables = {}, .scale = 1, .origin = driver.origin};
    description.expression = with_origin(who(driver), [&] { return Expression::parse(driver.expression); });
    for (const std::string& each : description.expression.variables())
      description.variables.push_back(variable(each, who(driver)));
    return value_slots_[name] = add_driver(*graph_, description);
  }
  const auto [index, example] = pose_values_.at(name);
  const plan::PoseWeights& poses = plan_.pose_weights[index];
  std::vector<int>& slots = made_poses_[poses.name];
  if (slots.empty()) {
    PoseWeights description{.name = poses.name, .inputs = {}, .examples = poses.examples};
    for (const plan::Value& input : poses.inputs) description.inputs.push_back(source(input, Unit::scalar, who(poses)));
    description.kernel = poses.kernel;
    description.radius = poses.radius;
    slots = with_origin(who(poses), [&] { return add_pose_weights(*graph_, description); });
  }
  return value_slots_[name] = slots[example];
}

/// p plus the sum of its drivers. In the control's inner unit, so that drivers of 0 leave it as it is, to the bit.
int PlanGraph::added_slot(const std::string& name, const Who& user) {
  if (const auto made = added_slots_.find(name); made != added_slots_.end()) return made->second;
  const Visit visit(*this, "control " + name, user);
  const Control* control = own_controls_.at(name);
  std::string text = "own";
  DriverDescription sum{.name = name, .expression = {}, .variables = {Source::of_control(graph_->find(name))}};
  for (const plan::Driver* driver : additions_.at(name)) {
    text += " + added" + std::to_string(sum.variables.size());
    sum.variables.push_back(Source::of_slot(scalar_slot(driver->expression, control->unit, who(*driver))));
  }
  sum.expression = Expression::parse(text);
  return added_slots_[name] = add_driver(*graph_, sum);
}

/// A name in an expression: a control as the surface shows it, or a value.
Source PlanGraph::variable(const std::string& name, const Who& user) {
  if (values_.contains(name) || pose_values_.contains(name)) return Source::of_slot(value_slot(name, user));
  const int control = graph_->find(name);
  if (control >= 0) {
    // Controls that are still to come have no unit yet; it follows from the name.
    const std::string channel = name.substr(name.rfind('.') + 1);
    const bool turns = (channel == "rx" || channel == "ry" || channel == "rz") && name.find('.') != std::string::npos;
    const auto own = own_controls_.find(name);
    const bool angle = own != own_controls_.end() ? own->second->unit == Unit::angle : turns;
    if (additions_.contains(name)) return Source::of_slot(added_slot(name, user), angle ? 1 / kDegree : 1);
    return Source::of_control(control, angle ? 1 / kDegree : 1);
  }
  std::vector<std::string> names;
  for (const Control& each : graph_->controls()) names.push_back(each.name);
  for (const auto& [each, driver] : values_) names.push_back(each);
  fail(user, "reads " + quoted(name) + ", which is no control and no value",
       suggestion(name, names, "names are those of controls and drivers"));
}

Source PlanGraph::source(const plan::Value& value, Unit unit, const Who& user) {
  if (value.expression.empty()) return Source::constant(value.number * inner(unit));
  const Expression expression = with_origin(user, [&] { return Expression::parse(value.expression); });
  if (expression.variables().size() == 1 && expression.variables()[0] == value.expression) {
    Source direct = variable(value.expression, user);
    direct.scale *= inner(unit);
    return direct;
  }
  return Source::of_slot(scalar_slot(value, unit, user));
}

int PlanGraph::scalar_slot(const plan::Value& value, Unit unit, const Who& user) {
  std::string text = value.expression.empty() ? shortest(value.number) : value.expression;
  // A name alone in quotes is the name.
  if (text.size() > 2 && text.front() == '\'' && text.find('\'', 1) == text.size() - 1 &&
      graph_->find(text.substr(1, text.size() - 2)) >= 0)
    text = text.substr(1, text.size() - 2);
  const auto made = expression_slots_.find({text, unit});
  if (made != expression_slots_.end()) return made->second;
  if (const int control = graph_->find(text); control >= 0 && unit == Unit::scalar && !values_.contains(text)) {
    if (const Source source = variable(text, user); source.scale == 1)
      return expression_slots_[{text, unit}] = source.slot >= 0 ? source.slot : pass_control(*graph_, control);
  }
  DriverDescription description{
      .name = user.name, .expression = {}, .variables = {}, .scale = inner(unit), .origin = user.origin};
  description.expression = with_origin(user, [&] { return Expression::parse(text); });
  for (const std::string& each : description.expression.variables())
    description.variables.push_back(variable(each, user));
  const int slot = add_driver(*graph_, description);
  expression_slots_[{text, unit}] = slot;
  return slot;
}

}  // namespace rigspace
