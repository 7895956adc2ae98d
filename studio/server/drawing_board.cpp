#include "drawing_board.h"

#include "units.h"

#include "rigspace/apps/sketch/pose_by_sketch.h"

#include <algorithm>
#include <cmath>

namespace rigspace::studio {
namespace {

Vec added(const Character& character, const std::map<std::string, double>& moved) {
  const std::span<const Control> controls = character.rig->controls();
  Vec sum = Vec::Zero(std::ssize(controls));
  for (const auto& [name, value] : moved)
    if (const int c = find_control(controls, name); c >= 0)
      sum[c] = value / shown_units(controls[static_cast<std::size_t>(c)]);
  return sum;
}

std::map<std::string, double> moved_from(const Character& character, const Vec& plain, const Vec& p) {
  const std::span<const Control> controls = character.rig->controls();
  std::map<std::string, double> moved;
  for (Eigen::Index c = 0; c < p.size(); ++c)
    if (const Control& control = controls[static_cast<std::size_t>(c)]; p[c] != plain[c])
      moved[control.name] = (p[c] - plain[c]) * shown_units(control);
  return moved;
}

}  // namespace

void DrawingBoard::stand_still() {
  Playback& playback = studio_.playback();
  if (!playback.state().playing && !playback.state().muted) return;
  playback.set_playing(false), playback.set_muted(false);
  studio_.touch("play");
}

DrawingBoard::Poses DrawingBoard::poses() {
  Playback& playback = studio_.playback();
  playback.refresh();
  const Eigen::Index n = std::ssize(character().rig->controls());
  if (playback.state().clip.empty()) {
    std::map<std::string, double> dragged;
    for (const Track& track : fix_of(ClipEdits{.dragged = studio_.project().dragged_of("")}).tracks)
      dragged[track.control] = track.curve(playback.state().time);
    return {character().rig->rest() + added(character(), dragged), playback.artists_pose().head(n)};
  }
  const ClipEdits drawn{.drawn = studio_.project().drawing_of(playback.state().clip)};
  std::map<std::string, double> now;
  for (const Track& track : fix_of(drawn).tracks) now[track.control] = track.curve(playback.state().time);
  const Vec seen = playback.pose_before_preview().head(n);
  return {seen - added(character(), now), seen};
}

std::size_t DrawingBoard::key_at(const std::vector<DrawnKey>& keys, double time) const {
  std::size_t best = keys.size();
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (const double off = std::abs(keys[k].time - time);
        off <= kSameTime && (best == keys.size() || off < std::abs(keys[best].time - time)))
      best = k;
  return best;
}

const DrawnKey* DrawingBoard::present() const {
  const PlayState& state = studio_.playback().state();
  const std::vector<DrawnKey>& keys = studio_.project().drawing_of(state.clip);
  const std::size_t at = key_at(keys, state.time);
  return at < keys.size() ? &keys[at] : nullptr;
}

void DrawingBoard::fit_rest_length() {
  double length = rest_time_;
  if (const std::vector<DrawnKey>& keys = studio_.project().drawing_of(""); !keys.empty())
    length = std::max(length, keys.back().time);
  if (const std::vector<DraggedKey>& keys = studio_.project().dragged_of(""); !keys.empty())
    length = std::max(length, keys.back().time);
  studio_.playback().set_rest_length(length);
  studio_.touch("play");
}

void DrawingBoard::opened() {
  tasks_.clear(), previewed_.reset(), lines_.clear();
  ms_.reset(), residual_.reset(), problem_.clear();
  lane_.cancel();
  sketcher_ = std::make_shared<Sketcher>(studio_.playback().shared_character());
  fit_rest_length();
  abstractions_.clear();
  lane_.start(
      "Sketching",
      [this, sketcher = sketcher_](const ProgressCallback&) -> std::function<void()> {
        return [this, names = sketcher->abstractions()] {
          abstractions_ = names;
          if (abstraction_ != kDrawnAbstraction && std::find(names.begin(), names.end(), abstraction_) == names.end())
            abstraction_ = names.front();
          studio_.touch("sketch");
          next();
        };
      },
      [this](std::exception_ptr error) { fail(error); });
  look_due_ = camera_.has_value();
  studio_.touch("sketch"), studio_.touch("sketch_lines");
}

void DrawingBoard::edited(const Project& before) {
  if (!studio_.playback().is_open() || before.edits == studio_.project().edits) return;
  const std::string& clip = studio_.playback().state().clip;
  if (before.drawing_of(clip) == studio_.project().drawing_of(clip) &&
      before.dragged_of(clip) == studio_.project().dragged_of(clip))
    return;
  if (clip.empty()) fit_rest_length();
  studio_.playback().set_preview(std::nullopt);
  residual_.reset(), problem_.clear();
  look_due_ = camera_.has_value();
  studio_.touch("sketch");
  next();
}

void DrawingBoard::clip_changed() {
  tasks_.clear(), previewed_.reset();
  rest_time_ = 0;
  fit_rest_length();
  ms_.reset(), residual_.reset(), problem_.clear();
  look_due_ = camera_.has_value();
  studio_.touch("sketch");
  next();
}

/// Time may have been moved, and the pose may be another one: the clip was baked, a part has settled.
void DrawingBoard::tick() {
  const Playback& playback = studio_.playback();
  if (!playback.is_open() || playback.state().playing || playback.has_preview()) return;
  if (playback.state().time != seen_time_) {
    seen_time_ = playback.state().time;
    studio_.touch("sketch");
  }
  if (!camera_) return;
  const Vec& pose = playback.state().clip.empty() ? playback.artists_pose() : playback.pose();
  constexpr double kSame = 1e-9;  // radians or units
  if (looked_at_.size() <= pose.size() && looked_at_.size() > 0 &&
      (pose.head(looked_at_.size()) - looked_at_).cwiseAbs().maxCoeff() < kSame)
    return;
  look_due_ = true;
  next();
}

void DrawingBoard::enqueue(Task task) {
  if (!task.stroke.empty()) {
    over_.push_back(task.stroke);
    constexpr std::size_t kRemembered = 64;
    if (over_.size() > kRemembered) over_.pop_front();
  }
  constexpr std::size_t kMostWaiting = 100;
  if (tasks_.size() >= kMostWaiting)
    refuse("the drawing", "", "is solved more slowly than it is drawn", "wait a moment");
  tasks_.push_back(std::move(task));
  problem_.clear();
  studio_.touch("sketch");
  next();
}

/// One piece of work at a time: finished strokes, then the stroke that is being drawn, then the lines.
void DrawingBoard::next() {
  if (!sketcher_ || lane_.busy()) return;
  if (!tasks_.empty()) {
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    start(std::move(task));
  } else if (previewed_) {
    start_preview();
  } else if (look_due_ && camera_) {
    start_look();
  }
}

void DrawingBoard::start(Task task) {
  const PlayState& state = studio_.playback().state();
  if (state.clip != task.clip || std::abs(state.time - task.time) > kSameTime) return next();  // time has moved on
  const std::vector<DrawnKey> before = studio_.project().drawing_of(task.clip);
  std::vector<DrawnKey> keys = before;
  std::size_t at = key_at(keys, task.time);
  const Poses poses = this->poses();
  if (at == keys.size()) {
    at = static_cast<std::size_t>(
        std::count_if(keys.begin(), keys.end(), [&](const DrawnKey& key) { return key.time < task.time; }));
    DrawnKey fresh{.time = task.time};
    if (!task.clip.empty()) fresh.base = moved_from(character(), poses.plain, poses.seen);
    keys.insert(keys.begin() + static_cast<std::ptrdiff_t>(at), std::move(fresh));
  }
  lane_.start(
      "Sketching",
      [this, task, before, keys, at, poses,
       sketcher = sketcher_](const ProgressCallback& progress) mutable -> std::function<void()> {
        // Of a clip each key begins with the clip's pose; the keys of the rest pose each with the pose before it, as
        // `rigspace sketch pose` has it, so that those after a changed key are solved again.
        const auto start_of = [&](std::size_t k) {
          if (!task.clip.empty()) return Vec(poses.plain + added(sketcher->character(), keys[k].base));
          return k == 0 ? poses.plain : Vec(poses.plain + added(sketcher->character(), keys[k - 1].moved));
        };
        const std::string what = task.act(*sketcher, keys[at], start_of(at), poses.seen, progress);
        SketchSolve solved;
        for (std::size_t k = at; k < (task.clip.empty() ? keys.size() : at + 1); ++k) {
          SketchSolve own = sketcher->solve(keys[k].strokes, start_of(k), progress);
          keys[k].moved = moved_from(sketcher->character(), poses.plain, own.p);
          if (k == at) solved = std::move(own);
        }
        return [this, task, before, keys, what, solved] { take_over(task, before, keys, what, solved); };
      },
      [this](std::exception_ptr error) { fail(error); });
}

void DrawingBoard::take_over(const Task& task, const std::vector<DrawnKey>& before, std::vector<DrawnKey> keys,
                             const std::string& what, const SketchSolve& solved) {
  if (studio_.project().drawing_of(task.clip) != before) {  // undone meanwhile, or changed by another page
    tasks_.push_front(task);
    return next();
  }
  studio_.playback().set_preview(std::nullopt);
  studio_.edit(what, "", [&](Project& project) { project.set_drawing(task.clip, std::move(keys)); });
  if (solved.ms > 0) ms_ = solved.ms, residual_ = solved.residual;
  studio_.touch("sketch");
  next();
}

void DrawingBoard::start_preview() {
  const DrawnStroke stroke = *std::exchange(previewed_, std::nullopt);
  const DrawnKey* const now = present();
  const Poses poses = this->poses();
  lane_.start(
      "Sketching",
      [this, stroke, seen = poses.seen, strokes = now ? now->strokes : std::vector<DrawnStroke>(),
       sketcher = sketcher_](const ProgressCallback& progress) -> std::function<void()> {
        SketchSolve solved = sketcher->preview(strokes, stroke, seen, progress);
        std::vector<SpaceCurve> curves = sketcher->curves(stroke.abstraction, stroke.camera, solved.p);
        return [this, stroke, seen, solved = std::move(solved), curves = std::move(curves)] {
          if (std::find(over_.begin(), over_.end(), stroke.name) != over_.end()) return next();
          studio_.playback().set_preview(solved.p - seen);
          ms_ = solved.ms;
          show_lines(curves);
          studio_.touch("sketch");
          next();
        };
      },
      [this](std::exception_ptr) { next(); });  // half a stroke may be none yet
}

void DrawingBoard::start_look() {
  look_due_ = false;
  looked_at_ = poses().seen;
  lane_.start(
      "Sketching",
      [this, abstraction = abstraction_, camera = *camera_, seen = looked_at_,
       sketcher = sketcher_](const ProgressCallback&) -> std::function<void()> {
        return [this, curves = sketcher->curves(abstraction, camera, seen)] {
          show_lines(curves);
          next();
        };
      },
      [this](std::exception_ptr) {
        show_lines({});
        next();
      });
}

void DrawingBoard::show_lines(std::vector<SpaceCurve> curves) {
  lines_ = std::move(curves);
  studio_.touch("sketch_lines"), studio_.touch("sketch");
}

/// The stroke is not taken, and the sentence says why.
void DrawingBoard::fail(std::exception_ptr error) {
  studio_.playback().set_preview(std::nullopt);
  try {
    std::rethrow_exception(error);
  } catch (const Cancelled&) {
  } catch (const std::exception& failed) {
    problem_ = failed.what();
  }
  look_due_ = camera_.has_value();
  studio_.touch("sketch");
  next();
}

}  // namespace rigspace::studio
