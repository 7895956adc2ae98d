#include "effector_board.h"

#include "units.h"

#include <algorithm>
#include <cmath>

namespace rigspace::studio {
namespace {

using Clock = std::chrono::steady_clock;

/// The place of the key at this time; the size of `keys` without one.
std::size_t dragged_at(const std::vector<DraggedKey>& keys, double time) {
  const auto at =
      std::ranges::find_if(keys, [&](const DraggedKey& key) { return std::abs(key.time - time) <= kSameTime; });
  return static_cast<std::size_t>(at - keys.begin());
}

}  // namespace

const DraggedKey* EffectorBoard::present() const {
  const PlayState& state = studio_.playback().state();
  const std::vector<DraggedKey>& keys = studio_.project().dragged_of(state.clip);
  const std::size_t at = dragged_at(keys, state.time);
  return at < keys.size() ? &keys[at] : nullptr;
}

Json EffectorBoard::slice() const {
  Json list = Json::array(), times = Json::array();
  for (std::size_t k = 0; k < effectors_.size(); ++k)
    list.push_back({{"name", effectors_[k].name}, {"joint", effectors_[k].joint}, {"pinned", bool(pinned_[k])}});
  const bool open = studio_.playback().is_open();
  if (open)
    for (const DraggedKey& key : studio_.project().dragged_of(studio_.playback().state().clip))
      times.push_back(key.time);
  const DraggedKey* const now = open ? present() : nullptr;
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  return {{"state", state_},
          {"effectors", std::move(list)},
          {"model", model_},
          {"remark", remark_},
          {"dragged", drag_ ? Json(drag_->effector) : Json()},
          {"keys", std::move(times)},
          {"time", now ? Json(now->time) : Json()},
          {"rate", number(rate_)},
          {"ms", number(ms_)},
          {"residual", number(residual_)},
          {"problem", problem_}};
}

void EffectorBoard::opened() {
  drop();
  lane_.cancel();
  body_.reset(), effectors_.clear(), pinned_.clear();
  state_ = "none", model_.clear(), remark_.clear(), problem_.clear();
  rate_.reset(), ms_.reset(), residual_.reset();
  studio_.touch("effectors");
}

void EffectorBoard::clip_changed() {
  drop();
  studio_.touch("effectors");
}

void EffectorBoard::edited(const Project& before) {
  if (before.edits == studio_.project().edits || !studio_.playback().is_open()) return;
  drop();
  studio_.touch("effectors");
}

/// Whether there is a key here depends on the time.
void EffectorBoard::tick() {
  const Playback& playback = studio_.playback();
  if (!playback.is_open() || playback.state().playing || playback.state().time == seen_time_) return;
  seen_time_ = playback.state().time;
  studio_.touch("effectors");
}

void EffectorBoard::prepare() {
  if (!studio_.playback().is_open()) refuse("the studio", "", "has no character", "open a file first");
  if (state_ != "none") return;
  state_ = "preparing";
  studio_.touch("effectors");
  lane_.start(
      "Preparing effectors",
      [this, live = studio_.playback().shared_character(),
       file = studio_.project().file](const ProgressCallback& progress) -> std::function<void()> {
        const auto made = std::make_shared<FullBody>(live, file, progress);
        return [this, made] {
          body_ = made, state_ = "ready";
          effectors_ = made->effectors(), model_ = made->model_words(), remark_ = made->remark();
          pinned_.assign(effectors_.size(), true);
          studio_.touch("effectors");
        };
      },
      [this](std::exception_ptr error) {
        state_ = "failed";
        fail(error);
      });
}

/// The pose that is seen is where the drag begins, and where pinned effectors stay.
void EffectorBoard::begin(int effector) {
  Playback& playback = studio_.playback();
  if (playback.state().playing || playback.state().muted) {
    playback.set_playing(false), playback.set_muted(false);
    studio_.touch("play");
  }
  playback.refresh();
  const Eigen::Index n = std::ssize(playback.character().artists().rig->controls());
  const Vec& pose = playback.state().clip.empty() ? playback.artists_pose() : playback.pose_before_preview();
  drag_ =
      Drag{.effector = effector, .clip = playback.state().clip, .time = playback.state().time, .seen = pose.head(n)};
  solved_.clear();
  problem_.clear();
}

/// One solve at a time, for the newest target.
void EffectorBoard::next() {
  if (!drag_ || lane_.busy()) return;
  if (!drag_->due) {
    if (drag_->over) keep();
    return;
  }
  drag_->due = false;
  const bool first = !std::exchange(drag_->begun, true);
  lane_.start(
      "Following an effector",
      [this, body = body_, first, pinned = pinned_, seen = first ? drag_->seen : Vec(), effector = drag_->effector,
       target = drag_->target](const ProgressCallback&) -> std::function<void()> {
        if (first) body->begin(seen, pinned);
        return [this, solved = body->drag(effector, target)] { take(solved); };
      },
      [this](std::exception_ptr error) {
        drop();
        fail(error);
      });
}

void EffectorBoard::take(const FullBody::Solve& solved) {
  if (!drag_) return;  // let go of meanwhile, or the time has moved on
  const PlayState& state = studio_.playback().state();
  if (state.clip != drag_->clip || std::abs(state.time - drag_->time) > kSameTime) return drop();
  constexpr auto kWindow = std::chrono::seconds(1);
  solved_.push_back(Clock::now());
  while (solved_.back() - solved_.front() > kWindow) solved_.pop_front();
  if (const std::chrono::duration<double> span = solved_.back() - solved_.front(); solved_.size() > 2)
    rate_ = static_cast<double>(solved_.size() - 1) / span.count();
  ms_ = solved.ms, residual_ = solved.residual;
  drag_->added = solved.added;
  studio_.playback().set_preview(solved.added);
  studio_.touch("effectors");
  next();
}

/// What the drag added, with what the keys of effectors had at this time, is the key of this time from now on.
void EffectorBoard::keep() {
  const Drag done = *std::exchange(drag_, std::nullopt);
  std::vector<DraggedKey> keys = studio_.project().dragged_of(done.clip);
  std::map<std::string, double> moved;
  for (const Track& track : fix_of(ClipEdits{.dragged = keys}).tracks) moved[track.control] = track.curve(done.time);
  const std::span<const Control> controls = studio_.playback().character().artists().rig->controls();
  constexpr double kLeast = 1e-9;  // degrees or units
  for (Eigen::Index c = 0; c < done.added.size(); ++c) {
    const Control& control = controls[static_cast<std::size_t>(c)];
    if (const double more = done.added[c] * shown_units(control); std::abs(more) > kLeast) moved[control.name] += more;
  }
  const std::size_t at = dragged_at(keys, done.time);
  if (at < keys.size())
    keys[at].moved = std::move(moved);
  else
    keys.insert(std::ranges::find_if(keys, [&](const DraggedKey& key) { return key.time > done.time; }),
                {done.time, std::move(moved)});
  studio_.playback().set_preview(std::nullopt);
  studio_.edit("drag the " + effectors_[static_cast<std::size_t>(done.effector)].name, "",
               [&](Project& project) { project.set_dragged(done.clip, std::move(keys)); });
  studio_.touch("effectors");
}

void EffectorBoard::drop() {
  if (!drag_) return;
  drag_.reset();
  if (studio_.playback().is_open()) studio_.playback().set_preview(std::nullopt);
}

void EffectorBoard::fail(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const Cancelled&) {
    if (state_ == "failed") state_ = "none";
  } catch (const std::exception& failed) {
    problem_ = failed.what();
  }
  studio_.touch("effectors");
}

}  // namespace rigspace::studio
