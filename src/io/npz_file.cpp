#include "rigspace/io/npz_file.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"

#include <algorithm>
#include <array>
#include <limits>

namespace rigspace {
namespace {

using Bytes = std::vector<std::byte>;

template <class Value>
void put_npz(Bytes& bytes, Value value) {  // little endian, as all of our machines
  const auto b = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), b.begin(), b.end());
}

void put_npz_text(Bytes& bytes, std::string_view text) {
  const auto b = std::as_bytes(std::span(text));
  bytes.insert(bytes.end(), b.begin(), b.end());
}

/// Of ISO 3309, as in zip files.
std::uint32_t crc32(std::span<const std::byte> bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
      t[i] = c;
    }
    return t;
  }();
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const std::byte b : bytes) crc = table[(crc ^ std::to_integer<std::uint32_t>(b)) & 0xFF] ^ (crc >> 8);
  return crc ^ 0xFFFFFFFFu;
}

/// What a local header and an entry of the directory share (PKWARE's APPNOTE 4.3.7, 4.3.12): version 2.0, UTF-8 names,
/// stored, 1 January 1980, so that equal arrays are equal files.
void put_entry(Bytes& bytes, const std::string& name, std::span<const std::byte> data) {
  put_npz<std::uint16_t>(bytes, 20);
  put_npz<std::uint16_t>(bytes, 0x0800);
  put_npz<std::uint16_t>(bytes, 0);
  put_npz<std::uint16_t>(bytes, 0);
  put_npz<std::uint16_t>(bytes, 0x21);
  put_npz(bytes, crc32(data));
  put_npz(bytes, static_cast<std::uint32_t>(data.size()));
  put_npz(bytes, static_cast<std::uint32_t>(data.size()));
  put_npz(bytes, static_cast<std::uint16_t>(name.size()));
  put_npz<std::uint16_t>(bytes, 0);
}

/// Code points of UTF-8; what is none becomes U+FFFD.
std::u32string code_points(std::string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
    if (length == 0 || i + length > text.size()) {
      result += U'\uFFFD', ++i;
      continue;
    }
    char32_t c = length == 1 ? first : first & (0x7Fu >> length);
    for (std::size_t k = 1; k < length; ++k) c = (c << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3Fu);
    result += c, i += length;
  }
  return result;
}

}  // namespace

void NpzFile::add_array(std::string name, std::string_view type, std::span<const std::size_t> shape,
                        std::span<const std::byte> data) {
  for (const auto& [other, array] : arrays_)
    if (other == name)
      throw Error({.code = ErrorCode::usage, .element = "array \"" + name + "\"", .problem = "is there already"});
  std::string sizes;
  for (const std::size_t size : shape) sizes += std::to_string(size) + ", ";
  std::string header = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (" + sizes + "), }";
  // The data begins at a multiple of 64; the header ends with a newline (NumPy's format 1.0).
  constexpr std::size_t kPreamble = 10;
  header.resize((kPreamble + header.size() + 1 + 63) / 64 * 64 - kPreamble - 1, ' ');
  header += '\n';
  Bytes npy;
  npy.reserve(kPreamble + header.size() + data.size());
  put_npz_text(npy, "\x93NUMPY");
  put_npz<std::uint8_t>(npy, 1);
  put_npz<std::uint8_t>(npy, 0);
  put_npz(npy, static_cast<std::uint16_t>(header.size()));
  put_npz_text(npy, header);
  npy.insert(npy.end(), data.begin(), data.end());
  arrays_.emplace_back(std::move(name), std::move(npy));
}

void NpzFile::add(std::string name, const Mat& values) {
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = values;
  const std::size_t shape[] = {static_cast<std::size_t>(rows.rows()), static_cast<std::size_t>(rows.cols())};
  add_array(std::move(name), "<f8", shape,
            std::as_bytes(std::span(rows.data(), static_cast<std::size_t>(rows.size()))));
}

void NpzFile::add_vector(std::string name, In values) {
  const std::size_t shape[] = {static_cast<std::size_t>(values.size())};
  add_array(std::move(name), "<f8", shape, std::as_bytes(std::span(values.data(), shape[0])));
}

void NpzFile::add_points(std::string name, In points) {
  const std::size_t shape[] = {static_cast<std::size_t>(points.size()) / 3, 3};
  add_array(std::move(name), "<f8", shape, std::as_bytes(std::span(points.data(), 3 * shape[0])));
}

void NpzFile::add_integers(std::string name, std::span<const int> values, int columns) {
  static_assert(sizeof(int) == 4);
  const std::size_t width = static_cast<std::size_t>(std::max(columns, 1));
  const std::size_t shape[] = {values.size() / width, width};
  add_array(std::move(name), "<i4", std::span(shape, columns > 0 ? 2 : 1), std::as_bytes(values));
}

void NpzFile::add_names(std::string name, std::span<const std::string> values) {
  std::vector<std::u32string> texts;
  std::size_t width = 1;
  for (const std::string& value : values) {
    texts.push_back(code_points(value));
    width = std::max(width, texts.back().size());
  }
  std::u32string all;
  for (std::u32string& text : texts) {
    text.resize(width, U'\0');
    all += text;
  }
  const std::size_t shape[] = {values.size()};
  add_array(std::move(name), "<U" + std::to_string(width), shape, std::as_bytes(std::span(all)));
}

std::vector<std::byte> NpzFile::bytes() const {
  Bytes file, directory;
  for (const auto& [name, npy] : arrays_) {
    if (file.size() + npy.size() > std::numeric_limits<std::uint32_t>::max() - (1u << 20))
      throw Error({.element = "array \"" + name + "\"",
                   .problem = "makes the file larger than 4 GiB",
                   .remedy = "dump a shorter stretch"});
    const std::string entry = name + ".npy";
    const auto offset = static_cast<std::uint32_t>(file.size());
    put_npz_text(file, "PK\x03\x04");
    put_entry(file, entry, npy);
    put_npz_text(file, entry);
    file.insert(file.end(), npy.begin(), npy.end());
    put_npz_text(directory, "PK\x01\x02");
    put_npz<std::uint16_t>(directory, 20);
    put_entry(directory, entry, npy);
    for (int k = 0; k < 3; ++k) put_npz<std::uint16_t>(directory, 0);  // comment, disk, text or not
    put_npz<std::uint32_t>(directory, 0);
    put_npz(directory, offset);
    put_npz_text(directory, entry);
  }
  const auto start = static_cast<std::uint32_t>(file.size()), size = static_cast<std::uint32_t>(directory.size());
  file.insert(file.end(), directory.begin(), directory.end());
  put_npz_text(file, "PK\x05\x06");
  put_npz<std::uint32_t>(file, 0);
  for (int k = 0; k < 2; ++k) put_npz(file, static_cast<std::uint16_t>(arrays_.size()));
  put_npz(file, size);
  put_npz(file, start);
  put_npz<std::uint16_t>(file, 0);
  return file;
}

void NpzFile::write(const std::filesystem::path& path) const { write_file(path, bytes()); }

}  // namespace rigspace
