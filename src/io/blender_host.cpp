#include "blender_host.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace rigspace {
namespace fs = std::filesystem;

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

namespace {

bool is_program(const fs::path& path) { return fs::is_regular_file(path) && access(path.c_str(), X_OK) == 0; }

}  // namespace

std::string blender_program(const fs::path& file) {
  const std::string variable = environment_variable("RIGSPACE_BLENDER"), path = environment_variable("PATH");
  if (!variable.empty()) {
    if (is_program(variable)) return variable;
    throw Error({.code = ErrorCode::external_process,
                 .file = file.string(),
                 .element = "RIGSPACE_BLENDER",
                 .value = variable,
                 .problem = "is \"" + variable + "\", which is no program",
                 .remedy = "set it to Blender's own path"});
  }
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t colon = std::min(path.find(':', from), path.size());
    if (const fs::path each = fs::path(path.substr(from, colon - from)) / "blender"; is_program(each)) return each;
    from = colon + 1;
  }
  throw Error({.code = ErrorCode::external_process,
               .file = file.string(),
               .problem = "needs Blender, which is not installed",
               .remedy = "install it (Debian: apt-get install blender), or set RIGSPACE_BLENDER to its path"});
}

fs::path host_script(const fs::path& file, const std::string& script) {
  const fs::path inside = fs::path("blender") / "host" / script;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  for (const fs::path& folder : {own_file().parent_path(), program.parent_path().parent_path() / "share" / "rigspace",
                                 fs::path(RIGSPACE_DATA_DIR), fs::path(RIGSPACE_SOURCE_DIR)})
    if (fs::exists(folder / inside, ignored)) return folder / inside;
  throw Error({.code = ErrorCode::external_process,
               .file = file.string(),
               .element = inside.filename().string(),
               .problem = "is not installed beside this program",
               .remedy = "install all of rigspace: `cmake --install`"});
}

std::string with_script(const fs::path& script, const std::string& arguments) {
  return " --python-exit-code 3 --python " + shell_word(script.string()) + " --" + arguments + " 3>&1 1>&2";
}

}  // namespace rigspace
