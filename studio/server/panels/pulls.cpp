// Pull points (RSP figure 8): a point of the body follows the pointer; the rig's controls are posed by physics, in
// balance or with momentum. Solved on a thread of its own, so that playing goes on. While it is dragged, the flesh is
// coarse; a pose that is kept is solved again as `rigspace pose` does it.

#include "../studio.h"

#include "rigspace/apps/physics/live_pull.h"

#include <atomic>
#include <chrono>

namespace rigspace::studio {
namespace {

/// One character that can be pulled. All public functions are called on the studio's thread.
class Puller {
 public:
  Puller(Studio& studio, std::shared_ptr<const LiveCharacter> character)
      : studio_(studio), character_(std::move(character)), thread_([this] { run(); }) {}
  ~Puller() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  const LiveCharacter* character() const { return character_.get(); }

  void begin(Vec pose, int point, bool dynamic) {
    change([&] { begun_ = {{std::move(pose), point, dynamic}}, target_.reset(), holding_ = true, refine_ = false; });
  }
  void move(const Vec3& target) {
    change([&] { target_ = target; });
  }
  /// `keep`: the pose stays, and is solved once more in full.
  void end(bool keep) {
    change([&] { holding_ = false, refine_ = keep && target_.has_value(); });
  }
  /// "none", "pulling", "refining" or "refined".
  std::string state() {
    const std::lock_guard lock(mutex_);
    return holding_ ? "pulling" : refine_ ? "refining" : refined_ ? "refined" : "none";
  }

 private:
  struct Begin {
    Vec pose;
    int point = 0;
    bool dynamic = false;
  };

  template <class Action>
  void change(Action action) {
    {
      const std::lock_guard lock(mutex_);
      action();
      ++version_;
    }
    changed_.notify_all();
  }

  /// The artist's controls of a pose, to which soft joints that parts have are added at the end.
  Vec artists_part(const Vec& pose) const { return pose.head(std::ssize(character_->artists().rig->controls())); }

  void show(const Vec& artists) {
    Vec pose = hold_.pose;
    pose.head(artists.size()) = artists;
    studio_.post([this, pose, alive = alive_] {
      if (*alive && holding()) studio_.playback().show_pose(pose);
    });
  }
  bool holding() {
    const std::lock_guard lock(mutex_);
    return holding_;
  }

  /// The pose of the last target as `rigspace pose` solves it from the pose of `begin`.
  void refine(const Vec3& target) {
    const ProgressCallback wanted = [this, version = version()](const Progress&) {
      const std::lock_guard lock(mutex_);
      return !over_ && version_ == version;
    };
    if (!fine_) fine_ = std::make_unique<PullBody>(character_->artists(), PullBodyOptions{.use_cache = true}, wanted);
    Poser poser(*fine_, artists_part(hold_.pose),
                {.pulled = {hold_.point}, .metres_per_unit = character_->metres_per_unit()});
    const Vec3 targets[] = {target};
    poser.drag(targets, wanted);
    Vec pose = hold_.pose;
    pose.head(poser.controls().size()) = poser.controls();
    studio_.post([this, pose, alive = alive_, version = version()] {
      if (!*alive || this->version() != version) return;
      {
        const std::lock_guard lock(mutex_);
        refine_ = false, refined_ = true;
      }
      studio_.playback().show_pose(pose);
      studio_.touch("pulls");
    });
  }
  long version() {
    const std::lock_guard lock(mutex_);
    return version_;
  }
  void fail(std::exception_ptr error) {
    studio_.post([this, error, alive = alive_] {
      if (*alive) studio_.report(error);
    });
  }

  void run() {
    bool dynamic = false, idle = true;
    long seen = 0;
    while (true) {
      std::optional<Begin> begun;
      std::optional<Vec3> target;
      bool refining = false;
      {
        std::unique_lock lock(mutex_);
        if (idle) changed_.wait(lock, [&] { return over_ || version_ != seen; });
        if (over_) return;
        seen = version_;
        begun = std::exchange(begun_, std::nullopt), target = target_;
        refining = !holding_ && !begun && refine_ && target && !dynamic;
        if (!holding_ && !begun && !refining) {
          refine_ = false, idle = true;
          continue;
        }
      }
      try {
        if (refining) {
          idle = true;
          refine(*target);
          continue;
        }
        if (begun) take_hold(*begun), dynamic = begun->dynamic;
        if (!target) {
          idle = true;
          continue;
        }
        const auto start = std::chrono::steady_clock::now();
        const Vec3 targets[] = {*target};
        constexpr double kFrame = 1.0 / 60;
        const PoseReport report = dynamic ? pull_->step(kFrame, targets) : pull_->move(targets);
        show(pull_->controls());
        idle = !dynamic && report.converged;
        std::this_thread::sleep_until(start + std::chrono::duration<double>(kFrame));
      } catch (const Cancelled&) {  // by what came after it
        idle = false;
      } catch (...) {
        fail(std::current_exception());
        idle = true;
        const std::lock_guard lock(mutex_);
        refine_ = false;
      }
    }
  }

  void take_hold(const Begin& begun) {
    const ProgressCallback stopped = [this](const Progress&) {
      const std::lock_guard lock(mutex_);
      return !over_;
    };
    if (!pull_)
      pull_ = std::make_unique<LivePull>(character_->artists(),
                                         LivePullOptions{.metres_per_unit = character_->metres_per_unit()}, stopped);
    hold_ = begun;
    pull_->begin(artists_part(begun.pose), {begun.point});
  }

  Studio& studio_;
  std::shared_ptr<const LiveCharacter> character_;
  std::unique_ptr<LivePull> pull_;  // used by the thread alone, and the next two
  std::unique_ptr<PullBody> fine_;
  Begin hold_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Begin> begun_;
  std::optional<Vec3> target_;
  bool holding_ = false, over_ = false;
  bool refine_ = false, refined_ = false;  // the last pose is to be solved in full, and was
  long version_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::thread thread_;

 public:
  /// Before it goes: what it has posted does nothing any more.
  void retire() { *alive_ = false; }
};

struct Pulls {
  std::unique_ptr<Puller> puller;
  int last = 0;
  ~Pulls() {
    if (puller) puller->retire();
  }
};

void require_current(const Pulls& pulls, int id) {
  if (!pulls.puller || id != pulls.last)
    refuse("pull " + std::to_string(id), std::to_string(id), "is over", "take hold of the body again");
}

}  // namespace

void add_pulls_panel(Studio& studio) {
  const auto pulls = std::make_shared<Pulls>();
  studio.add_slice("pulls", [pulls]() -> Json { return {{"state", pulls->puller ? pulls->puller->state() : "none"}}; });
  studio.add_command("pull.begin", [&studio, pulls](const Arguments& given) {
    const auto file = studio.file();
    if (!file) refuse("the studio", "", "has no character", "open a file first");
    const DrawnPoints* const drawn = studio.playback().points();
    const int count = drawn ? drawn->count() : file->character->artists().rig->point_count();
    int point = given.integer("point", 0, count - 1);
    if (drawn) point = drawn->rig_points()[static_cast<std::size_t>(point)];
    if (!pulls->puller || pulls->puller->character() != file->character.get()) {
      if (pulls->puller) pulls->puller->retire();
      pulls->puller = std::make_unique<Puller>(studio, file->character);
    }
    studio.playback().set_playing(false);
    studio.touch("play");
    pulls->puller->begin(studio.playback().artists_pose(), point, given.has("dynamic") && given.flag("dynamic"));
    studio.touch("pulls");
    return Json{{"pull", ++pulls->last}};
  });
  studio.add_command("pull.move", [pulls](const Arguments& given) {
    require_current(*pulls, given.integer("pull", 0, 1 << 30));
    const std::vector<double> at = given.numbers("position", 3);
    if (at.size() != 3) refuse("argument \"position\"", "", "has other than three numbers", "expected [x, y, z]");
    pulls->puller->move({at[0], at[1], at[2]});
    return Json::object();
  });
  studio.add_command("pull.end", [&studio, pulls](const Arguments& given) {
    require_current(*pulls, given.integer("pull", 0, 1 << 30));
    const bool keep = given.has("keep") && given.flag("keep");
    pulls->puller->end(keep);
    if (!keep) studio.playback().show_pose(std::nullopt);
    studio.touch("pulls");
    return Json::object();
  });
  studio.on_clip([&studio] { studio.playback().show_pose(std::nullopt); });
}

}  // namespace rigspace::studio
