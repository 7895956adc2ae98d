#pragma once
// What the subcommands of `rigspace curves` share: their options, and a clip that is read, changed and written.

#include "command.h"

#include <span>
#include <string>
#include <vector>

namespace rigspace::tools {

struct CurvesArguments {
  std::string file, clip, curves, output, name;
  double fps = 0;
  double tolerance = 0.1;  // percent of the height
  bool quick = false, whole = false;
  double min_period = 0.5, blend = 0.25;  // s
  std::vector<std::string> layers;
  std::string rig, base;                      // of modes
  std::vector<std::string> controls, scales;  // of modes
  int count = 6;
};

/// The clip of that name, or the only one. `file` stands in messages. Throws Error.
const Animation& clip_to_edit(std::span<const Animation> clips, const std::string& file, const std::string& clip);

/// A character, the clip to work on, and where the result is written.
class CurvesJob {
 public:
  /// Checks the output, then reads the character and the clip. Refers to its arguments. Throws Error.
  CurvesJob(const Context& context, const CurvesArguments& options);

  const Character& character() const { return character_; }
  const Animation& clip() const { return clip_; }
  /// Another clip of the character or of the curves. Throws Error.
  Animation other(const std::string& name) const;

  bool is_gltf_output() const;  ///< .glb or .gltf, not a file of curves

  /// Writes the clip under a new name: beside all others in glTF, alone in a curve file.
  void write(Animation clip, const std::string& suffix);

  /// Prints the output, the clip and a sentence, or `answer` as JSON.
  void say(const std::string& sentence) const;

  nlohmann::ordered_json answer = nlohmann::ordered_json::object();

 private:
  const Context& context_;
  const CurvesArguments& options_;
  Character character_;
  Animation clip_;
  std::vector<Animation> others_;  // clips of the curve file
  std::string name_;               // of the clip that was written
};

}  // namespace rigspace::tools
