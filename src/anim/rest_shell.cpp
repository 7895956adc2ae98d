#include "rigspace/anim/rest_shell.h"

#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

namespace rigspace {

std::vector<int> drawn_points(const Character& character) {
  std::vector<int> points;
  for (const Piece& piece : character.pieces)
    for (int i = 0; piece.drawn && i < piece.point_count; ++i) points.push_back(piece.first_point + i);
  return points;
}

Character rest_shell(const Character& character) {
  Character shell{.name = character.name,
                  .pieces = character.pieces,
                  .materials = character.materials,
                  .images = character.images,
                  .bones = character.bones};
  Vec rest;
  character.rig->evaluate(*character.rig->make_workspace(), character.rig->rest(), rest);
  const auto graph = std::make_shared<ControlGraph>();
  for (Bone& bone : shell.bones) bone.slot = -1;
  // Parents first, whatever the order of the list.
  const auto add = [&](const auto& self, Bone& bone) -> int {
    if (bone.slot >= 0) return bone.slot;
    const int parent = bone.parent < 0 ? -1 : self(self, shell.bones[static_cast<std::size_t>(bone.parent)]);
    return bone.slot = add_node(*graph, {.name = bone.name, .parent_slot = parent});
  };
  for (Bone& bone : shell.bones) add(add, bone);
  for (std::size_t k = 0; k < shell.pieces.size(); ++k) {
    Piece& piece = shell.pieces[k];
    piece.name = "piece " + std::to_string(k + 1) + " " + piece.name.substr(0, piece.name.rfind('#'));
    piece.rest_normals.clear();  // they are in the mesh's own space
  }
  shell.rig = std::make_shared<BuiltInRig>(graph, std::move(rest), std::vector<std::shared_ptr<const Deformer>>());
  return shell;
}

}  // namespace rigspace
