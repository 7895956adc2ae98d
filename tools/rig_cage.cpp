#include "rig_cage.h"

#include "rigspace/base/cancel_scope.h"
#include "rigspace/base/files.h"
#include "rigspace/geometry/automatic_cage.h"
#include "rigspace/io/rig_file.h"
#include "rigspace/render/renderer.h"
#include "rigspace/rig/cage_plan.h"

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

/// The joints that carry each piece, by the place where each was bound, as text: pieces that share one are in one
/// space.
std::vector<std::vector<std::string>> bind_spaces(const RigPlan& plan) {
  std::vector<std::vector<std::string>> spaces(plan.pieces.size());
  for (const plan::Deformer& deformer : plan.deformers) {
    const auto* skin = std::get_if<plan::Skin>(&deformer.kind);
    if (skin == nullptr) continue;
    for (std::size_t k = 0; k < plan.pieces.size(); ++k) {
      if (std::none_of(deformer.pieces.begin(), deformer.pieces.end(),
                       [&](const std::string& p) { return matches_pattern(plan.pieces[k].name, p); }))
        continue;
      for (std::size_t j = 0; j < skin->joints.size(); ++j) {
        std::string key = skin->joints[j];
        for (const double v : skin->inverse_bind[j].reshaped()) key += fmt::format(" {:.4g}", v + 0.0);
        spaces[k].push_back(std::move(key));
      }
    }
  }
  return spaces;
}

/// The pieces to enclose: those of the patterns, or the most points that were bound in one space.
std::vector<int> chosen_pieces(const RigPlan& plan, const CageArguments& options) {
  std::vector<int> chosen;
  if (!options.pieces.empty()) {
    for (int k = 0; k < static_cast<int>(plan.pieces.size()); ++k)
      if (std::any_of(options.pieces.begin(), options.pieces.end(),
                      [&](const std::string& p) { return matches_pattern(plan.pieces[k].name, p); }))
        chosen.push_back(k);
    if (chosen.empty())
      throw Error({.code = ErrorCode::usage,
                   .file = options.file,
                   .element = "--pieces " + options.pieces.front(),
                   .problem = "meets no piece",
                   .remedy = "`rigspace info --json` lists them"});
    return chosen;
  }
  const auto spaces = bind_spaces(plan);
  std::vector<int> group(plan.pieces.size());
  std::map<std::string, int> first;
  std::map<int, int> points;
  for (int k = 0; k < static_cast<int>(group.size()); ++k) {
    group[k] = k;
    for (const std::string& key : spaces[k]) {
      const auto [known, is_new] = first.emplace(key, group[k]);
      if (is_new || known->second == group[k]) continue;
      const int from = group[k], to = known->second;
      std::replace(group.begin(), group.begin() + k + 1, from, to);
      for (auto& each : first) each.second = each.second == from ? to : each.second;
    }
  }
  for (std::size_t k = 0; k < group.size(); ++k) points[group[k]] += plan.pieces[k].count;
  const int largest = std::max_element(points.begin(), points.end(), [](const auto& a, const auto& b) {
                        return a.second < b.second;
                      })->first;
  for (int k = 0; k < static_cast<int>(group.size()); ++k)
    if (group[k] == largest) chosen.push_back(k);
  return chosen;
}

/// In bind space.
TriMesh surface_of(const RigPlan& plan, const std::vector<int>& pieces) {
  std::vector<int> number(static_cast<std::size_t>(plan.points_rest.size() / 3), -1);
  TriMesh surface;
  std::vector<double> points;
  for (const int k : pieces)
    for (int i = plan.pieces[k].first; i < plan.pieces[k].first + plan.pieces[k].count; ++i) {
      number[i] = static_cast<int>(points.size() / 3);
      const Vec3 x = point(plan.points_rest, i);
      points.insert(points.end(), {x.x(), x.y(), x.z()});
    }
  surface.points = Eigen::Map<const Vec>(points.data(), static_cast<Eigen::Index>(points.size()));
  for (const Triangle& t : plan.triangles)
    if (number[t[0]] >= 0) surface.triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
  return surface;
}

/// A rig file on the mesh: one point, one face a line.
std::string text_of(const CageArguments& options, const TriMesh& cage, const std::vector<std::string>& pieces) {
  const auto quoted = [](const std::string& s) { return Json(s).dump(); };
  const double typical = 0.05 * bounding_box(cage.points).size().maxCoeff();
  std::string text = fmt::format("{{\n \"rigspace_rig\": 1,\n \"mesh\": {},\n \"points\": [\n",
                                 quoted(fs::path(options.file).filename().string()));
  std::string names, faces;
  for (int j = 0; j < cage.point_count(); ++j) {
    const std::string end = j + 1 < cage.point_count() ? "," : "", point_name = fmt::format("{}_{}", options.name, j);
    const Vec3 x = point(cage.points, j);
    text += fmt::format("  {{\"name\": {}, \"at\": [{:.9g}, {:.9g}, {:.9g}], \"typical\": {:.6g}}}{}\n",
                        quoted(point_name), x.x(), x.y(), x.z(), typical, end);
    names += (j % 8 == 0 ? "\n    " : " ") + quoted(point_name) + end;
  }
  for (int f = 0; f < cage.triangle_count(); ++f) {
    const Triangle& t = cage.triangles[f];
    faces += fmt::format("{}[{}, {}, {}]{}", f % 8 == 0 ? "\n    " : " ", t[0], t[1], t[2],
                         f + 1 < cage.triangle_count() ? "," : "");
  }
  text += fmt::format(" ],\n \"deformers\": [\n  {{\"type\": \"shapes\"}},\n  {{\"type\": \"cage\", \"name\": {},",
                      quoted(options.name));
  if (!pieces.empty()) text += fmt::format(" \"pieces\": {},", Json(pieces).dump());
  text += fmt::format(" \"coordinates\": {},\n   \"points\": [{}],\n   \"faces\": [{}]}}\n ],\n",
                      quoted(options.coordinates), names, faces);
  return text + fmt::format(" \"rules\": [{{\"match\": {}, \"group\": {}}}]\n}}\n", quoted(options.name + "_*"),
                            quoted(options.name));
}

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

RiggedCharacter read(const std::string& file) {
  if (file.ends_with(".rig.json")) return read_rig_file(file);
  if (file.ends_with(".json") || file.ends_with(".bvh"))
    throw Error({.code = ErrorCode::usage,
                 .file = file,
                 .problem = "is no mesh",
                 .remedy = "a cage is made for a .glb, .gltf, .vrm or .rig.json"});
  if (!fs::exists(file)) throw Error({.file = file, .problem = "does not exist", .remedy = "check the path"});
  const std::string text = Json{{"rigspace_rig", 1}, {"mesh", fs::path(file).filename().string()}}.dump();
  return parse_rig_file(text, file, fs::path(file).parent_path());
}

void run(const CageArguments& arguments, const Context& context) {
  const CancelScope cancel(interrupted);
  CageArguments options = arguments;
  check_input(options.file);
  check_output(options);
  const CageFamily family = cage_family(options.coordinates);
  RiggedCharacter rigged = read(options.file);
  print_warnings(context, options.file, rigged.character.warnings);
  const std::vector<int> pieces = chosen_pieces(rigged.plan, options);
  std::vector<std::string> names, left_out;
  for (int k = 0; k < static_cast<int>(rigged.plan.pieces.size()); ++k)
    (std::find(pieces.begin(), pieces.end(), k) != pieces.end() ? names : left_out)
        .push_back(rigged.plan.pieces[k].name);
  options.cage.progress = terminal_progress();
  AutomaticCage cage;
  try {
    cage = automatic_cage(surface_of(rigged.plan, pieces), options.cage);
  } catch (const Error& error) {
    throw error.in_file(options.file);
  }
  if (left_out.empty()) names.clear();
  plan::add_cage(rigged.plan, options.name, cage.mesh, {.family = family, .drop_below = 1e-5}, names);
  // Shapes come first: what they do to a face is carried along by the cage.
  const auto own = rigged.plan.deformers.begin();
  const auto after = std::find_if(rigged.plan.deformers.rbegin(), rigged.plan.deformers.rend(), [](const auto& each) {
                       return std::holds_alternative<plan::Shapes>(each.kind);
                     }).base();
  if (after > own + 1) std::rotate(own, own + 1, after);
  rigged.character.rig = build(rigged.plan).rig;  // refused before anything is written
  if (!options.picture.empty()) draw(options, rigged, cage.mesh, pieces);
  if (!options.output.empty()) {
    const bool beside = fs::absolute(options.output).parent_path() == fs::absolute(options.file).parent_path();
    if (beside && !options.file.ends_with(".rig.json"))
      write_file(options.output, text_of(options, cage.mesh, names));
    else
      write_rig_file(options.output, rigged);
  }
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
                            {"left_out", left_out}}
                           .dump(2));
    return;
  }
  fmt::print("{}\n  {} faces, {} points around {}; the nearest point of the skin is {:.3g} inside\n",
             options.output.empty() ? options.picture : options.output, cage.mesh.triangle_count(),
             cage.mesh.point_count(), names.empty() ? "everything" : count_in_words(names.size(), "piece", "pieces"),
             cage.clearance);
  if (!cage.reached)
    fmt::print("  {} faces were asked for: no other edge could go without faces that cross\n", options.cage.faces);
  if (!left_out.empty())
    fmt::print("  {} left out: bound in another space (--pieces chooses): {}\n",
               count_in_words(left_out.size(), "piece", "pieces"), fmt::join(left_out, ", "));
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
