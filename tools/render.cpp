// rigspace render: pictures without a GPU or a display.

#include "source_options.h"

#include "rigspace/base/cancel_scope.h"
#include "rigspace/io/view_path_file.h"
#include "rigspace/render/sheet.h"
#include "rigspace/render/video.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>

namespace rigspace::tools {
namespace {

constexpr double kTurnSeconds = 6;

struct RenderArguments {
  CharacterSource source;
  std::string output;
  PoseOptions pose;
  int sheet = 0;
  bool turntable = false;
  int size = 0;
  std::vector<int> pixels;
  std::string quality = "normal";
  bool follow = false, clay = false, wireframe = false, skeleton = false;
  double azimuth = 32, elevation = 11, zoom = 1;
  std::string camera_path;
};

RenderOptions render_options(const RenderArguments& options, int default_size) {
  static const std::map<std::string, Quality> kQualities = {
      {"draft", Quality::draft}, {"normal", Quality::normal}, {"high", Quality::high}};
  RenderOptions render;
  render.width = render.height = options.size > 0 ? options.size : default_size;
  if (options.pixels.size() == 2) render.width = options.pixels[0], render.height = options.pixels[1];
  render.quality = kQualities.at(options.quality);
  render.colors = !options.clay;
  render.wireframe = options.wireframe;
  render.skeleton = options.skeleton;
  return render;
}

bool is_video(const std::string& output) { return output.ends_with(".gif") || output.ends_with(".mp4"); }

/// The moments that a sheet or a video shows.
Motion motion_of(const Renderer& renderer, const RenderArguments& options) {
  const Character& character = renderer.character();
  std::string clip = options.pose.clip;
  if (clip.empty() && !character.clips.empty()) clip = character.clips.front().name;
  const Animation* animation = clip_named(character, options.source.name(), clip);
  if (animation == nullptr)
    throw Error({.file = options.source.name(),
                 .problem = "has no clips",
                 .remedy = "use --turntable, or a picture without --sheet"});
  return is_video(options.output) ? clip_motion_at_rate(character, animation, options.pose.fps)
                                  : clip_motion(character, animation, options.sheet);
}

/// The moments of a film as long as the camera's path: the clip repeats, or the character stands still. A sheet has
/// them evenly from the path's beginning to its end.
Motion motion_along(const Renderer& renderer, const ViewPath& path, const RenderArguments& options) {
  const Character& character = renderer.character();
  std::string clip = options.pose.clip;
  if (clip.empty() && !character.clips.empty()) clip = character.clips.front().name;
  const Animation* animation = clip.empty() ? nullptr : clip_named(character, options.source.name(), clip);
  Motion motion{.title = animation != nullptr ? animation->name : character.name};
  motion.at = [&character, animation](double time) {
    const double length = animation != nullptr ? animation->duration : 0;
    return take_snapshot(character, pose_at(character, animation, length > 0 ? std::fmod(time, length) : 0));
  };
  const double begin = std::max(0.0, path.begin()), end = std::max(begin, path.end());
  const int frames = is_video(options.output)
                         ? std::max(1, static_cast<int>(std::ceil((end - begin) * options.pose.fps - 1e-6)))
                         : options.sheet;
  for (int k = 0; k < frames; ++k)
    motion.times.push_back(is_video(options.output) ? begin + k / options.pose.fps
                           : frames > 1             ? begin + (end - begin) * k / (frames - 1)
                                                    : begin);
  return motion;
}

void draw(const RenderArguments& options) {
  const CancelScope cancel(interrupted);
  std::optional<ViewPath> path;
  if (!options.camera_path.empty()) path = read_view_path(options.camera_path);
  std::function<Camera(double)> camera;
  if (path) camera = [&path](double time) { return path->at(time); };
  check_extension(options.output, "png gif mp4");
  check_writable(options.output);
  const Character character = options.source.load({});
  const Renderer renderer(character);
  const FramingOptions framing{
      .azimuth = options.azimuth * kDegree, .elevation = options.elevation * kDegree, .zoom = options.zoom};
  const ProgressCallback progress = terminal_progress();
  const auto snapshot = [&] {
    return take_snapshot(character, pose_of(character, options.source.name(), options.pose));
  };

  if (is_video(options.output)) {
    const VideoOptions video{.picture = render_options(options, 480),
                             .framing = framing,
                             .frames_per_second = options.pose.fps,
                             .follow = options.follow,
                             .camera = camera};
    if (path)
      write_video(options.output, renderer, motion_along(renderer, *path, options), video, progress);
    else if (options.turntable)
      write_turntable_video(options.output, renderer, snapshot(), kTurnSeconds, video, progress);
    else
      write_video(options.output, renderer, motion_of(renderer, options), video, progress);
  } else if (options.sheet > 0 || options.turntable) {
    const SheetOptions sheet{
        .cell = render_options(options, 320), .framing = framing, .follow = options.follow, .camera = camera};
    write_png(options.output,
              path ? contact_sheet(renderer, motion_along(renderer, *path, options), sheet, progress)
              : options.turntable
                  ? turntable_sheet(renderer, snapshot(), options.sheet > 0 ? options.sheet : 8, sheet, progress)
                  : contact_sheet(renderer, motion_of(renderer, options), sheet, progress));
  } else {
    const RenderOptions picture = render_options(options, 640);
    const Snapshot moment = snapshot();
    const double aspect = static_cast<double>(picture.width) / picture.height;
    const Camera view = camera ? camera(parse_time(options.pose.time, options.pose.fps, "--time"))
                               : frame(moment.points, aspect, framing);
    write_png(options.output, renderer.render(moment, view, picture));
  }
  print_incidents({}, character);
}

}  // namespace

void add_render(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("render", "Pictures without a GPU: a moment, a contact sheet, a turntable, a video");
  auto options = std::make_shared<RenderArguments>();
  add_source(*command, options->source);
  command->add_option("-o,--output", options->output, "x.png; x.gif or x.mp4 where ffmpeg is installed")
      ->required()
      ->type_name("OUT");
  options->pose.add_to(*command);
  command->add_option("--sheet", options->sheet, "N moments of the clip (the first, without --clip) on one page")
      ->check(CLI::Range(1, 400))
      ->type_name("N");
  auto* turntable =
      command->add_flag("--turntable", options->turntable, "from all sides: 8 views, or as many as --sheet says");
  auto* size = command->add_option("--size", options->size, "pixels of a side of each picture")
                   ->check(CLI::Range(8, 8192))
                   ->type_name("N");
  command->add_option("--pixels", options->pixels, "width and height of each picture, in pixels")
      ->expected(2)
      ->check(CLI::Range(8, 8192))
      ->type_name("W H")
      ->excludes(size);
  command->add_option("--quality", options->quality, "draft, normal or high")
      ->check(CLI::IsMember({"draft", "normal", "high"}))
      ->type_name("Q");
  auto* follow = command->add_flag("--follow", options->follow, "the camera travels with the character");
  command->add_flag("--clay", options->clay, "without colours and textures");
  command->add_flag("--wireframe", options->wireframe, "with the edges of the mesh");
  command->add_flag("--skeleton", options->skeleton, "with the joints, over the surface");
  command
      ->add_option("--azimuth", options->azimuth,
                   "where the camera stands: degrees from the front, to the character's left")
      ->type_name("DEG");
  command->add_option("--elevation", options->elevation, "degrees above the horizon")
      ->check(CLI::Range(-89.0, 89.0))
      ->type_name("DEG");
  command->add_option("--zoom", options->zoom, "above 1 comes closer than the fit")
      ->check(CLI::Range(0.05, 50.0))
      ->type_name("Z");
  command
      ->add_option("--camera-path", options->camera_path,
                   "path.json: keys of the camera's eye, target and field of view over time (docs/curves.md); a "
                   "video lasts as long as the path, the clip repeats")
      ->type_name("PATH")
      ->excludes(turntable)
      ->excludes(follow);
  command->footer(
      "Examples\n"
      "  rigspace render hero.glb -o hero.png\n"
      "  rigspace render hero.glb --clip Walk --camera-path shot.json -o shot.mp4\n"
      "  rigspace render hero.glb --clip Walk --sheet 8 -o walk.png\n"
      "  rigspace render hero.glb --clip Walk --time 12f --skeleton --clay -o pose.png\n"
      "  rigspace render hero.glb --turntable -o turn.png\n"
      "  rigspace render hero.glb --clip Walk --follow -o walk.mp4");
  command->callback([options, &context] {
    draw(*options);
    if (context.json)
      fmt::print("{}\n", nlohmann::ordered_json{{"output", options->output}}.dump(2));
    else
      fmt::print("{}\n", options->output);
  });
}

}  // namespace rigspace::tools
