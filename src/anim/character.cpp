#include "rigspace/anim/character.h"

#include "binding.h"

#include <cassert>

namespace rigspace {

const Animation* Character::clip(std::string_view clip_name) const {
  for (const Animation& clip : clips) {
    if (clip.name == clip_name) return &clip;
  }
  return nullptr;
}

// One pose needs each curve once: evaluating the curves themselves is cheaper than preparing a Sampler.
TriMesh rest_surface(const Character& character) {
  TriMesh surface;
  const auto workspace = character.rig->make_workspace();
  character.rig->evaluate(*workspace, character.rig->rest(), surface.points);
  for (const Piece& piece : character.pieces)
    if (piece.drawn) surface.triangles.insert(surface.triangles.end(), piece.triangles.begin(), piece.triangles.end());
  return surface;
}

Vec pose_at(const Character& character, const Animation* clip, double time) {
  assert(character.rig);
  Vec p = character.rig->rest();
  if (!clip) return p;
  const detail::ControlIndex index(character.rig->controls());
  for (const Track& track : clip->tracks) {
    const int control = index.find(track.control);
    if (control >= 0) p[control] = track.curve(time);
  }
  for (const RotationTrack& track : clip->rotations) {
    const auto controls = index.find_quaternion(track.node);
    if (!controls) continue;
    const Vec4 q = track(time);
    for (int k = 0; k < 4; ++k) p[(*controls)[k]] = q[k];
  }
  return p;
}

}  // namespace rigspace
