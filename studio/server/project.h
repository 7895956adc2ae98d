#pragma once
// The settings and edits of one character as one readable document, and the command that makes the same files.

#include "drawing.h"
#include "message.h"
#include "rigspace/apps/physics/clip_fix.h"
#include "rigspace/apps/physics/realtime_rig.h"
#include "rigspace/apps/physics/simulate.h"

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rigspace::studio {

/// A field of a part, for all clips or one; over time where there are several keys.
struct ProjectSet {
  std::string part, field;
  std::string clip = {};                             ///< empty: all clips
  std::vector<std::pair<double, double>> keys = {};  ///< s of the clip, and the value; one: a constant
  bool operator==(const ProjectSet&) const = default;
};

/// The user's edits of one clip; without a name, of the rest pose, which has a drawing and dragged
/// poses alone.
struct ClipEdits {
  bool mute = false;
  double influence = 1;
  KeysByControl controls = {};           ///< keys that hands changed
  KeysByControl modes = {};              ///< likewise, what sliders of modes add
  std::vector<DrawnKey> drawn = {};      ///< what strokes of the sketch panel add, by time
  std::vector<DraggedKey> dragged = {};  ///< what dragged effectors add, by time
  std::vector<double> factors = {};      ///< of these sliders; empty: all 1
  bool operator==(const ClipEdits&) const = default;
};

struct Project {
  std::string file;                     ///< the input
  bool found = true;                    ///< the parts are those that are found
  std::vector<std::string> parts = {};  ///< otherwise these, `pattern=preset`
  std::vector<ProjectSet> sets = {};
  std::vector<std::string> protect = {}, collide = {}, stiffness = {};
  double friction = 0.3;
  std::array<double, 3> gravity = {0, -9.81, 0};  ///< m/s^2
  std::string material = {};                      ///< empty: the default
  double unit = 0;                                ///< metres per unit of the file; 0: guessed
  std::map<std::string, ClipEdits> edits = {};    ///< by clip
  bool operator==(const Project&) const = default;

  const ProjectSet* set_of(std::string_view part, std::string_view field, std::string_view clip) const;
  bool edited() const;  ///< there are edits of clips: of curves, drawings, a muted layer or less influence
  const std::vector<DrawnKey>& drawing_of(const std::string& clip) const;
  void set_drawing(const std::string& clip, std::vector<DrawnKey> keys);
  const std::vector<DraggedKey>& dragged_of(const std::string& clip) const;
  void set_dragged(const std::string& clip, std::vector<DraggedKey> keys);
  void keep_poses_alone(const std::string& clip);  ///< takes all edits of the clip away but drawn and dragged poses
};

Json to_json(const Project& project);
/// Throws Error that names the field.
Project project_from(const Json& json);

/// Gravity and what parts run into, for real time. Throws Error for words that are no collider.
RealtimeWorld world_of(const Project& project);

/// The edits of a clip as corrections on top of the simulated layer; without those of hands, what modes, strokes and
/// effectors add.
ClipFix fix_of(const ClipEdits& edits);
ClipFix fix_without_hands(const ClipEdits& edits);
/// The edits of all clips as the file that `--fix` takes.
std::string fix_text(const Project& project);

/// The request that `rigspace simulate` makes for this project. `fix`: the file that holds fix_text, where it is
/// edited.
SimulationRequest request_of(const Project& project, const std::string& fix);
/// The command line of that request.
std::string command_of(const Project& project, const std::string& output, const std::string& fix);

}  // namespace rigspace::studio
