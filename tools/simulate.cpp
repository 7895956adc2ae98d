// rigspace simulate: secondary motion on the joints that a character already has, as a clip beside the artist's own.

#include "command.h"

#include "rigspace/apps/physics/simulation.h"
#include "rigspace/base/files.h"
#include "rigspace/io/gltf.h"
#include "rigspace/render/view_page.h"

#include <fmt/format.h>

#include <map>
#include <numbers>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string file, output;
  std::vector<std::string> clips, parts, sets;
  double unit = 0;
  std::string integrator = "bdf2";
};

double height_of(const Character& character) {
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), character.rig->rest(), s);
  if (s.size() == 0) return 0;
  const auto points = Eigen::Map<const Eigen::Matrix3Xd>(s.data(), 3, s.size() / 3);
  return (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).maxCoeff();
}

/// Metres per unit of the scene; a size outside 0.2 to 10 m is taken for a person's, and said.
double metres_per_unit(const Character& character, const Options& options, std::vector<std::string>& notes) {
  if (options.unit > 0) return options.unit;
  const double size = height_of(character);
  if (size >= 0.2 && size <= 10) return 1;
  notes.push_back(fmt::format("it measures {:.4g} units, which is taken as 1.7 m; --unit says otherwise", size));
  return size > 0 ? 1.7 / size : 1;
}

/// Each joint in one part, each part with a name of its own.
void require_apart(const Character& character, const std::string& file, std::vector<Part>& parts) {
  std::map<int, std::string> owner;
  std::map<std::string, int> used;
  for (Part& part : parts) {
    if (const int times = ++used[part.name]; times > 1) part.name += "_" + std::to_string(times);
    for (const int bone : part.bones)
      if (const auto [other, fresh] = owner.emplace(bone, part.name); !fresh)
        throw Error({.code = ErrorCode::usage,
                     .file = file,
                     .element = "joint \"" + character.bones[bone].name + "\"",
                     .problem = "is in two parts, " + other->second + " and " + part.name,
                     .remedy = "give patterns that do not overlap"});
  }
}

std::vector<Part> parts_of(const Character& character, const Options& options) {
  std::vector<Part> parts;
  if (options.parts.empty()) parts = find_parts(character);
  for (const std::string& text : options.parts)
    for (Part& part : parts_from_pattern(character, text)) parts.push_back(std::move(part));
  if (parts.empty())
    throw Error({.file = options.file,
                 .problem = "has no part that moves by itself (no tail, ears or hair by name, no loose chain)",
                 .remedy = "name one: --part 'joint*=tail'"});
  require_apart(character, options.file, parts);
  for (const std::string& set : options.sets) {
    const auto dot = set.find('.'), equals = set.rfind('=');
    if (dot == std::string::npos || equals == std::string::npos || equals < dot)
      throw Error({.code = ErrorCode::usage,
                   .element = "--set \"" + set + "\"",
                   .problem = "is not PART.CONTROL=VALUE",
                   .remedy = "for example --set tail.amount=0.6"});
    const std::string pattern = set.substr(0, dot), field = set.substr(dot + 1, equals - dot - 1);
    const double value = parse_number(std::string_view(set).substr(equals + 1), "--set \"" + set + "\"");
    bool met = false;
    for (Part& part : parts)
      if (matches_pattern(part.name, pattern)) part.look.set(field, value), met = true;
    if (!met) {
      std::vector<std::string> names;
      for (const Part& part : parts) names.push_back(part.name);
      throw Error({.file = options.file,
                   .element = "part \"" + pattern + "\"",
                   .value = pattern,
                   .problem = "does not exist",
                   .remedy = suggestion(pattern, names, "parts are listed when the command runs without --set")});
    }
  }
  return parts;
}

Json part_json(const Part& part, const PartReport& report) {
  const double degree = 180 / std::numbers::pi;
  return {{"name", part.name},
          {"preset", part.preset},
          {"joints", part.bones.size()},
          {"length_m", report.length},
          {"rate_hz", report.rate},
          {"settle_s", report.settle},
          {"lag_s", report.lag},
          {"amount", report.amount},
          {"swing_deg", report.swing * degree},
          {"largest_deg", report.largest * degree},
          {"largest_at_s", report.largest_at}};
}

void say(const Json& clip) {
  fmt::print("{}: {}\n", clip["name"].get<std::string>(),
             clip["loop"].get<bool>()
                 ? fmt::format("loops, seam {:.2g} % before it was closed", 100 * clip["seam"].get<double>())
                 : "plays once");
  for (const Json& part : clip["parts"])
    fmt::print(
        "  {:<14} {:.1f} Hz, settles in {:.1f} s, amount {:.2g}: swings by {:.0f} degrees, most {:.0f} at {:.2f} s\n",
        part["name"].get<std::string>(), part["rate_hz"].get<double>(), part["settle_s"].get<double>(),
        part["amount"].get<double>(), part["swing_deg"].get<double>(), part["largest_deg"].get<double>(),
        part["largest_at_s"].get<double>());
  if (clip["failed_steps"].get<int>() > 0) fmt::print("  {} steps did not converge\n", clip["failed_steps"].get<int>());
}

int simulate(const Options& options, const Context& context) {
  std::filesystem::path output = options.output;
  if (output.empty()) output = std::filesystem::path(options.file).replace_extension(".soft.glb");
  std::filesystem::path page = output;
  page.replace_extension(".html");
  check_input(options.file, output);
  check_writable(output);
  check_writable(page);
  GltfFile file(options.file);
  const Character& character = file.character();
  print_warnings(context, options.file, character.warnings);
  std::vector<std::string> notes;
  SimulationOptions physics{.metres_per_unit = metres_per_unit(character, options, notes)};
  physics.integrator = options.integrator == "euler" ? IntegratorKind::euler : IntegratorKind::bdf2;
  const std::vector<Part> parts = parts_of(character, options);
  std::vector<const Animation*> clips;
  for (const std::string& name : options.clips) clips.push_back(clip_named(character, options.file, name));
  if (options.clips.empty())
    for (const Animation& clip : character.clips)
      if (clip.duration > 0 && !clip.name.ends_with("_soft")) clips.push_back(&clip);
  for (const Animation* clip : clips)
    if (character.clip(clip->name + "_soft") != nullptr)
      throw Error({.file = options.file,
                   .element = "clip \"" + clip->name + "_soft\"",
                   .problem = "is there already",
                   .remedy = "simulate the artist's file, not a result"});
  if (clips.empty())
    throw Error(
        {.file = options.file, .problem = "has no clips", .remedy = "motion needs something that moves; add a clip"});

  if (!context.json) {
    for (const std::string& note : notes) fmt::print("{}: {}\n", options.file, note);
    std::string list;
    for (const Part& part : parts)
      list += fmt::format("{}{} ({}, {} joints)", list.empty() ? "" : ", ", part.name, part.preset, part.bones.size());
    fmt::print("parts: {}\n", list);
  }
  Json answer{{"output", ""}, {"notes", notes}, {"clips", Json::array()}};
  bool converged = true;
  const ProgressCallback progress = terminal_progress();
  for (std::size_t k = 0; k < clips.size(); ++k) {
    const std::string stage =
        clips.size() > 1 ? fmt::format("{} ({} of {})", clips[k]->name, k + 1, clips.size()) : clips[k]->name;
    const SoftMotion motion = simulate_parts(character, clips[k], parts, physics, [&](const Progress& p) {
      return progress({stage, p.fraction});
    });
    file.add_animation(soft_clip(character, clips[k], motion, frame_rate(clips[k])));
    Json clip{{"name", clips[k]->name + "_soft"},
              {"loop", motion.looped},
              {"seam", motion.seam},
              {"parts", Json::array()},
              {"steps", motion.steps},
              {"iterations", motion.iterations},
              {"failed_steps", motion.failed_steps}};
    for (std::size_t c = 0; c < parts.size(); ++c) clip["parts"].push_back(part_json(parts[c], motion.parts[c]));
    converged = converged && motion.failed_steps == 0;
    if (!context.json) say(clip);
    answer["clips"].push_back(std::move(clip));
  }

  file.save(output);
  write_file(page,
             view_page(file.to_glb(), {.title = output.filename().string(), .clip = clips.front()->name + "_soft"}));
  answer["output"] = {output.string(), page.string()};
  if (context.json)
    fmt::print("{}\n", answer.dump(2));
  else
    fmt::print("{}\n{}: open it in a browser\nToo much? --set '*.amount=0.6'. Too little? --set '*.amount=1.5'.\n",
               output.string(), page.string());
  return converged ? 0 : 4;
}

}  // namespace

void add_simulate(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("simulate", "Secondary motion on tails, ears and hair, as clips beside the artist's own");
  auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "a character: .glb or .gltf")->required();
  command->add_option("-o,--output", options->output, "x.glb or x.gltf; FILE.soft.glb by default, and a page beside it")
      ->type_name("OUT");
  command->add_option("--clip", options->clips, "a clip; all by default; may be repeated")
      ->type_name("NAME")
      ->take_all();
  command
      ->add_option("--part", options->parts,
                   "joints by pattern, and a preset: 'tail*=tail'; found by themselves by default")
      ->type_name("PATTERN=PRESET")
      ->take_all();
  command
      ->add_option("--set", options->sets,
                   "a control of a part: amount, rate (Hz; 0: from size), settle (s), lag (s), overlap (0..1), limit "
                   "(of a half turn)")
      ->type_name("PART.CONTROL=V")
      ->take_all();
  command->add_option("--unit", options->unit, "metres per unit of the file")->check(above_zero())->type_name("M");
  command->add_option("--integrator", options->integrator, "bdf2 or euler")
      ->check(CLI::IsMember({"bdf2", "euler"}))
      ->type_name("I");
  command->footer(
      "The artist's clips stay as they are; Walk_soft is added beside Walk. --part replaces the parts that are found.\n"
      "Presets: tail, ear, hair, antenna.\n"
      "Examples\n"
      "  rigspace simulate hero.glb\n"
      "  rigspace simulate hero.glb --clip Walk --set tail.amount=0.6\n"
      "  rigspace simulate hero.glb --part 'braid*=hair' -o hero.soft.glb");
  command->callback([options, &context] {
    if (!options->output.empty()) check_extension(options->output, "glb gltf");
    if (simulate(*options, context) == 4)
      throw Error({.code = ErrorCode::not_converged,
                   .file = options->file,
                   .problem = "some steps did not converge; the result is written",
                   .remedy = "lower the amount, or raise the rate"});
  });
}

}  // namespace rigspace::tools
