// rigspace check: measures a result against the file that it was made from.

#include "command.h"
#include "rigspace/apps/physics/result_check.h"
#include "rigspace/io/formats.h"

#include <fmt/format.h>

namespace rigspace::tools {
namespace {

struct CheckArguments {
  std::string original, result;
};

nlohmann::ordered_json json_of(const ClipCheck& check) {
  return {{"clip", check.clip},
          {"loop", check.loops},
          {"typical_percent", 100 * check.typical},
          {"largest_percent", 100 * check.largest},
          {"feet_percent", 100 * check.feet},
          {"seam_percent", 100 * check.seam},
          {"above_12_hz_percent", 100 * check.fast_share},
          {"original_change", check.original_change},
          {"problems", check.problems}};
}

void check(const Context& context, const CheckArguments& arguments) {
  const Character original = load_character(arguments.original), result = load_character(arguments.result);
  const std::vector<ClipCheck> checks = check_result(original, result);
  nlohmann::ordered_json answer{{"original", arguments.original}, {"result", arguments.result}};
  answer["clips"] = nlohmann::ordered_json::array();
  std::size_t bad = 0;
  for (const ClipCheck& each : checks) {
    answer["clips"].push_back(json_of(each));
    bad += each.problems.empty() ? 0 : 1;
    if (context.json) continue;
    fmt::print(
        "{} ({}): moves by {:.1f} %, most {:.1f} % of the height; feet {:.2f} %, seam {:.3f} %, above 12 Hz "
        "{:.2f} %\n",
        each.clip, each.loops ? "loop" : "once", 100 * each.typical, 100 * each.largest, 100 * each.feet,
        100 * each.seam, 100 * each.fast_share);
    for (const std::string& problem : each.problems) fmt::print("  ! {}\n", problem);
  }
  if (context.json)
    fmt::print("{}\n", answer.dump(2));
  else
    fmt::print("{} of {} clips pass\n", checks.size() - bad, checks.size());
  if (bad > 0)
    throw Error({.code = ErrorCode::not_converged,
                 .file = arguments.result,
                 .problem = fmt::format("{} of {} clips do not look right", bad, checks.size()),
                 .remedy = "their lines say why"});
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("check", "Measure a soft result against the file that it was made from");
  auto arguments = std::make_shared<CheckArguments>();
  command->add_option("ORIGINAL", arguments->original, "the artist's file")->required();
  command->add_option("RESULT", arguments->result, "what simulate made of it")->required();
  command->footer(
      "Of every clip and its soft twin: how far the skin departs, whether feet slide, whether loops close and "
      "one-shots\n"
      "begin and end in the artist's pose, whether anything buzzes. Exit code 4 if a clip does not pass.\n"
      "Example\n  rigspace check hero.glb hero.soft.glb");
  command->callback([arguments, &context] { check(context, *arguments); });
}

}  // namespace rigspace::tools
