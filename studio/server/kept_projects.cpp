#include "kept_projects.h"

#include "http_server.h"
#include "rigspace/base/content_hash.h"
#include "rigspace/base/files.h"

#include <chrono>
#include <cstdlib>

namespace rigspace::studio {
namespace {

namespace fs = std::filesystem;

fs::path file_for(const fs::path& state, const std::string& input) {
  const auto* begin = reinterpret_cast<const std::byte*>(input.data());
  return state / "studio" / (content_hash({begin, input.size()}) + ".json");
}

}  // namespace

fs::path state_folder() {
  if (const char* own = std::getenv("RIGSPACE_STATE")) return own;
  if (const char* all = std::getenv("XDG_STATE_HOME"); all && *all) return fs::path(all) / "rigspace";
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".local/state/rigspace";
  return {};
}

std::optional<Project> kept_project(const fs::path& state, const std::string& file) {
  if (state.empty()) return std::nullopt;
  try {
    const fs::path path = file_for(state, file);
    if (!fs::exists(path)) return std::nullopt;
    Project project = project_from(Json::parse(read_text(path, 64u << 20)));
    return project.file == file ? std::optional(std::move(project)) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void keep_project(const fs::path& state, const Project& project) {
  if (state.empty()) return;
  try {
    const fs::path path = file_for(state, project.file);
    fs::create_directories(path.parent_path());
    write_file(path, to_json(project).dump(1, ' ', false, Json::error_handler_t::replace));
  } catch (const std::exception&) {
    return;
  }
}

std::string token_for(const fs::path& state, int port) {
  constexpr auto kYoung = std::chrono::hours(12);
  if (state.empty() || port == 0) return random_token();
  const fs::path path = state / "studio" / ("token-" + std::to_string(port));
  std::error_code failed;
  const auto written = fs::last_write_time(path, failed);
  try {
    if (!failed && fs::file_time_type::clock::now() - written < kYoung) {
      const std::string token = read_text(path, 64);
      if (token.size() == 32) return token;
    }
    const std::string token = random_token();
    fs::create_directories(path.parent_path());
    fs::permissions(path.parent_path(), fs::perms::owner_all, failed);
    write_file(path, token);
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write, failed);
    return token;
  } catch (const std::exception&) {
    return random_token();
  }
}

}  // namespace rigspace::studio
