// rigspace simulate: secondary motion on a character, as clips beside the artist's own.

#include "simulate_rig.h"
#include "simulation_run.h"

#include "rigspace/anim/plain_character.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace::tools {
namespace {

struct Options {
  std::string file, output;
  std::vector<std::string> clips, parts, sets;
  std::string start = "0", end, preroll = "0";
  std::string loop = "auto", follow = "animation", integrator = "bdf2", soft = "auto";
  double unit = 0;
  RecipeOptions recipe;
  bool keep_partial = false;
};

/// Metres per unit of the scene; a size outside 0.2 to 10 m is taken for a person's, and said.
double metres_per_unit(const Character& character, const Options& options, std::vector<std::string>& notes) {
  if (options.unit > 0) return options.unit;
  const double size = bounding_box(rest_surface(character).points).size().maxCoeff();
  if (size >= 0.2 && size <= 10) return 1;
  notes.push_back(fmt::format("it measures {:.4g} units, which is taken as 1.7 m; --unit says otherwise", size));
  return size > 0 ? 1.7 / size : 1;
}

/// The options with their words read.
RecipeOptions recipe_options(const Character& character, const Options& options, std::vector<std::string>& notes) {
  RecipeOptions result = options.recipe;
  result.soft = options.soft == "joints"   ? SoftForm::joints
                : options.soft == "morphs" ? SoftForm::morphs
                                           : SoftForm::automatic;
  SimulationOptions& physics = result.physics;
  physics.metres_per_unit = metres_per_unit(character, options, notes);
  physics.integrator = options.integrator == "euler" ? IntegratorKind::euler : IntegratorKind::bdf2;
  physics.looping = options.loop == "yes" ? Looping::always : options.loop == "no" ? Looping::never : Looping::find;
  physics.follow_animation = options.follow == "animation";
  physics.validate();
  return result;
}

/// Each joint in one part, each part with a name of its own.
void require_apart(const Character& character, const std::string& file, std::vector<Part>& parts) {
  std::map<int, std::string> owner;
  std::map<std::string, int> used;
  for (Part& part : parts) {
    if (const int times = ++used[part.name]; times > 1) part.name += "_" + std::to_string(times);
    for (const int bone : part.bones)
      if (const auto [other, fresh] = owner.emplace(bone, part.name); !fresh)
        throw Error({.code = ErrorCode::usage,
                     .file = file,
                     .element = "joint \"" + character.bones[bone].name + "\"",
                     .problem = "is in two parts, " + other->second + " and " + part.name,
                     .remedy = "give patterns that do not overlap"});
  }
}

std::vector<Part> parts_of(const Character& character, const Options& options) {
  std::vector<Part> parts;
  if (options.parts.empty()) parts = find_parts(character);
  for (const std::string& text : options.parts)
    for (Part& part : about_file(options.file, character, [&] { return parts_from_pattern(character, text); }))
      parts.push_back(std::move(part));
  if (parts.empty())
    throw Error({.file = options.file,
                 .problem = "has no part that moves by itself (no tail, ears or hair by name, no loose chain)",
                 .remedy = "name one: --part 'joint*=tail'"});
  require_apart(character, options.file, parts);
  set_values(parts, parse_sets(options.sets, parts, options.file));
  return parts;
}

/// The clips that were asked for, or all that an artist made.
std::vector<const Animation*> clips_of(const Character& character, const Options& options) {
  const auto ours = [](const std::string& name) {
    return name.ends_with("_soft") || name.ends_with("_soft_add") || name.ends_with("_soft_add_ref");
  };
  std::vector<const Animation*> clips;
  for (const std::string& name : options.clips) {
    const Animation* clip = clip_named(character, options.file, name);
    if (std::find(clips.begin(), clips.end(), clip) == clips.end()) clips.push_back(clip);
  }
  if (options.clips.empty())
    for (const Animation& clip : character.clips)
      if (clip.duration > 0 && !ours(clip.name)) clips.push_back(&clip);
  if (clips.empty())
    throw Error(
        {.file = options.file, .problem = "has no clips", .remedy = "motion needs something that moves; add a clip"});
  return clips;
}

ClipTask task_for(const Animation& clip, const Options& options, std::vector<std::string>& notes) {
  RecipeClip plan{.name = clip.name + "_soft", .base = clip.name};
  plan.frame_rate = options.recipe.frame_rate > 0 ? options.recipe.frame_rate : frame_rate(&clip);
  plan.start = parse_time(options.start, plan.frame_rate, "--start");
  plan.preroll = parse_time(options.preroll, plan.frame_rate, "--preroll");
  if (!options.end.empty()) plan.end = parse_time(options.end, plan.frame_rate, "--end");
  const auto refuse = [&](const char* option, double value, std::string problem) {
    throw Error({.code = ErrorCode::usage,
                 .file = options.file,
                 .element = option,
                 .value = std::to_string(value),
                 .problem = std::move(problem),
                 .remedy = fmt::format("clip \"{}\" lasts {:.4g} s", clip.name, clip.duration)});
  };
  if (plan.start < 0) refuse("--start", plan.start, "is before the clip begins");
  if (plan.preroll < 0) refuse("--preroll", plan.preroll, "is negative");
  if (clip.duration > 0 && plan.start >= clip.duration) refuse("--start", plan.start, "is not before the clip's end");
  if (plan.end <= plan.start) refuse("--end", plan.end, "is not after the start");
  if (std::isfinite(plan.end) && plan.end > clip.duration + 1e-6)
    notes.push_back(fmt::format("clip \"{}\" ends at {:.4g} s, before --end", clip.name, clip.duration));
  return {.clip = std::move(plan)};
}

/// A rig file whose controls are more than joints and shapes moves on those.
bool simulated_as_rig(const Options& options, const Context& context) {
  if (!options.file.ends_with(".rig.json")) return false;
  const Character character = load_character(options.file);
  if (is_plain(character)) return false;
  const std::pair<bool, const char*> no_effect[] = {{!options.end.empty(), "--end"},
                                                    {options.start != "0", "--start"},
                                                    {options.preroll != "0", "--preroll"},
                                                    {options.soft != "auto", "--soft"},
                                                    {!options.recipe.protect.empty(), "--protect"},
                                                    {options.recipe.additive, "--additive"},
                                                    {options.recipe.cubic_keys, "--keys cubic"},
                                                    {options.keep_partial, "--keep-partial"}};
  for (const auto& [given, option] : no_effect)
    if (given)
      throw Error({.code = ErrorCode::usage,
                   .file = options.file,
                   .element = option,
                   .problem = "has no effect on a rig whose own controls are simulated",
                   .remedy = "leave it out, or simulate the mesh that the rig file names"});
  print_warnings(context, options.file, character.warnings);
  for (const std::string& name : options.clips) clip_named(character, options.file, name);
  std::vector<std::string> notes;
  RigSimulation run{.file = options.file,
                    .output = options.output,
                    .parts = options.parts,
                    .sets = options.sets,
                    .clips = options.clips,
                    .frame_rate = options.recipe.frame_rate,
                    .physics = recipe_options(character, options, notes).physics};
  if (run.output.empty()) run.output = options.file.substr(0, options.file.size() - 9) + ".soft.rigspace.json";
  for (const std::string& note : notes)
    if (!context.json) fmt::print("{}: {}\n", options.file, note);
  about_file(options.file, character, [&] { simulate_rig(run, character, context); });
  return true;
}

void simulate(const Options& options, const Context& context) {
  if (simulated_as_rig(options, context)) return;
  std::filesystem::path output = options.output;
  if (output.empty()) output = std::filesystem::path(options.file).replace_extension(".soft.glb");
  const RunFiles out(output);
  out.check(options.file);
  GltfFile file(options.file);
  const Character& character = file.character();
  print_warnings(context, options.file, character.warnings);
  std::vector<std::string> notes;
  Recipe recipe;
  recipe.version = RIGSPACE_VERSION;
  recipe.format = out.format();
  recipe.options = recipe_options(character, options, notes);
  recipe.parts = recipe_parts(character, parts_of(character, options));
  std::vector<ClipTask> tasks;
  for (const Animation* clip : clips_of(character, options)) tasks.push_back(task_for(*clip, options, notes));
  recipe.input = describe_input(options.file, file, out.recipe);
  execute({.input = options.file,
           .file = std::move(file),
           .recipe = std::move(recipe),
           .tasks = std::move(tasks),
           .out = out,
           .notes = std::move(notes),
           .keep_partial = options.keep_partial},
          context);
}

std::string look_names() {
  std::string names;
  for (const LookField& field : look_fields()) names += (names.empty() ? "" : ", ") + std::string(field.name);
  return names;
}

void add_common(CLI::App& command, Options& options) {
  command.add_option("FILE", options.file, "a character: .glb or .gltf; or a .rig.json, whose own controls then move")
      ->required();
  command
      .add_option("-o,--output", options.output,
                  "x.glb or x.gltf; FILE.soft.glb by default; beside it a page, x.html, and a recipe, x.json")
      ->type_name("OUT");
  command.add_option("--clip", options.clips, "a clip; all by default; may be repeated")->type_name("NAME")->take_all();
  command
      .add_option("--part", options.parts,
                  "joints by pattern, several with commas, and a preset: 'tail*=tail'; found by themselves by default")
      ->type_name("PATTERN=PRESET")
      ->take_all();
  command.add_option("--set", options.sets, "a control of a part: " + look_names())
      ->type_name("PART.CONTROL=V")
      ->take_all();
  command.add_option("--unit", options.unit, "metres per unit of the file")->check(above_zero())->type_name("M");
}

void add_flesh(CLI::App& command, Options& options) {
  command
      .add_option("--soft", options.soft,
                  "flesh as joints, morphs or auto; auto: joints, unless they would change the skin at rest")
      ->check(CLI::IsMember({"joints", "morphs", "auto"}))
      ->type_name("F");
  command
      .add_option("--protect", options.recipe.protect,
                  "joints whose skin flesh leaves alone, beside feet, hands, lips, lids and props; may be repeated")
      ->type_name("PATTERN")
      ->take_all();
}

void add_time(CLI::App& command, Options& options) {
  command.add_option("--start", options.start, "where to begin in the clip: seconds, or frames as 12f")->type_name("T");
  command.add_option("--end", options.end, "where to end; the clip's end by default")->type_name("T");
  command.add_option("--preroll", options.preroll, "how much before the start is simulated and not kept")
      ->type_name("T");
  command.add_option("--loop", options.loop, "auto, yes or no; auto: where the clip's end meets its start")
      ->check(CLI::IsMember({"auto", "yes", "no"}))
      ->type_name("L");
  command.add_option("--fps", options.recipe.frame_rate, "keys a second in the result; the source's by default")
      ->check(above_zero())
      ->type_name("N");
  command.add_flag("--additive", options.recipe.additive,
                   "add Walk_soft_add too, the deviation alone on the rest pose, and its reference pose");
  command
      .add_option_function<std::string>(
          "--keys", [&options](const std::string& kind) { options.recipe.cubic_keys = kind == "cubic"; },
          "linear: a key a frame; cubic: few, fitted within 0.1 % of the height on the moving skin")
      ->check(CLI::IsMember({"linear", "cubic"}))
      ->type_name("KIND");
  command.add_flag("--keep-partial", options.keep_partial,
                   "Ctrl-C writes the clips that are finished, and of the one under way its finished frames");
}

void add_advanced(CLI::App& command, Options& options) {
  SimulationOptions& physics = options.recipe.physics;
  const auto group = [](CLI::Option* option) { option->group("Advanced"); };
  group(command.add_option("--step", physics.step, "physics step, s; 1/120 by default")
            ->check(above_zero())
            ->type_name("S"));
  group(command.add_option("--follow", options.follow, "shape without stress: animation, or rest as in the papers")
            ->check(CLI::IsMember({"animation", "rest"}))
            ->type_name("F"));
  group(command.add_option("--young", physics.young, "of flesh, Pa; from the rate by default")
            ->check(above_zero())
            ->type_name("PA"));
  group(command.add_option("--poisson", physics.poisson, "of flesh; 0.4 by default")
            ->check(CLI::Range(0.0, 0.499))
            ->type_name("NU"));
  group(
      command.add_option("--density", physics.density, "kg/m^3; 1000 by default")->check(above_zero())->type_name("D"));
  group(command.add_option("--integrator", options.integrator, "bdf2 or euler")
            ->check(CLI::IsMember({"bdf2", "euler"}))
            ->type_name("I"));
  group(command.add_option("--max-influences", options.recipe.max_influences, "joints a point of the skin, 4 or 8")
            ->check(CLI::IsMember({4, 8}))
            ->type_name("N"));
}

}  // namespace

void simulate_file(const std::string& file, const std::filesystem::path& output, const Context& context) {
  simulate({.file = file, .output = output.string()}, context);
}

void add_simulate(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("simulate", "Secondary motion on a character, as clips beside the artist's own");
  auto options = std::make_shared<Options>();
  add_common(*command, *options);
  add_flesh(*command, *options);
  add_time(*command, *options);
  add_advanced(*command, *options);
  std::string names;
  for (const Preset& preset : presets()) names += (names.empty() ? "" : ", ") + std::string(preset.name);
  command->footer(
      "The artist's clips stay as they are; Walk_soft is added beside Walk. --part replaces the parts that are found.\n"
      "A run that was killed goes on where it stood when the same command is given again.\n"
      "Presets: " +
      names +
      ".\n"
      "Examples\n"
      "  rigspace simulate hero.glb\n"
      "  rigspace simulate hero.glb --clip Walk --set tail.amount=0.6\n"
      "  rigspace simulate hero.glb --part 'braid*=hair' -o hero.soft.glb\n"
      "  rigspace rerun hero.soft.json --set tail.amount=0.6     the same with other values");
  command->callback([options, &context] {
    const bool curves = options->file.ends_with(".rig.json") && options->output.ends_with(".rigspace.json");
    if (!options->output.empty() && !curves) check_extension(options->output, "glb gltf");
    simulate(*options, context);
  });
}

}  // namespace rigspace::tools
