#include "rigspace/jobs/run_files.h"

#include "rigspace/base/error.h"
#include "rigspace/io/fbx_file.h"
#include "rigspace/jobs/arguments.h"
#include "rigspace/jobs/content.h"
#include "rigspace/jobs/recipe_envelope.h"

#include <algorithm>

namespace rigspace {
namespace fs = std::filesystem;

RunFiles RunFiles::of_model(const fs::path& output) {
  if (is_fbx_file(output)) {
    RunFiles files = of_model(fs::path(output).replace_extension(".glb"));
    files.fbx = output;
    return files;
  }
  RunFiles files{.model = output, .page = output, .recipe = output, .partial = output.string() + ".partial"};
  files.page.replace_extension(".html");
  files.recipe.replace_extension(".json");
  return files;
}

RunFiles RunFiles::of_curves(const fs::path& output) {
  std::string stem = output.string();
  for (const char* ending : {".rigspace.json", ".glb", ".html", ".blend"})
    if (stem.ends_with(ending)) stem.resize(stem.size() - std::string_view(ending).size());
  return {.curves = stem + ".rigspace.json",
          .model = stem + ".glb",
          .page = stem + ".html",
          .recipe = stem + ".json",
          .partial = stem + ".rigspace.json.partial"};
}

RunFiles RunFiles::curves_alone() const {
  if (curves.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = "--curves-only",
                 .problem = "is for rigs whose own controls move",
                 .remedy = "leave it out: joints and shapes move in the model, " + model.string()});
  return {.curves = curves, .model = {}, .page = {}, .recipe = recipe, .partial = partial};
}

std::string RunFiles::format() const {
  if (!curves.empty()) return ".rigspace.json";
  std::string extension = model.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension == ".gltf" ? ".gltf" : ".glb";
}

std::vector<fs::path> RunFiles::written() const {
  std::vector<fs::path> files;
  for (const fs::path& path : {curves, blend, model, fbx, page, recipe})
    if (!path.empty()) files.push_back(path);
  return files;
}

void RunFiles::check(std::span<const fs::path> inputs) const {
  for (const fs::path& path : written()) {
    for (const fs::path& input : inputs)
      if (is_same_file(path, input))
        throw Error({.code = ErrorCode::usage,
                     .file = path.string(),
                     .problem = "is the input itself",
                     .remedy = "choose another -o: the artist's files are never changed"});
    check_writable(path);
  }
  if (fs::exists(recipe) && !is_recipe(recipe))
    throw Error({.file = recipe.string(),
                 .problem = "is there already and is no recipe of this program",
                 .remedy = "the recipe is written there: move that file, or choose another -o"});
}

}  // namespace rigspace
