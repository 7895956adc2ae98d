#pragma once
// Private to physics: who is simulated, and what differs between kinds: a glTF, a rig file whose own controls move, a
// .blend, a rig in another process.

#include "rigspace/anim/key_fitting.h"
#include "rigspace/apps/physics/simulate.h"
#include "rigspace/base/error.h"
#include "rigspace/io/gltf.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

class Subject {
 public:
  virtual ~Subject() = default;

  /// What messages call it: the file, or the command.
  virtual const std::string& name() const = 0;
  /// As it was loaded, without what an earlier run of the same result added to it; its clips are the keyed motion.
  virtual const Character& character() const = 0;
  /// The input for a recipe in that place.
  virtual RecipeInput describe(const std::filesystem::path& recipe) const = 0;
  /// Parts that show themselves, by names and loose ends.
  virtual std::vector<Part> found_parts() const = 0;
  [[noreturn]] virtual void refuse_without_parts() const = 0;
  /// `pattern=preset`. Throws Error if nothing matches.
  virtual std::vector<Part> named_parts(const std::string& text) const = 0;

  /// Between loading and simulating: the one place where the character may become another than the input's, parts get
  /// their solids, and the recipe's parts and the notes say so. Throws Error if no part is left.
  virtual void prepare(Recipe& recipe, std::vector<std::string>& notes, const ProgressCallback& progress) = 0;
  /// What it took from earlier runs, one sentence each: for people, and nothing that the result depends on.
  virtual std::vector<std::string> from_earlier_runs() const { return {}; }
  /// After that: what is simulated.
  virtual const Character& simulated() const = 0;
  virtual std::span<const Part> parts() const = 0;

  /// Everything but the recipe, from the recipe alone; what there is to say is added to the notes.
  virtual void write(const Recipe& recipe, const RunFiles& out, std::vector<std::string>& notes,
                     const ProgressCallback& progress) = 0;
  /// What to do with the files, one line each.
  virtual std::string files_in_words(const RunFiles& out) const = 0;
  /// What went wrong on the way and was survived: processes that had to be started again.
  virtual std::vector<std::string> incidents() const { return {}; }
};

/// Does what may complain about a character, which the library knows by its name alone: the complaint names the file.
template <class Action>
auto about_file(const std::string& file, const Character& character, Action action) {
  try {
    return action();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled || error.info().file != character.name) throw;
    throw error.in_file(file);
  }
}

/// Few cubic keys that artists can edit, in place of one a frame. What became of the keys is added to the notes.
void fit_cubic_keys(Animation& clip, const Rig& rig, const KeyFittingOptions& options, std::vector<std::string>& notes);
/// The rest pose of all that a clip moves, as one key: what an additive clip is the difference from.
Animation reference_of(const Animation& additive, const Rig& rig);

/// A subject, and where its result goes.
struct Opened {
  std::unique_ptr<Subject> subject;
  RunFiles out;
};

/// Loads it, once it is known that the result can be written. An empty output: beside the input, x.soft.glb or
/// x.soft.rigspace.json.
Opened open_subject(const SimulationSource& source, const std::filesystem::path& output, const JobEvents& events);

/// Of what is in memory, under this name; neither is to be described. Joints and skin, or a rig whose own controls
/// move; `on`: an earlier result, or none.
std::unique_ptr<Subject> subject_of(std::string name, GltfFile file, std::string on);
std::unique_ptr<Subject> subject_of(std::string name, Character character, const std::string& on);

/// The same of one kind.
Opened open_gltf(const SimulationSource& source, const std::filesystem::path& output, const JobEvents& events);
Opened open_rig(const SimulationSource& source, Character character, const std::filesystem::path& output);
Opened open_blend(const SimulationSource& source, const std::filesystem::path& output, const JobEvents& events);
Opened open_process(const SimulationSource& source, const std::filesystem::path& output, const JobEvents& events);

/// Parts of all runs that led to a model, by the recipes beside them, the names of their joints. Throws Error if there
/// is no recipe.
std::vector<RecipePart> earlier_parts(const std::filesystem::path& result);

}  // namespace rigspace
