#include "command.h"

#include "rigspace/io/formats.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <system_error>
#include <thread>

namespace rigspace::tools {
namespace {

std::atomic<int> interrupts = 0;
bool progress_in_lines = false;
bool bar_is_shown = false;
std::atomic<bool> owner_gone = false;
std::filesystem::path owned_folder;

/// Removes the folder of end_with_input, if nobody is left to do it.
void clear_owned_folder() {
  std::error_code ignored;
  if (owner_gone && !owned_folder.empty()) std::filesystem::remove_all(owned_folder, ignored);
}

ProgressCallback line_progress() {
  using Clock = std::chrono::steady_clock;
  struct Last {
    std::string stage;
    Clock::time_point shown = {};
  };
  return [last = std::make_shared<Last>()](const Progress& progress) {
    const auto now = Clock::now();
    if (progress.stage != last->stage || now - last->shown > std::chrono::milliseconds(100)) {
      *last = {std::string(progress.stage), now};
      nlohmann::ordered_json line = {{"stage", last->stage}, {"fraction", progress.fraction}};
      if (progress.whole >= 0) line["whole"] = progress.whole;
      fmt::print(stderr, "{}\n", line.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
      std::fflush(stderr);
    }
    return !interrupted();
  };
}

std::string time_left(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", std::ceil(seconds));
  return fmt::format("{:.0f} min", std::ceil(seconds / 60));
}

}  // namespace

std::string count_in_words(std::size_t number, const char* one, const char* many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

void PoseOptions::add_to(CLI::App& app) {
  app.add_option("--clip", clip, "a clip of the file; without it the rest pose")->type_name("NAME");
  app.add_option("--time", time, "moment of the clip: seconds, or frames as 12f")->type_name("T");
  app.add_option("--fps", fps, "frames a second, for times in frames")->check(frame_rate())->type_name("N");
  app.add_option("--set", sets, "turn a control, in degrees for angles, in scene units for lengths; may be repeated")
      ->type_name("CONTROL=VALUE")
      ->take_all();
}

double to_surface(const Control& control, double value) {
  return control.unit == Unit::angle ? value * 180 / std::numbers::pi : value;
}

double from_surface(const Control& control, double value) {
  return control.unit == Unit::angle ? value * std::numbers::pi / 180 : value;
}

Vec pose_of(const Character& character, const std::string& file, const PoseOptions& options) {
  const double time = parse_time(options.time, options.fps, "--time");
  const Animation* clip = clip_named(character, file, options.clip);
  if (clip == nullptr && time != 0) refuse_usage("--time", "needs --clip", "name the clip that the time belongs to");
  Vec p = pose_at(character, clip, time);
  for (const std::string& set : options.sets) {
    const auto equals = set.rfind('=');
    if (equals == std::string::npos || equals == 0)
      refuse_usage(fmt::format("--set \"{}\"", set), "has no value", "write CONTROL=VALUE");
    const std::string control = set.substr(0, equals);
    const int index = character.rig->find(control);
    if (index < 0) {
      std::vector<std::string> names;
      for (const Control& each : character.rig->controls())
        if (each.unit != Unit::quaternion) names.push_back(each.name);
      throw Error({.file = file,
                   .element = "control \"" + control + "\"",
                   .value = control,
                   .problem = "does not exist",
                   .remedy = suggestion(control, names, "`rigspace info --controls` lists them")});
    }
    const double value = number_in(std::string_view(set).substr(equals + 1));
    if (!std::isfinite(value))
      refuse_usage(fmt::format("--set \"{}\"", set), "has no number behind the =", "write CONTROL=VALUE");
    const Control& turned = character.rig->controls()[index];
    p[index] = from_surface(turned, value);
    if (p[index] < turned.min - 1e-9 || p[index] > turned.max + 1e-9)
      throw Error({.code = ErrorCode::usage,
                   .file = file,
                   .element = "control \"" + control + "\"",
                   .value = set.substr(equals + 1),
                   .problem = fmt::format("is set to {:.6g}, beyond its limits", value),
                   .remedy = fmt::format("it goes from {:.6g} to {:.6g}", to_surface(turned, turned.min),
                                         to_surface(turned, turned.max))});
  }
  return p;
}

void watch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) {
    if (interrupts.fetch_add(1) > 0) ::_exit(130);
  };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return interrupts > 0; }

void end_with_input(const std::filesystem::path& scratch) {
  owned_folder = scratch;
  struct sigaction survive = {};  // what reads our standard error dies with it; a handler, since children keep SIG_IGN
  survive.sa_handler = [](int) {};
  sigaction(SIGPIPE, &survive, nullptr);
  std::atexit(clear_owned_folder);  // the program may end by itself once it is interrupted, and has written until then
  std::thread([] {
    pollfd input = {.fd = STDIN_FILENO, .events = 0, .revents = 0};  // POLLHUP comes unasked; nothing is read
    while (::poll(&input, 1, -1) < 0 || (input.revents & (POLLHUP | POLLERR | POLLNVAL)) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    owner_gone = true;
    interrupts.fetch_add(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // for a Cancelled to end what it has started
    clear_owned_folder();
    ::_exit(130);
  }).detach();
}

void show_progress_in_lines() { progress_in_lines = true; }

ProgressCallback terminal_progress() {
  using Clock = std::chrono::steady_clock;
  if (progress_in_lines) return line_progress();
  if (!::isatty(STDERR_FILENO)) return [](const Progress&) { return !interrupted(); };
  /// What the bar measures: a run of many stages where that is known, otherwise a stage.
  struct Bar {
    std::string stage;
    bool of_run = false;
    double first = 0;  ///< where it stood when it began: a resumed run does not begin at 0
    Clock::time_point start = Clock::now(), shown = {};
    ~Bar() { clear_bar(); }
  };
  auto bar = std::make_shared<Bar>();
  return [bar](const Progress& progress) {
    const auto now = Clock::now();
    const bool of_run = progress.whole >= 0;
    const double done = std::clamp(of_run ? progress.whole : progress.fraction, 0.0, 1.0);
    if (of_run != bar->of_run || (!of_run && bar->stage != progress.stage)) {
      bar->of_run = of_run, bar->first = done;
      bar->start = now, bar->shown = {};
    }
    bar->stage = progress.stage;
    const double spent = std::chrono::duration<double>(now - bar->start).count();
    if (now - bar->shown > std::chrono::milliseconds(100) && spent > 0.3) {
      bar->shown = now;
      const int filled = static_cast<int>(done * 30);
      const double made = done - bar->first;
      const std::string left = made > 0.02 ? time_left(spent * (1 - done) / made) + " left" : "";
      fmt::print(stderr, "\r\033[K{} {:━<{}}{:─<{}} {:3.0f} %  {}", progress.stage, "", filled, "", 30 - filled,
                 100 * done, left);
      std::fflush(stderr);
      bar_is_shown = true;
    }
    return !interrupted();
  };
}

void clear_bar() {
  if (!bar_is_shown) return;
  bar_is_shown = false;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

void print_warnings(const Context& context, const std::string& file, const std::vector<std::string>& warnings) {
  if (context.json) return;
  clear_bar();
  for (const std::string& warning : warnings) fmt::print(stderr, "{}: {}\n", file, warning);
}

CLI::Validator above_zero() {
  return CLI::Validator(
      [](std::string& text) {
        const double value = number_in(text);
        return value > 0 && std::isfinite(value) ? std::string() : "\"" + text + "\" is not a number above 0";
      },
      "");
}

CLI::Validator zero_or_more() {
  return CLI::Validator(
      [](std::string& text) {
        const double value = number_in(text);
        return value >= 0 && std::isfinite(value) ? std::string() : "\"" + text + "\" is not a number of 0 or more";
      },
      "");
}

CLI::Validator frame_rate() {
  return CLI::Validator(
      [](std::string& text) {
        const double value = number_in(text);
        return value >= kLeastFrameRate && value <= kMostFrameRate
                   ? std::string()
                   : fmt::format("\"{}\" is out of range; give {:g} to {:g} frames a second", text, kLeastFrameRate,
                                 kMostFrameRate);
      },
      "");
}

JobEvents job_events(const Context& context) {
  JobEvents events{.progress = terminal_progress()};
  if (context.json) return events;
  events.say = [](const std::string& text) {
    clear_bar();
    fmt::print("{}", text);
    std::fflush(stdout);
  };
  events.warn = [context](const std::string& file, const std::vector<std::string>& sentences) {
    print_warnings(context, file, sentences);
  };
  return events;
}

}  // namespace rigspace::tools
