#pragma once
// The clock and the poses of the studio: the artist's pose, and the same with soft parts, either solved live or baked.
//
// While a clip plays with `live` on, or while controls are held, the real-time solver advances with the clock. When it
// is paused the pose is the baked one, which is what `simulate` writes; until that is made, the last solved one.

#include "drawn_points.h"
#include "poses.h"
#include "rigspace/anim/keyed_motion.h"
#include "rigspace/apps/physics/body_cells.h"
#include "rigspace/apps/physics/live_character.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rigspace::studio {

struct PlayState {
  std::string clip;  ///< empty: the rest pose
  double time = 0;   ///< s of the clip
  double speed = 1;
  bool playing = false, live = true, muted = false;
  bool loop = true;    ///< clips that are no loops begin again at their end
  bool cells = false;  ///< frames hold the cells of the parts
};

class Playback {
 public:
  /// Shows another character, or the same with other parts: clip and time stay where there is such a clip.
  void open(std::shared_ptr<const LiveCharacter> character, std::uint32_t revision);
  /// The same parts with other settings: the motion goes on.
  void change_model(std::shared_ptr<const RealtimeModel> model);
  /// Solves until all is still, although nothing plays: for a change beside the clip.
  void wake() { hands_on_ = true, still_ = 0, dirty_ = true; }
  bool is_open() const { return character_ != nullptr; }
  const LiveCharacter& character() const { return *character_; }
  const std::shared_ptr<const LiveCharacter>& shared_character() const { return character_; }
  const RealtimeModel* model() const { return model_.get(); }
  /// The nodes of a frame, and its morphs.
  const std::vector<std::string>& nodes() const { return points_ ? points_->bones().names() : map_->nodes(); }
  const std::vector<std::string>& morphs() const;
  /// Of a rig whose own controls move: what is drawn of it; null for others.
  DrawnPoints* points() const { return points_.get(); }
  /// The cells of the parts' solids.
  const BodyCells& cells() const { return *cells_; }
  std::uint32_t revision() const { return revision_; }

  const PlayState& state() const { return state_; }
  /// Throws Error if there is no such clip.
  void set_clip(const std::string& clip);
  void seek(double time);
  void set_playing(bool playing);
  void set_live(bool live);
  void set_muted(bool muted) { state_.muted = muted, dirty_ = true; }
  void set_loop(bool loop) { state_.loop = loop; }
  void set_speed(double speed) { state_.speed = speed; }
  void set_cells(bool cells) { state_.cells = cells, dirty_ = true; }
  double duration() const;  ///< s: of a loop its period; without a clip that of the drawing
  /// How long the clip of a drawing in the rest pose is, s.
  void set_rest_length(double seconds) { rest_length_ = seconds; }

  /// Holds a control at a value in place of the clip's, or releases it.
  void hold(int control, std::optional<double> value);
  void let_go();
  const std::map<int, double>& held() const { return held_; }
  /// A whole pose from elsewhere (pulls) in place of the artist's; null: none. Referred to until changed.
  void show_pose(std::optional<Vec> pose);

  /// What `simulate` makes of a clip: complete, on the controls of the character. Null: not made, or out of date.
  void set_baked(std::string clip, std::shared_ptr<const Animation> baked);
  bool has_baked() const;

  /// Corrections on top of what is solved live: influence of the layer, and curves of controls in their own units.
  /// Without a clip they are the artist's motion, which soft parts follow.
  void set_corrections(double influence, std::vector<std::pair<int, Curve>> curves);

  /// What a stroke that is being drawn would add to the pose, on the controls of the artist's character; null: nothing.
  /// Forgotten when time, clip or character change.
  void set_preview(std::optional<Vec> added);
  bool has_preview() const { return preview_.has_value(); }
  /// The pose as it is shown without that preview.
  const Vec& pose_before_preview() const { return preview_ ? p_unpreviewed_ : p_; }

  /// All points of the rig as frames show them in place of the soft pose's, for a shape that is being made; null: none.
  /// Forgotten when another character is shown. Of rigs with `points` alone.
  void set_shape(std::optional<Vec> points) { shape_ = std::move(points), dirty_ = true; }

  /// Brings `pose` up to date after a change, without a step of the solver.
  void refresh();

  /// Advances by dt seconds of real time. Returns whether pages have something new to draw.
  bool advance(double dt);

  /// The pose as it was last advanced to, as a binary message (PROTOCOL.md).
  std::shared_ptr<const std::vector<std::byte>> frame(std::uint32_t change);
  /// Numbers of a frame at other times: the baked pose where there is one, else the artist's.
  std::vector<float> numbers_at(double time);
  const Vec& artists_pose() const { return p_key_; }
  const Vec& pose() const { return p_; }
  bool solving() const;
  double solve_ms() const { return solve_ms_; }
  long unconverged() const { return rig_ ? rig_->unconverged() : 0; }
  bool outside_training() const { return rig_ && rig_->outside_training(); }

 private:
  void restart();
  void show_moment();
  void solve(double dt);
  void key_pose(double time, Vec& p) const;
  void add_layer();
  void add_corrections(Vec& p) const;
  void add_preview();
  void append_nodes(In p, std::vector<float>& numbers);
  void append_cells(std::vector<std::byte>& bytes);

  std::shared_ptr<const LiveCharacter> character_;
  std::shared_ptr<const RealtimeModel> model_;
  std::unique_ptr<PoseMap> map_;
  std::unique_ptr<DrawnPoints> points_;
  std::unique_ptr<BodyCells> cells_;
  std::unique_ptr<KeyedMotion> motion_;
  std::unique_ptr<RealtimeRig> rig_;
  PlayState state_;
  std::uint32_t revision_ = 0, number_ = 0;
  double rest_length_ = 0;
  double turns_ = 0;  // s: length of the whole turns of a loop that were played
  std::map<int, double> held_;
  std::optional<Vec> shown_pose_;
  std::string baked_clip_;
  std::shared_ptr<const Animation> baked_;
  std::unique_ptr<Sampler> baked_sampler_;
  double influence_ = 1;
  std::vector<std::pair<int, Curve>> corrections_;
  std::optional<Vec> preview_;
  Vec p_key_, p_, p_solver_, deviation_;
  Vec p_unpreviewed_;  // p_ before the preview was added
  std::optional<Vec> shape_;
  Vec x_cells_;  // scratch
  bool hands_on_ = false, dirty_ = true, fresh_ = true;
  double still_ = 0;  // s since the last change of the deviation while controls are held
  double solve_ms_ = 0;
  bool baked_shown_ = false;
};

}  // namespace rigspace::studio
