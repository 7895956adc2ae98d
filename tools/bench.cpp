// rigspace bench: hands over to rigspace-bench, which lies beside the program.

#include "command.h"

#include <unistd.h>

namespace rigspace::tools {

bool is_bench(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    const std::string_view argument = argv[k];
    if (argument == "--threads") {
      ++k;  // and its number
      continue;
    }
    if (!argument.starts_with('-')) return argument == "bench";
  }
  return false;
}

void start_bench(char** argv) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").replace_filename("rigspace-bench");
  if (!std::filesystem::exists(program))
    throw Error({.file = program.string(),
                 .problem = "is not there: the benchmarks were not built",
                 .remedy = "`./run bench` builds them"});
  execv(program.c_str(), argv);
  throw Error({.code = ErrorCode::external_process, .file = program.string(), .problem = "cannot be started"});
}

/// In the list of commands; its options are the other program's.
void add_bench(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("bench", "Measure speed, as ratios within one run");
  command->callback([&context] {
    std::vector<char*> arguments;
    for (std::string& each : context.arguments) arguments.push_back(each.data());
    arguments.push_back(nullptr);
    start_bench(arguments.data());
  });
}

}  // namespace rigspace::tools
