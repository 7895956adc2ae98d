// Full-body IK: hands, feet, hips, chest and head are dragged, and the whole rig follows (docs/inverse.md). Solved on a
// thread of its own. What a drag leaves lies in the project as corrections of the clip at the time of the drag.

#include "../effector_board.h"

namespace rigspace::studio {

void EffectorBoard::require_ready() const {
  if (!studio_.playback().is_open()) refuse("the studio", "", "has no character", "open a file first");
  if (state_ != "ready")
    refuse("the effectors", "", state_ == "failed" ? problem_ : std::string("are not prepared yet"),
           "send effectors.prepare, and wait until they are ready");
}

int EffectorBoard::effector_of(const Arguments& given) const {
  require_ready();
  return given.integer("effector", 0, static_cast<int>(effectors_.size()) - 1);
}

void EffectorBoard::aim(const Arguments& given) {
  const int effector = effector_of(given);
  constexpr double kFarthest = 1e6;  // scene units
  const std::vector<double> target = given.numbers("target", 3);
  if (target.size() != 3 || !(std::abs(target[0]) + std::abs(target[1]) + std::abs(target[2]) < kFarthest))
    refuse("argument \"target\"", "", "is no place in the scene", "expected [x, y, z]");
  if (drag_ && drag_->over) return;  // what the last drag left is not solved yet
  if (!drag_ || drag_->effector != effector) begin(effector);
  drag_->target = {target[0], target[1], target[2]}, drag_->due = true;
}

void EffectorBoard::drag(const Arguments& given) {
  aim(given);
  next();
}

/// With the last place of the hand: pages send only the newest of messages that follow each other quickly.
void EffectorBoard::end(const Arguments& given) {
  const bool keep = given.flag("keep");
  if (keep) aim(given), drag_->over = true;
  if (!keep) require_ready(), drop();
  studio_.touch("effectors");
  next();
}

void EffectorBoard::pin(const Arguments& given) {
  pinned_[static_cast<std::size_t>(effector_of(given))] = given.flag("pinned");
  studio_.touch("effectors");
}

void EffectorBoard::clear(const Arguments& given) {
  require_ready();
  drop();
  const PlayState& state = studio_.playback().state();
  const bool all = given.has("all") && given.flag("all");
  studio_.edit(all ? "clear the dragged poses" : "clear the dragged pose", "", [&](Project& project) {
    std::vector<DraggedKey> keys = project.dragged_of(state.clip);
    std::erase_if(keys, [&](const DraggedKey& key) { return all || std::abs(key.time - state.time) <= kSameTime; });
    project.set_dragged(state.clip, std::move(keys));
  });
}

void add_effectors_panel(Studio& studio) {
  const auto board = std::make_shared<EffectorBoard>(studio);
  studio.add_slice("effectors", [board] { return board->slice(); });
  const auto add = [&](const char* name, void (EffectorBoard::*act)(const Arguments&)) {
    studio.add_command(name, [board, act](const Arguments& given) {
      ((*board).*act)(given);
      return Json::object();
    });
  };
  add("effectors.drag", &EffectorBoard::drag);
  add("effectors.end", &EffectorBoard::end);
  add("effectors.pin", &EffectorBoard::pin);
  add("effectors.clear", &EffectorBoard::clear);
  studio.add_command("effectors.prepare", [board](const Arguments&) { return board->prepare(), Json::object(); });
  studio.on_edit([board](const Project& before) { board->edited(before); });
  studio.on_open([board] { board->opened(); });
  studio.on_clip([board] { board->clip_changed(); });
  studio.add_tick([board] { board->tick(); });
}

}  // namespace rigspace::studio
