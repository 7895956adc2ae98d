#include "gltf_loader.h"

#include <cmath>
#include <set>

namespace rigspace {
namespace {

/// One channel's keys. `width` numbers a key; with tangents each key has three rows: in, value, out.
struct Keys {
  Interpolation interpolation = Interpolation::linear;
  std::vector<double> times;
  std::vector<double> rows;
  int width = 0;

  int rows_per_key() const { return interpolation == Interpolation::hermite ? 3 : 1; }
  const double* row(std::size_t key, int which) const { return &rows[(key * rows_per_key() + which) * width]; }
  const double* value(std::size_t key) const { return row(key, rows_per_key() / 2); }
};

Interpolation read_interpolation(const GltfDocument& document, const Json& sampler, const std::string& element) {
  const std::string text = document.text(sampler, "interpolation", element);
  if (text.empty() || text == "LINEAR") return Interpolation::linear;
  if (text == "STEP") return Interpolation::step;
  if (text == "CUBICSPLINE") return Interpolation::hermite;
  document.fail(element, "has interpolation \"" + text + "\"", "LINEAR, STEP or CUBICSPLINE is expected", text);
}

Keys read_keys(const GltfDocument& document, const Json& sampler, const char* type, int width,
               const std::string& element) {
  Keys keys{.interpolation = read_interpolation(document, sampler, element), .times = {}, .rows = {}, .width = width};
  const int input = document.index(sampler, "input", element, "accessors");
  const int output = document.index(sampler, "output", element, "accessors");
  if (input < 0 || output < 0) document.fail(element, "lacks its input or output", "export the file again");
  keys.times = document.read_numbers(input, "SCALAR");
  keys.rows = document.read_numbers(output, type);
  for (std::size_t i = 1; i < keys.times.size(); ++i)
    if (!(keys.times[i] > keys.times[i - 1]))
      document.fail(element,
                    "has key " + std::to_string(i) + " at " + std::to_string(keys.times[i]) + " s after " +
                        std::to_string(keys.times[i - 1]) + " s",
                    "key times must increase", std::to_string(keys.times[i]));
  const std::size_t needed = keys.times.size() * keys.rows_per_key() * width;
  if (keys.rows.size() != needed)
    document.fail(element,
                  "has " + std::to_string(keys.rows.size()) + " output numbers for " +
                      std::to_string(keys.times.size()) + " keys",
                  std::to_string(needed) + " are expected", std::to_string(keys.rows.size()));
  return keys;
}

Curve component(const Keys& keys, int k) {
  Curve curve{
      .interpolation = keys.interpolation, .times = keys.times, .values = {}, .in_tangents = {}, .out_tangents = {}};
  for (std::size_t i = 0; i < keys.times.size(); ++i) {
    curve.values.push_back(keys.value(i)[k]);
    if (keys.interpolation != Interpolation::hermite) continue;
    curve.in_tangents.push_back(keys.row(i, 0)[k]);
    curve.out_tangents.push_back(keys.row(i, 2)[k]);
  }
  return curve;
}

/// Keys of no length turn as the key before them. Returns how many there were.
int repair(RotationTrack& track) {
  int repaired = 0;
  for (std::size_t i = 0; i < track.values.size(); ++i) {
    Vec4& q = track.values[i];
    const double largest = q.cwiseAbs().maxCoeff();
    if (!(largest > 1e-9)) {
      ++repaired;
      q = i > 0 ? track.values[i - 1] : Vec4(0, 0, 0, 1);
    } else if (track.interpolation != Interpolation::hermite && std::abs(q.squaredNorm() - 1) > 1e-6) {
      q = (q / largest).normalized();
    }
  }
  return repaired;
}

RotationTrack rotation_track(const Keys& keys, std::string node) {
  RotationTrack track{.node = std::move(node), .interpolation = keys.interpolation, .times = keys.times};
  for (std::size_t i = 0; i < keys.times.size(); ++i) {
    track.values.push_back(Eigen::Map<const Vec4>(keys.value(i)));
    if (keys.interpolation != Interpolation::hermite) continue;
    track.in_tangents.push_back(Eigen::Map<const Vec4>(keys.row(i, 0)));
    track.out_tangents.push_back(Eigen::Map<const Vec4>(keys.row(i, 2)));
  }
  return track;
}

class ClipReader {
 public:
  ClipReader(GltfLoader& loader, int index, std::string name) : loader_(loader), document_(loader.document) {
    clip_.name = std::move(name);
    element_ = "animation \"" + clip_.name + "\"";
    json_ = &document_.item("animations", index);
  }

  Animation read() {
    for (const Json& channel : document_.list(*json_, "channels", element_)) read_channel(channel);
    if (ignored_ > 0)
      loader_.warn(element_ + " has " + std::to_string(ignored_) +
                   " channels that move nothing in the scene or are of an unknown kind; they are ignored.");
    if (repeated_ > 0)
      loader_.warn(element_ + " has " + std::to_string(repeated_) +
                   " channels that repeat an earlier one's target; the first counts.");
    clip_.duration = last_key_time(clip_);
    return std::move(clip_);
  }

 private:
  void read_channel(const Json& channel) {
    const Json& target = document_.object(channel, "target", element_);
    const int node = document_.index(target, "node", element_, "nodes");
    const std::string path = document_.text(target, "path", element_);
    const bool moves = path == "translation" || path == "rotation" || path == "scale";
    const bool morphs = path == "weights" && node >= 0 && !loader_.morph_slots[node].empty();
    if (node < 0 || loader_.slot[node] < 0 || !(moves || morphs)) {
      ++ignored_;
      return;
    }
    if (!seen_.insert({node, path}).second) {
      ++repeated_;
      return;
    }
    const Json& samplers = document_.list(*json_, "samplers", element_);
    const auto sampler =
        document_.integer(channel, "sampler", element_, static_cast<std::int64_t>(samplers.size()) - 1);
    if (!sampler) document_.fail(element_, "has a channel without a sampler", "export the file again");
    const std::string element = element_ + " sampler " + std::to_string(*sampler);
    const int width = path == "rotation" ? 4 : morphs ? static_cast<int>(loader_.morph_slots[node].size()) : 3;
    const Keys keys = read_keys(document_, samplers[*sampler],
                                morphs               ? "SCALAR"
                                : path == "rotation" ? "VEC4"
                                                     : "VEC3",
                                width, element);
    document_.spend(16 * (keys.times.size() * width + keys.rows.size()), element);
    if (keys.times.empty()) return;
    if (path == "rotation") {
      clip_.rotations.push_back(rotation_track(keys, loader_.scene.names[node]));
      if (const int count = repair(clip_.rotations.back()); count > 0)
        loader_.warn(element + " has " + std::to_string(count) + " rotations of length zero; the key before holds.");
      return;
    }
    // The controls of a node follow each other: tx ty tz qx qy qz qw rx ry rz sx sy sz.
    const auto controls = loader_.graph->controls();
    for (int k = 0; k < width; ++k) {
      const std::string control = morphs ? controls[loader_.morph_controls[node][k]].name
                                         : loader_.scene.names[node] + (path == "scale" ? ".s" : ".t") + "xyz"[k];
      clip_.tracks.push_back({control, component(keys, k)});
    }
  }

  GltfLoader& loader_;
  const GltfDocument& document_;
  const Json* json_;
  std::string element_;
  Animation clip_;
  std::set<std::pair<int, std::string>> seen_;
  int ignored_ = 0, repeated_ = 0;
};

}  // namespace

void load_animations(GltfLoader& loader) {
  const std::vector<std::string> names = clip_names(loader.document);
  for (std::size_t i = 0; i < names.size(); ++i)
    loader.character.clips.push_back(ClipReader(loader, static_cast<int>(i), names[i]).read());
}

}  // namespace rigspace
