#include "rigspace/jobs/posed_model.h"

#include "rigspace/anim/plain_character.h"
#include "rigspace/base/files.h"
#include "rigspace/io/gltf.h"

namespace rigspace {

void write_posed_model(const std::string& output, const CharacterSource& source, const Character& character,
                       std::span<const Animation> clips, double fps) {
  const std::string& file = source.file;
  if (!file.empty() && !source.is_blend() && (!file.ends_with(".json") || is_plain(character))) {
    GltfFile document(file);
    for (const Animation& clip : clips) document.add_animation(clip);
    return document.save(output);
  }
  // Other rigs are played out as joints and shapes; a pose must last for that.
  Character played = character;
  for (const Animation& clip : clips) {
    played.clips.push_back(clip);
    if (clip.duration != 0) continue;
    Animation& held = played.clips.back();
    held.duration = 1 / fps;
    for (Track& track : held.tracks)
      track.curve.times.push_back(held.duration), track.curve.values.push_back(track.curve.values.front());
    for (RotationTrack& track : held.rotations)
      track.times.push_back(held.duration), track.values.push_back(track.values.front());
  }
  const std::vector<std::byte> glb = to_glb(plain_character(played).character);
  if (output.ends_with(".gltf")) return GltfFile(glb, output).save(output);
  write_file(output, glb);
}

}  // namespace rigspace
