#pragma once
// What `simulate` and `rerun` share: from a file, its parts and a plan of clips to the result, its page and its recipe.

#include "command.h"

#include "rigspace/apps/physics/recipe.h"
#include "rigspace/io/gltf.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rigspace::tools {

/// The files of a run, by the name of its result.
struct RunFiles {
  std::filesystem::path model, page, recipe;
  std::filesystem::path partial;  ///< a folder, while it runs

  explicit RunFiles(const std::filesystem::path& output);
  /// ".gltf" or ".glb".
  std::string format() const;
  /// Before the work: throws Error if one of them cannot be written, is the input, or is something else's.
  void check(const std::string& input) const;
};

/// A clip, and how much of it is there. An unfinished one is to be made whole; otherwise its curves hold the first
/// `edits_done` of its edits, and the others are to follow.
struct ClipTask {
  RecipeClip clip;
  std::size_t edits_done = 0;

  std::size_t solves() const { return (clip.finished() ? 0 : 1) + clip.edits.size() - edits_done; }
};

struct SimulationRun {
  std::string input;
  GltfFile file;
  Recipe recipe;                ///< all but its clips
  std::vector<ClipTask> tasks;  ///< in the order of the result
  RunFiles out;
  std::vector<std::string> notes;  ///< for people, one sentence each
  bool keep_partial = false;       ///< a cancelled run writes the clips and the frames that it finished
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

/// Size and hash of a file: of its bytes, or, since a .gltf has its buffers and pictures beside it, of all of it packed
/// into one. `file` is that path, loaded.
RecipeInput describe_input(const std::string& path, const GltfFile& file, const std::filesystem::path& recipe);

/// `--set PATTERN.CONTROL=VALUE`, for all parts that the pattern meets. Throws Error naming what comes close.
std::vector<RecipeValue> parse_sets(const std::vector<std::string>& sets, std::span<const Part> parts,
                                    const std::string& file);

/// `rigspace simulate FILE -o OUT`, all else by itself.
void simulate_file(const std::string& file, const std::filesystem::path& output, const Context& context);

/// Makes what is to be made, writes everything, says it in words or JSON. Throws Error with code not_converged, after
/// the result is written, if steps failed, and Cancelled on Ctrl-C.
void execute(SimulationRun run, const Context& context);

}  // namespace rigspace::tools
