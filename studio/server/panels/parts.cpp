// Which parts move, and how: the finder's choice with its reasons, and the user's changes.

#include "../studio.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace rigspace::studio {
namespace {

const OpenFile& open_file(Studio& studio) {
  static thread_local std::shared_ptr<const OpenFile> file;  // keeps it alive during the command
  file = studio.file();
  if (!file) refuse("the studio", "", "has no character", "open a file first");
  return *file;
}

std::string kind_of(const PartCandidate& candidate) {
  if (!candidate.part.points.empty()) return "sheet";
  if (!candidate.part.controls.empty()) return "controls";
  return preset_named(candidate.part.preset).flesh ? "flesh" : "chain";
}

/// Its joints, or the controls that it moves, by name.
std::vector<std::string> joints_of(const Character& character, const Part& part) {
  std::vector<std::string> joints;
  for (const int control : part.controls)
    joints.push_back(character.rig->controls()[static_cast<std::size_t>(control)].name);
  for (const int bone : part.bones) joints.push_back(character.bones[static_cast<std::size_t>(bone)].name);
  return joints;
}

/// Whether a candidate is the part: the same joints, and both cloth or neither.
bool is_same(const OpenFile& file, const PartCandidate& candidate, const LivePart& part) {
  if ((kind_of(candidate) == "sheet") != (part.kind == "sheet")) return false;
  auto own = joints_of(file.character->artists(), candidate.part), other = part.carried;
  std::sort(own.begin(), own.end()), std::sort(other.begin(), other.end());
  return own == other;
}

int candidate_of(const OpenFile& file, const LivePart& part) {
  for (std::size_t k = 0; k < file.search.candidates.size(); ++k)
    if (is_same(file, file.search.candidates[k], part)) return static_cast<int>(k);
  return -1;
}

/// `pattern=preset` of a part that is open: its candidate's, or its joints by name.
std::string pattern_of(const OpenFile& file, const LivePart& part) {
  const int candidate = candidate_of(file, part);
  std::string pattern;
  if (candidate >= 0) {
    pattern = file.patterns[static_cast<std::size_t>(candidate)];
    pattern.resize(pattern.rfind('='));
  } else {
    for (const std::string& joint : part.carried) pattern += (pattern.empty() ? "" : ",") + joint;
  }
  return pattern + "=" + part.preset;
}

bool is_protected_by(const Project& project, const std::vector<std::string>& joints) {
  return !joints.empty() && std::all_of(joints.begin(), joints.end(), [&](const std::string& joint) {
    return std::find(project.protect.begin(), project.protect.end(), joint) != project.protect.end();
  });
}

Json values_of(const PartSettings& settings) {
  Json values = Json::object();
  for (const SettingField& field : setting_fields()) values[std::string(field.name)] = settings.*field.value;
  return values;
}

Json chosen_part(Studio& studio, const OpenFile& file, const LivePart& part) {
  PartSettings settings = part.settings;
  Json set = Json::object(), of_clip = Json::object();
  for (const ProjectSet& each : studio.project().sets) {
    if (each.part != part.name) continue;
    if (each.clip.empty())
      set[each.field] = each.keys.front().second;
    else if (each.clip == studio.playback().state().clip)
      of_clip[each.field] = each.keys;
  }
  Json used = Json::object();
  if (const RealtimeModel* model = studio.playback().model())
    for (const RealtimePart& tuned : model->tuning())
      if (tuned.name == part.name)
        used = {{"rate", tuned.rate}, {"settle", tuned.settle}, {"lag", tuned.lag}, {"amount", tuned.amount}},
        settings = tuned.settings;
  return {{"name", part.name},
          {"preset", part.preset},
          {"pattern", pattern_of(file, part)},
          {"kind", part.kind},
          {"reason", part.reason},
          {"nodes", part.moved},
          {"joints", part.carried},
          {"settings", values_of(settings)},
          {"set", set},
          {"clip", of_clip},
          {"used", used},
          {"candidate", candidate_of(file, part)}};
}

Json parts_slice(Studio& studio) {
  const auto file = studio.file();
  Json slice{{"chosen", Json::array()},
             {"candidates", Json::array()},
             {"presets", Json::array()},
             {"fields", Json::array()},
             {"protect", studio.project().protect},
             {"found", studio.project().found},
             {"remark", file ? file->search.remark : ""},
             {"body", file ? file->search.body : ""}};
  for (const Preset& preset : presets()) slice["presets"].push_back({{"name", preset.name}, {"flesh", preset.flesh}});
  for (const SettingField& field : setting_fields())
    slice["fields"].push_back({{"name", field.name},
                               {"min", field.min},
                               {"max", std::isfinite(field.max) ? Json(field.max) : Json()},
                               {"keyed", field.keyed}});
  if (!file) return slice;
  const std::vector<LivePart>& parts = file->character->parts();
  for (const LivePart& part : parts) slice["chosen"].push_back(chosen_part(studio, *file, part));
  for (std::size_t k = 0; k < file->search.candidates.size(); ++k) {
    const PartCandidate& each = file->search.candidates[k];
    const std::vector<std::string> joints = joints_of(file->character->artists(), each.part);
    const bool soft =
        std::any_of(parts.begin(), parts.end(), [&](const LivePart& part) { return is_same(*file, each, part); });
    slice["candidates"].push_back({{"name", each.part.name},
                                   {"preset", each.part.preset},
                                   {"pattern", file->patterns[k]},
                                   {"kind", kind_of(each)},
                                   {"nodes", joints},
                                   {"score", each.score},
                                   {"chosen", each.chosen},
                                   {"for", each.reasons_for},
                                   {"against", each.reasons_against},
                                   {"mode", soft                                        ? "soft"
                                            : is_protected_by(studio.project(), joints) ? "protected"
                                                                                        : "firm"}});
  }
  return slice;
}

/// The names that the parts of some patterns get, as plan_parts gives them, with the joints of each.
std::vector<std::pair<std::string, std::vector<std::string>>> named(const Character& artists, bool on_controls,
                                                                    const std::vector<std::string>& patterns) {
  std::vector<std::pair<std::string, std::vector<std::string>>> all;
  std::map<std::string, int> used;
  const auto parts_of = [&](const std::string& pattern) {
    return on_controls ? std::vector<Part>{control_part_from_pattern(artists, pattern)}
                       : parts_from_pattern(artists, pattern);
  };
  for (const std::string& pattern : patterns)
    for (const Part& part : parts_of(pattern)) {
      const int times = ++used[part.name];
      all.emplace_back(times > 1 ? part.name + "_" + std::to_string(times) : part.name, joints_of(artists, part));
    }
  return all;
}

/// Gives the project a list of parts by name, and its settings the names that these parts then have.
void set_parts(Project& project, const OpenFile& file, const std::vector<std::string>& patterns) {
  const auto after = named(file.character->artists(), file.character->on_controls(), patterns);
  std::vector<ProjectSet> sets;
  for (const LivePart& part : file.character->parts()) {
    const auto same =
        std::find_if(after.begin(), after.end(), [&](const auto& each) { return each.second == part.carried; });
    if (same == after.end()) continue;
    for (ProjectSet set : project.sets)
      if (set.part == part.name) set.part = same->first, sets.push_back(std::move(set));
    const bool gentle = part.found && part.settings.amount != 1;  // the finder's own choice, which names do not carry
    if (project.found && gentle && project.set_of(part.name, "amount", "") == nullptr)
      sets.push_back({.part = same->first, .field = "amount", .clip = "", .keys = {{0, part.settings.amount}}});
  }
  project.sets = std::move(sets);
  project.found = false, project.parts = patterns;
}

/// The part of a `parts.mode` request: a candidate, or joints by name.
struct Chosen {
  std::string name, pattern, preset;
  std::vector<std::string> joints;
};

Chosen chosen_of(const OpenFile& file, const Arguments& given) {
  if (given.has("candidate")) {
    const int k = given.integer("candidate", 0, static_cast<int>(file.search.candidates.size()) - 1);
    const Part& part = file.search.candidates[static_cast<std::size_t>(k)].part;
    const std::string& pattern = file.patterns[static_cast<std::size_t>(k)];
    return {part.name, pattern.substr(0, pattern.rfind('=')), part.preset, joints_of(file.character->artists(), part)};
  }
  Chosen chosen{.name = "", .pattern = "", .preset = "tail", .joints = given.texts("nodes", 200)};
  const std::vector<Bone>& bones = file.character->artists().bones;
  for (const std::string& joint : chosen.joints) {
    if (std::none_of(bones.begin(), bones.end(), [&](const Bone& bone) { return bone.name == joint; }))
      refuse("joint \"" + joint + "\"", joint, "is not in the file", "choose one on the body");
    chosen.pattern += (chosen.pattern.empty() ? "" : ",") + joint + (file.character->on_controls() ? ".r?" : "");
  }
  if (chosen.joints.empty()) refuse("argument \"nodes\"", "", "is empty", "name joints, or a candidate");
  chosen.name = chosen.joints.front();
  return chosen;
}

void set_mode(Studio& studio, const Arguments& given) {
  const OpenFile& file = open_file(studio);
  const Chosen chosen = chosen_of(file, given);
  const std::string mode = given.text("mode");
  if (mode != "soft" && mode != "firm" && mode != "protected")
    refuse("argument \"mode\"", mode, "is \"" + mode + "\"", "expected soft, firm or protected");
  if (mode == "protected" && file.character->on_controls())
    refuse("argument \"mode\"", mode, "has no meaning for a rig whose own controls move", "make it firm");
  const std::string preset(preset_named(given.text_or("preset", chosen.preset)).name);
  const auto is_chosen = [&](const std::string& joint) {
    return std::find(chosen.joints.begin(), chosen.joints.end(), joint) != chosen.joints.end();
  };
  std::vector<std::string> patterns;
  for (const LivePart& part : file.character->parts())
    if (part.carried.size() != chosen.joints.size() ||
        !std::all_of(part.carried.begin(), part.carried.end(), is_chosen))
      patterns.push_back(pattern_of(file, part));
  if (mode == "soft") patterns.push_back(chosen.pattern + "=" + preset);
  studio.edit(chosen.name + ": " + mode, "", [&](Project& project) {
    std::erase_if(project.protect, is_chosen);
    if (mode == "protected") project.protect.insert(project.protect.end(), chosen.joints.begin(), chosen.joints.end());
    set_parts(project, file, patterns);
  });
}

/// Gives controls to the simulation, or takes them from it: those that a pattern meets, by name, node or group. On
/// joints whole joints are given and taken.
void set_free(Studio& studio, const Arguments& given) {
  const OpenFile& file = open_file(studio);
  const std::string pattern = given.text("pattern");
  const bool on = given.flag("on"), on_controls = file.character->on_controls();
  const Character& artists = file.character->artists();
  const std::span<const Control> controls = file.character->character().rig->controls();
  std::set<std::string> meant;  // controls, or joints
  for (const Control& control : controls)
    if (control.unit != Unit::quaternion && control.unit != Unit::scale &&
        (matches(control, pattern) || matches_pattern(control.group, pattern)))
      meant.insert(on_controls ? control.name : control.node);
  if (meant.empty())
    refuse("pattern \"" + pattern + "\"", pattern, "meets no control", "the panel Controls lists them");
  std::set<std::string> taken;
  std::vector<std::string> patterns;
  for (const LivePart& part : file.character->parts()) {
    taken.insert(part.carried.begin(), part.carried.end());
    std::string left;
    bool changed = false;
    for (const std::string& name : part.carried) {
      const bool leaves = !on && meant.contains(name);
      changed = changed || leaves;
      if (!leaves) left += (left.empty() ? "" : ",") + name;
    }
    const bool soft_joint_leaves = !on && std::any_of(part.moved.begin(), part.moved.end(),
                                                      [&](const std::string& node) { return meant.contains(node); });
    if (!changed && soft_joint_leaves) continue;  // flesh is moved by all of its joints
    if (!left.empty()) patterns.push_back(changed ? left + "=" + part.preset : pattern_of(file, part));
  }
  if (on) {
    std::string fresh, preset = "flesh";
    for (const std::string& name : meant) {
      const bool known = on_controls || std::any_of(artists.bones.begin(), artists.bones.end(),
                                                    [&, &node = name](const Bone& bone) { return bone.name == node; });
      if (known && !taken.contains(name)) fresh += (fresh.empty() ? "" : ",") + name;
    }
    if (fresh.empty())
      refuse("pattern \"" + pattern + "\"", pattern, "meets nothing that the simulation does not move already",
             on_controls ? "choose other controls" : "choose joints of the skin");
    const bool all = std::none_of(meant.begin(), meant.end(), [&](const auto& name) { return taken.contains(name); });
    if (!on_controls) preset = "tail";
    patterns.push_back((all && on_controls ? pattern : fresh) + "=" + preset);
  }
  if (patterns.empty())
    refuse("pattern \"" + pattern + "\"", pattern, "is all that moves", "mute the layer, or free something else first");
  studio.edit((on ? "free " : "bind ") + pattern, "", [&](Project& project) { set_parts(project, file, patterns); });
}

void set_preset(Studio& studio, const Arguments& given) {
  const OpenFile& file = open_file(studio);
  const std::string name = given.text("part"), preset(preset_named(given.text("preset")).name);
  std::vector<std::string> patterns;
  bool met = false;
  for (const LivePart& part : file.character->parts()) {
    std::string pattern = pattern_of(file, part);
    if (part.name == name) pattern = pattern.substr(0, pattern.rfind('=')) + "=" + preset, met = true;
    patterns.push_back(pattern);
  }
  if (!met) refuse("part \"" + name + "\"", name, "is not there", "choose one of the list");
  studio.edit(name + ": " + preset, "", [&](Project& project) { set_parts(project, file, patterns); });
}

/// The value within a range of the present clip, with smooth ends; outside of it what holds otherwise.
ProjectSet ranged(const ProjectSet& constant, double outside, double from, double to) {
  constexpr double kEnds = 0.12;  // s
  ProjectSet set = constant;
  const double value = constant.keys.front().second;
  set.keys.clear();
  if (from > kEnds) set.keys = {{from - kEnds, outside}};
  set.keys.emplace_back(from, value);
  set.keys.emplace_back(to, value);
  set.keys.emplace_back(to + kEnds, outside);
  return set;
}

void set_field(Studio& studio, const Arguments& given) {
  const OpenFile& file = open_file(studio);
  const std::string name = given.text("part"), field = given.text("field");
  const auto& parts = file.character->parts();
  const auto part = std::find_if(parts.begin(), parts.end(), [&](const LivePart& each) { return each.name == name; });
  if (part == parts.end()) refuse("part \"" + name + "\"", name, "is not there", "choose one of the list");
  const std::string& clip = studio.playback().state().clip;
  const bool range = given.has("from") || given.has("to");
  const bool of_clip = range || (given.has("clip") && given.flag("clip"));
  ProjectSet set{.part = name, .field = field, .clip = of_clip ? clip : ""};
  const bool back = given.is_null("value");
  if (!back) {
    const double value = given.number("value", -1e9, 1e9);
    PartSettings checked = part->settings;
    checked.set(field, value);  // throws, naming the fields, or the range
    set.keys.emplace_back(0, value);
    if (range) {
      const ProjectSet* general = studio.project().set_of(name, field, "");
      const auto known = std::find_if(setting_fields().begin(), setting_fields().end(),
                                      [&](const SettingField& each) { return each.name == field; });
      double outside = general ? general->keys.front().second : part->settings.*(known->value);
      if (outside == 0 && (field == "rate" || field == "settle"))
        refuse("field \"" + field + "\"", field, "is found by itself, so that there is no value outside of the range",
               "set it for all of the clip first");
      const double from = given.number("from", 0, 1e6), to = given.number("to", from, 1e6);
      set = ranged(set, outside, from, to);
    }
  }
  studio.edit(name + " " + field, name + "." + field + "." + set.clip, [&](Project& project) {
    std::erase_if(project.sets, [&](const ProjectSet& each) {
      return each.part == name && each.field == field && each.clip == set.clip;
    });
    if (!back) project.sets.push_back(set);
  });
}

}  // namespace

void add_parts_panel(Studio& studio) {
  studio.add_slice("parts", [&studio] { return parts_slice(studio); });
  studio.add_command("parts.set",
                     [&studio](const Arguments& given) { return set_field(studio, given), Json::object(); });
  studio.add_command("parts.mode",
                     [&studio](const Arguments& given) { return set_mode(studio, given), Json::object(); });
  studio.add_command("controls.free",
                     [&studio](const Arguments& given) { return set_free(studio, given), Json::object(); });
  studio.add_command("parts.preset",
                     [&studio](const Arguments& given) { return set_preset(studio, given), Json::object(); });
  studio.add_command("parts.find", [&studio](const Arguments&) {
    studio.edit("find parts", "", [](Project& project) {
      project.found = true;
      project.parts.clear(), project.protect.clear(), project.sets.clear();
    });
    return Json::object();
  });
  studio.on_edit([&studio](const Project& before) {
    const Project& now = studio.project();
    const bool others = before.found != now.found || before.parts != now.parts || before.protect != now.protect ||
                        before.stiffness != now.stiffness || before.material != now.material || before.unit != now.unit;
    if (others)
      studio.load("Preparing the parts");
    else if (before.sets != now.sets)
      studio.adjust();
    studio.touch("parts");
  });
  // Settings that are keyed over the clip.
  studio.add_tick([&studio] {
    const PlayState& state = studio.playback().state();
    if (!state.playing || !studio.playback().is_open()) return;
    const auto& sets = studio.project().sets;
    if (std::any_of(sets.begin(), sets.end(),
                    [&](const ProjectSet& set) { return set.keys.size() > 1 && set.clip == state.clip; }))
      studio.adjust();
  });
}

}  // namespace rigspace::studio
