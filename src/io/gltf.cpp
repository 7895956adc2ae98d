#include "rigspace/io/gltf.h"

#include "gltf_loader.h"
#include "gltf_patch.h"
#include "gltf_soft.h"
#include "gltf_worn.h"
#include "rigspace/anim/plain_character.h"
#include "rigspace/base/error.h"
#include "rigspace/io/fbx_file.h"
#include "rigspace/io/formats.h"

#include <algorithm>
#include <cstdio>

namespace rigspace {
namespace {

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g %%", 100 * std::max(share, 1e-6));
  return text;
}

/// The document of a file; of one that is no glTF, a new document of its character.
GltfDocument open_document(const std::filesystem::path& path, const ProgressCallback& progress) {
  if (is_fbx_file(path)) {
    const FbxAsGltf read = read_fbx(path, progress);
    GltfDocument document = GltfDocument::parse(read.glb, path.string());
    document.warnings.insert(document.warnings.end(), read.warnings.begin(), read.warnings.end());
    return document;
  }
  const CharacterFormat* format = format_of(path);
  const auto load_document = static_cast<Character (*)(const std::filesystem::path&)>(load_gltf);
  if (format == nullptr || format->load == load_document) return GltfDocument::read(path);
  Character character = format->load(path);
  if (!is_plain(character)) {
    Plain plain = plain_character(character);
    const auto count = [](std::size_t n, const char* what) {
      return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
    };
    plain.character.warnings.push_back("its rig is played out as " + count(plain.character.bones.size(), "joint") +
                                       " and " + count(plain.shapes, "shape") + ", within " + percent(plain.error) +
                                       " of its size; other controls stay in " + path.filename().string() + ".");
    character = std::move(plain.character);
  }
  GltfDocument document = GltfDocument::parse(to_glb(character), path.string());
  document.warnings.insert(document.warnings.end(), character.warnings.begin(), character.warnings.end());
  return document;
}

}  // namespace

struct GltfFile::Content {
  explicit Content(GltfDocument from) : document(std::move(from)), character(build_character(document)) {
    document.trust();
  }

  const GltfScene& scene() {
    std::vector<std::string> known_warnings;
    if (!scene_) scene_ = read_scene(document, known_warnings);
    return *scene_;
  }

  /// Where pointers lead, or an error in our own words.
  Json::json_pointer pointer(std::string_view text) const {
    try {
      return Json::json_pointer(std::string(text));
    } catch (const Json::exception&) {
      document.fail("", "has no place \"" + std::string(text) + "\"", "write it like /nodes/0/name", std::string(text));
    }
  }

  GltfDocument document;
  Character character;

  std::optional<GltfScene> scene_;  // of the document as it is now; emptied when that changes
};

GltfFile::GltfFile(const std::filesystem::path& path, const ProgressCallback& progress)
    : content_(std::make_unique<Content>(open_document(path, progress))) {}
GltfFile::GltfFile(std::span<const std::byte> bytes, std::string name)
    : content_(std::make_unique<Content>(GltfDocument::parse(bytes, std::move(name)))) {}
GltfFile::~GltfFile() = default;
GltfFile::GltfFile(GltfFile&&) noexcept = default;
GltfFile& GltfFile::operator=(GltfFile&&) noexcept = default;

const Character& GltfFile::character() const { return content_->character; }

int GltfFile::node(std::string_view name) const {
  const auto& names = content_->scene().names;
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

int GltfFile::add_buffer_view(std::span<const std::byte> bytes, int target) {
  return append_view(content_->document, bytes, target);
}

int GltfFile::add_accessor(const GltfAccessor& accessor) { return append_accessor(content_->document, accessor); }

int GltfFile::add_node(const GltfNode& node) {
  content_->scene_.reset();
  return append_node(content_->document, node);
}

int GltfFile::add_animation(const Animation& animation) {
  return append_animation(content_->document, content_->scene(), animation);
}

void GltfFile::add_soft_joints(const SoftJoints& soft, int max_influences) {
  content_->scene_.reset();
  append_soft_joints(content_->document, soft, max_influences);
}

void GltfFile::add_soft_morphs(const SoftJoints& soft) { append_soft_morphs(content_->document, soft); }

void GltfFile::add_worn_piece(const Character& worn) {
  const GltfScene scene = content_->scene();
  content_->scene_.reset();
  append_worn_piece(content_->document, scene, worn);
}

std::string GltfFile::json(std::string_view pointer) const {
  try {
    return content_->document.json.at(content_->pointer(pointer)).dump();
  } catch (const Json::exception&) {
    content_->document.fail("", "has no place \"" + std::string(pointer) + "\"", "write it like /nodes/0/name",
                            std::string(pointer));
  }
}

void GltfFile::set_json(std::string_view pointer, std::string_view json_text) {
  Json value = Json::parse(json_text, nullptr, false);
  if (value.is_discarded())
    content_->document.fail("\"" + std::string(pointer) + "\"", "cannot become what is not valid JSON", "check it",
                            std::string(json_text.substr(0, 60)));
  try {
    content_->document.json[content_->pointer(pointer)] = std::move(value);
  } catch (const Json::exception&) {
    content_->document.fail("", "has no place \"" + std::string(pointer) + "\"", "write it like /nodes/0/name",
                            std::string(pointer));
  }
  content_->scene_.reset();
}

void GltfFile::save(const std::filesystem::path& path, SaveOptions options) const {
  save_document(content_->document, path, options);
}

std::vector<std::byte> GltfFile::to_glb() const { return write_glb(content_->document); }

Character load_gltf(const std::filesystem::path& path) { return build_character(GltfDocument::read(path)); }

Character load_gltf(std::span<const std::byte> bytes, std::string name) {
  return build_character(GltfDocument::parse(bytes, std::move(name)));
}

}  // namespace rigspace
