#pragma once
// Files for benchmarks that Blender makes, in a folder that goes when they are done.

#include "rigspace/base/error.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace rigspace::bench {

namespace fs = std::filesystem;

/// A variable of the environment, for as long as this lives.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    if (const char* was = std::getenv(name)) was_ = was, had_ = true;
    setenv(name, value.c_str(), 1);
  }
  ~Setting() { had_ ? setenv(name_, was_.c_str(), 1) : unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  std::string was_;
  bool had_ = false;
};

/// A folder of our own with files that Blender makes, and a cache that is empty at first.
class BlenderStudio {
 public:
  BlenderStudio() {
    std::string folder = (fs::temp_directory_path() / "rigspace-bench-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr)
      throw Error({.file = folder, .problem = "cannot be made", .remedy = "set TMPDIR to a folder with room"});
    folder_ = folder;
  }
  ~BlenderStudio() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  BlenderStudio(const BlenderStudio&) = delete;
  BlenderStudio& operator=(const BlenderStudio&) = delete;

  fs::path file(const char* name) const { return folder_ / name; }
  fs::path human() const { return folder_ / "human.blend"; }
  fs::path plain() const { return folder_ / "plain.blend"; }  ///< the same without constraints, keyed bone by bone
  fs::path cache() const { return folder_ / "cache"; }

  /// False without Blender or its Rigify.
  bool make_humans() const {
    return run("make_rigify.py", {human(), plain()}) && fs::exists(human()) && fs::exists(plain());
  }

  /// A script of tests/blender with these arguments, in a file or an empty scene; false if Blender is not there or
  /// fails.
  bool run(const char* name, const std::vector<fs::path>& arguments, const fs::path& opened = {}) const {
    const char* named = std::getenv("RIGSPACE_BLENDER");
    const std::string settings = fmt::format("BLENDER_USER_SCRIPTS='{0}' BLENDER_USER_CONFIG='{0}'", folder_.string());
    const fs::path script = fs::path(RIGSPACE_SOURCE_DIR) / "tests" / "blender" / name;
    std::string command = fmt::format("{} '{}' -b --factory-startup {} --python-exit-code 3 --python '{}' --", settings,
                                      named != nullptr ? named : "blender",
                                      opened.empty() ? "" : "'" + opened.string() + "'", script.string());
    for (const fs::path& each : arguments) command += fmt::format(" '{}'", each.string());
    return fs::exists(script) && std::system((command + " >/dev/null 2>&1").c_str()) == 0;
  }

 private:
  fs::path folder_;
};

}  // namespace rigspace::bench
