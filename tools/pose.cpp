// rigspace pose: points of the surface are pulled, and the rig's controls follow (RSP 6, physics-based IK).

#include "pose_picture.h"
#include "posed_model.h"
#include "pull_arguments.h"
#include "rigspace/anim/bake.h"
#include "rigspace/apps/physics/pose_path.h"
#include "rigspace/base/files.h"
#include "rigspace/geometry/scene_unit.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/export_points.h"
#include "source_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;

struct PoseArguments {
  CharacterSource source;
  PoseOptions pose;
  std::vector<std::string> outputs, pulls, holds;
  FreeArguments controls;
  std::string name = "Pose";
  bool dynamic = false, any_limits = false;
  double young = Material{}.young, unit = 0, strength = PoserOptions{}.strength;
  int iterations = PoserOptions{}.max_iterations;
  PosePicture picture;
  int sheet = 8;
};

bool is_points(const std::string& output) {
  return output.ends_with(".obj") || output.ends_with(".ply") || output.ends_with(".npy");
}

void check_outputs(const PoseArguments& options) {
  for (const std::string& output : options.outputs) {
    check_extension(output, "json glb gltf png obj ply npy");
    if (output.ends_with(".json") && !output.ends_with(".rigspace.json"))
      refuse_usage(output, "does not end in .rigspace.json", "name it like pose.rigspace.json");
    if (!options.source.file.empty()) check_input(options.source.file, output);
    check_writable(output);
  }
}

/// A pose or a motion, and what belongs to it.
struct Result {
  Character character;
  Vec start;
  std::vector<PullArgument> pulls;
  std::vector<int> free;
  PosedClip posed;
  double size = 1;
  bool moves = false;

  Vec last() const { return posed.poses.rightCols<1>(); }
};

PoserOptions poser_options(const PoseArguments& options, const Result& result, const VertexFinder& finder) {
  PoserOptions poser{.strength = options.strength,
                     .use_cache = true,
                     .keep_limits = !options.any_limits,
                     .max_iterations = options.iterations,
                     .step = 1 / (options.pose.fps * std::ceil(120 / options.pose.fps - 1e-9)),
                     .material = {.young = options.young}};
  for (const PullArgument& pull : result.pulls) poser.pulled.push_back(pull.point);
  for (const std::string& hold : options.holds) poser.held.push_back(finder.find(hold));
  return poser;
}

Result solve(const PoseArguments& options, const Context& context) {
  Result result{.character = load(options.source, context)};
  const std::string& file = options.source.name();
  result.start = pose_of(result.character, file, options.pose);
  const VertexFinder finder(result.character, file, result.start);
  for (const std::string& pull : options.pulls) result.pulls.push_back(parse_pull(pull, finder));
  std::vector<PullPath> paths;
  for (const PullArgument& pull : result.pulls) {
    result.moves = result.moves || pull.moves;
    paths.push_back(pull.path);
  }
  if (options.dynamic && !result.moves)
    refuse_usage("--dynamic", "needs a target that moves", "give --pull VERTEX=FILE.csv, lines of time,x,y,z");
  for (const std::string& output : options.outputs)
    if (result.moves && is_points(output))
      refuse_usage(output, "holds one pose, and this is a motion", "write .rigspace.json, .glb or .png");
  PoserOptions settings = poser_options(options, result, finder);
  settings.free = free_controls(result.character, result.start, options.controls,
                                {.pulled = settings.pulled, .held = settings.held, .swing = options.dynamic});
  Vec s;
  result.character.rig->evaluate(*result.character.rig->make_workspace(), result.start, s);
  settings.metres_per_unit = options.unit > 0 ? options.unit : guess_metres_per_unit(s).metres;
  Poser poser(result.character, result.start, settings);
  result.size = poser.size();
  result.free = poser.free();
  const Animation* clip = result.moves ? clip_named(result.character, file, options.pose.clip) : nullptr;
  result.posed =
      pose_along(poser, result.character, paths,
                 {.fps = options.pose.fps, .dynamic = options.dynamic, .clip = clip, .progress = terminal_progress()});
  return result;
}

/// What is written: the motion, or the pose as one key of all that is not at rest.
Animation clip_of(const PoseArguments& options, const Result& result) {
  Animation clip = result.posed.clip;
  if (!result.moves) {
    const Vec p = result.last(), rest = result.character.rig->rest();
    std::vector<int> turned;
    for (int c = 0; c < static_cast<int>(p.size()); ++c)
      if (p[c] != rest[c]) turned.push_back(c);
    const double times[] = {0};
    clip = keys_from_poses(result.character.rig->controls(), turned, times, p);
  }
  clip.name = options.name;
  return clip;
}

void write_picture(const std::string& output, const PoseArguments& options, const Result& result) {
  std::vector<PosedMoment> moments;
  const int frames = static_cast<int>(result.posed.times.size());
  const int count = result.moves ? std::min(options.sheet, frames) : 1;
  for (int m = 0; m < count; ++m) {
    const int k =
        count == 1 ? frames - 1 : static_cast<int>(std::lround(static_cast<double>(m) * (frames - 1) / (count - 1)));
    PosedMoment moment{.time = result.posed.times[k], .p = result.posed.poses.col(k)};
    for (const PullReport& pull : result.posed.reports[k].pulls) moment.targets.push_back(pull.target);
    moments.push_back(std::move(moment));
  }
  PosePicture picture = options.picture;
  picture.ball = 0.02 * result.size;
  picture.title = fmt::format("{}: {}", result.character.name, options.name);
  write_png(output, draw_poses(result.character, moments, picture));
}

void write(const std::string& output, const PoseArguments& options, const Result& result) {
  if (output.ends_with(".png")) return write_picture(output, options, result);
  if (output.ends_with(".glb") || output.ends_with(".gltf"))
    return write_posed_model(output, options.source, result.character, clip_of(options, result), options.pose.fps);
  if (output.ends_with(".json")) {
    const Animation clips[] = {clip_of(options, result)};
    return write_file(output, to_curves_json(curve_file(result.character, clips)));
  }
  Vec s;
  result.character.rig->evaluate(*result.character.rig->make_workspace(), result.last(), s);
  write_points(output, result.character, s);
}

/// Free controls that are no longer where they were, those that turned most first.
std::vector<int> turned_controls(const Result& result) {
  const std::span<const Control> controls = result.character.rig->controls();
  const auto change = [&](int c) {
    return (result.posed.poses.row(c).array() - result.start[c]).abs().maxCoeff() / controls[c].typical;
  };
  std::vector<int> turned;
  for (const int c : result.free)
    if (change(c) > 1e-3) turned.push_back(c);
  std::stable_sort(turned.begin(), turned.end(), [&](int a, int b) { return change(a) > change(b); });
  return turned;
}

Json place(const Vec3& x) { return Json::array({x.x(), x.y(), x.z()}); }

Json json_pulls(const std::vector<PullReport>& reports) {
  Json list = Json::array();
  for (const PullReport& each : reports)
    list.push_back({{"vertex", each.point},
                    {"target", place(each.target)},
                    {"position", place(each.position)},
                    {"distance", each.distance},
                    {"reached", each.reached}});
  return list;
}

Json answer_of(const PoseArguments& options, const Result& result) {
  int iterations = 0;
  for (const PoseReport& each : result.posed.reports) iterations += each.iterations;
  Json answer{{"outputs", options.outputs},
              {"size", result.size},
              {"pulls", json_pulls(result.posed.reports.back().pulls)},
              {"holds", json_pulls(result.posed.reports.back().holds)},
              {"free", result.free.size()},
              {"iterations", iterations},
              {"converged", result.posed.not_converged() == 0}};
  if (result.moves) {
    answer["frames"] = result.posed.times.size();
    answer["largest_distance"] = result.posed.distance();
    answer["at"] = result.posed.worst_time();
    answer["frames_unreached"] = result.posed.unreached();
  }
  Json& controls = answer["controls"] = Json::array();
  for (const int c : turned_controls(result)) {
    const Control& control = result.character.rig->controls()[c];
    controls.push_back({{"name", control.name},
                        {"from", to_surface(control, result.start[c])},
                        {"to", to_surface(control, result.last()[c])}});
  }
  return answer;
}

void print_pull(const std::string& name, const PullReport& pull, double size) {
  if (pull.reached)
    fmt::print("  {}: reached, {:.2g} % of the size away\n", name, 100 * pull.distance / size);
  else
    fmt::print("  {}: not reached, stops {:.3g} away ({:.2g} % of the size): too far, or limits are in the way\n", name,
               pull.distance, 100 * pull.distance / size);
}

void print_answer(const PoseArguments& options, const Result& result) {
  for (const std::string& output : options.outputs) fmt::print("{}\n", output);
  const PoseReport& last = result.posed.reports.back();
  if (result.moves) {
    fmt::print("  {} frames; farthest from a target {:.2g} % of the size, at {:.3g} s\n", result.posed.times.size(),
               100 * result.posed.distance() / result.size, result.posed.worst_time());
    if (result.posed.unreached() > 0)
      fmt::print("  in {} frames a target is not reached: too far, too fast, or limits are in the way\n",
                 result.posed.unreached());
  } else {
    for (std::size_t k = 0; k < last.pulls.size(); ++k)
      print_pull(fmt::format("{} (vertex {})", result.pulls[k].vertex, last.pulls[k].point), last.pulls[k],
                 result.size);
  }
  for (std::size_t k = 0; k < last.holds.size(); ++k)
    if (!last.holds[k].reached) print_pull("hold " + options.holds[k], last.holds[k], result.size);
  const std::vector<int> turned = turned_controls(result);
  fmt::print("  {} of {} free controls turned{}", turned.size(), result.free.size(), turned.empty() ? "" : ":");
  for (std::size_t k = 0; k < turned.size() && k < 12; ++k) {
    const Control& control = result.character.rig->controls()[turned[k]];
    fmt::print("{} {} {:.3g}", k > 0 ? "," : "", control.name, to_surface(control, result.last()[turned[k]]));
  }
  fmt::print("{}\n", turned.size() > 12 ? " .." : "");
}

void pose(const PoseArguments& options, const Context& context) {
  check_outputs(options);
  const Result result = solve(options, context);
  for (const std::string& output : options.outputs) write(output, options, result);
  if (context.json)
    fmt::print("{}\n", answer_of(options, result).dump(2, ' ', false, Json::error_handler_t::replace));
  else
    print_answer(options, result);
  print_incidents(context, result.character);
  if (result.posed.not_converged() > 0)
    throw Error({.code = ErrorCode::not_converged,
                 .file = options.source.name(),
                 .problem = fmt::format("{} of {} poses did not converge; the result is written",
                                        result.posed.not_converged(), result.posed.times.size()),
                 .remedy = "free fewer controls, or bring targets nearer"});
}

void add_solver_options(CLI::App& command, PoseArguments& options) {
  command
      .add_option("--free", options.controls.free, "only these controls turn: names, nodes or groups; may be repeated")
      ->type_name("PATTERN")
      ->take_all();
  command.add_option("--also", options.controls.also, "these turn beside what turns anyway")
      ->type_name("PATTERN")
      ->take_all();
  command.add_option("--keep", options.controls.keep, "these stay as they are")->type_name("PATTERN")->take_all();
  command.add_flag("--beyond-limits", options.any_limits, "controls may leave their limits");
  command.add_option("--strength", options.strength, "of pulls, relative to the body's own stiffness")
      ->check(above_zero())
      ->type_name("K");
  command.add_option("--iterations", options.iterations, "of a solve, at most")
      ->check(CLI::Range(1, 10000))
      ->type_name("N");
  command.add_flag("--dynamic", options.dynamic, "with momentum: the flesh swings after targets that move");
  command.add_option("--young", options.young, "with --dynamic: stiffness of the flesh, Pa")
      ->check(above_zero())
      ->type_name("PA");
  command.add_option("--unit", options.unit, "with --dynamic: metres per unit of the file")
      ->check(above_zero())
      ->type_name("M");
}

}  // namespace

void add_pose(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("pose", "Pull points of the surface: the controls of the rig follow");
  auto options = std::make_shared<PoseArguments>();
  add_source(*command, options->source);
  options->pose.add_to(*command);
  command
      ->add_option("--pull", options->pulls,
                   "where a vertex goes: VERTEX=x,y,z, by how much: VERTEX=+x,y,z, or along lines of time,x,y,z: "
                   "VERTEX=FILE.csv; may be repeated")
      ->required()
      ->type_name("VERTEX=..")
      ->take_all();
  command->add_option("--hold", options->holds, "a vertex that stays; may be repeated")
      ->type_name("VERTEX")
      ->take_all();
  add_solver_options(*command, *options);
  command->add_option("--name", options->name, "of the clip that is written")->type_name("NAME");
  command
      ->add_option("-o,--output", options->outputs,
                   "x.rigspace.json (the controls), x.glb or x.gltf (the character with the pose or motion as a clip), "
                   "x.png, x.obj, x.ply, x.npy; may be repeated")
      ->required()
      ->type_name("OUT")
      ->take_all();
  command->add_option("--sheet", options->sheet, "moments of a motion on a .png")
      ->check(CLI::Range(1, 400))
      ->type_name("N");
  command->add_option("--size", options->picture.size, "pixels of a side of each moment on a .png")
      ->check(CLI::Range(8, 4096))
      ->type_name("N");
  command->add_option("--azimuth", options->picture.azimuth, "of the camera, as in render")->type_name("DEG");
  command->add_option("--elevation", options->picture.elevation, "of the camera, as in render")
      ->check(CLI::Range(-89.0, 89.0))
      ->type_name("DEG");
  command->footer(
      "VERTEX is a number as in `eval`, nearest:x,y,z, or the name of a joint: the vertex nearest to it.\n"
      "Examples\n"
      "  rigspace pose hero.glb --pull hand_l=+0,0.3,0.1 -o pose.png\n"
      "  rigspace pose hero.rig.json --pull 812=0.2,1.1,0.4 --hold foot_l --hold foot_r -o pose.rigspace.json\n"
      "  rigspace pose hero.glb --clip Walk --time 12f --pull head=+0,0,0.1 --keep 'leg*' -o pose.glb\n"
      "  rigspace pose hero.glb --pull hand_l=wave.csv --dynamic --name Wave -o wave.glb");
  command->callback([options, &context] { pose(*options, context); });
}

}  // namespace rigspace::tools
