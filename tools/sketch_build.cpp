// rigspace sketch build: creatures of one's own from drawn parts (Thesis 5.3.2).

#include "rigspace/apps/sketch/creature_file.h"
#include "rigspace/apps/sketch/pose_by_sketch.h"
#include "rigspace/base/files.h"
#include "rigspace/io/gltf.h"
#include "rigspace/render/renderer.h"
#include "sketch_ink.h"
#include "source_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kView = R"({"eye": [8, 1, 0], "target": [0, 1, 0], "height": 4.2})";  // from the dragon's left
constexpr Ink kPen{{40, 78, 180}, 3}, kIcon{{226, 176, 48}, 3};

struct BuildArguments {
  std::string strokes, creature, camera, name = "dragon";
  std::vector<std::string> outputs, kinds, repeats;
  std::vector<int> removed;
  std::optional<int> redrawn;
  int size = 512;
};

/// What a name of a part means: its number as the answer lists it.
int part_number(int number, const Creature& creature, const char* option) {
  if (number >= 0 && number < static_cast<int>(creature.parts().size())) return number;
  refuse_usage(fmt::format("{} {}", option, number), "is no part of the creature",
               creature.parts().empty() ? std::string("it has none yet")
                                        : fmt::format("its parts are 0 to {}", creature.parts().size() - 1));
}

/// "2=0.3,-0.1": the part and how far it is moved, view units.
std::pair<int, Vec2> parse_repeat(const std::string& text) {
  int number = -1, used = 0;
  Vec2 by = Vec2::Zero();
  if (std::sscanf(text.c_str(), "%d=%lf,%lf%n", &number, &by.x(), &by.y(), &used) != 3 ||
      used != static_cast<int>(text.size()) || !by.allFinite())
    refuse_usage("--repeat \"" + text + "\"", "is not NUMBER=X,Y", "write for example --repeat 1=0.2,0.1");
  return {number, by};
}

std::string told_kind(const BuildArguments& options, const DrawnGroup& group) {
  for (const std::string& each : options.kinds) {
    const auto equals = each.rfind('=');
    if (equals == std::string::npos) refuse_usage("--kind \"" + each + "\"", "has no =", "write GROUP=KIND");
    if (each.substr(0, equals) == group.name) return each.substr(equals + 1);
  }
  return {};
}

Picture draw(const Creature& creature, const Character& character, int size) {
  Picture sheet(size, size), page(2 * size, size);
  for (const FittedPart& part : creature.parts()) {
    for (const Stroke& stroke : part.seen) draw_stroke(sheet, stroke.points, stroke.closed, kIcon);
    for (const Stroke& stroke : part.strokes) draw_stroke(sheet, stroke.points, stroke.closed, kPen);
  }
  paste(page, sheet, 0, 0);
  paste(page, render(character, character.rig->rest(), {.width = size, .height = size}, {.azimuth = 62 * kDegree}),
        size, 0);
  return page;
}

Json answer_of(const BuildArguments& options, const Creature& creature, const std::vector<char>& fresh) {
  Json answer{{"outputs", options.outputs}};
  Json& parts = answer["parts"] = Json::array();
  for (std::size_t k = 0; k < creature.parts().size(); ++k) {
    const FittedPart& part = creature.parts()[k];
    Json made{{"number", k},
              {"kind", creature.database()[static_cast<std::size_t>(part.part)].name},
              {"probability", part.probability},
              {"on", part.carrier < 0 ? Json(nullptr) : Json(part.carrier)}};
    if (fresh[k]) {
      made["residual"] = part.report.residual;
      made["unreached"] = Json::array();
      for (const StrokeReport& each : part.report.strokes)
        if (!each.reached) made["unreached"].push_back(each.stroke);
    }
    parts.push_back(std::move(made));
  }
  return answer;
}

void print_answer(const BuildArguments& options, const Creature& creature, const std::vector<char>& fresh) {
  for (const std::string& output : options.outputs) fmt::print("{}\n", output);
  for (std::size_t k = 0; k < creature.parts().size(); ++k) {
    const FittedPart& part = creature.parts()[k];
    std::string line = fmt::format("  {}: {}", k, creature.database()[static_cast<std::size_t>(part.part)].name);
    if (fresh[k]) {
      if (part.probability < 1) line += fmt::format(" ({:.0f} % sure)", 100 * part.probability);
      line += fmt::format(", {:.2g} % of its size off the strokes", 100 * part.report.residual);
      if (const int missed = part.report.unreached())
        line += fmt::format(", {} not reached", count_in_words(static_cast<std::size_t>(missed), "stroke", "strokes"));
    }
    fmt::print("{}{}\n", line, part.carrier < 0 ? "" : fmt::format(", on {}", part.carrier));
  }
}

void check_outputs(const BuildArguments& options) {
  for (const std::string& output : options.outputs) {
    check_extension(output, "json glb gltf png");
    std::error_code absent;
    if (std::filesystem::equivalent(output, options.strokes, absent))
      refuse_usage(output, "is the drawing itself", "write to another file");
    check_writable(output);
  }
}

void build(const BuildArguments& options, const Context& context) {
  check_outputs(options);
  if (options.strokes.empty() && options.creature.empty())
    refuse_usage("--strokes", "is missing", "name a drawing, or a creature with --creature");
  if (options.redrawn && options.strokes.empty()) refuse_usage("--redraw", "needs --strokes", "name the new drawing");
  const StrokeFile drawing = options.strokes.empty() ? StrokeFile{} : read_strokes(options.strokes);
  if (!options.strokes.empty() && drawing.strokes.empty())
    throw Error({.file = options.strokes, .element = "drawing", .problem = "has no strokes", .remedy = "draw a line"});
  const std::string kept = options.creature.empty() ? std::string() : read_text(options.creature);
  const std::string view = !options.camera.empty() ? options.camera : drawing.camera.empty() ? kView : drawing.camera;
  const Camera camera =
      kept.empty() ? sketch_camera(view, Vec::Zero(3), drawing.aspect()) : creature_camera(kept, options.creature);
  const std::vector<CreaturePart> database = dragon_database();
  std::vector<DrawnPart> drawn;
  for (const CreaturePart& part : database) drawn.push_back(part.drawn);
  const PartClassifier classifier = train_part_classifier(drawn);
  IndividualOptions fit;
  fit.fit.aspect = drawing.aspect();
  Creature creature(database, classifier, camera, fit);
  if (!kept.empty()) read_creature(kept, options.creature, creature);
  std::vector<char> fresh(creature.parts().size(), 0);

  const std::vector<DrawnGroup> groups = drawn_groups(drawing.strokes);
  if (options.redrawn) {
    const int number = part_number(*options.redrawn, creature, "--redraw");
    if (groups.size() != 1)
      throw Error({.file = options.strokes,
                   .element = "drawing",
                   .problem = fmt::format("has {} parts", groups.size()),
                   .remedy = "--redraw takes a drawing of one"});
    std::string kind = told_kind(options, groups[0]);
    creature.redraw(number, groups[0].strokes, kind.empty() ? kind_in_name(database, groups[0].name) : kind);
    fresh[static_cast<std::size_t>(number)] = 1;
  } else {
    for (std::size_t k = 0; k < groups.size(); ++k) {
      report(terminal_progress(), "fitting parts", static_cast<double>(k) / static_cast<double>(groups.size()));
      try {
        const std::string kind = told_kind(options, groups[k]);
        creature.add(groups[k].strokes, kind.empty() ? kind_in_name(database, groups[k].name) : kind);
      } catch (const Error& error) {
        throw error.info().file.empty() ? error.in_file(options.strokes) : error;
      }
      fresh.push_back(1);
    }
  }
  for (const std::string& text : options.repeats) {
    const auto [number, by] = parse_repeat(text);
    creature.repeat(part_number(number, creature, "--repeat"), by);
    fresh.push_back(0);
  }
  std::vector<int> removed = options.removed;
  for (const int number : removed) part_number(number, creature, "--remove");
  std::sort(removed.rbegin(), removed.rend());
  removed.erase(std::unique(removed.begin(), removed.end()), removed.end());
  for (const int number : removed) creature.remove(number), fresh.erase(fresh.begin() + number);
  if (creature.parts().empty()) refuse_usage("--remove", "takes the last part away", "a creature has at least one");

  const Character character = creature.plain(options.name);
  for (const std::string& output : options.outputs) {
    if (output.ends_with(".json"))
      write_file(output, to_creature_json(creature));
    else if (output.ends_with(".png"))
      write_png(output, draw(creature, character, options.size));
    else
      GltfFile(to_glb(character), character.name).save(output);
  }
  if (context.json)
    fmt::print("{}\n", answer_of(options, creature, fresh).dump(2, ' ', false, Json::error_handler_t::replace));
  else
    print_answer(options, creature, fresh);
}

}  // namespace

void add_sketch_build(CLI::App& group, Context& context) {
  auto* command = group.add_subcommand("build", "Drawn parts make a dragon: an ordinary character with clips");
  auto options = std::make_shared<BuildArguments>();
  command->add_option("--strokes", options->strokes, "the drawing, a group a part: .svg, or .json with \"part\"")
      ->type_name("FILE");
  command->add_option("--creature", options->creature, "one that an earlier build kept: parts are added to it")
      ->type_name("FILE");
  command->add_option("--kind", options->kinds, "what a group is, where it is mistaken: torso, head, tail, wings, ..")
      ->type_name("GROUP=KIND")
      ->take_all();
  command->add_option("--redraw", options->redrawn, "the drawing replaces this part")->type_name("N");
  command->add_option("--repeat", options->repeats, "this part again, moved by X, Y in heights of half the picture")
      ->type_name("N=X,Y")
      ->take_all();
  command->add_option("--remove", options->removed, "takes this part away")->type_name("N")->take_all();
  command->add_option("--camera", options->camera, "where it is drawn from; the drawing's own, or the dragon's left")
      ->type_name("VIEW");
  command->add_option("--name", options->name, "of the character")->type_name("NAME");
  command->add_option("--size", options->size, "pixels of the height of a picture")
      ->check(CLI::Range(32, 4096))
      ->type_name("N");
  command
      ->add_option("-o,--output", options->outputs,
                   "x.glb or x.gltf (the character, with clips), x.json (the creature, to draw parts again later), "
                   "x.png; may be repeated")
      ->required()
      ->type_name("OUT")
      ->take_all();
  command->footer(
      "Examples\n"
      "  rigspace sketch build --strokes drawing.svg -o dragon.glb -o dragon.json -o dragon.png\n"
      "  rigspace sketch build --creature dragon.json --strokes tail.svg --redraw 2 -o dragon.json -o dragon.glb\n"
      "  rigspace sketch build --creature dragon.json --repeat 1=0.1,0.2 -o hydra.glb");
  command->callback([options, &context] { build(*options, context); });
}

}  // namespace rigspace::tools
