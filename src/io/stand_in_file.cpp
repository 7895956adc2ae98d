#include "rigspace/io/stand_in_file.h"

#include "rigspace/base/error.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/json_text.h"
#include "rigspace/io/rig_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace rigspace {
namespace {

namespace fs = std::filesystem;
using Json = Field::Json;

constexpr int kMostPoses = 5000;  // the equations of kriging are dense
constexpr int kDeepest = 8;       // stand-ins that are the slow rig of others

Character load_beside(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  if (!fs::exists(folder / name, ignored))
    throw Error(
        {.file = (folder / name).string(), .problem = "does not exist", .remedy = "put it beside the rig file"});
  return load_character(folder / name);
}

/// Evenly over all clips, the ends included.
std::vector<Vec> poses_of(const Character& character, const StandInFile& file) {
  std::vector<const Animation*> clips;
  for (const std::string& name : file.clips) {
    clips.push_back(character.clip(name));
    if (clips.back() == nullptr)
      throw Error({.file = file.slow,
                   .element = "clip \"" + name + "\"",
                   .value = name,
                   .problem = "is not there",
                   .remedy = "`rigspace info` lists its clips"});
  }
  if (file.clips.empty())
    for (const Animation& clip : character.clips) clips.push_back(&clip);
  double whole = 0;
  for (const Animation* clip : clips) whole += clip->duration;
  if (!(whole > 0))
    throw Error({.file = file.slow, .problem = "has no clip to learn from", .remedy = "give a character with clips"});
  std::vector<Vec> poses;
  for (const Animation* clip : clips) {
    const Sampler sampler(*clip, character.rig->controls());
    const int count = std::max(2, static_cast<int>(std::lround(file.poses * clip->duration / whole)));
    for (int k = 0; k < count; ++k) {
      poses.push_back(character.rig->rest());
      sampler.sample(clip->duration * k / (count - 1), poses.back());
    }
  }
  return poses;
}

}  // namespace

StandIn make_stand_in(const StandInFile& file, const fs::path& folder) {
  static thread_local int depth = 0;
  struct Deeper {
    Deeper() { ++depth; }
    ~Deeper() { --depth; }
  } const deeper;
  if (depth > kDeepest)
    throw Error(
        {.file = file.slow, .problem = "is a stand-in of a stand-in, and so on", .remedy = "name the slow rig itself"});
  StandIn made;
  made.character = load_beside(folder, file.slow);
  made.slow = made.character.rig;
  if (!file.fast.empty()) made.fast = load_beside(folder, file.fast).rig;
  const std::vector<Vec> poses = poses_of(made.character, file);
  made.rig = std::make_shared<StandInRig>(made.slow, made.fast, poses, file.options);
  made.character.rig = made.rig;
  return made;
}

StandInFile parse_stand_in_file(std::string text, const std::string& name) {
  const JsonText document(std::move(text), name);
  const Field root = document.root();
  root.allow({"rigspace_rig", "kind", "slow", "fast", "clips", "poses", "tolerance", "safety"});
  if (root["rigspace_rig"].integer(0, 1 << 20) != 1)
    root["rigspace_rig"].fail("is not 1", "this program reads version 1");
  StandInFile file{.slow = root["slow"].text(), .fast = {}, .clips = {}, .options = {}};
  if (const auto fast = root.find("fast")) file.fast = fast->text();
  if (const auto clips = root.find("clips")) file.clips = clips->texts();
  if (const auto poses = root.find("poses")) file.poses = poses->integer(3, kMostPoses);
  file.options.tolerance = root["tolerance"].number();
  if (const auto safety = root.find("safety")) file.options.safety = safety->number();
  root.located([&] { file.options.validate(); });
  return file;
}

std::string stand_in_text(const StandInFile& file) {
  Json json{{"rigspace_rig", 1}, {"kind", "stand-in"}, {"slow", file.slow}};
  if (!file.fast.empty()) json["fast"] = file.fast;
  if (!file.clips.empty()) json["clips"] = file.clips;
  json["poses"] = file.poses;
  json["tolerance"] = file.options.tolerance;
  json["safety"] = file.options.safety;
  return json.dump(1) + "\n";
}

void register_stand_in_kind() {
  add_rig_kind({"stand-in", [](const std::string& text, const fs::path& path) {
                  return make_stand_in(parse_stand_in_file(text, path.string()), path.parent_path()).character;
                }});
}

}  // namespace rigspace
