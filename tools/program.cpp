#include "program.h"

#include "rigspace/base/cache.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/version.h"
#include "rigspace/io/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace rigspace::tools {
namespace {

constexpr const char* kFooter = R"(Examples
  rigspace hero.glb                               soft tails, ears and hair: the same as simulate
  rigspace rerun hero.soft.json --set tail.amount=0.6
  rigspace info hero.glb                          what is in a file
  rigspace view hero.glb -o hero.html             a page that plays it
  rigspace render hero.glb --clip Walk --sheet 8 -o walk.png
  rigspace eval hero.glb --set tail_01.rx=30 -o pose.obj

`rigspace help simulate` says more about a command; `rigspace completion bash` completes them in a shell.

)";

constexpr const char* kExitCodes =
    "Exit codes: 0 done, 1 a fault of this program, 2 wrong usage, 3 bad input, 4 not converged (the result is "
    "written),\n5 another program failed, 130 cancelled.";

int fail(const Context& context, const Error& error) {
  if (context.json) {
    const ErrorInfo& info = error.info();
    const nlohmann::ordered_json answer = {{"error",
                                            {{"code", name(info.code)},
                                             {"file", info.file},
                                             {"element", info.element},
                                             {"value", info.value},
                                             {"problem", info.problem},
                                             {"remedy", info.remedy}}}};
    fmt::print("{}\n", answer.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    clear_bar();
    fmt::print(stderr, "rigspace: {}\n", error.what());
  }
  return static_cast<int>(error.code());
}

/// The answer could not be written, as on a full disk: reported on standard error.
int fail_output() {
  const Error error({.file = "standard output", .problem = "cannot be written", .remedy = "is the disk full?"});
  fmt::print(stderr, "rigspace: {}\n", error.what());
  return static_cast<int>(error.code());
}

/// `rigspace hero.glb` is `rigspace simulate hero.glb`; `rigspace` and `rigspace help curves fit` are --help. A folder
/// whose name is that of a command is written as ./studio.
std::vector<std::string> arguments_of(int argc, char** argv, const CLI::App& app) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments[0] == "help") {
    arguments.erase(arguments.begin());
    arguments.push_back("--help");
  }
  if (arguments.empty()) arguments.push_back("--help");
  const bool command =
      !app.get_subcommands([&](const CLI::App* each) { return each->get_name() == arguments[0]; }).empty();
  if (!command && (is_character_file(arguments[0]) || std::filesystem::is_directory(arguments[0])))
    arguments.insert(arguments.begin(), "simulate");
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 expects them
  return arguments;
}

/// Every help text ends in the exit codes; a group of commands names them.
void finish_help(CLI::App& app, const std::string& path) {
  const auto below = app.get_subcommands([](const CLI::App*) { return true; });
  if (!path.empty()) {
    std::string footer = below.empty() ? app.get_footer() : "";
    for (const CLI::App* each : below)
      footer += fmt::format("{}  {} {} --help\n", footer.empty() ? "More\n" : "", path, each->get_name());
    while (footer.ends_with('\n')) footer.pop_back();
    app.footer(footer + "\n\n" + kExitCodes);
  }
  for (CLI::App* each : below) finish_help(*each, (path.empty() ? "rigspace" : path) + " " + each->get_name());
}

/// Throws Error unless $RIGSPACE_THREADS is empty or a number of threads; the library would ignore any other text.
void check_thread_variable() {
  const char* text = std::getenv("RIGSPACE_THREADS");
  if (text == nullptr || *text == '\0') return;
  const double count = number_in(text);
  if (!(count >= 1 && count <= 256 && count == std::floor(count)))
    throw Error({.code = ErrorCode::usage,
                 .element = "RIGSPACE_THREADS",
                 .value = text,
                 .problem = fmt::format("is \"{}\"", text),
                 .remedy = "set it to a whole number from 1 to 256, or unset it to use all cores"});
}

void add_version(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("version", "What this program is, and what it runs on");
  command->callback([&context] {
    const std::string cache = cache_folder().string();
    if (context.json) {
      const nlohmann::ordered_json answer = {
          {"version", version()}, {"build", program_stamp()}, {"threads", thread_count()}, {"cache", cache}};
      fmt::print("{}\n", answer.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
      return;
    }
    fmt::print("rigspace {}\n  build {}\n  {}\n  cache: {}\n", version(), program_stamp(),
               count_in_words(static_cast<std::size_t>(thread_count()), "thread", "threads"),
               cache.empty() ? "none" : cache);
  });
  command->footer("Examples\n  rigspace version\n  rigspace --version    the number alone");
}

}  // namespace

int run_program(int argc, char** argv, std::span<const AddCommand> commands) {
  Context context{.arguments = {argv, argv + argc}};
  CLI::App app("Physics, posing and motion in the space of a character's own rig.", "rigspace");
  app.footer(std::string(kFooter) + kExitCodes);
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  app.fallthrough();
  app.add_flag("--json", context.json, "answers and failures as JSON on standard output");
  app.add_flag_callback("--progress-lines", show_progress_in_lines,
                        "progress as lines of JSON on standard error, for programs that start this one");
  bool while_input = false;
  std::filesystem::path scratch;
  auto* owned = app.add_flag("--while-input", while_input,
                             "ends once its standard input is closed, as it is when a program that started it dies");
  app.add_option("--scratch", scratch, "with --while-input: a folder that is removed then")
      ->type_name("FOLDER")
      ->needs(owned);
  int threads = 0;
  app.add_option("--threads", threads, "threads to use; all cores by default")
      ->check(CLI::Range(1, 256))
      ->type_name("N");
  app.parse_complete_callback([&] {
    if (while_input) end_with_input(scratch);
    if (threads > 0) return set_thread_count(threads);
    check_thread_variable();
  });
  for (const AddCommand add : commands) add(app, context);
  add_version(app, context);
  if (commands.size() > 1) add_completion(app, context);
  finish_help(app, "");
  app.get_formatter()->column_width(34);

  watch_interrupts();
  try {
    if (commands.size() > 1 && is_bench(argc, argv)) start_bench(argv);
    app.parse(arguments_of(argc, argv, app));
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return fail_output();
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::string problem = error.what();
    while (!problem.empty() && (problem.back() == '\n' || problem.back() == '.')) problem.pop_back();
    // A first word that is no command: most often a typing error.
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
      std::vector<std::string> names;
      for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(each->get_name());
      return fail(context, Error({.code = ErrorCode::usage,
                                  .element = "\"" + std::string(argv[1]) + "\"",
                                  .value = argv[1],
                                  .problem = "is no command, and no file of a character",
                                  .remedy = suggestion(argv[1], names, "`rigspace --help` lists the commands")}));
    }
    // The name of the subcommand that was being parsed, for its help.
    std::string help = "rigspace";
    for (auto used = app.get_subcommands(); !used.empty(); used = used.front()->get_subcommands())
      help += " " + used.front()->get_name();
    help += " --help";
    return fail(context, Error({.code = ErrorCode::usage, .problem = problem, .remedy = "`" + help + "` shows how"}));
  } catch (const Error& error) {
    return fail(context, error);
  } catch (const std::bad_alloc&) {
    return fail(
        context,
        Error({.code = ErrorCode::internal, .problem = "out of memory", .remedy = "try a smaller file or picture"}));
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return fail_output();
    return fail(context, Error({.code = ErrorCode::internal,
                                .problem = std::string("internal error: ") + error.what(),
                                .remedy = "please report this with the file that causes it"}));
  }
}

}  // namespace rigspace::tools
