#include "rig_cage.h"

#include "rigspace/base/cancel_scope.h"
#include "rigspace/io/cage_file.h"
#include "rigspace/render/renderer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct CageArguments {
  std::string file, output, picture;
  std::string name = "cage";
  std::string coordinates = "mean-value";
  std::vector<std::string> pieces;
  AutomaticCageOptions cage;
  int size = 640;
};

/// A posed character and a cage's edges, as bars, in one that does not move.
Character with_cage(const Character& character, In points, const TriMesh& cage, double thickness) {
  Character still = character;
  std::vector<double> all(points.data(), points.data() + points.size());
  Piece bars{.name = "cage", .first_point = static_cast<int>(points.size() / 3)};
  bars.material = static_cast<int>(still.materials.size());
  still.materials.push_back({.name = "cage", .base_color = {0.02f, 0.09f, 0.25f, 1}, .double_sided = true});
  const EdgeTable edges = edge_table(cage);
  for (const auto& [i, j] : edges.edges) {
    const Vec3 a = point(cage.points, i), b = point(cage.points, j), along = (b - a).normalized();
    const Vec3 u = along.unitOrthogonal(), v = along.cross(u);
    const int first = static_cast<int>(all.size() / 3);
    for (int k = 0; k < 8; ++k) {
      const double angle = k % 4 * std::numbers::pi / 2;
      const Vec3 x = (k < 4 ? a : b) + thickness * (std::cos(angle) * u + std::sin(angle) * v);
      all.insert(all.end(), {x.x(), x.y(), x.z()});
    }
    for (int k = 0; k < 4; ++k) {
      const int next = (k + 1) % 4;
      bars.triangles.push_back({first + k, first + next, first + 4 + next});
      bars.triangles.push_back({first + k, first + 4 + next, first + 4 + k});
    }
  }
  bars.point_count = static_cast<int>(all.size() / 3) - bars.first_point;
  still.pieces.push_back(std::move(bars));
  const Vec flat = Eigen::Map<const Vec>(all.data(), static_cast<Eigen::Index>(all.size()));
  still.rig = std::make_shared<BuiltInRig>(std::make_shared<ControlGraph>(), flat,
                                           std::vector<std::shared_ptr<const Deformer>>{});
  still.bones.clear();
  return still;
}

/// In bind space, where the cage works: at rest, and with its upper half turned and leant.
void draw(const CageArguments& options, const RiggedCharacter& rigged, const TriMesh& cage,
          const std::vector<int>& pieces) {
  RigPlan bare;
  bare.points_rest = rigged.plan.points_rest;
  bare.pieces = rigged.plan.pieces;
  bare.points = rigged.plan.points;
  for (const plan::Deformer& deformer : rigged.plan.deformers)
    if (deformer.name == options.name) bare.deformers.push_back(deformer);
  const BuiltRig built = build(bare);
  Character character = rigged.character;
  for (std::size_t k = 0; k < character.pieces.size(); ++k)
    character.pieces[k].drawn &= std::find(pieces.begin(), pieces.end(), static_cast<int>(k)) != pieces.end();
  const Box box = bounding_box(cage.points);
  int tall = 0;
  box.size().maxCoeff(&tall);
  const Vec3 axis = Vec3::Unit(tall), side = Vec3::Unit((tall + 1) % 3);
  TriMesh moved = cage;
  Vec p = built.rig->rest();
  for (int j = 0; j < cage.point_count(); ++j) {
    const Vec3 x = point(cage.points, j);
    const double up = std::max(0.0, (x - box.center())[tall] / box.size()[tall]);  // 0 .. 1/2
    const Mat3 turn = (Eigen::AngleAxisd(1.0 * up, axis) * Eigen::AngleAxisd(0.9 * up, side)).toRotationMatrix();
    const Vec3 y = box.center() + turn * (1 + 0.3 * up) * (x - box.center());
    point(moved.points, j) = y;
    const int control = built.rig->find(fmt::format("{}_{}.tx", options.name, j));
    p.segment<3>(control) = y - x;
  }
  Vec deformed;
  built.rig->evaluate(*built.rig->make_workspace(), p, deformed);
  const double thickness = 0.0015 * box.diagonal();
  RenderOptions render_options{.width = options.size, .height = options.size, .ground = false};
  const FramingOptions framing{.azimuth = 30 * kDegree, .elevation = 8 * kDegree};
  Picture sheet(3 * options.size, options.size, {255, 255, 255});
  const auto cell = [&](int k, const Character& still) {
    paste(sheet, render(still, still.rig->rest(), render_options, framing), k * options.size, 0);
  };
  cell(0, with_cage(character, rigged.plan.points_rest, cage, thickness));
  cell(1, with_cage(character, deformed, moved, thickness));
  cell(2, with_cage(character, deformed, {}, thickness));
  write_png(options.picture, sheet);
}

void check_output(const CageArguments& options) {
  if (options.output.empty() && options.picture.empty())
    throw Error(
        {.code = ErrorCode::usage, .element = "rig cage", .problem = "has no output", .remedy = "give -o x.rig.json"});
  if (!options.picture.empty()) check_extension(options.picture, "png"), check_writable(options.picture);
  if (options.output.empty()) return;
  if (!options.output.ends_with(".rig.json"))
    throw Error({.code = ErrorCode::usage,
                 .file = options.output,
                 .problem = "does not end in .rig.json",
                 .remedy = "name it like hero.rig.json"});
  if (fs::exists(options.output))
    throw Error({.code = ErrorCode::usage,
                 .file = options.output,
                 .problem = "is there already",
                 .remedy = "a rig file is never overwritten; give another name with -o"});
  check_writable(options.output);
}

void run(const CageArguments& arguments, const Context& context) {
  const CancelScope cancel(interrupted);
  CageArguments options = arguments;
  check_input(options.file);
  check_output(options);
  CageRequest request{.name = options.name,
                      .pieces = options.pieces,
                      .coordinates = cage_family(options.coordinates),
                      .cage = options.cage};
  RiggedCharacter rigged = read_for_cage(options.file);
  print_warnings(context, options.file, rigged.character.warnings);
  request.cage.progress = terminal_progress();
  const CagedCharacter caged = [&] {
    try {
      return in_automatic_cage(std::move(rigged), request);
    } catch (const Error& error) {
      throw error.info().file.empty() ? error.in_file(options.file) : error;
    }
  }();
  const AutomaticCage& cage = caged.cage;
  if (!options.picture.empty()) draw(options, caged.rigged, cage.mesh, caged.pieces);
  if (!options.output.empty()) write_cage_file(options.output, options.file, caged, request);
  clear_bar();
  if (context.json) {
    fmt::print("{}\n", Json{{"output", options.output},
                            {"faces", cage.mesh.triangle_count()},
                            {"points", cage.mesh.point_count()},
                            {"coordinates", options.coordinates},
                            {"offset", cage.offset},
                            {"clearance", cage.clearance},
                            {"grid_faces", cage.grid_faces},
                            {"reached", cage.reached},
                            {"left_out", caged.left_out}}
                           .dump(2));
    return;
  }
  fmt::print(
      "{}\n  {} faces, {} points around {}; the nearest point of the skin is {:.3g} inside\n",
      options.output.empty() ? options.picture : options.output, cage.mesh.triangle_count(), cage.mesh.point_count(),
      caged.left_out.empty() ? "everything" : count_in_words(caged.pieces.size(), "piece", "pieces"), cage.clearance);
  if (!cage.reached)
    fmt::print("  {} faces were asked for: no other edge could go without faces that cross\n", options.cage.faces);
  if (!caged.left_out.empty())
    fmt::print("  {} left out: bound in another space (--pieces chooses): {}\n",
               count_in_words(caged.left_out.size(), "piece", "pieces"), fmt::join(caged.left_out, ", "));
}

}  // namespace

void add_rig_cage(CLI::App& rig, Context& context) {
  auto* command = rig.add_subcommand("cage", "A coarse cage around the mesh, whose points deform it");
  auto options = std::make_shared<CageArguments>();
  command->add_option("FILE", options->file, "a mesh or a rig: .glb, .gltf, .vrm or .rig.json")->required();
  command
      ->add_option("-o,--output", options->output,
                   "x.rig.json; beside the mesh it names that, elsewhere the mesh is written too")
      ->type_name("OUT");
  command->add_option("--faces", options->cage.faces, "of the cage, at most")
      ->check(CLI::Range(4, 100000))
      ->capture_default_str()
      ->type_name("N");
  command
      ->add_option("--coordinates", options->coordinates,
                   "mean-value, positive-mean-value, green, harmonic, maximum-entropy, biharmonic, ..")
      ->capture_default_str()
      ->type_name("NAME");
  command
      ->add_option("--offset", options->cage.offset,
                   "how far around the mesh the cage starts, units of the mesh; 2.5 % of its size by default")
      ->check(above_zero())
      ->type_name("LENGTH");
  command->add_option("--cell", options->cage.cell, "of the grid that finds the surface around; 0.8 of the offset")
      ->check(above_zero())
      ->type_name("LENGTH");
  command->add_option("--pieces", options->pieces, "enclose and move only pieces of this pattern; may be repeated")
      ->type_name("PATTERN")
      ->take_all();
  command->add_option("--name", options->name, "of the cage; its points are NAME_0, NAME_1 ..")
      ->capture_default_str()
      ->type_name("NAME");
  command->add_option("--picture", options->picture, "the cage at rest and, leant over, what it does to the mesh")
      ->type_name("PNG");
  command->add_option("--size", options->size, "pixels of a side of each of its pictures")
      ->check(CLI::Range(64, 4096))
      ->type_name("N");
  command->footer(
      "Examples\n  rigspace rig cage hero.glb -o hero.rig.json\n"
      "  rigspace rig cage hero.glb --faces 200 --coordinates green --picture cage.png");
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace rigspace::tools
