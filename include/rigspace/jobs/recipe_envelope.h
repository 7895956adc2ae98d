#pragma once
// What the recipes of all applications have in common: who wrote it, the input by its content, how the result ends.
// A recipe is JSON beside a result; an application adds blocks of its own to the envelope's.

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rigspace {

class Field;

/// The file that a job was given.
struct RecipeInput {
  std::string file;         ///< relative to the recipe's folder, with /
  std::uint64_t bytes = 0;  ///< of the file
  std::string hash;         ///< content_hash, of all that it consists of
  std::string process;      ///< the command, where the rig was another program's; `file` then holds the clips
  std::string object = {};  ///< of a .blend: the mesh
};

struct RecipeEnvelope {
  std::string version;  ///< of the library that wrote it
  RecipeInput input;
  RecipeInput on = {};             ///< an earlier result that was the keyed motion; no file: the artist's clips were
  std::string format;              ///< how the result beside the recipe ends: ".glb", ".gltf", or ".rigspace.json"
  std::vector<std::string> notes;  ///< remarks of the planning of the job, one sentence each
};

/// The envelope's fields in their order, to which an application adds its own. `application` is written unless empty.
nlohmann::ordered_json envelope_json(const RecipeEnvelope& envelope, const std::string& application = {});
/// Reads them back from the whole document. Throws Error naming the file, the line and the field that is missing or
/// wrong.
RecipeEnvelope envelope_from(const Field& root);

/// Readable JSON: a line a value, but lists of numbers on one.
std::string recipe_json_text(const nlohmann::ordered_json& json);

/// Whether the file is a recipe that this library wrote, whatever the application.
bool is_recipe(const std::filesystem::path& file);

}  // namespace rigspace
