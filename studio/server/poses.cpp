#include "poses.h"

#include <map>

namespace rigspace::studio {
namespace {

/// exp of a rotation vector.
Quat turned(const Vec3& r) {
  const double angle = r.norm();
  if (angle < 1e-12) return Quat(1, 0.5 * r.x(), 0.5 * r.y(), 0.5 * r.z()).normalized();
  return Quat(Eigen::AngleAxisd(angle, r / angle));
}

}  // namespace

PoseMap::PoseMap(std::span<const Control> controls) {
  std::map<std::string, std::size_t, std::less<>> known;
  for (int c = 0; c < static_cast<int>(controls.size()); ++c) {
    const Control& control = controls[static_cast<std::size_t>(c)];
    const std::string_view own(control.name);
    if (own.size() > control.node.size() && own.starts_with(control.node) && own[control.node.size()] == ':') {
      morphs_.push_back(control.name), morph_places_.push_back(c);
      continue;
    }
    if (own.size() != control.node.size() + 3 || !own.starts_with(control.node) || own[own.size() - 3] != '.') continue;
    const char kind = own[own.size() - 2], axis = own[own.size() - 1];
    const std::size_t k = axis == 'w' ? 3 : static_cast<std::size_t>(axis - 'x');
    if (k > 3 || (k == 3 && kind != 'q')) continue;
    const auto [at, fresh] = known.emplace(control.node, places_.size());
    if (fresh) {
      names_.push_back(control.node);
      places_.push_back({{-1, -1, -1}, {-1, -1, -1}, {-1, -1, -1}, {-1, -1, -1, -1}});
    }
    Node& node = places_[at->second];
    if (kind == 't') node.translation[k] = c;
    if (kind == 'r') node.turn[k] = c;
    if (kind == 's') node.scale[k] = c;
    if (kind == 'q') node.rotation[k] = c;
  }
}

int PoseMap::turn_of(std::string_view node) const {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == node) return places_[i].turn[0];
  return -1;
}

void PoseMap::append(In p, std::vector<float>& numbers) const {
  const auto value = [&](int control, double otherwise) { return control >= 0 ? p[control] : otherwise; };
  for (const Node& node : places_) {
    for (const int c : node.translation) numbers.push_back(static_cast<float>(value(c, 0)));
    Quat q(value(node.rotation[3], 1), value(node.rotation[0], 0), value(node.rotation[1], 0),
           value(node.rotation[2], 0));
    if (q.norm() < 1e-12) q = Quat::Identity();
    q.normalize();
    q = q * turned({value(node.turn[0], 0), value(node.turn[1], 0), value(node.turn[2], 0)});
    for (const double each : {q.x(), q.y(), q.z(), q.w()}) numbers.push_back(static_cast<float>(each));
    for (const int c : node.scale) numbers.push_back(static_cast<float>(value(c, 1)));
  }
  for (const int c : morph_places_) numbers.push_back(static_cast<float>(p[c]));
}

}  // namespace rigspace::studio
