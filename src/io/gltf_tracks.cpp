// Clips into a document: scalar tracks of one node gathered into glTF's vector channels.
#include "gltf_patch.h"
#include "rigspace/anim/compiled_curve.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

namespace rigspace {
namespace {

constexpr double kBakeRate = 60;     // Hz, where two rotations are multiplied
constexpr int kPiecesPerSpline = 8;  // keys a B-spline piece: an error of the fourth order in their distance

enum class Path { translation, rotation, scale, weights };
constexpr std::array<const char*, 4> kPathNames = {"translation", "rotation", "scale", "weights"};

/// What glTF stores of one channel.
struct Channel {
  const char* interpolation = "LINEAR";
  std::vector<float> times;
  std::vector<float> rows;
};

/// A moment to be written as a key. `before` marks the last instant of a step's old value.
struct Moment {
  double time;
  bool before;
  bool operator<(const Moment& other) const {
    return time < other.time || (time == other.time && before && !other.before);
  }
  bool operator==(const Moment&) const = default;
  double sampled() const { return before ? std::nextafter(time, -1e300) : time; }
  float written() const {
    const float t = static_cast<float>(time);
    return before ? std::nextafter(t, -1e30f) : t;
  }
};

/// The curves of one channel's components; null ones stay at rest.
struct Group {
  std::vector<const Curve*> curves;
  std::vector<double> rest;
};

/// Two times that float32 cannot tell apart would be one key twice: the later one goes.
std::vector<Moment> distinct(std::vector<Moment> moments) {
  std::sort(moments.begin(), moments.end());
  std::vector<Moment> kept;
  for (const Moment& moment : moments)
    if (kept.empty() || moment.written() > kept.back().written()) kept.push_back(moment);
  return kept;
}

bool same_keys(const Group& group) {
  const Curve* first = nullptr;
  for (const Curve* curve : group.curves) {
    if (!curve) continue;
    if (!first) first = curve;
    const bool plain = curve->interpolation == Interpolation::step || curve->interpolation == Interpolation::linear ||
                       curve->interpolation == Interpolation::hermite;
    if (!plain || curve->interpolation != first->interpolation || curve->times != first->times) return false;
  }
  return true;
}

std::vector<Moment> moments_of(const Group& group, bool mark_steps) {
  std::vector<Moment> moments;
  for (const Curve* curve : group.curves) {
    if (!curve) continue;
    for (std::size_t i = 0; i < curve->times.size(); ++i) {
      moments.push_back({curve->times[i], false});
      if (mark_steps && curve->interpolation == Interpolation::step && i > 0)
        moments.push_back({curve->times[i], true});
      if (curve->interpolation == Interpolation::bspline && i > 0)
        for (int k = 1; k < kPiecesPerSpline; ++k)
          moments.push_back({std::lerp(curve->times[i - 1], curve->times[i], double(k) / kPiecesPerSpline), false});
    }
  }
  return distinct(std::move(moments));
}

bool all_are(const Group& group, std::initializer_list<Interpolation> kinds) {
  return std::all_of(group.curves.begin(), group.curves.end(), [&](const Curve* curve) {
    return !curve || std::find(kinds.begin(), kinds.end(), curve->interpolation) != kinds.end();
  });
}

/// Keys that all components share are written as they are.
Channel write_shared(const Group& group) {
  const Curve& first = **std::find_if(group.curves.begin(), group.curves.end(), [](const Curve* c) { return c; });
  const bool cubic = first.interpolation == Interpolation::hermite;
  Channel channel{.interpolation = cubic                                        ? "CUBICSPLINE"
                                   : first.interpolation == Interpolation::step ? "STEP"
                                                                                : "LINEAR"};
  const auto put = [&](std::size_t key, std::vector<double> Curve::*field, bool is_value) {
    for (std::size_t k = 0; k < group.curves.size(); ++k) {
      const Curve* curve = group.curves[k];
      channel.rows.push_back(static_cast<float>(curve ? (curve->*field)[key] : is_value ? group.rest[k] : 0));
    }
  };
  for (std::size_t i = 0; i < first.times.size(); ++i) {
    const float time = static_cast<float>(first.times[i]);
    if (!channel.times.empty() && time <= channel.times.back()) continue;
    channel.times.push_back(time);
    if (cubic) put(i, &Curve::in_tangents, false);
    put(i, &Curve::values, true);
    if (cubic) put(i, &Curve::out_tangents, false);
  }
  return channel;
}

/// Values at the moments; cubic ones with the tangents that reproduce each piece.
Channel write_merged(const Group& group) {
  const bool step = all_are(group, {Interpolation::step});
  const bool cubic = !all_are(group, {Interpolation::step, Interpolation::linear});
  const std::vector<Moment> moments = moments_of(group, !step);
  const std::size_t width = group.curves.size(), n = moments.size(), rows = cubic ? 3 : 1;
  Channel channel{.interpolation = step ? "STEP" : cubic ? "CUBICSPLINE" : "LINEAR"};
  channel.rows.assign(n * rows * width, 0.0f);
  for (const Moment& moment : moments) channel.times.push_back(moment.written());
  for (std::size_t k = 0; k < width; ++k) {
    const CompiledCurve curve = group.curves[k] ? CompiledCurve(*group.curves[k]) : CompiledCurve();
    const auto value = [&](double time) { return group.curves[k] ? curve(time) : group.rest[k]; };
    const bool flat = !group.curves[k] || group.curves[k]->interpolation == Interpolation::step;
    for (std::size_t i = 0; i < n; ++i) {
      const double a = moments[i].sampled();
      channel.rows[(i * rows + rows / 2) * width + k] = static_cast<float>(value(a));
      if (!cubic || flat || i + 1 == n) continue;
      const double b = moments[i + 1].sampled(), h = b - a, m0 = curve.slope(a);
      // A cubic on [a, b] has  v(mid) = (v0 + v1) / 2 + h (m0 - m1) / 8,  which gives its last slope.
      const double m1 = m0 - 8 / h * (value(0.5 * (a + b)) - 0.5 * (value(a) + value(b)));
      channel.rows[(i * rows + 2) * width + k] = static_cast<float>(m0);
      channel.rows[((i + 1) * rows) * width + k] = static_cast<float>(m1);
    }
  }
  return channel;
}

void put_rotation(Channel& channel, Vec4 q) {
  q.normalize();
  // Neighbouring keys on the same side: some players interpolate without looking.
  if (channel.rows.size() >= 4) {
    const Eigen::Map<const Eigen::Vector4f> last(&channel.rows[channel.rows.size() - 4]);
    if (last.cast<double>().dot(q) < 0) q = -q;
  }
  for (int k = 0; k < 4; ++k) channel.rows.push_back(static_cast<float>(q[k]));
}

Channel write_rotation(const RotationTrack& track) {
  const bool cubic = track.interpolation == Interpolation::hermite;
  Channel channel{.interpolation = cubic                                        ? "CUBICSPLINE"
                                   : track.interpolation == Interpolation::step ? "STEP"
                                                                                : "LINEAR"};
  const auto put = [&](const Vec4& v) {
    for (int k = 0; k < 4; ++k) channel.rows.push_back(static_cast<float>(v[k]));
  };
  for (std::size_t i = 0; i < track.times.size(); ++i) {
    const float time = static_cast<float>(track.times[i]);
    if (!channel.times.empty() && time <= channel.times.back()) continue;
    channel.times.push_back(time);
    if (cubic) {
      put(track.in_tangents[i]);
      put(track.values[i]);
      put(track.out_tangents[i]);
    } else {
      put_rotation(channel, track.values[i]);
    }
  }
  return channel;
}

/// q(t) exp(r(t)), sampled.
Channel bake_rotation(const RotationTrack* track, const Quat& rest, const std::array<const Curve*, 3>& turns) {
  std::vector<Moment> moments;
  if (track)
    for (const double time : track->times) moments.push_back({time, false});
  for (const Curve* curve : turns)
    if (curve)
      for (const double time : curve->times) moments.push_back({time, false});
  const auto [first, last] = std::minmax_element(moments.begin(), moments.end());
  const double begin = first->time, end = last->time;
  const int steps = static_cast<int>(std::min(1e7, std::ceil((end - begin) * kBakeRate)));
  for (int i = 1; i < steps; ++i) moments.push_back({begin + i / kBakeRate, false});
  Channel channel;
  for (const Moment& moment : distinct(std::move(moments))) {
    const Vec4 key = track ? (*track)(moment.time) : Vec4(rest.coeffs());
    Vec3 r = Vec3::Zero();
    for (int k = 0; k < 3; ++k)
      if (turns[k]) r[k] = (*turns[k])(moment.time);
    const Quat product = Quat(key[3], key[0], key[1], key[2]).normalized() * Quat(rotation_exp(r));
    channel.times.push_back(moment.written());
    put_rotation(channel, product.coeffs());
  }
  return channel;
}

class ClipWriter {
 public:
  ClipWriter(GltfDocument& document, const GltfScene& scene, const Animation& clip)
      : document_(document), scene_(scene), clip_(clip) {
    for (std::size_t i = 0; i < scene.names.size(); ++i) by_name_[scene.names[i]] = static_cast<int>(i);
  }

  int write() {
    for (const RotationTrack& track : clip_.rotations)
      if (!track.times.empty()) {
        track.validate("rotation of \"" + track.node + "\"");
        turned_[node_named(track.node, track.node)].track = &track;
      }
    for (const Track& track : clip_.tracks)
      if (!track.curve.times.empty()) {
        track.curve.validate("curve \"" + track.control + "\"");
        place(track);
      }
    for (const auto& [node, turn] : turned_) {
      const bool baked = turn.turns[0] || turn.turns[1] || turn.turns[2];
      put(node, Path::rotation,
          baked ? bake_rotation(turn.track, scene_.transform[node].rotation, turn.turns) : write_rotation(*turn.track));
    }
    for (const auto& [target, group] : groups_)
      put(target.first, target.second, same_keys(group) ? write_shared(group) : write_merged(group));
    if (channels_.empty())
      document_.fail("animation \"" + clip_.name + "\"", "has no keys", "an animation needs at least one");
    Json json = Json::object();
    if (!clip_.name.empty()) json["name"] = clip_.name;
    json["channels"] = std::move(channels_);
    json["samplers"] = std::move(samplers_);
    return append_item(document_, "animations", std::move(json));
  }

 private:
  struct Turn {
    const RotationTrack* track = nullptr;
    std::array<const Curve*, 3> turns{};
  };

  int node_named(const std::string& name, const std::string& control) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end())
      document_.fail("animation \"" + clip_.name + "\"", "moves \"" + control + "\", which the document does not have",
                     "leave it out", control);
    return found->second;
  }

  /// Finds the channel and component that a control belongs to.
  void place(const Track& track) {
    const std::string& control = track.control;
    const std::size_t dot = control.rfind('.');
    const std::string axes = dot == std::string::npos ? "" : control.substr(dot + 1);
    const auto node = dot == std::string::npos ? by_name_.end() : by_name_.find(control.substr(0, dot));
    if (node != by_name_.end() && axes.size() == 2 && axes[1] >= 'x' && axes[1] <= 'z') {
      const int k = axes[1] - 'x';
      if (axes[0] == 'r') {
        turned_[node->second].turns[k] = &track.curve;
        return;
      }
      if (axes[0] == 't' || axes[0] == 's') {
        const Path path = axes[0] == 't' ? Path::translation : Path::scale;
        const NodeTransform& rest = scene_.transform[node->second];
        const Vec3& v = axes[0] == 't' ? rest.translation : rest.scale;
        group(node->second, path, {v[0], v[1], v[2]}).curves[k] = &track.curve;
        return;
      }
    }
    place_morph(track);
  }

  void place_morph(const Track& track) {
    if (morphs_.empty()) list_morphs();
    const auto found = morphs_.find(track.control);
    if (found == morphs_.end()) node_named(track.control, track.control);  // throws, naming what is missing
    if (found == morphs_.end())
      document_.fail("animation \"" + clip_.name + "\"", "moves \"" + track.control + "\", which is a node",
                     "name one of its controls", track.control);
    const auto [node, morph] = found->second;
    group(node, Path::weights, weights_at_rest(node)).curves[morph] = &track.curve;
  }

  void list_morphs() {
    for (std::size_t i = 0; i < scene_.names.size(); ++i) {
      const int node = static_cast<int>(i), mesh = mesh_of(node);
      if (mesh < 0) continue;
      const std::vector<std::string> names = morph_names(document_, mesh);
      for (std::size_t m = 0; m < names.size(); ++m)
        morphs_.try_emplace(scene_.names[i] + ":" + names[m], node, static_cast<int>(m));
    }
  }

  int mesh_of(int node) const {
    return document_.index(document_.item("nodes", node), "mesh", document_.label("nodes", node), "meshes");
  }

  std::vector<double> weights_at_rest(int node) const {
    const int mesh = mesh_of(node), n = static_cast<int>(morph_names(document_, mesh).size());
    const Json& own = document_.item("nodes", node);
    const Json& owner = GltfDocument::find(own, "weights") ? own : document_.item("meshes", mesh);
    std::vector<double> weights = document_.numbers(owner, "weights", document_.label("nodes", node), n);
    weights.resize(n, 0.0);
    return weights;
  }

  Group& group(int node, Path path, std::vector<double> rest) {
    Group& result = groups_[{node, path}];
    if (result.curves.empty()) result = {std::vector<const Curve*>(rest.size()), std::move(rest)};
    return result;
  }

  /// glTF does not animate nodes that are given by a matrix.
  void replace_matrix(int node) {
    Json& json = document_.json["nodes"][node];
    if (!json.contains("matrix")) return;
    const NodeTransform& t = scene_.transform[node];
    if (!t.constant.isApprox(identity_affine(), 1e-9))
      document_.fail(document_.label("nodes", node), "has a matrix with shear, which glTF cannot animate",
                     "give the node translation, rotation and scale");
    json.erase("matrix");
    json["translation"] = {t.translation[0], t.translation[1], t.translation[2]};
    json["rotation"] = {t.rotation.x(), t.rotation.y(), t.rotation.z(), t.rotation.w()};
    json["scale"] = {t.scale[0], t.scale[1], t.scale[2]};
  }

  void put(int node, Path path, const Channel& channel) {
    if (path != Path::weights) replace_matrix(node);
    const auto [times, added] = inputs_.try_emplace(channel.times, -1);
    if (added) times->second = append_accessor(document_, {.bytes = bytes_of(channel.times), .bounds = true});
    const char* type = path == Path::weights ? "SCALAR" : path == Path::rotation ? "VEC4" : "VEC3";
    const int output = append_accessor(document_, {.type = type, .bytes = bytes_of(channel.rows)});
    channels_.push_back(
        {{"sampler", samplers_.size()}, {"target", {{"node", node}, {"path", kPathNames[static_cast<int>(path)]}}}});
    samplers_.push_back({{"input", times->second}, {"interpolation", channel.interpolation}, {"output", output}});
  }

  GltfDocument& document_;
  const GltfScene& scene_;
  const Animation& clip_;
  std::unordered_map<std::string, int> by_name_;
  std::unordered_map<std::string, std::pair<int, int>> morphs_;
  std::map<int, Turn> turned_;
  std::map<std::pair<int, Path>, Group> groups_;
  std::map<std::vector<float>, int> inputs_;  // channels with the same key times share them
  Json channels_ = Json::array(), samplers_ = Json::array();
};

}  // namespace

int append_animation(GltfDocument& document, const GltfScene& scene, const Animation& clip) {
  return ClipWriter(document, scene, clip).write();
}

}  // namespace rigspace
