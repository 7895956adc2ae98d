// rigspace pose: points of the surface are pulled, and the rig's controls follow (RSP 6, physics-based IK).

#include "pose_picture.h"
#include "rigspace/apps/physics/pose_character.h"
#include "source_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;

struct PoseArguments {
  CharacterSource source;
  PoseOptions pose;                         ///< the start
  std::vector<std::string> outputs, pulls;  ///< files; VERTEX=TARGET
  bool any_limits = false;
  PoseRequest request;
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

/// The character, and its pose or motion.
struct Result {
  Character character;
  PosedCharacter posed;
};

Result solve(const PoseArguments& options, const Context& context) {
  PoseRequest request = options.request;
  for (const std::string& pull : options.pulls) request.pulls.push_back(pose_target(pull));
  for (const std::string& output : options.outputs)
    if (request.moves() && is_points(output))
      refuse_usage(output, "holds one pose, and this is a motion", "write .rigspace.json, .glb or .png");
  Result result{.character = load(options.source, context), .posed = {}};
  request.start = pose_of(result.character, options.source.name(), options.pose);
  request.clip = options.pose.clip;
  request.fps = options.pose.fps;
  request.poser.keep_limits = !options.any_limits;
  result.posed = pose_character(result.character, options.source.name(), request, terminal_progress());
  return result;
}

void write_picture(const std::string& output, const PoseArguments& options, const Result& result) {
  const PosedClip& posed = result.posed.posed;
  std::vector<PosedMoment> moments;
  const int frames = static_cast<int>(posed.times.size());
  const int count = result.posed.moves ? std::min(options.sheet, frames) : 1;
  for (int m = 0; m < count; ++m) {
    const int k =
        count == 1 ? frames - 1 : static_cast<int>(std::lround(static_cast<double>(m) * (frames - 1) / (count - 1)));
    PosedMoment moment{.time = posed.times[k], .p = posed.poses.col(k)};
    for (const PullReport& pull : posed.reports[k].pulls) moment.targets.push_back(pull.target);
    moments.push_back(std::move(moment));
  }
  PosePicture picture = options.picture;
  picture.ball = 0.02 * result.posed.size;
  picture.title = fmt::format("{}: {}", result.character.name, result.posed.clip.name);
  write_png(output, draw_poses(result.character, moments, picture));
}

void write(const std::string& output, const PoseArguments& options, const Result& result) {
  if (output.ends_with(".png")) return write_picture(output, options, result);
  save_pose(result.posed, result.character, options.source, output);
}

/// Free controls whose value changed, the largest change first, measured in the control's typical change.
std::vector<int> turned_controls(const Result& result) {
  const std::span<const Control> controls = result.character.rig->controls();
  const auto change = [&](int c) {
    return (result.posed.posed.poses.row(c).array() - result.posed.start[c]).abs().maxCoeff() / controls[c].typical;
  };
  std::vector<int> turned;
  for (const int c : result.posed.free)
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
  for (const PoseReport& each : result.posed.posed.reports) iterations += each.iterations;
  Json answer{{"outputs", options.outputs},
              {"size", result.posed.size},
              {"pulls", json_pulls(result.posed.posed.reports.back().pulls)},
              {"holds", json_pulls(result.posed.posed.reports.back().holds)},
              {"free", result.posed.free.size()},
              {"iterations", iterations},
              {"converged", result.posed.posed.not_converged() == 0}};
  if (result.posed.moves) {
    answer["frames"] = result.posed.posed.times.size();
    answer["largest_distance"] = result.posed.posed.distance();
    answer["at"] = result.posed.posed.worst_time();
    answer["frames_unreached"] = result.posed.posed.unreached();
  }
  Json& controls = answer["controls"] = Json::array();
  for (const int c : turned_controls(result)) {
    const Control& control = result.character.rig->controls()[c];
    controls.push_back({{"name", control.name},
                        {"from", to_surface(control, result.posed.start[c])},
                        {"to", to_surface(control, result.posed.last()[c])}});
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
  const PoseReport& last = result.posed.posed.reports.back();
  if (result.posed.moves) {
    fmt::print("  {} frames; farthest from a target {:.2g} % of the size, at {:.3g} s\n",
               result.posed.posed.times.size(), 100 * result.posed.posed.distance() / result.posed.size,
               result.posed.posed.worst_time());
    if (result.posed.posed.unreached() > 0)
      fmt::print("  in {} frames a target is not reached: too far, too fast, or limits are in the way\n",
                 result.posed.posed.unreached());
  } else {
    for (std::size_t k = 0; k < last.pulls.size(); ++k)
      print_pull(
          fmt::format("{} (vertex {})", options.pulls[k].substr(0, options.pulls[k].rfind('=')), last.pulls[k].point),
          last.pulls[k], result.posed.size);
  }
  for (std::size_t k = 0; k < last.holds.size(); ++k)
    if (!last.holds[k].reached) print_pull("hold " + options.request.holds[k], last.holds[k], result.posed.size);
  const std::vector<int> turned = turned_controls(result);
  fmt::print("  {} of {} free controls turned{}", turned.size(), result.posed.free.size(), turned.empty() ? "" : ":");
  for (std::size_t k = 0; k < turned.size() && k < 12; ++k) {
    const Control& control = result.character.rig->controls()[turned[k]];
    fmt::print("{} {} {:.3g}", k > 0 ? "," : "", control.name, to_surface(control, result.posed.last()[turned[k]]));
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
  if (result.posed.posed.not_converged() > 0)
    throw Error({.code = ErrorCode::not_converged,
                 .file = options.source.name(),
                 .problem = fmt::format("{} of {} poses did not converge; the result is written",
                                        result.posed.posed.not_converged(), result.posed.posed.times.size()),
                 .remedy = "free fewer controls, or bring targets nearer"});
}

void add_solver_options(CLI::App& command, PoseArguments& options) {
  command
      .add_option("--free", options.request.controls.free,
                  "only these controls turn: names, nodes or groups; may be repeated")
      ->type_name("PATTERN")
      ->take_all();
  command.add_option("--also", options.request.controls.also, "these turn beside what turns anyway")
      ->type_name("PATTERN")
      ->take_all();
  command.add_option("--keep", options.request.controls.keep, "these stay as they are")
      ->type_name("PATTERN")
      ->take_all();
  command.add_flag("--beyond-limits", options.any_limits, "controls may leave their limits");
  command.add_option("--strength", options.request.poser.strength, "of pulls, relative to the body's own stiffness")
      ->check(above_zero())
      ->type_name("K");
  command.add_option("--iterations", options.request.poser.max_iterations, "of a solve, at most")
      ->check(CLI::Range(1, 10000))
      ->type_name("N");
  command.add_flag("--dynamic", options.request.dynamic, "with momentum: the flesh swings after targets that move");
  command.add_option("--young", options.request.poser.material.young, "with --dynamic: stiffness of the flesh, Pa")
      ->check(above_zero())
      ->type_name("PA");
  command.add_option("--unit", options.request.metres_per_unit, "with --dynamic: metres per unit of the file")
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
  command->add_option("--hold", options->request.holds, "a vertex that stays; may be repeated")
      ->type_name("VERTEX")
      ->take_all();
  add_solver_options(*command, *options);
  command->add_option("--name", options->request.name, "of the clip that is written")->type_name("NAME");
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
