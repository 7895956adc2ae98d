// rigspace bench: speed, as ratios within one run. A program of its own, so that the first build need not wait for it;
// `rigspace bench` starts it.

#include "bench.h"
#include "program.h"
#include "rsp_scenes.h"

#include <fmt/format.h>

#include <cstdlib>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string suite;
  bool quick = false;
  std::string only;
  bench::RigHost host{.member = {}};  ///< be the rig in another process that suites compare with
};

/// The commit that ./run built, from the environment.
std::string commit() {
  const char* named = std::getenv("RIGSPACE_COMMIT");
  return named != nullptr ? named : "unknown";
}

const bench::Suite& suite_named(const std::string& name) {
  std::vector<std::string> names;
  for (const bench::Suite& suite : bench::suites()) {
    if (suite.name == name) return suite;
    names.emplace_back(suite.name);
  }
  throw Error({.code = ErrorCode::usage,
               .element = "suite \"" + name + "\"",
               .value = name,
               .problem = "does not exist",
               .remedy = suggestion(name, names, "`rigspace bench` lists them")});
}

Json to_json(const bench::Suite& suite, const std::vector<bench::Row>& rows) {
  Json list = Json::array();
  for (const bench::Row& row : rows) {
    Json each{{"scene", row.scene}, {"method", row.method}, {"metrics", row.metrics}};
    each["paper"] = row.paper ? Json{{"source", row.paper->source}, {"value", row.paper->value}} : Json(nullptr);
    each["required"] = row.required.empty() ? Json(nullptr) : Json(row.required);
    each["ok"] = row.ok;
    list.push_back(each);
  }
  return {
      {"schema", 1}, {"suite", suite.name}, {"commit", commit()}, {"machine", bench::machine_json()}, {"rows", list}};
}

void print(const Json& answer) {
  for (const auto& [key, value] : answer["machine"].items())
    fmt::print("{:<14} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
  for (const Json& row : answer["rows"]) {
    fmt::print("\n{} · {}\n", row["scene"].get<std::string>(), row["method"].get<std::string>());
    for (const auto& [key, value] : row["metrics"].items()) {
      if (value.is_object() && value.contains("lower_quartile"))
        fmt::print("  {:<32} median {:.3g}, quartiles {:.3g} and {:.3g} ({} steps)\n", key,
                   value["median"].get<double>(), value["lower_quartile"].get<double>(),
                   value["upper_quartile"].get<double>(), value["n"].get<int>());
      else if (value.is_object() && !value.contains("min"))
        for (const auto& [name, number] : value.items())
          fmt::print("  {:<32} {:.4g}\n", key + " " + name, number.get<double>());
      else if (value.is_object())
        fmt::print("  {:<32} min {:.3g}, median {:.3g} ({} runs)\n", key, value["min"].get<double>(),
                   value["median"].get<double>(), value["n"].get<int>());
      else
        fmt::print("  {:<32} {:.4g}\n", key, value.get<double>());
    }
    if (!row["required"].is_null())
      fmt::print("  {} {}\n", row["ok"].get<bool>() ? "met:" : "MISSED:", row["required"].get<std::string>());
  }
}

int status = 0;  // of a run that ended: exit_status of its rows

void add_suites(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("bench", "Measure speed, as ratios within one run");
  auto options = std::make_shared<Options>();
  command->add_option("SUITE", options->suite, "which; without it, a list");
  command->add_flag("--quick", options->quick, "a short run: figures are rougher");
  command->add_option("--only", options->only, "scenes with this in their names");
  command->add_option("--host", options->host.member)->group("");
  command->add_option("--delay", options->host.delay)->group("");
  command->footer(
      "Examples\n  rigspace bench\n  rigspace bench rigs --json > rigs.json\n\n"
      "If a row misses its bar, all rows are written and the exit code is 4.");
  command->callback([options, &context] {
    if (options->suite.empty()) {
      for (const bench::Suite& suite : bench::suites()) fmt::print("{:<10} {}\n", suite.name, suite.description);
      return;
    }
    if (!options->host.member.empty()) std::exit(bench::host_rig(options->host));
    const bench::Suite& suite = suite_named(options->suite);
    const bench::BenchOptions how{.seconds = options->quick ? 0.05 : 0.5,
                                  .quick = options->quick,
                                  .only = options->only,
                                  .progress = terminal_progress()};
    std::vector<bench::Row> rows = suite.run(how);
    std::erase_if(rows, [&](const bench::Row& row) { return !bench::wanted(how, row.scene); });
    if (rows.empty())
      throw Error({.code = ErrorCode::usage,
                   .element = "--only " + options->only,
                   .value = options->only,
                   .problem = "is in the name of no scene of " + options->suite,
                   .remedy = "run it without --only to see their names"});
    const Json answer = to_json(suite, rows);
    if (context.json)
      fmt::print("{}\n", answer.dump(2));
    else
      print(answer);
    status = bench::exit_status(rows);
    const auto missed = std::count_if(rows.begin(), rows.end(), [](const bench::Row& row) { return !row.ok; });
    if (missed > 0) fmt::print(stderr, "rigspace: {} of {} rows missed their bars\n", missed, rows.size());
  });
}

}  // namespace
}  // namespace rigspace::tools

int main(int argc, char** argv) {
  constexpr rigspace::tools::AddCommand kCommands[] = {rigspace::tools::add_suites};
  const int failure = rigspace::tools::run_program(argc, argv, kCommands);
  return failure != 0 ? failure : rigspace::tools::status;
}
