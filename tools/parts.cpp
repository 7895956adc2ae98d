// rigspace parts: which parts of a character would move by themselves, with the evidence for and against each.

#include "source_options.h"

#include "rigspace/jobs/folder_settings.h"
#include "rigspace/render/sheet.h"

#include <fmt/format.h>

#include <array>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;

struct PartsArguments {
  CharacterSource source;
  std::string output;
  bool all = false;
  int size = 480;
};

struct PartColor {
  const char* name;
  Eigen::Vector3f linear;
};
constexpr std::size_t kColorCount = 6;
const std::array<PartColor, kColorCount>& part_colors() {
  static const std::array<PartColor, kColorCount> kColors = {{{"red", {0.80f, 0.05f, 0.04f}},
                                                              {"blue", {0.03f, 0.16f, 0.75f}},
                                                              {"green", {0.03f, 0.45f, 0.06f}},
                                                              {"yellow", {0.90f, 0.55f, 0.02f}},
                                                              {"violet", {0.35f, 0.05f, 0.55f}},
                                                              {"cyan", {0.02f, 0.50f, 0.55f}}}};
  return kColors;
}

std::string joints_in_words(const Character& character, const Part& part) {
  const auto name = [&](int bone) { return character.bones[static_cast<std::size_t>(bone)].name; };
  if (part.bones.size() == 1) return "joint " + name(part.bones.front());
  return fmt::format("{} joints, {} to {}", part.bones.size(), name(part.bones.front()), name(part.bones.back()));
}

void print_candidate(const Character& character, const PartCandidate& candidate, const char* color) {
  const Part& part = candidate.part;
  fmt::print("{} {} ({}{}{})\n", candidate.chosen ? "part" : "  no", part.name,
             preset_named(part.preset).flesh ? "flesh on " : "", joints_in_words(character, part),
             color != nullptr ? fmt::format("; {} in the picture", color) : "");
  for (const std::string& reason : candidate.reasons_for) fmt::print("       for: {}\n", reason);
  for (const std::string& reason : candidate.reasons_against) fmt::print("       against: {}\n", reason);
  if (candidate.chosen || candidate.score > 0 || !candidate.reasons_for.empty())
    fmt::print("       --part {}\n", shell_quoted(part_pattern(character, part)));
}

void print(const Character& character, const PartSearch& search, const PartsArguments& options) {
  fmt::print("{}: {}\n", options.source.name(), search.body);
  std::size_t chosen = 0, guarded = 0;
  for (const PartCandidate& each : search.candidates) {
    // Fingers, toes and eyes by the dozen are counted, unless --all is given.
    const bool shown = options.all || each.chosen || each.score > 0 || !each.reasons_for.empty();
    if (!shown) {
      ++guarded;
      continue;
    }
    const bool colored = each.chosen && !options.output.empty();
    print_candidate(character, each, colored ? part_colors()[chosen % kColorCount].name : nullptr);
    chosen += each.chosen ? 1 : 0;
  }
  if (guarded > 0)
    fmt::print("  {} of limbs, heads, faces and hard things never move by default (--all lists them)\n",
               count_in_words(guarded, "loose end", "loose ends"));
  if (!search.remark.empty()) fmt::print("{}\n", search.remark);
  if (chosen > 0) {
    std::string all;
    for (const PartCandidate& each : search.candidates)
      if (each.chosen) all += " --part " + shell_quoted(part_pattern(character, each.part));
    fmt::print("The same by hand: rigspace simulate {}{}\n", shell_quoted(options.source.name()), all);
  }
}

Json to_json(const Character& character, const PartSearch& search) {
  Json answer{{"body", search.body}, {"remark", search.remark}, {"candidates", Json::array()}};
  for (const PartCandidate& each : search.candidates) {
    Json joints = Json::array();
    for (const int bone : each.part.bones) joints.push_back(character.bones[static_cast<std::size_t>(bone)].name);
    answer["candidates"].push_back({{"name", each.part.name},
                                    {"preset", each.part.preset},
                                    {"chosen", each.chosen},
                                    {"score", each.score},
                                    {"amount", each.part.settings.amount},
                                    {"joints", std::move(joints)},
                                    {"for", each.reasons_for},
                                    {"against", each.reasons_against},
                                    {"part", part_pattern(character, each.part)}});
  }
  return answer;
}

/// The character in clay, chosen parts in colours, as far as their skin hangs on their joints.
Character painted(Character character, const PartSearch& search) {
  const Eigen::Vector3f clay(0.55f, 0.54f, 0.52f);
  std::vector<Eigen::Vector3f> color(static_cast<std::size_t>(character.rig->point_count()), clay);
  std::size_t chosen = 0;
  for (const PartCandidate& each : search.candidates) {
    if (!each.chosen) continue;
    const Eigen::Vector3f paint = part_colors()[chosen++ % kColorCount].linear;
    const Vec share = share_of_skin(character, each.part.bones);
    for (std::size_t i = 0; i < color.size(); ++i) {
      const auto s = static_cast<float>(share[static_cast<Eigen::Index>(i)]);
      color[i] = (1 - s) * color[i] + s * paint;
    }
  }
  for (Piece& piece : character.pieces) {
    piece.material = -1;
    piece.colors.clear();
    for (int i = 0; i < piece.point_count; ++i) {
      const Eigen::Vector3f& c = color[static_cast<std::size_t>(piece.first_point + i)];
      piece.colors.emplace_back(c.x(), c.y(), c.z(), 1.0f);
    }
  }
  return character;
}

void draw(const Character& character, const PartSearch& search, const PartsArguments& options) {
  const Character shown = painted(character, search);
  const Renderer renderer(shown);
  RenderOptions cell;
  cell.width = cell.height = options.size;
  write_png(options.output, turntable_sheet(renderer, take_snapshot(shown, shown.rig->rest()), 3,
                                            {.cell = cell, .framing = {}, .follow = false}, terminal_progress()));
}

}  // namespace

void add_parts(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("parts", "Which parts would move by themselves, with reasons, in colour");
  auto options = std::make_shared<PartsArguments>();
  add_source(*command, options->source);
  command->add_option("-o,--output", options->output, "x.png: the parts in colour on the rest pose, from three sides")
      ->type_name("OUT");
  command->add_flag("--all", options->all, "also what never moves by default: limbs, faces, props");
  command->add_option("--size", options->size, "pixels of a side of each picture")
      ->check(CLI::Range(8, 4096))
      ->type_name("N");
  command->footer(
      "Examples\n"
      "  rigspace parts hero.glb\n"
      "  rigspace parts hero.glb -o parts.png");
  command->callback([options, &context] {
    if (!options->output.empty()) check_extension(options->output, "png"), check_writable(options->output);
    const Character character = load(options->source, context);
    PartSearch search = find_part_candidates(character);
    if (!options->source.file.empty()) leave_out(folder_settings(options->source.file), search);
    if (!options->output.empty()) draw(character, search, *options);
    if (context.json)
      fmt::print("{}\n", to_json(character, search).dump(2, ' ', false, Json::error_handler_t::replace));
    else
      print(character, search, *options);
    print_incidents(context, character);
  });
}

}  // namespace rigspace::tools
