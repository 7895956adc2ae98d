#include "rigspace/rig/nonlinear.h"

#include "automatic_deformer.h"
#include "nonlinear_moves.h"

#include "rigspace/base/require.h"

#include <Eigen/LU>

#include <array>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();
constexpr std::array<std::string_view, 6> kNames{"bend", "twist", "taper", "squash", "flare", "sine"};

constexpr NonlinearParameter kBend[] = {{"angle", Unit::angle, 0, -kAny, kAny, 0.5},
                                        {"direction", Unit::angle, 0, -kAny, kAny, 0.5}};
constexpr NonlinearParameter kTwist[] = {{"start_angle", Unit::angle, 0, -kAny, kAny, 0.5},
                                         {"end_angle", Unit::angle, 0, -kAny, kAny, 0.5}};
constexpr NonlinearParameter kTaper[] = {{"amount", Unit::scalar, 0, -kAny, kAny, 0.5}};
constexpr NonlinearParameter kSquash[] = {{"factor", Unit::scale, 1, 0.05, kAny, 0.3}};
constexpr NonlinearParameter kFlare[] = {{"start_x", Unit::scale, 1, -kAny, kAny, 0.3},
                                         {"start_z", Unit::scale, 1, -kAny, kAny, 0.3},
                                         {"end_x", Unit::scale, 1, -kAny, kAny, 0.3},
                                         {"end_z", Unit::scale, 1, -kAny, kAny, 0.3},
                                         {"curve", Unit::scalar, 0, -kAny, kAny, 0.3}};
constexpr NonlinearParameter kSine[] = {{"amplitude", Unit::length, 0, -kAny, kAny, 0.1},
                                        {"waves", Unit::scalar, 1, -kAny, kAny, 0.5},
                                        {"phase", Unit::angle, 0, -kAny, kAny, 1}};

class NonlinearDeformer final : public AutomaticDeformer<NonlinearDeformer> {
 public:
  struct Model {
    Nonlinear kind;
    Stretch along;
    Affine frame;
    bool carried;                                        ///< by a transform, the last slot
    std::array<double, kMaxNonlinearParameters> values;  ///< of the parameters that are constant
    std::array<int, kMaxNonlinearParameters> slot;       ///< of the others: numbers of the deformer's slots
    int parameter_count;
  };
  struct State : SlotState {
    std::array<double, kMaxNonlinearParameters> parameters;
    Mat3 to_scene, to_handle;  ///< linear parts
    Vec3 origin;
    bool flat;  ///< the handle has no volume
  };

  NonlinearDeformer(int first, std::vector<int> slots, const Model& model, std::vector<double> weights)
      : AutomaticDeformer(first, slots, sizes(slots, model), starts(weights, slots.size()),
                          numbers(weights, slots.size())),
        model_(model),
        weights_(std::move(weights)) {}

  void describe(const NonlinearDescription& description) { description_ = description; }
  const NonlinearDescription* description() const { return description_ ? &*description_ : nullptr; }

  void pose(State& state) const {
    for (int a = 0; a < model_.parameter_count; ++a)
      state.parameters[a] = model_.slot[a] < 0 ? model_.values[a] : state.u[slot_offset(model_.slot[a])];
    Affine handle = model_.frame;
    if (model_.carried)
      handle = compose(
          Affine(Eigen::Map<const Affine>(state.u.data() + slot_offset(static_cast<int>(slots_.size()) - 1))), handle);
    state.to_scene = linear(handle);
    state.origin = translation(handle);
    const double volume = std::abs(state.to_scene.determinant());
    state.flat = !(volume > 1e-14 * std::pow(state.to_scene.norm(), 3));
    if (!state.flat) state.to_handle = state.to_scene.inverse();
  }

  Vec3 move(const State& state, int k, const Vec3& x) const {
    if (state.flat || weights_[k] == 0) return x;
    const Vec3 z = state.to_handle * (x - state.origin);
    return x + weights_[k] * (state.to_scene * nonlinear_move(model_.kind, model_.along, z, state.parameters.data()));
  }

  void linearize(const State& state, int k, const Vec3& x, LocalMove& local) const {
    local.moved = !state.flat && weights_[k] != 0;
    if (!local.moved) return;
    constexpr int kInputs = 3 + kMaxNonlinearParameters;
    const Vec3 z = state.to_handle * (x - state.origin);
    double inputs[kInputs], derivative[3 * kInputs];
    std::copy_n(z.data(), 3, inputs);
    std::copy_n(state.parameters.data(), model_.parameter_count, inputs + 3);
    const auto formula = [&]<class S>(const S* in) {
      return nonlinear_move(model_.kind, model_.along, Vector3<S>(in[0], in[1], in[2]), in + 3);
    };
    const Vec3 m = differentiate(formula, inputs, 3 + model_.parameter_count, derivative);
    const double w = weights_[k];
    const Mat3 M = w * state.to_scene * Eigen::Map<const Mat3>(derivative) * state.to_handle;
    local.y = x + w * (state.to_scene * m);
    local.A = Mat3::Identity() + M;
    double* B = local.B;
    for (int a = 0; a < model_.parameter_count; ++a) {
      if (model_.slot[a] < 0) continue;
      Eigen::Map<Vec3>{B} = w * (state.to_scene * Eigen::Map<const Vec3>(derivative + 3 * (3 + a)));
      B += 3;
    }
    if (model_.carried) by_handle(w * (linear(model_.frame) * m), apply(model_.frame, z), M, B);
  }

  std::unique_ptr<Deformer> restricted(std::span<const int> points, int new_first) const override {
    std::vector<double> weights;
    for (const int k : points) weights.push_back(weights_[k]);
    return std::make_unique<NonlinearDeformer>(new_first, slots_, model_, std::move(weights));
  }

 private:
  /// With H = T F, T the slot:  y = x + w H m(z), z = H^-1 x  gives  dy = dT (w F m) - M dT [F z; 1].
  static void by_handle(const Vec3& moved, const Vec3& at, const Mat3& M, double* B) {
    for (int c = 0; c < 4; ++c)
      for (int r = 0; r < 3; ++r, B += 3) {
        Eigen::Map<Vec3> column(B);
        column = -(c < 3 ? at[c] : 1) * M.col(r);
        if (c < 3) column[r] += moved[c];
      }
  }

  static std::vector<int> sizes(const std::vector<int>& slots, const Model& model) {
    std::vector<int> result(slots.size(), kScalarSlot);
    if (model.carried) result.back() = kTransformSlot;
    return result;
  }
  // All points but those of weight zero read all slots.
  static std::vector<int> starts(const std::vector<double>& weights, std::size_t slots) {
    std::vector<int> result{0};
    for (const double weight : weights) result.push_back(result.back() + (weight != 0 ? static_cast<int>(slots) : 0));
    return result;
  }
  static std::vector<int> numbers(const std::vector<double>& weights, std::size_t slots) {
    std::vector<int> result;
    for (const double weight : weights)
      for (std::size_t s = 0; weight != 0 && s < slots; ++s) result.push_back(static_cast<int>(s));
    return result;
  }

  Model model_;
  std::vector<double> weights_;
  std::optional<NonlinearDescription> description_;
};

}  // namespace

std::string_view name(Nonlinear kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::optional<Nonlinear> find_nonlinear(std::string_view wanted) {
  for (std::size_t k = 0; k < kNames.size(); ++k)
    if (kNames[k] == wanted) return static_cast<Nonlinear>(k);
  return {};
}

std::span<const NonlinearParameter> parameters(Nonlinear kind) {
  switch (kind) {
    case Nonlinear::bend: return kBend;
    case Nonlinear::twist: return kTwist;
    case Nonlinear::taper: return kTaper;
    case Nonlinear::squash: return kSquash;
    case Nonlinear::flare: return kFlare;
    default: return kSine;
  }
}

void NonlinearDescription::validate() const {
  const std::string what(name(kind));
  points.validate(what);
  const std::size_t count = parameters(kind).size();
  require_option(std::isfinite(low) && std::isfinite(high) && low < high, what + "'s upper bound", high,
                 "give two finite bounds, the upper above the lower");
  require_option(rounding >= 0 && rounding <= 0.5, what + "'s rounding", rounding, "give a share from 0 to 0.5");
  require_option(parameter_slots.size() <= count, what + "'s number of parameter slots",
                 static_cast<double>(parameter_slots.size()), "it has " + std::to_string(count) + " parameters");
  require_option(parameter_values.size() <= count, what + "'s number of parameter values",
                 static_cast<double>(parameter_values.size()), "it has " + std::to_string(count) + " parameters");
  const Mat3 axes = frame.leftCols<3>();
  const double volume = std::abs(axes.determinant());
  require_option(frame.allFinite() && volume > 1e-12 * axes.colwise().norm().prod(), what + "'s handle volume", volume,
                 "give a frame that can be inverted");
}

std::unique_ptr<Deformer> make_nonlinear(const NonlinearDescription& description) {
  description.validate();
  NonlinearDeformer::Model model{.kind = description.kind,
                                 .along = {description.low, description.high - description.low, description.rounding},
                                 .frame = description.frame,
                                 .carried = description.handle_slot >= 0,
                                 .values = {},
                                 .slot = {},
                                 .parameter_count = static_cast<int>(parameters(description.kind).size())};
  std::vector<int> slots;
  for (std::size_t a = 0; a < parameters(description.kind).size(); ++a) {
    const bool turned = a < description.parameter_slots.size() && description.parameter_slots[a] >= 0;
    model.slot[a] = turned ? static_cast<int>(slots.size()) : -1;
    model.values[a] = a < description.parameter_values.size() ? description.parameter_values[a]
                                                              : parameters(description.kind)[a].rest;
    if (turned) slots.push_back(description.parameter_slots[a]);
  }
  if (model.carried) slots.push_back(description.handle_slot);
  std::vector<double> weights;
  for (int k = 0; k < description.points.count; ++k) weights.push_back(description.points.weight(k));
  auto deformer =
      std::make_unique<NonlinearDeformer>(description.points.first, std::move(slots), model, std::move(weights));
  deformer->describe(description);
  return deformer;
}

const NonlinearDescription* nonlinear_description(const Deformer& deformer) {
  const auto* nonlinear = dynamic_cast<const NonlinearDeformer*>(&deformer);
  return nonlinear != nullptr ? nonlinear->description() : nullptr;
}

}  // namespace rigspace
