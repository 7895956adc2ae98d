// rigspace cloth: a garment over an animated character.

#include "rigspace/apps/clothing/cloth_job.h"
#include "source_options.h"

#include <fmt/format.h>

#include <cmath>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct ClothArguments {
  ClothSource source;
  ClothRequest request;
  std::string output, attach = "auto", motion, database, contact = "barrier";
  bool no_self = false, no_relax = false;
  std::vector<double> wind, move;
  TrainClothOptions train;
};

void settle(ClothArguments& options) {
  DressOptions& dress = options.request.dress;
  dress.cloth.contact.self = !options.no_self;
  dress.cloth.contact_method = options.contact == "impulses" ? ContactMethod::impulses : ContactMethod::barrier;
  dress.relax = !options.no_relax;
  if (options.wind.size() == 3) dress.cloth.wind = Vec3(options.wind[0], options.wind[1], options.wind[2]);
  if (options.move.size() == 3) dress.move = Vec3(options.move[0], options.move[1], options.move[2]);
  dress.attach = options.attach == "auto" ? -1 : number_in(options.attach);
  if (options.attach != "auto" && !(dress.attach >= 0 && std::isfinite(dress.attach)))
    refuse_usage("--attach " + options.attach, "is neither auto nor a height", "give metres, such as 0.03");
  options.source.motion = options.motion;
  options.request.database = options.database;
}

Json clip_json(const ClothClipResult& clip) {
  const ClothReport& r = clip.report;
  return {{"clip", clip.clip},
          {"frames", clip.frames},
          {"steps", r.steps},
          {"extra_steps", r.extra_steps},
          {"iterations", r.iterations},
          {"body_triangles_released", r.released},
          {"unfinished", r.unfinished},
          {"body_triangles_out_of_contact", r.absent},
          {"nearest_m", r.nearest},
          {"impulses",
           {{"rounds", r.impulses.rounds},
            {"zones", r.impulses.zones},
            {"carried", r.impulses.carried},
            {"cuts", r.impulses.cuts}}},
          {"worst_stretch", r.worst_stretch},
          {"farthest_from_training", r.farthest},
          {"farthest_from_training_s", r.farthest_time}};
}

Json answer_of(const ClothResult& result) {
  const RelaxReport& freed = result.freed;
  Json answer{{"outputs", result.written},
              {"points", result.given_points},
              {"simulated_points", result.points},
              {"held_points", result.held},
              {"metres_per_unit", result.unit},
              {"relaxed",
               {{"rounds", freed.rounds},
                {"inside", freed.inside},
                {"crossings_before", freed.crossings_before},
                {"crossings", freed.crossings},
                {"own_crossings", freed.own_crossings},
                {"farthest_m", freed.farthest}}},
              {"self_contact", result.self_contact},
              {"morph_targets", result.shapes},
              {"morph_error_m", result.shape_error},
              {"clips", Json::array()}};
  for (const ClothClipResult& clip : result.clips) answer["clips"].push_back(clip_json(clip));
  return answer;
}

void print_clip(const ClothClipResult& clip, const ClothArguments& options, int sites) {
  const ClothReport& r = clip.report;
  fmt::print("  {}: {} frames, {} steps ({} for fast motion), {} iterations\n", clip.clip.empty() ? "rest" : clip.clip,
             clip.frames, r.steps, r.extra_steps, r.iterations);
  if (sites > 0)
    fmt::print(
        "    in {} directions at most, from {} sites; {} Hessians in {} iterations; {} of {} steps far from training\n",
        options.request.subspace.basis.size + 1, sites, r.subspace.hessians, r.subspace.iterations, r.subspace.far,
        r.subspace.solves);
  if (sites > 0)
    fmt::print("    farthest from what was trained at {:.2f} s: {:.0f} % of the radius of its sites{}\n",
               r.farthest_time, 100 * r.farthest, r.farthest > 1 ? "; train on a clip with such poses" : "");
  if (r.impulses.rounds > 0)
    fmt::print("    impulses: {} rounds of them, {} zones moved rigidly, {} points along with the body, {} steps cut\n",
               r.impulses.rounds, r.impulses.zones, r.impulses.carried, r.impulses.cuts);
  fmt::print("    nearest {:.2g} mm, largest stretch {:.1f} %; {} unfinished solves\n", 1000 * r.nearest,
             100 * (std::sqrt(1 + 2 * r.worst_stretch) - 1), r.unfinished);
  if (r.released > 0)
    fmt::print("    {} triangles of the body left contact because they caught cloth between them\n", r.released);
  if (r.absent > 0)
    fmt::print(
        "    up to {} triangles of the body were out of contact, where parts of it meet and would pinch the cloth\n",
        r.absent);
}

void print(const ClothResult& result, const ClothArguments& options) {
  const RelaxReport& freed = result.freed;
  fmt::print("{}\n  {} points", result.written.front(), result.given_points);
  if (result.points != result.given_points) fmt::print(", simulated with {}", result.points);
  fmt::print("{}\n", result.held > 0 ? fmt::format(", {} of them held", result.held) : ", none held");
  if (result.shapes > 0)
    fmt::print("  {} morph targets on the character's joints, within {:.2g} mm of the simulation\n", result.shapes,
               1000 * result.shape_error);
  if (freed.rounds > 0)
    fmt::print(
        "  freed first: {} points were in or at the body, {} edges crossed; moved by up to {:.2g} cm in {} rounds\n",
        freed.inside, freed.crossings_before, 100 * freed.farthest, freed.rounds);
  if (freed.own_crossings > 0)
    fmt::print("  the garment passes through itself with {} edges: contact with itself is off\n", freed.own_crossings);
  for (const ClothClipResult& clip : result.clips) print_clip(clip, options, result.sites);
}

void simulate(ClothArguments& options, const Context& context) {
  settle(options);
  const ClothResult result = simulate_cloth_file(options.source, options.request, options.output, job_events(context));
  clear_bar();
  if (context.json)
    fmt::print("{}\n", answer_of(result).dump(2));
  else
    print(result, options);
}

void train(ClothArguments& options, const Context& context) {
  check_extension(options.output, "cloth");
  check_writable(options.output);
  settle(options);
  const Character character = load(options.source.character, context);
  const std::vector<const Animation*> clips =
      cloth_clips(character, options.source.character.name(), options.request.clips, true);
  const ProgressCallback progress = terminal_progress();
  const DressedCharacter dressed(character, options.request.garment, options.request.dress, progress);
  const fs::path folder = options.output + ".training";
  options.train.fps = options.request.fps;
  if (options.train.database.sites == 0)
    options.train.database.sites = std::max(2, static_cast<int>(std::lround(2.5 * std::ssize(clips))));
  const PoseSpaceDatabase database = train_cloth(dressed, clips, folder, options.train, progress);
  database.save(options.output);
  clear_bar();
  if (context.json) {
    fmt::print("{}\n", Json{{"outputs", {options.output}},
                            {"clips", clips.size()},
                            {"sites", database.site_count()},
                            {"vectors", database.vector_count()},
                            {"pose_dimensions", database.parameters().dimensions()},
                            {"frames_kept_in", folder.string()}}
                           .dump(2));
    return;
  }
  fmt::print("{}\n  {} clips: {} sites with {} vectors, {} numbers a pose\n", options.output, clips.size(),
             database.site_count(), database.vector_count(), database.parameters().dimensions());
  fmt::print("  frames are kept in {}: remove it when you train no further\n", folder.string());
}

void add_common(CLI::App& command, ClothArguments& options) {
  DressOptions& dress = options.request.dress;
  ClothOptions& cloth = dress.cloth;
  add_source(command, options.source.character);
  command
      .add_option("--garment", options.request.garment,
                  "an .obj file in the character's space and rest pose, or a piece of FILE")
      ->required()
      ->type_name("G");
  command.add_option("--fps", options.request.fps, "frames a second")->check(frame_rate())->type_name("N");
  command.add_option("--unit", dress.unit, "metres per unit of the file; guessed by default")
      ->check(above_zero())
      ->type_name("M");
  command
      .add_option(
          "--attach", options.attach,
          "what is held: auto, of a piece on one bone the end by which it hangs; or the garment's top, a band so "
          "many metres high; 0: nothing")
      ->type_name("M");
  command
      .add_option("--contact", options.contact,
                  "barrier: part of what is solved for; impulses: several times faster, and less smooth")
      ->check(CLI::IsMember({"barrier", "impulses"}));
  command.add_option("--scale", dress.scale, "of a garment from a file, about the origin")->type_name("S");
  command.add_option("--move", options.move, "then: along x, y and z of the file")->expected(3)->type_name("X Y Z");
  command
      .add_option("--refine", dress.refine,
                  "longest edge in the simulation, metres; a piece on one bone is refined by itself, 0: nothing is")
      ->check(zero_or_more())
      ->type_name("M");
  command.add_option("--without", dress.without, "patterns of pieces that the garment passes through: swords, shields")
      ->type_name("PIECES");
  command.add_option("--lead", dress.lead, "seconds from the rest pose to the first pose of a clip")->type_name("S");
  command.add_option("--warp", cloth.material.warp, "stiffness along the warp, N/m")->type_name("K");
  command.add_option("--weft", cloth.material.weft, "stiffness along the weft, N/m")->type_name("K");
  command.add_option("--shear", cloth.material.shear, "stiffness in shear, N/m")->type_name("K");
  command.add_option("--bending", cloth.material.bending, "plate rigidity, N m")->type_name("K");
  command.add_option("--density", cloth.material.density, "kg per square metre")->type_name("D");
  command.add_option("--damping", cloth.material.damping, "of strain rates, seconds")->type_name("S");
  command.add_option("--friction", cloth.contact.friction, "Coulomb's coefficient")->type_name("MU");
  command.add_option("--distance", cloth.contact.distance, "contact begins this far away, metres")->type_name("M");
  command.add_option("--clearance", dress.clearance, "to the body before the start, metres; 1.5 distances by default")
      ->type_name("M");
  command.add_option("--step", cloth.step, "longest time step, seconds")->type_name("S");
  command.add_option("--tolerance", cloth.tolerance, "of velocities, m/s")->type_name("V");
  command.add_option("--wind", options.wind, "m/s along x, y and z")->expected(3)->type_name("X Y Z");
  command.add_flag("--no-self", options.no_self, "without contact of the garment with itself");
  command.add_flag("--no-relax", options.no_relax, "refuse a garment that starts inside the body");
}

}  // namespace

void add_cloth(CLI::App& app, Context& context) {
  auto* group = app.add_subcommand("cloth", "Garments over animated characters");
  group->require_subcommand(1);
  auto* command = group->add_subcommand("simulate", "Simulate a garment over a clip, without intersections");
  auto options = std::make_shared<ClothArguments>();
  add_common(*command, *options);
  command
      ->add_option("-o,--output", options->output,
                   "x.glb: FILE with the garment as joints and morph targets; x.mdd, x.pc2, or x.obj: a sequence; a "
                   "run that was "
                   "killed goes on where it stood when the same command is given again")
      ->required()
      ->type_name("OUT");
  command
      ->add_option("--clip", options->request.clips,
                   "of FILE, a name or pattern, may be repeated; all into a glTF, otherwise the first, by default")
      ->type_name("NAME")
      ->take_all();
  command
      ->add_option(
          "--motion", options->motion,
          "of a FILE that is an .obj: its points over time, .mdd, .pc2 or numbered .obj, --fps frames a second")
      ->type_name("CACHE");
  command->add_option("--from", options->request.from, "start, seconds of the clip")
      ->check(zero_or_more())
      ->type_name("S");
  command
      ->add_option("--to", options->request.to,
                   "end, seconds of the clip; the whole clip by default, and then loops are closed")
      ->type_name("S");
  command->add_option("--database", options->database, "what `cloth train` made: few directions in place of all points")
      ->type_name("DB");
  command->add_option("--directions", options->request.subspace.basis.size, "of the database, in each iteration")
      ->type_name("N");
  command
      ->add_option("--smoothing", options->request.subspace.smoothing,
                   "steps over all points after those in few directions, with a database")
      ->type_name("N");
  command->add_option("--iterations", options->request.subspace.max_iterations, "of a step, with a database")
      ->type_name("N");
  command->add_option("--error", options->request.worn.tolerance, "of morph targets, as a share of the garment's size")
      ->type_name("E");
  command->footer(
      "Examples\n  rigspace cloth simulate hero.glb --garment shirt.obj --clip Walk -o hero_dressed.glb\n"
      "  rigspace cloth simulate knight.glb --garment Knight_Cape --clip 'Walk*' -o knight_caped.glb\n"
      "  rigspace cloth simulate hero.glb --garment Skirt --attach 0.05 -o skirt.mdd\n"
      "  rigspace cloth simulate body.obj --motion body.pc2 --garment shirt.obj --lead 0 -o shirt.pc2");
  command->callback([options, &context] { simulate(*options, context); });

  auto* training =
      group->add_subcommand("train", "Learn what a garment does, for quick simulation; may be stopped and goes on");
  auto learn = std::make_shared<ClothArguments>();
  learn->train.database.sites = 0;
  add_common(*training, *learn);
  training->add_option("--clips", learn->request.clips, "names or patterns; all clips by default")->type_name("NAMES");
  training->add_option("-o,--output", learn->output, "x.cloth: the database")->required()->type_name("OUT");
  training->add_option("--sites", learn->train.database.sites, "in pose space; 2.5 a clip by default")->type_name("N");
  training->add_option("--threshold", learn->train.database.threshold, "of singular values, that are left out")
      ->type_name("E");
  training->footer("Example\n  rigspace cloth train hero.glb --garment shirt.obj --clips 'Walk*' -o shirt.cloth");
  training->callback([learn, &context] { train(*learn, context); });
}

}  // namespace rigspace::tools
