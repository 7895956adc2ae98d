// rigspace rig stand-in: a fast rig learned from a slow one, which gives way to it where it would err.
#include "rig_weights.h"
#include "rigspace/base/files.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/stand_in_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct StandInArguments {
  StandInFile file;
  std::string output;
  std::vector<std::string> tests;
};

/// Processor time of this program, s.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double rms(const Vec& a, const Vec& b) { return (a - b).norm() / std::sqrt(static_cast<double>(a.size()) / 3); }

/// A clip at times between those that were learned, on both rigs.
Json measured(const StandIn& made, const Animation& clip, bool test) {
  constexpr int kPoses = 25;
  const Sampler sampler(clip, made.rig->controls());
  const auto own = made.rig->make_workspace(), slow = made.slow->make_workspace();
  const auto fast = made.fast ? made.fast->make_workspace() : nullptr;
  double worst = 0, worst_bound = 0, slow_seconds = 0, fast_seconds = 0, swing = 0;
  int trusted = 0, within = 0;
  const Vec rest = made.slow->rest();
  Vec truth, learned, still;
  made.slow->evaluate(*slow, rest, still);
  for (int k = 0; k < kPoses; ++k) {
    Vec p = rest;
    sampler.sample(clip.duration * (k + 0.37) / kPoses, p);
    const double begin = processor_seconds();
    made.slow->evaluate(*slow, p, truth);
    const double between = processor_seconds();
    const double bound = made.rig->bound(p);
    made.rig->predict(*own, p, learned);
    slow_seconds += between - begin, fast_seconds += processor_seconds() - between;
    swing = std::max(swing, rms(truth, still));
    if (bound > made.rig->options().tolerance) continue;
    ++trusted;
    worst = std::max(worst, rms(learned, truth)), worst_bound = std::max(worst_bound, bound);
    if (rms(learned, truth) <= bound) ++within;
  }
  return {{"clip", clip.name},
          {"learned", !test},
          {"poses", kPoses},
          {"answered", trusted},
          {"within_bound", within},
          {"worst_error", worst},
          {"worst_bound", worst_bound},
          {"swing", swing},
          {"times_faster", slow_seconds / std::max(1e-9, fast_seconds)}};
}

void run(StandInArguments options, const Context& context) {
  if (!options.output.ends_with(".rig.json"))
    throw Error({.code = ErrorCode::usage,
                 .element = "-o " + options.output,
                 .value = options.output,
                 .problem = "does not end in .rig.json",
                 .remedy = "name it like hero.quick.rig.json"});
  const fs::path folder = fs::path(options.output).parent_path();
  for (std::string* each : {&options.file.slow, &options.file.fast}) {
    if (each->empty()) continue;
    check_input(*each, options.output);
    if (fs::absolute(*each).parent_path() != fs::absolute(options.output).parent_path())
      throw Error({.code = ErrorCode::usage,
                   .file = options.output,
                   .problem = "is not in the folder of " + *each,
                   .remedy = "a rig file names other files beside it"});
    *each = fs::path(*each).filename().string();
  }
  check_writable(options.output);
  options.file.options.validate();
  if (!options.tests.empty() && options.file.clips.empty())  // all others are learned from
    for (const Animation& clip : load_character(folder / options.file.slow).clips)
      if (std::ranges::count(options.tests, clip.name) == 0) options.file.clips.push_back(clip.name);
  const StandIn made = make_stand_in(options.file, folder);
  for (const std::string& name : options.tests) clip_named(made.character, options.file.slow, name);
  const auto listed = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::count(names, name) > 0;
  };
  Json rows = Json::array();
  for (const Animation& clip : made.character.clips) {
    const bool test = listed(options.tests, clip.name);
    if (clip.duration > 0 && (test || options.file.clips.empty() || listed(options.file.clips, clip.name)))
      rows.push_back(measured(made, clip, test));
  }
  write_file(options.output, stand_in_text(options.file));
  if (context.json) {
    fmt::print("{}\n", Json{{"output", options.output}, {"clips", rows}}.dump(2));
    return;
  }
  fmt::print("{}\n  poses between those learned; distances are root mean square over the points:\n", options.output);
  for (const Json& row : rows)
    fmt::print(
        "  {:<28} {} of {} answered, error {:.3g} at most where the bound was {:.3g} (swing {:.3g}), {:.0f} times "
        "faster{}\n",
        row["clip"].get<std::string>(), row["answered"].get<int>(), row["poses"].get<int>(),
        row["worst_error"].get<double>(), row["worst_bound"].get<double>(), row["swing"].get<double>(),
        row["times_faster"].get<double>(), row["learned"].get<bool>() ? "" : "  (not learned from)");
}

}  // namespace

void add_rig_stand_in(CLI::App& rig, Context& context) {
  register_stand_in_kind();
  auto* command = rig.add_subcommand("stand-in",
                                     "A fast rig learned from a slow one, which gives way to it where it "
                                     "would err by more than a tolerance");
  auto options = std::make_shared<StandInArguments>();
  command->add_option("SLOW", options->file.slow, "a character whose rig is slow, such as flesh by forces")->required();
  command
      ->add_option("--fast", options->file.fast,
                   "a character of the same points, such as its skin: what is learned "
                   "is the difference")
      ->type_name("FILE");
  command->add_option("--tolerance", options->file.options.tolerance, "largest bound of the error, r.m.s., scene units")
      ->check(above_zero())
      ->required();
  command->add_option("--safety", options->file.options.safety, "factor of the bound");
  command->add_option("--poses", options->file.poses, "to learn from")->check(CLI::Range(3, 5000));
  command->add_option("--clip", options->file.clips, "a clip to learn from; all by default; may be repeated")
      ->type_name("NAME")
      ->take_all();
  command->add_option("--test", options->tests, "a clip that is only measured; may be repeated")
      ->type_name("NAME")
      ->take_all();
  command->add_option("-o,--output", options->output, "x.rig.json, beside SLOW; every command opens it")
      ->required()
      ->type_name("OUT");
  command->footer(
      "Example\n  rigspace rig stand-in hero.flesh.rig.json --fast hero.glb --tolerance 0.002 --test Run "
      "-o hero.quick.rig.json");
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace rigspace::tools
