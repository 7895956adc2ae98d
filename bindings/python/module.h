#pragma once
// What the files of the module share: handles that Python holds, and the way out of and back into the interpreter.

#include "arrays.h"

#include "rigspace/anim/character.h"
#include "rigspace/base/progress.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace rigspace::python {

/// A rig with workspaces for as many threads as evaluate at once.
class RigHandle {
 public:
  explicit RigHandle(std::shared_ptr<const Rig> rig) : rig_(std::move(rig)), pool_(std::make_shared<Pool>()) {}

  const Rig& rig() const { return *rig_; }
  const std::shared_ptr<const Rig>& shared() const { return rig_; }

  /// Calls action(workspace) with a workspace that no other thread uses meanwhile.
  template <class Action>
  void with_workspace(Action action) const {
    std::unique_ptr<Workspace> workspace = take();
    action(*workspace);
    const std::lock_guard lock(pool_->mutex);
    pool_->free.push_back(std::move(workspace));
  }

 private:
  struct Pool {
    std::mutex mutex;
    std::vector<std::unique_ptr<Workspace>> free;
  };
  std::unique_ptr<Workspace> take() const;

  std::shared_ptr<const Rig> rig_;
  std::shared_ptr<Pool> pool_;
};

/// A character and where it is from. Never changed: with_clips makes another one.
struct CharacterHandle {
  std::shared_ptr<const Character> character;
  std::filesystem::path path;           ///< empty: not from a file
  std::vector<Animation> added = {};    ///< clips beside those of the file
  std::shared_ptr<RigHandle> rig = {};  ///< of the character

  explicit CharacterHandle(Character from, std::filesystem::path file = {});
  /// It is its file, and nothing else.
  bool is_file() const { return !path.empty() && added.empty(); }
  /// What messages call it.
  std::string name() const { return path.empty() ? character->name : path.string(); }
};

/// An object that the library may copy and drop without holding the interpreter.
std::shared_ptr<py::object> held(const py::object& object);

/// Python's callable(stage, fraction), called with the interpreter held, as the library calls it. False, as against
/// None, cancels; what it raises comes through. Without a callable only Ctrl-C is looked for.
ProgressCallback progress_from(const py::object& callable);

/// A clip as Python makes it, for functions that take several.
std::vector<Animation> clips_from(const py::object& clips);

void bind_errors(py::module_&);
void bind_rig(py::module_&);
void bind_black_box(py::module_&);
void bind_clip(py::module_&);
void bind_character(py::module_&);
void bind_simulate(py::module_&);
void bind_pose(py::module_&);
void bind_sketch(py::module_&);
void bind_inverse(py::module_&);
void bind_cloth(py::module_&);
void bind_forces(py::module_&);
void bind_mesh(py::module_&);
void bind_energy(py::module_&);
void bind_minimise(py::module_&);
void bind_rig_space(py::module_&);

}  // namespace rigspace::python
