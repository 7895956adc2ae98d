#pragma once
// The studio's state and its one thread: commands of pages, the clock, edits with undo, long work. Panels add commands
// and slices (PROTOCOL.md), one file each in panels/.

#include "history.h"
#include "http_server.h"
#include "lane.h"
#include "live_obstacles.h"
#include "message.h"
#include "playback.h"
#include "project.h"
#include "rigspace/parts/part_finder.h"

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rigspace::studio {

struct StudioOptions {
  std::filesystem::path file = {};                  ///< opened first; empty: none
  std::vector<std::filesystem::path> folders = {};  ///< whose files may be opened
  std::filesystem::path out = {};                   ///< uploads and results
  std::filesystem::path state = {};                 ///< where projects are kept between runs; empty: nowhere
  std::string page = {};                            ///< the page, HTML
};

/// An open file with its parts. Immutable: a new one replaces it. Also read by the server's thread.
struct OpenFile {
  std::uint32_t revision = 0;
  std::shared_ptr<const LiveCharacter> character;
  PartSearch search;                                           ///< of the artist's character
  std::vector<std::string> patterns;                           ///< of each candidate, as --part takes it
  std::shared_ptr<const Bytes> glb, shares, stiffness, cells;  ///< PROTOCOL.md
};

class Studio final : public HttpHandler {
 public:
  explicit Studio(StudioOptions options);
  ~Studio() override;

  /// Serves commands and plays, until `stop`; the server runs on another thread.
  void run(HttpServer& server);
  void stop();

  // For panels; all on the studio's thread.
  using Command = std::function<Json(const Arguments&)>;  ///< returns what the answer holds; throws Error
  void add_command(std::string name, Command command);
  /// `write` gives the slice's value; it is sent to all pages after `touch`.
  void add_slice(std::string name, std::function<Json()> write);
  void touch(const std::string& slice) { touched_.insert(slice); }
  /// Answers of GET requests under a path: on the server's thread.
  using Get = std::function<HttpAnswer(const std::string& rest)>;
  void add_address(std::string prefix, Get get);
  /// Called about ten times a second.
  void add_tick(std::function<void()> tick) { ticks_.push_back(std::move(tick)); }
  void say(const char* kind, const std::string& text);
  /// Runs a function on the studio's thread; may be called from any.
  void post(std::function<void()> function);

  const StudioOptions& options() const { return options_; }
  Playback& playback() { return playback_; }
  const Project& project() const { return project_; }
  /// Changes the project as one step of the history.
  void edit(std::string what, std::string field, const std::function<void(Project&)>& change);
  /// Called after the project changed, by an edit, undo or redo.
  using Edited = std::function<void(const Project& before)>;
  void on_edit(Edited edited) { edited_.push_back(std::move(edited)); }
  /// Called after a file was shown, for the first time or with other parts.
  void on_open(std::function<void()> opened) { opened_.push_back(std::move(opened)); }
  /// Called after another clip was chosen.
  void on_clip(std::function<void()> changed) { clip_changed_.push_back(std::move(changed)); }
  void clip_changed();
  /// Solved frames of the last second: {"rate", "ms", "unconverged", "outside"}.
  Json meter() const;
  /// Another file: a new project, no history.
  void begin_project(Project project);

  /// The open file; null: none. From any thread.
  std::shared_ptr<const OpenFile> file() const;
  /// The file of a revision: the open one, or the one before, which pages may still be fetching; null: neither.
  std::shared_ptr<const OpenFile> file_of(std::uint32_t revision) const;
  /// Loads the project's file with its parts, as long work, and shows it. What is shown meanwhile stays.
  void load(std::string name);
  /// The result of the last bake of the present clip; null: not made, or out of date.
  const std::shared_ptr<const SimulatedCharacter>& baked() const { return baked_; }
  void set_baked(std::shared_ptr<const SimulatedCharacter> baked) { baked_ = std::move(baked); }
  /// The settings of all parts at a time of the present clip, from the project.
  std::vector<PartSetting> settings_at(double time) const;
  /// Passes the settings at the present time to the solver.
  void adjust();

  Lane& work() { return work_; }              ///< shown to people, with a cancel button
  Lane& background() { return background_; }  ///< work that the user did not start
  /// A failure of long work as a sentence to all pages.
  void report(std::exception_ptr error);

  // HttpHandler, on the server's thread.
  HttpAnswer get(const std::string& path) override;
  HttpAnswer uploaded(const std::string& name, const std::filesystem::path& file) override;
  void opened(ClientId client) override;
  void received(ClientId client, std::string text) override;
  void closed(ClientId client) override;

 private:
  void take(ClientId client, const std::string& text);
  Json carried_out(const Json& message);
  void send_touched();
  void welcome(ClientId client);
  void undo_or_redo(bool undo);
  void apply(Project project);
  void tick(double dt);
  void read_meter(double seconds);

  StudioOptions options_;
  mutable std::mutex file_mutex_;
  std::shared_ptr<const OpenFile> file_, former_file_;
  std::uint32_t revision_ = 0;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<std::function<void()>> queue_;
  bool over_ = false;

  std::map<std::string, Command> commands_;
  std::map<std::string, std::function<Json()>> slices_;
  std::vector<std::pair<std::string, Get>> addresses_;
  std::vector<std::function<void()>> ticks_;
  std::vector<Edited> edited_;
  std::vector<std::function<void()>> opened_, clip_changed_;
  std::set<std::string> touched_;
  std::map<ClientId, int> faults_;  // per page: messages that could not be read

  HttpServer* server_ = nullptr;
  Playback playback_;
  std::shared_ptr<const SimulatedCharacter> baked_;
  std::shared_ptr<const RealtimeModel> world_model_;  // the open character's, in the world of `world_project_`
  std::shared_ptr<const RealtimeModel> world_base_;   // that it was made of
  Project world_project_;
  LiveObstacles obstacles_;
  Project project_;
  History<Project> history_;
  std::uint32_t change_ = 0;
  bool frame_due_ = false;
  int pages_ = 0;         // that are connected
  int solved_ = 0;        // frames since the meter was read
  double solved_ms_ = 0;  // time that they took
  double solved_rate_ = 0, mean_ms_ = 0;
  Lane work_, background_;
};

/// One line a panel: panels/*.cpp.
void add_file_panel(Studio&);
void add_play_panel(Studio&);
void add_parts_panel(Studio&);
void add_controls_panel(Studio&);
void add_world_panel(Studio&);
void add_bake_panel(Studio&);
void add_curves_panel(Studio&);
void add_modes_panel(Studio&);
void add_pulls_panel(Studio&);
void add_sketch_panel(Studio&);
void add_effectors_panel(Studio&);
void add_cloth_panel(Studio&);
void add_forces_panel(Studio&);
void add_weights_panel(Studio&);
void add_cage_panel(Studio&);
void add_export_panel(Studio&);

}  // namespace rigspace::studio
