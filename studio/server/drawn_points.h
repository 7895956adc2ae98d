#pragma once
// Points of rigs that a page cannot play itself, as frames hold them (PROTOCOL.md), and their bones as nodes.

#include "rigspace/anim/character.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rigspace {
class BuiltInRig;
}

namespace rigspace::studio {

/// Where the bones of a character are. Not to be used by two threads at a time. The character is referred to.
class BonePlaces {
 public:
  explicit BonePlaces(const Character& character);
  const std::vector<std::string>& names() const { return names_; }  ///< none where the rig is not built in
  /// From each bone's own space to the scene, in the pose p.
  void worlds(In p, std::vector<Affine>& worlds);

 private:
  const Character& character_;
  const BuiltInRig* rig_;  // null: the rig has no bones
  std::vector<std::string> names_;
  std::unique_ptr<Workspace> workspace_;
  Vec u_;
};

/// Not to be used by two threads at a time. The character is referred to.
class DrawnPoints {
 public:
  /// `free`: the controls that physics moves.
  DrawnPoints(const Character& character, std::vector<int> free);

  int count() const { return static_cast<int>(drawn_.size()); }
  /// Points of the rig, one a drawn point.
  const std::vector<int>& rig_points() const { return drawn_; }
  BonePlaces& bones() { return bones_; }

  /// The points of the pose p, three numbers each.
  void append(In p, std::vector<float>& numbers);
  /// Local transforms of all bones, as PoseMap::append has them.
  void append_bones(In p, std::vector<float>& numbers);
  /// The block of a frame: number of points, number of runs, the artist's points, then where and what differs in p.
  /// `shape`: all points of the rig, in place of those of p; null: none.
  void append_block(In p_key, In p, const Vec* shape, std::vector<std::byte>& bytes);

 private:
  struct Run {
    std::uint32_t first, count;  // of drawn points
  };
  std::vector<Run> runs_of(const std::vector<char>& moved) const;
  bool differs_beyond_free(In p_key, In p) const;

  const Character& character_;
  BonePlaces bones_;
  std::vector<int> free_;  // ascending
  std::vector<int> drawn_;
  std::unique_ptr<Workspace> workspace_, moved_workspace_;
  std::unique_ptr<Rig> moved_rig_;  // of the drawn points that the free controls reach
  std::vector<Run> moved_runs_;     // the same points
  std::vector<int> moved_places_;   // of each, its place among the points of moved_rig_
  Vec p_key_, s_key_, s_;           // the artist's pose that was evaluated last, and its points
};

}  // namespace rigspace::studio
