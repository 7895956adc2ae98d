#include "rigspace/io/export_points.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"

#include <charconv>
#include <cstring>

namespace rigspace {
namespace {

void require_points_of(const Character& character, In points) {
  const Eigen::Index expected =
      character.rig ? 3 * static_cast<Eigen::Index>(character.rig->point_count()) : points.size();
  if (points.size() != expected || points.size() % 3 != 0)
    throw Error({.code = ErrorCode::usage,
                 .element = "character \"" + character.name + "\"",
                 .value = std::to_string(points.size()),
                 .problem = "has " + std::to_string(expected) + " coordinates, not " + std::to_string(points.size()),
                 .remedy = "give the points that its rig evaluates"});
}

/// The shortest text that reads back as the same number.
void put_number(std::string& text, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  (text += ' ').append(digits, end);
}

/// A name in one word, as OBJ needs.
std::string one_word(std::string name) {
  for (char& c : name)
    if (static_cast<unsigned char>(c) <= ' ') c = '_';
  return name.empty() ? "piece" : name;
}

template <class Value>
void put(std::vector<std::byte>& bytes, const Value& value) {
  const auto b = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), b.begin(), b.end());
}

void put_text(std::vector<std::byte>& bytes, std::string_view text) {
  const auto b = std::as_bytes(std::span(text));
  bytes.insert(bytes.end(), b.begin(), b.end());
}

void put_points(std::vector<std::byte>& bytes, In points) {
  const auto b = std::as_bytes(std::span(points.data(), static_cast<std::size_t>(points.size())));
  bytes.insert(bytes.end(), b.begin(), b.end());
}

}  // namespace

std::string to_obj(const Character& character, In points) {
  require_points_of(character, points);
  std::string text;
  for (Eigen::Index i = 0; i < points.size(); i += 3) {
    text += 'v';
    for (int k = 0; k < 3; ++k) put_number(text, points[i + k]);
    text += '\n';
  }
  int uv_before = 0;
  for (const Piece& piece : character.pieces) {
    text += "g " + one_word(piece.name) + "\n";
    // OBJ's v runs up, glTF's down.
    for (const Eigen::Vector2f& uv : piece.uv) {
      text += "vt";
      put_number(text, uv[0]);
      put_number(text, 1.0 - uv[1]);
      text += '\n';
    }
    for (const auto& triangle : piece.triangles) {
      text += 'f';
      for (const int corner : triangle) {
        text += ' ' + std::to_string(corner + 1);
        if (!piece.uv.empty()) text += '/' + std::to_string(corner - piece.first_point + uv_before + 1);
      }
      text += '\n';
    }
    uv_before += static_cast<int>(piece.uv.size());
  }
  return text;
}

std::vector<std::byte> to_ply(const Character& character, In points) {
  require_points_of(character, points);
  std::size_t faces = 0;
  for (const Piece& piece : character.pieces) faces += piece.triangles.size();
  std::vector<std::byte> bytes;
  put_text(bytes, "ply\nformat binary_little_endian 1.0\nelement vertex " + std::to_string(points.size() / 3) +
                      "\nproperty double x\nproperty double y\nproperty double z\nelement face " +
                      std::to_string(faces) + "\nproperty list uchar int vertex_indices\nend_header\n");
  bytes.reserve(bytes.size() + points.size() * sizeof(double) + faces * 13);
  put_points(bytes, points);
  for (const Piece& piece : character.pieces)
    for (const auto& triangle : piece.triangles) {
      put(bytes, std::uint8_t{3});
      for (const int corner : triangle) put(bytes, static_cast<std::int32_t>(corner));
    }
  return bytes;
}

std::vector<std::byte> to_npy(In points) {
  std::string header =
      "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(points.size() / 3) + ", 3), }";
  // The data begins at a multiple of 64; the header ends with a newline (NumPy's format 1.0).
  constexpr std::size_t kPreamble = 10;
  header.resize((kPreamble + header.size() + 1 + 63) / 64 * 64 - kPreamble - 1, ' ');
  header += '\n';
  std::vector<std::byte> bytes;
  put_text(bytes, "\x93NUMPY");
  put(bytes, std::uint8_t{1});
  put(bytes, std::uint8_t{0});
  put(bytes, static_cast<std::uint16_t>(header.size()));
  put_text(bytes, header);
  put_points(bytes, points);
  return bytes;
}

void write_points(const std::filesystem::path& path, const Character& character, In points) {
  const std::string extension = path.extension().string();
  if (extension == ".obj") return write_file(path, to_obj(character, points));
  if (extension == ".ply") return write_file(path, to_ply(character, points));
  if (extension == ".npy") return write_file(path, to_npy(points));
  throw Error({.code = ErrorCode::usage,
               .file = path.string(),
               .value = extension,
               .problem = extension.empty() ? "has no extension" : "has the unknown extension " + extension,
               .remedy = "points are written as .npy, .obj or .ply"});
}

}  // namespace rigspace
