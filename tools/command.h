#pragma once
// What the subcommands share. A new one is a file with a function `add_NAME`, and a line in main.cpp's list.

#include "rigspace/anim/character.h"
#include "rigspace/base/error.h"
#include "rigspace/base/progress.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/jobs/arguments.h"
#include "rigspace/jobs/clip_names.h"
#include "rigspace/jobs/events.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace::tools {

struct Context {
  bool json = false;                        ///< answers and failures as JSON on standard output
  std::vector<std::string> arguments = {};  ///< as the program was given them, its own name first
};

/// Adds one subcommand. Its callback may throw Error; main turns that into a sentence and an exit code.
using AddCommand = void (*)(CLI::App&, Context&);

void add_info(CLI::App&, Context&);
void add_eval(CLI::App&, Context&);
void add_convert(CLI::App&, Context&);
void add_curves(CLI::App&, Context&);
void add_view(CLI::App&, Context&);
void add_render(CLI::App&, Context&);
void add_simulate(CLI::App&, Context&);
void add_rerun(CLI::App&, Context&);
void add_check(CLI::App&, Context&);
void add_settings(CLI::App&, Context&);
void add_parts(CLI::App&, Context&);
void add_live(CLI::App&, Context&);
void add_pose(CLI::App&, Context&);
void add_sketch(CLI::App&, Context&);
void add_inverse(CLI::App&, Context&);
void add_cloth(CLI::App&, Context&);
void add_forces(CLI::App&, Context&);
void add_sketch_build(CLI::App&, Context&);  ///< below `sketch`
void add_mesh(CLI::App&, Context&);
void add_rig(CLI::App&, Context&);
void add_cast(CLI::App&, Context&);
void add_demo(CLI::App&, Context&);
void add_studio(CLI::App&, Context&);
void add_bench(CLI::App&, Context&);
void add_completion(CLI::App&, Context&);

/// Whether the command is `bench`, which is a program of its own; and that program in place of this one. Throws Error.
bool is_bench(int argc, char** argv);
[[noreturn]] void start_bench(char** argv);

/// "1 joint", "3 joints".
std::string count_in_words(std::size_t number, const char* one, const char* many);

/// The common options of commands that look at a moment of a clip.
struct PoseOptions {
  std::string clip;               ///< empty: none, the rest pose, unless a time is given
  std::string time = "0";         ///< seconds, or frames as `12f`
  double fps = 24;                ///< for times in frames
  std::vector<std::string> sets;  ///< CONTROL=VALUE, degrees for angles

  void add_to(CLI::App&);
};

/// All control values: the clip at its time, then the sets. Throws Error naming what is wrong and what comes close.
Vec pose_of(const Character&, const std::string& file, const PoseOptions&);

/// The value as the surface shows it: degrees for angles.
double to_surface(const Control&, double value);
double from_surface(const Control&, double value);

/// Draws a bar with the time left on standard error when that is a terminal; returns false once Ctrl-C was pressed.
ProgressCallback terminal_progress();
/// Takes the bar off the terminal, so that text does not follow it on its line.
void clear_bar();

/// From now on terminal_progress() writes a line of JSON to standard error ten times a second, {"stage", "fraction"}
/// and, where it is known, "whole", the share of the run: for programs that start this one.
void show_progress_in_lines();

/// From now on Ctrl-C makes progress callbacks return false; a second one ends the program at once.
void watch_interrupts();
bool interrupted();

/// From now on the end of standard input is Ctrl-C, and half a second later the end of the program, whatever it does;
/// the folder `scratch` is then removed. For programs that start this one with a pipe: if they die, it dies with them.
void end_with_input(const std::filesystem::path& scratch);

/// What jobs report, on the terminal: progress, text on standard output, warnings on standard error. Where the answer
/// is JSON, progress alone.
JobEvents job_events(const Context&);

/// Warnings of a loaded file on standard error, unless the answer is JSON.
void print_warnings(const Context&, const std::string& file, const std::vector<std::string>& warnings);

/// For options that must be positive.
CLI::Validator above_zero();
/// For options that must be finite, and not negative.
CLI::Validator zero_or_more();
/// Of --fps: within kLeastFrameRate to kMostFrameRate.
CLI::Validator frame_rate();

}  // namespace rigspace::tools
