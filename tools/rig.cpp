// rigspace rig: start a rig file, look at every control, find what is wrong.

#include "modes.h"
#include "rig_cage.h"
#include "rig_weights.h"
#include "source_options.h"

#include "rigspace/base/cancel_scope.h"
#include "rigspace/base/files.h"
#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/io/gltf.h"
#include "rigspace/io/rig_file.h"
#include "rigspace/render/renderer.h"
#include "rigspace/rig/rig_health.h"

#include <fmt/format.h>

#include <cmath>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;

struct NewOptions {
  std::string file, output;
};

void make_new(const NewOptions& options, const Context& context) {
  check_input(options.file);
  if (options.file.ends_with(".json") || options.file.ends_with(".bvh"))
    throw Error({.code = ErrorCode::usage,
                 .file = options.file,
                 .problem = "is no mesh",
                 .remedy = "a rig file is made for a .glb, .gltf or .vrm"});
  std::filesystem::path output = options.output;
  if (output.empty()) {
    output = options.file;
    output.replace_extension(".rig.json");
  }
  if (!output.string().ends_with(".rig.json"))
    throw Error({.code = ErrorCode::usage,
                 .file = output.string(),
                 .problem = "does not end in .rig.json",
                 .remedy = "name it like hero.rig.json"});
  if (std::filesystem::exists(output))
    throw Error({.code = ErrorCode::usage,
                 .file = output.string(),
                 .problem = "is there already",
                 .remedy = "a rig file is never overwritten; give another name with -o"});
  if (std::filesystem::absolute(output).parent_path() != std::filesystem::absolute(options.file).parent_path())
    throw Error({.code = ErrorCode::usage,
                 .file = output.string(),
                 .problem = "is not in the folder of the mesh",
                 .remedy = "a rig file names its mesh beside it"});
  check_writable(output);
  const Character character = load_gltf(options.file);
  print_warnings(context, options.file, character.warnings);
  write_file(output, new_rig_file(character, options.file));
  if (context.json)
    fmt::print("{}\n", Json{{"output", output.string()}}.dump(2));
  else
    fmt::print("{}\n  edit it, then: rigspace rig check {} and rigspace rig show {} -o sheet.png\n", output.string(),
               output.string(), output.string());
}

struct ShowOptions {
  CharacterSource source;
  std::string output;
  std::vector<std::string> matches;
  int size = 220;
  int most = 60;
};

std::string surface_number(const Control& control, double value) {
  return fmt::format("{:.3g}{}", to_surface(control, value), control.unit == Unit::angle ? " deg" : "");
}

/// The points that a control moves at either extreme by more than a tenth of the most: what the camera looks at.
Vec moved_points(const Vec& rest, const Vec& low, const Vec& high) {
  double most = 0;
  std::vector<int> moved;
  const auto travel = [&](int i) {
    return std::max((point(low, i) - point(rest, i)).norm(), (point(high, i) - point(rest, i)).norm());
  };
  const int count = static_cast<int>(rest.size() / 3);
  for (int i = 0; i < count; ++i) most = std::max(most, travel(i));
  for (int i = 0; i < count; ++i)
    if (most > 0 && travel(i) > 0.1 * most) moved.push_back(i);
  Vec points(9 * static_cast<Eigen::Index>(moved.size()));
  for (std::size_t k = 0; k < moved.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(9 * k);
    points.segment<3>(at) = point(rest, moved[k]);
    points.segment<3>(at + 3) = point(low, moved[k]);
    points.segment<3>(at + 6) = point(high, moved[k]);
  }
  return points;
}

/// Two pictures of a control, at its extremes, as near as what it moves and some of what is around allows.
class ControlCells {
 public:
  ControlCells(const Character& character, int size) : character_(character), renderer_(character), size_(size) {
    rest_ = take_snapshot(character, character.rig->rest());
    body_ = bounding_box(rest_.points).size().maxCoeff();
  }

  Picture draw(int index) const {
    const Control& control = character_.rig->controls()[index];
    const auto [low, high] = extremes(control);
    const Snapshot at_low = snapshot(index, low), at_high = snapshot(index, high);
    Vec looked_at = moved_points(rest_.points, at_low.points, at_high.points);
    const bool moves = looked_at.size() > 0;
    if (!moves) looked_at = rest_.points;
    const double extent = bounding_box(looked_at).size().maxCoeff();
    // Not nearer than a third of the body fills the picture: else the place cannot be recognised.
    FramingOptions framing{.zoom = std::min(0.75, std::max(1e-3, extent / (0.33 * body_)))};
    // From the side on which it is, else the body may stand in front of it.
    const Vec3 off = bounding_box(looked_at).center() - bounding_box(rest_.points).center();
    if (std::hypot(off.x(), off.z()) > 0.1 * body_) framing.azimuth = std::atan2(off.x(), off.z()) + 0.4;
    const Camera camera = frame(looked_at, 1, framing);
    RenderOptions options{.width = size_, .height = size_, .quality = Quality::draft};
    options.ground_height = bounding_box(rest_.points).low.y();
    Picture pair(2 * size_, size_ + 2 * kLine, {255, 255, 255});
    paste(pair, renderer_.render(at_low, camera, options), 0, kLine);
    paste(pair, renderer_.render(at_high, camera, options), size_, kLine);
    const TextStyle name{.height = 9};
    const TextStyle small{.height = 7.5, .color = {120, 122, 128}};
    draw_text(pair, 6, kLine - 6, control.name + (moves ? "" : "  (moves nothing)"), name);
    draw_text(pair, 6, size_ + 2 * kLine - 7, surface_number(control, low), small);
    draw_text(pair, size_ + 6, size_ + 2 * kLine - 7, surface_number(control, high), small);
    return pair;
  }

  static constexpr int kLine = 20;

 private:
  Snapshot snapshot(int index, double value) const {
    Vec p = character_.rig->rest();
    p[index] = value;
    return take_snapshot(character_, p);
  }

  const Character& character_;
  Renderer renderer_;
  int size_;
  Snapshot rest_;
  double body_ = 1;
};

std::vector<int> chosen_controls(const Character& character, const ShowOptions& options) {
  std::vector<int> chosen;
  for (const int i : shown_controls(character.rig->controls())) {
    const Control& control = character.rig->controls()[i];
    const bool wanted = options.matches.empty() ||
                        std::any_of(options.matches.begin(), options.matches.end(), [&](const std::string& pattern) {
                          return matches(control, pattern) || matches_pattern(control.group, pattern);
                        });
    if (wanted) chosen.push_back(i);
  }
  if (chosen.empty())
    throw Error({.code = ErrorCode::usage,
                 .file = options.source.name(),
                 .element = options.matches.empty() ? std::string() : "--match " + options.matches.front(),
                 .problem = "meets no control",
                 .remedy = "`rigspace info --controls` lists them"});
  return chosen;
}

void show(const ShowOptions& options, const Context& context) {
  check_extension(options.output, "png");
  check_writable(options.output);
  const Character character = load(options.source, context);
  std::vector<int> chosen = chosen_controls(character, options);
  const std::size_t all = chosen.size();
  if (chosen.size() > static_cast<std::size_t>(options.most)) chosen.resize(options.most);
  const ControlCells cells(character, options.size);
  const int count = static_cast<int>(chosen.size());
  const int columns = std::max(1, static_cast<int>(std::lround(std::sqrt(count * 0.8))));
  const int rows = (count + columns - 1) / columns;
  constexpr int kGap = 8, kTitle = 34;
  const int width = 2 * options.size, height = options.size + 2 * ControlCells::kLine;
  Picture page(kGap + columns * (width + kGap), kTitle + rows * (height + kGap), {255, 255, 255});
  draw_text(page, kGap + 4, 23, fmt::format("{}: {} controls at their extremes", character.name, count),
            {.height = 12});
  const ProgressCallback progress = terminal_progress();
  for (int k = 0; k < count; ++k) {
    report(progress, "drawing", static_cast<double>(k) / count);
    paste(page, cells.draw(chosen[k]), kGap + k % columns * (width + kGap), kTitle + k / columns * (height + kGap));
  }
  write_png(options.output, page);
  print_incidents(context, character);
  if (context.json) {
    fmt::print("{}\n",
               Json{{"output", options.output}, {"controls", count}, {"left_out", all - chosen.size()}}.dump(2));
  } else {
    fmt::print("{}\n", options.output);
    if (all > chosen.size())
      fmt::print("  {} more controls: --most {} draws them, --match 'tail*' some of them\n", all - chosen.size(), all);
  }
}

struct CheckOptions {
  CharacterSource source;
  HealthOptions health;
};

void list(const std::vector<std::string>& names, const char* heading) {
  if (names.empty()) return;
  fmt::print("  {} {}:", names.size(), heading);
  for (std::size_t k = 0; k < names.size() && k < 12; ++k) fmt::print(" {}", names[k]);
  fmt::print("{}\n", names.size() > 12 ? " .." : "");
}

/// How far the rig at rest is from the mesh at rest, as a share of the size; nothing if it is no rig file.
std::optional<double> rest_change(const CharacterSource& source) {
  if (!source.command.empty() || !source.file.ends_with(".rig.json")) return std::nullopt;
  const RiggedCharacter rigged = read_rig_file(source.file);
  RigPlan bare;
  bare.points_rest = rigged.plan.points_rest;
  bare.pieces = rigged.plan.pieces;
  bare.nodes = rigged.plan.nodes;
  for (const plan::Deformer& deformer : rigged.plan.deformers)
    if (const auto* skin = std::get_if<plan::Skin>(&deformer.kind)) {
      for (const std::string& joint : skin->joints)
        if (std::none_of(bare.nodes.begin(), bare.nodes.end(), [&](const auto& node) { return node.name == joint; }))
          return std::nullopt;  // a helper in the place of a joint: there is nothing to compare with
      bare.deformers.push_back(deformer);
    }
  const BuiltRig mesh = build(bare);
  Vec s, t;
  mesh.rig->evaluate(*mesh.rig->make_workspace(), mesh.rig->rest(), s);
  const Rig& rig = *rigged.character.rig;
  rig.evaluate(*rig.make_workspace(), rig.rest(), t);
  double most = 0;
  for (int i = 0; i < rig.point_count(); ++i) most = std::max(most, (point(s, i) - point(t, i)).norm());
  return most / std::max(bounding_box(s).size().maxCoeff(), 1e-300);
}

void check(const CheckOptions& options, const Context& context) {
  const CancelScope cancel(interrupted);
  const Character character = load(options.source, context);
  const std::optional<double> moved = rest_change(options.source);
  const RigHealth health = check_health(*character.rig, options.health);
  const std::size_t shown = shown_controls(character.rig->controls()).size();
  if (context.json) {
    Json doubles = Json::array();
    for (const auto& [a, b] : health.doubles) doubles.push_back({a, b});
    fmt::print("{}\n", Json{{"controls", shown},
                            {"points", character.rig->point_count()},
                            {"without_effect", health.without_effect},
                            {"noisy", health.noisy},
                            {"doubles", doubles},
                            {"redundant", health.redundant},
                            {"unreached", health.unreached},
                            {"broken", health.broken},
                            {"jacobian_error", health.jacobian_error},
                            {"noise", health.noise},
                            {"rest_change", moved ? Json(*moved) : Json(nullptr)}}
                           .dump(2));
  } else {
    fmt::print("{}\n  {} points, {} controls\n", options.source.name(), character.rig->point_count(), shown);
    list(health.without_effect, "without effect");
    list(health.noisy, "with noisy derivatives");
    std::vector<std::string> doubles;
    for (const auto& [a, b] : health.doubles) doubles.push_back(a + "=" + b);
    list(doubles, "that move all points alike");
    if (health.redundant > 0)
      fmt::print("  {} controls could be left out without losing a pose: others, together, do what they do\n",
                 health.redundant);
    if (moved && *moved > 1e-3)
      fmt::print("  at rest it is {:.2g} % of its size away from the mesh: look at IK targets, poles and drivers\n",
                 100 * *moved);
    for (const std::string& sentence : health.unreached) fmt::print("  {}\n", sentence);
    for (const std::string& sentence : health.broken) fmt::print("  breaks {}\n", sentence);
    if (character.rig->traits().exact_jacobian)
      fmt::print("  derivatives exact: within {:.1e} of differences\n", health.jacobian_error);
    else
      fmt::print("  derivatives by differences; noise {:.1e}\n", health.noise);
    if (health.without_effect.empty() && health.noisy.empty() && doubles.empty() && health.unreached.empty() &&
        health.broken.empty() && !(moved && *moved > 1e-3))
      fmt::print("  nothing to complain about\n");
  }
  print_incidents(context, character);
  if (!health.broken.empty())
    throw Error({.file = options.source.name(),
                 .problem = "breaks in " + std::to_string(health.broken.size()) + " poses within its limits",
                 .remedy = "tighten the limits of the controls named above, or guard the expressions"});
}

}  // namespace

void add_rig(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("rig",
                                     "Rig files: start one, put a cage around it, draw every control, find what is "
                                     "wrong; weights, skeletons, baking; few sliders for many controls");
  command->require_subcommand(1);

  auto* start = command->add_subcommand("new", "A rig file for a mesh: its joints in groups, and room for the rest");
  auto new_options = std::make_shared<NewOptions>();
  start->add_option("FILE", new_options->file, "a mesh with joints: .glb or .gltf")->required();
  start->add_option("-o,--output", new_options->output, "x.rig.json, in the same folder; else FILE.rig.json")
      ->type_name("OUT");
  start->footer("Example\n  rigspace rig new hero.glb");
  start->callback([new_options, &context] { make_new(*new_options, context); });

  auto* draw = command->add_subcommand("show", "Every control at its extremes, on one sheet");
  auto show_options = std::make_shared<ShowOptions>();
  add_source(*draw, show_options->source);
  draw->add_option("-o,--output", show_options->output, "x.png")->required()->type_name("OUT");
  draw->add_option("--match", show_options->matches, "only controls, nodes or groups of this pattern; may be repeated")
      ->type_name("PATTERN")
      ->take_all();
  draw->add_option("--size", show_options->size, "pixels of a side of each picture")
      ->check(CLI::Range(64, 1024))
      ->type_name("N");
  draw->add_option("--most", show_options->most, "controls at most")->check(CLI::Range(1, 1000))->type_name("N");
  draw->footer(
      "Examples\n  rigspace rig show hero.rig.json -o sheet.png\n"
      "  rigspace rig show hero.glb --match 'tail*' -o tail.png");
  draw->callback([show_options, &context] { show(*show_options, context); });

  auto* examine = command->add_subcommand(
      "check", "Controls without effect, doubles, IK that does not reach, poses that break, derivatives");
  auto check_options = std::make_shared<CheckOptions>();
  add_source(*examine, check_options->source);
  examine->add_option("--poses", check_options->health.poses, "random poses to try")
      ->check(CLI::Range(0, 1000))
      ->type_name("N");
  examine->add_flag("--internal", check_options->health.internal, "also controls that are in no group");
  examine->footer("Example\n  rigspace rig check hero.rig.json");
  examine->callback([check_options, &context] { check(*check_options, context); });

  add_rig_cage(*command, context);
  add_rig_modes(*command, context);
  add_rig_weights(*command, context);
  add_rig_skeleton(*command, context);
  add_rig_fit(*command, context);
  add_rig_bake(*command, context);
  add_rig_stand_in(*command, context);
}

}  // namespace rigspace::tools
