#pragma once
// A glTF 2.0 document as it came: JSON with its key order, and buffers. Every read goes through a function here that
// checks type, range and size first and throws Error with the element's name.
//
// Memory. What is decoded from a document of n bytes (all its files together), and the rig made of it, may take
// kBudgetBase + kBudgetFactor * n; the JSON tree takes up to 32 bytes a byte beside it, the numbers of one accessor 8.
// Counts in a file are bounded by the bytes that back them; where nothing does (an accessor without a view, a mesh
// instanced by many nodes, a deep hierarchy), `spend` bounds them.

#include "rigspace/base/error.h"
#include "rigspace/base/types.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kBudgetBase = std::uint64_t{64} << 20;
constexpr std::uint64_t kBudgetFactor = 64;
constexpr int kJsonDepth = 200;          ///< nested arrays and objects
constexpr int kJsonKeys = 20'000;        ///< of one object
constexpr double kLargestNumber = 1e18;  ///< of coordinates, factors and keys: products of many stay finite

inline constexpr const char* kPieceName = "rigspace_piece";  ///< in the extras of a primitive

struct AccessorShape {
  std::int64_t count = 0;
  int components = 0;
  int component_type = 0;  ///< glTF's code: 5120 byte, 5121 unsigned byte, 5122, 5123 short, 5125 unsigned, 5126 float
  bool normalized = false;
};

class GltfDocument {
 public:
  struct Chunk {
    std::uint32_t type;
    std::vector<std::byte> bytes;
  };

  /// An empty document: {"asset": {"version": "2.0", "generator": ..}}.
  GltfDocument();
  /// Reads a .gltf or .glb (detected by content) and all its buffers.
  static GltfDocument read(const std::filesystem::path& path);
  /// The same from memory. Without a folder, references to other files are an error.
  static GltfDocument parse(std::span<const std::byte> bytes, std::string name, std::filesystem::path folder = {});

  Json json;
  std::vector<std::vector<std::byte>> buffers;  ///< a GLB's first one with its padding
  std::vector<Chunk> other_chunks;              ///< of a GLB, beyond JSON and BIN: carried along
  std::string file;                             ///< for messages
  std::filesystem::path folder;                 ///< of the file; empty if it came from memory
  std::vector<std::string> warnings;            ///< about the container

  [[noreturn]] void fail(std::string element, std::string problem, std::string remedy, std::string value = {}) const;

  // The top-level lists ("nodes", "accessors", ...).
  int size_of(const char* list) const;
  const Json& item(const char* list, int index) const;
  /// `node "Hips"`, or `node 12` where it has no name.
  std::string label(const char* list, int index) const;

  // Members of an object; `element` names it in messages.
  static const Json* find(const Json& object, const char* key);
  const Json& list(const Json& object, const char* key, const std::string& element) const;    ///< empty if absent
  const Json& object(const Json& object, const char* key, const std::string& element) const;  ///< empty if absent
  std::string text(const Json& object, const char* key, const std::string& element) const;    ///< empty if absent
  bool flag(const Json& object, const char* key, const std::string& element) const;           ///< false if absent
  std::optional<std::int64_t> integer(const Json& object, const char* key, const std::string& element,
                                      std::int64_t largest) const;  ///< from 0 to largest
  /// An index into a top-level list, -1 if absent.
  int index(const Json& object, const char* key, const std::string& element, const char* list) const;
  int index_value(const Json& value, const char* key, const std::string& element, const char* list) const;
  /// Exactly n finite numbers; empty if absent.
  std::vector<double> numbers(const Json& object, const char* key, const std::string& element, int n) const;

  // Binary data.
  std::span<const std::byte> view_bytes(int view) const;
  AccessorShape accessor_shape(int accessor) const;
  /// count * components numbers, normalised integers as 0..1 or -1..1. `type` is what is expected, as "VEC3".
  std::vector<double> read_numbers(int accessor, const char* type) const;
  /// The same for unsigned integers that are not normalised: indices and joints.
  std::vector<std::uint32_t> read_integers(int accessor, const char* type) const;
  /// Where the elements of an accessor lie; no data where there are none, or where its description is wrong.
  struct Elements {
    std::byte* data = nullptr;
    std::size_t stride = 0;
    std::int64_t count = 0;
    int components = 0;
    std::size_t element_size = 0;  ///< bytes
    bool is_float = false;
  };
  Elements elements(int accessor);
  /// Makes numbers finite where the result is still defined, with an entry in `warnings`.
  void repair_numbers();
  /// The bytes that a reference means (data: or a file beside); throws if it cannot be read.
  std::vector<std::byte> resource(const std::string& uri, const std::string& element) const;

  /// Counts memory about to be used for what the file describes, and throws when it is out of proportion.
  void spend(std::uint64_t bytes, const std::string& element) const;
  /// Ends that: the document was loaded and is now being written.
  void trust() { limit_ = std::numeric_limits<std::uint64_t>::max(); }

 private:
  struct Strided {
    const std::byte* data = nullptr;  ///< null: zeros
    std::size_t stride = 0;
  };
  void parse_json(std::string_view text);
  void parse_glb(std::span<const std::byte> bytes);
  void check_asset();
  void load_buffers(std::optional<std::vector<std::byte>> bin);
  Strided locate(const Json& owner, std::int64_t count, int components, int component_type,
                 const std::string& element) const;
  template <class Number>
  std::vector<Number> read(int accessor, const char* type) const;
  template <class Number>
  void apply_sparse(const Json& sparse, const AccessorShape& shape, std::vector<Number>& values,
                    const std::string& element) const;
  template <class Number>
  void convert(Strided from, std::int64_t count, const AccessorShape& shape, Number* to,
               const std::string& element) const;

  std::uint64_t limit_ = 0;
  mutable std::uint64_t spent_ = 0;
  mutable std::uint64_t bytes_read_ = 0;  // of the file and all it refers to
};

}  // namespace rigspace
