// Documents as files.
#include "gltf_patch.h"

#include "rigspace/base/files.h"
#include "uri.h"

#include <cstring>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

/// Joins all buffers into the first. Views keep their bytes; their offsets grow by where their buffer went.
void join_buffers(GltfDocument& document) {
  if (document.buffers.size() < 2) return;
  std::vector<std::byte> joined;
  std::vector<std::size_t> begin;
  for (const auto& buffer : document.buffers) {
    joined.resize((joined.size() + 7) / 8 * 8);
    begin.push_back(joined.size());
    joined.insert(joined.end(), buffer.begin(), buffer.end());
  }
  for (int i = 0; i < document.size_of("bufferViews"); ++i) {
    const std::string element = "bufferView " + std::to_string(i);
    const int buffer = document.index(document.item("bufferViews", i), "buffer", element, "buffers");
    if (buffer <= 0) continue;
    Json& view = document.json["bufferViews"][i];
    const auto offset = document.integer(view, "byteOffset", element, std::int64_t{1} << 40).value_or(0);
    view["buffer"] = 0;
    view["byteOffset"] = static_cast<std::size_t>(offset) + begin[buffer];
  }
  Json& buffers = document.json["buffers"];
  while (buffers.size() > 1) buffers.erase(buffers.size() - 1);
  buffers[0]["byteLength"] = joined.size();
  document.buffers.assign(1, std::move(joined));
}

/// Takes pictures that are files beside the document into its buffer; those that cannot be read stay references.
void take_pictures(GltfDocument& document) {
  for (int i = 0; i < document.size_of("images"); ++i) {
    const std::string element = document.label("images", i);
    const std::string uri = document.text(document.item("images", i), "uri", element);
    if (uri.empty() || is_data_uri(uri)) continue;
    std::vector<std::byte> bytes;
    try {
      bytes = document.resource(uri, element);
    } catch (const Error&) {
      continue;  // the character was loaded without it too, with a warning
    }
    const int view = append_view(document, bytes, 0);
    Json& image = document.json["images"][i];
    image.erase("uri");
    image["bufferView"] = view;
    const bool png = bytes.size() > 1 && bytes[1] == std::byte{'P'};
    if (!image.contains("mimeType")) image["mimeType"] = png ? "image/png" : "image/jpeg";
  }
}

void put_u32(std::vector<std::byte>& bytes, std::size_t value) {
  const std::uint32_t v = static_cast<std::uint32_t>(value);
  const auto b = std::as_bytes(std::span(&v, 1));
  bytes.insert(bytes.end(), b.begin(), b.end());
}

void put_chunk(std::vector<std::byte>& bytes, std::uint32_t type, std::span<const std::byte> data, char padding) {
  const std::size_t padded = (data.size() + 3) / 4 * 4;
  put_u32(bytes, padded);
  put_u32(bytes, type);
  bytes.insert(bytes.end(), data.begin(), data.end());
  bytes.insert(bytes.end(), padded - data.size(), static_cast<std::byte>(padding));
}

bool same_folder(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return !a.empty() && fs::equivalent(a, b.empty() ? fs::path(".") : b, error) && !error;
}

}  // namespace

std::vector<std::byte> write_glb(GltfDocument document) {
  take_pictures(document);
  join_buffers(document);
  if (!document.buffers.empty()) document.json["buffers"][0].erase("uri");
  const std::string text = document.json.dump();
  std::size_t total = 12 + 8 + text.size() + 3;
  for (const auto& buffer : document.buffers) total += 8 + buffer.size() + 3;
  for (const auto& chunk : document.other_chunks) total += 8 + chunk.bytes.size() + 3;
  if (total > 0xFFFFFFFFu) document.fail("", "would be larger than the 4 GiB that a .glb may have", "save it as .gltf");
  std::vector<std::byte> bytes;
  bytes.reserve(total);
  put_u32(bytes, 0x46546C67);
  put_u32(bytes, 2);
  put_u32(bytes, 0);
  put_chunk(bytes, 0x4E4F534A, std::as_bytes(std::span(text)), ' ');
  if (!document.buffers.empty()) put_chunk(bytes, 0x004E4942, document.buffers[0], '\0');
  for (const auto& chunk : document.other_chunks) put_chunk(bytes, chunk.type, chunk.bytes, '\0');
  const std::uint32_t length = static_cast<std::uint32_t>(bytes.size());
  std::memcpy(bytes.data() + 8, &length, 4);
  return bytes;
}

void save_document(GltfDocument document, const fs::path& path, GltfFile::SaveOptions options) {
  const std::string extension = path.extension().string();
  if (extension == ".glb") {
    write_file(path, write_glb(std::move(document)));
    return;
  }
  if (extension != ".gltf")
    throw Error({.code = ErrorCode::usage,
                 .file = path.string(),
                 .value = extension,
                 .problem = "has no glTF extension",
                 .remedy = "name it .glb or .gltf"});
  if (!same_folder(document.folder, path.parent_path())) take_pictures(document);
  if (options.embed) {
    for (std::size_t i = 0; i < document.buffers.size(); ++i)
      document.json["buffers"][i]["uri"] = "data:application/octet-stream;base64," + encode_base64(document.buffers[i]);
  } else if (join_buffers(document); !document.buffers.empty()) {
    const fs::path bin = fs::path(path).replace_extension(".bin");
    document.json["buffers"][0]["uri"] = encode_relative_path(bin.filename().string());
    write_file(bin, document.buffers[0]);
  }
  write_file(path, document.json.dump(2) + "\n");
}

}  // namespace rigspace
