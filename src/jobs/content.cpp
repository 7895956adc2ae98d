#include "rigspace/jobs/content.h"

#include "rigspace/base/content_hash.h"
#include "rigspace/base/files.h"
#include "rigspace/io/gltf.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace rigspace {
namespace {

namespace fs = std::filesystem;
using SortedJson = nlohmann::json;  // fields by name: their order is no content

SortedJson document_of(const fs::path& rig_file) {
  return SortedJson::parse(read_text(rig_file), nullptr, true, /*ignore_comments=*/true);
}

/// The names under "clips", which may be one text.
std::vector<std::string> clip_files(const SortedJson& document) {
  std::vector<std::string> files;
  const auto clips = document.find("clips");
  if (clips == document.end()) return files;
  for (const SortedJson& each : clips->is_array() ? *clips : SortedJson::array({*clips}))
    if (each.is_string()) files.push_back(each.get<std::string>());
  return files;
}

/// A .gltf has its buffers and pictures beside it: all of it, packed into one.
std::string hash_of_file(const fs::path& path) {
  if (path.extension() == ".gltf") return content_hash(GltfFile(path).to_glb());
  return content_hash(read_file(path));
}

}  // namespace

std::vector<fs::path> files_of_rig(const fs::path& rig_file) {
  const SortedJson document = document_of(rig_file);
  const fs::path folder = rig_file.parent_path();
  std::vector<fs::path> files{rig_file};
  if (const auto mesh = document.find("mesh"); mesh != document.end() && mesh->is_string())
    files.push_back(folder / mesh->get<std::string>());
  for (const std::string& name : clip_files(document)) files.push_back(folder / name);
  return files;
}

fs::path mesh_of_rig(const fs::path& rig_file) {
  try {
    const SortedJson document = document_of(rig_file);
    const auto mesh = document.find("mesh");
    return mesh != document.end() && mesh->is_string() ? rig_file.parent_path() / mesh->get<std::string>() : fs::path();
  } catch (const std::exception&) {
    return {};
  }
}

std::string rig_file_hash(const fs::path& rig_file, const fs::path& without) {
  SortedJson document = document_of(rig_file);
  std::vector<std::string> clips = clip_files(document);
  std::erase_if(clips, [&](const std::string& name) { return is_same_file(rig_file.parent_path() / name, without); });
  document["clips"] = clips;
  std::string content = document.dump(-1, ' ', true, SortedJson::error_handler_t::replace);
  for (const fs::path& file : files_of_rig(rig_file))
    if (file != rig_file && !is_same_file(file, without)) content += hash_of_file(file);
  return content_hash(content);
}

std::string file_hash(const fs::path& file) {
  return file.string().ends_with(".rig.json") ? rig_file_hash(file, {}) : hash_of_file(file);
}

std::string path_from_recipe(const fs::path& file, const fs::path& recipe) {
  const fs::path folder = recipe.has_parent_path() ? recipe.parent_path() : fs::path(".");
  fs::path relative = fs::relative(file, folder);
  if (relative.empty()) relative = fs::absolute(file);
  return relative.generic_string();
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored);
}

}  // namespace rigspace
