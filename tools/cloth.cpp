// rigspace cloth: a garment over an animated character.

#include "rigspace/anim/character_unit.h"
#include "rigspace/apps/clothing/garment_file.h"
#include "rigspace/apps/clothing/relax_garment.h"
#include "rigspace/geometry/closest_point.h"
#include "source_options.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct ClothArguments {
  CharacterSource source;
  std::string garment, clip, output;
  double fps = 24, unit = 0, from = 0, to = -1, lead = 1, attach = 0;
  double clearance = 0;
  bool no_self = false, no_relax = false;
  std::vector<double> wind;
  ClothOptions cloth;
};

/// Pins the points within `band` metres of the garment's top to their nearest places on the body.
void attach_top(Garment& garment, const TriMesh& body, double band) {
  const TriangleTree tree(body);
  const double top = bounding_box(garment.mesh.points).high.y();
  for (int i = 0; i < garment.mesh.point_count(); ++i) {
    const Vec3 x = point(garment.mesh.points, i);
    if (x.y() < top - band) continue;
    const SurfacePoint near = tree.closest(x);
    garment.pins.push_back({.point = i,
                            .triangle = near.triangle,
                            .barycentric = near.barycentric,
                            .offset = (x - near.position).dot(tree.normal(near.triangle))});
  }
}

void simulate(ClothArguments& options, const Context& context) {
  check_extension(options.output, "mdd pc2 obj");
  check_writable(options.output);
  const Character character = load(options.source, context);
  const Animation* clip = nullptr;
  if (!options.clip.empty() || !character.clips.empty()) {
    std::vector<std::string> names;
    for (const Animation& each : character.clips) names.push_back(each.name);
    clip = options.clip.empty() ? &character.clips.front() : character.clip(options.clip);
    if (clip == nullptr)
      throw Error({.code = ErrorCode::usage,
                   .file = options.source.name(),
                   .element = "clip \"" + options.clip + "\"",
                   .value = options.clip,
                   .problem = "is not in this file",
                   .remedy = suggestion(options.clip, names, "leave it out")});
  }
  const double unit = options.unit > 0 ? options.unit : guess_unit(character).metres;
  const bool file = fs::path(options.garment).extension() == ".obj";
  Garment garment;
  std::vector<int> weld;
  std::vector<Triangle> triangles;  // of the points as given
  if (file) {
    const TriMesh given = read_obj_mesh(options.garment);
    Weld welded = rigspace::weld(given);
    garment.mesh = std::move(welded.mesh), weld = std::move(welded.point), triangles = given.triangles;
  } else {
    PieceGarment piece = garment_of(character, options.garment, clip, options.from);
    garment.mesh = std::move(piece.mesh), weld = std::move(piece.weld), triangles = std::move(piece.triangles);
  }
  garment.mesh.points *= unit;
  // A file fits the rest pose, a piece is posed with the clip.
  const int lead_frames = file && clip != nullptr ? static_cast<int>(std::ceil(options.lead * options.fps)) : 0;
  const double lead = lead_frames / options.fps;
  ClothBody body = body_of(character, file ? "" : options.garment,
                           {.clip = clip, .start = options.from, .lead = lead, .unit = unit});
  const TriMesh& start = body.mesh;
  // A garment far away was made for another scene, or in another unit.
  const Box cloth_box = bounding_box(garment.mesh.points), body_box = bounding_box(start.points);
  const Vec3 gap = (cloth_box.low - body_box.high).cwiseMax(body_box.low - cloth_box.high).cwiseMax(0);
  if (gap.norm() > body_box.diagonal())
    throw Error({.file = options.garment,
                 .element = "garment",
                 .value = fmt::format("{:.3g}", gap.norm()),
                 .problem = fmt::format("is {:.3g} m away from the body, which is {:.3g} m across", gap.norm(),
                                        body_box.diagonal()),
                 .remedy = "move it there, or give its unit with --unit"});
  options.cloth.contact.self = !options.no_self;
  if (options.wind.size() == 3) options.cloth.wind = Vec3(options.wind[0], options.wind[1], options.wind[2]);
  const ProgressCallback progress = terminal_progress();
  RelaxReport freed;
  if (!options.no_relax) {
    const double clearance = options.clearance > 0 ? options.clearance : 1.5 * options.cloth.contact.distance;
    freed = relax_garment(garment, start, options.cloth.material, {.clearance = clearance}, progress);
    if (freed.own_crossings > 0) options.cloth.contact.self = false;
  }
  if (options.attach > 0) attach_top(garment, start, options.attach);
  const double end = options.to >= 0 ? options.to : (clip != nullptr ? clip->duration : 1.0);
  const ClothMotion motion = simulate_cloth(
      garment, body, {.start = options.from - lead, .end = end, .rate = options.fps}, options.cloth, progress);
  clear_bar();
  std::vector<Vec> frames;
  for (std::size_t k = static_cast<std::size_t>(lead_frames); k < motion.frames.size(); ++k) {
    const Vec& frame = motion.frames[k];
    Vec points(3 * static_cast<Eigen::Index>(weld.size()));
    for (std::size_t i = 0; i < weld.size(); ++i) point(points, static_cast<int>(i)) = point(frame, weld[i]) / unit;
    frames.push_back(std::move(points));
  }
  const std::vector<std::string> written = write_cloth_motion(options.output, triangles, frames, options.fps);
  const ClothReport& r = motion.report;
  if (context.json) {
    const Json answer{{"outputs", written},
                      {"frames", frames.size()},
                      {"points", weld.size()},
                      {"relaxed",
                       {{"rounds", freed.rounds},
                        {"inside", freed.inside},
                        {"crossings_before", freed.crossings_before},
                        {"crossings", freed.crossings},
                        {"own_crossings", freed.own_crossings},
                        {"farthest_m", freed.farthest}}},
                      {"self_contact", options.cloth.contact.self},
                      {"steps", r.steps},
                      {"extra_steps", r.extra_steps},
                      {"iterations", r.iterations},
                      {"pushes", r.pushes},
                      {"body_triangles_released", r.released},
                      {"unfinished", r.unfinished},
                      {"body_triangles_out_of_contact", r.absent},
                      {"nearest_m", r.nearest},
                      {"worst_stretch", r.worst_stretch}};
    fmt::print("{}\n", answer.dump(2));
    return;
  }
  fmt::print("{}\n", written.front());
  fmt::print("  {} points, {} frames, {} steps ({} for fast motion), {} iterations\n", weld.size(), frames.size(),
             r.steps, r.extra_steps, r.iterations);
  if (freed.rounds > 0)
    fmt::print(
        "  freed first: {} points were in or at the body, {} edges crossed; moved by up to {:.2g} cm in {} rounds\n",
        freed.inside, freed.crossings_before, 100 * freed.farthest, freed.rounds);
  if (freed.own_crossings > 0)
    fmt::print("  the garment passes through itself with {} edges: contact with itself is off\n", freed.own_crossings);
  fmt::print("  nearest {:.2g} mm, largest stretch {:.1f} %; {} pushes by the body, {} unfinished solves\n",
             1000 * r.nearest, 100 * (std::sqrt(1 + 2 * r.worst_stretch) - 1), r.pushes, r.unfinished);
  if (r.released > 0)
    fmt::print("  {} triangles of the body left contact because they caught cloth between them\n", r.released);
  if (r.absent > 0)
    fmt::print("  up to {} triangles of the body were out of contact, where it passes through itself\n", r.absent);
}

}  // namespace

void add_cloth(CLI::App& app, Context& context) {
  auto* group = app.add_subcommand("cloth", "Garments over animated characters");
  group->require_subcommand(1);
  auto* command = group->add_subcommand("simulate", "Simulate a garment over a clip, without intersections");
  auto options = std::make_shared<ClothArguments>();
  ClothOptions& cloth = options->cloth;
  add_source(*command, options->source);
  command->add_option("--garment", options->garment, "an .obj file in the character's space, or a piece of FILE")
      ->required()
      ->type_name("G");
  command->add_option("-o,--output", options->output, "x.mdd, x.pc2, or x.obj: a sequence x_0000.obj ..")
      ->required()
      ->type_name("OUT");
  command->add_option("--clip", options->clip, "of FILE; its first by default")->type_name("NAME");
  command->add_option("--from", options->from, "start, seconds of the clip")->type_name("S");
  command->add_option("--to", options->to, "end, seconds of the clip; all of it by default")->type_name("S");
  command->add_option("--lead", options->lead, "before: from the rest pose, which files fit, to the clip, seconds")
      ->type_name("S");
  command->add_option("--fps", options->fps, "frames a second")->check(frame_rate())->type_name("N");
  command->add_option("--unit", options->unit, "metres per unit of the file; guessed by default")->type_name("M");
  command->add_option("--attach", options->attach, "hold the garment's top to the body: a band so many metres high")
      ->type_name("M");
  command->add_option("--warp", cloth.material.warp, "stiffness along the warp, N/m")->type_name("K");
  command->add_option("--weft", cloth.material.weft, "stiffness along the weft, N/m")->type_name("K");
  command->add_option("--shear", cloth.material.shear, "stiffness in shear, N/m")->type_name("K");
  command->add_option("--bending", cloth.material.bending, "plate rigidity, N m")->type_name("K");
  command->add_option("--density", cloth.material.density, "kg per square metre")->type_name("D");
  command->add_option("--damping", cloth.material.damping, "of strain rates, seconds")->type_name("S");
  command->add_option("--friction", cloth.contact.friction, "Coulomb's coefficient")->type_name("MU");
  command->add_option("--distance", cloth.contact.distance, "contact begins this far away, metres")->type_name("M");
  command
      ->add_option("--clearance", options->clearance, "to the body before the start, metres; 1.5 distances by default")
      ->type_name("M");
  command->add_option("--step", cloth.step, "longest time step, seconds")->type_name("S");
  command->add_option("--tolerance", cloth.tolerance, "of velocities, m/s")->type_name("V");
  command->add_option("--wind", options->wind, "m/s along x, y and z")->expected(3)->type_name("X Y Z");
  command->add_flag("--no-self", options->no_self, "without contact of the garment with itself");
  command->add_flag("--no-relax", options->no_relax, "refuse a garment that starts inside the body");
  command->footer(
      "Examples\n  rigspace cloth simulate hero.glb --garment shirt.obj --clip Walk -o shirt.mdd\n"
      "  rigspace cloth simulate hero.glb --garment Skirt --attach 0.05 -o skirt.obj");
  command->callback([options, &context] { simulate(*options, context); });
}

}  // namespace rigspace::tools
