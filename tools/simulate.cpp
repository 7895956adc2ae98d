// rigspace simulate: secondary motion on a character, as clips beside the artist's own.

#include "collide.h"
#include "earlier_result.h"
#include "part_values.h"
#include "simulation_run.h"

#include "rigspace/apps/physics/part_stiffness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace::tools {
namespace {

struct Options {
  SubjectSource source;
  std::string output;
  std::vector<std::string> clips, parts, sets, hits, stiffness;
  std::string start = "0", end, preroll = "0";
  std::string loop = "auto", follow = "animation", integrator = "bdf2", soft = "auto", chains = "auto";
  double unit = 0;
  RecipeOptions recipe;
  bool keep_partial = false;
  std::string solver, report, dump;
  double step = 0;  ///< s; 0: not said
};

/// Metres per unit of the scene; a size outside 0.2 to 10 m is taken for a person's, and said.
double metres_per_unit(const Character& character, const Options& options, std::vector<std::string>& notes) {
  if (options.unit > 0) return options.unit;
  const double size = bounding_box(rest_surface(character).points).size().maxCoeff();
  if (size >= 0.2 && size <= 10) return 1;
  notes.push_back(fmt::format("it measures {:.4g} units, which is taken as 1.7 m; --unit says otherwise", size));
  return size > 0 ? 1.7 / size : 1;
}

/// What the papers say where nothing else was asked for (paper.h).
void as_printed(SimulationOptions& physics, const Options& options) {
  if (options.step == 0) physics.step = 0.01;
  physics.integrator = IntegratorKind::euler;
  physics.follow_animation = false;
  physics.looping = Looping::never;
  physics.curvature = RigCurvature::bfgs;
  if (!options.recipe.collide.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = "--collide",
                 .problem = "has no effect with --paper",
                 .remedy = "leave one of them out"});
}

/// The options with their words read.
RecipeOptions recipe_options(const Character& character, const Options& options, std::vector<std::string>& notes) {
  RecipeOptions result = options.recipe;
  result.soft = options.soft == "joints"   ? SoftForm::joints
                : options.soft == "morphs" ? SoftForm::morphs
                                           : SoftForm::automatic;
  result.chains = options.chains == "solids" ? ChainForm::solids
                  : options.chains == "auto" ? ChainForm::automatic
                                             : ChainForm::rods;
  SimulationOptions& physics = result.physics;
  physics.metres_per_unit = metres_per_unit(character, options, notes);
  physics.integrator = options.integrator == "euler" ? IntegratorKind::euler : IntegratorKind::bdf2;
  physics.looping = options.loop == "yes" ? Looping::always : options.loop == "no" ? Looping::never : Looping::find;
  physics.follow_animation = options.follow == "animation";
  if (options.step > 0) physics.step = options.step;
  if (physics.paper) as_printed(physics, options);
  if (!options.solver.empty()) physics.curvature = rig_curvature_named(options.solver);
  physics.validate();
  return result;
}

/// Each joint and each control in one part, each part with a name of its own.
void require_apart(const Subject& subject, std::vector<Part>& parts) {
  const Character& character = subject.character();
  std::map<std::string, std::string> owner;
  std::map<std::string, int> used;
  const auto claim = [&](const Part& part, const std::string& thing) {
    if (const auto [other, fresh] = owner.emplace(thing, part.name); !fresh)
      throw Error({.code = ErrorCode::usage,
                   .file = subject.name(),
                   .element = thing,
                   .problem = "is in two parts, " + other->second + " and " + part.name,
                   .remedy = "give patterns that do not overlap"});
  };
  for (Part& part : parts) {
    if (const int times = ++used[part.name]; times > 1) part.name += "_" + std::to_string(times);
    for (const int bone : part.bones) claim(part, "joint \"" + character.bones[bone].name + "\"");
    for (const int control : part.controls) claim(part, "control \"" + character.rig->controls()[control].name + "\"");
  }
}

std::vector<const Animation*> clips_of(const Subject& subject, const Options& options);
double frame_rate_of(const Subject& subject, const Animation& clip, const Options& options) {
  return options.recipe.frame_rate > 0 ? options.recipe.frame_rate : subject.frame_rate(clip);
}

/// --set and --hit, for all clips.
void set_looks(const Subject& subject, std::vector<Part>& parts, const Options& options) {
  ClipTimes times;
  if (!options.sets.empty() || !options.hits.empty())
    for (const Animation* clip : clips_of(subject, options)) {
      const double rate = frame_rate_of(subject, *clip, options);
      const double end = options.end.empty() ? clip->duration : parse_time(options.end, rate, "--end");
      times.include(rate, parse_time(options.start, rate, "--start"), std::min(end, clip->duration));
    }
  set_values(parts, parse_sets(options.sets, parts, subject.name(), times));
  set_values(parts, parse_hits(options.hits, parts, subject.name(), times));
  for (const std::string& text : options.stiffness)
    about_file(subject.name(), subject.character(), [&] { set_stiffness(subject.character(), parts, text); });
}

std::vector<Part> parts_of(const Subject& subject, const Options& options) {
  std::vector<Part> parts;
  if (options.parts.empty()) parts = subject.found_parts();
  for (const std::string& text : options.parts)
    for (Part& part : about_file(subject.name(), subject.character(), [&] { return subject.named_parts(text); }))
      parts.push_back(std::move(part));
  if (parts.empty()) subject.refuse_without_parts();
  require_apart(subject, parts);
  set_looks(subject, parts, options);
  return parts;
}

/// The clips that were asked for, or all that an artist made.
std::vector<const Animation*> clips_of(const Subject& subject, const Options& options) {
  std::vector<const Animation*> clips;
  for (const std::string& name : options.clips) {
    const Animation* clip = clip_named(subject.character(), subject.name(), name);
    if (std::find(clips.begin(), clips.end(), clip) == clips.end()) clips.push_back(clip);
  }
  if (options.clips.empty())
    for (const Animation& clip : subject.character().clips)
      if (clip.duration > 0 && !is_soft_clip(clip.name)) clips.push_back(&clip);
  if (clips.empty())
    throw Error(
        {.file = subject.name(), .problem = "has no clips", .remedy = "motion needs something that moves; add a clip"});
  return clips;
}

ClipTask task_for(const Subject& subject, const Animation& clip, const Options& options,
                  std::vector<std::string>& notes) {
  RecipeClip plan{.name = clip.name + "_soft", .base = clip.name};
  plan.frame_rate = frame_rate_of(subject, clip, options);
  plan.start = parse_time(options.start, plan.frame_rate, "--start");
  plan.preroll = parse_time(options.preroll, plan.frame_rate, "--preroll");
  if (!options.end.empty()) plan.end = parse_time(options.end, plan.frame_rate, "--end");
  const auto refuse = [&](const char* option, double value, std::string problem) {
    throw Error({.code = ErrorCode::usage,
                 .file = subject.name(),
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

/// Throws Error if an option was given that only joints and skin have.
void refuse_for_controls(const Options& options, const std::string& name) {
  const std::pair<bool, const char*> no_effect[] = {{options.soft != "auto", "--soft"},
                                                    {options.chains != "auto", "--chains"},
                                                    {!options.recipe.protect.empty(), "--protect"},
                                                    {options.recipe.max_influences != 4, "--max-influences"}};
  for (const auto& [given, option] : no_effect)
    if (given)
      throw Error({.code = ErrorCode::usage,
                   .file = name,
                   .element = option,
                   .problem = "has no effect on a rig whose own controls are simulated",
                   .remedy = "leave it out, or simulate the mesh that the rig file names"});
}

ResearchFiles research_files(const Options& options) {
  ResearchFiles files{options.report, options.dump};
  require_endings(files);
  if (files.any() && !options.recipe.physics.paper)
    throw Error({.code = ErrorCode::usage,
                 .element = options.report.empty() ? "--dump" : "--report",
                 .problem = "is of runs with --paper",
                 .remedy = "add --paper, or leave it out"});
  return files;
}

void simulate(const Options& options, const Context& context) {
  auto [subject, out] = open_subject(options.source, options.output, context);
  const Character& character = subject->character();
  if (!out.curves.empty()) refuse_for_controls(options, subject->name());
  std::vector<std::string> notes;
  Recipe recipe;
  recipe.version = RIGSPACE_VERSION;
  recipe.format = out.format();
  recipe.options = recipe_options(character, options, notes);
  recipe.options.collide = colliders_seen_from(options.recipe.collide, "", out.recipe.parent_path());
  recipe.parts = recipe_parts(character, parts_of(*subject, options));
  std::vector<ClipTask> tasks;
  for (const Animation* clip : clips_of(*subject, options)) tasks.push_back(task_for(*subject, *clip, options, notes));
  if (research_files(options).any() && tasks.size() > 1)
    throw Error({.code = ErrorCode::usage,
                 .file = subject->name(),
                 .element = options.report.empty() ? "--dump" : "--report",
                 .problem = "is of one clip, and there are several",
                 .remedy = "name one with --clip"});
  recipe.input = subject->describe(out.recipe);
  recipe.on = describe_earlier(options.source.on, out.recipe);
  recipe.notes = std::move(notes);
  execute({.subject = std::move(subject),
           .recipe = std::move(recipe),
           .tasks = std::move(tasks),
           .out = out,
           .research = research_files(options),
           .keep_partial = options.keep_partial},
          context);
}

std::string look_names() {
  std::string names;
  for (const LookField& field : look_fields()) names += (names.empty() ? "" : ", ") + std::string(field.name);
  return names;
}

void add_common(CLI::App& command, Options& options) {
  options.source.character.add_to(command);
  command.get_option("FILE")->description("a character: .glb or .gltf; or a .rig.json, whose own controls then move");
  command
      .add_option("--clips", options.source.clips, "with --rig-process: the clips, a .rigspace.json on its controls")
      ->type_name("CURVES");
  command
      .add_option("--on", options.source.on,
                  "what an earlier run wrote (.glb, .gltf, .rigspace.json): its Walk_soft is Walk here, so that parts "
                  "are simulated one after another")
      ->type_name("RESULT");
  command
      .add_option("-o,--output", options.output,
                  "x.glb or x.gltf; FILE.soft.glb by default; beside it a page, x.html, and a recipe, x.json; of a rig "
                  "whose own controls move x.rigspace.json, and all three")
      ->type_name("OUT");
  command.add_option("--clip", options.clips, "a clip; all by default; may be repeated")->type_name("NAME")->take_all();
  command
      .add_option(
          "--part", options.parts,
          "joints (of rigs: controls, or their groups) by pattern, several with commas, and a preset: 'tail*=tail'; "
          "found by themselves by default")
      ->type_name("PATTERN=PRESET")
      ->take_all();
  command
      .add_option("--set", options.sets,
                  "a control of a part: " + look_names() +
                      "; over time as 'belly.amount=0:1,24f:0.3,2.0:1', keys at seconds or frames; may be repeated")
      ->type_name("PART.CONTROL=V")
      ->take_all();
  command
      .add_option("--hit", options.hits,
                  "moments at which a part is in the artist's pose: 'belly=24f', '*=0.5,36f'; may be repeated")
      ->type_name("PART=T")
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
      .add_option("--chains", options.chains,
                  "tails, ears and trunks as rods, solids or auto; auto: solids where they are round and thick")
      ->check(CLI::IsMember({"rods", "solids", "auto"}))
      ->type_name("C");
  command
      .add_option("--protect", options.recipe.protect,
                  "joints whose skin flesh leaves alone, beside feet, hands, lips, lids and props; may be repeated")
      ->type_name("PATTERN")
      ->take_all();
}

void add_collisions(CLI::App& command, Options& options) {
  command
      .add_option("--collide", options.recipe.collide,
                  "what parts run into: self (arms, legs, their own flesh), parts (those simulated before), ground "
                  "(y = 0), sphere:x,y,z,r, capsule:x,y,z,x,y,z,r, or a character, along its clip of the same name; "
                  "may be repeated")
      ->type_name("WHAT")
      ->take_all();
  command
      .add_option("--friction", options.recipe.physics.collisions.friction, "with --collide: Coulomb's; 0.3 by default")
      ->check(CLI::Range(0.0, 10.0))
      ->type_name("MU");
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
  group(command.add_option("--step", options.step, "physics step, s; 1/120 by default, 0.01 with --paper")
            ->check(above_zero())
            ->type_name("S"));
  group(command.add_option("--follow", options.follow, "shape without stress: animation, or rest as in the papers")
            ->check(CLI::IsMember({"animation", "rest"}))
            ->type_name("F"));
  std::vector<std::string> materials;
  for (const MaterialKind kind : kAllMaterialKinds) materials.emplace_back(name(kind));
  group(command
            .add_option_function<std::string>(
                "--material", [&physics](const std::string& word) { physics.material = material_kind(word); },
                "of flesh; stiffening: soft near rest, bounded in fast motion; stable-neo-hookean by default")
            ->check(CLI::IsMember(materials))
            ->type_name("NAME"));
  group(command
            .add_option("--stiffness", options.stiffness,
                        "of controls of a rig, by pattern, relative to the part they are in: 'belly_front*=4'; may be "
                        "repeated")
            ->type_name("PATTERN=S")
            ->take_all());
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

void add_research(CLI::App& command, Options& options) {
  SimulationOptions& physics = options.recipe.physics;
  const auto group = [](CLI::Option* option) { option->group("Research"); };
  group(
      command.add_flag("--paper", physics.paper,
                       "every choice as the papers print it: the whole body about its rest shape under gravity, "
                       "implicit Euler, steps of 0.01 s, at most 20 iterations to a gradient of 0.001, BFGS; looks do "
                       "not count"));
  group(command
            .add_option_function<std::string>(
                "--method", [&physics](const std::string& word) { physics.method = method_named(word); },
                "how flesh is solved: fast, or full, which is the reference")
            ->check(CLI::IsMember({"fast", "full"}))
            ->type_name("M"));
  group(command
            .add_option_function<std::string>(
                "--interior", [&physics](const std::string& word) { physics.interior = interior_named(word); },
                "what is inside flesh: dynamic (by default), still or carried")
            ->check(CLI::IsMember({"dynamic", "still", "carried"}))
            ->type_name("I"));
  std::vector<std::string> solvers;
  for (const RigCurvature each : {RigCurvature::none, RigCurvature::learned, RigCurvature::bfgs, RigCurvature::exact})
    solvers.emplace_back(name(each));
  group(command
            .add_option("--solver", options.solver,
                        "second derivatives of the rig: " + std::string(name(RigCurvature::none)) +
                            " by default, bfgs with --paper")
            ->check(CLI::IsMember(solvers))
            ->type_name("S"));
  group(command.add_option("--report", options.report, "with --paper: a table of all steps, x.csv")->type_name("CSV"));
  group(command
            .add_option("--dump", options.dump,
                        "with --paper: masses, Jacobian, tetrahedra, all nodes and controls over time, x.npz")
            ->type_name("NPZ"));
}

}  // namespace

void simulate_file(const std::string& file, const std::filesystem::path& output, const Context& context) {
  Options options;
  options.source.character.file = file;
  options.output = output.string();
  simulate(options, context);
}

void add_simulate(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("simulate", "Secondary motion on a character, as clips beside the artist's own");
  auto options = std::make_shared<Options>();
  add_common(*command, *options);
  add_flesh(*command, *options);
  add_collisions(*command, *options);
  add_time(*command, *options);
  add_advanced(*command, *options);
  add_research(*command, *options);
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
      "  rigspace simulate hero.glb --on hero.belly.glb --part 'tail*=tail'    on what another run gave\n"
      "  rigspace simulate hero.rig.json --part 'belly=belly'    the rig's own controls: hero.soft.rigspace.json\n"
      "  rigspace rerun hero.soft.json --set tail.amount=0.6     the same with other values");
  command->callback([options, &context] { simulate(*options, context); });
}

}  // namespace rigspace::tools
