// rigspace bench: hands over to rigspace-bench, which lies beside the program.

#include "command.h"

#include <unistd.h>

namespace rigspace::tools {
namespace {

[[noreturn]] void start_bench(const Context& context) {
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe").replace_filename("rigspace-bench");
  if (!std::filesystem::exists(program))
    throw Error({.file = program.string(),
                 .problem = "is not there: the benchmarks were not built",
                 .remedy = "`./run bench` builds them"});
  std::vector<std::string> arguments = context.arguments;
  std::vector<char*> pointers;
  for (std::string& each : arguments) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  throw Error({.code = ErrorCode::external_process, .file = program.string(), .problem = "cannot be started"});
}

}  // namespace

void add_bench(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("bench", "Measure speed, as ratios within one run");
  command->set_help_flag();
  command->allow_extras();
  command->prefix_command();
  command->callback([&context] { start_bench(context); });
}

}  // namespace rigspace::tools
