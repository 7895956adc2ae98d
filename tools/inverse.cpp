// rigspace inverse: any motion of joints onto a rig's own controls, learned from its clips (IRM).

#include "inverse_answer.h"
#include "inverse_edits.h"
#include "rigspace/anim/key_fitting.h"
#include "rigspace/anim/key_rate.h"
#include "rigspace/anim/point_joints.h"
#include "rigspace/apps/inverse/mapped_keys.h"
#include "rigspace/apps/inverse/point_targets.h"
#include "rigspace/apps/inverse/terrain.h"
#include "rigspace/base/cancel_scope.h"
#include "rigspace/base/files.h"
#include "rigspace/io/blend_file.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/formats.h"
#include "rigspace/jobs/posed_model.h"
#include "rigspace/rig/built_in_rig.h"
#include "source_options.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct InverseArguments {
  CharacterSource source;  // the rig
  InverseTraining training;
  std::string kernel = "multiquadric", model, targets, clip, output;
  bool no_heading = false, root_frame = false, predict_only = false;
  RefineOptions refine;
  JointMotionOptions motion;
  std::vector<std::string> map;   // own=source, or a file of such lines
  std::vector<std::string> path;  // x,z each, or a file
  std::string terrain;
  std::vector<std::string> layers;  // clip or file, and =influence
  std::vector<std::string> warps;   // see read_warp
  std::string jacobian = "rig";
  bool no_planting = false;
  std::vector<std::string> without;  // pieces
  std::vector<std::string> apart;    // PIECE=PIECE: the first stays out of the second
  int points = 0;                    // spread over the surface; 0: joints
  std::string keys;                  // "frames", "source", or an error; "": the default error
};

Kernel kernel_of(const std::string& word) {
  std::vector<std::string> known;
  for (const Kernel each : kKernels) {
    known.emplace_back(name(each));
    std::ranges::replace(known.back(), ' ', '-');
    if (known.back() == word) return each;
  }
  refuse_usage("kernel \"" + word + "\"", "is not known", suggestion(word, known, "use multiquadric"));
}

/// With the joints that rigs in Blender have.
Character load_joints(const CharacterSource& source, const Context& context) {
  if (!source.is_blend()) return load(source, context);
  Character character = load_blend({.file = source.file,
                                    .object = source.object,
                                    .processes = source.processes,
                                    .answer_seconds = source.timeout,
                                    .joints = true,
                                    .progress = terminal_progress()});
  print_warnings(context, source.file, character.warnings);
  return with_joints(std::move(character));
}

void train(InverseArguments& options, const Context& context) {
  const CancelScope cancel(interrupted);
  check_extension(options.output, "inverse");
  check_writable(options.output);
  options.training.kernel = kernel_of(options.kernel);
  options.training.heading = !options.no_heading;
  if (options.root_frame) options.training.origin = FrameOrigin::root;
  const Character character = load_joints(options.source, context);
  const bool jointed = !character.bones.empty() && (dynamic_cast<const BuiltInRig*>(character.rig.get()) != nullptr ||
                                                    point_joints(character) != nullptr);
  if (options.points == 0 && !jointed)
    refuse_file(options.source.name(), "has no joints that could follow a motion",
                "train it on points of its surface: --points 200");
  if (options.points > 0) options.training.points = spread_points(character, options.points, options.without);
  const bool whole_body = options.points == 0 && options.training.joints.empty() &&
                          !(options.training.joints = body_features(character)).empty();
  options.training.all_rotations = whole_body;
  if (options.points > 0 && character.clips.empty()) {  // it learns from swings of its joints
    options.training.joints = body_features(character);
    options.training.all_rotations = true;
  }
  const InverseModel model(character, options.training, terminal_progress());
  clear_bar();
  const fs::path folder = fs::absolute(options.output).parent_path();
  model.save(options.output, fs::proximate(fs::absolute(options.source.file), folder).string());
  if (context.json) {
    Json answer = facts_of(model);
    answer["outputs"] = {options.output};
    fmt::print("{}\n", answer.dump(2));
  } else {
    fmt::print("{}\n", options.output);
    if (whole_body)
      fmt::print("  a body on two legs: trained on its joints, without fingers and helpers (--joints '*': on all)\n");
    print_facts(model);
  }
}

/// The rig that a model was trained on: --rig, or the file that it names, beside it.
Character rig_of(InverseArguments& options, const Context& context) {
  if (options.source.file.empty()) {
    options.source.file =
        (fs::path(options.model).parent_path() / InverseModel::rig_file_of(options.model)).lexically_normal().string();
    if (!fs::exists(options.source.file))
      throw Error({.file = options.model,
                   .element = "rig",
                   .value = options.source.file,
                   .problem = "is no longer at " + options.source.file,
                   .remedy = "say where it is with --rig FILE"});
  }
  return load_joints(options.source, context);
}

std::vector<GivenMatch> given_matches(const std::vector<std::string>& words) {
  std::vector<GivenMatch> given;
  for (const std::string& word : words) {
    const bool is_file = word.find('=') == std::string::npos;
    const auto more = is_file ? read_given_matches(read_text(word), word) : read_given_matches(word, "--map");
    given.insert(given.end(), more.begin(), more.end());
  }
  return given;
}

void apply(InverseArguments& options, const Context& context) {
  const CancelScope cancel(interrupted);
  check_extension(options.output, "json glb gltf");
  const bool has_points = is_point_motion_file(options.targets);
  if (!has_points) check_input(options.targets, options.output);
  check_writable(options.output);
  const Character own = rig_of(options, context);
  check_input(options.source.file, options.output);
  const InverseModel model = InverseModel::load(options.model, own);
  options.refine.max_iterations = options.predict_only ? 0 : kMappingSteps;
  if (options.jacobian == "learned") options.refine.jacobian = JacobianSource::learned;
  options.motion.given = given_matches(options.map);
  options.motion.plant_feet = !options.no_planting;
  const Character source = has_points ? Character{.name = options.targets} : load_character(options.targets);
  print_warnings(context, options.targets, source.warnings);
  std::vector<std::pair<JointMotion, const Animation*>> motions;
  if (has_points) {
    const PointMotion points = read_point_motion(options.targets, options.motion.rate > 0 ? options.motion.rate : 30);
    motions.emplace_back(point_targets(own, model, points, options.motion.given), nullptr);
  } else {
    for (const Animation* clip : clips_of(source, options.clip))
      motions.emplace_back(joint_motion(own, model, source, *clip, options.motion), clip);
  }
  if (!options.path.empty() || !options.terrain.empty()) {
    const std::vector<Vec3> path = options.path.empty() ? std::vector<Vec3>() : read_path(options.path);
    const Terrain terrain = options.terrain.empty() ? Terrain() : load_terrain(options.terrain);
    for (auto& [motion, clip] : motions) motion = along_path(motion, path, terrain);
  }
  for (const std::string& layer : options.layers)
    check_apart(layer.substr(0, layer.rfind('=')), options.output, "layer");
  std::unique_ptr<KeepApart> apart;
  if (!options.apart.empty() && !options.predict_only) {
    std::vector<std::string> pieces, from;
    for (const std::string& word : options.apart) {
      const std::size_t sign = word.find('=');
      if (sign == std::string::npos || sign == 0 || sign + 1 == word.size())
        refuse_usage("--apart " + word, "names no two pieces", "write teeth=body: teeth stay out of the body");
      pieces.push_back(word.substr(0, sign)), from.push_back(word.substr(sign + 1));
    }
    apart = std::make_unique<KeepApart>(own, pieces, from);
  }
  const std::vector<ClipLayer> layers = read_layers(options.layers, own, model, options.motion, options.refine);
  std::vector<Animation> results;
  std::vector<Json> answers;
  for (auto& [motion, clip] : motions) {
    MappedMotion mapped = map_motion(own, model, motion, options.refine, terminal_progress(), apart.get());
    clear_bar();
    edit(own, layers, options.warps, options.motion.rate > 0 ? options.motion.rate : key_rate(mapped.clip),
         mapped.clip);
    if (!layers.empty() || !options.warps.empty()) clip = nullptr;  // its key times are no longer those of the result
    if (own.clip(mapped.clip.name) != nullptr) mapped.clip.name += "_mapped";
    const MappedKeys made = set_keys(options.keys, own, clip, mapped.clip);
    const int keys = key_count(mapped.clip);
    if (context.json) {
      answers.push_back(json_of(mapped, motion, own, source));
      answers.back()["keys"] = keys;
      answers.back()["key_times"] = {
          {"from_source", made.from_source}, {"kept", made.kept_times}, {"added", made.added_times}};
      answers.back()["key_error_share_of_height"] = made.error;
    } else {
      print_mapped(mapped, motion);
      fmt::print("  {}\n", words_of(made, keys));
      if (results.empty() && motion.mapping.by_body) print_mapping(motion.mapping, own, source);
    }
    results.push_back(std::move(mapped.clip));
  }
  if (options.output.ends_with(".json")) {
    write_file(options.output, to_curves_json(curve_file(own, results)));
  } else {
    const double rate = options.motion.rate > 0 ? options.motion.rate : key_rate(results.front());
    write_posed_model(options.output, options.source, own, results, rate);
  }
  if (context.json) {
    Json answer = answers.front();
    if (answers.size() > 1) answer = {{"clips", answers}};
    answer["outputs"] = {options.output};
    fmt::print("{}\n", answer.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{}\n", options.output);
  }
}

/// The rig's own clips mapped back onto it: what the model does with motions that it was, and was not, trained on.
void report_model(InverseArguments& options, const Context& context) {
  const Character own = rig_of(options, context);
  const InverseModel model = InverseModel::load(options.model, own);
  Json answer = facts_of(model);
  if (!context.json) print_facts(model);
  std::vector<Mat> motions;
  std::vector<std::vector<double>> times;
  for (const Animation& clip : own.clips) {
    const JointMotion motion = own_motion(own, model, clip, options.motion.rate);
    const MappedMotion mapped = map_motion(own, model, motion, options.refine, terminal_progress());
    clear_bar();
    motions.push_back(motion.X), times.push_back(motion.times);
    if (context.json)
      answer["clips"].push_back(json_of(mapped, motion, own, own));
    else
      print_mapped(mapped, motion);
  }
  for (const InverseModel::Suggestion& each : model.suggest(motions, 3)) {
    const auto motion = static_cast<std::size_t>(each.motion);
    const double time = times[motion][static_cast<std::size_t>(each.frame)];
    const std::string& clip = own.clips[motion].name;
    if (context.json)
      answer["next_examples"].push_back({{"clip", clip}, {"time", time}, {"variance_share", each.gain}});
    else if (each.gain > 0.01)
      fmt::print("  an example of {} at {:.3g} s would take {:.0f} % of the doubt away\n", clip, time, 100 * each.gain);
  }
  if (context.json) fmt::print("{}\n", answer.dump(2, ' ', false, Json::error_handler_t::replace));
}

void add_model(CLI::App& command, InverseArguments& options) {
  command.add_option("MODEL", options.model, "what `inverse train` wrote")->required()->type_name("FILE");
  command
      .add_option("--rig", options.source.file, "the rig, if it is no longer where it was when the model was trained")
      ->type_name("FILE");
  command.add_option("--object", options.source.object, "of a .blend: the mesh; the largest that is rigged by default")
      ->type_name("NAME");
  command.add_option("--fps", options.motion.rate, "frames a second of the motion; as its keys are by default")
      ->check(frame_rate())
      ->type_name("N");
}

}  // namespace

void add_inverse(CLI::App& app, Context& context) {
  auto* group = app.add_subcommand("inverse", "Any motion of joints onto a rig's own controls, learned from its clips");
  group->require_subcommand(1);
  auto* learn = group->add_subcommand("train", "Learn the inverse of a rig from its clips");
  auto trained = std::make_shared<InverseArguments>();
  add_source(*learn, trained->source);
  learn->add_option("--clips", trained->training.clips, "clips to learn from; all by default; may be repeated")
      ->type_name("PATTERN")
      ->take_all();
  learn->add_option("--joints", trained->training.joints, "joints that motions will give; all by default")
      ->type_name("PATTERN")
      ->take_all();
  learn
      ->add_option("--controls", trained->training.controls,
                   "controls that may be used though no clip does; of rigs in Blender all that lists offer")
      ->type_name("PATTERN")
      ->take_all();
  learn
      ->add_option("--points", trained->points,
                   "instead: so many points of the surface, for motions that are point caches")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  learn->add_option("--without", trained->without, "of --points: pieces whose points are left out, as teeth")
      ->type_name("PIECE")
      ->take_all();
  learn->add_option("--samples", trained->training.samples, "poses that are kept, at most")->type_name("N");
  learn->add_flag("--jacobian", trained->training.learn_jacobian,
                  "also learn the rig's Jacobian, for rigs without one");
  learn
      ->add_option(
          "--relations", trained->training.relations,
          "weight of where joints are to each other while they are near (a hand at the hip), beside where they "
          "are; 0 by default")
      ->type_name("W");
  learn->add_option("--local", trained->training.local, "use all frames, by local corrections of N samples each")
      ->type_name("N");
  learn->add_option("--kernel", trained->kernel, "multiquadric, squared-exponential, linear or polynomial")
      ->type_name("NAME");
  learn->add_flag("--no-heading", trained->no_heading, "motions face as the clips do");
  learn->add_flag("--root-frame", trained->root_frame, "poses are seen from the first joint, not from their middle");
  learn->add_option("-o,--output", trained->output, "hero.inverse")->required()->type_name("OUT");
  learn->footer("Examples\n  rigspace inverse train hero.glb --clips 'Walk*' -o hero.inverse");
  learn->callback([trained, &context] { train(*trained, context); });

  auto* use = group->add_subcommand("apply", "Map a motion onto the rig that a model was trained on");
  auto applied = std::make_shared<InverseArguments>();
  add_model(*use, *applied);
  use->add_option(
         "--targets", applied->targets,
         "a motion: .bvh, .glb, .gltf, .rig.json; places of landmarks .csv; points of the rig's mesh .mdd, .pc2 "
         "or a sequence x_*.obj")
      ->required()
      ->type_name("FILE");
  use->add_option("--clip", applied->clip, "of the motion; its first by default; with * or ? all that match")
      ->type_name("NAME");
  use->add_option(
         "--map", applied->map,
         "BONE=JOINT for bones whose counterpart is not found or wrong, BONE=- to leave one out; or a file of such "
         "lines; may be repeated")
      ->type_name("PAIR")
      ->take_all();
  use->add_option("--reference-time", applied->motion.reference_time,
                  "seconds: the motion's pose then is the one it stands in, arms out; its rest pose by default")
      ->check(zero_or_more())
      ->type_name("S");
  use->add_option(
         "--path", applied->path,
         "bend a motion that goes straight along a path on the ground: points x,z in the rig's units, or a file "
         "with one in each line")
      ->type_name("X,Z")
      ->take_all();
  use->add_option("--terrain", applied->terrain, "lay it onto this ground: a mesh, .obj or a character's file")
      ->type_name("FILE");
  use->add_option(
         "--layer", applied->layers,
         "on top of it what another motion does since its first frame: a clip of the rig, a .rigspace.json, or "
         "a file as --targets takes; =0.5 for half of it; may be repeated")
      ->type_name("CLIP[=W]")
      ->take_all();
  use->add_option(
         "--warp", applied->warps,
         "0.5=0.8: what is seen at 0.5 s comes at 0.8 s; chest.rx@0.8=20: a value that a control has at 0.8 s, "
         "reached smoothly; may be repeated")
      ->type_name("WARP")
      ->take_all();
  use->add_option("--jacobian", applied->jacobian, "rig, or learned: what `train --jacobian` learned")
      ->check(CLI::IsMember({"rig", "learned"}))
      ->type_name("WHICH");
  use->add_option("--apart", applied->apart,
                  "teeth=body: this piece stays out of that one, where the motion would bring it in; may be repeated")
      ->type_name("PIECE=PIECE")
      ->take_all();
  use->add_flag("--no-planting", applied->no_planting, "feet that stand in the motion may slide here");
  use->add_flag("--predict-only", applied->predict_only, "the learned answer alone, without refinement on the rig");
  use->add_option("--smoothness", applied->refine.smoothness, "weight of the change from frame to frame")
      ->type_name("W");
  use->add_option(
         "--keys", applied->keys,
         "the error that cubic keys may make, as a share of the height; 0.002 by default, at the times of the motion's "
         "keys where somebody set them, with more between where needed, else fitted; \"source\": at these times alone; "
         "\"frames\": a linear key a frame")
      ->type_name("E");
  use->add_option("-o,--output", applied->output, "x.glb, x.gltf or x.rigspace.json")->required()->type_name("OUT");
  use->footer(
      "Examples\n  rigspace inverse apply hero.inverse --targets walk.bvh -o hero.walk.glb\n"
      "  rigspace inverse apply hero.inverse --targets walk.bvh --path 0,0 0,2 1,3 --terrain hills.obj -o "
      "hero.hills.glb");
  use->callback([applied, &context] { apply(*applied, context); });

  auto* tell = group->add_subcommand("report", "What a model holds, and how well it maps the rig's own clips");
  auto told = std::make_shared<InverseArguments>();
  add_model(*tell, *told);
  tell->callback([told, &context] { report_model(*told, context); });
}

}  // namespace rigspace::tools
