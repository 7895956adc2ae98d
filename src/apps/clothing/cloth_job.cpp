#include "rigspace/apps/clothing/cloth_job.h"

#include "rigspace/apps/clothing/garment_file.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/io/gltf.h"
#include "rigspace/jobs/arguments.h"
#include "rigspace/jobs/clip_names.h"
#include "rigspace/jobs/output_lock.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace rigspace {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool is_gltf(const fs::path& path) { return path.extension() == ".glb" || path.extension() == ".gltf"; }

/// Takes a piece out of a file: the simulated one comes in its place.
void remove_piece(GltfFile& file, const std::string& name) {
  const auto mark = name.rfind('#');
  const bool further =
      mark != std::string::npos && file.node(name) < 0;  // `<node>#2`: the second primitive of its mesh
  const int node = file.node(further ? name.substr(0, mark) : name);
  if (node < 0) return;
  const std::string at = "/nodes/" + std::to_string(node);
  Json json = Json::parse(file.json(at));
  if (!json.contains("mesh")) return;
  const std::string mesh = "/meshes/" + std::to_string(json["mesh"].get<int>());
  Json shown = Json::parse(file.json(mesh));
  if (shown["primitives"].size() > 1) {
    shown["primitives"].erase(further ? std::stoul(name.substr(mark + 1)) - 1 : 0);
    file.set_json(mesh, shown.dump());
    return;
  }
  json.erase("mesh"), json.erase("skin");
  file.set_json(at, json.dump());
}

[[noreturn]] void refuse_output(const fs::path& output, const std::string& problem, const std::string& remedy) {
  throw Error({.code = ErrorCode::usage, .file = output.string(), .problem = problem, .remedy = remedy});
}

Character load_source(const ClothSource& source, double fps, const JobEvents& events) {
  if (source.motion.empty()) return source.character.load(events);
  if (fs::path(source.character.file).extension() != ".obj")
    throw Error({.code = ErrorCode::usage,
                 .file = source.character.file,
                 .element = "--motion",
                 .problem = "moves by its own rig",
                 .remedy = "--motion is for a body that is an .obj file"});
  return point_character(source.character.file, source.motion, fps);
}

/// A solve within a step reports its own progress, which begins at 0 each time: what is passed on never falls.
ProgressCallback rising(ProgressCallback callback) {
  if (!callback) return callback;
  return [callback = std::move(callback), most = std::make_shared<double>(0)](const Progress& progress) {
    *most = std::max(*most, progress.fraction);
    return callback({progress.stage, *most, progress.whole});
  };
}

}  // namespace

std::vector<const Animation*> cloth_clips(const Character& character, const std::string& file,
                                          std::span<const std::string> names, bool all) {
  std::vector<std::string> known;
  for (const Animation& each : character.clips) known.push_back(each.name);
  std::vector<const Animation*> clips;
  const auto add = [&](const Animation& clip) {
    if (std::find(clips.begin(), clips.end(), &clip) == clips.end()) clips.push_back(&clip);
  };
  for (const std::string& name : names)
    for (const int k : clips_meant(known, name, file)) add(character.clips[static_cast<std::size_t>(k)]);
  if (names.empty())
    for (const Animation& clip : character.clips)
      if (clip.duration > 0 && (all || clips.empty())) add(clip);
  return clips;
}

DressedFile write_dressed(const fs::path& source, const fs::path& output, const std::string& garment,
                          const DressedCharacter& dressed, std::span<const DressedClip> clips,
                          const WornOptions& options) {
  GltfFile file(source);
  std::vector<PlayedPoints> played;
  for (const DressedClip& each : clips) {
    played.push_back({.clip = each.clip->name, .times = each.motion.times});
    for (const Vec& frame : each.motion.frames) played.back().points.push_back(dressed.as_given(frame));
  }
  std::string name = fs::path(garment).stem().string();
  for (const Piece& piece : file.character().pieces)
    if (piece.name == name) name += "_cloth";
  if (dressed.piece() != nullptr) remove_piece(file, dressed.piece()->name);
  const Worn worn = with_worn_piece(file.character(), dressed.worn_piece(name), played, options);
  file.add_worn_piece(worn.character);
  file.save(output);
  return {.shapes = worn.shapes, .error = worn.error * dressed.unit()};
}

ClothResult simulate_cloth_file(const ClothSource& source, const ClothRequest& request, const fs::path& output,
                                const JobEvents& events) {
  check_extension(output, "mdd pc2 obj glb gltf");
  if (source.motion.empty() && !source.character.file.empty()) check_input(source.character.file, output);
  check_apart(source.motion, output, "motion");
  check_apart(request.garment, output, "garment");
  check_writable(output);
  request.worn.validate();
  require_option(request.fps > 0, "frame rate", request.fps, "expected more than zero frames a second");
  const Character character = load_source(source, request.fps, events);
  const std::vector<const Animation*> clips =
      cloth_clips(character, source.character.name(), request.clips, is_gltf(output));
  if (is_gltf(output) && (clips.empty() || source.character.file.empty() || !source.motion.empty()))
    refuse_output(output, "needs a character file with a clip: its morph targets are keyed there",
                  "write .mdd, .pc2 or .obj");
  if (!is_gltf(output) && clips.size() > 1)
    refuse_output(output, "holds one clip, and there are " + std::to_string(clips.size()), "name one, or write .glb");
  const OutputLock lock(output);
  DressOptions options = request.dress;
  const fs::path partial = output.string() + ".partial";
  if (options.keep.empty()) options.keep = partial;
  const DressedCharacter dressed(character, request.garment, options, events.progress);
  ClothResult result{.freed = dressed.freed(),
                     .self_contact = dressed.self_contact(),
                     .given_points = static_cast<int>(dressed.as_given(dressed.garment().mesh.points).size() / 3),
                     .points = dressed.garment().mesh.point_count(),
                     .held = static_cast<int>(dressed.garment().pins.size()),
                     .unit = dressed.unit()};
  std::shared_ptr<const PoseSpaceDatabase> database;
  if (!request.database.empty()) {
    database = std::make_shared<PoseSpaceDatabase>(PoseSpaceDatabase::load(request.database, dressed.garment_hash()));
    result.sites = database->site_count();
  }
  std::vector<DressedClip> made;
  const ProgressCallback shown = rising(events.progress);
  const std::size_t count = std::max<std::size_t>(1, clips.size());
  for (std::size_t k = 0; k < count; ++k) {
    const Animation* clip = clips.empty() ? nullptr : clips[k];
    const ProgressCallback progress = part_of_progress(shown, double(k) / double(count), double(k + 1) / double(count),
                                                       clip != nullptr ? "cloth on " + clip->name : "cloth");
    const bool whole = clip != nullptr && !request.to && request.from == 0;
    const double end = request.to.value_or(clip != nullptr ? clip->duration : 1);
    ClothMotion motion = whole ? dressed.play(*clip, request.fps, progress, database, request.subspace)
                               : dressed.simulate(clip, {.start = request.from, .end = end, .rate = request.fps},
                                                  progress, database, request.subspace);
    result.clips.push_back({.clip = clip != nullptr ? clip->name : "",
                            .frames = static_cast<int>(motion.frames.size()),
                            .report = motion.report});
    made.push_back({clip, std::move(motion)});
  }
  if (is_gltf(output)) {
    const DressedFile file = write_dressed(source.character.file, output, request.garment, dressed, made, request.worn);
    result.shapes = file.shapes, result.shape_error = file.error;
    result.written = {output.string()};
  } else {
    std::vector<Vec> frames;
    for (const Vec& frame : made.front().motion.frames) frames.push_back(dressed.as_given(frame));
    result.written = write_cloth_motion(output, dressed.given_triangles(), frames, request.fps);
  }
  std::error_code ignored;
  if (options.keep == partial) fs::remove_all(partial, ignored);
  return result;
}

}  // namespace rigspace
