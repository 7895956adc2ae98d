#include "curve_format.h"

#include "euler.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

namespace rigspace {
namespace {

constexpr std::array<int, 3> kZyx = {2, 1, 0};  // R_z R_y R_x: x turns first, what Maya and Houdini call xyz

/// Puts a control into the slot of its node that its name ends in; false if there is none.
bool place(const std::string& suffix, int control, NodeChannels& node) {
  if (suffix.size() != 3 || suffix[0] != '.') return false;
  const std::size_t axis = std::string_view("xyzw").find(suffix[2]);
  if (axis == std::string_view::npos || (axis == 3 && suffix[1] != 'q')) return false;
  switch (suffix[1]) {
    case 't': node.t[axis] = control; return true;
    case 'r': node.r[axis] = control; return true;
    case 's': node.s[axis] = control; return true;
    case 'q': node.q[axis] = control; return true;
    default: return false;
  }
}

}  // namespace

std::vector<double> whole_frames(double duration, double fps) {
  // The end of a clip out of glTF is a float32, up to some thousandths of a frame late.
  const long last = std::max(0L, static_cast<long>(std::ceil(duration * fps - 0.01)));
  std::vector<double> times;
  for (long k = 0; k <= last; ++k) times.push_back(static_cast<double>(k) / fps);
  return times;
}

std::string number_text(double value, int digits) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr;
  const std::string text(buffer, end);
  return text == "-0" ? "0" : text;
}

std::string exact_text(double value) {
  char buffer[64];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

Vec3 NodeChannels::angles(In p, const Vec3& near) const {
  const auto at = [&](int control) { return control < 0 ? 0 : p[control]; };
  const Vec3 rotation(at(r[0]), at(r[1]), at(r[2]));
  if (q[3] < 0) return rotation;
  const Vec4 keyed(at(q[0]), at(q[1]), at(q[2]), at(q[3]));
  const Quat orientation = keyed.norm() > 1e-150 ? Quat(keyed.normalized()) : Quat::Identity();
  const Vec3 zyx = to_euler(kZyx, orientation.toRotationMatrix() * rotation_exp(rotation), near.reverse());
  return zyx.reverse();
}

ClipChannels clip_channels(std::span<const Control> controls, std::span<const int> animated) {
  ClipChannels clip;
  std::unordered_map<std::string_view, std::size_t> number;
  std::vector<char> placed(controls.size(), 0);
  std::vector<NodeChannels> all;
  for (std::size_t i = 0; i < controls.size(); ++i) {
    const Control& control = controls[i];
    if (control.node.empty() || !control.name.starts_with(control.node)) continue;
    const auto [found, fresh] = number.try_emplace(control.node, all.size());
    if (fresh) all.push_back({.node = control.node});
    placed[i] = place(control.name.substr(control.node.size()), static_cast<int>(i), all[found->second]);
  }
  for (const int i : animated) {
    if (!placed[i]) {
      clip.others.push_back(i);
      continue;
    }
    NodeChannels& node = all[number.at(controls[i].node)];
    const auto has = [&](const auto& list) { return std::find(list.begin(), list.end(), i) != list.end(); };
    node.moves |= has(node.t);
    node.turns |= has(node.r) || has(node.q);
    node.scales |= has(node.s);
  }
  for (NodeChannels& node : all)
    if (node.moves || node.turns || node.scales) clip.nodes.push_back(std::move(node));
  return clip;
}

bool allowed_in_identifier(char c, bool first) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  return letter || (!first && c >= '0' && c <= '9');
}

std::string NameMap::operator()(const std::string& name) {
  if (const auto known = given_.find(name); known != given_.end()) return known->second;
  std::string text = name;
  for (char& c : text)
    if (!allowed_(c, false)) c = '_';
  if (text.empty() || !allowed_(text[0], true)) text = "_" + text;
  const std::string stem = text;
  for (int k = 2; !taken_.insert(text).second; ++k) text = stem + "_" + std::to_string(k);
  if (text != name) changed_.push_back("\"" + name + "\" to \"" + text + "\"");
  return given_[name] = text;
}

void NameMap::tell(std::vector<std::string>& notes) const {
  if (changed_.empty()) return;
  std::string sentence = std::to_string(changed_.size()) + (changed_.size() == 1 ? " name is" : " names are") +
                         " not as " + format_ + " allows and changed: ";
  for (std::size_t k = 0; k < changed_.size() && k < 3; ++k) sentence += (k > 0 ? ", " : "") + changed_[k];
  notes.push_back(sentence + (changed_.size() > 3 ? ", .." : ""));
}

}  // namespace rigspace
