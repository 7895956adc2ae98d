// rigspace rig bake: what a simulation did, as spring bones that game engines play.
#include "rig_weights.h"

#include "rigspace/base/files.h"
#include "rigspace/io/gltf_springs.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;

/// A clip, and the same with the simulation on it.
struct Pair {
  std::string name;
  SpringExample clips;
  bool test = false;
};

std::vector<Pair> pairs_of(const Character& character, const BakeOptions& options) {
  std::vector<Pair> pairs;
  for (const Animation& clip : character.clips)
    if (const Animation* simulated = character.clip(clip.name + options.ending))
      pairs.push_back({clip.name, {&clip, simulated}});
  if (pairs.empty())
    throw Error({.file = options.file,
                 .problem = "has no clip that another one of its name with \"" + options.ending + "\" belongs to",
                 .remedy = "give the result of `rigspace simulate`, which keeps both"});
  for (const std::string& name : options.tests) {
    const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const Pair& pair) { return pair.name == name; });
    if (found == pairs.end())
      throw Error({.code = ErrorCode::usage,
                   .file = options.file,
                   .element = "--test " + name,
                   .value = name,
                   .problem = "names no clip with a simulation",
                   .remedy = "take \"" + pairs.front().name + "\" or another one that was simulated"});
    found->test = true;
  }
  if (std::all_of(pairs.begin(), pairs.end(), [](const Pair& pair) { return pair.test; }))
    throw Error({.code = ErrorCode::usage,
                 .element = "--test",
                 .problem = "leaves no clip to fit to",
                 .remedy = "simulate more clips, or test fewer"});
  return pairs;
}

/// The simulated clips leave: springs take their place.
void drop_simulated(GltfFile& file, const Character& character, const std::vector<Pair>& pairs) {
  const Json animations = Json::parse(file.json("/animations"));
  Json kept = Json::array();
  for (std::size_t k = 0; k < animations.size(); ++k)
    if (k >= character.clips.size() || std::none_of(pairs.begin(), pairs.end(), [&](const Pair& pair) {
          return pair.clips.simulated == &character.clips[k];
        }))
      kept.push_back(animations[k]);
  file.set_json("/animations", kept.dump());
}

void run(const BakeOptions& options, const Context& context) {
  if (options.correctives) {
    bake_correctives(options, context);
    return;
  }
  if (!options.from.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = "--from " + options.from,
                 .value = options.from,
                 .problem = "is of --correctives",
                 .remedy = "leave it out for spring bones"});
  check_input(options.file, options.output);
  check_extension(options.output, "glb gltf");
  check_writable(options.output);
  GltfFile file(options.file, terminal_progress());
  const Character character = file.character();
  print_warnings(context, options.file, character.warnings);
  const std::vector<Pair> pairs = pairs_of(character, options);
  std::vector<SpringChain> chains = spring_chains(character, *pairs[0].clips.keyed, *pairs[0].clips.simulated);
  if (chains.empty())
    throw Error({.file = options.file,
                 .problem = "has no joint that the simulation turns and the artist does not",
                 .remedy = "spring bones take no keys: bake capes, hair and other parts that got joints of their own"});
  std::vector<SpringExample> examples;
  for (const Pair& pair : pairs)
    if (!pair.test) examples.push_back(pair.clips);
  fit_springs(character, examples, chains);
  Json rows = Json::array();
  for (const Pair& pair : pairs) {
    const BakeError error = bake_error(character, pair.clips, play_springs(character, *pair.clips.keyed, chains));
    rows.push_back({{"clip", pair.name},
                    {"fitted", !pair.test},
                    {"unbaked", error.unbaked},
                    {"baked", error.baked},
                    {"share", error.share()}});
  }
  add_springs(file, chains);
  drop_simulated(file, character, pairs);
  file.save(options.output);
  clear_bar();
  if (context.json) {
    Json springs = Json::array();
    for (const SpringChain& chain : chains)
      springs.push_back({{"name", chain.name},
                         {"joints", chain.bones.size()},
                         {"stiffness", chain.settings.front().stiffness},
                         {"drag", chain.settings.front().drag},
                         {"gravity", chain.settings.front().gravity}});
    fmt::print("{}\n", Json{{"output", options.output}, {"springs", springs}, {"clips", rows}}.dump(2));
    return;
  }
  fmt::print("{}\n", options.output);
  for (const SpringChain& chain : chains)
    fmt::print("  {}: {}, stiffness {:.3g} to {:.3g}, drag {:.2f}, gravity {:.3g}\n", chain.name,
               count_in_words(chain.bones.size(), "joint", "joints"), chain.settings.front().stiffness,
               chain.settings.back().stiffness, chain.settings.front().drag, chain.settings.front().gravity);
  fmt::print("  distance of the skin from the simulation, where that moves it:\n");
  for (const Json& row : rows)
    fmt::print("  {:<28} {:.3g} without springs, {:.3g} with them: {:.0f} %{}\n", row["clip"].get<std::string>(),
               row["unbaked"].get<double>(), row["baked"].get<double>(), 100 * row["share"].get<double>(),
               row["fitted"].get<bool>() ? "" : "  (not used for fitting)");
}

}  // namespace

void add_rig_bake(CLI::App& rig, Context& context) {
  auto* command = rig.add_subcommand(
      "bake", "A simulation as spring bones (VRMC_springBone) or as pose-space correctives, fitted to it");
  auto options = std::make_shared<BakeOptions>();
  command
      ->add_option("FILE", options->file,
                   "what `rigspace simulate` wrote: .glb, .gltf or .vrm; with --from any "
                   "character of joints")
      ->required();
  command
      ->add_option("-o,--output", options->output,
                   "x.glb: the artist's clips and springs; with --correctives x.rig.json, and its mesh beside it")
      ->required()
      ->type_name("OUT");
  command->add_option("--test", options->tests, "a clip that is only measured, not fitted to; may be repeated")
      ->type_name("CLIP")
      ->take_all();
  command->add_option("--ending", options->ending, "of the names of simulated clips")->type_name("TEXT");
  command->add_flag("--correctives", options->correctives, "shapes driven by the turns of joints, in place of springs");
  command
      ->add_option("--from", options->from,
                   "with --correctives: the simulation, a character of the same points and "
                   "controls, such as what `rigspace forces lattice` wrote")
      ->type_name("TRUTH");
  command->add_option("--rate", options->rate, "with --correctives: poses a second of each clip")->check(above_zero());
  command->add_option("--examples", options->fit.most_examples, "with --correctives: example poses of a joint, at most")
      ->check(CLI::Range(1, 100));
  command->add_option("--ridge", options->fit.ridge, "with --correctives: more is smoother between poses")
      ->check(zero_or_more());
  command->footer(
      "Examples\n  rigspace simulate knight.glb -o knight.soft.glb\n"
      "  rigspace rig bake knight.soft.glb --test Jump -o knight.springs.glb\n"
      "  rigspace forces lattice hero.glb -o hero.flesh.rig.json\n"
      "  rigspace rig bake hero.glb --correctives --from hero.flesh.rig.json --test Run -o hero.fixed.rig.json");
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace rigspace::tools
