// rigspace studio: the page in a browser, and the server behind it.

#include "command.h"

#include "kept_projects.h"
#include "rigspace/base/files.h"
#include "rigspace/jobs/arguments.h"
#include "rigspace/pages/studio_page.h"
#include "studio.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace rigspace::tools {
namespace {

namespace fs = std::filesystem;

struct StudioArguments {
  std::string file, out, page;
  std::vector<std::string> folders;
  int port = 4747;
  bool port_given = false, no_browser = false;
};

studio::StudioOptions options_of(const StudioArguments& given) {
  studio::StudioOptions options{.page = given.page.empty() ? studio_page() : read_text(given.page)};
  if (!given.file.empty()) {
    check_input(given.file);
    if (!fs::exists(given.file)) refuse_file(given.file, "is not there", "check the path");
    options.file = fs::canonical(given.file);
    options.folders.push_back(options.file.parent_path());
  }
  for (const std::string& folder : given.folders) {
    if (!fs::is_directory(folder)) refuse_file(folder, "is no folder", "give one that is there");
    options.folders.push_back(fs::canonical(folder));
  }
  fs::path out = !given.out.empty()        ? fs::path(given.out)
                 : options.folders.empty() ? fs::path("rigspace-studio")
                                           : options.folders.front();
  std::error_code failed;
  fs::create_directories(out, failed);
  if (failed) refuse_file(out.string(), "cannot be made (" + failed.message() + ")", "give another folder with --out");
  options.out = fs::canonical(out);
  options.state = studio::state_folder();
  return options;
}

/// The port of --port; without that option another one if the default is taken.
std::unique_ptr<studio::HttpServer> listen(const StudioArguments& given, const studio::StudioOptions& options,
                                           studio::Studio& handler) {
  studio::HttpOptions http{
      .port = given.port, .token = studio::token_for(options.state, given.port), .uploads = options.out};
  try {
    return std::make_unique<studio::HttpServer>(http, handler);
  } catch (const Error&) {
    if (given.port_given) throw;
    http.port = 0, http.token = studio::random_token();
    return std::make_unique<studio::HttpServer>(http, handler);
  }
}

/// Opens the address in the desktop's browser; silently does nothing if there is none.
void open_browser(const std::string& address) {
  const std::string command = "xdg-open '" + address + "' >/dev/null 2>&1 &";
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  if (std::system(command.c_str()) != 0) return;
}

void serve(const StudioArguments& given, const Context& context) {
  studio::Studio handler(options_of(given));
  const auto server = listen(given, handler.options(), handler);
  std::thread network([&] { server->run(); });
  std::thread watcher([&] {  // `stop` may not be called from a handler of signals
    watch_interrupts();
    while (!interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    handler.stop();
  });
  if (context.json)
    fmt::print("{}\n", studio::written({{"address", server->address()}, {"port", server->port()}}));
  else
    fmt::print("{}\nOpen this address in a browser. Ctrl-C ends the studio; your work is kept.\n", server->address());
  std::fflush(stdout);
  if (!given.no_browser) open_browser(server->address());
  handler.run(*server);
  server->stop();
  network.join();
  watcher.join();
}

}  // namespace

void add_studio(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("studio", "See it, drag it, have the answer at once: the program in a browser");
  auto given = std::make_shared<StudioArguments>();
  command->add_option("FILE", given->file, "a character to begin with; others can be dropped on the page");
  command->add_option("--folder", given->folders, "whose files the page may open, beside that of FILE; may be repeated")
      ->type_name("DIR");
  command->add_option("--out", given->out, "where results and dropped files go; FILE's folder, or ./rigspace-studio")
      ->type_name("DIR");
  CLI::Option* port = command
                          ->add_option("--port", given->port,
                                       "of 127.0.0.1; 0: any that is free; 4747 by default, or another if it is taken")
                          ->check(CLI::Range(0, 65535))
                          ->type_name("N");
  command->add_flag("--no-browser", given->no_browser, "only print the address");
  command->add_option("--page", given->page, "another page in place of the built-in one, for work on the page itself")
      ->type_name("HTML")
      ->group("Advanced");
  command->footer(
      "The server listens on this machine alone, and answers only who has the address with its key.\n"
      "Examples\n"
      "  rigspace studio hero.glb\n"
      "  rigspace studio --folder characters --no-browser");
  command->callback([given, port, &context] {
    given->port_given = port->count() > 0;
    serve(*given, context);
  });
}

}  // namespace rigspace::tools
