#include "rigspace/rig/wire.h"

#include "automatic_deformer.h"
#include "rest_curve.h"
#include "turn.h"

#include "rigspace/base/require.h"

#include <cmath>
#include <optional>

namespace rigspace {
namespace {

/// What a point's displacement depends on, besides constants; W - R and its slope by t instead of W, so that all
/// vanishes exactly at rest.
enum Input { kOffset = 0, kTangent = 3, kMove = 6, kMoveSlope = 9, kRoll = 12, kThickness, kStrength, kInputs };

struct Falloff {
  double per_square;  // 1 / radius^2
  double thinning;

  bool reaches(double squared_distance) const { return squared_distance * per_square < 1; }

  /// The formula of wire.h, without the point's weight.
  template <class S>
  Vector3<S> operator()(const S* in) const {
    using std::pow, std::sqrt;
    const Vector3<S> q(in[0], in[1], in[2]), tangent(in[3], in[4], in[5]), move(in[6], in[7], in[8]);
    const Vector3<S> move_slope(in[9], in[10], in[11]), wire_tangent = tangent + move_slope;
    const S inside = 1.0 - q.dot(q) * per_square;
    const S F = inside * inside;
    const S square = tangent.dot(tangent), wire_square = wire_tangent.dot(wire_tangent);
    Vector3<S> placed = q;
    S stretched = 1.0;
    // Where the wire has no direction (its points fell together) it only carries.
    if (value_of(square) > 0 && value_of(wire_square) > 1e-20 * value_of(square)) {
      const S length = sqrt(square), wire_length = sqrt(wire_square), scale = 1.0 / (length * wire_length);
      const Vector3<S> rolled = turned<S>(q, tangent * (in[kRoll] * F / length));
      // R' x W' = R' x (W' - R'), exactly zero at rest
      const Vector3<S> across = tangent.cross(move_slope) * scale;
      placed = turned<S>(rolled, across * (angle_over_sine<S>(tangent.dot(wire_tangent) * scale) * F));
      if (thinning != 0) stretched = pow(wire_length / length, -thinning);
    }
    return in[kStrength] * ((placed - q) + F * (in[kThickness] * stretched - 1.0) * placed + F * move);
  }
};

class Wire final : public AutomaticDeformer<Wire> {
 public:
  struct Range {
    int lo, hi;  // of the wire's points that a point feels, inclusive
  };
  /// Where no earlier deformer moved a point, the search for its nearest point of R is spared.
  struct AtRest {
    Vec3 x;
    NearestOnCurve nearest;
  };
  struct Layout {
    std::vector<Range> ranges;
    std::vector<double> weights;  // 0: out of reach
    std::vector<AtRest> at_rest;  // empty where the rest positions are unknown
    std::vector<int> entry_start{0}, entry_slot;

    void add(const Range& range, double weight, int wire_points, int slots) {
      ranges.push_back(range);
      weights.push_back(weight);
      if (weight != 0) {
        for (int i = range.lo; i <= range.hi; ++i) entry_slot.push_back(i);
        for (int s = wire_points; s < slots; ++s) entry_slot.push_back(s);
      }
      entry_start.push_back(static_cast<int>(entry_slot.size()));
    }
  };
  struct Model {
    RestCurve curve;
    std::vector<Vec3> points_rest;
    Falloff falloff;
    int roll_start, roll_end, thickness, strength;  // numbers of the deformer's slots, -1: none
  };
  struct State : SlotState {
    std::vector<Vec3> moves;  ///< P - P0
    double roll_start, roll_end, thickness, strength;
  };

  Wire(int first, std::vector<int> slots, std::shared_ptr<const Model> model, Layout layout)
      : AutomaticDeformer(first, slots, sizes(slots.size(), model->points_rest.size()), std::move(layout.entry_start),
                          std::move(layout.entry_slot)),
        model_(std::move(model)),
        ranges_(std::move(layout.ranges)),
        weights_(std::move(layout.weights)),
        at_rest_(std::move(layout.at_rest)) {}

  void describe(const WireDescription& wire) { description_ = wire; }
  const WireDescription* description() const { return description_ ? &*description_ : nullptr; }

  void pose(State& state) const {
    const auto& rest = model_->points_rest;
    state.moves.resize(rest.size());
    for (std::size_t i = 0; i < rest.size(); ++i)
      state.moves[i] = Eigen::Map<const Vec3>(state.u.data() + 3 * i) - rest[i];
    const auto scalar = [&](int slot, double otherwise) { return slot < 0 ? otherwise : state.u[slot_offset(slot)]; };
    state.roll_start = scalar(model_->roll_start, 0);
    state.roll_end = scalar(model_->roll_end, 0);
    state.thickness = scalar(model_->thickness, 1);
    state.strength = scalar(model_->strength, 1);
  }

  Vec3 move(const State& state, int k, const Vec3& x) const {
    Place place;
    if (!find(state, k, x, place)) return x;
    return x + weights_[k] * model_->falloff(place.inputs);
  }

  void linearize(const State& state, int k, const Vec3& x, LocalMove& local) const {
    Place place;
    local.moved = find(state, k, x, place);
    if (!local.moved) return;
    double derivative[3 * kInputs];
    local.y = x + weights_[k] * differentiate(model_->falloff, place.inputs, kInputs, derivative);
    const auto by = [&](int input) { return Eigen::Map<const Mat3>(derivative + 3 * input); };
    const auto by_scalar = [&](int input) { return Eigen::Map<const Vec3>(derivative + 3 * input); };
    // All inputs move with t, and q with x itself.
    const Vec3 by_t = -by(kOffset) * place.nearest.tangent + by(kTangent) * place.nearest.curvature +
                      by(kMove) * place.move_slope + by(kMoveSlope) * place.move_curvature +
                      by_scalar(kRoll) * (state.roll_end - state.roll_start);
    const double w = weights_[k], t = place.nearest.t;
    local.A = Mat3::Identity() + w * (by(kOffset) + by_t * place.nearest.dt_dx.transpose());
    double* B = local.B;
    const BasisAt& basis = place.basis;
    for (int i = ranges_[k].lo; i <= ranges_[k].hi; ++i, B += 9) {
      const int j = i - basis.first;
      Eigen::Map<Mat3> block(B);
      if (j >= 0 && j < basis.count)
        block = w * (basis.b[j] * by(kMove) + basis.d[j] * by(kMoveSlope));
      else
        block.setZero();
    }
    const auto add = [&](int slot, double factor, int input) {
      if (slot < 0) return;
      Eigen::Map<Vec3>{B} = w * factor * by_scalar(input);
      B += 3;
    };
    add(model_->roll_start, 1 - t, kRoll);  // in the order of make_wire
    add(model_->roll_end, t, kRoll);
    add(model_->thickness, 1, kThickness);
    add(model_->strength, 1, kStrength);
  }

  std::unique_ptr<Deformer> restricted(std::span<const int> points, int new_first) const override {
    Layout layout;
    for (const int k : points) {
      layout.add(ranges_[k], weights_[k], static_cast<int>(model_->points_rest.size()),
                 static_cast<int>(slots_.size()));
      if (!at_rest_.empty()) layout.at_rest.push_back(at_rest_[k]);
    }
    return std::make_unique<Wire>(new_first, slots_, model_, std::move(layout));
  }

 private:
  struct Place {
    NearestOnCurve nearest;
    BasisAt basis;
    Vec3 move_slope, move_curvature;  // of W - R, by t
    double inputs[kInputs];
  };

  /// False where the wire has no effect.
  bool find(const State& state, int k, const Vec3& x, Place& place) const {
    if (weights_[k] == 0) return false;
    const bool known = !at_rest_.empty() && at_rest_[k].x == x;
    place.nearest = known ? at_rest_[k].nearest : model_->curve.nearest(x);
    const Vec3 q = x - place.nearest.point;
    if (!model_->falloff.reaches(q.squaredNorm())) return false;
    model_->curve.basis().at(place.nearest.t, place.basis);
    Vec3 move = Vec3::Zero();
    place.move_slope.setZero();
    place.move_curvature.setZero();
    const BasisAt& basis = place.basis;
    for (int j = 0; j < basis.count; ++j) {
      const int i = basis.first + j;
      if (i < ranges_[k].lo || i > ranges_[k].hi) continue;
      move += basis.b[j] * state.moves[i];
      place.move_slope += basis.d[j] * state.moves[i];
      place.move_curvature += basis.dd[j] * state.moves[i];
    }
    std::copy_n(q.data(), 3, place.inputs + kOffset);
    std::copy_n(place.nearest.tangent.data(), 3, place.inputs + kTangent);
    std::copy_n(move.data(), 3, place.inputs + kMove);
    std::copy_n(place.move_slope.data(), 3, place.inputs + kMoveSlope);
    place.inputs[kRoll] = state.roll_start + place.nearest.t * (state.roll_end - state.roll_start);
    place.inputs[kThickness] = state.thickness;
    place.inputs[kStrength] = state.strength;
    return true;
  }

  static std::vector<int> sizes(std::size_t slots, std::size_t wire_points) {
    std::vector<int> result(slots, kScalarSlot);
    std::fill_n(result.begin(), wire_points, kPointSlot);
    return result;
  }

  std::shared_ptr<const Model> model_;
  std::vector<Range> ranges_;
  std::vector<double> weights_;
  std::vector<AtRest> at_rest_;
  std::optional<WireDescription> description_;
};

}  // namespace

void WireDescription::validate() const {
  points.validate("wire");
  const std::size_t count = point_slots.size();
  require_option(count >= 2 && count <= static_cast<std::size_t>(kMaxWirePoints), "wire's number of points",
                 static_cast<double>(count), "give 2 to " + std::to_string(kMaxWirePoints));
  require_option(points_rest.size() == count, "wire's number of points at rest",
                 static_cast<double>(points_rest.size()), "give as many as points, " + std::to_string(count));
  for (std::size_t i = 0; i < count; ++i) {
    require_option(points_rest[i].allFinite(), "wire's point at rest", static_cast<double>(i),
                   "its coordinates must be finite");
    require_option(i == 0 || points_rest[i] != points_rest[i - 1], "wire's point at rest", static_cast<double>(i),
                   "it lies on the one before: give them apart, so that the wire has a direction");
  }
  require_option(radius > 0, "wire's radius", radius, "give a positive length");
  require_option(std::isfinite(thinning), "wire's thinning", thinning, "give a finite exponent, such as 0 or 0.5");
}

std::unique_ptr<Deformer> make_wire(const WireDescription& wire) {
  wire.validate();
  std::vector<int> slots = wire.point_slots;
  const auto number = [&](int slot) {
    if (slot < 0) return -1;
    slots.push_back(slot);
    return static_cast<int>(slots.size()) - 1;
  };
  const int roll_start = number(wire.roll_start_slot), roll_end = number(wire.roll_end_slot);
  const int thickness = number(wire.thickness_slot), strength = number(wire.strength_slot);
  const auto model = std::make_shared<const Wire::Model>(
      Wire::Model{RestCurve(wire.curve, wire.points_rest), wire.points_rest,
                  Falloff{1 / (wire.radius * wire.radius), wire.thinning}, roll_start, roll_end, thickness, strength});

  const int wire_points = static_cast<int>(wire.point_slots.size());
  Wire::Layout layout;
  for (int k = 0; k < wire.points.count; ++k) {
    Wire::Range range{0, wire_points - 1};
    double weight = wire.points.weight(k);
    if (wire.points.rest_known()) {
      const Vec3 x = wire.points.rest.segment<3>(3 * k);
      const NearestOnCurve nearest = model->curve.nearest(x);
      layout.at_rest.push_back({x, nearest});
      if ((x - nearest.point).norm() >= wire.radius + wire.points.drift) weight = 0;
      if (wire.points.drift == 0) {  // the parameter stays
        BasisAt at;
        model->curve.basis().at(nearest.t, at);
        range = {at.first, at.first + at.count - 1};
      }
    }
    layout.add(range, weight, wire_points, static_cast<int>(slots.size()));
  }
  auto deformer = std::make_unique<Wire>(wire.points.first, std::move(slots), model, std::move(layout));
  deformer->describe(wire);
  return deformer;
}

const WireDescription* wire_description(const Deformer& deformer) {
  const auto* wire = dynamic_cast<const Wire*>(&deformer);
  return wire != nullptr ? wire->description() : nullptr;
}

}  // namespace rigspace
