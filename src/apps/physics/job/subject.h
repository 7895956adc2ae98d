#pragma once
// Private to physics: the character of a run, and the steps that depend on its kind: a glTF, a rig file whose own
// controls move, a .blend, a rig in another process.

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

  /// The name in messages: the file, or the command.
  virtual const std::string& name() const = 0;
  /// The loaded character, without soft joints and clips of an earlier run to the same output. Its clips are the keyed
  /// motion.
  virtual const Character& character() const = 0;
  /// Path, size and hash of the input, for a recipe at this path.
  virtual RecipeInput describe(const std::filesystem::path& recipe) const = 0;
  /// Parts found automatically, by the names of joints or controls.
  virtual std::vector<Part> found_parts() const = 0;
  /// One sentence about the parts that were found, where the choice is not plain: gentle motion, or none and why. Empty
  /// otherwise.
  virtual std::string remark_on_parts() const { return ""; }
  /// Whether a run may end without a part that moves: its result is the input, and the remark gives the reason.
  virtual bool may_rest() const { return false; }
  [[noreturn]] virtual void refuse_without_parts() const = 0;
  /// `pattern=preset`. Throws Error if nothing matches.
  virtual std::vector<Part> named_parts(const std::string& text) const = 0;

  /// Called once between loading and simulating: adds soft joints to a copy of the character, makes the solids of
  /// parts, and updates recipe.parts and the notes accordingly. Throws Error if no part is left.
  virtual void prepare(Recipe& recipe, std::vector<std::string>& notes, const ProgressCallback& progress) = 0;
  /// What was read from the cache, one sentence each; for the user only, the result does not depend on it.
  virtual std::vector<std::string> from_earlier_runs() const { return {}; }
  /// After `prepare`: the character and the parts that are simulated.
  virtual const Character& simulated() const = 0;
  virtual std::span<const Part> parts() const = 0;
  /// After `prepare`: throws Error if the result has no place for a correction of this control. `file`: where the
  /// correction was read.
  virtual void require_correctable(const Control& control, const std::string& file) const {
    static_cast<void>(control), static_cast<void>(file);
  }

  /// After `prepare`: the document that a page draws, soft joints included, as GLB; of a rig that glTF cannot hold its
  /// rest_shell.
  virtual std::vector<std::byte> shown_glb() { return {}; }

  /// Writes all files except the recipe, from the curves of the recipe. Adds remarks to the notes.
  virtual void write(const Recipe& recipe, const RunFiles& out, std::vector<std::string>& notes,
                     const ProgressCallback& progress) = 0;
  /// One line for each file: what it is for.
  virtual std::string files_in_words(const RunFiles& out) const = 0;
  /// Faults that the run recovered from: rig processes that were started again.
  virtual std::vector<std::string> incidents() const { return {}; }
};

/// Calls action(). An Error that names the character, since the library does not have its path, is rethrown with the
/// name of the file.
template <class Action>
auto about_file(const std::string& file, const Character& character, Action action) {
  try {
    return action();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled || error.info().file != character.name) throw;
    throw error.in_file(file);
  }
}

/// Replaces one key a frame by few cubic keys that artists can edit. Adds the numbers of keys to the notes.
void fit_cubic_keys(Animation& clip, const Rig& rig, const KeyFittingOptions& options, std::vector<std::string>& notes);
/// A clip with one key: the rest pose of all controls that `additive` moves, to which its values are added.
Animation reference_of(const Animation& additive, const Rig& rig);

/// A subject, and the files of its result.
struct Opened {
  std::unique_ptr<Subject> subject;
  RunFiles out;
};

/// Checks that the output can be written, then loads the input. Empty output: beside the input, x.soft.glb or
/// x.soft.rigspace.json.
Opened open_subject(const SimulationSource& source, const std::filesystem::path& output, const JobEvents& events);

/// Subjects in memory, without a file; `describe` must not be called. The first is for joints and skin, the second for
/// a rig whose own controls move. `on`: see SimulationSource.
std::unique_ptr<Subject> subject_of(std::string name, GltfFile file, std::string on);
std::unique_ptr<Subject> subject_of(std::string name, Character character, const std::string& on);

/// open_subject for one kind of input.
Opened open_gltf(const SimulationSource& source, const std::filesystem::path& output, const JobEvents& events);
Opened open_rig(const SimulationSource& source, Character character, const std::filesystem::path& output);
Opened open_blend(const SimulationSource& source, const std::filesystem::path& output, const JobEvents& events);
Opened open_process(const SimulationSource& source, const std::filesystem::path& output, const JobEvents& events);

/// The parts of all runs that led to a model, read from the recipes beside it and beside the results it was made on.
/// Throws Error if a recipe is missing.
std::vector<RecipePart> earlier_parts(const std::filesystem::path& result);

}  // namespace rigspace
