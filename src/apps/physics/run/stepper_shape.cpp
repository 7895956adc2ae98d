// The shape of a stepped body: volumes of its elements; for a reduced body, those of the whole body.

#include "stepper.h"

#include <algorithm>
#include <limits>

namespace rigspace {
namespace {

// Elements that the animation itself brings below this share of their volume at rest are not measured.
constexpr double kCrushed = 0.2;

double volume_at(In x, const Tet& tet) {
  return tet_volume(point(x, tet[0]), point(x, tet[1]), point(x, tet[2]), point(x, tet[3]));
}

double smallest_of(std::span<const Tet> tets, In bind_volumes, In x, In x_key) {
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < tets.size(); ++e)
    if (const double keyed = volume_at(x_key, tets[e]); keyed > kCrushed * bind_volumes[static_cast<Eigen::Index>(e)])
      smallest = std::min(smallest, volume_at(x, tets[e]) / keyed);
  return smallest;
}

double sum_of_volumes(std::span<const Tet> tets, In x) {
  double sum = 0;
  for (const Tet& tet : tets) sum += volume_at(x, tet);
  return sum;
}

}  // namespace

/// The smallest ratio of an element's volume to that in the animation, over elements that the animation does not crush.
double Stepper::smallest_ratio(In x, In x_key) const { return smallest_of(body_.tets, bind_volumes_, x, x_key); }

/// The whole body of a reduced one, with all nodes, in the present state.
struct Stepper::Shape {
  explicit Shape(const WholeBody& of) : whole(of), workspace(of.body.rig->make_workspace()) {
    bind(of.body.rig->rest(), x);
    bind_volumes = volumes({x, of.body.tets});
  }
  void bind(In p, Vec& nodes) {
    whole.body.rig->evaluate(*workspace, p, s);
    whole.body.ties.apply(s, nodes);
  }
  const WholeBody& whole;
  std::unique_ptr<Workspace> workspace;
  Vec s, x, x_key, bind_volumes;
  double time = -1;
};

const Stepper::Shape& Stepper::whole_shape() {
  if (!shape_) shape_ = std::make_shared<Shape>(*body_.whole);
  Shape& shape = *shape_;
  if (shape.time == now_.time) return shape;
  shape.time = now_.time;
  motion_.controls(now_.time, p_key_);
  shape.bind(p_key_, shape.x_key);
  for (std::size_t k = 0; k < body_.own_controls().size(); ++k)
    p_key_[body_.free[k]] += now_.p_now[static_cast<Eigen::Index>(k)];
  shape.bind(p_key_, shape.x);
  const SteppedBody& body = shape.whole.body;
  for (int i = 0; i < body.node_count(); ++i) {
    if (body.roles[i] == NodeRole::bound) continue;
    point(shape.x, i) = point(shape.x_key, i);
    if (body.roles[i] != NodeRole::interior) continue;
    for (const auto& [node, weight] : shape.whole.interior[i])
      if (body.roles[node] == NodeRole::bound)
        point(shape.x, i) += weight * (point(shape.x, node) - point(shape.x_key, node));
  }
  return shape;
}

double Stepper::smallest_volume_ratio() {
  if (!terms_->solid) return 1;
  if (body_.whole) {
    const Shape& shape = whole_shape();
    return smallest_of(shape.whole.body.tets, shape.bind_volumes, shape.x, shape.x_key);
  }
  const Vec x_key = key(now_.time);
  return smallest_ratio(x_key + now_.d_now, x_key);
}

double Stepper::volume_ratio() {
  if (!terms_->solid) return 1;
  if (body_.whole) {
    const Shape& shape = whole_shape();
    return sum_of_volumes(shape.whole.body.tets, shape.x) / sum_of_volumes(shape.whole.body.tets, shape.x_key);
  }
  const Vec x_key = key(now_.time);
  return sum_of_volumes(body_.tets, x_key + now_.d_now) / sum_of_volumes(body_.tets, x_key);
}

}  // namespace rigspace
