#include "plain_rig.h"

#include "rigspace/base/error.h"
#include "rigspace/rig/driver.h"
#include "rigspace/rig/posed_node.h"
#include "rigspace/rig/volume_skin.h"
#include "uri.h"

#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>
#include <cstring>

namespace rigspace {
namespace {

using SortedJson = nlohmann::json;

static_assert(std::endian::native == std::endian::little);

class Builder {
 public:
  Builder(std::span<const Control> controls, int point_count, const std::string& source)
      : point_count_(point_count), source_(source) {
    for (const Control& control : controls) graph_->add_control(control);
  }

  std::shared_ptr<const BuiltInRig> build(const SortedJson& json) {
    for (const SortedJson& node : list(json, "nodes")) add_node(node);
    const std::vector<double> given = numbers(json, "rest", 3 * static_cast<std::size_t>(point_count_));
    Vec rest = Eigen::Map<const Vec>(given.data(), std::ssize(given));
    add_shapes(list(json, "shapes"), rest);
    add_skin(json);
    return std::make_shared<BuiltInRig>(graph_, std::move(rest), std::move(deformers_));
  }

  const std::vector<Bone>& bones() const { return bones_; }

 private:
  [[noreturn]] void fail(const std::string& element, std::string problem) const {
    throw Error({.code = ErrorCode::external_process,
                 .file = source_,
                 .element = "plain rig: " + element,
                 .problem = std::move(problem),
                 .remedy = "RIGSPACE_BLENDER_TRANSLATE=0 does without it"});
  }

  const SortedJson& member(const SortedJson& object, const char* key) const {
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (!object.is_object() || found == object.end()) fail(key, "is absent");
    return *found;
  }

  const SortedJson& list(const SortedJson& object, const char* key) const {
    const SortedJson& value = member(object, key);
    if (!value.is_array()) fail(key, "is no list");
    return value;
  }

  std::string text(const SortedJson& object, const char* key) const {
    const SortedJson& value = member(object, key);
    if (!value.is_string()) fail(key, "is no text");
    return value.get<std::string>();
  }

  double number(const SortedJson& value, const char* key) const {
    if (!value.is_number() || !std::isfinite(value.get<double>())) fail(key, "is no finite number");
    return value.get<double>();
  }

  int whole(const SortedJson& object, const char* key, int low, int high) const {
    const SortedJson& value = member(object, key);
    if (!value.is_number_integer() || value.get<std::int64_t>() < low || value.get<std::int64_t>() >= high)
      fail(key, "is " + value.dump() + ", which is not there");
    return value.get<int>();
  }

  template <int Rows, int Columns>
  Eigen::Matrix<double, Rows, Columns> matrix(const SortedJson& object, const char* key) const {
    const SortedJson& values = list(object, key);
    if (values.size() != Rows * Columns) fail(key, "has " + std::to_string(values.size()) + " numbers");
    Eigen::Matrix<double, Rows, Columns> result;
    for (int k = 0; k < Rows * Columns; ++k) result(k / Columns, k % Columns) = number(values[k], key);
    return result;
  }

  /// `size` 0: as many as there are.
  template <class T>
  std::vector<T> array(const SortedJson& object, const char* key, std::size_t size) const {
    const auto bytes = decode_base64(text(object, key));
    if (!bytes || bytes->size() % sizeof(T) != 0 || (size > 0 && bytes->size() != size * sizeof(T)))
      fail(key, "is not the array that is expected");
    std::vector<T> values(bytes->size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes->data(), bytes->size());
    return values;
  }

  std::vector<double> numbers(const SortedJson& object, const char* key, std::size_t size) const {
    std::vector<double> values = array<double>(object, key, size);
    for (const double value : values)
      if (!std::isfinite(value)) fail(key, "has a number that is not finite");
    return values;
  }

  /// Ascending or not, all below `end`.
  std::vector<int> indices(const SortedJson& object, const char* key, std::size_t size, int end) const {
    std::vector<int> values = array<int>(object, key, size);
    for (const int value : values)
      if (value < 0 || value >= end) fail(key, "has " + std::to_string(value) + ", which is not there");
    return values;
  }

  Source channel(const SortedJson& value, const char* key) {
    if (value.is_object()) return Source::of_slot(driver(value, key));
    if (!value.is_array()) return Source::constant(number(value, key));
    const SortedJson& column = value.size() == 1 ? value[0] : value;
    if (!column.is_number_integer() || column.get<std::int64_t>() < 0 ||
        column.get<std::int64_t>() >= std::ssize(graph_->controls()))
      fail(key, "reads the control " + value.dump() + ", which is not there");
    return Source::of_control(column.get<int>());
  }

  int driver(const SortedJson& json, const char* key) {
    DriverDescription driver{.name = key, .expression = {}, .variables = {}, .origin = source_};
    const std::string expression = text(json, "expression");
    try {
      driver.expression = Expression::parse(expression);
    } catch (const Error& error) {
      fail(key, "has the expression \"" + expression + "\": " + error.what());
    }
    for (const std::string& name : driver.expression.variables())
      driver.variables.push_back(channel(member(member(json, "variables"), name.c_str()), key));
    return add_driver(*graph_, driver);
  }

  template <std::size_t N>
  std::array<Source, N> channels(const SortedJson& object, const char* key) {
    const SortedJson& values = list(object, key);
    if (values.size() != N) fail(key, "has " + std::to_string(values.size()) + " channels");
    std::array<Source, N> result;
    for (std::size_t k = 0; k < N; ++k) result[k] = channel(values[k], key);
    return result;
  }

  RotateOrder order(const std::string& name) const {
    constexpr std::pair<const char*, RotateOrder> kOrders[] = {{"XYZ", RotateOrder::xyz}, {"YZX", RotateOrder::yzx},
                                                               {"ZXY", RotateOrder::zxy}, {"XZY", RotateOrder::xzy},
                                                               {"YXZ", RotateOrder::yxz}, {"ZYX", RotateOrder::zyx}};
    for (const auto& [known, value] : kOrders)
      if (name == known) return value;
    fail("order", "is \"" + name + "\"");
  }

  void add_node(const SortedJson& json) {
    PosedNode node{.name = text(json, "name")};
    const int parent = whole(json, "parent", -1, static_cast<int>(node_slots_.size()));
    node.parent_slot = parent < 0 ? -1 : node_slots_[parent];
    node.before = matrix<3, 3>(json, "before");
    node.axes = matrix<3, 3>(json, "axes");
    node.after = matrix<3, 3>(json, "after");
    node.origin = matrix<3, 1>(json, "origin");
    node.place = channels<3>(json, "place");
    node.angles = channels<3>(json, "angles");
    node.scale = channels<3>(json, "scale");
    node.euler = json.contains("order");
    if (node.euler)
      node.order = order(text(json, "order"));
    else
      node.key = channels<4>(json, "key");
    node_slots_.push_back(add_posed_node(*graph_, node));
    const bool joint = json.contains("bone") && json["bone"] == true;
    const int above = parent < 0 ? -1 : bone_of_node_[parent];  // the nearest joint above
    if (joint) bones_.push_back({.name = node.name, .parent = above, .slot = node_slots_.back()});
    bone_of_node_.push_back(joint ? static_cast<int>(bones_.size()) - 1 : above);
  }

  MorphTarget target(const SortedJson& shape) const {
    MorphTarget target{.points = indices(shape, "points", 0, point_count_), .offsets = {}};
    const std::vector<double> offsets = numbers(shape, "offsets", 0);
    if (offsets.size() != 3 * target.points.size()) fail("offsets", "are not three a point");
    for (std::size_t k = 0; k < target.points.size(); ++k)
      target.offsets.emplace_back(offsets[3 * k], offsets[3 * k + 1], offsets[3 * k + 2]);
    for (std::size_t k = 1; k < target.points.size(); ++k)
      if (target.points[k] <= target.points[k - 1]) fail("points", "of a shape do not ascend");
    return target;
  }

  /// Those of constant value become part of the rest shape.
  void add_shapes(const SortedJson& shapes, Vec& rest) {
    std::vector<MorphTarget> targets;
    for (const SortedJson& shape : shapes) {
      const Source value = channel(member(shape, "value"), "value");
      MorphTarget each = target(shape);
      if (value.is_constant()) {
        for (std::size_t k = 0; k < each.points.size(); ++k)
          point(rest, each.points[k]) += value.value * each.offsets[k];
        continue;
      }
      each.weight_slot = value.slot >= 0 ? value.slot : pass_control(*graph_, value.control);
      targets.push_back(std::move(each));
    }
    if (!targets.empty()) deformers_.push_back(make_blend_shapes(0, point_count_, targets));
  }

  void add_skin(const SortedJson& json) {
    SkinDescription skin;
    for (const SortedJson& joint : list(json, "joints")) {
      skin.joint_slots.push_back(node_slots_[whole(joint, "node", 0, static_cast<int>(node_slots_.size()))]);
      skin.inverse_bind.push_back(matrix<3, 4>(joint, "bind"));
    }
    const auto count = static_cast<std::size_t>(point_count_);
    const std::vector<double> weights = numbers(json, "weight", 0);
    const std::vector<int> start = indices(json, "start", count + 1, static_cast<int>(weights.size()) + 1);
    const std::vector<int> joints = indices(json, "joint", 0, static_cast<int>(skin.joint_slots.size()));
    if (joints.size() != weights.size() || start.front() != 0 || start.back() != std::ssize(weights))
      fail("weight", "do not belong to as many joints");
    for (std::size_t k = 0; k < count; ++k) {
      if (start[k + 1] < start[k]) fail("start", "descends");
      auto& influences = skin.influences.emplace_back();
      for (int e = start[k]; e < start[k + 1]; ++e) influences.push_back({joints[e], weights[e]});
    }
    if (!json.contains("volume")) {
      deformers_.push_back(make_linear_blend_skin(skin));
      return;
    }
    deformers_.push_back(make_volume_skin(skin));
    const int carrier = whole(json, "volume", 0, static_cast<int>(node_slots_.size()));
    deformers_.push_back(make_rigid(0, point_count_, node_slots_[carrier]));
  }

  int point_count_;
  const std::string& source_;
  std::shared_ptr<ControlGraph> graph_ = std::make_shared<ControlGraph>();
  std::vector<int> node_slots_, bone_of_node_;
  std::vector<Bone> bones_;
  std::vector<std::shared_ptr<const Deformer>> deformers_;
};

}  // namespace

std::shared_ptr<const BuiltInRig> build_plain_rig(const std::string& description, std::span<const Control> controls,
                                                  int point_count, const std::string& source,
                                                  std::vector<Bone>* bones) {
  const SortedJson json = SortedJson::parse(description, nullptr, false);
  Builder builder(controls, point_count, source);
  std::shared_ptr<const BuiltInRig> rig = builder.build(json);
  if (bones != nullptr) *bones = builder.bones();
  return rig;
}

}  // namespace rigspace
