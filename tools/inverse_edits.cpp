// What rigspace inverse apply does with a clip once it is mapped: layers, warps, keys.

#include "inverse_edits.h"

#include "rigspace/anim/bake.h"
#include "rigspace/anim/kept_keys.h"
#include "rigspace/anim/key_fitting.h"
#include "rigspace/base/error.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/formats.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace rigspace::tools {

std::vector<const Animation*> clips_of(const Character& source, const std::string& wanted) {
  std::vector<std::string> names;
  std::vector<const Animation*> clips;
  for (const Animation& clip : source.clips) {
    if (wanted.empty() || clip.name == wanted || matches_pattern(clip.name, wanted)) clips.push_back(&clip);
    names.push_back(clip.name);
  }
  if (clips.empty())
    throw Error({.code = ErrorCode::usage,
                 .file = source.name,
                 .element = wanted.empty() ? "motion" : "clip \"" + wanted + "\"",
                 .value = wanted,
                 .problem = wanted.empty() ? "has no clips" : "is not in this file",
                 .remedy = suggestion(wanted, names, "give a file with a motion")});
  if (wanted.find_first_of("*?") == std::string::npos) clips.erase(clips.begin() + 1, clips.end());
  return clips;
}

std::vector<ClipLayer> read_layers(std::span<const std::string> words, const Character& own, const InverseModel& model,
                                   const JointMotionOptions& motion_options, const RefineOptions& refine) {
  std::vector<ClipLayer> layers;
  for (const std::string& word : words) {
    ClipLayer layer;
    std::string what = word;
    if (const std::size_t equal = word.rfind('='); equal != word.npos) {
      const char *first = word.data() + equal + 1, *last = word.data() + word.size();
      if (const auto [end, failed] = std::from_chars(first, last, layer.influence);
          failed != std::errc() || end != last)
        refuse_usage("--layer " + word, "does not end in an influence", "try Wave=0.5");
      what = word.substr(0, equal);
    }
    if (const Animation* clip = own.clip(what)) {
      layer.clip = *clip;
    } else if (what.ends_with(".json") && !what.ends_with(".rig.json")) {
      const CurveFile file = read_curves(what);
      check_units(file, own.rig->controls());
      if (file.clips.empty()) refuse_usage("--layer " + word, "has no clips", "give a file with a motion");
      layer.clip = file.clips.front();
    } else if (std::filesystem::exists(what)) {
      const Character source = load_character(what);
      const Animation& motion = *clips_of(source, "").front();
      layer.clip =
          map_motion(own, model, joint_motion(own, model, source, motion, motion_options), refine, terminal_progress())
              .clip;
      clear_bar();
    } else {
      std::vector<std::string> names;
      for (const Animation& each : own.clips) names.push_back(each.name);
      refuse_usage("--layer " + word, "is neither a clip of the rig nor a file",
                   suggestion(what, names, "give a motion"));
    }
    layers.push_back(std::move(layer));
  }
  return layers;
}

void edit(const Character& own, std::span<const ClipLayer> layers, std::span<const std::string> warps, double rate,
          Animation& clip) {
  if (!layers.empty()) clip = with_layers(own, clip, layers, frame_times(clip.duration, rate));
  if (!warps.empty()) clip = warped(own, clip, read_warp(warps, own.rig->controls()), rate);
}

MappedKeys set_keys(const std::string& wish, const Character& own, const Animation* source, Animation& clip) {
  MappedKeys made;
  if (wish == "frames") return made;
  if (wish == "source") {
    if (source == nullptr) refuse_usage("--keys source", "needs a motion that has keys", "give an error, as 0.002");
    made = {.clip = with_keys_at(clip, key_times(*source)), .from_source = true};
    made.kept_times = static_cast<int>(key_times(made.clip).size());
    made.error = surface_error(*own.rig, made.clip, clip, source_frames(clip)).distance / rest_height(*own.rig);
  } else {
    double tolerance = kMappedKeyTolerance;
    if (!wish.empty()) {
      const auto [end, failed] = std::from_chars(wish.data(), wish.data() + wish.size(), tolerance);
      if (failed != std::errc() || end != wish.data() + wish.size() || !(tolerance > 0))
        refuse_usage("--keys " + wish, "is neither an error above 0 nor \"source\" nor \"frames\"", "try 0.002");
    }
    made = with_mapped_keys(own, clip, source, tolerance, terminal_progress());
    clear_bar();
  }
  made.clip.name = clip.name;
  clip = made.clip;
  return made;
}

}  // namespace rigspace::tools
