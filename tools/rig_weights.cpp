// rigspace rig weights: skin weights from a mesh and its bones.
#include "rig_weights.h"

#include "rigspace/anim/skin_part.h"
#include "rigspace/base/cancel_scope.h"
#include "rigspace/base/files.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/gltf_weights.h"
#include "rigspace/rig/weight_transfer.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <set>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;
using Influences = std::vector<std::vector<Influence>>;

constexpr std::array kMethods = {SkinWeightMethod::nearest, SkinWeightMethod::falloff, SkinWeightMethod::heat,
                                 SkinWeightMethod::voxels, SkinWeightMethod::biharmonic};

struct WeightOptions {
  std::string file, output, skeleton, from;
  std::string method = "heat";
  SkinWeightOptions weights;
  bool all_joints = false, compare = false;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

[[noreturn]] void refuse_without_skin(const WeightOptions& options) {
  throw Error({.file = options.file,
               .problem = "has no skin of two joints or more",
               .remedy = "give joints with --skeleton OTHER.glb, or make some: rigspace rig skeleton"});
}

/// Each method's deformed skin against that of the weights in the file, over all its clips.
void compare(const WeightOptions& options, const Context& context) {
  const Character character = load_character(options.file);
  print_warnings(context, options.file, character.warnings);
  const std::vector<SkinPart> parts = skin_parts(character, options.all_joints);
  if (parts.empty()) refuse_without_skin(options);
  if (character.clips.empty())
    throw Error({.file = options.file, .problem = "has no clip", .remedy = "weights are compared over clips"});
  std::vector<int> points;
  for (const SkinPart& part : parts) points.insert(points.end(), part.points.begin(), part.points.end());
  Json rows = Json::array();
  for (const SkinWeightMethod method : kMethods) {
    SkinWeightOptions own = options.weights;
    own.method = method, own.progress = terminal_progress();
    Character changed = character;
    const auto start = std::chrono::steady_clock::now();
    for (const SkinPart& part : parts)
      changed = with_skin_weights(changed, part, make_skin_weights(part.mesh, part.joints, own).influences);
    const double seconds = seconds_since(start);
    const SkinDifference difference = skin_difference(character, changed, points);
    rows.push_back({{"method", name(method)},
                    {"share_of_swing", difference.share()},
                    {"rms", difference.rms},
                    {"worst", difference.worst},
                    {"swing", difference.swing},
                    {"seconds", seconds}});
  }
  if (context.json) {
    fmt::print("{}\n", Json{{"file", options.file}, {"points", points.size()}, {"methods", rows}}.dump(2));
    return;
  }
  clear_bar();
  fmt::print("{}\n  {} points of {}, {} clips; distance from the skin as its weights are now\n", options.file,
             points.size(), count_in_words(parts.size(), "skin", "skins"), character.clips.size());
  for (const Json& row : rows)
    fmt::print("  {:<11} {:5.1f} % of the swing, worst {:.3g}, {:.2f} s\n", row["method"].get<std::string>(),
               100 * row["share_of_swing"].get<double>(), row["worst"].get<double>(), row["seconds"].get<double>());
}

struct Written {
  std::vector<std::byte> bytes;
  std::size_t points = 0, joints = 0;
};

void collect(const SkinWeights& weights, const WeightOptions& options, const Context& context) {
  print_warnings(context, options.file, weights.warnings);
}

/// New weights for the skins that the file has.
Written replace(const WeightOptions& options, const Context& context) {
  const GltfFile file(options.file, terminal_progress());
  print_warnings(context, options.file, file.character().warnings);
  const std::vector<SkinPart> parts = skin_parts(file.character(), options.all_joints);
  if (parts.empty()) refuse_without_skin(options);
  Influences all(file.character().rig->point_count());
  std::set<int> joints;
  Written result;
  for (const SkinPart& part : parts) {
    const SkinWeights weights = make_skin_weights(part.mesh, part.joints, options.weights);
    collect(weights, options, context);
    for (std::size_t k = 0; k < part.points.size(); ++k)
      for (const Influence& each : weights.influences[k]) {
        all[part.points[k]].push_back({part.bones[each.joint], each.weight});
        joints.insert(part.bones[each.joint]);
      }
    result.points += part.points.size();
  }
  result.joints = joints.size();
  result.bytes = glb_with_skin_weights(file, all);
  return result;
}

Character without_clips(Character character) {
  character.clips.clear();
  return character;
}

/// The mesh on joints of another file: computed, or carried over from that file's own skin.
Written attach(const WeightOptions& options, const Context& context) {
  const std::string other = options.from.empty() ? options.skeleton : options.from;
  const Character shape = load_character(options.file), source = load_character(other);
  print_warnings(context, options.file, shape.warnings);
  const std::vector<JointPlace> places = joint_places(source);
  if (places.empty())
    throw Error({.file = other, .problem = "has no joint", .remedy = "give a character with bones, or a .bvh"});
  const TriMesh mesh = rest_surface(shape);
  Influences influences;
  if (options.from.empty()) {
    const SkinWeights weights = make_skin_weights(mesh, bones_of(places, mesh), options.weights);
    collect(weights, options, context);
    influences = weights.influences;
  } else {
    Influences body(source.rig->point_count());
    for (const SkinPart& part : skin_parts(source, true))
      for (std::size_t k = 0; k < part.points.size(); ++k)
        for (const Influence& each : part.influences[k])
          body[part.points[k]].push_back({part.bones[each.joint], each.weight});
    TriMesh surface = rest_surface(source);
    std::erase_if(surface.triangles,
                  [&](const Triangle& t) { return body[t[0]].empty() || body[t[1]].empty() || body[t[2]].empty(); });
    if (surface.triangles.empty()) refuse_without_skin({.file = other});
    const SkinnedSurface skin{surface, body};
    const WeightTransferOptions transfer{.most_influences = options.weights.keep};
    // Per point of the garment, joints in the order of the body's lists.
    influences = transfer_weights(skin, mesh, transfer).influences;
  }
  Written result{.points = influences.size(), .joints = places.size()};
  result.bytes = to_glb(without_clips(rigged_character(shape, places, influences)));
  return result;
}

void run(WeightOptions options, const Context& context) {
  const CancelScope cancel(interrupted);
  check_input(options.file);
  options.weights.method = skin_weight_method(options.method);
  options.weights.validate();
  if (options.compare) return compare(options, context);
  if (options.output.empty())
    throw Error(
        {.code = ErrorCode::usage, .element = "-o", .problem = "is missing", .remedy = "name the new file: -o x.glb"});
  if (!options.skeleton.empty() && !options.from.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = "--from",
                 .problem = "does not go with --skeleton",
                 .remedy = "--from takes joints and weights of that file, --skeleton its joints alone"});
  check_extension(options.output, "glb");
  check_input(options.file, options.output);
  check_apart(options.skeleton, options.output, "file with the skeleton");
  check_apart(options.from, options.output, "file with the weights");
  check_writable(options.output);
  options.weights.progress = terminal_progress();
  const auto start = std::chrono::steady_clock::now();
  const bool other = !options.skeleton.empty() || !options.from.empty();
  const Written written = other ? attach(options, context) : replace(options, context);
  write_file(options.output, written.bytes);
  clear_bar();
  if (context.json)
    fmt::print("{}\n", Json{{"output", options.output},
                            {"method", options.from.empty() ? options.method : "transfer"},
                            {"points", written.points},
                            {"joints", written.joints},
                            {"seconds", seconds_since(start)}}
                           .dump(2));
  else
    fmt::print("{}\n  {} points on {} by {}\n", options.output, written.points,
               count_in_words(written.joints, "joint", "joints"), options.from.empty() ? options.method : "transfer");
}

}  // namespace

void add_rig_weights(CLI::App& rig, Context& context) {
  auto* command =
      rig.add_subcommand("weights", "Skin weights from a mesh and its bones, in place of those it has, if any");
  auto options = std::make_shared<WeightOptions>();
  SkinWeightOptions& weights = options->weights;
  command->add_option("FILE", options->file, "a character: " + character_endings("or"))->required();
  command->add_option("-o,--output", options->output, "x.glb, a skinned character")->type_name("OUT");
  command->add_option("--method", options->method, "nearest, falloff, heat, voxels or biharmonic")->type_name("NAME");
  command->add_option("--keep", weights.keep, "weights of a point at most")->type_name("N");
  command->add_option("--smooth", weights.smoothing, "rounds of smoothing over the mesh")->type_name("N");
  command->add_option("--power", weights.power, "of falloff and voxels: how sharply a joint's weight ends")
      ->type_name("X");
  command->add_option("--voxels", weights.voxels, "of heat and voxels: along the longest side")->type_name("N");
  command->add_option("--nodes", weights.nodes, "of biharmonic: voxels in all, about")->type_name("N");
  command->add_option("--skeleton", options->skeleton, "take the joints of this character; clips are not taken")
      ->type_name("FILE");
  command->add_option("--from", options->from, "take joints and weights of this character, by nearness")
      ->type_name("FILE");
  command->add_flag("--all-joints", options->all_joints, "also joints that carry no skin now");
  command->add_flag("--compare", options->compare,
                    "write nothing; print how far each method is from the weights in the file");
  command->footer(
      "Examples\n  rigspace rig weights hero.glb --method voxels -o hero.weights.glb\n"
      "  rigspace rig weights statue.glb --skeleton hero.glb --method heat --smooth 3 -o statue.rigged.glb\n"
      "  rigspace rig weights shirt.glb --from hero.glb -o shirt.worn.glb\n"
      "  rigspace rig weights hero.glb --compare");
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace rigspace::tools
