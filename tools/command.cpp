#include "command.h"

#include "rigspace/io/formats.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace rigspace::tools {
namespace {

std::atomic<int> interrupts = 0;
thread_local const ProgressCallback* progress_in_scope = nullptr;
bool progress_in_lines = false;

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
      const nlohmann::ordered_json line = {{"stage", last->stage}, {"fraction", progress.fraction}};
      fmt::print(stderr, "{}\n", line.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
      std::fflush(stderr);
    }
    return !interrupted();
  };
}

/// A finite number that is all of the text; NaN otherwise.
double number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : std::numeric_limits<double>::quiet_NaN();
}

std::string time_left(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", std::ceil(seconds));
  return fmt::format("{:.0f} min", std::ceil(seconds / 60));
}

}  // namespace

void refuse_usage(std::string element, std::string problem, std::string remedy) {
  throw Error({.code = ErrorCode::usage,
               .element = std::move(element),
               .problem = std::move(problem),
               .remedy = std::move(remedy)});
}

void refuse_file(std::string file, std::string problem, std::string remedy) {
  throw Error(
      {.code = ErrorCode::usage, .file = std::move(file), .problem = std::move(problem), .remedy = std::move(remedy)});
}

std::string count_in_words(std::size_t number, const char* one, const char* many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

void PoseOptions::add_to(CLI::App& app) {
  app.add_option("--clip", clip, "a clip of the file; without it the rest pose")->type_name("NAME");
  app.add_option("--time", time, "moment of the clip: seconds, or frames as 12f")->type_name("T");
  app.add_option("--fps", fps, "frames a second, for times in frames")->check(above_zero())->type_name("N");
  app.add_option("--set", sets, "turn a control, in degrees for angles, in scene units for lengths; may be repeated")
      ->type_name("CONTROL=VALUE")
      ->take_all();
}

const Animation* clip_named(const Character& character, const std::string& file, const std::string& clip) {
  if (clip.empty()) return nullptr;
  if (const Animation* found = character.clip(clip)) return found;
  std::vector<std::string> names;
  for (const Animation& each : character.clips) names.push_back(each.name);
  throw Error({.file = file,
               .element = "clip \"" + clip + "\"",
               .value = clip,
               .problem = "is not in the file",
               .remedy = names.empty() ? "it has no clips" : suggestion(clip, names, "`rigspace info` lists them")});
}

double parse_time(const std::string& text, double fps, std::string_view option) {
  std::string_view digits = text;
  double unit = 1;
  if (digits.ends_with('f'))
    digits.remove_suffix(1), unit = 1 / fps;
  else if (digits.ends_with('s'))
    digits.remove_suffix(1);
  const double value = number_of(digits);
  if (!std::isfinite(value))
    refuse_usage(fmt::format("{} \"{}\"", option, text), "is not a time", "give seconds (0.5) or frames (12f)");
  return value * unit;
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
    const double value = number_of(std::string_view(set).substr(equals + 1));
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

ProgressScope::ProgressScope(ProgressCallback progress) : progress_(std::move(progress)), before_(progress_in_scope) {
  progress_in_scope = &progress_;
}
ProgressScope::~ProgressScope() { progress_in_scope = before_; }

void show_progress_in_lines() { progress_in_lines = true; }

ProgressCallback terminal_progress() {
  using Clock = std::chrono::steady_clock;
  if (progress_in_scope != nullptr) return *progress_in_scope;
  if (progress_in_lines) return line_progress();
  if (!::isatty(STDERR_FILENO)) return [](const Progress&) { return !interrupted(); };
  struct Bar {
    std::string stage;
    Clock::time_point start = Clock::now(), shown = {};
    ~Bar() { clear(); }
    void clear() const {
      if (!stage.empty()) fmt::print(stderr, "\r\033[K");
    }
  };
  auto bar = std::make_shared<Bar>();
  return [bar](const Progress& progress) {
    const auto now = Clock::now();
    if (bar->stage != progress.stage) *bar = {std::string(progress.stage)};
    const double spent = std::chrono::duration<double>(now - bar->start).count();
    if (now - bar->shown > std::chrono::milliseconds(100) && spent > 0.3) {
      bar->shown = now;
      const int filled = static_cast<int>(std::clamp(progress.fraction, 0.0, 1.0) * 30);
      const std::string left =
          progress.fraction > 0.02 ? time_left(spent * (1 - progress.fraction) / progress.fraction) + " left" : "";
      fmt::print(stderr, "\r\033[K{} {:━<{}}{:─<{}} {:3.0f} %  {}", progress.stage, "", filled, "", 30 - filled,
                 100 * progress.fraction, left);
      std::fflush(stderr);
    }
    return !interrupted();
  };
}

void print_warnings(const Context& context, const std::string& file, const std::vector<std::string>& warnings) {
  if (context.json) return;
  for (const std::string& warning : warnings) fmt::print(stderr, "{}: {}\n", file, warning);
}

void check_writable(const std::filesystem::path& output) {
  namespace fs = std::filesystem;
  const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
  const auto refuse = [&](std::string problem, std::string remedy) {
    throw Error({.file = output.string(), .problem = std::move(problem), .remedy = std::move(remedy)});
  };
  if (!fs::is_directory(folder)) refuse("cannot be written: its folder does not exist", "create " + folder.string());
  if (fs::is_directory(output)) refuse("is a folder", "name a file in it");
  if (::access(folder.c_str(), W_OK) != 0) refuse("cannot be written: its folder is read-only", "choose another one");
}

void check_input(const std::string& file, const std::filesystem::path& output) {
  require_format_of(file);
  std::error_code ignored;
  if (!output.empty() && std::filesystem::equivalent(file, output, ignored))
    throw Error({.code = ErrorCode::usage,
                 .file = output.string(),
                 .problem = "is the input itself",
                 .remedy = "give the output another name: the artist's file is never overwritten"});
}

double parse_number(std::string_view text, const std::string& what) {
  const double value = number_of(text);
  if (!std::isfinite(value)) refuse_usage(what, "has no number behind the =", "give one, such as 0.6");
  return value;
}

CLI::Validator above_zero() {
  return CLI::Validator(
      [](std::string& text) {
        const double value = number_of(text);
        return value > 0 && std::isfinite(value) ? std::string() : "\"" + text + "\" is not a number above 0";
      },
      "");
}

void check_extension(const std::filesystem::path& output, std::string_view extensions) {
  std::string extension = output.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  std::string list;
  std::size_t begin = 0;
  while (begin <= extensions.size()) {
    const std::size_t end = std::min(extensions.find(' ', begin), extensions.size());
    const std::string each = "." + std::string(extensions.substr(begin, end - begin));
    if (each == extension) return;
    list += (list.empty() ? "" : ", ") + each;
    begin = end + 1;
  }
  throw Error({.code = ErrorCode::usage,
               .file = output.string(),
               .value = extension,
               .problem = extension.empty() ? "has no extension" : "has the extension " + extension,
               .remedy = "this command writes " + list});
}

}  // namespace rigspace::tools
