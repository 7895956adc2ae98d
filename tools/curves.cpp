// rigspace curves: clips with fewer keys, other keys, closed ends, or other clips on top.

#include "curves_job.h"
#include "modes.h"

#include "rigspace/anim/bake.h"
#include "rigspace/anim/control_modes.h"
#include "rigspace/anim/key_fitting.h"
#include "rigspace/anim/key_rate.h"
#include "rigspace/anim/loop.h"
#include "rigspace/anim/merge.h"
#include "rigspace/anim/plain_character.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/gltf.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;

int frame_of(const std::vector<double>& frames, double time) {
  return static_cast<int>(std::upper_bound(frames.begin(), frames.end(), time + 1e-9) - frames.begin()) - 1;
}

/// Against the source as it is played, at frames and half-way between them; a share of the height.
double played_error(const Character& character, const Animation& source, const Animation& fitted,
                    const std::vector<double>& frames) {
  std::vector<double> times = frames;
  for (std::size_t i = 0; i + 1 < frames.size(); ++i) times.push_back(std::midpoint(frames[i], frames[i + 1]));
  const double height = rest_height(*character.rig);
  return height > 0 ? surface_error(*character.rig, source, fitted, times).distance / height : 0;
}

void fit(const Context& context, const CurvesArguments& options) {
  CurvesJob job(context, options);
  const auto start = std::chrono::steady_clock::now();
  const KeyFitting fitted = fit_keys(job.character(), job.clip(),
                                     {.tolerance = options.tolerance / 100,
                                      .rate = options.fps,
                                      .share_times = job.is_gltf_output(),
                                      .refine = !options.quick,
                                      .progress = terminal_progress()});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::vector<double> frames =
      options.fps > 0 ? frame_times(job.clip().duration, options.fps) : source_frames(job.clip());
  const int frame = frame_of(frames, fitted.error.time);
  const double played = played_error(job.character(), job.clip(), fitted.animation, frames);
  job.write(fitted.animation, "_fit");
  job.answer.update({{"keys_before", fitted.keys_before},
                     {"keys_after", fitted.keys_after},
                     {"error_percent", 100 * fitted.share()},
                     {"error_frame", frame},
                     {"error_time", fitted.error.time},
                     {"error_vertex", fitted.error.point},
                     {"played_error_percent", 100 * played},
                     {"loop", fitted.loop},
                     {"within_tolerance", fitted.within_tolerance},
                     {"seconds", seconds}});
  const std::string where =
      fitted.error.point < 0 ? "" : fmt::format(" at frame {}, vertex {}", frame, fitted.error.point);
  const std::string between =
      100 * played <= options.tolerance
          ? ""
          : fmt::format(" ({:.3f} % between frames, where the source is played in straight lines)", 100 * played);
  job.say(fmt::format("{} keys -> {} ({:.0f} %); largest error {:.3f} % of the height{}{}{}; {:.1f} s",
                      fitted.keys_before, fitted.keys_after,
                      100.0 * fitted.keys_after / std::max(1, fitted.keys_before), 100 * fitted.share(), where, between,
                      fitted.loop ? "; loops" : "", seconds));
  if (!fitted.within_tolerance)
    throw Error(
        {.code = ErrorCode::not_converged,
         .file = options.output,
         .element = "clip \"" + job.clip().name + "\"",
         .problem = fmt::format("has an error of {:.3f} % even with a key at every frame", 100 * fitted.share()),
         .remedy = "it was written all the same; give a larger --tolerance or --fps"});
}

void resample_clip(const Context& context, const CurvesArguments& options) {
  CurvesJob job(context, options);
  const Animation sampled = resample(job.clip(), options.fps);
  const SurfaceError error = surface_error(*job.character().rig, job.clip(), sampled, source_frames(job.clip()));
  const double height = rest_height(*job.character().rig), share = height > 0 ? error.distance / height : 0;
  job.write(sampled, fmt::format("_{:g}fps", options.fps));
  job.answer.update({{"keys_before", key_count(job.clip())},
                     {"keys_after", key_count(sampled)},
                     {"error_percent", 100 * share},
                     {"error_time", error.time},
                     {"error_vertex", error.point}});
  job.say(fmt::format("{} keys -> {}; largest error at the old frames {:.3f} % of the height", key_count(job.clip()),
                      key_count(sampled), 100 * share));
}

void loop_clip(const Context& context, const CurvesArguments& options) {
  CurvesJob job(context, options);
  const LoopedClip loop = make_loop(
      *job.character().rig, job.clip(),
      {.whole = options.whole, .min_period = options.min_period, .blend = options.blend, .rate = options.fps});
  const double height = std::max(1e-300, rest_height(*job.character().rig));
  job.write(loop.animation, "_loop");
  job.answer.update({{"start", loop.start},
                     {"end", loop.end},
                     {"gap_before_percent", 100 * loop.gap_before / height},
                     {"gap_after_percent", 100 * loop.gap_after / height},
                     {"jump_before_percent_per_second", 100 * loop.jump_before / height},
                     {"jump_after_percent_per_second", 100 * loop.jump_after / height},
                     {"traveller", loop.seam.traveller},
                     {"travel", {loop.seam.travel[0], loop.seam.travel[1], loop.seam.travel[2]}},
                     {"loops", loop.seam.loops}});
  job.say(
      fmt::format("{:.3f} s to {:.3f} s; seam {:.3f} % of the height -> {:.3f} %, change of velocity {:.1f} % of the "
                  "height a second -> {:.1f} %{}",
                  loop.start, loop.end, 100 * loop.gap_before / height, 100 * loop.gap_after / height,
                  100 * loop.jump_before / height, 100 * loop.jump_after / height,
                  loop.seam.traveller.empty() ? "" : "; " + loop.seam.traveller + " travels"));
}

/// `[over=]FILE[:CLIP]`.
Layer read_layer(const std::string& text, const Character& character, const std::string& output) {
  std::string file = text, clip;
  Layer layer{.name = text, .blend = Blend::additive};
  if (file.starts_with("over=")) layer.blend = Blend::absolute, file = file.substr(5);
  if (const std::size_t colon = file.rfind(':'); colon != std::string::npos && !std::filesystem::exists(file))
    clip = file.substr(colon + 1), file = file.substr(0, colon);
  check_apart(file, output, "layer");
  const std::vector<Animation> clips =
      file.ends_with(".rigspace.json") ? read_curves(file).clips : load_character(file).clips;
  layer.animation = clip_to_edit(clips, file, clip);
  const Sampler sampler(layer.animation, character.rig->controls());
  if (const auto unbound = sampler.unbound(); !unbound.empty())
    throw Error({.file = file,
                 .element = "control \"" + unbound.front() + "\"",
                 .value = unbound.front(),
                 .problem = "does not exist in the character",
                 .remedy = "layers move the controls of the base"});
  if (layer.blend == Blend::additive) layer.animation = relative_to_rest(layer.animation, character.rig->controls());
  return layer;
}

void merge(const Context& context, const CurvesArguments& options) {
  CurvesJob job(context, options);
  std::vector<Layer> layers;
  for (const std::string& text : options.layers) layers.push_back(read_layer(text, job.character(), options.output));
  const double rate = options.fps > 0 ? options.fps : key_rate(job.clip());
  const Animation merged = merge_layers(job.clip(), layers, job.character().rig->controls(), rate);
  const SurfaceError change =
      surface_error(*job.character().rig, job.clip(), merged, frame_times(merged.duration, rate));
  const double height = std::max(1e-300, rest_height(*job.character().rig));
  job.write(merged, "_merged");
  job.answer.update({{"layers", layers.size()},
                     {"fps", rate},
                     {"change_percent", 100 * change.distance / height},
                     {"change_time", change.time},
                     {"change_vertex", change.point}});
  job.say(
      fmt::format("{} layers at {:g} frames a second; moves the base by at most {:.2f} % of the height, at {:.3f} s",
                  layers.size(), rate, 100 * change.distance / height, change.time));
}

/// One mode of what the clip does beyond its base, stronger or weaker (RSP fig. 9).
void scale_modes(const Context& context, const CurvesArguments& given) {
  CurvesArguments options = given;
  if (given.file.ends_with(".rigspace.json")) {
    if (given.rig.empty())
      refuse_file(given.file, "has no rig", "name the character with --rig, and the curves with FILE");
    options.curves = given.file, options.file = given.rig;
  }
  CurvesJob job(context, options);
  const std::span<const Control> controls = job.character().rig->controls();
  const Animation base = options.base.empty() ? Animation() : job.other(options.base);
  const ModeSample sample{.clip = &job.clip(), .base = options.base.empty() ? nullptr : &base};
  const ControlModes modes = find_modes(job.character(), controls_matching(controls, options.controls),
                                        std::vector<ModeSample>{sample}, {.count = options.count});
  const std::vector<double> factors = parse_mode_factors(options.scales, modes.count());
  const Animation edited = scaled_modes(controls, modes, sample, factors);
  const SurfaceError change = surface_error(*job.character().rig, job.clip(), edited, source_frames(edited));
  const double height = std::max(1e-300, rest_height(*job.character().rig));
  job.write(edited, "_modes");
  Json shares = Json::array();
  std::string said;
  for (int k = 0; k < modes.count(); ++k) {
    shares.push_back(modes.modes[k].share);
    said += fmt::format("{}{} ({:.1f} %)", k > 0 ? ", " : "", k + 1, 100 * modes.modes[k].share);
  }
  job.answer.update({{"shares", shares},
                     {"factors", factors},
                     {"change_percent", 100 * change.distance / height},
                     {"change_time", change.time},
                     {"change_vertex", change.point}});
  job.say(fmt::format("modes {}; moves the surface by at most {:.2f} % of the height, at {:.3f} s", said,
                      100 * change.distance / height, change.time));
}

using Run = void (*)(const Context&, const CurvesArguments&);

CLI::App* add(CLI::App& curves, const char* name, const char* text, std::pair<Run, Context*> action,
              const std::shared_ptr<CurvesArguments>& options) {
  CLI::App* command = curves.add_subcommand(name, text);
  command->add_option("FILE", options->file, "a character: " + character_endings("or"))->required();
  command->add_option("--clip", options->clip, "the clip; needed where there are several")->type_name("NAME");
  command->add_option("--curves", options->curves, "take the clip from this .rigspace.json instead of the character")
      ->type_name("FILE");
  command->add_option("-o,--output", options->output, "x.glb: the character with one more clip; or x.rigspace.json ..")
      ->required()
      ->type_name("OUT");
  command->add_option("--name", options->name, "of the new clip; by default the old one and what was done to it")
      ->type_name("NAME");
  command->callback([options, action] { action.first(*action.second, *options); });
  return command;
}

}  // namespace

void add_curves(CLI::App& app, Context& context) {
  CLI::App* curves =
      app.add_subcommand("curves", "Clips with fewer keys, at another rate, as loops, merged, or with stronger modes");
  curves->require_subcommand(1);
  curves->fallthrough();
  auto options = std::make_shared<CurvesArguments>();
  const auto fps = [&](CLI::App* command, const char* text) {
    return command->add_option("--fps", options->fps, text)->check(frame_rate())->type_name("N");
  };
  CLI::App* fitting =
      add(*curves, "fit", "The fewest cubic keys for the same motion of the surface", {fit, &context}, options);
  fitting->add_option("--tolerance", options->tolerance, "largest error on the surface, in percent of the height")
      ->check(above_zero())
      ->capture_default_str()
      ->type_name("PERCENT");
  fps(fitting, "frames a second; by default those of the clip");
  fitting->add_flag("--quick", options->quick, "do not look for the last keys that can go");
  fitting->footer(
      "Examples\n  rigspace curves fit hero.glb --clip Walk -o fitted.glb\n"
      "  rigspace curves fit hero.glb --clip Walk --tolerance 0.5 -o walk.rigspace.json");
  CLI::App* sampling = add(*curves, "resample", "Linear keys at a rate", {resample_clip, &context}, options);
  fps(sampling, "frames a second")->required();
  sampling->footer("Examples\n  rigspace curves resample hero.glb --clip Walk --fps 24 -o walk24.glb");
  CLI::App* looping = add(*curves, "loop", "The stretch that repeats best, with its end bent to its start",
                          {loop_clip, &context}, options);
  looping->add_flag("--whole", options->whole, "the whole clip");
  looping->add_option("--min-period", options->min_period, "no loop is shorter, s")
      ->check(above_zero())
      ->capture_default_str()
      ->type_name("S");
  looping->add_option("--blend", options->blend, "how long before the end it begins to bend, s")
      ->check(zero_or_more())
      ->capture_default_str()
      ->type_name("S");
  fps(looping, "frames a second; by default those of the clip");
  looping->footer(
      "Examples\n  rigspace curves loop take.glb --clip Walk -o walk.glb\n"
      "  rigspace curves loop take.bvh --min-period 0.8 -o walk.glb");
  CLI::App* merging = add(*curves, "merge", "A clip and layers on top of it as one clip", {merge, &context}, options);
  merging
      ->add_option(
          "--layer", options->layers,
          "FILE, FILE:CLIP: what it differs from the rest pose is added; over=FILE:CLIP replaces; may be repeated")
      ->required()
      ->take_all()
      ->type_name("LAYER");
  fps(merging, "frames a second; by default that of the clip");
  merging->footer(
      "Examples\n  rigspace curves merge hero.glb --clip Walk --layer hero.soft.glb:Walk_soft_add -o merged.glb\n"
      "  rigspace curves merge hero.glb --clip Walk --layer over=fix.rigspace.json -o fixed.glb");
  CLI::App* scaling = add(*curves, "modes", "A principal component of what controls do, stronger or weaker",
                          {scale_modes, &context}, options);
  scaling->add_option("--rig", options->rig, "the character, where FILE is a .rigspace.json")->type_name("FILE");
  scaling->add_option("--base", options->base, "the clip that values are counted from; the rest pose by default")
      ->type_name("NAME");
  scaling->add_option("--controls", options->controls, "controls, nodes or groups of this pattern; may be repeated")
      ->required()
      ->take_all()
      ->type_name("PATTERN");
  scaling->add_option("--scale", options->scales, "MODE=FACTOR, modes counted from 1, the strongest; may be repeated")
      ->required()
      ->take_all()
      ->type_name("MODE=F");
  scaling->add_option("--count", options->count, "modes to look for")->check(CLI::Range(1, 1000))->type_name("N");
  scaling->footer(
      "Examples\n  rigspace curves modes hero.soft.rigspace.json --rig hero.rig.json --clip Walk_soft --base Walk \\\n"
      "      --controls 'belly_*' --scale 1=1.5 -o edited.rigspace.json\n"
      "  rigspace curves modes hero.soft.glb --clip Walk_soft --base Walk --controls 'tail*' --scale 1=0.5 -o "
      "calm.glb");
}

}  // namespace rigspace::tools
