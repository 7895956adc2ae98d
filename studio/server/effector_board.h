#pragma once
// Effectors that are dragged: the pose that follows them while they are, and the keys that stay. Panel effectors.cpp
// has the commands.

#include "full_body.h"
#include "studio.h"

#include <chrono>
#include <deque>
#include <optional>

namespace rigspace::studio {

class EffectorBoard {
 public:
  explicit EffectorBoard(Studio& studio)
      : studio_(studio), lane_([&studio](std::function<void()> function) { studio.post(std::move(function)); }) {}

  Json slice() const;

  void prepare();
  void drag(const Arguments& given);
  void end(const Arguments& given);
  void pin(const Arguments& given);
  void clear(const Arguments& given);

  void opened();
  void clip_changed();
  void edited(const Project& before);
  void tick();

 private:
  /// One hand on one effector, from the first `drag` to the `end`.
  struct Drag {
    int effector = 0;
    std::string clip;
    double time = 0;  ///< s of the clip
    Vec seen;         ///< the pose that it began with: all controls of the artist's character
    Vec3 target = Vec3::Zero();
    bool begun = false;  ///< FullBody::begin was called for it
    bool due = true;     ///< the newest target is not solved for
    bool over = false;   ///< let go: the pose of the newest target is kept
    Vec added = {};      ///< of the last solve
  };

  void require_ready() const;
  int effector_of(const Arguments& given) const;
  const DraggedKey* present() const;
  void begin(int effector);
  void aim(const Arguments& given);
  void next();
  void take(const FullBody::Solve& solved);
  void keep();
  void drop();
  void fail(std::exception_ptr error);

  Studio& studio_;
  std::shared_ptr<FullBody> body_;  // used on the lane alone, once it is there
  std::string state_ = "none", model_, remark_, problem_;
  std::vector<BodyEffector> effectors_;
  std::vector<bool> pinned_;
  std::optional<Drag> drag_;
  std::deque<std::chrono::steady_clock::time_point> solved_;  // of the last second of a drag
  std::optional<double> rate_, ms_, residual_;
  double seen_time_ = 0;  // s: of the last tick
  Lane lane_;             // last: its thread ends first
};

}  // namespace rigspace::studio
