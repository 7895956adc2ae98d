#include "studio.h"

#include "rigspace/base/files.h"
#include "rigspace/base/version.h"
#include "rigspace/cast/cast.h"

#include <chrono>

namespace rigspace::studio {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kFrame = 1.0 / 62.5;  // s: a little more than 60 frames a second
constexpr int kMostFaults = 100;

std::shared_ptr<const std::string> message_of(const Json& json) {
  return std::make_shared<const std::string>(written(json));
}

std::shared_ptr<const Bytes> bytes_of(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return std::make_shared<const Bytes>(begin, begin + text.size());
}

}  // namespace

Studio::Studio(StudioOptions options)
    : options_(std::move(options)),
      work_([this](std::function<void()> function) { post(std::move(function)); }),
      background_([this](std::function<void()> function) { post(std::move(function)); }, true) {
  add_slice("history", [this] { return Json{{"undo", history_.undo_list()}, {"redo", history_.redo_list()}}; });
  add_slice("server", [this, started = random_token()] {
    Json members = Json::array();
    for (const CastMember& member : cast()) members.push_back({{"name", member.name}, {"about", member.description}});
    return Json{{"version", version()}, {"started", started}, {"folder", options_.out.string()}, {"cast", members}};
  });
  add_slice("job", [this]() -> Json {
    const auto progress = work_.progress();
    if (!progress) return nullptr;
    const bool known = progress->fraction > 0.02;
    return Json{{"name", progress->name},
                {"stage", progress->stage},
                {"fraction", progress->fraction >= 0 ? Json(progress->fraction) : Json()},
                {"left", known ? Json(progress->seconds * (1 - progress->fraction) / progress->fraction) : Json()},
                {"cancel", true}};
  });
  add_command("job.cancel", [this](const Arguments&) {
    work_.cancel();
    touch("job");
    return Json::object();
  });
  add_command("history.undo", [this](const Arguments&) { return undo_or_redo(true), Json::object(); });
  add_command("history.redo", [this](const Arguments&) { return undo_or_redo(false), Json::object(); });
  for (const auto add :
       {add_file_panel, add_play_panel, add_parts_panel, add_controls_panel, add_world_panel, add_bake_panel,
        add_curves_panel, add_modes_panel, add_pulls_panel, add_sketch_panel, add_effectors_panel, add_cloth_panel,
        add_forces_panel, add_weights_panel, add_cage_panel, add_export_panel})
    add(*this);
}

/// Long work ends first, since it uses the boards of panels. These are held by the panels' functions alone; their own
/// threads end with them, while all that they use is still there.
Studio::~Studio() {
  work_.end(), background_.end();
  commands_.clear(), slices_.clear(), addresses_.clear(), ticks_.clear();
  edited_.clear(), opened_.clear(), clip_changed_.clear();
}

void Studio::add_command(std::string name, Command command) { commands_.emplace(std::move(name), std::move(command)); }
void Studio::add_slice(std::string name, std::function<Json()> write) {
  slices_.emplace(std::move(name), std::move(write));
}
void Studio::add_address(std::string prefix, Get get) { addresses_.emplace_back(std::move(prefix), std::move(get)); }

void Studio::post(std::function<void()> function) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(function));
  }
  woken_.notify_one();
}

void Studio::stop() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  woken_.notify_one();
}

/// Commands are carried out as they come; frames are made at an even pace, and right after a command.
void Studio::run(HttpServer& server) {
  server_ = &server;
  Clock::time_point last = Clock::now(), next = last, next_tick = last, metered = last;
  for (;;) {
    std::deque<std::function<void()>> queue;
    {
      std::unique_lock lock(mutex_);
      woken_.wait_until(lock, next, [&] { return over_ || !queue_.empty(); });
      if (over_) break;
      queue.swap(queue_);
    }
    for (const auto& function : queue) function();
    const Clock::time_point now = Clock::now();
    if (now >= next) {
      constexpr double kLongest = 0.1;  // s: after a stall the motion goes on from where it was
      tick(std::min(kLongest, std::chrono::duration<double>(now - last).count()));
      last = now;
      next += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kFrame));
      if (next < now) next = now;
    }
    if (now >= next_tick) {
      next_tick = now + std::chrono::milliseconds(100);
      for (const auto& each : ticks_) each();
      if (work_.busy()) touch("job");
      if (now - metered >= std::chrono::seconds(1)) {
        read_meter(std::chrono::duration<double>(now - metered).count());
        metered = now;
      }
    }
    send_touched();
  }
  server_ = nullptr;
}

/// Without a page nothing is solved: the motion goes on when one comes back.
void Studio::tick(double dt) {
  if (pages_ == 0) return;
  const bool moved = playback_.advance(dt);
  if (playback_.solving()) obstacles_.arrive();
  if (!playback_.is_open() || !(moved || frame_due_)) return;
  frame_due_ = false;
  if (playback_.solving()) ++solved_, solved_ms_ += playback_.solve_ms();
  server_->send_frame_to_all(playback_.frame(change_));
}

void Studio::read_meter(double seconds) {
  const double before = solved_rate_;
  solved_rate_ = solved_ / seconds, mean_ms_ = solved_ > 0 ? solved_ms_ / solved_ : 0;
  solved_ = 0, solved_ms_ = 0;
  if (solved_rate_ > 0 || before > 0) touch("live");
}

Json Studio::meter() const {
  return {{"rate", solved_rate_},
          {"ms", mean_ms_},
          {"unconverged", playback_.unconverged()},
          {"outside", playback_.outside_training()}};
}

void Studio::clip_changed() {
  for (const auto& listener : clip_changed_) listener();
}

void Studio::send_touched() {
  if (touched_.empty()) return;
  Json slices = Json::object();
  for (const std::string& name : touched_)
    if (const auto at = slices_.find(name); at != slices_.end()) slices[name] = at->second();
  touched_.clear();
  server_->send_to_all(message_of({{"event", "state"}, {"slices", std::move(slices)}}));
}

void Studio::say(const char* kind, const std::string& text) {
  if (server_) server_->send_to_all(message_of({{"event", "say"}, {"kind", kind}, {"text", text}}));
}

void Studio::report(std::exception_ptr error) {
  touch("job");
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    say(known.code() == ErrorCode::cancelled ? "note" : "error",
        known.code() == ErrorCode::cancelled ? "Cancelled; everything is as it was." : known.what());
  } catch (const std::exception& unknown) {
    say("error", unknown.what());
  }
}

void Studio::welcome(ClientId client) {
  ++pages_;
  Json slices = Json::object();
  for (const auto& [name, write] : slices_) slices[name] = write();
  server_->send(client, message_of({{"event", "state"}, {"slices", std::move(slices)}}));
  frame_due_ = true;
}

Json Studio::carried_out(const Json& message) {
  const auto name = message.find("do");
  if (name == message.end() || !name->is_string())
    refuse("message", "", "has no command", "expected {\"id\": .., \"do\": \"..\"}");
  const auto command = commands_.find(name->get_ref<const std::string&>());
  if (command == commands_.end())
    refuse("command \"" + name->get<std::string>() + "\"", name->get<std::string>(), "is not known",
           "studio/PROTOCOL.md lists them");
  Json answer = command->second(Arguments(message));
  answer["change"] = ++change_;
  frame_due_ = true;
  return answer;
}

void Studio::take(ClientId client, const std::string& text) {
  Json answer;
  const Json message = Json::parse(text, nullptr, false);
  const bool is_message = message.is_object();
  const Json id = is_message && message.contains("id") && message["id"].is_number() ? message["id"] : Json();
  try {
    if (!is_message) refuse("message", "", "is no JSON object", "expected {\"id\": .., \"do\": \"..\"}");
    answer = {{"re", id}, {"ok", carried_out(message)}};
  } catch (const Error& error) {
    answer = {{"re", id}, {"error", to_json(error.info(), error.what())}};
  } catch (const std::exception& error) {
    answer = {{"re", id}, {"error", {{"sentence", error.what()}, {"problem", error.what()}}}};
  }
  if (id.is_null() && ++faults_[client] > kMostFaults)
    return send_touched();  // after so many unreadable messages a
                            // page is dropped
  send_touched();           // first, so that a page gets the new state before the answer
  server_->send(client, message_of(answer));
}

void Studio::edit(std::string what, std::string field, const std::function<void(Project&)>& change) {
  Project changed = project_;
  change(changed);
  if (changed == project_) return;
  history_.record(project_, std::move(what), std::move(field));
  apply(std::move(changed));
}

void Studio::apply(Project project) {
  const Project before = std::exchange(project_, std::move(project));
  touch("history");
  for (const Edited& edited : edited_) edited(before);
}

void Studio::begin_project(Project project) {
  project_ = std::move(project);
  history_.clear();
  touch("history");
}

void Studio::undo_or_redo(bool undo) {
  if (!(undo ? history_.can_undo() : history_.can_redo()))
    refuse(undo ? "undo" : "redo", "", "has nothing to go to", "change something first");
  apply(undo ? history_.undo(project_) : history_.redo(project_));
}

HttpAnswer Studio::get(const std::string& path) {
  if (path == "/") return {.type = "text/html; charset=utf-8", .body = bytes_of(options_.page)};
  for (const auto& [prefix, answer] : addresses_)
    if (path.starts_with(prefix)) return answer(path.substr(prefix.size()));
  return {.status = 404, .body = bytes_of("There is nothing at this address.\n")};
}

/// Moves it into the folder of results, under its name, or hero-2.glb where another file has it.
HttpAnswer Studio::uploaded(const std::string& name, const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  std::error_code failed;
  fs::path to = options_.out / name;
  const auto path_answer = [&] {
    return HttpAnswer{.type = "application/json", .body = bytes_of(written(Json{{"path", to.string()}}))};
  };
  for (int k = 2; fs::exists(to, failed); ++k) {
    if (fs::file_size(to, failed) == fs::file_size(file, failed) && read_file(to) == read_file(file))
      return path_answer();
    to =
        options_.out / (fs::path(name).stem().string() + "-" + std::to_string(k) + fs::path(name).extension().string());
  }
  fs::rename(file, to, failed);
  if (failed) return {.status = 500, .body = bytes_of("The file cannot be kept: " + failed.message() + "\n")};
  return path_answer();
}

void Studio::opened(ClientId client) {
  post([this, client] { welcome(client); });
}
void Studio::received(ClientId client, std::string text) {
  constexpr std::size_t kMostWaiting = 4096;  // messages: a page that floods the studio loses those beyond
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() > kMostWaiting) return;
  }
  post([this, client, text = std::move(text)] { take(client, text); });
}
void Studio::closed(ClientId client) {
  post([this, client] { faults_.erase(client), --pages_; });
}

}  // namespace rigspace::studio
