#include "rigspace/io/formats.h"

#include "rigspace/base/error.h"
#include "rigspace/io/blend_file.h"
#include "rigspace/io/bvh.h"
#include "rigspace/io/fbx_file.h"
#include "rigspace/io/gltf.h"
#include "rigspace/io/rig_file.h"

#include <algorithm>
#include <cctype>

namespace rigspace {

std::span<const CharacterFormat> character_formats() {
  static const std::vector<CharacterFormat> formats{
      {{".glb", ".gltf", ".vrm"}, "glTF 2.0", load_gltf},
      {{".bvh"}, "a motion capture file", [](const auto& path) { return to_character(read_bvh(path)); }},
      {{".rig.json"}, "a rig file", load_rig_file},
      {{".blend"}, "a Blender file", [](const auto& path) { return load_blend({.file = path}); }},
      {{".fbx"}, "an FBX file, which Blender reads", [](const auto& path) { return load_fbx(path); }},
  };
  return formats;
}

const CharacterFormat* format_of(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const CharacterFormat& format : character_formats())
    for (const std::string_view ending : format.endings)
      if (name.ends_with(ending)) return &format;
  return nullptr;
}

std::string character_endings(std::string_view last_word) {
  std::vector<std::string_view> endings;
  for (const CharacterFormat& format : character_formats())
    endings.insert(endings.end(), format.endings.begin(), format.endings.end());
  std::string text;
  for (std::size_t k = 0; k < endings.size(); ++k) {
    if (k > 0) text += k + 1 < endings.size() ? ", " : " " + std::string(last_word) + " ";
    text += endings[k];
  }
  return text;
}

const CharacterFormat& require_format_of(const std::filesystem::path& path) {
  if (const CharacterFormat* format = format_of(path)) return *format;
  const std::string extension = path.extension().string();
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error({.file = path.string(), .problem = "is a folder", .remedy = "name a file in it"});
  throw Error({.file = path.string(),
               .value = extension,
               .problem = extension.empty() ? "has no extension" : "has the unknown extension " + extension,
               .remedy = "characters are read from " + character_endings()});
}

Character load_character(const std::filesystem::path& path) { return require_format_of(path).load(path); }

}  // namespace rigspace
