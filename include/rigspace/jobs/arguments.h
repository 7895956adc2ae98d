#pragma once
// Arguments that front ends take as text, and checks before any work begins. Functions throw Error.

#include "rigspace/anim/character.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace rigspace {

/// Throw Error: of an option, and of a file that a job was given.
[[noreturn]] void refuse_usage(std::string element, std::string problem, std::string remedy);
[[noreturn]] void refuse_file(std::string file, std::string problem, std::string remedy);

/// A finite number that is all of the text; NaN otherwise.
double number_in(std::string_view text);
/// The number that a text is, all of it. Throws Error naming `what` otherwise.
double parse_number(std::string_view text, const std::string& what);

/// "1.5" or "1.5s" in seconds, "12f" in frames of 1 / fps.
double parse_time(const std::string& text, double fps, std::string_view option);

/// Frames a second that clips, recipes and options may have.
inline constexpr double kLeastFrameRate = 1, kMostFrameRate = 1000;
/// Throws Error naming `option` unless the rate is within these.
void require_frame_rate(double rate, const std::string& option);

/// The clip that a name means (clip_names.h), or nullptr for an empty name. Throws Error if there is none, or several;
/// `file` stands in its sentence.
const Animation* clip_named(const Character& character, const std::string& file, const std::string& clip);

/// Throws Error unless the output's extension is one of these ("png gif mp4").
void check_extension(const std::filesystem::path& output, std::string_view extensions);

/// Throws Error unless a file can be written there: before the work, not after it.
void check_writable(const std::filesystem::path& output);

/// Throws Error if the output is a file that is read as `what`: "garment", "strokes". Files that are empty or do not
/// exist are none.
void check_apart(const std::filesystem::path& input, const std::filesystem::path& output, std::string_view what);

/// Throws Error if the input's extension is none that characters are read from, or it is the output itself; of a rig
/// file, also if its mesh is.
void check_input(const std::string& file, const std::filesystem::path& output = {});

}  // namespace rigspace
