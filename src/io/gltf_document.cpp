#include "gltf_document.h"

#include "json_sax.h"
#include "rigspace/base/files.h"
#include "uri.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kGlbMagic = 0x46546C67, kJsonChunk = 0x4E4F534A, kBinChunk = 0x004E4942;
constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;

std::uint32_t read_u32(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + offset, 4);
  return value;
}

/// Throws for JSON whose tree would be deep (its destructor and writer recurse) or whose objects have so many keys that
/// the ordered map's linear search would take forever.
class JsonLimits : public QuietSax {
 public:
  std::string problem;

  bool start_object(std::size_t) override { return open(); }
  bool key(string_t&) override {
    if (++keys_.back() <= kJsonKeys) return true;
    problem = "has an object with more than " + std::to_string(kJsonKeys) + " keys";
    return false;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    problem = "is not valid JSON at byte " + std::to_string(position) + " (" + complaint(error) + ")";
    return false;
  }

 private:
  bool open() {
    keys_.push_back(0);
    if (keys_.size() <= static_cast<std::size_t>(kJsonDepth)) return true;
    problem = "nests JSON deeper than " + std::to_string(kJsonDepth) + " levels";
    return false;
  }
  bool close() {
    keys_.pop_back();
    return true;
  }
  std::vector<int> keys_;
};

/// Extensions that a file may require of us: they change what we read correctly, or only how things look.
bool supports(const std::string& extension) {
  if (extension == "KHR_mesh_quantization" || extension == "KHR_texture_transform") return true;
  return extension.starts_with("KHR_materials_") || extension == "KHR_lights_punctual" ||
         extension == "EXT_texture_webp" || extension == "KHR_texture_basisu";
}

std::string remedy_for(const std::string& extension) {
  if (extension.find("draco") != std::string::npos || extension.find("meshopt") != std::string::npos)
    return "save the file again without mesh compression";
  return "save the file again without this extension";
}

const Json kNoList = Json::array();
const Json kNoObject = Json::object();

/// A value for a message: short, and plain ASCII so that it can be cut anywhere.
std::string brief(const Json& value) {
  if (value.is_object()) return "an object";
  std::string text = value.dump(-1, ' ', true);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

std::string singular(std::string_view list) {
  if (list == "meshes") return "mesh";
  return std::string(list.substr(0, list.size() - 1));
}

}  // namespace

GltfDocument::GltfDocument() : limit_(kBudgetBase) {
  json = {{"asset", {{"version", "2.0"}, {"generator", "rigspace"}}}};
}

GltfDocument GltfDocument::read(const fs::path& path) {
  const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
  return parse(read_file(path), path.string(), folder);
}

GltfDocument GltfDocument::parse(std::span<const std::byte> bytes, std::string name, fs::path folder) {
  GltfDocument document;
  document.file = std::move(name);
  document.folder = std::move(folder);
  document.bytes_read_ = bytes.size();
  document.limit_ = kBudgetBase + kBudgetFactor * bytes.size();
  if (bytes.empty()) document.fail("", "is empty", "export the file again as glTF 2.0");
  if (bytes.size() >= 4 && read_u32(bytes, 0) == kGlbMagic) {
    document.parse_glb(bytes);
  } else {
    const std::byte first = bytes.front();  // of JSON: a brace, space, or the mark of UTF-8
    if (document.file.ends_with(".glb") && first != std::byte{'{'} && first != std::byte{0xEF} &&
        first > std::byte{' '})
      document.fail("", "is no glTF file, whatever its name", "export the character as glTF 2.0");
    document.parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    document.check_asset();
    document.load_buffers(std::nullopt);
  }
  document.repair_numbers();
  return document;
}

void GltfDocument::parse_glb(std::span<const std::byte> bytes) {
  if (bytes.size() < 12) fail("", "ends within the GLB header", "get the whole file again");
  const std::uint32_t version = read_u32(bytes, 4);
  if (version != 2)
    fail("", "is GLB version " + std::to_string(version), "only version 2 is read", std::to_string(version));
  const std::size_t length = read_u32(bytes, 8);
  if (length > bytes.size())
    fail("", "holds " + std::to_string(bytes.size()) + " bytes where its header says " + std::to_string(length),
         "get the whole file again", std::to_string(length));
  if (length < bytes.size())
    warnings.push_back(std::to_string(bytes.size() - length) + " bytes after the end of the GLB are ignored.");
  std::string_view text;
  std::optional<std::vector<std::byte>> bin;
  bool first = true;
  for (std::size_t at = 12; at < length; first = false) {
    if (length - at < 8) fail("", "ends within a chunk header", "get the whole file again");
    const std::size_t size = read_u32(bytes, at);
    const std::uint32_t type = read_u32(bytes, at + 4);
    at += 8;
    if (size > length - at)
      fail("", "has a chunk of " + std::to_string(size) + " bytes where " + std::to_string(length - at) + " are left",
           "get the whole file again", std::to_string(size));
    const auto data = bytes.subspan(at, size);
    at += size;
    if (first != (type == kJsonChunk)) fail("", "does not have its one JSON chunk first", "export the file again");
    if (first)
      text = {reinterpret_cast<const char*>(data.data()), data.size()};
    else if (type == kBinChunk && !bin)
      bin.emplace(data.begin(), data.end());
    else
      other_chunks.push_back({type, {data.begin(), data.end()}});
  }
  if (first) fail("", "has no JSON chunk", "export the file again");
  parse_json(text);
  check_asset();
  load_buffers(std::move(bin));
}

void GltfDocument::parse_json(std::string_view text) {
  JsonLimits limits;
  if (!Json::sax_parse(text, &limits)) fail("", limits.problem, "export the file again as glTF 2.0");
  json = Json::parse(text, nullptr, false);
  if (!json.is_object()) fail("", "is not a glTF document", "its JSON must be an object with an \"asset\"");
}

void GltfDocument::check_asset() {
  const Json& asset = object(json, "asset", "the document");
  const std::string version = text(asset, "version", "asset");
  const std::string oldest = text(asset, "minVersion", "asset");
  if (!version.starts_with("2."))
    fail("asset", version.empty() ? "has no version" : "has version " + version, "only glTF 2.0 is read", version);
  if (!oldest.empty() && oldest != "2.0")
    fail("asset", "needs a reader of version " + oldest, "only glTF 2.0 is read", oldest);
  for (const Json& extension : list(json, "extensionsRequired", "the document")) {
    const std::string name = extension.is_string() ? extension.get<std::string>() : extension.dump();
    if (!supports(name))
      fail("", "requires the extension " + name + ", which is not supported", remedy_for(name), name);
  }
}

void GltfDocument::load_buffers(std::optional<std::vector<std::byte>> bin) {
  for (int i = 0; i < size_of("buffers"); ++i) {
    const Json& buffer = item("buffers", i);
    const std::string element = label("buffers", i);
    const auto length = integer(buffer, "byteLength", element, kLargestSize);
    if (!length) fail(element, "has no byteLength", "export the file again");
    std::vector<std::byte> bytes;
    if (const std::string uri = text(buffer, "uri", element); !uri.empty())
      bytes = resource(uri, element);
    else if (i == 0 && bin)
      bytes = std::move(*bin);
    else
      fail(element, "has no data", "give it a uri, or a BIN chunk");
    if (bytes.size() < static_cast<std::size_t>(*length))
      fail(element,
           "holds " + std::to_string(bytes.size()) + " bytes where its byteLength is " + std::to_string(*length),
           "get the whole file again", std::to_string(*length));
    buffers.push_back(std::move(bytes));
  }
  if (bin && buffers.empty() && !bin->empty()) warnings.push_back("The BIN chunk is not used by any buffer.");
}

std::vector<std::byte> GltfDocument::resource(const std::string& uri, const std::string& element) const {
  const std::string shown = uri.size() <= 80 ? uri : uri.substr(0, 77) + "...";
  if (is_data_uri(uri)) {
    auto bytes = decode_data_uri(uri);
    if (!bytes) fail(element, "has a malformed data: uri", "export the file again", shown);
    return std::move(*bytes);
  }
  const auto path = decode_relative_path(uri);
  if (!path)
    fail(element, "refers to \"" + shown + "\"", "only files beside the document or in folders below it are read",
         shown);
  if (folder.empty())
    fail(element, "refers to the file \"" + shown + "\"", "load the document by its path, or embed its data", shown);
  // One small document may name the same large file many times.
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  auto bytes = read_file(folder / *path, kMost - std::min(kMost, bytes_read_));
  bytes_read_ += bytes.size();
  return bytes;
}

void GltfDocument::fail(std::string element, std::string problem, std::string remedy, std::string value) const {
  throw Error({.file = file,
               .element = std::move(element),
               .value = std::move(value),
               .problem = std::move(problem),
               .remedy = std::move(remedy)});
}

void GltfDocument::spend(std::uint64_t bytes, const std::string& element) const {
  spent_ += std::min(bytes, std::uint64_t{1} << 60);
  // Buffers and images in other files count as they are read.
  const std::uint64_t limit = std::max(limit_, kBudgetBase + kBudgetFactor * bytes_read_);
  if (spent_ > limit)
    fail(element, "brings the document to more than " + std::to_string(limit >> 20) + " MiB in memory",
         "counts, instances or depth out of proportion to the file; check them", std::to_string(bytes));
}

int GltfDocument::size_of(const char* name) const { return static_cast<int>(list(json, name, "the document").size()); }

const Json& GltfDocument::item(const char* name, int index) const {
  const Json& items = list(json, name, "the document");
  if (index < 0 || index >= static_cast<int>(items.size()))
    fail(singular(name) + " " + std::to_string(index), "does not exist", "export the file again",
         std::to_string(index));
  if (!items[index].is_object())
    fail(singular(name) + " " + std::to_string(index), "is not an object", "export the file again");
  return items[index];
}

std::string GltfDocument::label(const char* name, int index) const {
  const Json* named = find(item(name, index), "name");
  if (!named || !named->is_string() || named->get_ref<const std::string&>().empty())
    return singular(name) + " " + std::to_string(index);
  return singular(name) + " \"" + named->get_ref<const std::string&>() + "\"";
}

const Json* GltfDocument::find(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

const Json& GltfDocument::list(const Json& owner, const char* key, const std::string& element) const {
  const Json* value = find(owner, key);
  if (!value) return kNoList;
  if (!value->is_array()) fail(element, std::string("has ") + key + " that is no list", "export the file again");
  return *value;
}

const Json& GltfDocument::object(const Json& owner, const char* key, const std::string& element) const {
  const Json* value = find(owner, key);
  if (!value) return kNoObject;
  if (!value->is_object()) fail(element, std::string("has ") + key + " that is no object", "export the file again");
  return *value;
}

std::string GltfDocument::text(const Json& owner, const char* key, const std::string& element) const {
  const Json* value = find(owner, key);
  if (!value) return {};
  if (!value->is_string()) fail(element, std::string("has ") + key + " that is no text", "export the file again");
  return value->get<std::string>();
}

bool GltfDocument::flag(const Json& owner, const char* key, const std::string& element) const {
  const Json* value = find(owner, key);
  if (!value) return false;
  if (!value->is_boolean())
    fail(element, std::string("has ") + key + " that is neither true nor false", "export the file again");
  return value->get<bool>();
}

std::optional<std::int64_t> GltfDocument::integer(const Json& owner, const char* key, const std::string& element,
                                                  std::int64_t largest) const {
  const Json* value = find(owner, key);
  if (!value) return std::nullopt;
  // 3.0 is an integer to JSON, and some exporters write it so.
  const double number = value->is_number() ? value->get<double>() : -1;
  if (!value->is_number() || number != std::floor(number) || number < 0 || number > static_cast<double>(largest))
    fail(element, std::string("has ") + key + " " + brief(*value),
         "a whole number from 0 to " + std::to_string(largest) + " is expected", brief(*value));
  return static_cast<std::int64_t>(number);
}

int GltfDocument::index(const Json& owner, const char* key, const std::string& element, const char* name) const {
  const Json* value = find(owner, key);
  return value ? index_value(*value, key, element, name) : -1;
}

int GltfDocument::index_value(const Json& value, const char* key, const std::string& element, const char* name) const {
  const int size = size_of(name);
  const double number = value.is_number() ? value.get<double>() : -1;
  if (number != std::floor(number) || number < 0 || number >= size)
    fail(element, std::string("refers to ") + key + " " + brief(value),
         "the document has " + std::to_string(size) + " " + name, brief(value));
  return static_cast<int>(number);
}

std::vector<double> GltfDocument::numbers(const Json& owner, const char* key, const std::string& element, int n) const {
  const Json* value = find(owner, key);
  if (!value) return {};
  std::vector<double> result;
  if (value->is_array() && static_cast<int>(value->size()) == n)
    for (const Json& entry : *value)
      if (entry.is_number() && std::abs(entry.get<double>()) <= kLargestNumber) result.push_back(entry.get<double>());
  if (static_cast<int>(result.size()) != n)
    fail(element, std::string("has ") + key + " " + brief(*value),
         std::to_string(n) + " numbers of ordinary size are expected", brief(*value));
  return result;
}

}  // namespace rigspace
