#include "simulation_answer.h"

#include <fmt/format.h>

namespace rigspace::tools {

void print_result(const SimulationResult& result, const Context& context) {
  using Json = nlohmann::ordered_json;
  if (context.json) {
    Json answer{{"output", Json::array()},
                {"notes", result.notes},
                {"resumed_at", result.resumed_at},
                {"clips", Json::array()}};
    for (const std::filesystem::path& path : result.files.written()) answer["output"].push_back(path.string());
    for (const RecipeClip& clip : result.recipe.clips) answer["clips"].push_back(clip_json(result.recipe, clip));
    if (!result.incidents.empty()) answer["warnings"] = result.incidents;
    if (result.rig_evaluations) answer["rig_evaluations"] = *result.rig_evaluations;
    fmt::print("{}\n", answer.dump(2));
  }
  if (result.failed_steps() > 0)
    throw Error({.code = ErrorCode::not_converged,
                 .file = result.input,
                 .problem = "some steps did not converge; the result is written",
                 .remedy = "lower the amount, or raise the rate"});
}

}  // namespace rigspace::tools
