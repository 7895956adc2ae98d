#include "playback.h"

#include "message.h"

#include <chrono>
#include <cmath>
#include <cstring>

namespace rigspace::studio {

void Playback::open(std::shared_ptr<const LiveCharacter> character, std::uint32_t revision) {
  character_ = std::move(character), revision_ = revision;
  const Character& rigged = character_->character();
  map_ = std::make_unique<PoseMap>(rigged.rig->controls());
  model_ = character_->model();
  points_.reset();
  if (character_->on_controls())
    points_ = std::make_unique<DrawnPoints>(
        rigged, model_ ? std::vector<int>(model_->free().begin(), model_->free().end()) : std::vector<int>());
  cells_ = std::make_unique<BodyCells>(rigged, character_->made());
  rig_ = model_ ? std::make_unique<RealtimeRig>(model_) : nullptr;
  deviation_ = Vec::Zero(rig_ ? std::ssize(model_->free()) : 0);
  held_.clear(), shown_pose_.reset(), preview_.reset(), shape_.reset();
  set_corrections(1, {});
  set_baked("", nullptr);
  const std::string clip = rigged.clip(state_.clip) != nullptr ? state_.clip : "";
  const double time = state_.time;
  const bool playing = state_.playing;
  set_clip(clip);
  if (!clip.empty()) seek(time), set_playing(playing);
}

const std::vector<std::string>& Playback::morphs() const {
  static const std::vector<std::string> kNone;
  return points_ ? kNone : map_->morphs();
}

void Playback::change_model(std::shared_ptr<const RealtimeModel> model) {
  model_ = std::move(model);
  if (rig_) rig_->change_model(model_);
  dirty_ = true;
}

void Playback::set_clip(const std::string& clip) {
  const Character& rigged = character_->character();
  const Animation* animation = clip.empty() ? nullptr : rigged.clip(clip);
  if (!clip.empty() && animation == nullptr)
    refuse("clip \"" + clip + "\"", clip, "is not in the file", "choose one of its clips");
  state_.clip = clip, state_.time = 0;
  motion_ = std::make_unique<KeyedMotion>(rigged, animation);
  motion_->set_cyclic(motion_->loops());
  if (animation == nullptr) state_.playing = false;
  restart();
}

double Playback::duration() const {
  if (!motion_) return 0;
  return state_.clip.empty() ? rest_length_ : motion_->duration();
}

/// The solver begins anew at the present time.
void Playback::restart() {
  turns_ = 0, fresh_ = true, hands_on_ = false, dirty_ = true;
  deviation_.setZero(), preview_.reset();
  show_moment();
}

void Playback::seek(double time) {
  state_.time = std::clamp(time, 0.0, duration());
  restart();
}

void Playback::set_playing(bool playing) {
  if (duration() <= 0) playing = false;
  if (playing && !state_.playing && !state_.loop && !motion_->cyclic() && state_.time >= duration()) seek(0);
  state_.playing = playing, dirty_ = true;
}

void Playback::set_live(bool live) {
  state_.live = live;
  restart();
}

void Playback::hold(int control, std::optional<double> value) {
  if (value)
    held_[control] = *value;
  else
    held_.erase(control);
  hands_on_ = true, still_ = 0, dirty_ = true;
}

void Playback::let_go() {
  held_.clear();
  hands_on_ = true, still_ = 0, dirty_ = true;
}

void Playback::show_pose(std::optional<Vec> pose) {
  shown_pose_ = std::move(pose);
  hands_on_ = true, still_ = 0, dirty_ = true;
}

void Playback::set_baked(std::string clip, std::shared_ptr<const Animation> baked) {
  baked_clip_ = std::move(clip), baked_ = std::move(baked);
  baked_sampler_ = baked_ ? std::make_unique<Sampler>(*baked_, character_->character().rig->controls()) : nullptr;
  dirty_ = true;
}

bool Playback::has_baked() const { return baked_sampler_ && baked_clip_ == state_.clip; }

bool Playback::solving() const { return rig_ && state_.live && !state_.muted && (state_.playing || hands_on_); }

/// The artist's pose at a time of the first turn, with what is held.
void Playback::key_pose(double time, Vec& p) const {
  motion_->controls(std::min(time, motion_->duration() * (1 - 1e-12)), p);
  if (state_.clip.empty()) add_corrections(p);
  if (shown_pose_) p = *shown_pose_;
  for (const auto& [control, value] : held_) p[control] = value;
}

/// The pose at the present time, without a step of the solver.
void Playback::show_moment() {
  key_pose(state_.time, p_key_);
  p_ = p_key_;
  baked_shown_ = false;
  if (state_.muted) return;
  if (!model_) {
    if (!state_.clip.empty()) add_corrections(p_);
    add_preview();
    return;
  }
  if (has_baked() && held_.empty() && !shown_pose_) {
    baked_sampler_->sample(std::min(state_.time, baked_->duration), p_);
    baked_shown_ = true;
  } else {
    add_layer();
  }
  add_preview();
}

void Playback::refresh() {
  if (!solving()) return show_moment();
  key_pose(state_.time, p_key_);
  p_ = p_key_;
  add_layer(), add_preview();
}

void Playback::set_preview(std::optional<Vec> added) {
  if (!preview_) p_unpreviewed_ = p_;
  preview_ = std::move(added);
  dirty_ = true;
}

void Playback::add_preview() {
  if (!preview_) return;
  p_unpreviewed_ = p_;
  p_.head(preview_->size()) += *preview_;
}

/// Adds the solved deviation and the corrections to the artist's pose.
void Playback::add_layer() {
  const std::span<const int> free = model_->free();
  for (std::size_t k = 0; k < free.size(); ++k) p_[free[k]] += influence_ * deviation_[static_cast<Eigen::Index>(k)];
  if (!state_.clip.empty()) add_corrections(p_);
}

void Playback::add_corrections(Vec& p) const {
  for (const auto& [control, curve] : corrections_) p[control] += curve(state_.time);
}

void Playback::set_corrections(double influence, std::vector<std::pair<int, Curve>> curves) {
  influence_ = influence, corrections_ = std::move(curves);
  dirty_ = true;
}

/// One frame of the solver along the continued motion, in which a walk travels on; the page shows it where the clip is.
void Playback::solve(double dt) {
  const auto begin = std::chrono::steady_clock::now();
  motion_->controls(turns_ + state_.time, p_solver_);
  if (state_.clip.empty()) add_corrections(p_solver_);
  if (shown_pose_) p_solver_ = *shown_pose_;
  for (const auto& [control, value] : held_) p_solver_[control] = value;
  const std::span<const double> pose(p_solver_.data(), static_cast<std::size_t>(p_solver_.size()));
  if (fresh_) {
    fresh_ = false;
    rig_->reset(pose);
  } else {
    rig_->set_keyed(pose);
    rig_->step(dt);
  }
  double change = 0;
  const std::span<const double> now = rig_->deviation();
  for (std::size_t k = 0; k < now.size(); ++k) {
    double& known = deviation_[static_cast<Eigen::Index>(k)];
    change = std::max(change, std::abs(now[k] - known));
    known = now[k];
  }
  constexpr double kStill = 1e-5;  // radians or units a frame: not visible
  still_ = change < kStill ? still_ + dt : 0;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  solve_ms_ = took.count();
}

bool Playback::advance(double dt) {
  if (!is_open()) return false;
  const double passed = dt * state_.speed;
  bool began_again = false;
  if (state_.playing) {
    state_.time += passed;
    const double length = duration();
    if (length > 0 && state_.time >= length) {
      if (motion_->cyclic()) {
        const double whole = std::floor(state_.time / length) * length;
        state_.time -= whole, turns_ += whole;
      } else if (state_.loop) {
        state_.time = std::fmod(state_.time, length), began_again = true;
      } else {
        state_.time = length, state_.playing = false;
      }
    }
    dirty_ = true;
  }
  if (began_again) turns_ = 0, fresh_ = true, deviation_.setZero();
  constexpr double kLongTurns = 3600;  // s: of continued motion, after which the solver's numbers begin anew
  if (turns_ > kLongTurns && !state_.playing) turns_ = 0, fresh_ = true;
  if (solving()) {
    solve(state_.playing ? passed : dt);
    key_pose(state_.time, p_key_);
    p_ = p_key_;
    add_layer();
    add_preview();
    baked_shown_ = false;
    constexpr double kSettled = 0.5;  // s
    dirty_ = false;
    if (!state_.playing && still_ > kSettled && held_.empty() && !shown_pose_)
      hands_on_ = false, dirty_ = true;  // the baked pose is next
    return true;
  }
  if (!dirty_) return false;
  show_moment();
  dirty_ = false;
  return true;
}

void Playback::append_nodes(In p, std::vector<float>& numbers) {
  if (points_)
    points_->append_bones(p, numbers);
  else
    map_->append(p, numbers);
}

std::vector<float> Playback::numbers_at(double time) {
  Vec p;
  motion_->controls(std::clamp(time, 0.0, duration()), p);
  if (!state_.muted && has_baked()) baked_sampler_->sample(std::min(time, baked_->duration), p);
  std::vector<float> numbers;
  append_nodes(p, numbers);
  if (points_) points_->append(p, numbers);
  return numbers;
}

/// The number of nodes of the cells, and their places.
void Playback::append_cells(std::vector<std::byte>& bytes) {
  cells_->place(p_, x_cells_);
  const std::size_t from = bytes.size();
  bytes.resize(from + 4 + 4 * static_cast<std::size_t>(x_cells_.size()));
  const auto count = static_cast<std::uint32_t>(cells_->node_count());
  std::memcpy(bytes.data() + from, &count, 4);
  for (Eigen::Index i = 0; i < x_cells_.size(); ++i) {
    const auto number = static_cast<float>(x_cells_[i]);
    std::memcpy(bytes.data() + from + 4 + 4 * i, &number, 4);
  }
}

std::shared_ptr<const std::vector<std::byte>> Playback::frame(std::uint32_t change) {
  constexpr std::uint32_t kSolved = 1, kBefore = 2, kOutside = 4, kBaked = 8, kPoints = 16, kCells = 32;
  std::vector<float> numbers;
  append_nodes(p_, numbers);
  append_nodes(p_key_, numbers);
  const std::uint32_t flags = kBefore | (solving() ? kSolved : 0) | (outside_training() ? kOutside : 0) |
                              (baked_shown_ ? kBaked : 0) | (points_ ? kPoints : 0) | (state_.cells ? kCells : 0);
  const auto bytes = std::make_shared<std::vector<std::byte>>(40 + 4 * numbers.size());
  std::byte* at = bytes->data();
  const auto put = [&at](const auto& value) { std::memcpy(at, &value, sizeof value), at += sizeof value; };
  put(std::uint32_t{1}), put(revision_), put(++number_), put(change);
  put(state_.time), put(static_cast<float>(solve_ms_)), put(flags);
  put(static_cast<std::uint32_t>(nodes().size())), put(static_cast<std::uint32_t>(morphs().size()));
  if (!numbers.empty()) std::memcpy(at, numbers.data(), 4 * numbers.size());
  const Vec* shown = shape_ && shape_->size() == 3 * character_->character().rig->point_count() ? &*shape_ : nullptr;
  if (points_) points_->append_block(p_key_, p_, shown, *bytes);
  if (state_.cells) append_cells(*bytes);
  return bytes;
}

}  // namespace rigspace::studio
