#include "rigspace/anim/layers.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <cassert>

namespace rigspace {
namespace {

const Vec4 kNoRotation(0, 0, 0, 1);

/// a * b of quaternions x y z w: first b, then a.
Vec4 quaternion_product(const Vec4& a, const Vec4& b) { return (Quat(a) * Quat(b)).coeffs(); }

void blend_scalar(Blend blend, double value, double influence, double& p) {
  if (blend == Blend::additive) {
    p += influence * value;
  } else {
    p = influence == 1 ? value : p + influence * (value - p);  // all of it means exactly it
  }
}

Vec4 blend_rotation(Blend blend, const Vec4& below, const Vec4& value, double influence) {
  if (blend == Blend::additive) return quaternion_product(below, slerp(kNoRotation, value, influence));
  return influence == 1 ? value : slerp(below, value, influence);
}

void blend_over(const Sampler& sampler, Blend blend, double influence, double time, Vec& p) {
  for (const Sampler::Scalar& scalar : sampler.scalars()) {
    blend_scalar(blend, scalar.curve(time), influence, p[scalar.control]);
  }
  for (const Sampler::Rotation& rotation : sampler.rotations()) {
    Vec4 q;
    for (int k = 0; k < 4; ++k) q[k] = p[rotation.controls[k]];
    if (q.isZero(0)) q = kNoRotation;
    q = blend_rotation(blend, q, rotation.track(time), influence);
    for (int k = 0; k < 4; ++k) p[rotation.controls[k]] = q[k];
  }
}

void require_influence(double influence, const std::string& layer) {
  if (influence >= 0 && influence <= 1) return;
  throw Error({.element = "layer \"" + layer + "\"",
               .value = std::to_string(influence),
               .problem = "has the influence " + std::to_string(influence),
               .remedy = "expected 0 to 1"});
}

}  // namespace

void Layer::validate() const {
  require_influence(influence, name);
  influence_over_time.validate("influence of layer \"" + name + "\"");
}

LayerStack::LayerStack(const Animation& base, std::span<const Layer> layers, std::span<const Control> controls)
    : controls_(controls.begin(), controls.end()), base_(base, controls) {
  unbound_.assign(base_.unbound().begin(), base_.unbound().end());
  std::vector<char> by_base(controls.size(), 0), by_any(controls.size(), 0);
  for (const int control : base_.animated()) by_base[control] = by_any[control] = 1;
  for (const Layer& layer : layers) {
    layer.validate();
    layers_.push_back({layer.blend, layer.mute, layer.influence, !layer.influence_over_time.values.empty(),
                       CompiledCurve(layer.influence_over_time), Sampler(layer.animation, controls)});
    const Sampler& sampler = layers_.back().sampler;
    for (const int control : sampler.animated()) by_any[control] = 1;
    unbound_.insert(unbound_.end(), sampler.unbound().begin(), sampler.unbound().end());
  }
  for (std::size_t i = 0; i < controls.size(); ++i) {
    if (by_any[i]) animated_.push_back(static_cast<int>(i));
    if (by_any[i] && !by_base[i]) rest_.push_back({static_cast<int>(i), controls[i].rest});
  }
}

void LayerStack::sample(double time, Vec& p) const {
  for (const Rest& rest : rest_) p[rest.control] = rest.value;
  base_.sample(time, p);
  for (int i = 0; i < layer_count(); ++i) {
    const double influence = layers_[i].mute ? 0 : influence_at(i, time);
    if (influence > 0) blend_over(layers_[i].sampler, layers_[i].blend, influence, time, p);
  }
}

double LayerStack::influence_at(int layer, double time) const {
  const BoundLayer& l = layers_[layer];
  return l.has_curve ? std::clamp(l.influence * l.influence_over_time(time), 0.0, 1.0) : l.influence;
}

void LayerStack::set_influence(int layer, double influence) {
  require_influence(influence, std::to_string(layer));
  layers_[layer].influence = influence;
}

}  // namespace rigspace
