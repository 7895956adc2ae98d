#pragma once
// Private to physics: `--set` and `--hit` for some clips, or for a stretch of them: `tail.amount=0.6@Walk`,
// `tail.amount=0.2@Run@10:20`. What is behind the value cannot be mistaken for a part: no value has an @.

#include "part_values.h"
#include "simulation_run.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// An option `PART.CONTROL=VALUE@CLIP@RANGE`, taken apart.
struct ScopedOption {
  std::string text;        ///< PART.CONTROL=VALUE
  std::string clip = {};   ///< a name or a pattern; empty: all clips
  std::string range = {};  ///< FROM:TO, see parse_range; empty: the whole clip

  bool is_scoped() const { return !clip.empty() || !range.empty(); }
};
/// The range is what is behind the last @, if it is one; the clip may have any character in it. Throws Error if nothing
/// is behind an @.
ScopedOption scoped_option(const std::string& option, const std::string& given);

/// Those of the texts that are for all clips, or the others.
std::vector<std::string> for_all_clips(const std::vector<std::string>& given);
bool has_scoped(const std::vector<std::string>& given);

/// A stretch of a clip, s.
struct Stretch {
  double from = 0, to = 0;
};
/// `1035:1050` in frames, `0.5s:1.2s` in seconds. `option` stands in messages.
Stretch parse_range(const std::string& range, double frame_rate, const std::string& option);

/// Adds `given` to `values`, replacing earlier values of the same part and control.
void merge_values(std::vector<RecipeValue>& values, const std::vector<RecipeValue>& given);

/// The clips that a text means, by the name of the artist's or of the simulated clip; `file` and `where` as in
/// clips_meant.
std::vector<int> tasks_meant(const std::vector<ClipTask>& tasks, const std::string& text, const std::string& file,
                             const char* where);

/// Values for a stretch of clips.
struct RangeValues {
  std::string range, option;   ///< see parse_range
  const Character& character;  ///< whose clips say how long they last
  std::function<std::vector<RecipeValue>(const RecipeClip&)> values;
};
/// Adds an edit to each chosen clip that the range meets, cut to the clip. Throws Error if it meets none.
void add_edits(std::vector<ClipTask>& tasks, const std::vector<bool>& chosen, const RangeValues& given);

/// The options of a request that are for some clips.
struct ClipValues {
  const std::vector<std::string>&sets, &hits;
  std::span<const Part> parts;
  const Character& character;  ///< whose clips say how long they last
  std::string file;            ///< in messages
  const char* where = "file";  ///< see clips_meant
};
/// Puts these values on the clips: into RecipeClip::set, or for a range into one more RecipeEdit. Returns flags of the
/// clips whose whole motion they change. Throws Error.
std::vector<bool> set_in_clips(std::vector<ClipTask>& tasks, const ClipValues& values);

}  // namespace rigspace
