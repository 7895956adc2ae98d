// Pixar's USD as text: a SkelRoot with the Skeleton and its SkelAnimation. Matrices there act on rows: ours transposed.
#include "curve_format.h"
#include "euler.h"
#include "joint_motion.h"
#include "rigspace/anim/bake.h"

#include <charconv>
#include <functional>

namespace rigspace {
namespace {

std::string float_text(double value) {
  char buffer[48];
  const float single = static_cast<float>(value);
  const std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, single).ptr);
  return text == "-0" ? "0" : text;
}

template <class Vector>
std::string tuple(const Vector& v) {
  std::string text = "(";
  for (Eigen::Index k = 0; k < v.size(); ++k) text += (k > 0 ? ", " : "") + float_text(v[k]);
  return text + ")";
}

std::string matrix(const Affine& A) {
  std::string text = "( ";
  for (int column = 0; column < 4; ++column) {
    text += "(";
    for (int row = 0; row < 3; ++row) text += number_text(A(row, column), 17) + ", ";
    text += column < 3 ? "0), " : "1) )";
  }
  return text;
}

template <class Text>
std::string list(std::size_t count, Text text_of) {
  std::string text = "[";
  for (std::size_t k = 0; k < count; ++k) text += (k > 0 ? ", " : "") + text_of(k);
  return text + "]";
}

std::string usda_text(const std::string& text) { return "\"" + text + "\""; }  // mapped names need no escapes

/// T, R and S of a transform; what is neither of them (shear) is left out.
struct Parts {
  Vec3 translation, scale;
  Vec4 rotation;  ///< x y z w
  double shear;   ///< what was left out, as a share of the scale
};

Parts parts_of(const Affine& local) {
  const Mat3 A = linear(local);
  const Mat3 R = rotation_of(A);
  const Mat3 S = R.transpose() * A;
  const double size = std::max(S.norm(), 1e-30);
  return {.translation = translation(local),
          .scale = S.diagonal(),
          .rotation = Quat(R).normalized().coeffs(),
          .shear = (S - Mat3(S.diagonal().asDiagonal())).norm() / size};
}

/// One attribute with a value at each frame.
std::string samples(const std::string& declaration, std::size_t frames,
                    const std::function<std::string(std::size_t)>& at) {
  std::string text = "            " + declaration + ".timeSamples = {\n";
  for (std::size_t f = 0; f < frames; ++f) text += "                " + std::to_string(f) + ": " + at(f) + ",\n";
  return text + "            }\n";
}

std::vector<std::string> joint_paths(const JointMotion& motion, std::vector<std::string>& notes) {
  NameMap names("USD", allowed_in_identifier);
  std::vector<std::string> paths;
  for (const JointMotion::Joint& joint : motion.joints)
    paths.push_back((joint.parent < 0 ? "" : paths[joint.parent] + "/") + names(joint.name));
  names.tell(notes);
  return paths;
}

std::string skeleton_text(const JointMotion& motion, const std::string& joints) {
  const std::size_t n = motion.joints.size();
  const auto rest = [&](std::size_t j) {
    return matrix(JointMotion::local(motion.joints, motion.rest, static_cast<int>(j)));
  };
  return "    def Skeleton \"Skeleton\" (\n        prepend apiSchemas = [\"SkelBindingAPI\"]\n    )\n    {\n"
         "        uniform token[] joints = " +
         joints + "\n" + "        uniform matrix4d[] bindTransforms = " +
         list(n, [&](std::size_t j) { return matrix(motion.rest[j]); }) +
         "\n        uniform matrix4d[] restTransforms = " + list(n, rest) +
         "\n        rel skel:animationSource = </Character/Skeleton/Animation>\n\n";
}

std::string joint_samples(const JointMotion& motion, std::vector<std::string>& notes) {
  const std::size_t frames = motion.times.size(), n = motion.joints.size();
  std::vector<std::vector<Parts>> parts(frames, std::vector<Parts>(n));
  double shear = 0;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t f = 0; f < frames; ++f) {
      Parts& part = parts[f][j] = parts_of(JointMotion::local(motion.joints, motion.world[f], static_cast<int>(j)));
      if (f > 0 && part.rotation.dot(parts[f - 1][j].rotation) < 0) part.rotation = -part.rotation;
      shear = std::max(shear, part.shear);
    }
  if (shear > 1e-4)
    notes.push_back("joints have shear of up to " + number_text(100 * shear, 2) +
                    " %, which a SkelAnimation cannot hold");
  const auto attribute = [&](const std::string& declaration, auto value) {
    return samples(declaration, frames,
                   [&](std::size_t f) { return list(n, [&](std::size_t j) { return value(parts[f][j]); }); });
  };
  return attribute("float3[] translations", [](const Parts& part) { return tuple(part.translation); }) +
         attribute("quatf[] rotations",
                   [](const Parts& part) {
                     const Vec4& q = part.rotation;
                     return tuple(Vec4(q[3], q[0], q[1], q[2]));  // the real part first
                   }) +
         attribute("half3[] scales", [](const Parts& part) { return tuple(part.scale); });
}

/// Every plain number of the rig: a SkelAnimation's blend shapes.
std::string weight_samples(CurveJob& job, const std::vector<double>& times) {
  const std::span<const Control> controls = job.character.rig->controls();
  const Sampler clip(job.animation, controls);
  const ClipChannels channels = clip_channels(controls, clip.animated());
  if (channels.others.empty()) return {};
  NameMap names("USD", allowed_in_identifier);
  Mat P(static_cast<Eigen::Index>(controls.size()), static_cast<Eigen::Index>(times.size()));
  Vec p = job.character.rig->rest();
  for (std::size_t f = 0; f < times.size(); ++f) {
    clip.sample(times[f], p);
    P.col(static_cast<Eigen::Index>(f)) = p;
  }
  const auto name_of = [&](std::size_t k) {
    const Control& control = controls[channels.others[k]];
    const bool scoped = !control.node.empty() && control.name.starts_with(control.node + ":");
    return usda_text(names(scoped ? control.name.substr(control.node.size() + 1) : control.name));
  };
  const std::size_t n = channels.others.size();
  std::string text = "            uniform token[] blendShapes = " + list(n, name_of) + "\n";
  text += samples("float[] blendShapeWeights", times.size(), [&](std::size_t f) {
    return list(n, [&](std::size_t k) { return float_text(P(channels.others[k], static_cast<Eigen::Index>(f))); });
  });
  names.tell(job.notes);
  return text;
}

}  // namespace

std::vector<CurveText> curves_usda(CurveJob& job) {
  const std::vector<double> times = whole_frames(job.animation.duration, job.fps);
  const JointMotion motion = joint_motion(job.character, job.animation, times);
  if (const std::string sentence = unbound_sentence(Sampler(job.animation, job.character.rig->controls()).unbound());
      !sentence.empty())
    job.notes.push_back(sentence);
  const std::vector<std::string> paths = joint_paths(motion, job.notes);
  const std::string joints = list(paths.size(), [&](std::size_t j) { return usda_text(paths[j]); });
  std::string text = "#usda 1.0\n(\n    defaultPrim = \"Character\"\n    startTimeCode = 0\n    endTimeCode = " +
                     std::to_string(times.size() - 1) + "\n    framesPerSecond = " + number_text(job.fps, 17) +
                     "\n    timeCodesPerSecond = " + number_text(job.fps, 17) +
                     "\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n\ndef SkelRoot \"Character\"\n{\n";
  text += skeleton_text(motion, joints);
  text += "        def SkelAnimation \"Animation\"\n        {\n            uniform token[] joints = " + joints + "\n";
  text += joint_samples(motion, job.notes) + weight_samples(job, times);
  text += "        }\n    }\n}\n";
  return {{"", std::move(text)}};
}

}  // namespace rigspace
