// rigspace simulate: secondary motion on a character, as clips beside the artist's own.

#include "rigspace/apps/clothing/hung_sheet.h"
#include "rigspace/apps/physics/batch.h"
#include "rigspace/base/files.h"
#include "rigspace/io/formats.h"
#include "simulation_answer.h"
#include "source_options.h"

#include <fmt/format.h>

namespace rigspace::tools {
namespace {

struct SimulateArguments : SimulationRequest {
  SimulationSource source;
  std::string output;
  std::vector<std::string> inputs;

  /// Several files, or a folder.
  bool is_batch() const {
    return inputs.size() > 1 || (inputs.size() == 1 && std::filesystem::is_directory(inputs.front()));
  }
};

std::string setting_names() {
  std::string names;
  for (const SettingField& field : setting_fields()) names += (names.empty() ? "" : ", ") + std::string(field.name);
  return names;
}

void add_common(CLI::App& command, SimulateArguments& options) {
  command.add_option(
      "FILE", options.inputs,
      "a character: .glb or .gltf; or a .rig.json, whose own controls then move; or several, or a folder");
  command
      .add_option("--object", options.source.character.object,
                  "of a .blend: the mesh; the largest that is rigged by default")
      ->type_name("NAME");
  add_process_source(command, options.source.character);
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
                  "whose own controls move x.rigspace.json, and all three; of an FBX x.fbx too; of several characters "
                  "a folder")
      ->type_name("OUT");
  command.add_flag("--curves-only", options.curves_only,
                   "of a rig whose own controls move: the curves and the recipe, and nothing to look at");
  command.add_option("--clip", options.clips, "a clip; all by default; may be repeated")->type_name("NAME")->take_all();
  command
      .add_option(
          "--part", options.parts,
          "joints (of rigs: controls, or their groups) by pattern, several with commas, and a preset: 'tail*=tail'; "
          "found by themselves by default")
      ->type_name("PATTERN=PRESET")
      ->take_all();
  command
      .add_option(
          "--set", options.sets,
          "a control of a part: " + setting_names() +
              "; over time as 'belly.amount=0:1,24f:0.3,2.0:1', keys at seconds or frames; for one clip as "
              "'belly.amount=0.6@Walk', for frames or seconds of it as '..@Walk@10:20', '..@Walk@0.5s:1s'; may be "
              "repeated")
      ->type_name("PART.CONTROL=V")
      ->take_all();
  command
      .add_option("--hit", options.hits,
                  "moments at which a part is in the artist's pose: 'belly=24f', '*=0.5,36f'; of one clip "
                  "'belly=24f@Walk'; may be repeated")
      ->type_name("PART=T")
      ->take_all();
  command
      .add_option("--fix", options.fix,
                  "corrections on top of what is simulated, a file of added curves by clip and control; the recipe "
                  "keeps them (docs/curves-editing.md)")
      ->type_name("EDITS");
  command.add_option("--unit", options.unit, "metres per unit of the file")->check(above_zero())->type_name("M");
}

void add_flesh(CLI::App& command, SimulateArguments& options) {
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

void add_collisions(CLI::App& command, SimulateArguments& options) {
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

void add_time(CLI::App& command, SimulateArguments& options) {
  command.add_option("--start", options.start, "where to begin in the clip: seconds, or frames as 12f")->type_name("T");
  command.add_option("--end", options.end, "where to end; the clip's end by default")->type_name("T");
  command.add_option("--preroll", options.preroll, "how much before the start is simulated and not kept")
      ->type_name("T");
  command
      .add_option("--loop", options.loop,
                  "auto, yes or no for all clips, or patterns of those that are loops, 'Walk*,Run'; auto: by their "
                  "names, and where the pose comes back")
      ->type_name("L");
  command.add_option("--once", options.once, "patterns of clips that play once: 'Hit*,Wave'")->type_name("PATTERNS");
  command.add_option("--fps", options.recipe.frame_rate, "keys a second in the result; the source's by default")
      ->check(frame_rate())
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

void add_advanced(CLI::App& command, SimulateArguments& options) {
  SimulationOptions& physics = options.recipe.physics;
  const auto group = [](CLI::Option* option) { option->group("Advanced"); };
  group(command.add_flag_callback(
      "--pure", [&physics] { physics.corrections = Corrections::none(); },
      "the equations of motion alone: no search for rates, no smoothing, easing, springs to the animation, held "
      "loads, scaling or faded ends; what these do otherwise stands in the recipe"));
  group(command
            .add_option("--quality", physics.quality,
                        "of the fast method, 0 to 1: how well few elements stand for all; 0 is coarse and quick, 1 fine "
                        "and slow; 0.5 by default")
            ->check(CLI::Range(0.0, 1.0))
            ->type_name("Q"));
  group(command.add_option("--step", options.step, "physics step, s; 1/120 by default, 0.01 with --paper")
            ->check(above_zero())
            ->type_name("S"));
  group(command.add_option("--follow", options.follow, "shape without stress: animation, or rest as in the papers")
            ->check(CLI::IsMember({"animation", "rest"}))
            ->type_name("F"));
  group(command
            .add_option_function<std::string>(
                "--gravity", [&physics](const std::string& words) { physics.gravity = gravity_from_words(words); },
                "m/s^2, downward or x,y,z; 9.81 by default, under which the artist's shape is in balance: less lifts "
                "the parts, more weighs them down")
            ->type_name("G"));
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

void add_research(CLI::App& command, SimulateArguments& options) {
  SimulationOptions& physics = options.recipe.physics;
  const auto group = [](CLI::Option* option) { option->group("Research"); };
  group(command.add_flag("--paper", physics.paper,
                         "every choice as the papers print it: the whole body about its rest shape under gravity, "
                         "implicit Euler, steps of 0.01 s, at most 20 iterations to a gradient of 0.001, BFGS "
                         "(corrected, docs/corrections.md); looks do "
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

/// Options that are of one character alone.
void refuse_in_batch(const SimulateArguments& options) {
  const std::pair<bool, const char*> of_one[] = {{!options.source.on.empty(), "--on"},
                                                 {!options.source.clips.empty(), "--clips"},
                                                 {!options.fix.empty(), "--fix"},
                                                 {!options.source.character.command.empty(), "--rig-process"},
                                                 {!options.source.character.object.empty(), "--object"},
                                                 {!options.report.empty(), "--report"},
                                                 {!options.dump.empty(), "--dump"}};
  for (const auto& [given, option] : of_one)
    if (given) refuse_usage(option, "is of one character, and there are several", "simulate that one alone");
  if (!options.output.empty() && is_character_file(options.output))
    refuse_usage("-o \"" + options.output + "\"", "is a file, and there are several characters", "name a folder");
}

/// Exit code 3 if a character has no result, 4 if a clip does not pass.
void print_batch(const SimulateArguments& options, const Context& context) {
  refuse_in_batch(options);
  const BatchResult batch = simulate_batch(batch_inputs(options.inputs), options, options.output, job_events(context));
  std::size_t failed = 0, passed = 0;
  for (const BatchEntry& entry : batch.entries) failed += !entry.failure.empty(), passed += entry.passes();
  if (context.json) {
    fmt::print("{}", read_text(batch.record));
  } else {
    clear_bar();
    fmt::print("{} of {} characters pass\n{}: open it in a browser\n{}: the record\n", passed, batch.entries.size(),
               batch.page.string(), batch.record.string());
  }
  if (failed > 0)
    throw Error({.file = batch.page.string(),
                 .problem = fmt::format("{} of {} characters have no result", failed, batch.entries.size()),
                 .remedy = "their lines say why; the others are written"});
  if (passed < batch.entries.size())
    throw Error({.code = ErrorCode::not_converged,
                 .file = batch.page.string(),
                 .problem = fmt::format("{} of {} characters have clips that do not look right",
                                        batch.entries.size() - passed, batch.entries.size()),
                 .remedy = "their lines say why; all are written"});
}

}  // namespace

void add_simulate(CLI::App& app, Context& context) {
  register_cloth_claim();
  auto* command = app.add_subcommand("simulate", "Secondary motion on a character, as clips beside the artist's own");
  auto options = std::make_shared<SimulateArguments>();
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
      "  rigspace simulate characters/*.glb -o soft              all of them, and one page, soft/batch.soft.html\n"
      "  rigspace simulate hero.glb --clip Walk --set tail.amount=0.6\n"
      "  rigspace simulate hero.glb --part 'braid*=hair' -o hero.soft.glb\n"
      "  rigspace simulate hero.glb --on hero.belly.glb --part 'tail*=tail'    on what another run gave\n"
      "  rigspace simulate hero.rig.json --part 'belly=belly'    the rig's own controls: hero.soft.rigspace.json\n"
      "  rigspace rerun hero.soft.json --set tail.amount=0.6     the same with other values");
  command->callback([options, &context] {
    if (options->is_batch()) return print_batch(*options, context);
    if (!options->inputs.empty()) options->source.character.file = options->inputs.front();
    JobEvents events = job_events(context);
    std::vector<std::string> warnings;  // of the file: on a terminal they are printed as they come
    if (context.json)
      events.warn = [&](const std::string&, const std::vector<std::string>& sentences) {
        warnings.insert(warnings.end(), sentences.begin(), sentences.end());
      };
    SimulationResult result = simulate_file(options->source, *options, options->output, events);
    result.incidents.insert(result.incidents.begin(), warnings.begin(), warnings.end());
    print_result(result, context);
  });
}

}  // namespace rigspace::tools
