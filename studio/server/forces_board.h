#pragma once
// Force rigs while they are made: a draft of the open one, the template that is being shaped, a hand on the skin. Panel
// forces.cpp has the commands.

#include "rigspace/apps/forces/force_edits.h"
#include "studio.h"

#include <map>
#include <optional>

namespace rigspace::studio {

/// Null: there is none of this name.
const ForceRigPart* part_of(const ForcesFile& file, const std::string& name);
/// The sample at which a template is shaped: its last that has strength.
std::size_t full_sample(const ForceRigPart& part);
/// A template's numbers there, as the slice has them.
Json numbers_of(const ForceRigPart& part);

class ForcesBoard {
 public:
  explicit ForcesBoard(Studio& studio)
      : studio_(studio), lane_([&studio](std::function<void()> function) { studio.post(std::move(function)); }) {}

  Json slice() const;

  void make(const Arguments& given);
  void place(const Arguments& given);
  void select(const Arguments& given);
  void set(const Arguments& given);
  void remove(const Arguments& given);
  void fit(const Arguments& given);
  void drag(const Arguments& given);
  void end(const Arguments& given);
  void release(const Arguments& given);
  void undo(const Arguments& given);
  void keep(const Arguments& given);

  void opened();
  void tick();

 private:
  /// One hand on one point of the skin, from the first `drag` to the `end`.
  struct Hand {
    int number = 0;  ///< among all hands
    int point = 0;
    Vec3 target = Vec3::Zero();
    bool due = true;    ///< the newest target is not solved for
    bool over = false;  ///< let go: what the newest target gives is kept
    std::shared_ptr<RigDrag> drag = {};
  };

  void require_draft() const;
  int rig_point(int drawn) const;
  /// The draft changes by one step of undo.
  void change(const std::function<void(ForcesFile&)>& edit);
  Vec pose() const;
  void show();
  void next();
  void finish();
  void fail(std::exception_ptr error);
  std::filesystem::path output() const;

  Studio& studio_;
  std::string state_ = "none", problem_;
  std::shared_ptr<const ForcesFile> draft_;
  std::vector<std::vector<ForceRigPart>> before_;  // of the draft's rigs, latest last
  std::string selected_;
  bool changed_ = false, shown_ = false;
  std::map<int, Vec3> pins_;  // where points were dragged while this template was selected
  std::optional<Hand> hand_;
  int hands_ = 0;
  std::optional<double> ms_, off_before_, off_after_;
  Vec seen_pose_;
  Json live_;  // numbers of the selected template while a hand shapes it
  Lane lane_;  // last: its thread ends first
};

}  // namespace rigspace::studio
