// Maya's ATOM, as Autodesk's help describes it ("ATOM format description"): a header, then a dagNode for each node with
// an `anim` and its `animData` for each attribute. A key is
//   time value inType outType tangentsLocked weightsLocked breakdown [inAngle inWeight] [outAngle outWeight]
// with angle and weight only where the type is fixed. Angles of tangents are atan of Maya's own units (cm, radians) per
// second. Scalar curves keep their keys; orientations are sampled at every frame.
#include "curve_format.h"
#include "joint_motion.h"
#include "rigspace/anim/compiled_curve.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <cmath>
#include <unordered_map>

namespace rigspace {
namespace {

/// A colon ends a namespace.
bool allowed_in_maya(char c, bool first) { return allowed_in_identifier(c, first) || (!first && c == ':'); }

/// Maya's names of rates; any other clip is timed in seconds.
struct TimeUnit {
  double rate;
  std::string_view name;
};
constexpr TimeUnit kTimeUnits[] = {{15, "game"}, {24, "film"}, {25, "pal"},   {30, "ntsc"},
                                   {48, "show"}, {50, "palf"}, {60, "ntscf"}, {1, "sec"}};

TimeUnit time_unit(double fps) {
  for (const TimeUnit& unit : kTimeUnits)
    if (unit.rate == fps) return unit;
  return {1, "sec"};
}

std::string_view infinity(Extrapolation extrapolation) {
  switch (extrapolation) {
    case Extrapolation::hold: return "constant";
    case Extrapolation::linear: return "linear";
    case Extrapolation::cycle: return "cycle";
    case Extrapolation::cycle_offset: return "cycleRelative";
  }
  return "constant";
}

/// What a unit is called, what the file's numbers are, and what Maya's slopes count in.
struct Output {
  std::string_view name;
  double shown, slope;
};
Output output_of(Unit unit) {
  switch (unit) {
    case Unit::length: return {"linear", 1, 100};  // metres; Maya's own are centimetres
    case Unit::angle: return {"angular", kDegrees, 1};
    default: return {"unitless", 1, 1};
  }
}

/// Angle in degrees, and weight.
std::string tangent(double slope) {
  const std::string angle = number_text(kDegrees * std::atan(slope));
  return " " + angle + " 1";
}

/// A curve whose pieces are cubics over time has tangents that reproduce it; others are sampled first.
Curve as_hermite(const Curve& curve, const std::vector<double>& frames) {
  Curve result = curve;
  const CompiledCurve compiled(curve);
  if (curve.interpolation == Interpolation::bspline) {
    result = {.before = curve.before, .after = curve.after, .times = frames};
    for (const double time : frames) result.values.push_back(compiled(time));
  } else if (curve.interpolation == Interpolation::catmull_rom || curve.interpolation == Interpolation::natural) {
    result.interpolation = Interpolation::hermite;
    result.in_tangents.clear();
    for (const double time : curve.times) result.in_tangents.push_back(compiled.slope(time));
    result.out_tangents = result.in_tangents;
  }
  return result;
}

class Atom {
 public:
  Atom(CurveJob& job, const std::vector<double>& frames) : frames_(frames), unit_(time_unit(job.fps)) {
    text = "atomVersion 1.0;\nmayaVersion 2014;\ntimeUnit " + std::string(unit_.name) +
           ";\nlinearUnit m;\nangularUnit deg;\nstartTime 0;\nendTime " + time_text(frames.back()) + ";\n";
  }

  void open(const std::string& node, int depth, int children) {
    text += "dagNode {\n  " + node + " " + std::to_string(depth) + " " + std::to_string(children) + ";\n";
    attributes_ = 0;
  }
  void close() { text += "}\n"; }

  void fixed(const std::string& attribute, int value) {
    text += "  static " + attribute + " " + attribute + " " + std::to_string(attributes_++) + ";\n  { " +
            std::to_string(value) + " }\n";
  }

  /// `path` as in translate.translateX; an attribute of its own has no dot.
  void anim(const std::string& path, const Curve& given, Unit unit) {
    if (given.times.empty()) return;
    const Curve curve = as_hermite(given, frames_);
    const Output output = output_of(unit);
    text += "  anim " + path + " " + path.substr(path.find('.') + 1) + " " + std::to_string(attributes_++) + ";\n";
    text += "  animData {\n    input time;\n    output " + std::string(output.name) + ";\n    weighted 0;\n" +
            "    tangentAngleUnit deg;\n    preInfinity " + std::string(infinity(curve.before)) +
            ";\n    postInfinity " + std::string(infinity(curve.after)) + ";\n    keys {\n";
    for (std::size_t k = 0; k < curve.times.size(); ++k)
      text += "      " + time_text(curve.times[k]) + " " + number_text(output.shown * curve.values[k]) +
              key_tangents(curve, k, output.slope) + ";\n";
    text += "    }\n  }\n";
  }

  std::string text;

 private:
  /// Keys out of glTF stand a rounding error beside their frames, where Maya would show them as fractions.
  std::string time_text(double time) const {
    const double frame = unit_.rate * time;
    const bool whole = unit_.rate > 1 && std::abs(frame - std::round(frame)) < 1e-4;
    return number_text(whole ? std::round(frame) : frame);
  }

  static std::string key_tangents(const Curve& curve, std::size_t k, double unit) {
    switch (curve.interpolation) {
      case Interpolation::step: return " linear step 1 1 0";
      case Interpolation::hermite: {
        const bool smooth = curve.in_tangents[k] == curve.out_tangents[k];
        return std::string(" fixed fixed ") + (smooth ? "1" : "0") + " 1 0" + tangent(unit * curve.in_tangents[k]) +
               tangent(unit * curve.out_tangents[k]);
      }
      default: return " linear linear 1 1 0";
    }
  }

  const std::vector<double>& frames_;
  TimeUnit unit_;
  int attributes_ = 0;
};

/// Depth and number of children of every node, by name.
struct Places {
  std::unordered_map<std::string, std::pair<int, int>> of;

  explicit Places(const Rig& any) {
    const auto* rig = dynamic_cast<const BuiltInRig*>(&any);
    if (!rig) return;
    const ControlGraph& graph = rig->graph();
    std::unordered_map<int, std::string> name_of;
    for (int slot = 0; slot < static_cast<int>(graph.slots().size()); ++slot) {
      const int control = graph.slots()[slot].size == kTransformSlot ? first_control(graph, slot) : -1;
      if (control < 0) continue;
      const std::string& node = graph.controls()[control].node;
      name_of[slot] = node;
      of[node] = {1, 0};
      for (const int input : graph.op(slot).input_slots()) {
        const auto parent = name_of.find(input);
        if (parent == name_of.end()) continue;
        of[node].first = of[parent->second].first + 1;
        ++of[parent->second].second;
        break;
      }
    }
  }
};

/// The last track of each control, which is the one that counts.
std::unordered_map<std::string_view, const Curve*> curves_by_control(const Animation& animation) {
  std::unordered_map<std::string_view, const Curve*> curves;
  for (const Track& track : animation.tracks) curves[track.control] = &track.curve;
  return curves;
}

std::vector<std::vector<Vec3>> sampled_angles(const ClipChannels& channels, const Sampler& clip, Vec p,
                                              const std::vector<double>& frames) {
  std::vector<std::vector<Vec3>> angles(channels.nodes.size());
  for (const double time : frames) {
    clip.sample(time, p);
    for (std::size_t n = 0; n < angles.size(); ++n)
      angles[n].push_back(channels.nodes[n].angles(p, angles[n].empty() ? Vec3::Zero() : angles[n].back()));
  }
  return angles;
}

}  // namespace

std::vector<CurveText> curves_atom(CurveJob& job) {
  const std::span<const Control> controls = job.character.rig->controls();
  const Sampler clip(job.animation, controls);
  if (const std::string sentence = unbound_sentence(clip.unbound()); !sentence.empty()) job.notes.push_back(sentence);
  const ClipChannels channels = clip_channels(controls, clip.animated());
  const std::vector<double> frames = whole_frames(job.animation.duration, job.fps);
  const auto angles = sampled_angles(channels, clip, job.character.rig->rest(), frames);
  const auto curves = curves_by_control(job.animation);
  const Places places(*job.character.rig);
  NameMap names("Maya", allowed_in_maya);
  Atom atom(job, frames);
  const auto open = [&](const std::string& node) {
    const auto place = places.of.find(node);
    atom.open(names(node), place == places.of.end() ? 1 : place->second.first,
              place == places.of.end() ? 0 : place->second.second);
  };
  const auto keyed = [&](const std::array<int, 3>& list, const std::string& word) {
    for (int axis = 0; axis < 3; ++axis)
      if (const auto curve = list[axis] < 0 ? curves.end() : curves.find(controls[list[axis]].name);
          curve != curves.end())
        atom.anim(word + "." + word + "XYZ"[axis], *curve -> second, controls[list[axis]].unit);
  };

  for (std::size_t n = 0; n < channels.nodes.size(); ++n) {
    const NodeChannels& node = channels.nodes[n];
    open(node.node);
    keyed(node.t, "translate");
    if (node.turns && node.q[3] < 0) keyed(node.r, "rotate");
    if (node.turns && node.q[3] >= 0) {
      for (int axis = 0; axis < 3; ++axis) {
        Curve curve{.times = frames};
        for (const Vec3& at_frame : angles[n]) curve.values.push_back(at_frame[axis]);
        atom.anim(std::string("rotate.rotate") + "XYZ"[axis], curve, Unit::angle);
      }
      atom.fixed("rotateOrder", 0);
    }
    keyed(node.s, "scale");
    atom.close();
  }
  NameMap attributes("Maya", allowed_in_identifier);
  for (std::size_t k = 0; k < channels.others.size(); ++k) {
    const Control& control = controls[channels.others[k]];
    const std::string& node = control.node.empty() ? job.character.name : control.node;
    const bool same = k > 0 && controls[channels.others[k - 1]].node == control.node;
    if (!same) open(node);
    const bool scoped = control.name.starts_with(node) && control.name.size() > node.size() + 1;
    if (const auto curve = curves.find(control.name); curve != curves.end())
      atom.anim(attributes(scoped ? control.name.substr(node.size() + 1) : control.name), *curve->second, control.unit);
    if (k + 1 == channels.others.size() || controls[channels.others[k + 1]].node != control.node) atom.close();
  }
  names.tell(job.notes);
  attributes.tell(job.notes);
  return {{"", std::move(atom.text)}};
}

}  // namespace rigspace
