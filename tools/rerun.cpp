// rigspace rerun: a simulation again from its recipe, with other values, in whole or in part.

#include "simulation_answer.h"
#include "source_options.h"

namespace rigspace::tools {

void add_rerun(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("rerun", "A simulation again from its recipe, with other values, or in part");
  auto options = std::make_shared<RerunRequest>();
  command->add_option("RECIPE", options->recipe, "what simulate left beside its result: hero.soft.json")->required();
  command
      ->add_option("--set", options->sets,
                   "a control of a part, as in simulate, also @Walk or @Walk@10:20; may be repeated")
      ->type_name("PART.CONTROL=V")
      ->take_all();
  command->add_option("--hit", options->hits, "moments in the artist's pose, in place of those before, or none")
      ->type_name("PART=T")
      ->take_all();
  command
      ->add_option("--stiffness", options->stiffness,
                   "of controls of a rig, as in simulate; on top of what there was, 1 takes it back; may be repeated")
      ->type_name("PATTERN=S")
      ->take_all();
  command->add_option("--gravity", options->gravity, "of all clips, as in simulate; as it was by default")
      ->type_name("G");
  command->add_option("--clip", options->clips, "for these clips only; may be repeated")->type_name("NAME")->take_all();
  command
      ->add_option("--range", options->range,
                   "for these frames only, 1035:1050, or seconds, 0.5s:1.2s: blended into the old curves at both ends")
      ->type_name("FROM:TO");
  command
      ->add_option("--fix", options->fix,
                   "corrections on top, in place of those that the recipe keeps; none: without them; alone, it leaves "
                   "the simulated layer as it is")
      ->type_name("EDITS");
  command
      ->add_option("-o,--output", options->output,
                   "x.glb or x.gltf, of a rig x.rigspace.json; in place of the old result by default")
      ->type_name("OUT");
  command->add_flag("--accept-changed-input", options->accept_changed_input,
                    "go on although the character's file is not what it was");
  add_process_source(*command, options->process);
  command->footer(
      "Values are remembered: with --clip for that clip, with --range for those frames, otherwise for all. What is "
      "not\n"
      "made again stays as it is, to the bit; without options the result comes out the same.\n"
      "Examples\n"
      "  rigspace rerun hero.soft.json --set belly.amount=0.6\n"
      "  rigspace rerun hero.soft.json --set belly.amount=0.6 --clip Walk --range 1035:1050\n"
      "  rigspace rerun hero.soft.json --set '*.settle=0.5' -o stiff.glb");
  command->callback([options, &context] { print_result(rerun_recipe(*options, job_events(context)), context); });
}

}  // namespace rigspace::tools
