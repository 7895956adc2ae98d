#pragma once
// Private to io: where Blender and our scripts for it are, and how they are started.

#include <filesystem>
#include <string>

namespace rigspace {

constexpr double kTimeToStart = 120;  ///< seconds: production files load slowly

/// Empty where it is not set.
std::string environment_variable(const char* name);

/// Text as one word for /bin/sh.
std::string shell_word(const std::string& text);

/// The program: $RIGSPACE_BLENDER, or on the PATH. `file` is what it is for, in messages. Throws Error
/// (external_process).
std::string blender_program(const std::filesystem::path& file);

/// One of our scripts, "rigspace_host.py": beside this program or module, or where it was built from. Throws Error
/// (external_process).
std::filesystem::path host_script(const std::filesystem::path& file, const std::string& script);

/// The part of a command of /bin/sh behind `blender -b ..` that runs a script, whose arguments are shell words. Blender
/// prints anything to standard output: the script answers on stream 3, which is our pipe. One that raises ends Blender
/// with status 3.
std::string with_script(const std::filesystem::path& script, const std::string& arguments);

}  // namespace rigspace
