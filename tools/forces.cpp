// rigspace forces: flesh that an animator shapes by forces.

#include "command.h"
#include "rigspace/apps/clothing/garment_file.h"
#include "rigspace/apps/forces/force_edits.h"
#include "rigspace/apps/forces/force_motion.h"
#include "rigspace/base/files.h"
#include "rigspace/io/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace rigspace::tools {
namespace {

using ForcesJson = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct ForcesArguments {
  std::string file, output, target, other, name = "shape", control, clip, vertices;
  std::vector<std::string> bulges, bumps, pairs, free;
  bool nearest = false, in_balance = false;
  ForcesPlan plan;
  PoseOptions pose;
  SurfaceFitOptions fit;
  AdaptiveFitOptions refine;
  ForcePlayOptions play;
  WornOptions worn;
};

/// A rig file that is none of forces is somebody's work.
bool is_forces_file(const std::string& file) {
  const ForcesJson json = ForcesJson::parse(read_text(file), nullptr, false, true);
  return json.is_object() && json.contains("kind") && json["kind"] == "forces";
}

void check_forces_name(const std::string& output) {
  if (fs::is_regular_file(output) && !is_forces_file(output))
    throw Error({.code = ErrorCode::usage,
                 .file = output,
                 .problem = "is there already, and is no force rig",
                 .remedy = "such a file is never overwritten; give another name with -o"});
  if (output.ends_with(".json")) return;
  throw Error({.code = ErrorCode::usage,
               .file = output,
               .problem = "is not the name of a force rig",
               .remedy = "end it in .forces.json, or in .rig.json for a rig that every command takes"});
}

void make_lattice(ForcesArguments& options, const Context& context) {
  check_forces_name(options.output);
  check_input(options.file, options.output);
  check_writable(options.output);
  const fs::path folder = fs::absolute(options.output).parent_path(), given = fs::absolute(options.file);
  if (given.parent_path() != folder)
    throw Error({.code = ErrorCode::usage,
                 .file = options.output,
                 .problem = "is not in the folder of " + options.file,
                 .remedy = "write it beside the character, whose name it keeps"});
  Character character = load_character(options.file);
  print_warnings(context, options.file, character.warnings);
  ForcesFile file = [&] {
    try {
      return make_forces_file(std::move(character), given.filename().string(), options.plan.options);
    } catch (const Error& error) {
      throw error.info().file.empty() && error.code() == ErrorCode::bad_input ? error.in_file(options.file) : error;
    }
  }();
  const auto& body = file.bodies->whole();
  for (const auto& [kind, joints] :
       {std::pair{ForceTemplate::bulge, &options.bulges}, std::pair{ForceTemplate::bump, &options.bumps}})
    for (const std::string& joint : *joints) file.plan.rigs.push_back(template_on_bone(*body, kind, joint));
  renew_rigs(file);
  write_file(options.output, to_forces_json(file.plan, *file.rig));
  const int cells = body->elements.cell_count(), vertices = body->vertex_count();
  if (context.json) {
    fmt::print("{}\n", ForcesJson{{"output", options.output},
                                  {"cells", cells},
                                  {"vertices", vertices},
                                  {"held", body->held.size()},
                                  {"joints", body->skeleton.names},
                                  {"cell", body->cell},
                                  {"volume", body->elements.volume()}}
                           .dump(2));
    return;
  }
  fmt::print("{}\n  {} cells of {:.3g}, {} vertices, {} of them on the bones of {} joints\n", options.output, cells,
             body->cell, vertices, body->held.size(), body->skeleton.joint_count());
  if (file.plan.rigs.empty())
    fmt::print("  no rigs yet: docs/forces.md shows how they are written, --bulge JOINT makes a first one\n");
}

/// "0-99,205": numbers of points as `rigspace eval` orders them.
std::vector<int> chosen_vertices(const ForcesArguments& options, const ForcesFile& file) {
  std::vector<int> chosen;
  const int count = file.rig->point_count();
  std::stringstream words(options.vertices);
  for (std::string word; std::getline(words, word, ',');) {
    int first = -1, last = -1;
    char dash = 0, more = 0;
    std::stringstream range(word);
    range >> first;
    if (last = first; range >> dash) range >> last;
    if (range.fail() && !range.eof()) first = -1;
    if ((dash != 0 && dash != '-') || range >> more || first < 0 || last < first || last >= count)
      throw Error({.code = ErrorCode::usage,
                   .element = "--vertices",
                   .value = word,
                   .problem = "has \"" + word + "\"",
                   .remedy = fmt::format("give numbers and ranges from 0 to {}, such as 0-99,205", count - 1)});
    for (int i = first; i <= last; ++i) chosen.push_back(i);
  }
  return chosen;
}

void fit(ForcesArguments& options, const Context& context) {
  check_forces_name(options.output);
  check_writable(options.output);
  if (options.name.empty()) refuse_usage("--name", "is empty", "give the new rig a name, such as flex");
  ForcesFile file = read_forces_file(options.file);
  if (fs::path(options.target).extension() != ".obj")
    throw Error({.code = ErrorCode::usage,
                 .file = options.target,
                 .element = "--target",
                 .value = options.target,
                 .problem = "is no .obj",
                 .remedy = "export the sculpt as .obj, in the pose that --set gives"});
  const TriMesh target = read_obj_mesh(options.target);
  options.fit.correspond = !options.nearest;
  options.fit.points = chosen_vertices(options, file);
  options.refine.fit = options.fit;
  const ForceRig before = *file.rig;
  const RigFit made = [&] {
    try {
      return fit_rig(file, target,
                     {.name = options.name,
                      .control = options.control,
                      .p = pose_of(file.character, options.file, options.pose),
                      .free = options.free,
                      .fit = options.refine});
    } catch (const Error& error) {
      throw error.code() == ErrorCode::usage ? error : error.in_file(options.target);
    }
  }();
  const SurfaceFit& found = made.found;
  const std::string& control = made.control;
  write_file(options.output, to_forces_json(file.plan, *file.rig));
  std::string turned;  // what --free found
  ForcesJson pose = ForcesJson::object();
  for (std::size_t c = 0; c < before.controls().size(); ++c) {
    const Control& each = before.controls()[c];
    if (std::none_of(options.free.begin(), options.free.end(), [&](const auto& word) { return matches(each, word); }))
      continue;
    const double value = made.p[static_cast<Eigen::Index>(c)] / (each.unit == Unit::angle ? kDegree : 1);
    pose[each.name] = value;
    turned += fmt::format("{} {} {:.4g}", turned.empty() ? ";" : ",", each.name, value);
  }
  const double less = found.before > 0 ? 100 * (1 - found.after / found.before) : 0;
  if (context.json)
    fmt::print("{}\n", ForcesJson{{"output", options.output},
                                  {"rig", options.name},
                                  {"control", control},
                                  {"before", found.before},
                                  {"after", found.after},
                                  {"worst", found.worst},
                                  {"rounds", found.rounds},
                                  {"left_out", found.left_out},
                                  {"cells", file.rig->body().elements.cell_count()},
                                  {"pose", pose},
                                  {"less_percent", less}}
                           .dump(2));
  else
    fmt::print("{}\n  \"{}\" by {}: {:.3g} from the target before, {:.3g} after ({:.0f} % less), at most {:.3g}{}\n",
               options.output, options.name, control, found.before, found.after, less, found.worst, turned);
}

void transfer(ForcesArguments& options, const Context& context) {
  check_forces_name(options.output);
  check_apart(options.file, options.output, "input");
  check_writable(options.output);
  const fs::path given = fs::absolute(options.other);
  if (given.parent_path() != fs::absolute(options.output).parent_path())
    throw Error({.code = ErrorCode::usage,
                 .file = options.output,
                 .problem = "is not in the folder of " + options.other,
                 .remedy = "write it beside the character, whose name it keeps"});
  const ForcesFile file = read_forces_file(options.file);
  Character other = load_character(options.other);
  print_warnings(context, options.other, other.warnings);
  LatticeMapOptions matching;
  for (const std::string& pair : options.pairs) {
    const std::size_t sign = pair.find('=');
    if (sign == std::string::npos || sign == 0)
      throw Error({.code = ErrorCode::usage,
                   .element = "--map",
                   .value = pair,
                   .problem = "has \"" + pair + "\", which pairs no joints",
                   .remedy = "write JOINT=OTHER, or JOINT=- to leave a joint out"});
    const std::string to = pair.substr(sign + 1);
    matching.joints[pair.substr(0, sign)] = to == "-" ? "" : to;
  }
  const auto [made, map] =
      transfer_forces(file, std::move(other), given.filename().string(), matching, terminal_progress());
  clear_bar();
  write_file(options.output, to_forces_json(made.plan, *made.rig));
  if (context.json)
    fmt::print("{}\n", ForcesJson{{"output", options.output},
                                  {"rigs", made.plan.rigs.size()},
                                  {"skeleton_error", map.skeleton_error},
                                  {"surface_error", map.surface_error},
                                  {"least_volume", map.least_volume},
                                  {"own_lattice", map.lacking > 0}}
                           .dump(2));
  else
    fmt::print(
        "{}\n  {}; bones within {:.2g} %, skin within {:.2g} % of the character's size, no cell flatter than "
        "{:.2g}\n",
        options.output, count_in_words(made.plan.rigs.size(), "rig", "rigs"), 100 * map.skeleton_error,
        100 * map.surface_error, map.least_volume);
  if (!context.json && map.lacking > 0)
    fmt::print("  the mapped lattice lacks {} of the skin: the character has one of its own, forces are interpolated\n",
               count_in_words(map.lacking, "point", "points"));
}

void simulate_forces(ForcesArguments& options, const Context& context) {
  check_extension(options.output, "glb gltf mdd pc2 obj");
  check_writable(options.output);
  const ForcesFile file = read_forces_file(options.file);
  check_apart(fs::path(options.file).parent_path() / file.plan.mesh, options.output, "mesh of " + options.file);
  std::vector<std::string> names;
  for (const Animation& each : file.character.clips) names.push_back(each.name);
  if (names.empty())
    throw Error({.file = file.plan.mesh, .problem = "has no clips", .remedy = "give a character with an animation"});
  const Animation& clip =
      options.clip.empty()
          ? file.character.clips.front()
          : file.character.clips[static_cast<std::size_t>(clips_meant(names, options.clip, options.file).front())];
  options.play.dynamic = !options.in_balance;
  options.play.pose = pose_of(file.character, options.file, options.pose);
  const bool splits = std::any_of(file.plan.rigs.begin(), file.plan.rigs.end(),
                                  [](const ForceRigPart& part) { return !part.splits.empty(); });
  const ForceMotion motion = splits ? play_forces(file.bodies, file.plan.rigs, clip, options.play, terminal_progress())
                                    : play_forces(file.rig, clip, options.play, terminal_progress());
  clear_bar();
  std::vector<std::string> written{options.output};
  PlayedGlb played;
  const bool gltf = options.output.ends_with(".glb") || options.output.ends_with(".gltf");
  if (gltf)
    played = write_forces_glb(fs::path(options.file).parent_path() / file.plan.mesh, *file.rig, clip.name, motion,
                              options.output, options.worn);
  else
    written = write_cloth_motion(options.output, file.rig->body().triangles, motion.frames, options.play.rate);
  if (context.json) {
    ForcesJson answer{
        {"outputs", written}, {"clip", clip.name}, {"frames", motion.frames.size()}, {"steps", motion.steps}};
    if (options.play.creases)
      answer["seeds"] = motion.seeds, answer["contacts"] = motion.contacts, answer["unsettled"] = motion.unsettled;
    if (gltf) answer["morph_targets"] = played.shapes, answer["largest_error"] = played.error;
    fmt::print("{}\n", answer.dump(2));
    return;
  }
  fmt::print("{}\n  {} frames of {}, {} steps", written.front(), motion.frames.size(), clip.name, motion.steps);
  if (options.play.creases)
    fmt::print("; skin meets at {} seeds, at most {} points held apart, {} steps unsettled", motion.seeds,
               motion.contacts, motion.unsettled);
  if (gltf) fmt::print("; {} morph targets, within {:.3g}", played.shapes, played.error);
  fmt::print("\n");
}

void add_lattice_command(CLI::App& group, Context& context) {
  auto* command = group.add_subcommand("lattice", "A character as flesh in a lattice: a force rig to start from");
  auto options = std::make_shared<ForcesArguments>();
  command->add_option("FILE", options->file, "a character with a skin")->required()->type_name("FILE");
  command->add_option("-o,--output", options->output, "x.forces.json, or x.rig.json: a rig for every command")
      ->required()
      ->type_name("OUT");
  ForceBodyOptions& body = options->plan.options;
  command->add_option("--cells", body.cover.cells, "that the body's volume would fill")->type_name("N");
  command->add_option("--cell", body.cover.cell, "edge of a cell, units of the file; instead of --cells")
      ->type_name("L");
  command->add_option("--bulge", options->bulges, "joints that get a bulge with a control of its own")
      ->type_name("JOINT");
  command->add_option("--bump", options->bumps, "joints that get a bump with a control of its own")->type_name("JOINT");
  command->add_option("--young", body.material.young, "Young's modulus, Pa: of motion")->type_name("E");
  command->add_option("--poisson", body.material.poisson, "Poisson's ratio")->type_name("NU");
  command->add_option("--density", body.density, "kg per cubic metre")->type_name("D");
  command->add_option("--unit", body.unit, "metres per unit of the file; guessed by default")->type_name("M");
  command->footer(
      "Examples\n  rigspace forces lattice arm.glb -o arm.forces.json\n"
      "  rigspace forces lattice hero.glb --bulge upperarm_l -o hero.rig.json");
  command->callback([options, &context] { make_lattice(*options, context); });
}

void add_fit_command(CLI::App& group, Context& context) {
  auto* command = group.add_subcommand("fit", "A rig from a sculpted or scanned shape");
  auto options = std::make_shared<ForcesArguments>();
  command->add_option("FILE", options->file, "a force rig")->required()->type_name("FORCES");
  command->add_option("--target", options->target, "x.obj, in the pose that is given")->required()->type_name("OBJ");
  command->add_option("-o,--output", options->output, "the force rig with the new one")->required()->type_name("OUT");
  command->add_option("--name", options->name, "of the rig")->type_name("NAME");
  command
      ->add_option("--control", options->control,
                   "that brings the shape, at rest nothing of it, in the pose all; by default one of its own")
      ->type_name("CONTROL");
  options->pose.add_to(*command);
  command->add_flag("--nearest", options->nearest, "the target is another mesh: match nearest places");
  command
      ->add_option("--vertices", options->vertices, "that should match, such as 0-99,205; by default all of the skin")
      ->type_name("LIST");
  command
      ->add_option(
          "--free", options->free,
          "controls of joints that are found together with the forces, from the pose that is given; at most 12")
      ->type_name("CONTROL");
  command->add_option("--smoothness", options->fit.smoothness, "of what the forces do; higher: smoother")
      ->type_name("W");
  command
      ->add_option("--refine", options->refine.tolerance,
                   "split cells under points of the skin that miss by more, units of the file; only this rig uses them")
      ->type_name("D");
  command->add_option("--levels", options->refine.levels, "how often a cell may be split")->type_name("N");
  command->footer(
      "Example\n  rigspace forces fit arm.forces.json --target flexed.obj --set forearm.rx=100 "
      "--control forearm.rx\n      --name biceps -o arm_fit.forces.json");
  command->callback([options, &context] { fit(*options, context); });
}

void add_transfer_command(CLI::App& group, Context& context) {
  auto* command = group.add_subcommand("transfer", "The rigs of one character on another");
  auto options = std::make_shared<ForcesArguments>();
  command->add_option("FILE", options->file, "a force rig")->required()->type_name("FORCES");
  command->add_option("--to", options->other, "the other character")->required()->type_name("FILE");
  command
      ->add_option("--map", options->pairs,
                   "JOINT=OTHER, or JOINT=- for none; by default the same name, or the same part of a body on two legs")
      ->type_name("A=B");
  command->add_option("-o,--output", options->output, "its force rig")->required()->type_name("OUT");
  command->footer("Example\n  rigspace forces transfer arm.forces.json --to stout_arm.glb -o stout_arm.forces.json");
  command->callback([options, &context] { transfer(*options, context); });
}

void add_simulate_command(CLI::App& group, Context& context) {
  auto* command = group.add_subcommand("simulate", "Play a clip with forces and flesh");
  auto options = std::make_shared<ForcesArguments>();
  command->add_option("FILE", options->file, "a force rig")->required()->type_name("FORCES");
  command
      ->add_option("-o,--output", options->output,
                   "x.glb: joints and morph targets; x.mdd, x.pc2, or x.obj: a sequence")
      ->required()
      ->type_name("OUT");
  command->add_option("--clip", options->clip, "of the character; its first by default")->type_name("NAME");
  command->add_option("--set", options->pose.sets, "controls that the clip leaves alone: CONTROL=VALUE")
      ->type_name("C=V");
  command->add_option("--fps", options->play.rate, "frames a second")->check(frame_rate())->type_name("N");
  command->add_flag("--static", options->in_balance, "every frame in equilibrium, without motion of its own");
  command->add_flag("--creases", options->play.creases, "hold skin apart that meets itself where joints bend");
  command->add_option("--half-life", options->play.simulation.half_life, "of the flesh's own motion, seconds")
      ->type_name("S");
  command->add_option("--error", options->worn.tolerance, "of morph targets, as a share of the size")->type_name("E");
  command->footer("Example\n  rigspace forces simulate arm.forces.json --clip Curl -o out.glb");
  command->callback([options, &context] { simulate_forces(*options, context); });
}

}  // namespace

void add_forces(CLI::App& app, Context& context) {
  register_forces_kind();
  auto* group = app.add_subcommand("forces", "Flesh that an animator shapes by forces");
  group->require_subcommand(1);
  add_lattice_command(*group, context);
  add_fit_command(*group, context);
  add_transfer_command(*group, context);
  add_simulate_command(*group, context);
}

}  // namespace rigspace::tools
