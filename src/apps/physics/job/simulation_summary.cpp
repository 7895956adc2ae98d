#include "simulation_summary.h"

#include "part_values.h"
#include "rigspace/jobs/clip_names.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

constexpr double kRaised = 1.05;  // an amount raised by less is printed as if it were not

using Json = nlohmann::ordered_json;

constexpr double kToDegrees = 180 / std::numbers::pi;

long frame_of(const RecipeClip& clip, double time) { return std::lround(time * clip.frame_rate); }

/// A deviation as text: degrees at a chain's tip, or per cent of the size of flesh.
std::string deviation_in_words(const PartReport& report, double value) {
  return report.flesh ? fmt::format("{:.1f} % of its size", 100 * value)
                      : fmt::format("{:.0f} {}", kToDegrees * value,
                                    std::lround(kToDegrees * value) == 1 ? "degree" : "degrees");
}

std::string settings_in_words(const PartSettings& settings) {
  std::string text;
  for (const SettingField& field : setting_fields()) {
    const double value = settings.*field.value;
    const bool derived = value == 0 && (field.name == "rate" || field.name == "settle");
    const Curve* keys = settings.keys_of(field.name);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", field.name,
                        keys != nullptr ? fmt::format("({})", keys_in_words(*keys))
                        : derived       ? "from its size"
                                        : fmt::format("{:.4g}", value));
  }
  if (!settings.hits.empty()) text += ", in the artist's pose " + moments_in_words(settings.hits);
  return text;
}

/// If a keyed setting does not end at its first value, so that the clip cannot loop: a phrase with its name.
std::string why_no_loop(const Recipe& recipe, const RecipeClip& clip) {
  std::vector<Part> parts;
  for (const RecipePart& part : recipe.parts) parts.push_back({.name = part.name, .settings = part.settings});
  set_values(parts, clip.set);
  const std::string control = clip.has_motion() ? unrepeated_control(parts, clip.times.back()) : "";
  return control.empty() ? "" : "; no loop, since the keys of " + control + " do not end as they began";
}

std::size_t key_count_of(const ClipFix& fix) {
  std::size_t keys = 0;
  for (const Track& track : fix.tracks) keys += track.curve.times.size();
  return keys;
}

/// Whether it loops, and by which rule.
std::string played_in_words(const Recipe& recipe, const RecipeClip& clip) {
  const std::string why = clip.why.empty() ? "" : ", since " + clip.why;
  constexpr double kRepeats = 0.01;
  if (clip.loop && clip.seam > kRepeats)
    return fmt::format("loops{} (its turns differ by {:.0f} %: two are blended into one)", why, 100 * clip.seam);
  if (clip.loop) return fmt::format("loops{} (seam {:.2g} % before it was closed)", why, 100 * clip.seam);
  const std::string keyed = why_no_loop(recipe, clip);
  return "plays once" + (keyed.empty() ? why : keyed);
}

/// The corrections on top, or nothing.
std::string fix_in_words(const RecipeClip& clip) {
  const ClipFix& fix = clip.fix;
  if (fix.empty()) return "";
  std::vector<std::string> said;
  const std::size_t controls = fix.tracks.size();
  if (controls > 0)
    said.push_back(fmt::format("{} control{} corrected on top, with {} keys", controls, controls == 1 ? "" : "s",
                               key_count_of(fix)));
  if (fix.mute)
    said.emplace_back("the simulated layer is muted");
  else if (fix.influence < 1)
    said.push_back(fmt::format("{:.0f} % of the simulated layer", 100 * fix.influence));
  std::string open;
  for (const std::string& control : open_fixes(clip)) open += (open.empty() ? "" : ", ") + control;
  if (!open.empty()) said.push_back("ends drawn to the start, since the clip loops: " + open);
  return fmt::format("  {}\n", fmt::join(said, "; "));
}

/// What changed the motion beside the equations, and how far the few elements are from all.
std::string overruled_in_words(const PartReport& report) {
  constexpr double kSeen = 0.005;   // shares below this are not worth a word; --json and the recipe have them
  constexpr double kNoGuide = 0.5;  // expected of shakes that are far wider than this motion: force_error tells more
  std::string text;
  if (report.smoothed > kSeen) text += fmt::format("; smoothed by {:.1f} %", 100 * report.smoothed);
  if (report.faded > kSeen) text += fmt::format("; faded out at the end by {:.0f} %", 100 * report.faded);
  if (report.all_elements != 0)
    text +=
        fmt::format("; all elements were used, since the forces of few missed by {:.0f} %", 100 * report.force_error);
  if (report.expected_error > 0 && report.expected_error < kNoGuide && report.all_elements == 0)
    text +=
        fmt::format("; a trial was {:.0f} % of its swing off the full method", std::ceil(100 * report.expected_error));
  if (report.untrained > 0)
    text += fmt::format("; in {:.0f} % of the steps beyond what it was trained on", std::ceil(100 * report.untrained));
  return text;
}

}  // namespace

std::string report_in_words(const PartReport& report) {
  if (report.rate == 0)  // a run with --paper, which does not use PartSettings
    return fmt::format("moves by {}, most {}", deviation_in_words(report, report.swing),
                       deviation_in_words(report, report.largest));
  return fmt::format("{:.1f} Hz, settles in {:.1f} s, amount {:.2g}: {} by {}, most {}", report.rate, report.settle,
                     report.amount, report.flesh ? "moves" : "swings", deviation_in_words(report, report.swing),
                     deviation_in_words(report, report.largest));
}

std::string parts_in_words(const Recipe& recipe) {
  std::string text;
  for (const RecipePart& part : recipe.parts) {
    const bool on_controls = !part.controls.empty();
    const std::vector<std::string>& names = on_controls ? part.controls : part.joints;
    const char* kind = on_controls ? "control" : "joint";
    const std::string moved = names.size() == 1
                                  ? fmt::format("1 {}, {}", kind, names.front())
                                  : fmt::format("{} {}s, {} to {}", names.size(), kind, names.front(), names.back());
    text += fmt::format("part {}: {}{}\n", part.name,
                        preset_named(part.preset).flesh && !on_controls ? "flesh on " : "", moved);
    if (!part.reason.empty()) text += fmt::format("  since: {}\n", part.reason);
    text += fmt::format("  {}: {}\n", part.preset, settings_in_words(part.settings));
  }
  return text;
}

std::string clip_in_words(const Recipe& recipe, const RecipeClip& clip) {
  std::string text = fmt::format(
      "{}: {}\n", clip.name,
      clip.stopped ? "stopped; what is not finished is the artist's motion" : played_in_words(recipe, clip));
  for (std::size_t c = 0; c < recipe.parts.size(); ++c) {
    const PartReport& report = clip.parts[c];
    if (report.finished == 0) {
      text += fmt::format("  {:<14} not begun\n", recipe.parts[c].name);
      continue;
    }
    text += fmt::format("  {:<14} {} at frame {} ({:.2f} s)", recipe.parts[c].name, report_in_words(report),
                        frame_of(clip, report.largest_at), report.largest_at);
    if (clip.set.empty() && report.amount > kRaised * recipe.parts[c].settings.amount)
      text += recipe.tuned_on.empty() ? "; the amount was raised, since it hardly moved"
                                      : "; the amount was raised, since it hardly moves in " + recipe.tuned_on;
    if (report.grounded < 1)
      text += fmt::format("; {:.0f} % of it, since its skin is on the ground", 100 * report.grounded);
    if (report.eased < report.grounded)
      text += fmt::format("; down to {:.0f} % of it where limbs or props touch", 100 * report.eased);
    if (report.held < 1) text += fmt::format("; held: {:.0f} % of the clip's load is felt", 100 * report.held);
    if (report.deepest > 0)
      text += fmt::format("; at most {:.2g} units deep in what it runs into, at frame {}", report.deepest,
                          frame_of(clip, report.deepest_at));
    text += overruled_in_words(report);
    if (report.finished < 1) {
      const double from = clip.times.front(), to = clip.times.back();
      text += fmt::format("; finished to frame {} of {}", frame_of(clip, from + report.finished * (to - from)),
                          frame_of(clip, to));
    }
    text += "\n";
  }
  for (const RecipeEdit& edit : clip.edits) {
    std::string values;
    for (const RecipeValue& each : edit.set)
      values +=
          fmt::format("{}{}.{} {}", values.empty() ? " with " : ", ", each.part, each.control, value_in_words(each));
    text += fmt::format("  frames {} to {} made again{}\n", frame_of(clip, edit.from), frame_of(clip, edit.to), values);
  }
  text += fix_in_words(clip);
  if (clip.jumps > 0)
    text +=
        fmt::format("  {} of its keys within a frame {} not felt\n",
                    clip.jumps == 1 ? "a jump" : fmt::format("{} jumps", clip.jumps), clip.jumps == 1 ? "is" : "are");
  if (clip.failed_steps > 0) text += fmt::format("  {} steps did not converge\n", clip.failed_steps);
  if (clip.inverted_steps > 0)
    text += fmt::format("  {} steps left flesh inside out somewhere, even divided into shorter ones\n",
                        clip.inverted_steps);
  if (clip.recovered_steps > 0)
    text += fmt::format("  {} steps gave no finite numbers: a part kept its shape from before the step\n",
                        clip.recovered_steps);
  return text;
}

std::string advice(const Recipe& recipe, const std::filesystem::path& file) {
  // The part with the largest motion relative to its kind: a chain's tip to 20 degrees, flesh to 8 % of its size.
  const RecipeClip* where = nullptr;
  std::size_t which = 0;
  double most = 0;
  for (const RecipeClip& clip : recipe.clips)
    for (std::size_t c = 0; c < clip.parts.size(); ++c) {
      const double relative = clip.parts[c].largest / (clip.parts[c].flesh ? 0.08 : 20 / kToDegrees);
      if (relative > most) most = relative, where = &clip, which = c;
    }
  std::string text =
      fmt::format("Too much? rigspace rerun {0} --set '*.amount=0.6'   Too little? --set '*.amount=1.5'\n",
                  shell_quoted(file.string()));
  if (where == nullptr) return text;
  const PartReport& report = where->parts[which];
  const long frame = frame_of(*where, report.largest_at), last = frame_of(*where, where->times.back());
  const std::string& part = recipe.parts[which].name;
  return fmt::format("Most motion: {} in {}, {} at frame {}. Only there? --set {}.amount=0.6 --clip {} --range {}:{}\n",
                     part, where->name, deviation_in_words(report, report.largest), frame, part,
                     shell_quoted(where->base), std::max(0L, frame - 12), std::min(last, frame + 12)) +
         text;
}

Json clip_json(const Recipe& recipe, const RecipeClip& clip) {
  Json json{{"name", clip.name},
            {"loop", clip.loop},
            {"finished", clip.finished()},
            {"seam", clip.seam},
            {"parts", Json::array()},
            {"edits", clip.edits.size()},
            {"steps", clip.steps},
            {"iterations", clip.iterations},
            {"halved_steps", clip.halved_steps},
            {"failed_steps", clip.failed_steps},
            {"inverted_steps", clip.inverted_steps},
            {"recovered_steps", clip.recovered_steps},
            {"jumps", clip.jumps}};
  if (!clip.fix.empty())
    json["fix"] = {{"controls", clip.fix.tracks.size()},
                   {"keys", key_count_of(clip.fix)},
                   {"influence", clip.fix.influence},
                   {"mute", clip.fix.mute},
                   {"closed", open_fixes(clip)}};
  for (std::size_t c = 0; c < recipe.parts.size(); ++c) {
    const PartReport& report = clip.parts[c];
    const RecipePart& made = recipe.parts[c];
    Json part{{"name", made.name}, {"preset", made.preset}};
    part[made.controls.empty() ? "joints" : "controls"] =
        made.controls.empty() ? made.joints.size() : made.controls.size();
    part.update(Json{{"length_m", report.length},
                     {"rate_hz", report.rate},
                     {"settle_s", report.settle},
                     {"lag_s", report.lag},
                     {"amount", report.amount},
                     {"eased", report.eased},
                     {"grounded", report.grounded},
                     {"held", report.held},
                     {"scaled", report.scaled},
                     {"springs", report.springs},
                     {"smoothed", report.smoothed},
                     {"faded", report.faded}});
    if (report.flesh)
      part.update(Json{{"expected_error", report.expected_error},
                       {"untrained", report.untrained},
                       {"force_error", report.force_error},
                       {"all_elements", report.all_elements != 0},
                       {"smallest_volume", report.smallest_volume}});
    const double unit = report.flesh ? 100 : kToDegrees;
    part[report.flesh ? "swing_percent" : "swing_deg"] = report.swing * unit;
    part[report.flesh ? "largest_percent" : "largest_deg"] = report.largest * unit;
    part["largest_at_s"] = report.largest_at;
    part["largest_frame"] = frame_of(clip, report.largest_at);
    if (report.deepest > 0) part["deepest"] = report.deepest, part["deepest_at_s"] = report.deepest_at;
    json["parts"].push_back(std::move(part));
  }
  return json;
}

}  // namespace rigspace
