// rigspace rig skeleton: a skinned character from a mesh alone.
#include "rig_weights.h"

#include "rigspace/anim/skin_part.h"
#include "rigspace/base/files.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/gltf.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;

struct SkeletonArguments {
  std::string file, output;
  std::string method = "heat";
  SkeletonOptions skeleton;
  SkinWeightOptions weights;
  bool asymmetric = false, motion = false;
  MotionSkeletonOptions parts;
};

constexpr double kKeyRate = 24;           // keys a second of clips that are made anew
constexpr std::size_t kMostLearned = 60;  // frames that parts are found on

/// All clips as points, one list of frames.
struct MovingMesh {
  std::vector<Vec> frames;
  std::vector<std::vector<double>> times;  // of each clip
};

MovingMesh play(const Character& character) {
  MovingMesh moving;
  const auto workspace = character.rig->make_workspace();
  for (const Animation& clip : character.clips) {
    const Sampler sampler(clip, character.rig->controls());
    Vec p = character.rig->rest(), s;
    moving.times.emplace_back();
    const int last = std::max(1, static_cast<int>(std::lround(clip.duration * kKeyRate)));
    for (int k = 0; k <= last; ++k) {
      moving.times.back().push_back(clip.duration > 0 ? clip.duration * k / last : k / kKeyRate);
      sampler.sample(moving.times.back().back(), p);
      character.rig->evaluate(*workspace, p, s);
      moving.frames.push_back(s);
    }
  }
  return moving;
}

/// A clip on new joints: each node's rotation and translation below its parent, from where its part goes.
Animation clip_of(const Animation& clip, const std::vector<double>& times, std::span<const JointPlace> joints,
                  std::span<const std::vector<Affine>> motions) {
  Animation result{.name = clip.name, .duration = clip.duration};
  for (std::size_t j = 0; j < joints.size(); ++j) {
    RotationTrack turn{.node = joints[j].name, .interpolation = Interpolation::linear, .times = times};
    std::array<Curve, 3> way;
    for (std::size_t t = 0; t < times.size(); ++t) {
      Mat3 above = Mat3::Identity();
      Vec3 origin = Vec3::Zero();
      if (const int parent = joints[j].parent; parent >= 0) {
        above = linear(motions[t][parent]);
        origin = apply(motions[t][parent], joints[parent].position);
      }
      Quat q(Mat3(above.transpose() * linear(motions[t][j])));
      if (t > 0 && Vec4(q.coeffs()).dot(turn.values.back()) < 0) q.coeffs() = -q.coeffs();
      turn.values.emplace_back(q.coeffs());
      const Vec3 x = above.transpose() * (apply(motions[t][j], joints[j].position) - origin);
      for (int k = 0; k < 3; ++k) way[k].times.push_back(times[t]), way[k].values.push_back(x[k]);
    }
    result.rotations.push_back(std::move(turn));
    for (int k = 0; k < 3; ++k) result.tracks.push_back({joints[j].name + ".t" + "xyz"[k], std::move(way[k])});
  }
  return result;
}

/// Joints where points move alike, and the clips on them.
Character from_motion(const SkeletonArguments& options, const Character& shape, const TriMesh& mesh, double& share) {
  const MovingMesh moving = play(shape);
  if (moving.frames.size() < 2)
    throw Error({.file = options.file,
                 .problem = "has no clip",
                 .remedy = "--motion needs one; leave it out for the shape alone"});
  std::vector<Vec> learned;
  const std::size_t stride = (moving.frames.size() + kMostLearned - 1) / kMostLearned;
  for (std::size_t k = 0; k < moving.frames.size(); k += stride) learned.push_back(moving.frames[k]);
  const MotionSkeleton skeleton = skeleton_from_motion(mesh, learned, options.parts);
  const auto motions =
      rigid_motions(mesh.points, moving.frames, skeleton.part, static_cast<int>(skeleton.joints.size()));
  Character result = rigged_character(shape, skeleton.joints, skeleton.weights);
  std::size_t first = 0;
  for (std::size_t c = 0; c < shape.clips.size(); ++c) {
    result.clips.push_back(
        clip_of(shape.clips[c], moving.times[c], skeleton.joints, std::span(motions).subspan(first)));
    first += moving.times[c].size();
  }
  // Against the mesh as it moved, at all keys.
  Vec x;
  double squared = 0, swing = 0;
  const auto workspace = result.rig->make_workspace();
  first = 0;
  for (std::size_t c = 0; c < shape.clips.size(); ++c) {
    const Sampler sampler(result.clips[c], result.rig->controls());
    Vec p = result.rig->rest();
    for (std::size_t t = 0; t < moving.times[c].size(); ++t, ++first) {
      sampler.sample(moving.times[c][t], p);
      result.rig->evaluate(*workspace, p, x);
      squared += (x - moving.frames[first]).squaredNorm();
      swing += swing_of(mesh.points, moving.frames[first]);
    }
  }
  share = swing > 0 ? std::sqrt(squared / swing) : 0;
  return result;
}

void run(SkeletonArguments options, const Context& context) {
  check_input(options.file, options.output);
  check_extension(options.output, "glb");
  check_writable(options.output);
  options.weights.method = skin_weight_method(options.method);
  options.skeleton.symmetric = !options.asymmetric;
  options.skeleton.progress = options.weights.progress = terminal_progress();
  const Character shape = load_character(options.file);
  print_warnings(context, options.file, shape.warnings);
  const TriMesh mesh = rest_surface(shape);
  if (mesh.triangles.empty())
    throw Error({.file = options.file, .problem = "has no triangles", .remedy = "a skeleton is made of a surface"});
  if (options.motion) {
    double share = 0;
    const Character made = from_motion(options, shape, mesh, share);
    clear_bar();
    write_file(options.output, to_glb(made));
    if (context.json)
      fmt::print("{}\n",
                 Json{{"output", options.output}, {"joints", made.bones.size()}, {"share_of_swing", share}}.dump(2));
    else
      fmt::print("{}\n  {}; over {} the skin is off by {:.1f} % of its swing\n", options.output,
                 count_in_words(made.bones.size(), "joint", "joints"),
                 count_in_words(made.clips.size(), "clip", "clips"), 100 * share);
    return;
  }
  const ExtractedSkeleton skeleton = extract_skeleton(mesh, options.skeleton);
  const SkinWeights weights = make_skin_weights(mesh, bones_of(skeleton.joints, mesh), options.weights);
  clear_bar();
  print_warnings(context, options.file, weights.warnings);
  write_file(options.output, to_glb(rigged_character(shape, skeleton.joints, weights.influences)));
  if (context.json) {
    Json joints = Json::array();
    for (const JointPlace& each : skeleton.joints)
      joints.push_back({{"name", each.name},
                        {"parent", each.parent},
                        {"position", {each.position.x(), each.position.y(), each.position.z()}}});
    fmt::print("{}\n",
               Json{{"output", options.output},
                    {"branches", skeleton.branches},
                    {"mirror_axis", skeleton.mirror_axis < 0 ? "" : std::string(1, "xyz"[skeleton.mirror_axis])},
                    {"joints", joints}}
                   .dump(2));
    return;
  }
  fmt::print("{}\n  {} in {}{}\n", options.output, count_in_words(skeleton.joints.size(), "joint", "joints"),
             count_in_words(static_cast<std::size_t>(skeleton.branches), "branch", "branches"),
             skeleton.mirror_axis < 0 ? "" : fmt::format(", symmetric in {}", "xyz"[skeleton.mirror_axis]));
}

}  // namespace

void add_rig_skeleton(CLI::App& rig, Context& context) {
  auto* command = rig.add_subcommand("skeleton", "Joints and weights for a mesh that has none, to start a rig with");
  auto options = std::make_shared<SkeletonArguments>();
  command
      ->add_option("FILE", options->file,
                   "a mesh, or a character whose joints are left out: " + character_endings("or"))
      ->required();
  command->add_option("-o,--output", options->output, "x.glb, a skinned character; without clips, unless --motion")
      ->required()
      ->type_name("OUT");
  command->add_option("--method", options->method, "of the weights: nearest, falloff, heat, voxels or biharmonic")
      ->type_name("NAME");
  command->add_option("--keep", options->weights.keep, "weights of a point at most")->type_name("N");
  command->add_option("--smooth", options->weights.smoothing, "rounds of smoothing the weights")->type_name("N");
  command->add_option("--voxels", options->skeleton.voxels, "along the longest side: more find thinner limbs")
      ->type_name("N");
  command->add_option("--least", options->skeleton.least_branch, "shortest branch, share of the diagonal")
      ->type_name("X");
  command->add_option("--longest", options->skeleton.longest_bone, "longest bone, share of the diagonal")
      ->type_name("X");
  command->add_flag("--motion", options->motion, "joints and weights from how the mesh moves in its clips, which stay");
  command->add_option("--most-joints", options->parts.most_joints, "of --motion")->type_name("N");
  command->add_flag("--asymmetric", options->asymmetric, "do not look for a plane of symmetry");
  command->footer(
      "Examples\n  rigspace rig skeleton statue.glb -o statue.rigged.glb\n"
      "  rigspace rig skeleton hand.glb --voxels 120 --least 0.03 -o hand.rigged.glb\n"
      "  rigspace rig skeleton waves.glb --motion -o waves.joints.glb");
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace rigspace::tools
