// rigspace sketch: strokes pose the character (Thesis 5).

#include "rigspace/apps/sketch/chosen_controls.h"
#include "rigspace/apps/sketch/pose_by_sketch.h"
#include "rigspace/base/cancel_scope.h"
#include "rigspace/base/files.h"
#include "rigspace/io/blend_file.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/export_points.h"
#include "rigspace/jobs/posed_model.h"
#include "rigspace/render/renderer.h"
#include "sketch_ink.h"
#include "source_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;

struct SketchArguments {
  CharacterSource source;
  PoseOptions pose;
  SketchJob job;
  std::string strokes;
  std::vector<std::string> outputs, free, keep;
  int size = 640;
  bool any_limits = false;
};

/// The pose as the drawing sees it with the strokes over it; beside it the same from the side, where depth shows.
Picture draw_pose(const Character& character, const Renderer& renderer, const SketchedPose& pose,
                  const SketchArguments& options, double aspect) {
  const int height = options.size, width = std::max(8, static_cast<int>(std::lround(height * aspect)));
  const Snapshot snapshot = take_snapshot(character, pose.p);
  RenderOptions look{.width = width, .height = height};
  Picture front = renderer.render(snapshot, pose.camera.as_perspective(), look);
  for (const Stroke& stroke : pose.strokes) draw_stroke(front, stroke.points, stroke.closed, kDrawn);
  for (const Stroke& stroke : pose.seen) draw_stroke(front, stroke.points, stroke.closed, kSeen);
  const Vec3 back = pose.camera.axes().col(2);
  look.width = look.height = height / 2;
  const Picture side = renderer.render(
      snapshot,
      frame(snapshot.points, 1, {.azimuth = std::atan2(back.x(), back.z()) + 75 * kDegree, .elevation = 8 * kDegree}),
      look);
  Picture page(width + look.width, height);
  paste(page, front, 0, 0);
  paste(page, side, width, height - look.height);
  return page;
}

Picture draw(const Character& character, const SketchResult& result, const SketchArguments& options, double aspect) {
  const Renderer renderer(character);
  std::vector<Picture> pages;
  for (const SketchedPose& pose : result.poses) pages.push_back(draw_pose(character, renderer, pose, options, aspect));
  const int columns = std::min<int>(4, static_cast<int>(pages.size())),
            rows = (static_cast<int>(pages.size()) + columns - 1) / columns;
  Picture sheet(columns * pages[0].width(), rows * pages[0].height());
  for (int k = 0; k < static_cast<int>(pages.size()); ++k)
    paste(sheet, pages[static_cast<std::size_t>(k)], k % columns * pages[0].width(), k / columns * pages[0].height());
  return sheet;
}

void check_outputs(const SketchArguments& options, std::string_view endings) {
  for (const std::string& output : options.outputs) {
    check_extension(output, endings);
    if (!options.source.file.empty()) check_input(options.source.file, output);
    check_writable(output);
  }
}

/// --abstraction FILE.json: the first of the file is meant, whatever the character's own are called.
void use_abstraction_file(SketchArguments& options, Character& character) {
  if (!options.job.abstraction.ends_with(".json")) return;
  const std::string file = options.job.abstraction;
  std::vector<SketchAbstraction> given = parse_abstractions(read_text(file), file, character);
  options.job.abstraction = given.front().name;
  for (SketchAbstraction& each : given) keep_abstraction(character, std::move(each));
}

Json json_report(const SketchedPose& pose) {
  Json strokes = Json::array();
  for (const StrokeReport& each : pose.report.strokes)
    strokes.push_back({{"stroke", each.stroke},
                       {"curve", each.curve.empty() ? Json(nullptr) : Json(each.curve)},
                       {"reversed", each.reversed},
                       {"residual", each.residual},
                       {"reached", each.reached}});
  return {{"time", pose.time},
          {"residual", pose.report.residual},
          {"iterations", pose.report.iterations},
          {"evaluations", pose.report.evaluations},
          {"converged", pose.report.converged},
          {"strokes", std::move(strokes)}};
}

Json answer_of(const SketchArguments& options, const Character& character, const SketchResult& result, double seconds) {
  Json answer{{"outputs", options.outputs},
              {"abstraction", result.abstraction},
              {"camera", Json::parse(camera_json(result.camera))},
              {"size", result.size},
              {"free", result.free.size()},
              {"seconds", seconds},
              {"unreached", result.unreached()},
              {"converged", result.converged()}};
  Json& poses = answer["poses"] = Json::array();
  for (const SketchedPose& pose : result.poses) {
    Json each = json_report(pose);
    Json& controls = each["controls"] = Json::object();
    const Vec rest = character.rig->rest();
    for (const int c : result.free)
      if (std::abs(pose.p[c] - rest[c]) > 1e-9)
        controls[character.rig->controls()[c].name] = to_surface(character.rig->controls()[c], pose.p[c]);
    poses.push_back(std::move(each));
  }
  return answer;
}

void print_answer(const SketchArguments& options, const SketchResult& result, double seconds) {
  for (const std::string& output : options.outputs) fmt::print("{}\n", output);
  for (const SketchedPose& pose : result.poses) {
    if (result.poses.size() > 1) fmt::print("  at {:.3g} s:\n", pose.time);
    for (const StrokeReport& each : pose.report.strokes) {
      if (each.curve.empty())
        fmt::print("  {}: stands for no curve, left out\n", each.stroke);
      else
        fmt::print("  {}: {}{}, {:.2g} % of the size away{}\n", each.stroke, each.curve,
                   each.reversed ? " drawn backwards" : "", 100 * each.residual,
                   each.reached ? "" : ": not reached, too long or limits are in the way");
    }
  }
  fmt::print("  {} free controls, {:.0f} ms\n", result.free.size(), 1e3 * seconds);
}

void pose(SketchArguments& options, const Context& context) {
  const CancelScope cancel(interrupted);
  check_outputs(options, "json glb gltf png obj ply npy");
  for (const std::string& output : options.outputs)
    if (output.ends_with(".json") && !output.ends_with(".rigspace.json"))
      refuse_usage(output, "does not end in .rigspace.json", "name it like pose.rigspace.json");
  const StrokeFile drawing = read_strokes(options.strokes);
  Character character = with_joints(load(options.source, context));
  use_abstraction_file(options, character);
  const Vec start = pose_of(character, options.source.name(), options.pose);
  options.job.options.controls.free = chosen_controls(*character.rig, options.free, options.keep);
  if (options.any_limits) options.job.options.controls.keep_limits = options.job.options.controls.body_limits = false;
  const auto begin = std::chrono::steady_clock::now();
  const SketchResult result = [&] {
    try {
      return pose_by_sketch(character, drawing, start, options.job, terminal_progress());
    } catch (const Error& error) {
      throw error.info().file.empty() && error.code() != ErrorCode::cancelled ? error.in_file(options.strokes) : error;
    }
  }();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (const std::string& output : options.outputs) {
    if (output.ends_with(".png")) {
      write_png(output, draw(character, result, options, drawing.aspect()));
    } else if (output.ends_with(".glb") || output.ends_with(".gltf")) {
      write_posed_model(output, options.source, character, result.clip, options.pose.fps);
    } else if (output.ends_with(".json")) {
      const Animation clips[] = {result.clip};
      write_file(output, to_curves_json(curve_file(character, clips)));
    } else {
      Vec s;
      character.rig->evaluate(*character.rig->make_workspace(), result.poses.back().p, s);
      write_points(output, character, s);
    }
  }
  if (context.json)
    fmt::print("{}\n",
               answer_of(options, character, result, seconds).dump(2, ' ', false, Json::error_handler_t::replace));
  else
    print_answer(options, result, seconds);
  print_incidents(context, character);
}

void strokes(SketchArguments& options, const Context& context) {
  check_outputs(options, "json svg png");
  Character character = with_joints(load(options.source, context));
  use_abstraction_file(options, character);
  const Vec p = pose_of(character, options.source.name(), options.pose);
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), p, s);
  const Camera camera = sketch_camera(options.job.camera.empty() ? "front" : options.job.camera, s, 1);
  SketchPoser poser(character, find_abstraction(character, options.job.abstraction, p, camera), camera, p);
  StrokeFile file{
      .strokes = poser.seen(), .width = options.size, .height = options.size, .camera = camera_json(camera)};
  for (const std::string& output : options.outputs) {
    if (output.ends_with(".png")) {
      Picture picture = Renderer(character).render(take_snapshot(character, p), camera.as_perspective(),
                                                   {.width = options.size, .height = options.size});
      for (const Stroke& stroke : file.strokes) draw_stroke(picture, stroke.points, stroke.closed, kSeen);
      write_png(output, picture);
    } else {
      write_file(output, output.ends_with(".svg") ? to_strokes_svg(file) : to_strokes_json(file));
    }
  }
  if (context.json) {
    Json names = Json::array();
    for (const Stroke& stroke : file.strokes) names.push_back(stroke.name);
    fmt::print("{}\n",
               Json{{"outputs", options.outputs}, {"abstraction", options.job.abstraction}, {"curves", names}}.dump(
                   2, ' ', false, Json::error_handler_t::replace));
  } else {
    for (const std::string& output : options.outputs) fmt::print("{}\n", output);
    for (const Stroke& stroke : file.strokes) fmt::print("  {}\n", stroke.name);
  }
}

void add_common(CLI::App& command, SketchArguments& options) {
  add_source(command, options.source);
  options.pose.add_to(command);
  command
      .add_option("--abstraction", options.job.abstraction,
                  "stick, outline, action, one of the rig file's own, or a .json file of such")
      ->type_name("NAME");
  command
      .add_option("--camera", options.job.camera,
                  "front, back, left, right, top, three-quarter, or JSON: {\"azimuth\": 20, \"orthographic\": true}, "
                  "{\"eye\": [0,1,4], \"target\": [0,1,0], \"fov\": 28}")
      ->type_name("VIEW");
  command.add_option("--size", options.size, "pixels of the height of a picture or drawing")
      ->check(CLI::Range(32, 4096))
      ->type_name("N");
}

}  // namespace

void add_sketch(CLI::App& app, Context& context) {
  register_sketch_block();
  auto* group = app.add_subcommand("sketch", "Draw the pose: strokes move the controls of the rig");
  group->require_subcommand(1);
  auto* command = group->add_subcommand("pose", "Strokes of a file pose the character");
  auto options = std::make_shared<SketchArguments>();
  add_common(*command, *options);
  command->add_option("--strokes", options->strokes, "the drawing: .json or .svg")->required()->type_name("FILE");
  command->add_option("--free", options->free, "only these controls turn: names or nodes; may be repeated")
      ->type_name("PATTERN")
      ->take_all();
  command->add_option("--keep", options->keep, "these stay as they are")->type_name("PATTERN")->take_all();
  command->add_flag("--scales", options->job.options.controls.scales, "bones may change their lengths by their scales");
  command->add_flag("--shapes", options->job.options.controls.shapes, "morphs and other plain numbers move too");
  command->add_flag("--beyond-limits", options->any_limits,
                    "controls may leave their limits, and joints those of bodies");
  command->add_option("--name", options->job.clip, "of the clip that is written")->type_name("NAME");
  command
      ->add_option("-o,--output", options->outputs,
                   "x.glb or x.gltf (the character with the pose or motion as a clip), x.rigspace.json (the controls), "
                   "x.png, x.obj, x.ply, x.npy; may be repeated")
      ->required()
      ->type_name("OUT")
      ->take_all();
  command->footer(
      "Strokes in any order and direction are given to the curves of the abstraction that they fit.\n"
      "Examples\n"
      "  rigspace sketch strokes hero.glb --camera front -o drawing.svg    then redraw the lines\n"
      "  rigspace sketch pose hero.glb --strokes drawing.svg -o pose.png -o pose.glb\n"
      "  rigspace sketch pose hero.glb --strokes drawing.json --abstraction outline --clip Walk --time 12f -o "
      "pose.glb");
  command->callback([options, &context] { pose(*options, context); });

  auto* write = group->add_subcommand("strokes", "The present pose as strokes, to start a drawing from");
  auto written = std::make_shared<SketchArguments>();
  add_common(*write, *written);
  write->add_option("-o,--output", written->outputs, "x.json, x.svg or x.png; may be repeated")
      ->required()
      ->type_name("OUT")
      ->take_all();
  write->footer("Examples\n  rigspace sketch strokes hero.glb --camera three-quarter -o drawing.json");
  write->callback([written, &context] { strokes(*written, context); });
  add_sketch_build(*group, context);
}

}  // namespace rigspace::tools
