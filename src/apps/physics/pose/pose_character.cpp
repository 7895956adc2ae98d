#include "rigspace/apps/physics/pose_character.h"

#include "pose_words.h"
#include "rigspace/anim/bake.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/geometry/scene_unit.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/export_points.h"
#include "rigspace/jobs/arguments.h"
#include "rigspace/jobs/posed_model.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// A pose as a clip: one key of each control that is not at rest.
Animation pose_clip(const Character& character, const Vec& p) {
  const Vec rest = character.rig->rest();
  std::vector<int> changed;
  for (int c = 0; c < static_cast<int>(p.size()); ++c)
    if (p[c] != rest[c]) changed.push_back(c);
  const double times[] = {0};
  return keys_from_poses(character.rig->controls(), changed, times, p);
}

}  // namespace

PoseTarget pose_target(const std::string& text) {
  const auto equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Error({.code = ErrorCode::usage,
                 .element = "--pull \"" + text + "\"",
                 .value = text,
                 .problem = "has no target",
                 .remedy = "write VERTEX=x,y,z or VERTEX=FILE.csv"});
  return {.vertex = text.substr(0, equals), .target = text.substr(equals + 1)};
}

bool PoseRequest::moves() const {
  return std::any_of(pulls.begin(), pulls.end(), [](const PoseTarget& target) { return target.moves(); });
}

PosedCharacter pose_character(const Character& character, const std::string& name, const PoseRequest& request,
                              const ProgressCallback& progress) {
  PosedCharacter result{.start = request.start.size() > 0 ? request.start : character.rig->rest(),
                        .fps = request.fps,
                        .moves = request.moves()};
  const VertexFinder finder(character, name, result.start);
  PoserOptions options = request.poser;
  options.pulled.clear(), options.held.clear();
  std::vector<PullPath> paths;
  for (const PoseTarget& target : request.pulls) {
    options.pulled.push_back(finder.find(target.vertex));
    paths.push_back(path_of(target, finder.position(options.pulled.back())));
  }
  if (request.dynamic && !result.moves)
    refuse_usage("--dynamic", "needs a target that moves",
                 "give a path: --pull VERTEX=FILE.csv with lines of time,x,y,z, or in Python (times, points)");
  for (const std::string& hold : request.holds) options.held.push_back(finder.find(hold));
  options.free = free_controls(character, result.start, request.controls,
                               {.pulled = options.pulled, .held = options.held, .swing = request.dynamic});
  options.step = 1 / (request.fps * std::ceil(120 / request.fps - 1e-9));  // a whole number of steps a frame
  options.metres_per_unit =
      request.metres_per_unit > 0 ? request.metres_per_unit : guess_metres_per_unit(finder.points()).metres;
  Poser poser(character, result.start, options);
  result.size = poser.size();
  result.free = poser.free();
  const Animation* clip = result.moves ? clip_named(character, name, request.clip) : nullptr;
  result.posed = pose_along(poser, character, paths,
                            {.fps = request.fps, .dynamic = request.dynamic, .clip = clip, .progress = progress});
  result.clip = result.moves ? result.posed.clip : pose_clip(character, result.last());
  result.clip.name = request.name;
  return result;
}

void save_pose(const PosedCharacter& posed, const Character& character, const CharacterSource& source,
               const std::filesystem::path& output) {
  const std::string file = output.string();
  if (file.ends_with(".glb") || file.ends_with(".gltf"))
    return write_posed_model(file, source, character, posed.clip, posed.fps);
  if (file.ends_with(".rigspace.json")) {
    const Animation clips[] = {posed.clip};
    return write_file(output, to_curves_json(curve_file(character, clips)));
  }
  if (posed.moves) refuse_usage(file, "holds one pose, and this is a motion", "write .rigspace.json, .glb or .png");
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), posed.last(), s);
  write_points(output, character, s);
}

}  // namespace rigspace
