#pragma once
// `--on RESULT`: what an earlier run wrote is the keyed motion of this one, so that parts are simulated one after
// another (RSP 7).

#include "rigspace/io/gltf.h"
#include "rigspace/jobs/recipe_envelope.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

/// Whether a clip is called as those that jobs make.
bool is_soft_clip(std::string_view name);

/// Whether a result is a glTF, which has joints of its own beside the curves.
bool is_model(const std::filesystem::path& result);

/// The clips of a result, a .rigspace.json, .glb, .gltf or .rig.json, under the names that the artist's have: Walk_soft
/// counts as Walk, and more than a clip Walk of the same file. Additive clips are left out. Throws Error if there is
/// none, or one moves what is no control of the rig.
std::vector<Animation> earlier_clips(const std::filesystem::path& result, const Character& character);

/// A clip takes the place of the one of its name, or comes behind the others.
void replace_clips(std::vector<Animation>& clips, const std::vector<Animation>& earlier);

/// The document of an earlier result without the clips that it added, to which those of this run are added instead.
/// Throws Error unless it has all controls and as many points as the character: it must have come from it.
GltfFile earlier_model(const std::filesystem::path& result, const Character& character);

/// The result for a recipe in that place; nothing if the path is empty.
RecipeInput describe_earlier(const std::string& result, const std::filesystem::path& recipe);

}  // namespace rigspace
