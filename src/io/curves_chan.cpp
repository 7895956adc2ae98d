// Houdini's .chan: one line a frame, one column a channel, and no names; those stand in a list beside it.
#include "curve_format.h"
#include "joint_motion.h"

namespace rigspace {
namespace {

/// A column: a control as it is, or an angle of a node.
struct Column {
  std::string name, unit;
  int control = -1;
  int node = -1, axis = 0;
};

std::vector<Column> columns_of(const ClipChannels& channels, std::span<const Control> controls) {
  std::vector<Column> columns;
  const auto plain = [&](int control) {
    if (control < 0) return;
    const Unit unit = controls[control].unit;
    columns.push_back({.name = controls[control].name,
                       .unit = unit == Unit::angle ? "degree" : std::string(name(unit)),
                       .control = control});
  };
  for (std::size_t n = 0; n < channels.nodes.size(); ++n) {
    const NodeChannels& node = channels.nodes[n];
    if (node.moves)
      for (const int control : node.t) plain(control);
    if (node.turns)
      for (int axis = 0; axis < 3; ++axis)
        columns.push_back(
            {.name = node.node + ".r" + "xyz"[axis], .unit = "degree", .node = static_cast<int>(n), .axis = axis});
    if (node.scales)
      for (const int control : node.s) plain(control);
  }
  for (const int control : channels.others) plain(control);
  return columns;
}

std::string column_list(const std::vector<Column>& columns, const CurveJob& job, std::size_t frames) {
  std::string text = "# clip " + job.animation.name + ": " + std::to_string(frames) + " lines at " +
                     number_text(job.fps) + " frames per second, the first at 0 s; angles turn x first, then y, z\n" +
                     "# column\tchannel\tunit\n";
  for (std::size_t k = 0; k < columns.size(); ++k)
    text += std::to_string(k + 1) + "\t" + columns[k].name + "\t" + columns[k].unit + "\n";
  return text;
}

}  // namespace

std::vector<CurveText> curves_chan(CurveJob& job) {
  const std::span<const Control> controls = job.character.rig->controls();
  const Sampler clip(job.animation, controls);
  if (const std::string sentence = unbound_sentence(clip.unbound()); !sentence.empty()) job.notes.push_back(sentence);
  const ClipChannels channels = clip_channels(controls, clip.animated());
  const std::vector<Column> columns = columns_of(channels, controls);

  std::string text;
  Vec p = job.character.rig->rest();
  std::vector<Vec3> angles(channels.nodes.size(), Vec3::Zero());
  const std::vector<double> times = whole_frames(job.animation.duration, job.fps);
  for (const double time : times) {
    clip.sample(time, p);
    for (std::size_t n = 0; n < channels.nodes.size(); ++n) angles[n] = channels.nodes[n].angles(p, angles[n]);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Column& column = columns[k];
      const double value = column.node >= 0          ? kDegrees * angles[column.node][column.axis]
                           : column.unit == "degree" ? kDegrees * p[column.control]
                                                     : p[column.control];
      if (k > 0) text += '\t';
      text += number_text(value);
    }
    text += "\n";
  }
  job.notes.push_back("a .chan has no names: the list of its " + std::to_string(columns.size()) +
                      " columns is beside it, in .chan.txt");
  return {{"", std::move(text)}, {".txt", column_list(columns, job, times.size())}};
}

}  // namespace rigspace
