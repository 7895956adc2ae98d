// rigspace mesh: the body of tetrahedra that a surface encloses, its figures, and a look inside.

#include "source_options.h"

#include "rigspace/geometry/embedding.h"
#include "rigspace/geometry/stuffing.h"
#include "rigspace/io/gltf.h"
#include "rigspace/io/tet_file.h"
#include "rigspace/render/renderer.h"
#include "rigspace/rig/built_in_rig.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;

struct MeshArguments {
  CharacterSource source;
  std::string output, picture, cut = "x";
  double cell = 0;
  int vertices = 0;
  bool report = false;
  int size = 800;
};

/// A piece of the character with points that the body does not represent.
struct Missing {
  std::string piece;
  int points = 0, thin = 0, sheet = 0;
};

struct Answer {
  TetMesh mesh;
  std::vector<std::string> notes;  ///< sentences
  std::vector<Missing> missing;
  Json parts;  ///< about the surface; null for files of tetrahedra
};

std::vector<Missing> missing_by_piece(const Character& character, const Body& body) {
  std::vector<Missing> result;
  for (const Piece& piece : character.pieces) {
    Missing missing{.piece = piece.name, .points = piece.point_count};
    for (int i = piece.first_point; i < piece.first_point + piece.point_count; ++i) {
      if (body.part_of_point[i] < 0) continue;
      missing.thin += body.cover[i] == Cover::thin;
      missing.sheet += body.cover[i] == Cover::sheet;
    }
    if (missing.thin + missing.sheet > 0) result.push_back(missing);
  }
  return result;
}

Answer stuff_character(const Context& context, const MeshArguments& options) {
  const Character character = load(options.source, context);
  const TriMesh surface = rest_surface(character);
  Body body =
      stuff_with_cache(surface, {.cell = options.cell, .vertices = options.vertices, .progress = terminal_progress()});
  if (body.mesh.tets.empty())
    throw Error({.file = options.source.name(),
                 .problem = fmt::format("gives no body with cells of {:.4g}", body.cell),
                 .remedy = options.cell > 0
                               ? "use smaller cells"
                               : "its surface is made of open sheets: close it, or leave it to the animation"});
  Answer answer;
  const int solids = static_cast<int>(
      std::count_if(body.parts.begin(), body.parts.end(), [](const SkinPart& part) { return part.solid; }));
  const int sheets = static_cast<int>(body.parts.size()) - solids;
  const SurfaceBinding binding = bind_boundary(body.mesh, surface, {.tolerance = 0.01 * body.cell});
  const int off = static_cast<int>(std::count(binding.off_surface.begin(), binding.off_surface.end(), 1));
  answer.notes.push_back(fmt::format(
      "{} of skin with an inside{}, cells of {:.4g}", count_in_words(solids, "part", "parts"),
      sheets > 0 ? fmt::format(" and {}", count_in_words(sheets, "open sheet", "open sheets")) : "", body.cell));
  answer.notes.push_back(
      fmt::format("{} on the boundary, {} of them off the skin (thickened, over holes, between close parts)",
                  count_in_words(binding.count(), "node", "nodes"), off));
  if (body.flipped_triangles > 0)
    answer.notes.push_back(
        fmt::format("{} turned to face outward", count_in_words(body.flipped_triangles, "triangle", "triangles")));
  if (body.dropped > 0)
    answer.notes.push_back(
        fmt::format("{} smaller than half a cell left out", count_in_words(body.dropped, "crumb", "crumbs")));
  answer.parts = {{"solid", solids},
                  {"sheets", sheets},
                  {"cell", body.cell},
                  {"flipped_triangles", body.flipped_triangles},
                  {"crumbs_left_out", body.dropped},
                  {"boundary_nodes", binding.count()},
                  {"boundary_nodes_off_skin", off},
                  {"boundary_defects", body.boundary_defects}};
  answer.missing = missing_by_piece(character, body);
  answer.mesh = std::move(body.mesh);
  return answer;
}

Answer read_body(const MeshArguments& options) {
  TetFile file = read_tets(options.source.file);
  Answer answer;
  if (file.turned > 0)
    answer.notes.push_back(
        fmt::format("{} turned inside out in the file", count_in_words(file.turned, "tetrahedron", "tetrahedra")));
  answer.mesh = std::move(file.mesh);
  return answer;
}

constexpr double to_degrees(double radians) { return radians * 180 / std::numbers::pi; }

void print(const MeshArguments& options, const Answer& answer) {
  const TetQuality q = quality(answer.mesh);
  const TetComponents components = connected_components(answer.mesh);
  fmt::print("{}\n", options.source.name());
  fmt::print("  {}, {}, volume {:.4g}\n", count_in_words(answer.mesh.tet_count(), "tetrahedron", "tetrahedra"),
             count_in_words(answer.mesh.point_count(), "node", "nodes"), q.volume);
  fmt::print("  angles between faces from {:.1f} to {:.1f} degrees; one in a hundred below {:.1f}, half below {:.1f}\n",
             to_degrees(q.smallest_angle), to_degrees(q.largest_angle), to_degrees(q.first_percentile),
             to_degrees(q.median));
  fmt::print("  {}\n", q.inverted == 0 ? "none inverted" : count_in_words(q.inverted, "inverted", "inverted"));
  const double largest = *std::max_element(components.volumes.begin(), components.volumes.end());
  fmt::print("  {}{}\n", count_in_words(static_cast<int>(components.tets.size()), "connected body", "connected bodies"),
             components.tets.size() > 1
                 ? fmt::format(", the largest with {:.1f} % of the volume", 100 * largest / q.volume)
                 : "");
  for (const std::string& note : answer.notes) fmt::print("  {}\n", note);
  for (const Missing& missing : answer.missing) {
    if (missing.sheet > 0)
      fmt::print("  \"{}\": {} of {} points belong to sheets without an inside\n", missing.piece, missing.sheet,
                 missing.points);
    if (missing.thin > 0)
      fmt::print("  \"{}\": {} of {} points are too thin for the cells (smaller ones: --cell)\n", missing.piece,
                 missing.thin, missing.points);
  }
}

Json to_json(const Answer& answer) {
  const TetQuality q = quality(answer.mesh);
  Json missing = Json::array();
  for (const Missing& piece : answer.missing)
    missing.push_back({{"piece", piece.piece}, {"points", piece.points}, {"thin", piece.thin}, {"sheet", piece.sheet}});
  return {{"nodes", answer.mesh.point_count()},
          {"tetrahedra", answer.mesh.tet_count()},
          {"volume", q.volume},
          {"smallest_angle_degrees", to_degrees(q.smallest_angle)},
          {"largest_angle_degrees", to_degrees(q.largest_angle)},
          {"first_percentile_degrees", to_degrees(q.first_percentile)},
          {"median_degrees", to_degrees(q.median)},
          {"inverted", q.inverted},
          {"components", connected_components(answer.mesh).tets.size()},
          {"surface", answer.parts},
          {"missing", missing}};
}

/// A character that does not move: flat faces in two pieces, the skin and what the cut lays open.
class CutAway {
 public:
  CutAway(const TetMesh& mesh, int axis) {
    const double plane = bounding_box(mesh.points).center()[axis];
    const auto neighbours = tet_neighbours(mesh);
    const auto kept = [&](int t) {
      double middle = 0;
      for (const int c : mesh.tets[t]) middle += 0.25 * mesh.points[3 * c + axis];
      return middle < plane;
    };
    for (const bool skin : {true, false}) {
      begin_piece(skin ? "skin" : "cut",
                  skin ? Eigen::Vector4f(0.75f, 0.36f, 0.22f, 1) : Eigen::Vector4f(0.85f, 0.78f, 0.55f, 1));
      for (int t = 0; t < mesh.tet_count(); ++t)
        for (int k = 0; k < 4 && kept(t); ++k) {
          const int other = neighbours[t][k];
          if (other >= 0 ? skin || kept(other) : !skin) continue;
          std::array<Vec3, 3> corners;
          for (int c = 0; c < 3; ++c) corners[c] = point(mesh.points, mesh.tets[t][kTetFace[k][c]]);
          add_triangle(corners);
        }
    }
    character_.name = "body";
    character_.rig =
        std::make_shared<BuiltInRig>(std::make_shared<ControlGraph>(),
                                     Eigen::Map<const Vec>(points_.data(), static_cast<Eigen::Index>(points_.size())),
                                     std::vector<std::shared_ptr<const Deformer>>{});
  }
  const Character& character() const { return character_; }

 private:
  void begin_piece(const char* name, const Eigen::Vector4f& color) {
    character_.materials.push_back({.name = name, .base_color = color, .double_sided = true});
    character_.pieces.push_back({.name = name,
                                 .first_point = static_cast<int>(points_.size() / 3),
                                 .material = static_cast<int>(character_.materials.size()) - 1});
  }
  void add_triangle(const std::array<Vec3, 3>& corners) {
    Piece& piece = character_.pieces.back();
    const int first = static_cast<int>(points_.size() / 3);
    const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
    for (const Vec3& x : corners) {
      points_.insert(points_.end(), {x[0], x[1], x[2]});
      piece.rest_normals.push_back(normal.cast<float>());
    }
    piece.triangles.push_back({first, first + 1, first + 2});
    piece.point_count += 3;
  }

  Character character_;
  std::vector<double> points_;
};

/// Seen from the side that was taken away.
void draw(const MeshArguments& options, const TetMesh& mesh) {
  const int axis = options.cut == "x" ? 0 : options.cut == "y" ? 1 : 2;
  const CutAway cut(mesh, axis);
  FramingOptions framing;
  framing.azimuth = (axis == 0 ? 62 : 28) * kDegree;
  framing.elevation = (axis == 1 ? 50 : 11) * kDegree;
  RenderOptions render_options;
  render_options.width = render_options.height = options.size;
  render_options.wireframe = true;
  write_png(options.picture, render(cut.character(), cut.character().rig->rest(), render_options, framing));
}

void run(const Context& context, const MeshArguments& options) {
  if (!options.output.empty()) check_extension(options.output, "msh mesh"), check_writable(options.output);
  if (!options.picture.empty()) check_extension(options.picture, "png"), check_writable(options.picture);
  const std::string extension = std::filesystem::path(options.source.file).extension().string();
  const bool is_body = extension == ".msh" || extension == ".mesh";
  const Answer answer = is_body ? read_body(options) : stuff_character(context, options);
  if (!options.output.empty()) write_tets(options.output, answer.mesh);
  if (!options.picture.empty()) draw(options, answer.mesh);
  if (context.json)
    fmt::print("{}\n", to_json(answer).dump(2, ' ', false, Json::error_handler_t::replace));
  else if (options.report || (options.output.empty() && options.picture.empty()))
    print(options, answer);
}

}  // namespace

void add_mesh(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("mesh", "The body of tetrahedra inside a character, for physics");
  auto options = std::make_shared<MeshArguments>();
  add_source(*command, options->source);
  command->get_option("FILE")->description("a character at rest, or a body (.msh, .mesh) as it is");
  command->add_option("-o,--output", options->output, "body.msh or body.mesh")->type_name("OUT");
  command->add_flag("--report", options->report, "figures in words; also without -o, and with --json as JSON");
  auto* cell = command->add_option("--cell", options->cell, "edge of a cell, scene units; 2 % of the size by default")
                   ->check(above_zero())
                   ->type_name("LENGTH");
  command->add_option("--vertices", options->vertices, "about this many nodes, instead of --cell")
      ->check(CLI::Range(10, 2000000))
      ->excludes(cell)
      ->type_name("N");
  command->add_option("--picture", options->picture, "a look inside: one half is taken away")->type_name("PNG");
  command->add_option("--cut", options->cut, "axis that the cut is across")
      ->check(CLI::IsMember({"x", "y", "z"}))
      ->capture_default_str();
  command->add_option("--size", options->size, "pixels of a side of the picture")
      ->check(CLI::Range(8, 8192))
      ->type_name("N");
  command->footer(
      "Examples\n  rigspace mesh hero.glb -o body.msh --report\n  rigspace mesh hero.glb --vertices 4000 --picture "
      "cut.png\n  rigspace mesh body.msh --json");
  command->callback([options, &context] { run(context, *options); });
}

}  // namespace rigspace::tools
