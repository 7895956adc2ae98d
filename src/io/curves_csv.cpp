// CSV: one line a frame and control. base + delta is the clip's value; rotations are R_base exp(delta), see
// docs/curves.md.
#include "curve_format.h"
#include "joint_motion.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>

namespace rigspace {
namespace {

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

Mat3 keyed_rotation(const NodeChannels& node, In p) {
  Vec4 q;
  for (int k = 0; k < 4; ++k) q[k] = p[node.q[k]];
  return q.norm() > 1e-150 ? Quat(q.normalized()).toRotationMatrix() : Mat3::Identity();
}

Vec3 turn(const NodeChannels& node, In p) {
  Vec3 r = Vec3::Zero();
  for (int k = 0; k < 3; ++k)
    if (node.r[k] >= 0) r[k] = p[node.r[k]];
  return r;
}

class Table {
 public:
  explicit Table(std::span<const Control> controls) : controls_(controls) {}

  void begin(double time, long frame) { head_ = number_text(time) + "," + std::to_string(frame) + ","; }

  void row(int control, double base, double delta) {
    const Control& of = controls_[control];
    const bool angle = of.unit == Unit::angle;
    const double factor = angle ? kDegrees : 1;
    text += head_ + cell(of.name) + "," + (angle ? "degree" : std::string(name(of.unit))) + "," +
            number_text(factor * base) + "," + number_text(factor * delta) + "\n";
  }

  std::string text = "time_s,frame,control,unit,base,delta\n";

 private:
  std::span<const Control> controls_;
  std::string head_;
};

/// A node whose orientation is keyed: q of the base, and the turn r on top of it,  R = R_base exp(r).
void rotation_rows(Table& table, const NodeChannels& node, In p, In p_base) {
  for (int k = 0; k < 4; ++k) table.row(node.q[k], p_base[node.q[k]], 0);
  const Vec3 r_base = turn(node, p_base);
  const Mat3 R = keyed_rotation(node, p) * rotation_exp(turn(node, p));
  const bool same = keyed_rotation(node, p) == keyed_rotation(node, p_base) && turn(node, p) == r_base;
  const Vec3 r = same ? r_base : rotation_log(keyed_rotation(node, p_base).transpose() * R);
  for (int k = 0; k < 3; ++k)
    if (node.r[k] >= 0) table.row(node.r[k], r_base[k], r[k] - r_base[k]);
}

}  // namespace

std::vector<CurveText> curves_csv(CurveJob& job) {
  const std::span<const Control> controls = job.character.rig->controls();
  const Sampler clip(job.animation, controls);
  const Sampler base(job.base ? *job.base : job.animation, controls);
  for (const auto& sampler : {&clip, &base})
    if (const std::string sentence = unbound_sentence(sampler->unbound());
        !sentence.empty() && (sampler == &clip || job.base))
      job.notes.push_back(sentence);
  std::vector<int> animated(clip.animated().begin(), clip.animated().end());
  animated.insert(animated.end(), base.animated().begin(), base.animated().end());
  std::sort(animated.begin(), animated.end());
  animated.erase(std::unique(animated.begin(), animated.end()), animated.end());
  const ClipChannels channels = clip_channels(controls, animated);

  Table table(controls);
  Vec p = job.character.rig->rest(), p_base = p;
  const std::vector<double> times = whole_frames(job.animation.duration, job.fps);
  for (std::size_t k = 0; k < times.size(); ++k) {
    clip.sample(times[k], p);
    base.sample(times[k], p_base);
    table.begin(times[k], static_cast<long>(k));
    const auto plain = [&](int control) {
      if (std::binary_search(animated.begin(), animated.end(), control))
        table.row(control, p_base[control], p[control] - p_base[control]);
    };
    for (const NodeChannels& node : channels.nodes) {
      for (const int control : node.t) plain(control);
      if (node.turns && node.q[3] >= 0)
        rotation_rows(table, node, p, p_base);
      else
        for (const int control : node.r) plain(control);
      for (const int control : node.s) plain(control);
    }
    for (const int control : channels.others) plain(control);
  }
  return {{"", std::move(table.text)}};
}

}  // namespace rigspace
