#include "uri.h"

#include <array>
#include <cstdint>
#include <filesystem>

namespace rigspace {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> digit_values() {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  return values;
}
constexpr std::array<std::int8_t, 256> kDigitValues = digit_values();

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decode_percent(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(16 * high + low);
    i += 2;
  }
  return decoded;
}

}  // namespace

bool is_data_uri(std::string_view uri) { return uri.starts_with("data:"); }

std::optional<std::vector<std::byte>> decode_base64(std::string_view text) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t pending = 0;
  int bits = 0;
  for (const char c : text) {
    const int value = kDigitValues[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    pending = (pending << 6) | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push_back(static_cast<std::byte>(pending >> bits));
    }
  }
  return bytes;
}

std::string encode_base64(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) text += k <= n ? kAlphabet[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::optional<std::vector<std::byte>> decode_data_uri(std::string_view uri) {
  const std::size_t comma = uri.find(',');
  if (!is_data_uri(uri) || comma == std::string_view::npos) return std::nullopt;
  const std::string_view kind = uri.substr(0, comma), data = uri.substr(comma + 1);
  if (kind.ends_with(";base64")) return decode_base64(data);
  const std::optional<std::string> text = decode_percent(data);
  if (!text) return std::nullopt;
  const auto bytes = std::as_bytes(std::span(*text));
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

std::optional<std::string> decode_relative_path(std::string_view uri) {
  const std::optional<std::string> path = decode_percent(uri);
  if (!path || path->empty() || path->front() == '/') return std::nullopt;
  // A colon before the first slash is a scheme or a drive; a backslash is a folder on some systems only.
  if (path->substr(0, path->find('/')).find(':') != std::string::npos) return std::nullopt;
  if (path->find('\\') != std::string::npos || path->find('\0') != std::string::npos) return std::nullopt;
  const std::filesystem::path plain = std::filesystem::path(*path).lexically_normal();
  if (plain.empty() || *plain.begin() == ".." || *plain.begin() == ".") return std::nullopt;
  return plain.string();
}

std::string encode_relative_path(std::string_view path) {
  constexpr std::string_view kHex = "0123456789ABCDEF", kPlain = "-._~/";
  std::string uri;
  for (const char c : path) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const unsigned char u = static_cast<unsigned char>(c);
    if (letter || kPlain.find(c) != std::string_view::npos)
      uri += c;
    else
      (uri += '%') += {kHex[u >> 4], kHex[u & 15]};
  }
  return uri;
}

}  // namespace rigspace
