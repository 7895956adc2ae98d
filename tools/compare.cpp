#include "compare.h"

#include "rigspace/io/curve_file.h"
#include "rigspace/io/formats.h"

#include <algorithm>

namespace rigspace::tools {
namespace {

constexpr double kSame = 1e-3;  // of the size: float32 and played-out rigs are nearer
constexpr int kLooks = 7;       // times of a clip at which two characters are compared

bool holds_curves(const std::string& file) { return file.ends_with(".rigspace.json"); }

std::vector<Animation> curves_for(const Character& character, const std::string& file) {
  CurveFile curves = read_curves(file);
  try {
    check_units(curves, character.rig->controls());
  } catch (const Error& error) {
    throw error.in_file(file);
  }
  return std::move(curves.clips);
}

void check_controls(const Character& character, const Animation& clip, const std::string& file) {
  const Sampler sampler(clip, character.rig->controls());
  if (sampler.unbound().empty()) return;
  throw Error({.file = file,
               .element = "clip \"" + clip.name + "\": control \"" + sampler.unbound()[0] + "\"",
               .value = sampler.unbound()[0],
               .problem = "is not a control of the character",
               .remedy = "give motions of one character; `rigspace info --controls` lists its controls"});
}

Vec points_at(const Character& character, const Animation* clip, double time) {
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), pose_at(character, clip, time), s);
  return s;
}

/// Shapes of rigs that were converted one by one may share names and differ: only the points are compared.
void check_same(const Character& character, const Character& other, const Animation& clip, const std::string& file) {
  bool same = character.rig->point_count() == other.rig->point_count();
  if (same) {
    const Vec rest = points_at(character, nullptr, 0);
    const double size = rest.maxCoeff() - rest.minCoeff();
    for (int k = 0; same && k <= kLooks; ++k) {
      const double time = clip.duration * k / kLooks;
      same = (points_at(character, &clip, time) - points_at(other, &clip, time)).cwiseAbs().maxCoeff() <= kSame * size;
    }
  }
  if (same) return;
  throw Error({.file = file,
               .element = "clip \"" + clip.name + "\"",
               .value = clip.name,
               .problem = "moves another character, or other shapes of it",
               .remedy = "give the rig file and curves of both: RIG.rig.json --clips A.rigspace.json "
                         "--over B.rigspace.json"});
}

const Animation& chosen(const std::vector<Animation>& clips, const std::string& name, const std::string& file) {
  std::vector<std::string> names;
  for (const Animation& clip : clips) {
    if (clip.name == name) return clip;
    names.push_back(clip.name);
  }
  if (name.empty() && !clips.empty()) return clips.front();
  throw Error(
      {.file = file,
       .element = "clip \"" + name + "\"",
       .value = name,
       .problem = clips.empty() ? "does not exist: there is none" : "does not exist",
       .remedy = clips.empty() ? "give a file with motion" : suggestion(name, names, "choose one of its clips")});
}

bool has(const std::vector<Animation>& clips, const std::string& name) {
  return std::any_of(clips.begin(), clips.end(), [&](const Animation& clip) { return clip.name == name; });
}

/// The last clip of one that the other has too, since results come after what they were made from; none: no name.
std::string common_name(const std::vector<Animation>& clips, const std::vector<Animation>& others) {
  for (std::size_t k = clips.size(); k > 0; --k)
    if (has(others, clips[k - 1].name)) return clips[k - 1].name;
  return {};
}

}  // namespace

Compared load_compared(const CompareSource& source, const Context& context) {
  Compared result{.character = load_character(source.file)};
  print_warnings(context, source.file, result.character.warnings);
  const std::string& from = source.clips.empty() ? source.file : source.clips;
  const std::vector<Animation> clips =
      source.clips.empty() ? result.character.clips : curves_for(result.character, source.clips);
  const bool curves = holds_curves(source.over);
  if (!curves) check_input(source.over);
  const Character other = curves ? Character{} : load_character(source.over);
  const std::vector<Animation> others = curves ? curves_for(result.character, source.over) : other.clips;

  Animation first = chosen(clips, source.clip.empty() ? common_name(clips, others) : source.clip, from);
  const std::string like = has(others, first.name) ? first.name : "";
  Animation second = chosen(others, source.over_clip.empty() ? like : source.over_clip, source.over);
  check_controls(result.character, first, from);
  check_controls(result.character, second, source.over);
  if (!curves) check_same(result.character, other, second, source.over);

  const auto file_name = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
  const bool one_file = from == source.over;
  result.first_label = one_file ? first.name : file_name(from);
  result.second_label = one_file ? second.name : file_name(source.over);
  if (result.first_label == result.second_label) result.first_label = from, result.second_label = source.over;
  if (second.name == first.name) second.name += " (" + result.second_label + ")";
  result.first = first.name, result.second = second.name;
  result.character.clips = {std::move(first), std::move(second)};
  return result;
}

}  // namespace rigspace::tools
