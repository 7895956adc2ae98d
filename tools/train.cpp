// rigspace train: a character's parts, trained, as one file for a game (docs/realtime.md).

#include "command.h"
#include "realtime_options.h"
#include "rigspace/apps/physics/realtime_file.h"
#include "rigspace/base/files.h"
#include "rigspace/jobs/arguments.h"

#include <fmt/format.h>

namespace rigspace::tools {
namespace {

struct TrainArguments {
  std::string file, output;
  RealtimeArguments model;
};

void report(const Context& context, const TrainArguments& options, const RealtimeModel& model, std::size_t bytes,
            const std::vector<std::string>& notes) {
  nlohmann::ordered_json answer = {{"file", options.output},
                                   {"format", kRealtimeFormat},
                                   {"bytes", bytes},
                                   {"controls", model.controls().size()},
                                   {"free", model.free().size()},
                                   {"elements", model.element_count()},
                                   {"latency", model.latency()},
                                   {"instance_bytes", model.instance_bytes()},
                                   {"notes", notes}};
  for (const RealtimePart& part : model.tuning())
    answer["parts"].push_back(
        {{"name", part.name}, {"rate", part.rate}, {"settle", part.settle}, {"amount", part.amount}});
  if (context.json) {
    fmt::print("{}\n", answer.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return;
  }
  for (const std::string& note : notes) fmt::print("{}\n", note);
  fmt::print("{}: {:.0f} kB, {} of {} controls are simulated, on {}\n", options.output,
             1e-3 * static_cast<double>(bytes), model.free().size(), model.controls().size(),
             count_in_words(static_cast<std::size_t>(model.element_count()), "element", "elements"));
  for (const RealtimePart& part : model.tuning())
    fmt::print("  {}: {:.2f} Hz, settles in {:.2f} s, amount {:.2f}\n", part.name, part.rate, part.settle, part.amount);
}

}  // namespace

void add_train(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("train", "A character's secondary motion as one small file for a game");
  auto options = std::make_shared<TrainArguments>();
  RealtimeRequest& request = options->model.request;
  command->add_option("file", options->file, "a .glb, .gltf or .rig.json")->required()->type_name("FILE");
  command->add_option("-o,--output", options->output, "the model; FILE with .rigmodel by default")
      ->type_name("RIGMODEL");
  add_realtime_options(*command, options->model);
  command->add_option("--chains", request.chains, "as of simulate")->check(CLI::IsMember({"auto", "rods", "solids"}));
  command->add_option("--soft", request.soft, "as of simulate")->check(CLI::IsMember({"auto", "joints", "morphs"}));
  command->add_flag("--widen", request.options.widen,
                    "keeps all elements of flesh for motion beyond the training: for heroes, not for crowds");
  command->add_flag("--springs", request.options.springs,
                    "fits a spring bone to each joint too: the level of detail for crowds");
  command->footer(
      "The file is all that a game needs beside rigspace::realtime, in C or C++: neither the skin nor the clips are in "
      "it.\n"
      "Example\n  rigspace train hero.glb -o hero.rigmodel");
  command->callback([options, &context] {
    if (options->output.empty())
      options->output = std::filesystem::path(options->file).replace_extension(".rigmodel").string();
    check_input(options->file, options->output);
    check_extension(options->output, "rigmodel");
    check_writable(options->output);
    const JobEvents events = job_events(context);
    std::vector<std::string> notes;
    const auto model = load_realtime_model(options->file, request_of(options->model), &notes, events.progress);
    const std::vector<std::byte> bytes = write_realtime_model(*model);
    write_file(options->output, bytes);
    clear_bar();
    report(context, *options, *model, bytes.size(), notes);
  });
}

}  // namespace rigspace::tools
