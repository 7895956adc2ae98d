#include "modes.h"

#include "rigspace/anim/key_fitting.h"
#include "rigspace/anim/mode_rig.h"
#include "rigspace/base/files.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/rig_file.h"
#include "rigspace/io/rig_file_extend.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;

struct ModesArguments {
  std::string file, output;
  std::vector<std::string> clips, bases, curves, controls;
  ModeOptions modes;
  SliderOptions sliders{.name = {}, .group = "modes"};
};

bool is_rig_file(const std::string& file) { return file.ends_with(".rig.json"); }

/// Where things go: hero.modes.rig.json and hero.modes.rigspace.json.
std::filesystem::path curves_beside(const std::string& rig_file) {
  return rig_file.substr(0, rig_file.size() - std::string_view(".rig.json").size()) + ".rigspace.json";
}

void check(const ModesArguments& options) {
  check_input(options.file, options.output);
  if (!is_rig_file(options.file))
    refuse_file(options.file, "is no rig file", "`rigspace rig new` starts one for a mesh");
  if (!is_rig_file(options.output))
    refuse_file(options.output, "does not end in .rig.json", "name it like hero.modes.rig.json");
  if (std::filesystem::absolute(options.output).lexically_normal().parent_path() !=
      std::filesystem::absolute(options.file).lexically_normal().parent_path())
    refuse_file(options.output, "is not in the folder of the rig file", "a rig file names its mesh beside it");
  if (options.bases.size() > 1 && options.bases.size() != options.clips.size())
    refuse_file(options.file, "gets " + std::to_string(options.bases.size()) + " times --base",
                "give it once, or once for each --clip, in the same order");
  check_writable(options.output);
  check_writable(curves_beside(options.output));
}

/// The stem of the first pattern, so that the pattern does not meet the sliders: belly_* -> mode_belly.
std::string name_after(const std::string& pattern) {
  std::string stem;
  for (const char c : pattern.substr(0, pattern.find_first_of("*?")))
    stem += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  while (stem.ends_with('_')) stem.pop_back();
  return stem.empty() ? "mode" : "mode_" + stem;
}

/// The clip on the sliders alone: what no mode holds is left out.
Animation on_sliders_alone(const Animation& moved, const Rig& rig, const ControlModes& modes, const Animation* base) {
  Animation clip = moved;
  const auto chosen = [&](const Track& track) {
    return std::any_of(modes.controls.begin(), modes.controls.end(),
                       [&](int control) { return rig.controls()[control].name == track.control; });
  };
  std::erase_if(clip.tracks, chosen);
  if (base != nullptr)
    for (const Track& track : base->tracks)
      if (chosen(track)) clip.tracks.push_back(track);
  return clip;
}

Json described(const ControlModes& modes, std::span<const Control> sliders) {
  Json list = Json::array();
  for (std::size_t k = 0; k < sliders.size(); ++k)
    list.push_back({{"name", sliders[k].name},
                    {"share", modes.modes[k].share},
                    {"min", sliders[k].min},
                    {"max", sliders[k].max},
                    {"rms", modes.modes[k].rms}});
  return list;
}

void make_sliders(const ModesArguments& options, const Context& context) {
  check(options);
  const RiggedCharacter rigged = read_rig_file(options.file);
  const Character& character = rigged.character;
  print_warnings(context, options.file, character.warnings);
  std::vector<Animation> known = character.clips;
  for (const std::string& file : options.curves) {
    const CurveFile curves = read_curves(file);
    check_units(curves, character.rig->controls());
    known.insert(known.end(), curves.clips.begin(), curves.clips.end());
  }
  std::vector<ModeSample> samples;
  for (std::size_t k = 0; k < options.clips.size(); ++k) {
    ModeSample sample{.clip = &clip_among(known, options.file, options.clips[k])};
    if (!options.bases.empty())
      sample.base = &clip_among(known, options.file, options.bases[std::min(k, options.bases.size() - 1)]);
    samples.push_back(sample);
  }
  SliderOptions sliders = options.sliders;
  if (sliders.name.empty()) sliders.name = name_after(options.controls.front());
  const std::vector<int> chosen = controls_matching(character.rig->controls(), options.controls);
  const ControlModes modes = find_modes(character, chosen, samples, options.modes);
  const RigPlan parts = slider_parts(modes, character.rig->controls(), sliders);
  RigPlan plan = rigged.plan;
  append_parts(plan, parts);
  const auto with_sliders = build(plan).rig;

  const double height = std::max(1e-300, rest_height(*character.rig));
  double left = 0, off = 0;
  Character moved{.name = character.name};
  moved.rig = with_sliders;
  for (const ModeSample& sample : samples) {
    Animation clip = moved_to_sliders(character.rig->controls(), modes, sample, parts.controls);
    clip.name += "_modes";
    const Animation alone = on_sliders_alone(clip, *character.rig, modes, sample.base);
    const std::vector<double> frames = source_frames(clip);
    left = std::max(left, surface_error(*with_sliders, clip, alone, frames).distance / height);
    off = std::max(off, surface_error(*with_sliders, *sample.clip, clip, frames).distance / height);
    moved.clips.push_back(std::move(clip));
  }
  const std::filesystem::path curves = curves_beside(options.output);
  const std::string text =
      extended_rig_file(read_text(options.file), options.file, {.parts = parts, .clips = {curves.filename().string()}});
  write_file(curves, to_curves_json(curve_file(moved, moved.clips)));
  write_file(options.output, text);
  if (context.json) {
    fmt::print("{}\n", Json{{"output", {options.output, curves.string()}},
                            {"controls", modes.controls.size()},
                            {"modes", described(modes, parts.controls)},
                            {"share", modes.share()},
                            {"left_percent", 100 * left},
                            {"off_percent", 100 * off}}
                           .dump(2));
    return;
  }
  fmt::print("{}: {} sliders on {} controls\n", options.output, modes.count(), modes.controls.size());
  for (int k = 0; k < modes.count(); ++k)
    fmt::print("  {:<20} {:5.1f} %  {:.3g} to {:.3g}\n", parts.controls[k].name, 100 * modes.modes[k].share,
               parts.controls[k].min, parts.controls[k].max);
  fmt::print("  together {:.2f} %; without the rest the surface errs by at most {:.3f} % of the height\n",
             100 * modes.share(), 100 * left);
  // An expression that names a channel reads the channel's control, whatever drivers add: docs/rig-files.md.
  if (off > 1e-6)
    fmt::print(
        "  expressions of the rig read some of these controls and do not see the sliders: {:.3f} % of the height off\n",
        100 * off);
  for (const Animation& clip : moved.clips)
    fmt::print("{}: {}, the same motion on the sliders\n", curves.string(), clip.name);
}

}  // namespace

const Animation& clip_among(const std::vector<Animation>& clips, const std::string& file, const std::string& name) {
  const auto found =
      std::find_if(clips.rbegin(), clips.rend(), [&](const Animation& clip) { return clip.name == name; });
  if (found != clips.rend()) return *found;
  std::vector<std::string> names;
  std::string list;
  for (const Animation& clip : clips) names.push_back(clip.name), list += (list.empty() ? "" : ", ") + clip.name;
  throw Error(
      {.file = file,
       .element = "clip \"" + name + "\"",
       .value = name,
       .problem = "is not there",
       .remedy = suggestion(name, names, clips.empty() ? "there are none; --curves reads more" : "there are " + list)});
}

std::vector<double> parse_mode_factors(const std::vector<std::string>& texts, int modes) {
  std::vector<double> factors(static_cast<std::size_t>(modes), 1);
  for (const std::string& text : texts) {
    const auto fail = [&](const std::string& problem, const std::string& remedy) {
      throw Error({.code = ErrorCode::usage,
                   .element = "--scale " + text,
                   .value = text,
                   .problem = problem,
                   .remedy = remedy});
    };
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) fail("has no '='", "expected MODE=FACTOR, like 1=1.5");
    const double mode = parse_number(text.substr(0, equals), "--scale " + text);
    if (!(mode >= 1 && mode <= modes) || mode != static_cast<int>(mode))
      fail("names no mode", "they count from 1 to " + std::to_string(modes));
    factors[static_cast<std::size_t>(mode) - 1] = parse_number(text.substr(equals + 1), "--scale " + text);
  }
  return factors;
}

void add_rig_modes(CLI::App& rig, Context& context) {
  CLI::App* command =
      rig.add_subcommand("modes", "Few sliders for many controls: the principal components of what they do in clips");
  auto options = std::make_shared<ModesArguments>();
  command->add_option("FILE", options->file, "x.rig.json")->required();
  command->add_option("--clip", options->clips, "a clip to learn from; may be repeated")
      ->required()
      ->take_all()
      ->type_name("NAME");
  command->add_option("--base", options->bases, "what the clip's values are counted from; the rest pose by default")
      ->take_all()
      ->type_name("NAME");
  command->add_option("--curves", options->curves, "more clips: a .rigspace.json, of simulate for one; may be repeated")
      ->take_all()
      ->type_name("FILE");
  command->add_option("--controls", options->controls, "controls, nodes or groups of this pattern; may be repeated")
      ->required()
      ->take_all()
      ->type_name("PATTERN");
  command->add_option("--count", options->modes.count, "sliders at most")
      ->check(CLI::Range(1, 60))
      ->capture_default_str()
      ->type_name("N");
  command
      ->add_option("--name", options->sliders.name, "of the sliders: NAME_1, NAME_2 ..; after the pattern by default")
      ->type_name("NAME");
  command->add_option("--group", options->sliders.group, "that lists show them in")
      ->capture_default_str()
      ->type_name("NAME");
  command->add_option("-o,--output", options->output, "y.rig.json, in the same folder; and y.rigspace.json beside it")
      ->required()
      ->type_name("OUT");
  command->footer(
      "Example\n  rigspace simulate hero.rig.json --part 'belly_*=belly' -o hero.soft.glb\n"
      "  rigspace rig modes hero.rig.json --curves hero.soft.rigspace.json --clip Walk_soft --base Walk \\\n"
      "      --controls 'belly_*' --name belly_mode -o hero.modes.rig.json");
  command->callback([options, &context] { make_sliders(*options, context); });
}

}  // namespace rigspace::tools
