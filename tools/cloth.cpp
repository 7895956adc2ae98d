// rigspace cloth: a garment over an animated character.

#include "rigspace/apps/clothing/dressed_character.h"
#include "rigspace/apps/clothing/garment_file.h"
#include "rigspace/io/gltf.h"
#include "rigspace/jobs/clip_names.h"
#include "source_options.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct ClothArguments {
  CharacterSource source;
  std::string garment, clip, output, database, contact = "barrier";
  double fps = 24, from = 0, to = -1;
  bool no_self = false, no_relax = false;
  std::vector<double> wind;
  std::vector<std::string> clips;
  DressOptions dress;
  WornOptions worn;
  SubspaceOptions subspace;
  TrainClothOptions train;
};

void settle(ClothArguments& options) {
  options.dress.cloth.contact.self = !options.no_self;
  options.dress.cloth.contact_method = options.contact == "impulses" ? ContactMethod::impulses : ContactMethod::barrier;
  options.dress.relax = !options.no_relax;
  if (options.wind.size() == 3) options.dress.cloth.wind = Vec3(options.wind[0], options.wind[1], options.wind[2]);
}

std::vector<const Animation*> clips_of(const Character& character, const std::string& name,
                                       const CharacterSource& source) {
  std::vector<std::string> names;
  for (const Animation& each : character.clips) names.push_back(each.name);
  std::vector<const Animation*> clips;
  for (const int k : clips_meant(names, name, source.name()))
    clips.push_back(&character.clips[static_cast<std::size_t>(k)]);
  return clips;
}

/// Takes a piece out of a file: the simulated one comes in its place.
void remove_piece(GltfFile& file, const std::string& name) {
  const auto mark = name.rfind('#');
  const bool further =
      mark != std::string::npos && file.node(name) < 0;  // `<node>#2`: the second primitive of its mesh
  const int node = file.node(further ? name.substr(0, mark) : name);
  if (node < 0) return;
  const std::string at = "/nodes/" + std::to_string(node);
  Json json = Json::parse(file.json(at));
  if (!json.contains("mesh")) return;
  const std::string mesh = "/meshes/" + std::to_string(json["mesh"].get<int>());
  Json shown = Json::parse(file.json(mesh));
  if (shown["primitives"].size() > 1) {
    shown["primitives"].erase(further ? std::stoul(name.substr(mark + 1)) - 1 : 0);
    file.set_json(mesh, shown.dump());
    return;
  }
  json.erase("mesh"), json.erase("skin");
  file.set_json(at, json.dump());
}

/// The garment in the character's own file, as joints and morph targets. Returns how that went, in words.
std::string write_glb(const ClothArguments& options, const DressedCharacter& dressed, const Animation* clip,
                      const ClothMotion& motion) {
  GltfFile file(options.source.file);
  PlayedPoints played{.clip = clip->name, .times = motion.times};
  for (const Vec& frame : motion.frames) played.points.push_back(dressed.as_given(frame));
  std::string name = fs::path(options.garment).stem().string();
  for (const Piece& piece : file.character().pieces)
    if (piece.name == name) name += "_cloth";
  remove_piece(file, options.garment);
  const Worn worn = with_worn_piece(file.character(), dressed.worn_piece(name), std::vector{played}, options.worn);
  file.add_worn_piece(worn.character);
  file.save(options.output);
  return fmt::format("  {} morph targets on the character's joints, within {:.2g} mm of the simulation", worn.shapes,
                     1000 * worn.error * dressed.unit());
}

void simulate(ClothArguments& options, const Context& context) {
  check_extension(options.output, "mdd pc2 obj glb gltf");
  check_writable(options.output);
  settle(options);
  const bool gltf = fs::path(options.output).extension() == ".glb" || fs::path(options.output).extension() == ".gltf";
  const Character character = load(options.source, context);
  const Animation* clip = nullptr;
  if (!options.clip.empty())
    clip = clips_of(character, options.clip, options.source).front();
  else if (!character.clips.empty())
    clip = &character.clips.front();
  if (gltf && (clip == nullptr || options.source.file.empty()))
    throw Error({.code = ErrorCode::usage,
                 .file = options.output,
                 .problem = "needs a character file with a clip: its morph targets are keyed there",
                 .remedy = "write .mdd, .pc2 or .obj"});
  const ProgressCallback progress = terminal_progress();
  const DressedCharacter dressed(character, options.garment, options.dress, progress);
  const RelaxReport& freed = dressed.freed();
  std::shared_ptr<const PoseSpaceDatabase> database;
  if (!options.database.empty())
    database = std::make_shared<PoseSpaceDatabase>(PoseSpaceDatabase::load(options.database, dressed.garment_hash()));
  const double end = options.to >= 0 ? options.to : (clip != nullptr ? clip->duration : 1.0);
  const ClothMotion motion = dressed.simulate(clip, {.start = options.from, .end = end, .rate = options.fps}, progress,
                                              database, options.subspace);
  clear_bar();
  std::vector<std::string> written = {options.output};
  std::string worn;
  if (gltf) {
    worn = write_glb(options, dressed, clip, motion);
  } else {
    std::vector<Vec> frames;
    for (const Vec& frame : motion.frames) frames.push_back(dressed.as_given(frame));
    written = write_cloth_motion(options.output, dressed.given_triangles(), frames, options.fps);
  }
  const ClothReport& r = motion.report;
  const auto points = dressed.as_given(motion.frames.front()).size() / 3;
  if (context.json) {
    const Json answer{{"outputs", written},
                      {"frames", motion.frames.size()},
                      {"points", points},
                      {"relaxed",
                       {{"rounds", freed.rounds},
                        {"inside", freed.inside},
                        {"crossings_before", freed.crossings_before},
                        {"crossings", freed.crossings},
                        {"own_crossings", freed.own_crossings},
                        {"farthest_m", freed.farthest}}},
                      {"self_contact", dressed.self_contact()},
                      {"steps", r.steps},
                      {"extra_steps", r.extra_steps},
                      {"iterations", r.iterations},
                      {"pushes", r.pushes},
                      {"body_triangles_released", r.released},
                      {"unfinished", r.unfinished},
                      {"body_triangles_out_of_contact", r.absent},
                      {"contact", options.contact},
                      {"impulses",
                       {{"rounds", r.impulses.rounds},
                        {"zones", r.impulses.zones},
                        {"carried", r.impulses.carried},
                        {"cuts", r.impulses.cuts}}},
                      {"nearest_m", r.nearest},
                      {"worst_stretch", r.worst_stretch},
                      {"farthest_from_training", r.farthest},
                      {"farthest_from_training_s", r.farthest_time}};
    fmt::print("{}\n", answer.dump(2));
    return;
  }
  fmt::print("{}\n", written.front());
  fmt::print("  {} points, {} frames, {} steps ({} for fast motion), {} iterations\n", points, motion.frames.size(),
             r.steps, r.extra_steps, r.iterations);
  if (!worn.empty()) fmt::print("{}\n", worn);
  if (database)
    fmt::print(
        "  in {} directions at most, from {} sites; {} Hessians in {} iterations; {} of {} steps far from training\n",
        options.subspace.basis.size + 1, database->site_count(), r.subspace.hessians, r.subspace.iterations,
        r.subspace.far, r.subspace.solves);
  if (database)
    fmt::print("  farthest from what was trained at {:.2f} s: {:.0f} % of the radius of its sites{}\n", r.farthest_time,
               100 * r.farthest, r.farthest > 1 ? "; train on a clip with such poses" : "");
  if (freed.rounds > 0)
    fmt::print(
        "  freed first: {} points were in or at the body, {} edges crossed; moved by up to {:.2g} cm in {} rounds\n",
        freed.inside, freed.crossings_before, 100 * freed.farthest, freed.rounds);
  if (freed.own_crossings > 0)
    fmt::print("  the garment passes through itself with {} edges: contact with itself is off\n", freed.own_crossings);
  fmt::print("  nearest {:.2g} mm, largest stretch {:.1f} %; {} pushes by the body, {} unfinished solves\n",
             1000 * r.nearest, 100 * (std::sqrt(1 + 2 * r.worst_stretch) - 1), r.pushes, r.unfinished);
  if (options.contact == "impulses")
    fmt::print("  impulses: {} rounds of them, {} zones moved rigidly, {} points along with the body, {} steps cut\n",
               r.impulses.rounds, r.impulses.zones, r.impulses.carried, r.impulses.cuts);
  if (r.released > 0)
    fmt::print("  {} triangles of the body left contact because they caught cloth between them\n", r.released);
  if (r.absent > 0)
    fmt::print("  up to {} triangles of the body were out of contact, where it passes through itself\n", r.absent);
}

void train(ClothArguments& options, const Context& context) {
  check_extension(options.output, "cloth");
  check_writable(options.output);
  settle(options);
  const Character character = load(options.source, context);
  std::vector<const Animation*> clips;
  for (const std::string& name : options.clips)
    for (const Animation* clip : clips_of(character, name, options.source))
      if (std::find(clips.begin(), clips.end(), clip) == clips.end()) clips.push_back(clip);
  if (options.clips.empty())
    for (const Animation& clip : character.clips) clips.push_back(&clip);
  const ProgressCallback progress = terminal_progress();
  const DressedCharacter dressed(character, options.garment, options.dress, progress);
  const fs::path folder = options.output + ".training";
  options.train.fps = options.fps;
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
  ClothOptions& cloth = options.dress.cloth;
  add_source(command, options.source);
  command
      .add_option("--garment", options.garment,
                  "an .obj file in the character's space and rest pose, or a piece of FILE")
      ->required()
      ->type_name("G");
  command.add_option("--fps", options.fps, "frames a second")->check(frame_rate())->type_name("N");
  command.add_option("--unit", options.dress.unit, "metres per unit of the file; guessed by default")->type_name("M");
  command
      .add_option("--attach", options.dress.attach, "hold the garment's top to the body: a band so many metres high")
      ->type_name("M");
  command.add_option("--lead", options.dress.lead, "seconds from the rest pose to the first pose of a clip")
      ->type_name("S");
  command.add_option("--warp", cloth.material.warp, "stiffness along the warp, N/m")->type_name("K");
  command.add_option("--weft", cloth.material.weft, "stiffness along the weft, N/m")->type_name("K");
  command.add_option("--shear", cloth.material.shear, "stiffness in shear, N/m")->type_name("K");
  command.add_option("--bending", cloth.material.bending, "plate rigidity, N m")->type_name("K");
  command.add_option("--density", cloth.material.density, "kg per square metre")->type_name("D");
  command.add_option("--damping", cloth.material.damping, "of strain rates, seconds")->type_name("S");
  command.add_option("--friction", cloth.contact.friction, "Coulomb's coefficient")->type_name("MU");
  command
      .add_option("--contact", options.contact,
                  "barrier: part of what is solved for; impulses: several times faster, and less smooth")
      ->check(CLI::IsMember({"barrier", "impulses"}));
  command.add_option("--distance", cloth.contact.distance, "contact begins this far away, metres")->type_name("M");
  command
      .add_option("--clearance", options.dress.clearance,
                  "to the body before the start, metres; 1.5 distances by default")
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
                   "x.glb: FILE with the garment as joints and morph targets; x.mdd, x.pc2, or x.obj: a sequence")
      ->required()
      ->type_name("OUT");
  command->add_option("--clip", options->clip, "of FILE; its first by default")->type_name("NAME");
  command->add_option("--from", options->from, "start, seconds of the clip")->type_name("S");
  command->add_option("--to", options->to, "end, seconds of the clip; all of it by default")->type_name("S");
  command->add_option("--database", options->database, "what `cloth train` made: few directions in place of all points")
      ->type_name("DB");
  command->add_option("--directions", options->subspace.basis.size, "of the database, in each iteration")
      ->type_name("N");
  command
      ->add_option("--smoothing", options->subspace.smoothing,
                   "steps over all points after those in few directions, with a database")
      ->type_name("N");
  command->add_option("--iterations", options->subspace.max_iterations, "of a step, with a database")->type_name("N");
  command->add_option("--error", options->worn.tolerance, "of morph targets, as a share of the garment's size")
      ->type_name("E");
  command->footer(
      "Examples\n  rigspace cloth simulate hero.glb --garment shirt.obj --clip Walk -o hero_dressed.glb\n"
      "  rigspace cloth simulate hero.glb --garment Skirt --attach 0.05 -o skirt.mdd");
  command->callback([options, &context] { simulate(*options, context); });

  auto* training =
      group->add_subcommand("train", "Learn what a garment does, for quick simulation; may be stopped and goes on");
  auto learn = std::make_shared<ClothArguments>();
  learn->train.database.sites = 0;
  add_common(*training, *learn);
  training->add_option("--clips", learn->clips, "names or patterns; all clips by default")->type_name("NAMES");
  training->add_option("-o,--output", learn->output, "x.cloth: the database")->required()->type_name("OUT");
  training->add_option("--sites", learn->train.database.sites, "in pose space; 2.5 a clip by default")->type_name("N");
  training->add_option("--threshold", learn->train.database.threshold, "of singular values, that are left out")
      ->type_name("E");
  training->footer("Example\n  rigspace cloth train hero.glb --garment shirt.obj --clips 'Walk*' -o shirt.cloth");
  training->callback([learn, &context] { train(*learn, context); });
}

}  // namespace rigspace::tools
